"""The reuse of LEGOs in a course, in a terminal: figures, a chart of new LEGOs, and the LEGOs that most SEEDs need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from burnish.app.labels import counted
from burnish.app.terminal import Screen, excerpt
from burnish.kinds.legos.reports.inventory import inventory

CUTS = {"course": "course", "word_by_word": "word by word", "whole_sentences": "left whole"}
"""Field of the report -> the name of the cut."""
LABEL = 36
"""Columns of the labels on the left."""
COLUMN = 13
"""Columns of a figure."""
MOST_LEGOS = 10
"""LEGOs that are shown; lego_inventory in --json has all."""
WIDEST, NARROWEST = 60, 20
"""Columns of the chart."""
LEVELS = "▁▂▃▄▅▆▇█"


def show_reuse(screen: Screen, figures: Mapping[str, Mapping[str, Any]], order: Mapping[str, Any]) -> None:
    """Print the figures next to those of other cuts, the chart, and the LEGOs that most SEEDs need."""
    if not order["seeds"]:
        return
    screen.gap()
    note = f"  over the {counted(len(order['seeds']), 'SEED')} that can be taught"
    screen.line(("strong", "What a learner meets"), ("faint", note))
    screen.line(" " * (LABEL + 2), ("faint", "".join(f"{name:>{COLUMN}}" for name in CUTS.values())))
    for label, cell in ROWS.items():
        cells = "".join(f"{cell(figures[name]):>{COLUMN}}" for name in CUTS)
        screen.line(f"  {label:<{LABEL}}", cells)
    _show_picture(screen, order["seeds"])
    rows = [row for row in inventory(order) if row["times_met"] > 1][:MOST_LEGOS]
    if not rows:
        return
    screen.gap()
    screen.line("  ", ("strong", "LEGOs that most SEEDs need"), ("faint", f"  of {order['count']:,}; --json lists all"))
    for row in rows:
        pair = excerpt(f"{row['source']} = {row['target']}", None, screen.width - 30).line
        first = f"{row['times_met']:>4} SEEDs, first in {row['seed_id']}  "
        screen.line("  ", ("faint", first), pair)


def _share(of: Mapping[str, Any], name: str) -> str:
    return f"{of[name]:.1%}" if of[name] is not None else "-"


ROWS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "distinct LEGOs": lambda of: f"{of['distinct']:,}",
    "met in two SEEDs or more": lambda of: _share(of, "share_met_in_two_seeds"),
    "places that belong to such a LEGO": lambda of: _share(of, "share_of_occurrences_met_in_two_seeds"),
    "SEEDs said with LEGOs known before": lambda of: f"{of['seeds_said_with_known']:,}",
    "new LEGOs a SEED": lambda of: f"{of['new_a_seed']:.2f}",
    "words a LEGO": lambda of: f"{of['words_a_lego']:.1f}",
}


def _show_picture(screen: Screen, seeds: Sequence[Mapping[str, Any]]) -> None:
    """Print a chart of new LEGOs a SEED along the course: high columns are hard stretches."""
    width = min(len(seeds), max(NARROWEST, min(WIDEST, screen.width - 50)))
    bounds = [len(seeds) * place // width for place in range(width + 1)]
    means = [
        sum(len(seed["new_legos"]) for seed in seeds[start:end]) / (end - start) for start, end in pairwise(bounds)
    ]
    most = max(means)
    shown = "".join(
        LEVELS[min(len(LEVELS) - 1, int(mean / most * len(LEVELS)))] if most else LEVELS[0] for mean in means
    )
    screen.gap()
    screen.line("  new LEGOs a SEED, first to last  ", ("info", shown), ("faint", f"  at most {most:.1f}"))
