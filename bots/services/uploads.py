"""Taking a bot in: one .py file or a zip becomes a version, which is then checked in the arena."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock_one
from accounts.models import User
from accounts.names import clean_name
from accounts.services import rates, users
from bots.arena.archive import Archive, ArchiveError, unpack
from bots.errors import BotsError, UploadRefused
from bots.models import Bot, BotVersion
from bots.models.version import archive_path
from bots.selectors.permissions import is_of_team
from bots.services import qualifying, uploads_store
from games.models import PlayerKind
from games.services import players

#: Uploads of one owner in 24 hours; the same content again does not count.
DAILY_QUOTA = 20
#: Attempts of one owner in an hour, refused ones included.
HOURLY_ATTEMPTS = 60
MAX_NOTES = 500
#: Longest file name that is kept.
MAX_FILENAME = 120


def upload(
    *,
    owner: User,
    bot: Bot | None = None,
    name: str | None = None,
    filename: str,
    content: bytes,
    notes: str = "",
    activates: bool = True,
) -> BotVersion:
    """Store a new version of `bot`, or of the bot called `name` (made if there is none), and have it checked.

    `owner` uploads: the owner of the bot, or one of his team mates. The same content as an earlier version of the bot
    gives that version back (`is_new` is False) and changes nothing.
    `activates`: it plays as soon as it qualifies. Raises EmailUnconfirmed, UploadRefused (`upload.*`: nothing is
    stored), BotsError `bot.not_yours`, `bot.name`, `bot.name_taken`, `upload.quota`, `upload.notes`, and AccountsError
    `too_often`.
    """
    users.require_confirmed(owner)
    rates.spend(what="upload", who=owner.pk, limit=HOURLY_ATTEMPTS, seconds=3600)
    if bot is not None:
        _require_team(bot, owner)
    if len(notes) > MAX_NOTES or "\0" in notes:
        raise BotsError("upload.notes", _("Notes have at most 500 characters."), status=422)
    archive = read_archive(content, filename)
    shown_name = None if bot is not None else checked_name(name or "")
    is_storing = False
    try:
        with transaction.atomic():
            lock_one(User.objects.filter(pk=owner.pk))  # counts his uploads, one after the other
            if bot is None:
                bot = _bot_called(str(shown_name), owner=owner)
            if bot is not None and (same := bot.versions.filter(sha256=archive.sha256).first()):
                qualifying.start_next(bot_id=bot.pk)
                return same
            _check_quota(owner)
            bot = bot or _make_bot(str(shown_name), owner=owner)
            version = _make_version(bot, archive, by=owner, filename=filename, notes=notes, activates=activates)
            qualifying.start_next(bot_id=bot.pk)
            is_storing = True
            uploads_store.put(version=version, data=archive.stored())
            version.refresh_from_db(fields=["state"])
            version.is_new = True
    except BaseException:
        if is_storing:
            uploads_store.discard(sha256=archive.sha256)
        raise
    return version


def _require_team(bot: Bot, user: User) -> None:
    if not is_of_team(bot, user):
        raise BotsError("bot.not_yours", _("This bot belongs to somebody else."), status=403)


def read_archive(content: bytes, filename: str) -> Archive:
    """Unpack an upload within its bounds. Raises UploadRefused with the code of the rule that it breaks."""
    try:
        return unpack(content, filename)
    except ArchiveError as error:
        params = {"file": error.file, "detail": error.detail, "limit": error.limit}
        raise UploadRefused(error.code, **params) from None


def checked_name(name: str) -> str:
    """A bot's name as it will be shown. Raises BotsError `bot.name`."""
    try:
        return clean_name(name)
    except ValidationError as error:
        raise BotsError("bot.name", " ".join(error.messages).replace("%", "%%"), status=422) from None


def _bot_called(name: str, *, owner: User) -> Bot | None:
    """The person's bot of that name, which stays locked; BotsError `bot.name_taken` when it is another's."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"bot|{name.casefold()}"])
    found = Bot.objects.filter(player__name__iexact=name).select_related("player").first()
    if found is not None and not is_of_team(found, owner):
        raise BotsError(
            "bot.name_taken", _("There is a bot called %(name)s already: choose another name."), name=found.player.name
        )
    return found


def _check_quota(owner: User) -> None:
    since = timezone.now() - timedelta(days=1)
    recent = BotVersion.objects.filter(by=owner, created_at__gt=since).order_by("-created_at")
    oldest = recent.values_list("created_at", flat=True)[DAILY_QUOTA - 1 : DAILY_QUOTA].first()
    if oldest is not None:
        wait = int((oldest - since).total_seconds()) + 1
        raise BotsError(
            "upload.quota",
            _("You have uploaded %(count)d versions in 24 hours, the limit. Try again in %(minutes)d minutes."),
            status=429,
            count=DAILY_QUOTA,
            minutes=-(-wait // 60),
            retry_after=wait,
        )  # fmt: skip


def _make_bot(name: str, *, owner: User) -> Bot:
    player = players.create(kind=PlayerKind.BOT, name=name)
    return Bot.objects.create(player=player, owner=owner)


def _make_version(bot: Bot, archive: Archive, *, by: User, filename: str, notes: str, activates: bool) -> BotVersion:
    bot = lock_one(Bot.objects.filter(pk=bot.pk))
    _require_team(bot, by)  # it may have been deleted, or he sent away, while this waited
    last = bot.versions.aggregate(last=Max("number"))["last"] or 0
    kept = "".join(character if character.isprintable() else "?" for character in filename)[-MAX_FILENAME:]
    unpacked = {"files": len(archive.files), "bytes": archive.size, "ignored": ", ".join(archive.ignored)}
    code = "upload.unpacked_less" if archive.ignored else "upload.unpacked"
    version = BotVersion(
        bot=bot,
        number=last + 1,
        sha256=archive.sha256,
        filename=kept or archive.entry,
        entry=archive.entry,
        size=archive.size,
        notes=notes,
        activates=activates,
        by=by,
        report=[{"check": "unpack", "ok": True, "code": code, "params": unpacked}],
    )
    version.archive.name = archive_path(version, "")
    version.save(force_insert=True)
    return version
