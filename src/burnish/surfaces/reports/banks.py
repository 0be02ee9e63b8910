"""A bank as a whole, as a person reads it: where the keys stand, what is alike, what the questions are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

from burnish.surfaces.reports.words import LABEL, labelled
from burnish.surfaces.terminal import Screen, visible

MOST_ROWS = 12
MOST_COLUMNS = 6
WIDEST_NAME = 28
UNSAID = "-"


def describe_bank(screen: Screen, path: str, bank: Mapping[str, Any], *, briefly: bool = False) -> None:
    """What is known of a bank. `briefly`: only what deserves attention."""
    balance = [group for group in bank.get("key_balance", ()) if group["balanced"] is not None]
    unbalanced = [group for group in balance if not group["balanced"]]
    shown = unbalanced if briefly else balance
    blueprint = [] if briefly else list(bank.get("blueprint", ()))
    if not shown and not blueprint:
        return
    screen.line(("path", path))
    for group in shown:
        labelled(screen, "keys", group["message"], role="warning" if not group["balanced"] else "plain")
    if bank.get("near_duplicates"):
        labelled(screen, "much alike", f"{bank['near_duplicates']:,}")
    if blueprint:
        _blueprint(screen, blueprint)
    screen.gap()


def _blueprint(screen: Screen, cells: Sequence[Mapping[str, Any]]) -> None:
    """Objective and level down, difficulty across."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in cells:
        names = (cell["objective"], cell["bloom_level"], cell["difficulty"])
        counts[tuple(name or UNSAID for name in names)] += cell["questions"]  # type: ignore[index]
    columns = sorted({difficulty for _, _, difficulty in counts})
    rows = sorted({(objective, level) for objective, level, _ in counts})
    widths = [_width("objective", [row[0] for row in rows]), _width("level", [row[1] for row in rows])]
    shown = columns[:MOST_COLUMNS]
    heads = [_fitted(name, max(6, cell_len(visible(name)))) for name in shown]
    indent = " " * (LABEL + 4)
    screen.line(
        "  ", ("faint", f"{'blueprint':<{LABEL}}  "), ("strong", _row(["objective", "level"], widths)), "  ".join(heads)
    )
    for objective, level in rows[:MOST_ROWS]:
        numbers = (
            f"{counts[objective, level, name] or '·':>{len(head)}}" for name, head in zip(shown, heads, strict=True)
        )
        screen.line(indent, _row([objective, level], widths), "  ".join(numbers))
    left = len(rows) - MOST_ROWS, len(columns) - MOST_COLUMNS
    if max(left) > 0:
        more = [f"{count} more {noun}" for count, noun in zip(left, ("rows", "columns"), strict=True) if count > 0]
        screen.line(indent, ("faint", f"… and {' and '.join(more)}: --format json has them all"))


def _width(head: str, names: Sequence[str]) -> int:
    return min(WIDEST_NAME, max(cell_len(visible(name)) for name in (head, *names)))


def _row(names: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{_fitted(name, width)}  " for name, width in zip(names, widths, strict=True))


def _fitted(name: str, width: int) -> str:
    return set_cell_size(visible(name), min(width, WIDEST_NAME))
