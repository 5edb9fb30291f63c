"""Keeps hidden cards and secrets out of logs: values under these names are replaced, however deep they lie."""

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

#: Seed and deck of a match are known to nobody before its end, so they are never logged at all.
FORBIDDEN = re.compile(
    r"(^|_)(seed|seeds|deck|decks|hand|hands|salt|secret|secrets|password|passwords|token|tokens|authorization|cookie)($|_)",
    re.IGNORECASE,
)
REPLACEMENT = "[removed]"


def clean(value: Any) -> Any:
    """A copy of `value` without what stands under a forbidden name."""
    if isinstance(value, Mapping):
        return {key: REPLACEMENT if _is_forbidden(key) else clean(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(entry) for entry in value]
    return value


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """The structlog processor of `clean`."""
    return {key: REPLACEMENT if _is_forbidden(key) else clean(value) for key, value in event.items()}


def _is_forbidden(key: object) -> bool:
    return isinstance(key, str) and FORBIDDEN.search(key) is not None
