"""The proof page: one file with inline styles, a heat map, and the missed cases side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from burnish.app.proof_report import (
    alarms_explained,
    cost,
    fixes_explained,
    headline,
    interval_of,
    percent,
    quiet_originals,
    seen_by,
    titles_of,
    verdict,
)
from burnish.store.files import atomic_writer
from burnish.web import Drawn
from burnish.web.charts import interval
from burnish.web.pages.report import standalone_context
from burnish.web.rendering import environment

SIZE, GAP = 34, 3
"""Pixels: the size of a cell of the heat map, and the gap between two."""
LETTER = 6.6
"""Approximate width of a letter in pixels."""
MOST_DETECTORS = 24
MOST_MISSED = 60
"""Missed cases of one damage that are shown."""
NOBODY = "missed"
HALVES = {"open": "known phrases", "held_out": "held-out phrases"}


def write_page(record: Mapping[str, Any], path: Path) -> Path:
    """Write the proof page to a file."""
    with atomic_writer(path) as file:
        file.write(page(record).encode())
    return path


def page(record: Mapping[str, Any]) -> str:
    """The proof page as markup."""
    return (
        environment()
        .get_template("proof.html")
        .render(
            **standalone_context("proof.css"),
            proof=record,
            headline=headline(record),
            verdict=verdict(record),
            originals=alarms_explained(record) if record["originals"]["alarms"] else quiet_originals(record),
            fixes=fixes_explained(record),
            cost=cost(record),
            groups=list(_groups(record)),
            heat=heat_map(record),
            missed=list(_missed(record)),
        )
    )


def _missed(record: Mapping[str, Any]) -> Iterator[Drawn]:
    """Missed copies by damage, the damage with the largest share missed first."""
    lines = sorted(record["damages"], key=lambda line: line["share"])
    for line in lines:
        cases = [one for one in record["missed"] if one["damage"] == line["id"]]
        if cases:
            yield Drawn(title=line["title"], count=len(cases), copies=line["copies"], cases=cases[:MOST_MISSED])


def _groups(record: Mapping[str, Any]) -> Iterator[Drawn]:
    for title, is_meaning in (("Damage to the form", False), ("Damage to the meaning", True)):
        lines = [line for line in record["damages"] if line["is_meaning"] == is_meaning]
        if lines:
            ordered = sorted(lines, key=lambda line: -line["share"])
            yield Drawn(title=title, rows=[_row(line, titles_of(record)) for line in ordered])


def _row(line: Mapping[str, Any], titles: Mapping[str, str]) -> Drawn:
    halves = ", ".join(f"{percent(half['share'])} of {HALVES[name]}" for name, half in line["halves"].items())
    chart = interval(line["share"], line["low"], line["high"])
    return Drawn(
        line=line,
        share=percent(line["share"]),
        range=interval_of(line),
        chart=chart,
        halves=halves,
        by=seen_by(line, titles, 3),
    )


def heat_map(record: Mapping[str, Any]) -> Drawn:
    """Damages in rows, detectors in columns; the last column is what no detector saw."""
    lines = sorted(record["damages"], key=lambda line: (line["is_meaning"], -line["share"]))
    titles = {one["id"]: one["title"] for one in record["detectors"][:MOST_DETECTORS]}
    detectors = list(titles)
    left = max((len(line["title"]) for line in lines), default=0) * LETTER + 12
    longest = max(len(name) for name in (*titles.values(), NOBODY)) * LETTER
    top = longest * 0.83 + 14
    step = SIZE + GAP
    columns = [
        Drawn(text=name, x=left + n * step + SIZE / 2 + 4, y=top - 6)
        for n, name in enumerate((*titles.values(), NOBODY))
    ]
    rows = [Drawn(text=line["title"], x=left - 8, y=top + n * step + SIZE / 2 + 4) for n, line in enumerate(lines)]
    cells = [cell for n, line in enumerate(lines) for cell in _cells(line, detectors, left, top + n * step)]
    width = left + len(columns) * step + longest * 0.58
    return Drawn(
        width=round(width),
        height=round(top + len(lines) * step + 4),
        rows=rows,
        columns=columns,
        cells=cells,
        size=SIZE,
    )


def _cells(line: Mapping[str, Any], detectors: Sequence[str], left: float, y: float) -> Iterator[Drawn]:
    copies = line["copies"]
    seen = [(name, line["by"].get(name, 0), "cell") for name in detectors]
    for n, (name, count, style) in enumerate([*seen, (NOBODY, copies - line["caught"], "miss")]):
        share = count / copies
        title = f"{line['title']}, {name}: {count} of {copies}"
        x = left + n * (SIZE + GAP)
        depth = round(0.15 + 0.75 * share, 2) if count else 0
        yield Drawn(
            x=x,
            y=y,
            style=style if count else "empty",
            depth=depth,
            text=f"{share * 100:.0f}" if count else "",
            title=title,
        )
