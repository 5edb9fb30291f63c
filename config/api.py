"""The API: its resources stand in the apps; its description, its documentation and what is nowhere else stand here."""

from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import Http404
from django.urls import include, path, re_path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.views import ApiView

#: Where to begin.
_STARTS = ("me", "bots", "leagues", "tournaments", "matches", "players", "rankings", "schema", "docs")


class Start(ApiView):
    """Where to begin: the addresses of the lists, of the description and of its documentation."""

    @extend_schema(responses=OpenApiTypes.OBJECT, operation_id="start")
    def get(self, request: Request) -> Response:
        """The addresses by name."""
        return Response({name: request.build_absolute_uri(reverse(f"api:{name}")) for name in _STARTS})


class Nowhere(ApiView):
    """Any other address: refused like everything, in JSON."""

    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises Http404, whatever the method."""
        super().initial(request, *args, **kwargs)
        raise Http404


#: Swagger UI draws with inline styles and pictures of its own.
_documentation = csp_update({"img-src": [SELF, "data:"], "style-src": [SELF, UNSAFE_INLINE]})(
    SpectacularSwaggerSplitView.as_view(url_name="api:schema")
)

app_name = "api"
urlpatterns = [
    path("v1/", Start.as_view(), name="start"),
    path("v1/", include("games.api.urls")),
    path("v1/", include("bots.api.urls")),
    path("v1/", include("league.api.urls")),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", _documentation, name="docs"),
    re_path(r"^v1/", Nowhere.as_view()),
]
