"""Refusals of the API: one shape for all, `{code, message, params}`, with the codes of the pages.

A body that breaks the schema has `fields` as well: field -> sentences. The message is in the language of the request.
"""

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.foundation import DomainError

#: What DRF's own refusals are called here.
_CODES: Final = {"permission_denied": "not_allowed"}
MESSAGES: Final[Mapping[str, str | Promise]] = {
    "not_found": _("There is nothing at this address, or not for you. Addresses of the API end with a slash."),
    "not_allowed": _("You are not allowed to do this."),
    "not_authenticated": _(
        "Say who you are: send a token in the header “Authorization: Bearer bella_…”. "
        "You make one at /settings/tokens/."
    ),
    "authentication_failed": _("This token is not valid, or not any more. Make another one at /settings/tokens/."),
    "csrf": _("The request does not carry the page’s key. Load the page again, or use a token."),
    "method_not_allowed": _("This address does not take the method %(method)s."),
    "unsupported_media_type": _(
        "A body of the type %(type)s is not understood here: the documentation names those that are."
    ),
    "parse_error": _("The body of the request cannot be read: is it whole, and of the type that its header names?"),
    "too_large": _("The body of the request is too large."),
    "throttled": _("Too many requests. Try again in %(retry_after)d seconds."),
    "invalid": _("Some values are missing or wrong: “fields” says which and why."),
}
#: Seconds after which a busy row may be asked for again.
_BUSY_S = 1


def refusal(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """The answer to an exception in a view; None for what is a bug (config.views answers 500)."""
    request: Request = context["request"]
    match error:
        case DomainError():
            return _domain(error)
        case Http404():
            return _said("not_found", 404)
        case PermissionDenied():
            return _said("not_allowed", 403)
        case RequestDataTooBig():
            return _said("too_large", 413)
        case SuspiciousOperation():
            return _said("parse_error", 400)
        case exceptions.ValidationError():
            return _said("invalid", error.status_code, fields=flat(error.detail))
        case exceptions.APIException():
            return _of_framework(error, request)
    return None


def flat(detail: Any, name: str = "") -> dict[str, list[str]]:
    """What is wrong with each field; `body` stands for the whole."""
    if isinstance(detail, Mapping):
        found: dict[str, list[str]] = {}
        for key, value in detail.items():
            inner = "" if key == "non_field_errors" else str(key)
            found |= flat(value, f"{name}.{inner}" if name and inner else inner or name)
        return found
    return {name or "body": [str(sentence) for sentence in (detail if isinstance(detail, list) else [detail])]}


def _domain(error: DomainError) -> Response:
    headers = {}
    if error.status in (429, 503):
        headers["Retry-After"] = str(error.params.get("retry_after") or _BUSY_S)
    return Response(_body(error.code, str(error), error.params), status=error.status, headers=headers)


def _of_framework(error: exceptions.APIException, request: Request) -> Response:
    code = str(getattr(error.detail, "code", None) or error.default_code)
    params: dict[str, Any] = {}
    headers = {}
    if isinstance(error, exceptions.Throttled):
        params["retry_after"] = max(1, int(getattr(error, "wait", None) or 1))
        headers["Retry-After"] = str(params["retry_after"])
    if header := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = header
    if isinstance(error, exceptions.MethodNotAllowed):
        params["method"] = request.method
    if isinstance(error, exceptions.UnsupportedMediaType):
        params["type"] = request.content_type or "—"
    return _said(_CODES.get(code, code), error.status_code, params=params, headers=headers, otherwise=str(error.detail))


def _said(
    code: str,
    status: int,
    *,
    params: Mapping[str, Any] | None = None,
    fields: Mapping[str, list[str]] | None = None,
    headers: dict[str, str] | None = None,
    otherwise: str = "",
) -> Response:
    sentence = str(MESSAGES.get(code, otherwise))
    body = _body(code, sentence % params if params else sentence, params or {})
    return Response(body | ({} if fields is None else {"fields": fields}), status=status, headers=headers)


def _body(code: str, message: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": code, "message": message, "params": {name: _plain(value) for name, value in params.items()}}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, list, dict)) else str(value)
