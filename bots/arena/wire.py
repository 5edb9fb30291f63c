"""Strict reading of JSON messages into frozen dataclasses, and back.

A field declares its shape once (`wire(integer(0, 10))`); `decode` refuses an unknown or missing key, another type
(`true` is no integer) and anything out of bounds. An error names the path and never repeats a value: jobs hold seeds.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

#: A shape turns a JSON value into a field's value, or raises WireError; its second argument is the path to name.
Shape = Callable[[Any, str], Any]
T = TypeVar("T")


class WireError(ValueError):
    """A message that is not what its schema says. `path` names the place, `rule` what was expected."""

    code = "wire.schema"

    def __init__(self, path: str, rule: str) -> None:
        self.path = path
        self.rule = rule
        super().__init__(f"{path}: {rule}")


def wire(shape: Shape, **options: Any) -> Any:
    """A dataclass field with a shape; `options` as for `dataclasses.field`."""
    return field(metadata={"shape": shape}, **options)


def integer(low: int, high: int) -> Shape:
    """An integer from `low` to `high`."""

    def read(value: Any, path: str) -> int:
        if type(value) is not int or not low <= value <= high:
            raise WireError(path, f"an integer from {low} to {high}")
        return value

    return read


def boolean(value: Any, path: str) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise WireError(path, "true or false")
    return value


def text(longest: int, pattern: str = "", shortest: int = 0) -> Shape:
    """A string of at most `longest` characters that matches `pattern` as a whole, where one is given."""
    matches = re.compile(pattern, re.ASCII).fullmatch if pattern else None

    def read(value: Any, path: str) -> str:
        if type(value) is not str or not shortest <= len(value) <= longest or (matches and not matches(value)):
            like = f" like {pattern}" if pattern else ""
            raise WireError(path, f"a text of {shortest} to {longest} characters{like}")
        # Lone surrogates and NUL can be written in JSON, but not stored in a database.
        if "\0" in value or (not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value)):
            raise WireError(path, "a text without NUL and surrogates")
        return value

    return read


def choice(*values: str) -> Shape:
    """One of some strings."""

    def read(value: Any, path: str) -> str:
        if type(value) is not str or value not in values:
            raise WireError(path, "one of " + " ".join(values))
        return value

    return read


def optional(shape: Shape) -> Shape:
    """Null, or the shape."""

    def read(value: Any, path: str) -> Any:
        return None if value is None else shape(value, path)

    return read


def array(shape: Shape, longest: int) -> Shape:
    """A tuple of at most `longest` items."""

    def read(value: Any, path: str) -> tuple[Any, ...]:
        if type(value) not in (list, tuple) or len(value) > longest:
            raise WireError(path, f"a list of at most {longest} items")
        return tuple(shape(item, f"{path}[{index}]") for index, item in enumerate(value))

    return read


def mapping(shape: Shape, most: int) -> Shape:
    """A flat object with at most `most` keys of at most 40 characters."""

    def read(value: Any, path: str) -> dict[str, Any]:
        if type(value) is not dict or len(value) > most or not all(type(k) is str and len(k) <= 40 for k in value):
            raise WireError(path, f"an object of at most {most} keys")
        return {key: shape(item, f"{path}.{key}") for key, item in value.items()}

    return read


def scalar(value: Any, path: str) -> str | int | bool | None:
    """A short text, an integer, true, false or null."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int:
        return integer(-(1 << 53), 1 << 53)(value, path)  # type: ignore[no-any-return]
    return text(4096)(value, path)  # type: ignore[no-any-return]


def nested(kind: type) -> Shape:
    """An object that `decode` reads as `kind`."""

    def read(value: Any, path: str) -> Any:
        return value if type(value) is kind else decode(kind, value, path)

    return read


_known: dict[type, tuple[tuple[str, Shape, bool], ...]] = {}


def _shapes(kind: type) -> tuple[tuple[str, Shape, bool], ...]:
    """Name, shape and whether it must be given, for each field of a dataclass."""
    if kind not in _known:
        _known[kind] = tuple(
            (item.name, item.metadata["shape"], item.default is MISSING and item.default_factory is MISSING)
            for item in fields(kind)
        )
    return _known[kind]


def decode(kind: type[T], value: Any, path: str = "") -> T:
    """The dataclass `kind` read from a JSON object. Raises WireError."""
    where = path or kind.__name__
    if type(value) is not dict:
        raise WireError(where, "an object")
    given: dict[str, Any] = {}
    for name, shape, is_required in _shapes(kind):
        if name in value:
            given[name] = shape(value[name], f"{where}.{name}")
        elif is_required:
            raise WireError(f"{where}.{name}", "missing")
    if len(given) != len(value):
        raise WireError(where, "an unknown key")
    try:
        return kind(**given)
    except WireError:
        raise
    except ValueError as error:  # a rule between fields, checked by the dataclass itself
        raise WireError(where, type(error).__name__) from None


def encode(value: Any) -> dict[str, Any]:
    """A dataclass as a JSON object of plain values."""
    return {name: _plain(getattr(value, name)) for name, _, _ in _shapes(type(value))}


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in (int, str, bool) or value is None:
        return value
    if kind is tuple:
        return [item if type(item) in (int, str) else _plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return encode(value)
