"""My bots: the list, the upload of a first and of a further version."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.foundation import DomainError
from accounts.requests import UserRequest
from accounts.services import users
from bots.errors import UploadRefused
from bots.forms.uploads import UploadForm
from bots.models import Bot
from bots.selectors import bots as bots_selectors
from bots.selectors import versions as versions_selectors
from bots.selectors.permissions import is_of_team
from bots.services import activation, uploads
from bots.views.common import find_bot, manage_page, own


def _sent(request: UserRequest) -> tuple[Any, Any]:
    return (request.POST, request.FILES) if request.method == "POST" else (None, None)


def _take(request: UserRequest, form: UploadForm, bot: Bot | None) -> HttpResponse | None:
    """Upload what the form holds; None, and the reason in the form, when it is refused."""
    if not form.is_valid():
        return None
    try:
        version = uploads.upload(owner=request.user, bot=bot, **form.order())
    except DomainError as error:
        form.status = error.status
        is_about_file = isinstance(error, UploadRefused)
        field = "name" if error.code.startswith("bot.name") else ("file" if is_about_file else None)
        form.add_error(field, str(error))
        return None
    if not version.is_new:
        messages.info(request, _("You have uploaded this before: here is that version."))
    return redirect(version)


def _page(request: UserRequest, template: str, form: UploadForm, context: dict[str, Any]) -> HttpResponse:
    context |= {"form": form, "is_confirmed": users.is_confirmed(request.user), "section": "mine"}
    status = form.status if form.errors else 200
    return render(request, template, context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def mine(request: UserRequest) -> HttpResponse:
    """My bots; a POST uploads the first version of a new one."""
    form = UploadForm(*_sent(request))
    if request.method == "POST" and (answer := _take(request, form, None)):
        return answer
    context = {
        "bots": bots_selectors.owned(request.user),
        "invitations": bots_selectors.invitations(request.user),
        "breadcrumb": [(_("My bots"), "")],
    }
    return _page(request, "bots/mine.html", form, context)


@login_required
@require_http_methods(["GET", "POST"])
def manage(request: UserRequest, slug: str) -> HttpResponse:
    """One of my bots: all versions, which one plays; a POST uploads the next version."""
    bot = find_bot(slug)
    own(bot, request)
    form = UploadForm(*_sent(request), is_new=False)
    if request.method == "POST" and (answer := _take(request, form, bot)):
        return answer
    context = {
        "versions": versions_selectors.of_bot(bot),
        "uploads": is_of_team(bot, request.user),
        "next_activation_at": activation.next_activation_at(bot),
    }
    return _page(request, "bots/manage.html", form, manage_page(bot, "versions", context))
