"""The admin: every model listed without a query a row, nothing editable by mistake, no secret on any page."""

from datetime import date

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import formats, translation

from accounts.models import User
from accounts.services import second_factor
from games.models import Deal, Match
from league.models import League, Tournament
from league.services import tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.league.playing import make_tournament, play_all

pytestmark = pytest.mark.django_db
MODELS = sorted((model for model in admin.site._registry), key=lambda model: model._meta.label)
#: Those whose pages are ours: allauth's own would let every field of an address and of a second factor be edited.
OURS = [model for model in MODELS if model._meta.app_label in {"accounts", "account", "mfa", "games", "bots", "league"}]


def make_admin() -> Client:
    """The browser of an operator with both factors."""
    client = Client()
    client.force_login(make_user(is_staff=True))
    return client


def address(model: type, page: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def played(size: int) -> Tournament:
    tournament, organiser = make_tournament(size, settings=RoundRobinSettings(encounter=2))
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    return tournament


def test_every_model_of_ours_is_in_the_admin():
    ours = {
        model for name in ("accounts", "games", "bots", "league") for model in apps.get_app_config(name).get_models()
    }
    assert ours - set(MODELS) == set()


def test_lists_take_the_same_number_of_queries_whatever_their_length():
    client = make_admin()
    played(3)
    before = {}
    for model in OURS:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(model, "changelist")).status_code == 200
        before[model._meta.label] = len(captured)
    played(5)
    for model in OURS:
        with CaptureQueriesContext(connection) as captured:
            client.get(address(model, "changelist"))
        assert (model._meta.label, len(captured)) == (model._meta.label, before[model._meta.label])
        assert len(captured) <= 10


def test_every_row_opens_and_none_can_be_deleted_or_added():
    client = make_admin()
    played(3)
    for model in OURS:
        row = model._default_manager.order_by("pk").first()
        assert client.get(address(model, "add")).status_code == 403
        if row is None:
            continue
        assert client.get(address(model, "change", row.pk)).status_code == 200, model
        if model is not Authenticator:
            assert client.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403, model


def test_searching_and_filtering_break_nothing():
    client = make_admin()
    played(3)
    for model in OURS:
        answer = client.get(address(model, "changelist"), {"q": "a' OR 1=1 \x00 %"})
        assert answer.status_code in {200, 302}, model


def test_no_page_shows_a_seed_or_a_card_before_its_time():
    client = make_admin()
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    match = Match.objects.first()
    secrets = [bytes(match.seed), bytes(tournament.seed), bytes(tournament.deal_seed)]
    pages = [
        client.get(address(Match, "change", match.pk)),
        client.get(address(Tournament, "change", tournament.pk)),
        client.get(address(Match, "changelist")),
    ]
    for page in pages:
        text = page.content.decode()
        for secret in secrets:
            assert secret.hex() not in text
            assert repr(secret) not in text


def test_cards_appear_when_the_set_is_over():
    client = make_admin()
    tournament = played(3)
    deal = Deal.objects.first()
    assert deal.deck in client.get(address(Deal, "change", deal.pk)).content.decode()
    assert (
        bytes(tournament.deal_seed).hex() in client.get(address(Tournament, "change", tournament.pk)).content.decode()
    )


def test_an_operator_can_close_an_account_and_nothing_else_changes():
    client = make_admin()
    user = make_user("Zeno")
    password = user.password
    answer = client.post(address(User, "change", user.pk), {"name": "Zeno", "email": "other@example.org"})
    assert answer.status_code == 302
    user.refresh_from_db()
    assert (user.is_active, user.password, user.email == "other@example.org") == (False, password, False)


def test_an_operator_cannot_raise_his_own_rights():
    client = make_admin()
    operator = User.objects.get()
    operator.is_superuser = False
    operator.save()
    operator.user_permissions.add(*Permission.objects.filter(codename__in=["view_user", "change_user"]))
    sent = {
        "name": "Ida",
        "is_active": "on",
        "is_staff": "on",
        "is_superuser": "on",
        "groups": [],
        "user_permissions": [],
    }
    assert client.post(address(User, "change", operator.pk), sent).status_code == 302
    operator.refresh_from_db()
    assert (operator.name, operator.is_superuser, operator.user_permissions.count()) == ("Ida", False, 2)


def test_an_operator_confirms_an_address_and_moves_none():
    client = make_admin()
    user = make_user(is_confirmed=False)
    row = EmailAddress.objects.get(user=user)
    wanted = {"user": User.objects.exclude(pk=user.pk).get().pk, "email": "other@example.org", "verified": "on"}
    client.post(address(EmailAddress, "change", row.pk), wanted)
    row.refresh_from_db()
    assert (row.user, row.email, row.verified) == (user, user.email, False)
    client.post(address(EmailAddress, "changelist"), {"action": "make_verified", "_selected_action": row.pk})
    row.refresh_from_db()
    assert row.verified


def test_an_operator_takes_a_lost_second_factor_away_and_sees_no_secret():
    client = make_admin()
    user = make_user()
    factor = second_factor.switch_on(user=user)
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.TOTP)
    page = client.get(address(Authenticator, "change", row.pk)).content.decode()
    assert user.name in page
    assert row.data["secret"] not in page
    assert factor.totp_secret not in page
    assert client.post(address(Authenticator, "change", row.pk), {"user": user.pk, "type": "totp"}).status_code == 403
    assert client.post(address(Authenticator, "delete", row.pk), {"post": "yes"}).status_code == 302
    assert not Authenticator.objects.filter(pk=row.pk).exists()


def test_without_a_second_factor_there_is_no_admin():
    client = Client()
    client.force_login(make_user(is_staff=True, has_second_factor=False))
    assert client.get(address(League, "changelist")).status_code == 302


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", ["Leagues and ratings", "Bots", "Games", "Accounts"]),
        ("it", ["Leghe e classifiche", "Bot", "Partite", "Account"]),
    ],
)
def test_the_index_has_one_group_for_each_part_of_the_site(language, names):
    answer = make_admin().get(reverse("admin:index"), headers={"Accept-Language": language})
    groups = answer.context["app_list"]
    assert [group["name"] for group in groups] == names
    listed = [model["name"] for group in groups for model in group["models"]]
    assert len(listed) == len(set(listed)) == len(MODELS)
    assert all(str(name)[0].isupper() for name in listed)
    assert {"en": "Second factors", "it": "Secondi fattori"}[language] in listed


def test_the_log_is_read_in_words():
    played(3)
    text = make_admin().get(reverse("admin:league_auditentry_changelist"), headers={"Accept-Language": "en"}).content
    assert b"started the tournament" in text


@pytest.mark.parametrize(("language", "day"), [("it", "31 dic 2026"), ("en", "31 Dec 2026")])
def test_dates_without_a_format_of_their_own_are_written_alike(language, day):
    with translation.override(language):
        assert formats.date_format(date(2026, 12, 31)) == day
