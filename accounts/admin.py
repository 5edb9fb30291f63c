"""Users, tokens and notices for operators. Password hashes and token digests are shown to nobody."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from accounts.foundation.admin import EditableAdmin, ReadOnlyAdmin
from accounts.models import ApiToken, Notice, User


@admin.register(User)
class UserAdmin(EditableAdmin):
    """A user: what he may do and whether he can sign in can be changed."""

    hidden = ("password",)
    editable = ("name", "is_active", "is_staff", "is_superuser", "groups", "user_permissions")
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
