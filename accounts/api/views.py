"""What every view of the API is: JSON only, refused in one shape, throttled by method, in the reader's language."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from rest_framework import generics
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.api.pagination import KeysetPagination
from accounts.api.permissions import HasScope
from accounts.models import ApiToken


class OnlyJson(BaseContentNegotiation):
    """Every answer is JSON, whatever the reader would rather have."""

    def select_parser(self, request: Request, parsers: Any) -> BaseParser | None:
        """The first that takes the body."""
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        return next((one for one in parsers if one.media_type in ("*/*", media_type)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> tuple[BaseRenderer, str]:
        """The first."""
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """A resource. `throttle_scopes` names a throttle's scope by method; `query_class` describes the query string."""

    permission_classes: tuple[type[BasePermission], ...] = (HasScope("read"),)
    content_negotiation_class = OnlyJson
    throttle_scopes: ClassVar[Mapping[str, str]] = {}
    query_class: ClassVar[type[Serializer] | None] = None
    throttle_scope = ""

    def perform_authentication(self, request: Request) -> None:
        """Learn who asks; a token's owner is answered in the language of his settings, as on the pages."""
        super().perform_authentication(request)
        if isinstance(request.auth, ApiToken) and request.user.language:
            translation.activate(request.user.language)

    def get_throttles(self) -> list[BaseThrottle]:
        """Those of the settings; that of a scope for the methods that have one."""
        self.throttle_scope = self.throttle_scopes.get(self.request.method or "", "")
        return super().get_throttles()

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """An answer depends on who asks: no cache between may keep it."""
        response = super().finalize_response(request, response, *args, **kwargs)
        patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ("Authorization", "Accept-Language"))
        return response

    def asked(self) -> dict[str, Any]:
        """The query string as `query_class` reads it. Raises ValidationError."""
        assert self.query_class is not None
        return read(self.query_class, dict(self.request.query_params.items()))


class ApiList(ApiView, generics.ListAPIView):
    """A list in pages by key; `ordering` must be unique."""

    pagination_class = KeysetPagination
    filter_backends = ()
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)


def read(shape: type[Serializer], data: Any) -> dict[str, Any]:
    """What somebody sent, checked. Raises ValidationError."""
    serializer = shape(data=data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def answer(shape: type[Serializer], value: Any, *, status: int = 200, **context: Any) -> Response:
    """A value in the shape of a serializer."""
    return Response(shape(value, context=context).data, status=status)
