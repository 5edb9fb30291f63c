"""The one reader of the environment.  Standard library only: the arena uses it too.

Every variable that is read here by name is described in docs/operators.md (a test compares the two).
"""

import os
from urllib.parse import parse_qs, urlsplit


class ConfigurationError(RuntimeError):
    """The environment misses a variable or holds a value that cannot be used; the message says what to do."""


def required(name: str) -> str:
    """The value of `name`; ConfigurationError when it is missing or empty."""
    value = os.environ.get(name, "")
    if not value:
        raise ConfigurationError(
            f"{name} is not set: docs/operators.md says what belongs there. "
            "On your own machine start the command by: python -m config.devservices demo -- COMMAND"
        )
    return value


def optional(name: str, default: str = "") -> str:
    """The value of `name`, or `default` when it is missing or empty."""
    return os.environ.get(name) or default


def whole(name: str, default: int) -> int:
    """The value of `name` as a whole number >= 0."""
    value = optional(name, str(default))
    if not value.isascii() or not value.isdigit():
        raise ConfigurationError(f"{name} must be a whole number, not {value!r}")
    return int(value)


def flag(name: str, *, default: bool = False) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off."""
    value = optional(name, "1" if default else "0").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise ConfigurationError(f"{name} must be 1 or 0, not {value!r}")


def items(name: str) -> list[str]:
    """The comma-separated values of `name`, without empty ones."""
    return [part.strip() for part in optional(name).split(",") if part.strip()]


def celery_broker(url: str) -> str:
    """The same Valkey in kombu's own spelling of a Unix socket (kombu takes `redis+unix://` for TCP on localhost).

    >>> celery_broker("unix://arena:pw@/run/valkey.sock?db=3")
    'redis+socket://arena:pw@/run/valkey.sock?virtual_host=3'
    >>> celery_broker("redis://valkey:6379/0")
    'redis://valkey:6379/0'
    """
    parts = urlsplit(url)
    if parts.scheme != "unix":
        return url
    (number,) = parse_qs(parts.query).get("db", ["0"])
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={number}"
