"""The files of versions: written with the row that names them, removed when no row does.

Two uploads of one content share a file. Whoever writes or removes it holds a lock on the content until its transaction
ends, so a failed upload never takes away the file of another.
"""

from django.core.files.base import ContentFile
from django.db import connection, transaction
from django.db.models import QuerySet

from bots.arena.archive import unpack_stored
from bots.models import BotVersion
from bots.models.version import archive_path
from bots.storage import archives


def put(*, version: BotVersion, data: bytes) -> None:
    """Store the archive of a version; precondition: inside the transaction that makes its row, as its last step."""
    _lock(version.sha256)
    name = archive_path(version, "")
    if not archives().exists(name):
        archives().save(name, ContentFile(data))


def read(version: BotVersion) -> bytes:
    """The stored archive. Raises FileNotFoundError when the storage lost it."""
    with archives().open(archive_path(version, "")) as file:
        return bytes(file.read())


def files(version: BotVersion) -> tuple[tuple[str, bytes], ...]:
    """Names and contents of its files, by name. Raises FileNotFoundError when the storage lost it."""
    return tuple(unpack_stored(read(version)).files)


def source(version: BotVersion) -> tuple[str, str, bytes]:
    """The code as it was uploaded: file name, content type and bytes; the file itself, or a zip of all.

    Raises FileNotFoundError when the storage lost it.
    """
    data = read(version)
    files = unpack_stored(data).files
    name = f"{version.bot.player.slug}-{version.label}"
    if len(files) == 1:
        return f"{name}.py", "text/x-python; charset=utf-8", files[0][1]
    return f"{name}.zip", "application/zip", data


def discard(*, sha256: str) -> bool:
    """Remove the file of a content that no version of a bot has; False when one has it or there is none.

    Bots that were deleted need theirs no more.
    """
    name = archive_path(BotVersion(sha256=sha256), "")
    with transaction.atomic():
        _lock(sha256)
        if _living().filter(sha256=sha256).exists() or not archives().exists(name):
            return False
        archives().delete(name)
    return True


def sweep() -> int:
    """Remove what a killed process left behind: files without a version. The answer counts them.

    A file is written before its row can be seen, so its writer's lock is waited for before the row is missed.
    """
    removed = 0
    storage = archives()
    folders = storage.listdir("bots")[0] if storage.exists("bots") else []
    for folder in folders:
        found = {name.removesuffix(".zip") for name in storage.listdir(f"bots/{folder}")[1] if name.endswith(".zip")}
        known = set(_living().filter(sha256__in=found).values_list("sha256", flat=True))
        removed += sum(discard(sha256=sha256) for sha256 in sorted(found - known))
    return removed


def _living() -> QuerySet[BotVersion]:
    return BotVersion.objects.filter(bot__deleted_at__isnull=True)


def _lock(sha256: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"archive|{sha256}"])
