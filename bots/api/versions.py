"""The versions of a bot: list, upload of the next one, verdict with every check, games, source, which one plays."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.permissions import HasScope
from accounts.api.views import ApiList, ApiView
from bots.api import serializers as shapes
from bots.api.finding import described, find_bot, find_version, own_version, readable_version
from bots.api.uploads import Uploading, upload_schema
from bots.models import BotVersion, QualifyGame
from bots.selectors import versions as selectors
from bots.services import activation, qualifying, uploads_store


class Versions(Uploading, ApiList):
    """The versions of a bot."""

    ordering = ("-number",)
    serializer_class = shapes.VersionInList
    queryset = BotVersion.objects.none()

    def get_queryset(self) -> QuerySet[BotVersion]:
        """Those of the bot of this address."""
        return selectors.of_bot(find_bot(self.kwargs["slug"]))

    @extend_schema(operation_id="versions")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """All versions of a bot, the newest first."""
        return super().get(request, *args, **kwargs)

    @upload_schema(shapes.Upload, shapes.RawUpload, "version_create")
    def post(self, request: Request, slug: str) -> Response:
        """Upload the next version of one of your bots.

        As a form (`file`), or the file itself as the body with `?filename=`. It is checked in the arena next: ask for
        the version again until `is_undecided` is false. The same content as an earlier version gives that one (200).
        """
        return self.take(request, bot=find_bot(slug))


class Version(ApiView):
    """A version: where it stands and what it reached; for its owner the file and every check with what to do."""

    @extend_schema(responses=shapes.Version, operation_id="version")
    def get(self, request: Request, slug: str, number: int) -> Response:
        return described(find_version(slug, number), request.user)


class Archive(ApiView):
    """The code as it was uploaded: the .py file itself, or a zip of all. For who runs the bot; public code for all."""

    @extend_schema(
        responses={(200, "text/x-python"): OpenApiTypes.STR, (200, "application/zip"): OpenApiTypes.BINARY},
        operation_id="version_archive",
    )
    def get(self, request: Request, slug: str, number: int) -> HttpResponse:
        try:
            name, kind, data = uploads_store.source(readable_version(slug, number, request.user))
        except FileNotFoundError:
            raise Http404 from None
        return HttpResponse(data, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


class Games(ApiList):
    """The deals that a version played in its last check, with their cards, once it has a verdict.

    For the owner alone.
    """

    permission_classes = (IsAuthenticated, HasScope("read"))
    ordering = ("pk",)
    serializer_class = shapes.Game
    queryset = QualifyGame.objects.none()

    def get_queryset(self) -> QuerySet[QualifyGame]:
        """Those of the version of this address."""
        return selectors.last_games(own_version(self.kwargs["slug"], self.kwargs["number"], self.request.user))

    @extend_schema(operation_id="version_games")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class _Act(ApiView):
    """A verb on one of your versions."""

    permission_classes = (HasScope("upload"),)

    def done(self, request: Request, slug: str, number: int) -> Response:
        """The version as it is now."""
        return described(find_version(slug, number), request.user)


class Activate(_Act):
    """Let this version play from now on; matches that were made before keep theirs."""

    @extend_schema(request=None, responses=shapes.Version, operation_id="version_activate")
    def post(self, request: Request, slug: str, number: int) -> Response:
        activation.activate(version=find_version(slug, number), actor=request.user)
        return self.done(request, slug, number)


class Retire(_Act):
    """Take this version out for good."""

    @extend_schema(request=None, responses=shapes.Version, operation_id="version_retire")
    def post(self, request: Request, slug: str, number: int) -> Response:
        activation.retire(version=find_version(slug, number), actor=request.user)
        return self.done(request, slug, number)


class Recheck(_Act):
    """Have a version checked again that waits for it or is suspended."""

    throttle_scopes = {"POST": "upload"}

    @extend_schema(request=None, responses=shapes.Version, operation_id="version_check")
    def post(self, request: Request, slug: str, number: int) -> Response:
        qualifying.start(version=own_version(slug, number, request.user))
        return self.done(request, slug, number)
