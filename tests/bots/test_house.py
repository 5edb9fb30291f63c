"""The house bots go the way of everybody's."""

import pytest
from django.core.management import call_command

from bots.house import HOUSE
from bots.models import Bot, BotVersion
from bots.services import house

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def test_installing_twice_changes_nothing(capsys):
    call_command("install_house_bots", "--demo")
    first = list(BotVersion.objects.values_list("bot__player__name", "number", "sha256").order_by("pk"))
    call_command("install_house_bots", "--demo")
    assert list(BotVersion.objects.values_list("bot__player__name", "number", "sha256").order_by("pk")) == first
    assert [name for name, _, _ in first[:3]] == list(HOUSE.values())
    assert len(first) == 8
    assert capsys.readouterr().out.count(": checking") == 16


def test_house_bots_have_one_owner_and_those_of_the_demo_one_each():
    house.create_house_bots()
    house.create_demo_bots()
    bots = list(Bot.objects.select_related("owner"))
    assert len({bot.owner_id for bot in bots if bot.is_house}) == 1
    assert len({bot.owner_id for bot in bots if not bot.is_house}) == 5
    assert not any(bot.owner.has_usable_password() for bot in bots)
