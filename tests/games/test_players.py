"""Players: everybody with an account plays as somebody."""

import pytest

from games.models import Heartbeat, Player, PlayerKind
from games.services import heartbeats, players
from tests.accounts.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_new_user_has_a_player():
    user = make_user("Anna Bianchi")
    assert (user.player.kind, user.player.name) == (PlayerKind.HUMAN, "Anna Bianchi")
    assert players.create_human(user=user) == user.player
    assert Player.objects.filter(user=user).count() == 1


def test_addresses_are_made_of_names_and_never_twice():
    slugs = [
        players.create(kind=PlayerKind.BOT, name=name).slug for name in ("Vela Bot", "vela bot", "VELA  BOT", "東京")
    ]
    assert slugs == ["vela-bot", "vela-bot-2", "vela-bot-3", "bot"]


def test_a_heartbeat_is_one_row_a_process():
    heartbeats.forget()
    heartbeats.beat(role="registrar", name="a", detail={"leads": True})
    heartbeats.beat(role="registrar", name="a", detail={"leads": False})
    heartbeats.beat(role="registrar", name="b")
    heartbeats.beat(role="registrar", name="b", detail={"late": True}, at_most_every_s=60)
    assert list(Heartbeat.objects.filter(name__in=("a", "b")).order_by("name").values_list("name", "detail")) == [
        ("a", {"leads": False}),
        ("b", {}),
    ]
