"""Settings of a bot, its team, its end."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.foundation import DomainError
from accounts.models import User
from accounts.requests import UserRequest
from bots.forms.managing import MateForm, SettingsForm
from bots.models import Bot
from bots.services import managing, mates
from bots.views.common import find_bot, manage_page, own, refused


def _page(request: UserRequest, bot: Bot, form: SettingsForm, mate_form: MateForm, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "mate_form": mate_form,
        "mates": bot.mates.select_related("user__player"),
        "is_owner": _is_owner(bot, request.user),
    }
    return render(request, "bots/settings.html", manage_page(bot, "settings", context), status=status)


def _is_owner(bot: Bot, user: User) -> bool:
    return bot.owner_id == user.pk or user.acts_as_staff


@login_required
@require_http_methods(["GET", "POST"])
def settings(request: UserRequest, slug: str) -> HttpResponse:
    """What the owner decides; a mate reads it."""
    bot = find_bot(slug)
    own(bot, request)
    form = SettingsForm(request.POST if request.method == "POST" else None, instance=bot)
    if request.method == "POST":
        if not _is_owner(bot, request.user):
            raise PermissionDenied
        if not form.is_valid():
            return _page(request, bot, form, MateForm(), 422)
        bot.refresh_from_db()  # the service writes, not the form
        wanted = {name: form.cleaned_data[name] for name in ("about", "is_source_public", "allows_tests")}
        try:
            managing.change(bot=bot, actor=request.user, **wanted)
        except DomainError as error:
            form.add_error(None, str(error))
            return _page(request, bot, form, MateForm(), error.status)
        messages.success(request, _("Saved."))
        return redirect("bots:settings", slug)
    return _page(request, bot, form, MateForm())


@login_required
@require_POST
def ask_mate(request: UserRequest, slug: str) -> HttpResponse:
    """Ask somebody to run the bot too."""
    bot = find_bot(slug)
    own(bot, request)
    form = MateForm(request.POST)
    if form.is_valid():
        try:
            mate = mates.ask(bot=bot, name=form.cleaned_data["name"], actor=request.user)
            messages.success(request, _("%(name)s was asked.") % {"name": mate.user.name})
            return redirect("bots:settings", slug)
        except DomainError as error:
            form.add_error("name", str(error))
    return _page(request, bot, SettingsForm(instance=bot), form, 422)


@login_required
@require_POST
def end_mate(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Take an invitation back, decline it, leave, or send a mate away."""
    bot = find_bot(slug)
    if user_id != request.user.pk:
        own(bot, request)
    mate = bot.mates.select_related("user").filter(user=user_id).first()
    if mate is not None:
        try:
            mates.end(bot=bot, user=mate.user, actor=request.user)
        except DomainError as error:
            refused(request, error)
    return redirect("bots:mine") if user_id == request.user.pk else redirect("bots:settings", slug)


@login_required
@require_POST
def accept_mate(request: UserRequest, slug: str) -> HttpResponse:
    """Run a bot together with who asked."""
    bot = find_bot(slug)
    try:
        mates.accept(bot=bot, actor=request.user)
        messages.success(request, _("You run %(bot)s too from now on.") % {"bot": bot.player.name})
        return redirect("bots:manage", slug)
    except DomainError as error:
        refused(request, error)
        return redirect("bots:mine")


@login_required
@require_POST
def delete(request: UserRequest, slug: str) -> HttpResponse:
    """Take the bot out for good; its name must be typed, as nothing brings it back."""
    bot = find_bot(slug)
    own(bot, request)
    name = bot.player.name
    try:
        managing.delete(bot=bot, actor=request.user, confirmed=request.POST.get("confirm", ""))
        messages.success(request, _("%(name)s is deleted. Its matches stay, under a number.") % {"name": name})
        return redirect("bots:mine")
    except DomainError as error:
        refused(request, error)
        return redirect(reverse("bots:settings", args=[slug]) + "#delete")
