"""Bodies of requests."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, JSONParser


class SafeJSONParser(JSONParser):
    """JSON; a body that is nested too deeply is a bad body, not an error of ours."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Raises ParseError."""
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise ParseError from None


class RawParser(BaseParser):
    """Any other body: its bytes, never more than one beyond `limit`."""

    media_type = "*/*"
    limit = 0

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The bytes; the reader finds out whether they are too many."""
        return stream.read(self.limit + 1)
