"""Who sees what, and when: viewer x moment x channel. The channels of the pages and the API all ask these functions."""

import json
from dataclasses import dataclass, replace

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from bots.services import matches as bot_matches
from games.engine import Rules
from games.models import DealEnd, Match, MatchMode, MatchState, Visibility
from games.selectors import records, visibility
from games.services import matches
from tests.accounts.factories import make_user
from tests.factories import bot_match_spec, make_human, make_version
from tests.games.test_matches import played_record, spec

pytestmark = pytest.mark.django_db
VIEWERS = ("anonymous", "stranger", "seated", "staff")
MOMENTS = ("planned", "in_deal", "after_deal", "finished", "void")


@dataclass
class Scene:
    match: Match
    other: Match | None
    viewers: dict[str, User | AnonymousUser]


def scene(visibility_: str, moment: str, *, is_mirrored: bool = False, other: str = "planned") -> Scene:
    """A match between two persons at a moment; mirrored: with the other match of its set at the moment `other`."""
    seated = make_human()
    plain = spec(seated, make_human(), rules=Rules(format="deals:1"), visibility=Visibility(visibility_))
    made = matches.create_many(specs=matches.mirrored(plain) if is_mirrored else [plain])
    for match, its_moment in zip(made, (moment, other), strict=False):
        bring_to(match, its_moment)
    viewers = {
        "anonymous": AnonymousUser(),
        "stranger": make_user(),
        "seated": seated.user,
        "staff": make_user(is_staff=True),
    }
    return Scene(made[0], made[1] if is_mirrored else None, viewers)


def bring_to(match: Match, moment: str) -> None:
    if moment in ("in_deal", "after_deal", "finished"):
        matches.start(match=match)
    if moment in ("after_deal", "finished"):
        matches.record_deal(match=match, number=1, record=played_record(match), termination=DealEnd.NORMAL)
    if moment == "finished":
        matches.finish(match=match, winner_side=match.deals.get().winner_side)
    if moment == "void":
        matches.void(match=match, reason="test")
    match.refresh_from_db()


def shown(found: Scene, viewer: str) -> set[str]:
    """What the viewer gets, through every function at once; they must agree."""
    match, who = found.match, found.viewers[viewer]
    parts = set()
    is_visible = visibility.can_see_match(match, who)
    assert visibility.visible_matches(who).filter(pk=match.pk).exists() == is_visible
    bundle, text = records.bundle(match, who), records.text(match, who)
    assert (bundle is None, text is None) == (not is_visible, not is_visible)
    if is_visible:
        parts.add("match")
    over = visibility.sets_over([match])[match.pk]
    assert (
        over == visibility.set_is_over(match) == visibility.with_set_over(Match.objects.all()).get(pk=match.pk).set_over
    )
    if visibility.can_see_seed(match, who):
        parts.add("seed")
    assert visibility.can_see_seed(match, who, set_over=over) == ("seed" in parts)
    for deal in match.deals.all():
        if visibility.can_see_cards(match, deal, who):
            parts.add("cards")
        assert visibility.can_see_cards(match, deal, who, set_over=over) == ("cards" in parts)
    seed = bytes(match.seed).hex()
    everything = json.dumps(bundle) + str(text)
    assert (seed in everything) == ("seed" in parts)
    for deal in match.deals.all():
        assert (deal.deck in everything) == ("cards" in parts)
    return parts


ALONE = {"planned": set(), "in_deal": set(), "after_deal": {"cards"}, "finished": {"cards", "seed"}, "void": {"seed"}}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("kind", ["public", "unlisted", "private"])
def test_a_match_shows_its_cards_after_the_deal_and_its_seed_after_the_end(kind, viewer, moment):
    wanted = {"match"} | ALONE[moment]
    if kind == "private" and viewer in ("anonymous", "stranger"):
        wanted = set()
    assert shown(scene(kind, moment), viewer) == wanted


@pytest.mark.parametrize("other", MOMENTS)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_mirrored_match_shows_nothing_before_the_whole_set_is_over(viewer, moment, other):
    both_over = {moment, other} <= {"finished", "void"}
    wanted = {"match"} | (ALONE[moment] if both_over else set())
    assert shown(scene("public", moment, is_mirrored=True, other=other), viewer) == wanted


def test_the_reason_of_what_is_hidden_is_told():
    assert records.bundle(scene("public", "after_deal").match, None)["hidden"] == {"seed": "match_not_over"}
    half = scene("public", "finished", is_mirrored=True, other="planned")
    assert records.bundle(half.match, None)["hidden"] == {"seed": "set_not_over", "deals": "set_not_over"}
    assert "hidden" not in records.bundle(scene("public", "finished").match, None)


def test_a_rerun_set_is_over_by_itself():
    one, two = make_human(), make_human()
    first = matches.mirrored(spec(one, two))
    voided = matches.create_many(specs=first)
    for match in voided:
        matches.void(match=match, reason="rerun")
    matches.create_many(specs=[replace(again, rerun=1, seed=b"x" * 32) for again in first])
    assert visibility.set_is_over(Match.objects.get(pk=voided[0].pk))
    assert list(visibility.sets_over(Match.objects.filter(rerun=1)).values()) == [False, False]


def test_the_owner_of_a_seated_bot_sees_its_private_match():
    owner = make_user()
    version = make_version(owner=owner)
    made = bot_match_spec(version, make_version(), visibility=Visibility.PRIVATE)
    (match,) = bot_matches.create_many(specs=[made])
    assert visibility.can_see_match(match, owner)
    assert not visibility.can_see_match(match, make_user())
    assert not visibility.can_see_match(match, None)


def test_staff_that_left_is_nobody():
    match = scene("private", "planned").match
    assert not visibility.can_see_match(match, make_user(is_staff=True, is_active=False))


@pytest.mark.parametrize("count", [3, 9])
def test_a_list_of_matches_asks_once(count, django_assert_num_queries):
    made = [scene("public", "finished", is_mirrored=True, other="finished").match for _ in range(count)]
    with django_assert_num_queries(1):
        assert all(visibility.sets_over(made).values())


def test_tests_and_practice_are_not_listed():
    for mode in MatchMode:
        matches.create(spec=spec(mode=mode))
    assert set(Match.objects.listed().values_list("mode", flat=True)) == {"casual", "rated", "league"}
    assert MatchState.PLANNED in set(Match.objects.values_list("state", flat=True))
