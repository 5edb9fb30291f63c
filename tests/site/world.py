"""A small site with something on every page: people of each kind, tournaments in each state, played matches."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from allauth.account.models import EmailAddress

from accounts.models import User
from accounts.services import tokens
from bots.models import BotVersion, QualifyGame
from bots.services import test_games
from games.models import Match, MatchState
from league.models import Entry, League, Tournament
from league.services import entries, leagues, memberships, results, tournaments
from league.services.ratings import periods
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.bots.uploading import Arena, upload
from tests.factories import make_version
from tests.league.inviting import offer, practise
from tests.league.played import faulty_match
from tests.league.playing import play, play_all

#: A single game a pairing.
SHORT = RoundRobinSettings(encounter=1, mirrored=False)
ONE_DEAL = RoundRobinSettings(encounter=1, mirrored=False, best_of=1)
MIRRORED = RoundRobinSettings(encounter=2)
#: Who looks at a page, in the order of the tables: nobody signed in, somebody who stands nowhere, a member of the
#: league without bots, the owner of a bot in it, its organiser, an operator with both factors.
VIEWERS = ("anonymous", "stranger", "member", "owner", "organiser", "admin")


@dataclass(slots=True)
class World:
    """`people` by the names of VIEWERS; `places` fills the gaps of addresses."""

    people: dict[str, User | None]
    league: League
    private: League
    finished: Tournament
    running: Tournament
    open: Tournament
    places: dict[str, object] = field(default_factory=dict)

    def person(self, viewer: str) -> User:
        """A signed-in one."""
        found = self.people[viewer]
        assert found is not None
        return found


def enter_all(tournament: Tournament, versions: Sequence[BotVersion]) -> None:
    """Every version's bot joins the league, where it is not in it, and enters."""
    inside = set(tournament.league.memberships.values_list("player_id", flat=True))
    for version in versions:
        owner = version.bot.owner
        if version.bot.player_id not in inside:
            memberships.join(league=tournament.league, player=version.bot.player, actor=owner)
        entries.enter(tournament=tournament, player=version.bot.player, actor=owner)


def make_tournament(
    league: League, organiser: User, name: str, versions: Sequence[BotVersion], *, until: str, **fields: object
) -> Tournament:
    """A tournament brought as far as `until`: draft, open, ready, running or finished."""
    stage = fields.pop("settings", SHORT)
    made = tournaments.create(league=league, actor=organiser, name=name, settings=stage, **fields)  # type: ignore[arg-type]
    if until != "draft":
        made = tournaments.open_registration(tournament=made, actor=organiser)
        enter_all(made, versions)
    if until not in {"draft", "open"}:
        made = tournaments.close_registration(tournament=made, actor=organiser)
    if until in {"running", "finished"}:
        made = tournaments.start(tournament=made, actor=organiser)
    if until == "finished":
        play_all(made)
    made.refresh_from_db()
    return made


def matches_of(tournament: Tournament) -> Sequence[Match]:
    """Its matches in the order of their making."""
    return Match.objects.filter(pairing_match__pairing__stage__tournament=tournament).order_by("pk")


def make_people() -> dict[str, User | None]:
    """One of each kind."""
    names = {
        "stranger": "Sara Neri", "member": "Marco Riva", "owner": "Luna Rossa", "organiser": "Olga Ferri",
    }  # fmt: skip
    people: dict[str, User | None] = {"anonymous": None}
    people |= {kind: make_user(name) for kind, name in names.items()}
    people["admin"] = make_user("Ada Bruni", is_staff=True)
    return people


def make_world() -> World:
    """Build it by the site's own services; every card of its matches is played."""
    people = make_people()
    organiser, owner, member = people["organiser"], people["owner"], people["member"]
    assert organiser is not None
    assert owner is not None
    assert member is not None
    league = leagues.create(
        owner=organiser, name="Lega del Nord", about="Per chi prende sul serio\nanche la presa da zero punti."
    )
    league = leagues.publish(league=league, actor=organiser)
    memberships.join(league=league, player=member.player, actor=member)
    versions = [
        make_version("VelaBot", owner=owner), make_version("Maestrale"), make_version("Scirocco"),
        make_version("Libeccio"),
    ]  # fmt: skip
    finished = make_tournament(league, organiser, "Coppa d’Autunno", versions, until="finished", settings=MIRRORED)
    running = make_tournament(
        league, organiser, "Coppa d’Inverno", versions, until="running", settings=MIRRORED, release_every_s=3600
    )
    _play_some(running)
    ready = make_tournament(league, organiser, "Coppa di Primavera", versions, until="ready")
    opened = make_tournament(league, organiser, "Coppa d’Estate", versions[:2], until="open")
    draft = make_tournament(league, organiser, "Coppa del Sogno", [], until="draft")
    by_hand = make_tournament(league, organiser, "Coppa a Mano", versions, until="running", control="hand")

    private = leagues.create(owner=organiser, name="Lega dei Quattro", visibility="private", joining="request")
    private = leagues.publish(league=private, actor=organiser)
    hidden = make_tournament(private, organiser, "Coppa Segreta", versions[1:], until="draft")
    memberships.join(league=private, player=versions[1].bot.player, actor=versions[1].bot.owner,
                     code=private.invitation_code or "")  # fmt: skip

    checked = _make_checked(owner)
    waiting = make_version("Grecale", owner=owner)
    token, _secret = tokens.create(user=owner, name="laptop", scopes=["read"], days=30)
    one = matches_of(finished)[0]
    my_entry = Entry.objects.get(tournament=finished, members__player=versions[0].bot.player)
    open_entry = Entry.objects.get(tournament=opened, members__player=versions[0].bot.player)
    places: dict[str, object] = {
        "league": league.slug, "private": private.slug, "tournament": finished.code, "running": running.code,
        "ready": ready.code, "open": opened.code, "draft": draft.code, "hand": by_hand.code, "hidden": hidden.code,
        "match": one.code, "waiting_match": matches_of(running)[3].code, "entry": my_entry.pk,
        "open_entry": open_entry.pk, "bot": "velabot", "free_bot": waiting.bot.player.slug,
        "checked": checked.bot.player.slug, "game": QualifyGame.objects.order_by("pk")[0].pk,
        "player": owner.player.slug, "member": member.player.slug,
        "test_game": test_games.start(version=versions[0], opponent=versions[1], pairs=1, actor=owner).pk,
        "invitation": offer(owner).code, "table": practise(owner, versions[1]).code,
        "organiser": organiser.player.slug, "token": token.token_key, "notice": owner.notices.order_by("pk")[0].pk,
        "faulty": faulty_match(versions[0], versions[1]).code, "email": EmailAddress.objects.get(user=owner).email,
    }  # fmt: skip
    return World(people, league, private, finished, running, opened, places)


def _play_some(tournament: Tournament) -> None:
    """Two matches of a running tournament to their end, one until its first deal."""
    rng = random.Random(4)
    waiting = list(matches_of(tournament).filter(state=MatchState.PLANNED))
    for match in waiting[:2]:
        play(match, rng)
    results.apply_pending()
    periods.sweep()


def _make_checked(owner: User) -> BotVersion:
    """A version with checks, games and a verdict, as the arena reports them."""
    version = upload(owner, "Tramontana")
    arena = Arena(version.checks.get())
    series = {"deals": 2, "won": 1, "drawn": 0, "lost": 1}
    arena.tell(arena.started())
    arena.tell(arena.step())
    arena.tell(arena.step("against_random", code="check.games_ok", games=arena.games(), params=series))
    arena.tell(arena.verdict())
    version.refresh_from_db()
    return version
