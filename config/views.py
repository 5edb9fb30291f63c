"""Answers for machines that watch the site, and for requests that failed."""

import secrets
import sys
from typing import cast

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.csrf import csrf_failure
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView
from psycopg_pool import PoolTimeout

log = structlog.get_logger(__name__)


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


#: What crawlers have no business with: pages of one person, of organisers, and forms.
_NOT_FOR_CRAWLERS = (
    "/account/", "/admin/", "/api/", "/inbox/", "/my/", "/organise/", "/preferences/", "/settings/", "/metrics",
)  # fmt: skip


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form or a module whose page is too old: programs get `{code: csrf, message}`, people the page."""
    if request.content_type == "application/json":
        message = _("This page is too old: load it again.")
        return JsonResponse({"code": "csrf", "message": message}, status=403)
    return cast(HttpResponse, csrf_failure(request, reason))


@cache_control(public=True, max_age=24 * 3600)
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Which pages a search engine leaves alone."""
    lines = ["User-agent: *", *(f"Disallow: {address}" for address in _NOT_FOR_CRAWLERS)]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@cache_control(public=True, max_age=24 * 3600)
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The mark, for who asks at the address of old without reading a page."""
    return redirect(static("img/favicon-32.png"))


def failed(request: HttpRequest) -> HttpResponse:
    """The answer to an exception: 503 `busy` when no database connection came free in time, else 500 with a number.

    Called while the exception is being handled, wherever it arose: in a view or in a middleware. The pages are made
    without the request, whose user would be one more question to the database.
    """
    error = sys.exception()
    if isinstance(error, PoolTimeout) or isinstance(getattr(error, "__cause__", None), PoolTimeout):
        sentence = _("The site is very busy at the moment. Try again in a few seconds.")
        response = _answer(request, 503, "busy", sentence)
        response.headers["Retry-After"] = "5"
        return response
    number = secrets.token_hex(4)
    log.error("request_failed", error_id=number, path=request.path, exc_info=error)
    sentence = _("Something broke on our side. The error was written down as %(number)s.") % {"number": number}
    return _answer(request, 500, "internal", sentence, error_id=number)


def _answer(request: HttpRequest, status: int, code: str, sentence: str, **shown: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"code": code, "message": sentence, "params": shown}, status=status)
    return HttpResponse(render_to_string(f"{status}.html", shown), status=status)
