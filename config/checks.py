"""System checks of settings that Django's own know nothing of."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register

_TEXT = "Bots run without isolation (BOTS_SANDBOX=unsafe): uploaded code can do whatever the arena's user can."
_HINT = "Take BOTS_SANDBOX out of the environment of the site and of the arena, and start both again."


@register(Tags.security)
def isolation(app_configs: Any, **_: Any) -> list[CheckMessage]:  # noqa: ARG001 (Django's signature)
    """Told by every command, also while developing."""
    return [checks.Warning(_TEXT, hint=_HINT, id="bots.W001")] if settings.BOTS_SANDBOX == "unsafe" else []


@register(Tags.security, deploy=True)
def isolation_in_production(app_configs: Any, **_: Any) -> list[CheckMessage]:  # noqa: ARG001 (Django's signature)
    """An installation for others must have it."""
    return [checks.Error(_TEXT, hint=_HINT, id="bots.E001")] if settings.BOTS_SANDBOX == "unsafe" else []
