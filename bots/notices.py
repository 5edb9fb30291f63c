"""What the inbox says about versions."""

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "version_qualified": _("%(bot)s %(version)s is qualified. It plays as soon as you activate it."),
    "version_qualified_active": _("%(bot)s %(version)s is qualified and plays from now on."),
    "version_rejected": _("%(bot)s %(version)s did not pass its check: its page says where and what to do."),
    "version_suspended": _("%(bot)s %(version)s is suspended: %(reason)s. It plays again after another check."),
}
