"""The site: its roles' signs of life, what the arena said last, mail."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core import mail
from django.utils import timezone

from bots.doctor.finding import Finding, fail, first_line, ok, warn
from bots.selectors.sandbox import last_tiers
from games.models import Heartbeat

#: Roles that say by themselves that they live, how to start them, and how long they may be silent.
ROLES: Final = {
    "web": "uvicorn config.asgi:application",
    "worker": "celery -A config worker",
    "registrar": "manage.py receive_reports",
    "beat": "celery -A config beat",
}
SILENT: Final = timedelta(seconds=30)
#: Backends that send nothing away.
_AT_HOME: Final = ("console", "filebased", "locmem", "dummy")


def look() -> Iterator[Finding]:
    """What only a migrated database can tell."""
    yield from roles()
    yield tiers()


def roles() -> Iterator[Finding]:
    """Each role's last heartbeat, on whichever machine."""
    now = timezone.now()
    for role, command in ROLES.items():
        subject = f"role {role}"
        last = Heartbeat.objects.filter(role=role).order_by("-at").values_list("at", flat=True).first()
        if last is None:
            yield warn(subject, "was never seen", f"Start it: {command}")
        elif now - last > SILENT:
            yield fail(subject, f"last seen {int((now - last).total_seconds())} s ago", f"Start it again: {command}")
        else:
            yield ok(subject, "lives")


def tiers() -> Finding:
    """How bots were confined where they ran last."""
    seen = sorted(set(last_tiers()))
    if not seen:
        return ok("last runs", "nothing was played or checked yet")
    if "unsafe" in seen:
        return fail("last runs", "bots ran without isolation", "Start the arena without BOTS_SANDBOX=unsafe.")
    return ok("last runs", f"sandbox tier {', '.join(seen)}")


def mails() -> Finding:
    """Whether mail leaves: by opening the connection. Nothing is sent."""
    backend, sender = settings.EMAIL_BACKEND, settings.DEFAULT_FROM_EMAIL
    is_production = settings.BASE_URL.startswith("https://")
    if any(word in backend for word in _AT_HOME):
        folder = getattr(settings, "EMAIL_FILE_PATH", "")  # a name that is there with that backend only
        where = f"written to {folder}" if "filebased" in backend else "not sent"
        if is_production:
            return warn("mail", f"{where}: nobody can confirm an address", "Set EMAIL_URL=smtp+tls://...")
        return ok("mail", where)
    try:
        connection = mail.get_connection()
        connection.open()
        connection.close()
    except OSError as error:  # smtplib's errors are of this kind too
        return fail("mail", f"{settings.EMAIL_HOST} takes none: {first_line(error)}", "EMAIL_URL says where it goes.")
    if "@localhost" in sender and is_production:
        return warn("mail", f"the sender is {sender}", "Set DEFAULT_FROM_EMAIL: many servers refuse such mail.")
    return ok("mail", f"{settings.EMAIL_HOST} answers")
