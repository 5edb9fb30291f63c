"""The one way to lock rows, and to be the only one who does a job."""

from typing import TypeVar

from django.db import OperationalError, connection
from django.db.models import Model, QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.foundation.errors import DomainError

ModelT = TypeVar("ModelT", bound=Model)

#: How long a verb waits for rows that another transaction holds, ms.
LOCK_TIMEOUT_MS = 5_000


class LockError(DomainError):
    """The rows are held by another transaction for longer than the timeout."""

    status = 503


def lock(rows: QuerySet[ModelT], *, timeout_ms: int = LOCK_TIMEOUT_MS) -> list[ModelT]:
    """Lock the rows of a queryset until the transaction ends, in order of primary key, so that two verbs never
    deadlock. Rows that point to them can still be added meanwhile: who writes a line about a locked league does not
    wait for who holds it.

    Raises RuntimeError outside a transaction (a bug) and LockError `busy` when the wait took longer than `timeout_ms`.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("rows can only be locked inside transaction.atomic()")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{timeout_ms}ms"])
    try:
        return list(rows.order_by("pk").select_for_update(of=("self",), no_key=True))
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == "55P03":  # lock_not_available
            raise LockError(
                "busy", _("Someone else is changing this at the moment. Try again in a few seconds.")
            ) from error
        raise


def take_turn(number: int) -> bool:
    """Whether nobody else has the site's advisory lock `number`; it is then ours until the transaction ends.

    For jobs that beat may start twice: who does not get it leaves. Raises RuntimeError outside a transaction (a bug).
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a turn lasts as long as a transaction.atomic()")
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])


def lock_one(rows: QuerySet[ModelT], *, timeout_ms: int = LOCK_TIMEOUT_MS) -> ModelT:
    """Lock and return the single row of a queryset; raises the model's DoesNotExist when there is none."""
    found = lock(rows, timeout_ms=timeout_ms)
    if len(found) != 1:
        raise rows.model.DoesNotExist(f"{len(found)} rows instead of one")  # type: ignore[attr-defined]
    return found[0]
