"""What the inbox says about versions."""

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "version_qualified": _("%(bot)s %(version)s is qualified. It plays as soon as you activate it."),
    "version_qualified_active": _("%(bot)s %(version)s is qualified and plays from now on."),
    "version_rejected": _("%(bot)s %(version)s did not pass its check: its page says where and what to do."),
    "version_fault": _("%(bot)s %(version)s lost a deal by a fault, in match %(match)s: see what it was asked."),
    "version_suspended_faults": _(
        "%(bot)s %(version)s is suspended: %(faults)d of its last %(deals)d deals ended by its fault. "
        "It plays again after another check."
    ),
    "version_suspended_matches": _(
        "%(bot)s %(version)s is suspended: it lost %(matches)d matches in a row by faults. "
        "It plays again after another check."
    ),
    "mate_asked": _("%(name)s asks you to run the bot %(bot)s together: see “My bots”."),
    "mate_accepted": _("%(name)s runs %(bot)s with you from now on."),
    "mate_declined": _("%(name)s does not want to run %(bot)s."),
    "mate_left": _("%(name)s does not run %(bot)s any more."),
    "mate_removed": _("%(name)s has taken you out of the team of %(bot)s."),
}
