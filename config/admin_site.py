"""The admin's door."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import SEARCH_VAR
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.selectors.sandbox import last_tiers
from games.selectors.visibility import is_staff

#: Packages whose models stand among ours of the accounts: mail addresses, second factors, groups of staff.
_PARTS_OF_ACCOUNTS = ("account", "mfa", "auth")
#: Models of packages whose names are in English only.
_NAMES = {"Authenticator": gettext_lazy("Second factors")}
_ORDER = {"league": 0, "bots": 1, "games": 2, "accounts": 3}


class BellaAdminSite(AdminSite):
    """Staff with a second factor only; sign-in is the site's own, with its rate limits."""

    site_title = gettext_lazy("Bella administration")
    site_header = gettext_lazy("Bella administration")
    index_title = gettext_lazy("Administration")

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether this person may see the admin at all."""
        return super().has_permission(request) and is_staff(request.user)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Django's, and whether bots run without isolation: by the settings, or by what the arena reported last."""
        context: dict[str, Any] = super().each_context(request)
        is_unsafe = settings.BOTS_SANDBOX == "unsafe"
        if not is_unsafe and context["has_permission"]:
            is_unsafe = "unsafe" in last_tiers()
        return context | {"bots_are_not_isolated": is_unsafe and context["has_permission"]}

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """The index: leagues first, and all that belongs to accounts in one group, whichever package keeps it."""
        found = super().get_app_list(request, app_label)
        if app_label is not None:
            return found
        groups = {group["app_label"]: group for group in found}
        for model in (model for group in found for model in group["models"]):
            model["name"] = _NAMES.get(model["object_name"], model["name"])
        accounts = groups.get("accounts")
        if accounts is not None:
            for label in _PARTS_OF_ACCOUNTS:
                accounts["models"] += groups.pop(label, {"models": []})["models"]
            accounts["models"].sort(key=lambda model: str(model["name"]))
        return sorted(groups.values(), key=lambda group: (_ORDER.get(group["app_label"], len(_ORDER)), group["name"]))

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Django's, but no filter or key may hold NUL: it goes to the database as it comes, which refuses it."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            asked = [f"{name}{value}" for name, value in request.GET.items() if name != SEARCH_VAR]
            if "\0" in "".join([*asked, unquote(str(kwargs.get("object_id", "")))]):
                raise Http404
            return inner(request, *args, **kwargs)

        return checked

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:  # noqa: ARG002
        """Send people where they get what they lack: an account, the second factor, or a plain answer."""
        if not request.user.is_authenticated:
            wanted = request.GET.get("next") or reverse("admin:index")
            return redirect(f"{reverse('account_login')}?{urlencode({'next': wanted})}")
        if request.user.is_staff and not is_staff(request.user):
            messages.warning(request, _("The administration needs a second factor: switch it on here first."))
            return redirect("mfa_activate_totp")
        return redirect("admin:index" if self.has_permission(request) else "/")
