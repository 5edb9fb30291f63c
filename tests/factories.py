"""Rows for tests, made by the site's own services where there is one; every call makes new ones."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from django.db import transaction

from accounts.models import User
from bots import demo
from bots.arena.archive import unpack
from bots.models import Bot, BotVersion, VersionState
from bots.services import matches as bot_matches
from bots.services import uploads_store
from bots.services.matches import BotMatchSpec
from games.engine import Rules
from games.models import Match, MatchMode, Player, PlayerKind
from games.services import players
from games.services.matches import MatchSpec, SeatSpec
from tests.accounts.factories import make_user

_numbers = count(1)
FIRST_CARD = b"def play(view):\n    return view.hand[0]\n"


def make_human(name: str = "", **fields: Any) -> Player:
    """A person with an account."""
    return make_user(name, **fields).player


def make_guest() -> Player:
    """Somebody without an account."""
    number = next(_numbers)
    return Player.objects.create(
        kind=PlayerKind.GUEST, name="Ospite", slug=f"guest-{number}", guest_key=f"key-{number}"
    )


def make_version(name: str = "", *, content: bytes | None = None, owner: User | None = None) -> BotVersion:
    """A qualified version 1 of a new bot; `content` is unlike any other unless given."""
    number = next(_numbers)
    name = name or f"Bot {number}"
    content = FIRST_CARD + f"# {number}\n".encode() if content is None else content
    archive = unpack(content, "bot.py")
    with transaction.atomic():
        player = players.create(kind=PlayerKind.BOT, name=name)
        bot = Bot.objects.create(player=player, owner=owner or make_user())
        version = BotVersion(
            bot=bot, number=1, sha256=archive.sha256, filename="bot.py", entry=archive.entry, size=archive.size
        )
        version.archive.name = f"bots/{archive.sha256[:2]}/{archive.sha256}.zip"
        version.state = VersionState.QUALIFIED
        version.save()
        bot.active_version = version
        bot.save()
        uploads_store.put(version=version, data=archive.stored())
    return version


def make_demo_versions(*names: str) -> list[BotVersion]:
    """Versions with the code of bots of the demo."""
    return [make_version(demo.DEMO[name], content=demo.source(name)) for name in names]


def bot_match_spec(*versions: BotVersion, rules: str = "n=2", mode: str = "league", **fields: Any) -> BotMatchSpec:
    """What a match of these versions is made from."""
    seats = tuple(SeatSpec(player=version.bot.player) for version in versions)
    return BotMatchSpec(
        MatchSpec(rules=Rules.parse(rules), mode=MatchMode(mode), seats=seats, **fields), tuple(versions)
    )


def make_bot_match(versions: Sequence[BotVersion] = (), **fields: Any) -> Match:
    """A planned match of two bots."""
    versions = versions or (make_version(), make_version())
    (match,) = bot_matches.create_many(specs=[bot_match_spec(*versions, **fields)])
    return match
