"""Summing up a run: numbers for charts and tables, from sums that the catalogue keeps."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from burnish.app.catalogue.drawers import Tally, tallies
from burnish.app.catalogue.entries import BINS, Scale
from burnish.app.catalogue.lines import CauseCount, Dimension, RuleCount, Spent
from burnish.app.catalogue.precision import PrecisionLine
from burnish.app.reports.reasons import reason_of
from burnish.core.findings import SEVERITIES
from burnish.core.kinds import PublishedKind
from burnish.core.records import UnitRow
from burnish.store.clock import from_microseconds, iso
from burnish.store.packing import unpack, unpack_optional

_TRILLION = 10**12


def findings_by_rule(connection: sqlite3.Connection) -> list[RuleCount]:
    """Every rule that spoke, those with most open findings first."""
    query = "SELECT what, name, more, count FROM tallies WHERE what IN ('open', 'open units', 'settled units')"
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    worst: dict[str, int] = {}
    for what, name, severity, count in connection.execute(query).fetchall():
        rule = unpack(name)
        if count:
            sums[rule][what] += count
            worst[rule] = min(worst.get(rule, severity), severity)
    found = [
        RuleCount(rule, SEVERITIES[worst[rule]], one["open"], one["settled units"], one["open units"])
        for rule, one in sums.items()
    ]
    return sorted(found, key=lambda one: (-one.open, -one.settled, one.rule))


def dimensions(connection: sqlite3.Connection, scale: Scale) -> list[Dimension]:
    """How the scores are spread: first those that the gate asks for."""
    bins: dict[str, list[int]] = defaultdict(lambda: [0] * BINS)
    below: Counter[str] = Counter()
    query = "SELECT what, name, more, count FROM tallies WHERE what IN ('bin', 'below')"
    for what, name, more, count in connection.execute(query).fetchall():
        if what == "below":
            below[unpack(name)] += count
        else:
            bins[unpack(name)][more] += count
    names = [*(name for name in scale.gate if name in bins), *sorted(name for name in bins if name not in scale.gate)]
    found = [_dimension(name, scale, bins[name], below[name]) for name in names]
    return [one for one in found if one.count]


def _dimension(name: str, scale: Scale, bins: Sequence[int], below: int) -> Dimension:
    one = scale.dimension(name)
    return Dimension(name, scale.line(name), one.lowest, one.highest, tuple(bins), below, sum(bins))


def spending(connection: sqlite3.Connection, points: int) -> list[Spent]:
    """What had been spent by the end of each of at most so many equal times."""
    first, last = connection.execute("SELECT MIN(second), MAX(second) FROM spent").fetchone()
    if first is None:
        return []
    query = (
        "SELECT MAX(second), SUM(tokens), SUM(cost_trillionths), SUM(calls), SUM(unpriced) FROM spent "
        "GROUP BY (second - ?) * ? / ? ORDER BY 1"
    )
    sums, found = [0, 0, 0, 0], []
    for second, *more in connection.execute(query, (first, points, last - first + 1)).fetchall():
        sums = [have + new for have, new in zip(sums, more, strict=True)]
        tokens, cost, calls, unpriced = sums
        at = iso(from_microseconds(second * 1_000_000))
        found.append(Spent(at, tokens, cost / _TRILLION if unpriced < calls else None, calls))
    return found


def causes(connection: sqlite3.Connection, kind: PublishedKind) -> list[CauseCount]:
    """Why units wait, the commonest first."""
    query = (
        "SELECT cause, COUNT(*), MIN(number) FROM units INDEXED BY units_by_cause WHERE cause IS NOT NULL "
        "GROUP BY cause ORDER BY 2 DESC, 1"
    )
    found = []
    for packed, count, number in connection.execute(query).fetchall():
        one = connection.execute("SELECT id, state, reason FROM units WHERE number = ?", (number,)).fetchone()
        row = UnitRow(unpack(one[0]), "", 0, "", unpack(one[1]), unpack_optional(one[2]))
        cause, reason = unpack(packed), row.reason or "unknown"
        rule = cause.removeprefix(f"{reason}:") if cause != reason else None
        found.append(CauseCount(cause, reason, rule, reason_of(kind, row), count))
    return found


def precision(connection: sqlite3.Connection, kind: str) -> list[PrecisionLine]:
    """What people said in the run."""
    return precision_of(kind, tallies(connection))


def precision_of(kind: str, tallies: Iterable[Tally]) -> list[PrecisionLine]:
    """Rules and judges of one kind, those with most cases first."""
    of, right = Counter[str](), Counter[str]()
    for one in tallies:
        of[one.who] += one.count
        right[one.who] += one.count * one.is_right
    found = [PrecisionLine.counted(who, kind, right[who], number) for who, number in of.items() if number]
    return sorted(found, key=lambda line: (line.is_judge, -line.of, line.who))
