"""What the inbox says about invitations to play."""

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "challenged": _("%(name)s challenges you to a match. The page says by which rules, and until when."),
    "challenge_accepted": _("%(name)s takes your challenge. The table is ready: sit down."),
    "challenge_declined": _("%(name)s declines your challenge."),
}
