"""The bots of the house and those of the demo: taken in like anybody's, by upload and check."""

from typing import Final

from django.db import transaction

from accounts.models import User
from accounts.services import users
from bots import demo, house
from bots.models import Bot, BotVersion
from bots.services import uploads

#: The account that owns the house bots. Nobody can sign in to it: it has no password, and the domain does not exist.
HOUSE_EMAIL: Final = "house@bella.invalid"
HOUSE_NAME: Final = "Bella"
#: Bots of one owner are never rated against each other, so each bot of the demo has an author of its own.
DEMO_AUTHORS: Final = {
    "first_legal": "Ada Prima",
    "greedy_40": "Bruno Nebbia",
    "greedy_15": "Carla Svelta",
    "medio_unhalved": "Dino Stretto",
    "medio_ending": "Elsa Finale",
}


def create_house_bots() -> list[BotVersion]:
    """Upload the present code of every house bot; what is there already stays as it is. Idempotent."""
    owner = _account(HOUSE_EMAIL, HOUSE_NAME)
    versions = []
    for name, shown in house.HOUSE.items():
        with transaction.atomic():
            version = uploads.upload(owner=owner, name=shown, filename=f"{name}.py", content=house.source(name))
            Bot.objects.filter(pk=version.bot_id, is_house=False).update(is_house=True)
        versions.append(version)
    return versions


def create_demo_bots() -> list[BotVersion]:
    """Upload the bots of the demo, each under its author. Idempotent."""
    return [
        uploads.upload(
            owner=_account(f"{name.replace('_', '-')}@demo.bella.invalid", DEMO_AUTHORS[name]),
            name=shown,
            filename=f"{name}.py",
            content=demo.source(name),
        )
        for name, shown in demo.DEMO.items()
    ]


def _account(email: str, name: str) -> User:
    found = User.objects.filter(email=email).first()
    return found or users.create(email=email, name=name, password=None, is_confirmed=True)
