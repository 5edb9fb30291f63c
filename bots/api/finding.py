"""What an address names, for who may see it, and a version in JSON."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from rest_framework.response import Response

from accounts.models import User
from bots.api import serializers as shapes
from bots.models import Bot, BotVersion
from bots.selectors import versions as selectors
from bots.selectors.permissions import can_see_code, can_see_source


def find_bot(slug: str) -> Bot:
    """The bot of that address. Raises Http404."""
    found = Bot.objects.select_related("player").filter(player__slug=slug).first()
    if found is None:
        raise Http404
    return found


def find_version(slug: str, number: int) -> BotVersion:
    """The version of that address. Raises Http404."""
    found = BotVersion.objects.select_related("bot__player").filter(bot__player__slug=slug, number=number).first()
    if found is None:
        raise Http404
    return found


def own_version(slug: str, number: int, viewer: User | AnonymousUser) -> BotVersion:
    """The version, for who runs its bot; for others the address does not exist. Raises Http404."""
    found = find_version(slug, number)
    if not can_see_code(found.bot, viewer):
        raise Http404
    return found


def readable_version(slug: str, number: int, viewer: User | AnonymousUser) -> BotVersion:
    """The version, for who may read its code; for others there is none. Raises Http404."""
    found = find_version(slug, number)
    if not can_see_source(found, viewer):
        raise Http404
    return found


def described(version: BotVersion, viewer: User | AnonymousUser, *, status: int = 200) -> Response:
    """A version as this viewer may see it: the file and every check for the owner alone."""
    summary = selectors.summary(version)
    own = None
    if can_see_code(version.bot, viewer):
        checks = shapes.Check(selectors.checks(version), many=True).data
        own = {**shapes.VersionFile(version).data, "checks": checks}
    seen = {
        **shapes.VersionInList(version).data,
        "is_undecided": selectors.is_undecided(version),
        "summary": None if summary is None else shapes.Summary(summary).data,
        "own": own,
    }
    return Response(seen, status=status)
