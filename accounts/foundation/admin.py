"""The admin's common manners: rows are looked at, not edited; what an operator may change is named one by one."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """Nothing is added, changed or deleted here: the site's verbs do that, with their checks and their log.

    `hidden` names the fields that nobody sees: seeds, nonces, digests.
    """

    hidden: tuple[str, ...] = ()
    list_per_page = 50
    show_full_result_count = False
    actions: Sequence[str] | None = None

    def get_exclude(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """The hidden fields."""
        return (*(super().get_exclude(request, obj) or ()), *self.hidden)

    def has_add_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        """Never."""
        return False


class EditableAdmin(ReadOnlyAdmin):
    """As ReadOnlyAdmin, but the fields in `editable` can be changed."""

    editable: tuple[str, ...] = ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """With the right to change this kind of row."""
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Every field but the editable ones."""
        fields = [field.name for field in self.opts.fields if field.name not in self.hidden]
        declared = [name for name in super().get_readonly_fields(request, obj) if name not in fields]
        return [*(name for name in fields if name not in self.editable), *declared]
