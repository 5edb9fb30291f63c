"""Who plays when the registration closes: entries that are still able to, and who moves up for the others."""

from dataclasses import dataclass

from league.errors import LeagueError
from league.models import Entry, EntryState, Tournament, TournamentState
from league.pairing import drawn_order
from league.services import entries

_ACCEPTED = (EntryState.ACCEPTED, EntryState.CHECKED_IN)
_DRAWN = (*_ACCEPTED, EntryState.PLAYING, EntryState.FINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineUp:
    """`playing` in the order of their starting numbers; `moving_up` are those of them that wait for a place until then.

    `dropped`: accepted entries that cannot play any more, with the reason.
    """

    playing: tuple[Entry, ...]
    moving_up: tuple[Entry, ...] = ()
    dropped: tuple[tuple[Entry, LeagueError], ...] = ()


def read(tournament: Tournament) -> LineUp:
    """The line-up as it would be now, or as it was fixed when the registration closed; writes nothing."""
    if tournament.state not in (TournamentState.DRAFT, TournamentState.REGISTRATION):
        drawn = entries.standing_entries(tournament, states=_DRAWN)
        return LineUp(playing=tuple(sorted(drawn, key=lambda entry: entry.number or 0)))
    standing = entries.standing_entries(tournament, states=(*_ACCEPTED, EntryState.WAITING_LIST))
    gone = entries.no_longer_each(tournament=tournament, players=[entries.player_of(entry) for entry in standing])
    able = [entry for entry in standing if entries.player_of(entry).pk not in gone]
    accepted = [entry for entry in able if entry.state in _ACCEPTED]
    waiting = [entry for entry in able if entry.state not in _ACCEPTED]
    free = (tournament.capacity or len(accepted)) - len(accepted)
    moving_up = waiting[: max(0, free)]
    by_pk = {entry.pk: entry for entry in (*accepted, *moving_up)}
    return LineUp(
        playing=tuple(by_pk[pk] for pk in drawn_order(by_pk, seed=bytes(tournament.seed), label="numbers")),
        moving_up=tuple(moving_up),
        dropped=tuple(
            (entry, gone[entries.player_of(entry).pk])
            for entry in standing
            if entry.state in _ACCEPTED and entries.player_of(entry).pk in gone
        ),
    )


def fix(line_up: LineUp) -> None:
    """Write a line-up down: who is dropped, who moves up, numbers and versions; the tournament's lock is held."""
    for entry, error in line_up.dropped:
        entries.take_out(entry, EntryState.WITHDRAWN, actor=None, action="entry.drop", reason=error.code)
    entries.move_up(line_up.moving_up, free=len(line_up.moving_up))
    for number, entry in enumerate(line_up.playing, start=1):
        player = entries.player_of(entry)
        entry.number = number
        entry.version = player.bot.active_version if player.kind == "bot" else None
    Entry.objects.bulk_update(line_up.playing, ["number", "version"])
