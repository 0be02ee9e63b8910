"""A document as a whole, as a person reads it: what its kind has to say of it, in remarks and tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from burnish.app.reports.words import LABEL, labelled
from burnish.app.terminal import Screen, visible
from burnish.core.kinds import Remark, Table

MOST_ROWS = 12
MOST_COLUMNS = 6
WIDEST_NAME = 28
NARROWEST_COUNT = 6


def told(overview: Sequence[Remark | Table], *, briefly: bool) -> Sequence[Remark | Table]:
    """What is said of a document. `briefly`: only what deserves attention."""
    return [part for part in overview if isinstance(part, Remark) and part.alarming] if briefly else overview


def show_overview(screen: Screen, path: str, overview: Sequence[Remark | Table], *, briefly: bool = False) -> None:
    """What is known of a document. `briefly`: only what deserves attention."""
    shown = told(overview, briefly=briefly)
    if not shown:
        return
    screen.line(("path", path))
    for part in shown:
        if isinstance(part, Remark):
            labelled(screen, part.label, part.text, role="warning" if part.alarming else "plain")
        else:
            _table(screen, part)
    screen.gap()


def _table(screen: Screen, table: Table) -> None:
    """Names on the left, counts on the right; as much of both as fits on a screen."""
    columns = range(len(table.heads))[: table.names + MOST_COLUMNS]
    widths = [_width(table, column) for column in columns]
    names, counts = widths[: table.names], widths[table.names :]
    heads = [_fitted(head, width) for head, width in zip(table.heads[table.names :], counts, strict=False)]
    label = f"{table.label:<{LABEL}}  "
    screen.line("  ", ("faint", label), ("strong", _row(table.heads, names)), "  ".join(heads))
    indent = " " * (LABEL + 4)
    for row in table.rows[:MOST_ROWS]:
        numbers = (f"{count:>{width}}" for count, width in zip(row[table.names :], counts, strict=False))
        screen.line(indent, _row(row, names), "  ".join(numbers))
    left = len(table.rows) - MOST_ROWS, len(table.heads) - table.names - MOST_COLUMNS
    if max(left) > 0:
        more = [f"{count} more {noun}" for count, noun in zip(left, ("rows", "columns"), strict=True) if count > 0]
        screen.line(indent, ("faint", f"… and {' and '.join(more)}: --format json has them all"))


def _width(table: Table, column: int) -> int:
    """Names are as wide as the widest of them, counts as their head."""
    if column >= table.names:
        return min(WIDEST_NAME, max(NARROWEST_COUNT, cell_len(visible(table.heads[column]))))
    return min(WIDEST_NAME, max(cell_len(visible(row[column])) for row in (table.heads, *table.rows)))


def _row(names: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{_fitted(name, width)}  " for name, width in zip(names, widths, strict=False))


def _fitted(name: str, width: int) -> str:
    return set_cell_size(visible(name), width)
