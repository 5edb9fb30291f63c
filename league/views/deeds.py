"""Acts of organisers: each has a page that says what will happen, asks what it needs and is carried out by POST."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise

from accounts.foundation import DomainError
from league.forms.tournaments import NamedReasonForm, ReasonForm
from league.views.common import refuse, status_of

Verb = Callable[..., object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """`verb` gets the form's values by keyword. `asks`: "" nothing, `reason`, `name` (typed, and a reason)."""

    title: Promise
    label: Promise
    done: Promise
    verb: Verb
    consequences: tuple[Promise, ...] = ()
    asks: str = ""
    is_grave: bool = False

    @property
    def is_short(self) -> bool:
        """Whether a button is enough where the deed is offered."""
        return not self.asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A deed on a page: where it is done, or why it would be refused now."""

    name: str
    deed: Deed
    address: str
    obstacle: DomainError | None = None


def offers(
    deeds: Mapping[str, Deed],
    names: Iterable[str],
    address: Callable[[str], str],
    obstacles: Mapping[str, DomainError] | None = None,
) -> list[Offer]:
    """The deeds of these names as a page offers them."""
    refused = obstacles or {}
    return [Offer(name=name, deed=deeds[name], address=address(name), obstacle=refused.get(name)) for name in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Where a deed is done: what it is done to, where one goes afterwards, more for the template.

    `obstacle`: why it would be refused now.
    """

    subject: str
    back: str
    context: dict[str, Any] = field(default_factory=dict)
    form: forms.Form | None = None
    obstacle: DomainError | None = None


def carry_out(request: HttpRequest, deed: Deed, page: Page, **arguments: Any) -> HttpResponse:
    """Show the deed's page, or do it: back where it was offered when done, the page again with the refusal when not."""
    form = page.form or _form(request, deed, page.subject)
    status = status_of(form)
    if request.method == "POST" and form.is_valid():
        try:
            deed.verb(**arguments, **_order(form))
        except DomainError as error:
            status = refuse(form, error, ReasonForm.FIELDS)
        else:
            messages.success(request, str(deed.done) % {"name": page.subject})
            return redirect(page.back)
    context = {"deed": deed, "form": form, "subject": page.subject, "back": page.back, "refusal": page.obstacle}
    context |= {"section": "organise", **page.context}
    return render(request, "league/deed.html", context, status=status)


def _form(request: HttpRequest, deed: Deed, subject: str) -> forms.Form:
    data = request.POST if request.method == "POST" else None
    if deed.asks == "name":
        return NamedReasonForm(data, name=subject)
    return ReasonForm(data) if deed.asks == "reason" else forms.Form(data)


def _order(form: forms.Form) -> dict[str, Any]:
    order = getattr(form, "order", None)
    return order() if order is not None else {}
