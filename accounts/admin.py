"""Users, their addresses, second factors, tokens and notices for operators.

Password hashes, token digests and secrets of second factors are shown to nobody.
"""

from typing import Any

import allauth.mfa.admin  # noqa: F401 - registers what is replaced below
from allauth.account.admin import EmailAddressAdmin as LibraryEmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.foundation.admin import EditableAdmin, ReadOnlyAdmin
from accounts.models import ApiToken, Notice, User

#: What a superuser alone may give and take.
RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")
admin.site.unregister([EmailAddress, Authenticator])  # the library lets every field of them be edited


@admin.register(User)
class UserAdmin(EditableAdmin):
    """A user: what he may do and whether he can sign in can be changed."""

    hidden = ("password",)
    editable = ("name", "is_active", *RIGHTS)
    list_display = ("email", "name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "language", "date_joined")
    search_fields = ("email", "name")
    ordering = ("-date_joined",)
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("email", "name", "date_joined", "last_login")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (_("Preferences"), {"fields": ("language", "theme", "deck", "time_zone")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Rights are given by those who have all of them: nobody can raise his own."""
        kept = super().get_readonly_fields(request, obj)
        return kept if request.user.is_superuser else [*kept, *RIGHTS]


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """A token: whose it is, what it may do, when it was used last; closing the account ends it too."""

    hidden = ("digest",)
    list_display = ("token_key", "name", "user", "scopes", "created", "expiry", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("name", "user__email", "token_key")
    list_filter = ("created",)
    ordering = ("-created",)


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    """A notice in somebody's inbox."""

    list_display = ("kind", "user", "created_at", "read_at")
    list_select_related = ("user",)
    list_filter = ("kind", "created_at")
    search_fields = ("user__email", "kind")
    ordering = ("-id",)


@admin.register(EmailAddress)
class EmailAddressAdmin(EditableAdmin):
    """An address; an operator may confirm it for a person whom no mail of ours reaches."""

    list_display = ("email", "user", "primary", "verified")
    list_select_related = ("user",)
    list_filter = ("primary", "verified")
    search_fields = ("email", "user__name")
    ordering = ("-id",)
    actions = ("make_verified",)

    @admin.action(permissions=["change"], description=LibraryEmailAddressAdmin.make_verified.short_description)
    def make_verified(self, request: HttpRequest, queryset: QuerySet[EmailAddress]) -> None:
        """As the link in the mail would; an address that belongs to another account is refused."""
        LibraryEmailAddressAdmin.make_verified(self, request, queryset)


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadOnlyAdmin):
    """A second factor without its secret; it is taken away here when its owner has lost it."""

    hidden = ("data",)
    list_display = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    list_filter = ("type",)
    search_fields = ("user__email", "user__name")
    ordering = ("-id",)

    def has_delete_permission(self, request: HttpRequest, obj: Authenticator | None = None) -> bool:
        """With the right to delete this kind of row."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)
