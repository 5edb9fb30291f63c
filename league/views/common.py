"""What the pages of this app share: finding what an address names, rights, keys of long lists, refused acts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.foundation import DomainError
from accounts.models import User
from league.models import League, Tournament
from league.permissions import Act, acts_of
from league.selectors import leagues, tournaments
from league.selectors.paging import Page, page

ModelT = TypeVar("ModelT", bound=Model)
View = Callable[..., HttpResponse]
Crumbs = list[tuple[str, str]]


def person(request: HttpRequest) -> User:
    """The signed-in user. Raises Http404 without one: the view has to ask for sign-in first."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def find_league(request: HttpRequest, slug: str) -> League:
    """The league at an address, for who may see it. Raises Http404."""
    found = leagues.visible(request.user).filter(slug=slug).first()
    if found is None:
        raise Http404
    return found


def find_tournament(request: HttpRequest, code: str) -> Tournament:
    """The tournament at an address, for who may see it, with its league. Raises Http404."""
    found = tournaments.visible(request.user).filter(code=code.lower()).first()
    if found is None:
        raise Http404
    return found


def find_own_tournament(league: League, code: str) -> Tournament:
    """A tournament of the league, for its organisers. Raises Http404."""
    found = Tournament.objects.filter(league=league, code=code.lower()).select_related("league").first()
    if found is None:
        raise Http404
    return found


def for_role(act: Act) -> Callable[[View], View]:
    """A view `(request, league, ...)` for who may do `act` in the league: others sign in, or are refused (403)."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def checked(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
            league = find_league(request, slug)
            if act not in acts_of(request.user, league):
                raise PermissionDenied
            return view(request, league, *args, **kwargs)

        return checked

    return decorate


def whole(text: str | None, *, most: int = 10**15) -> int | None:
    """A whole number from an address, 0..most; None for anything else."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > len(str(most)):
        return None
    value = int(text)
    return value if value <= most else None


def choice(request: HttpRequest, name: str, allowed: Any) -> str:
    """The value of a filter when it is one of those allowed, else empty."""
    value = request.GET.get(name, "")
    return value if value in allowed else ""


def words(request: HttpRequest, name: str = "q") -> str:
    """What somebody looks for, trimmed."""
    return " ".join(request.GET.get(name, "").replace("\x00", "").split())[:60]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of a long list for the template: rows (of any kind), and the addresses of its neighbours."""

    items: tuple[Any, ...]
    previous_url: str
    next_url: str

    def mapped(self, shown: Callable[[Any], Any]) -> "Listing":
        """The same page with every row as `shown` makes it."""
        return replace(self, items=tuple(shown(item) for item in self.items))


def listing(request: HttpRequest, rows: QuerySet[ModelT]) -> Listing:
    """The page of `rows` that the address asks for by `before` or `after`; other filters stay in the links."""
    found: Page[ModelT] = page(rows, before=whole(request.GET.get("before")), after=whole(request.GET.get("after")))
    kept = [(name, value) for name, value in request.GET.items() if name not in ("before", "after") and value]

    def link(name: str, key: int | None) -> str:
        return "" if key is None else "?" + urlencode([*kept, (name, str(key))])

    return Listing(found.items, link("after", found.newer), link("before", found.older))


def refuse(form: forms.Form, error: DomainError, fields: dict[str, str] | None = None) -> int:
    """Put a refusal into the form, beside the field that `fields` names for its code; returns the status."""
    field = (fields or {}).get(error.code)
    form.add_error(field if field in form.fields else None, str(error))
    return error.status


def refused(request: HttpRequest, error: DomainError) -> None:
    """Show why an act was refused on the next page."""
    messages.error(request, str(error))


def status_of(form: forms.Form) -> int:
    """422 for a form with errors of its own, else 200."""
    return 422 if form.is_bound and not form.is_valid() else 200


def league_crumbs(league: League, *more: tuple[str, str]) -> Crumbs:
    """Where a page of a league stands."""
    return [(_("Leagues"), reverse("league:leagues")), (league.name, league.get_absolute_url()), *more]


def tournament_crumbs(tournament: Tournament, *more: tuple[str, str]) -> Crumbs:
    """Where a page of a tournament stands."""
    return league_crumbs(tournament.league, (tournament.name, tournament.get_absolute_url()), *more)


def organise_crumbs(league: League, *more: tuple[str, str]) -> Crumbs:
    """Where an organiser's page of a league stands."""
    address = reverse("league:organise-league", args=[league.slug])
    return last([(_("Organise"), reverse("league:organise")), (league.name, address), *more])


def organise_tournament_crumbs(tournament: Tournament, *more: tuple[str, str]) -> Crumbs:
    """Where an organiser's page of a tournament stands."""
    address = reverse("league:organise-tournament", args=[tournament.league.slug, tournament.code])
    return organise_crumbs(tournament.league, (tournament.name, address), *more)


def last(crumbs: Crumbs) -> Crumbs:
    """The same crumbs with the last one as the page itself, without a link."""
    return [*crumbs[:-1], (crumbs[-1][0], "")]
