"""Standings as CSV for spreadsheets, in which no cell can be taken for a formula."""

import csv
import io

from django.utils.translation import gettext as _

from league.selectors.standings import Table

#: What a spreadsheet takes for the start of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def written(table: Table) -> str:
    """The rows of a table of standings with a header in the active language."""
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(
        [
            _("Rank"), _("Name"), _("Points"), _("Played"), _("Won"), _("Drawn"), _("Lost"), _("Deals won"),
            _("Deals lost"), _("Card points made"), _("Card points given"), _("Decided by"),
        ]
    )  # fmt: skip
    for row in table.rows:
        cells = [
            row.rank, row.entry.name, row.points, row.played, row.won, row.drawn, row.lost, *row.deals, *row.cards,
            row.decided_by,
        ]  # fmt: skip
        writer.writerow([quoted(str(cell)) for cell in cells])
    return sheet.getvalue()


def quoted(cell: str) -> str:
    """The cell, with an apostrophe before what a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
