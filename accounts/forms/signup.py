"""Sign-up: allauth's form and a name."""

from typing import Any

from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from accounts.names import MAX_NAME, clean_name


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    """Name, address, password twice."""

    field_order = ("name", "email", "password1", "password2")
    name = forms.CharField(
        label=_("Name"),
        help_text=_("Everybody sees it; it can be a nickname."),
        max_length=MAX_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )

    def clean_name(self) -> str:
        """A name that can be shown."""
        return clean_name(self.cleaned_data["name"])

    def try_save(self, request: HttpRequest) -> tuple[Any, Any]:
        """Save; of two simultaneous sign-ups with one address the second is sent back to the form."""
        try:
            return super().try_save(request)  # type: ignore[no-any-return]
        except IntegrityError:
            messages.error(
                request, _("There is an account with this address already: sign in, or reset your password.")
            )
            return None, redirect("account_signup")
