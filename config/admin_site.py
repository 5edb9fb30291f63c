"""The admin's door."""

from allauth.mfa.adapter import get_adapter
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class BellaAdminSite(AdminSite):
    """Staff with a second factor only; sign-in is the site's own, with its rate limits."""

    site_title = gettext_lazy("Bella administration")
    site_header = gettext_lazy("Bella administration")
    index_title = gettext_lazy("Administration")

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether this person may see the admin at all."""
        return super().has_permission(request) and get_adapter().is_mfa_enabled(request.user)

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:  # noqa: ARG002
        """Send people where they get what they lack: an account, the second factor, or a plain answer."""
        if not request.user.is_authenticated:
            return redirect(f"{reverse('account_login')}?{urlencode({'next': request.get_full_path()})}")
        if request.user.is_staff and not get_adapter().is_mfa_enabled(request.user):
            messages.warning(request, _("The administration needs a second factor: switch it on here first."))
            return redirect("mfa_activate_totp")
        return redirect("/")
