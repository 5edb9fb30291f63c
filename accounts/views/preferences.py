"""Language, theme, deck, time zone, the table: from the header of every page, the table and the settings page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.cookies import preferences_of, remember
from accounts.forms.preferences import AllPreferencesForm, AllTablePreferencesForm, NameForm, TablePreferencesForm
from accounts.requests import UserRequest
from accounts.services import preferences, users


def _back(request: HttpRequest) -> str:
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else "/"


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep what was chosen, on the account or, signed out, in cookies, and go back to `next` (303)."""
    form = TablePreferencesForm(request.POST)
    if not form.is_valid():
        return render(request, "accounts/preferences_refused.html", {"form": form, "next": _back(request)}, status=422)
    values = form.values()
    if request.user.is_authenticated and values:
        preferences.save(user=request.user, values=values)
    response = HttpResponseRedirect(_back(request), status=303)
    remember(response, values)
    return response


@login_required
@require_http_methods(["GET", "POST"])
def settings(request: UserRequest) -> HttpResponse:
    """The settings page; a POST changes the shown name."""
    form = NameForm(request.POST if request.method == "POST" else None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        preferences.rename(user=request.user, name=form.cleaned_data["name"])
        messages.success(request, _("Saved."))
        return redirect("accounts:settings")
    user = request.user
    if form.errors:
        user.refresh_from_db(fields=["name"])  # the page's header shows the name that is stored
    chosen = {"language": user.language, "theme": user.theme, "deck": user.deck, "time_zone": user.time_zone}
    at_table = {
        name: ("on" if value else "off") if isinstance(value, bool) else value
        for name, value in preferences.at_the_table(user).items()
    }
    context = {
        "form": form,
        "table": AllTablePreferencesForm(initial=at_table),
        "preferences": AllPreferencesForm(initial=preferences_of(request) | {k: v for k, v in chosen.items() if v}),
        "is_confirmed": users.is_confirmed(user),
        "breadcrumb": [(_("Settings"), "")],
    }
    return render(request, "accounts/settings.html", context, status=422 if form.errors else 200)
