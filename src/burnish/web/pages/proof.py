"""The page of a proof: one file with its styles inside, a heat map that is drawn, and the missed cases side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from burnish import __version__
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
from burnish.web.charts import Interval, interval
from burnish.web.pages.report import policy
from burnish.web.rendering import environment, stylesheet

SIZE, GAP = 34, 3
"""Pixels of a cell of the map, and between two."""
LETTER = 6.6
"""Pixels of a letter, about."""
MOST_DETECTORS = 24
MOST_MISSED = 60
"""Cases of one damage on the page."""
NOBODY = "missed"
HALVES = {"open": "known phrases", "held_out": "held-out phrases"}


@dataclass(frozen=True, slots=True)
class Label:
    """Words on the map."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Cell:
    """One damage and one detector."""

    x: float
    y: float
    style: str
    depth: float
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Damages by detectors, in pixels."""

    width: float
    height: float
    rows: Sequence[Label]
    columns: Sequence[Label]
    cells: Sequence[Cell]
    size: int = SIZE


@dataclass(frozen=True, slots=True)
class Row:
    """A damage in the table."""

    line: Mapping[str, Any]
    share: str
    range: str
    chart: Interval
    halves: str
    by: str


@dataclass(frozen=True, slots=True)
class Group:
    """Damages of one sort."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Missed:
    """Copies with one damage that nobody saw."""

    title: str
    count: int
    copies: int
    cases: Sequence[Mapping[str, Any]]


def write_page(record: Mapping[str, Any], path: Path) -> Path:
    """Write the page of a proof."""
    with atomic_writer(path) as file:
        file.write(page(record).encode())
    return path


def page(record: Mapping[str, Any]) -> str:
    """The page as markup."""
    own = (files("burnish.web") / "static" / "proof.css").read_text(encoding="utf-8")
    style = f"{stylesheet()}\n{own}"
    return (
        environment()
        .get_template("proof.html")
        .render(
            style=Markup("<style>{}</style>").format(Markup(style)),
            policy=policy(style),
            version=__version__,
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


def _missed(record: Mapping[str, Any]) -> Iterator[Missed]:
    """Missed copies by their damage, those of which most are missed first."""
    lines = sorted(record["damages"], key=lambda line: line["share"])
    for line in lines:
        cases = [one for one in record["missed"] if one["damage"] == line["id"]]
        if cases:
            yield Missed(line["title"], len(cases), line["copies"], cases[:MOST_MISSED])


def _groups(record: Mapping[str, Any]) -> Iterator[Group]:
    for title, is_meaning in (("Damage to the form", False), ("Damage to the meaning", True)):
        lines = [line for line in record["damages"] if line["is_meaning"] == is_meaning]
        if lines:
            ordered = sorted(lines, key=lambda line: -line["share"])
            yield Group(title, [_row(line, titles_of(record)) for line in ordered])


def _row(line: Mapping[str, Any], titles: Mapping[str, str]) -> Row:
    halves = ", ".join(f"{percent(half['share'])} of {HALVES[name]}" for name, half in line["halves"].items())
    chart = interval(line["share"], line["low"], line["high"])
    return Row(line, percent(line["share"]), interval_of(line), chart, halves, seen_by(line, titles, 3))


def heat_map(record: Mapping[str, Any]) -> HeatMap:
    """Damages in rows, detectors in columns, at last what nobody saw."""
    lines = sorted(record["damages"], key=lambda line: (line["is_meaning"], -line["share"]))
    titles = {one["id"]: one["title"] for one in record["detectors"][:MOST_DETECTORS]}
    detectors = list(titles)
    left = max((len(line["title"]) for line in lines), default=0) * LETTER + 12
    longest = max(len(name) for name in (*titles.values(), NOBODY)) * LETTER
    top = longest * 0.83 + 14
    step = SIZE + GAP
    columns = [
        Label(name, left + n * step + SIZE / 2 + 4, top - 6) for n, name in enumerate((*titles.values(), NOBODY))
    ]
    rows = [Label(line["title"], left - 8, top + n * step + SIZE / 2 + 4) for n, line in enumerate(lines)]
    cells = [cell for n, line in enumerate(lines) for cell in _cells(line, detectors, left, top + n * step)]
    width = left + len(columns) * step + longest * 0.58
    return HeatMap(round(width), round(top + len(lines) * step + 4), rows, columns, cells)


def _cells(line: Mapping[str, Any], detectors: Sequence[str], left: float, y: float) -> Iterator[Cell]:
    copies = line["copies"]
    seen = [(name, line["by"].get(name, 0), "cell") for name in detectors]
    for n, (name, count, style) in enumerate([*seen, (NOBODY, copies - line["caught"], "miss")]):
        share = count / copies
        told = f"{line['title']}, {name}: {count} of {copies}"
        x = left + n * (SIZE + GAP)
        depth = round(0.15 + 0.75 * share, 2) if count else 0
        yield Cell(x, y, style if count else "empty", depth, f"{share * 100:.0f}" if count else "", told)
