"""Answers for machines that watch the site, and for requests that failed."""

import sys
from typing import cast

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.defaults import server_error
from django_prometheus.exports import ExportToDjangoView
from psycopg_pool import PoolTimeout


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while database and Valkey answer; otherwise the error of the one that does not (500)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    cache.set("healthz", 1, 10)
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' figures for who has METRICS_TOKEN; for others the page does not exist."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not constant_time_compare(given, settings.METRICS_TOKEN):
        raise Http404
    return cast(HttpResponse, ExportToDjangoView(request))


def failed(request: HttpRequest) -> HttpResponse:
    """The answer to an exception: 503 `busy` when no database connection came free in time, else the page of a fault.

    Called while the exception is being handled, wherever it arose: in a view or in a middleware.
    """
    error = sys.exception()
    if not isinstance(error, PoolTimeout) and not isinstance(getattr(error, "__cause__", None), PoolTimeout):
        return server_error(request)
    sentence = _("The site is very busy at the moment. Try again in a few seconds.")
    response: HttpResponse = HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=503)
    if request.path.startswith("/api/"):
        response = JsonResponse({"code": "busy", "message": sentence}, status=503)
    response.headers["Retry-After"] = "5"
    return response
