"""API tokens of the signed-in person."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms.tokens import TokenForm
from accounts.foundation import DomainError
from accounts.requests import UserRequest
from accounts.selectors import tokens as selectors
from accounts.services import tokens


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
@sensitive_variables("secret")
def index(request: UserRequest) -> HttpResponse:
    """The list; a POST makes a token, which the answer shows this one time."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    token = secret = None
    if request.method == "POST" and form.is_valid():
        try:
            token, secret = tokens.create(user=request.user, **form.cleaned_data)
            form = TokenForm()
        except DomainError as error:
            form.add_error(None, str(error))
    context = {
        "form": form,
        "token": token,
        "secret": secret,
        "tokens": selectors.valid(request.user),
        "breadcrumb": [(_("Settings"), reverse("accounts:settings")), (_("API tokens"), "")],
    }
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke(request: UserRequest, key: str) -> HttpResponse:
    """End a token at once."""
    if tokens.revoke(user=request.user, key=key):
        messages.success(request, _("The token is revoked: nobody can use it any more."))
    return redirect("accounts:tokens")
