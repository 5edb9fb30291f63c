"""The upload form: a file, or the source pasted."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.names import MAX_NAME
from bots.arena.archive import MAX_ARCHIVE


class UploadForm(forms.Form):
    """A new version of a bot; with `is_new` the bot's name is asked as well. The rules are the service's."""

    #: HTTP status of the page that shows the form's errors.
    status = 422

    name = forms.CharField(
        label=_("Name of the bot"), max_length=MAX_NAME, help_text=_("Everybody sees it; it stays for all versions.")
    )
    file = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        max_length=255,
        help_text=_("One Python file (.py), or a zip of at most 512 KiB with bot.py at its top."),
        widget=forms.FileInput(attrs={"accept": ".py,.zip"}),
    )
    source = forms.CharField(
        label=_("Or paste the source"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 12, "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off", "class": "mono"}
        ),
    )
    notes = forms.CharField(
        label=_("Notes"), required=False, max_length=500, help_text=_("What is new; only you and the staff see them.")
    )
    activates = forms.BooleanField(label=_("Play with it once it qualifies"), required=False, initial=True)

    def __init__(self, *args: Any, is_new: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not is_new:
            del self.fields["name"]

    def clean(self) -> dict[str, Any]:
        """Exactly one of file and source; `content` and `filename` hold it."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        file, source = cleaned.get("file"), cleaned.get("source", "")
        if (file is None) == (not source.strip()):
            raise forms.ValidationError(_("Choose a file or paste the source: one of the two."), code="one_of_two")
        if file is not None:
            # More than the limit is never read; the service says what is wrong.
            cleaned["content"], cleaned["filename"] = file.read(MAX_ARCHIVE + 1), file.name
        else:
            cleaned["content"], cleaned["filename"] = source.replace("\r\n", "\n").encode(), "bot.py"
        return cleaned

    def order(self) -> dict[str, Any]:
        """The arguments of the service; precondition: the form is valid."""
        wanted = ("name", "content", "filename", "notes", "activates")
        return {name: self.cleaned_data[name] for name in wanted if name in self.cleaned_data}
