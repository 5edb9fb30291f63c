"""Lists as files: CSV for spreadsheets, JSON for programs."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from league.selectors.matches import MatchRow
from league.standings_csv import quoted

#: Rows of a file at most; what is older comes with the next file.
MOST_ROWS: Final = 5_000


def written(rows: Sequence[Mapping[str, object]], columns: Iterable[str]) -> str:
    """Rows as CSV under the names of their columns; no cell can be taken for a formula, None is an empty cell."""
    names = list(columns)
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(names)
    for row in rows:
        writer.writerow([quoted("" if row[name] is None else str(row[name])) for name in names])
    return sheet.getvalue()


MATCH_COLUMNS: Final = (
    "code", "state", "outcome", "termination", "at", "league", "tournament", "round",
    "side_0", "version_0", "rating_0", "deals_0", "side_1", "version_1", "rating_1", "deals_1", "winner_side",
)  # fmt: skip


def match_data(row: MatchRow) -> dict[str, object]:
    """A match of the history as plain data: the columns of MATCH_COLUMNS."""
    tournament = row.tournament
    data: dict[str, object] = {
        "code": row.match.code,
        "state": row.match.state,
        "outcome": row.match.outcome or None,
        "termination": row.match.termination or None,
        "at": row.at.isoformat(timespec="seconds"),
        "league": tournament.league.slug if tournament else None,
        "tournament": tournament.code if tournament else None,
        "round": row.round_number,
        "winner_side": row.match.winner_side,
    }
    for number, side in enumerate(row.sides[:2]):
        data |= {
            f"side_{number}": side.name,
            f"version_{number}": side.version or None,
            f"rating_{number}": side.rating or None,
            f"deals_{number}": side.wins,
        }
    return {name: data[name] for name in MATCH_COLUMNS}


RANK_COLUMNS: Final = (
    "rank", "name", "slug", "version", "author", "elo", "milli_elo", "provisional", "matches",
    "milli_elo_change_30_days",
)  # fmt: skip
