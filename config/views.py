"""Answers for machines that watch the site."""

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView


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
    return ExportToDjangoView(request)
