"""Uploading: a multipart form, or the file itself as the body."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from accounts.api.parsers import RawParser
from accounts.api.permissions import HasScope
from accounts.api.views import ApiView, read
from bots.api import serializers as shapes
from bots.api.finding import described
from bots.arena.archive import MAX_ARCHIVE
from bots.models import Bot, BotVersion
from bots.services import uploads


class FileBody(RawParser):
    """The file itself, whatever its type is called."""

    limit = MAX_ARCHIVE


def _order(request: Request, form: type[Serializer], raw: type[Serializer]) -> dict[str, Any]:
    """The arguments of the service. More than the limit is never read; the service says what is wrong."""
    body: Any = request.data
    if isinstance(body, bytes):
        if request.content_type.startswith("application/json"):
            raise UnsupportedMediaType(request.content_type)
        return read(raw, dict(request.query_params.items())) | {"content": body}
    found = read(form, {name: body[name] for name in body})
    file = found.pop("file")
    return found | {"filename": file.name, "content": file.read(MAX_ARCHIVE + 1)}


class Uploading(ApiView):
    """A view that takes uploads by POST."""

    permission_classes = (HasScope("upload"),)
    parser_classes: tuple[type[BaseParser], ...] = (MultiPartParser, FileBody)
    throttle_scopes = {"POST": "upload"}

    def take(self, request: Request, *, bot: Bot | None) -> Response:
        """Upload: 201 with the new version, 200 with the earlier one that has the same content."""
        form, raw = (shapes.Upload, shapes.RawUpload) if bot else (shapes.NewBotUpload, shapes.NewBotRawUpload)
        version = uploads.upload(owner=request.user, bot=bot, **_order(request, form, raw))
        found = BotVersion.objects.select_related("bot__player").get(pk=version.pk)
        return described(found, request.user, status=201 if version.is_new else 200)


def upload_schema(form: type[Serializer], raw: type[Serializer], operation_id: str) -> Any:
    """The two ways of sending a file, and both answers."""
    return extend_schema(
        operation_id=operation_id,
        request={"multipart/form-data": form, "application/octet-stream": OpenApiTypes.BINARY},
        parameters=[raw],
        responses={201: shapes.Version, 200: shapes.Version},
    )


class NewBots(Uploading):
    """The POST of /bots/; what there is to read stands in league."""

    @upload_schema(shapes.NewBotUpload, shapes.NewBotRawUpload, "bot_create")
    def post(self, request: Request) -> Response:
        """Upload a bot.

        As a form (`file`, `name`), or the file itself as the body with `?name=&filename=`. The answer is its version,
        which is checked in the arena next: ask for it again until `is_undecided` is false. With the name of one of
        your bots the file becomes its next version; the same content as an earlier version gives that one (200).
        """
        return self.take(request, bot=None)
