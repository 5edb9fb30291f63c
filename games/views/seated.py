"""What all addresses of a table share: who sits there, what a body may be, how refusals are written."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeAlias

from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST
from psycopg_pool import PoolTimeout

from accounts.errors import AccountsError
from accounts.foundation import DomainError
from accounts.services import rates
from games.errors import TableError
from games.models import Match, Pause, Seat
from games.selectors import state as states
from games.selectors.standing import standing
from games.selectors.streams import seat_of
from games.selectors.visibility import can_see_match
from games.services import absence, play
from games.views import guests

#: Posts of a seat in so many seconds.
MOST_POSTS: Final = 30
POSTS_S: Final = 10
MAX_BODY: Final = 2_048
MAX_NUMBER: Final = 10_000
BUSY_S: Final = "1"

Body: TypeAlias = dict[str, Any]
Verb: TypeAlias = Callable[[Match, int, Body], dict[str, Any]]
View: TypeAlias = Callable[..., HttpResponseBase]


def open_table(request: HttpRequest, code: str) -> tuple[Match, Seat | None]:
    """The match, and the seat of the viewer; Http404 for those who may not know of it.

    Every request of a seat is a sign of life, and a parked table goes on.
    """
    match = Match.objects.filter(code=code.upper()).first()
    if match is None:
        raise Http404
    seat = seat_of(match, request.user, guests.digest_of(request))
    if seat is None and not can_see_match(match, request.user):
        raise Http404
    if seat is not None:
        absence.touch(match.code, seat.index)
        if match.pause == Pause.PARKED:
            play.come_back(match=match, seat=seat.index)
            match.refresh_from_db()
    return match, seat


def state_now(match: Match, seat: int | None) -> dict[str, Any]:
    """The State of this viewer as it is in the database now."""
    found = standing(Match.objects.get(pk=match.pk))
    return states.state_of(found, seat, present=absence.here(match.code, found.people, found.rules.n))


def answers(view: View) -> View:
    """Write whatever a view of the table refuses as `{code, message}`."""

    @wraps(view)
    def answering(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        try:
            return view(request, *args, **named)
        except DomainError as error:
            return refusal(error)
        except OperationalError as error:
            if not isinstance(error.__cause__, PoolTimeout):
                raise
            return JsonResponse(
                {"code": "busy", "message": str(_("The site is busy. Try again in a few seconds."))},
                status=503,
                headers={"Retry-After": BUSY_S},
            )

    return answering


def refusal(error: DomainError, **more: Any) -> JsonResponse:
    """The answer to what was refused; numbers of the message stand beside it."""
    headers = {}
    if error.status == 503:
        headers["Retry-After"] = BUSY_S
    if "retry_after" in error.params:
        headers["Retry-After"] = str(error.params["retry_after"])
    body = {"code": error.code, "message": str(error), **error.params, **more}
    return JsonResponse(body, status=error.status, headers=headers)


def posted(*, status: int = 200, **fields: type) -> Callable[[Verb], View]:
    """A POST by a seat whose JSON body has exactly these fields; a 409 carries the state, so that the page redraws."""

    def decorate(verb: Verb) -> View:
        @wraps(verb)
        @answers
        @require_POST
        def view(request: HttpRequest, code: str) -> HttpResponseBase:
            match, seat = open_table(request, code)
            if seat is None:
                raise _stranger(request)
            _spend(match, seat)
            body = _body(request, fields)
            try:
                answer = verb(match, seat.index, body)
            except TableError as error:
                if error.status != 409:
                    raise
                return refusal(error, state=state_now(match, seat.index))
            return JsonResponse(answer, status=status)

        return view

    return decorate


def _stranger(request: HttpRequest) -> TableError:
    if request.user.is_authenticated or guests.key_of(request) is not None:
        return TableError("not_seated", _("You do not sit at this table."), status=403)
    return TableError("not_signed_in", _("Sign in to play at this table."), status=401)


def _spend(match: Match, seat: Seat) -> None:
    try:
        rates.spend(what="table", who=f"{match.pk}:{seat.index}", limit=MOST_POSTS, seconds=POSTS_S)
    except AccountsError as error:
        wait = error.params["retry_after"]
        raise TableError(
            "too_often", _("Too many cards at once: wait %(retry_after)d seconds."), status=429, retry_after=wait
        ) from None


def _body(request: HttpRequest, fields: dict[str, type]) -> Body:
    """The body as an object of these fields. Raises TableError `bad_body`."""
    bad = TableError("bad_body", _("The request is not what this address understands."), status=422)
    try:
        raw = request.body
        value = json.loads(raw) if len(raw) <= MAX_BODY else None
    except (ValueError, RecursionError):
        raise bad from None
    if type(value) is not dict or value.keys() != fields.keys():
        raise bad
    for name, kind in fields.items():
        if type(value[name]) is not kind or (kind is int and not 0 <= value[name] <= MAX_NUMBER):
            raise bad
    return value
