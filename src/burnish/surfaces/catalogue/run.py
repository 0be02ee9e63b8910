"""One run, as pages and programs look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from burnish.core.attempts import blocking_rules
from burnish.core.findings import SEVERITIES
from burnish.core.kinds import UnitStory
from burnish.core.records import AttemptRecord, UnitRow
from burnish.store.clock import Clock
from burnish.surfaces.catalogue.cards import RunCard
from burnish.surfaces.catalogue.dealing import card_of
from burnish.surfaces.catalogue.filters import ALL, UnitFilter
from burnish.surfaces.catalogue.lines import CauseCount, Dimension, RuleCount, Spent, UnitLine, UnitPage
from burnish.surfaces.catalogue.precision import PrecisionLine
from burnish.surfaces.catalogue.standing import sort_of
from burnish.surfaces.reports.reasons import reason_of
from burnish.surfaces.runs import View, view

EXCERPT = 160
BINS = 20


class RunCatalogue:
    """A run, opened for reading. It may be at work meanwhile."""

    def __init__(self, runs: Path, id: str, clock: Clock) -> None:
        self._open = ExitStack()
        self._clock = clock
        self.view: View = self._open.enter_context(view(runs, id, clock=clock))

    @property
    def card(self) -> RunCard:
        return card_of(self.view, self._clock)

    @property
    def reading(self) -> tuple[int, int] | None:
        """(units read, all units) while the catalogue of a long run is being made; None: it is complete."""
        return None

    def units(
        self, where: UnitFilter = ALL, *, offset_key: str | None = None, limit: int = 50, backwards: bool = False
    ) -> UnitPage:
        """A page of the units that a filter lets through, in document order.

        Forwards the page begins behind `offset_key`; backwards it ends before it.
        """
        every = [line for line in self._lines() if _fits(line, where)]
        keys = [int(line.key) for line in every]
        at = int(offset_key) if offset_key is not None else -1
        if backwards:
            last = sum(key < at for key in keys) if offset_key is not None else len(every)
            first = max(0, last - limit)
        else:
            first = sum(key <= at for key in keys)
            last = first + limit
        lines = tuple(every[first:last])
        before = lines[0].key if lines and first > 0 else None
        after = lines[-1].key if lines and last < len(every) else None
        return UnitPage(lines, before, after, len(every))

    def line(self, unit: str) -> UnitLine | None:
        return next((line for line in self._lines() if line.id == unit), None)

    def beside(self, unit: str, where: UnitFilter = ALL) -> tuple[str | None, str | None]:
        """The units before and after one, among those that a filter lets through."""
        here = self.line(unit)
        if here is None:
            return None, None
        before = [line.id for line in self._lines() if _fits(line, where) and line.position < here.position]
        after = [line.id for line in self._lines() if _fits(line, where) and line.position > here.position]
        return (before[-1] if before else None), (after[0] if after else None)

    def story(self, unit: str) -> UnitStory:
        """Everything about one unit. NotFound for one that is not in the run."""
        return self.view.story(unit)

    def findings_by_rule(self) -> list[RuleCount]:
        found: dict[str, list[int]] = {}
        worst: dict[str, int] = {}
        for row in self.view.journal.units():
            attempts = self.view.journal.attempts(row.id)
            best = _best(row, attempts)
            standing = Counter(finding["rule"] for finding in best.findings) if best else Counter()
            for finding in (finding for attempt in attempts for finding in attempt.findings):
                rule = finding["rule"]
                worst[rule] = min(worst.get(rule, 9), SEVERITIES.index(finding["severity"]))
                found.setdefault(rule, [0, 0, 0])
            for rule in {finding["rule"] for attempt in attempts for finding in attempt.findings}:
                found[rule][0] += standing[rule]
                found[rule][1] += not standing[rule]
                found[rule][2] += bool(standing[rule])
        return [
            RuleCount(rule, SEVERITIES[worst[rule]], *numbers)
            for rule, numbers in sorted(found.items(), key=lambda one: (-one[1][0], -one[1][1], one[0]))
        ]

    def scores(self) -> list[Dimension]:
        gate = self.view.kind.gate(len(self.view.plan.judges))
        cards = [best.scores for row, best in self._standing() if best is not None]
        found = []
        for one in gate.dimensions:
            values = [card[one.name] for card in cards if one.name in card]
            bins = [0] * BINS
            for value in values:
                bins[min(BINS - 1, int((value - one.lowest) / (one.highest - one.lowest) * BINS))] += 1
            below = sum(value < one.minimum for value in values)
            line = one.minimum if one.minimum > one.lowest else None
            found.append(Dimension(one.name, line, one.lowest, one.highest, tuple(bins), below, len(values)))
        return [dimension for dimension in found if dimension.count]

    def spending(self, points: int = 60) -> list[Spent]:
        spent: list[Spent] = []
        tokens, cost, priced, calls = 0, 0.0, False, 0
        for call in self.view.journal.calls():
            tokens, calls = tokens + call.usage.total_tokens, calls + 1
            priced = priced or call.usage.cost is not None
            cost += call.usage.cost or 0.0
            spent.append(Spent(call.at, tokens, cost if priced else None, calls))
        step = max(1, -(-len(spent) // points))
        return spent[step - 1 :: step] + (spent[-1:] if len(spent) % step else [])

    def causes(self) -> list[CauseCount]:
        waiting = [line for line in self._lines() if line.cause is not None]
        counts = Counter((line.cause, line.reason, line.words) for line in waiting)
        return [
            CauseCount(str(cause), str(reason), str(cause).partition(":")[2] or None, words, count)
            for (cause, reason, words), count in counts.most_common()
        ]

    def precision(self) -> list[PrecisionLine]:
        return []

    def wait(self) -> None:
        """Until the catalogue is complete: for whoever needs all of it, such as a report."""

    def close(self) -> None:
        self._open.close()

    def _standing(self) -> Iterator[tuple[UnitRow, AttemptRecord | None]]:
        for row in self.view.journal.units():
            yield row, _best(row, self.view.journal.attempts(row.id))

    def _lines(self) -> list[UnitLine]:
        return [self._line(row, best) for row, best in self._standing()]

    def _line(self, row: UnitRow, best: AttemptRecord | None) -> UnitLine:
        kind = self.view.kind
        worst = [SEVERITIES.index(finding["severity"]) for finding in best.findings] if best else []
        scores = list(best.scores.values()) if best else []
        blocking = sorted(blocking_rules(best)) if best else []
        waits = row.state == kind.states.waiting
        cause = ":".join([row.reason or "", *blocking[:1]]) if waits else None
        text = kind.shown(kind.from_record(best.content)) if best and best.content and row.document else ""
        return UnitLine(
            id=row.id,
            document=row.document,
            position=row.position,
            state=row.state,
            sort=sort_of(kind, row.state),
            reason=row.reason,
            words=reason_of(kind, row),
            attempts=row.attempts,
            best_attempt=row.best_attempt,
            open_errors=row.open_errors,
            severity=SEVERITIES[min(worst)] if worst else None,
            score=sum(scores) / len(scores) if scores else None,
            rules=tuple(dict.fromkeys(finding["rule"] for finding in best.findings)) if best else (),
            cause=cause,
            excerpt=" ".join(text.split())[:EXCERPT],
            repaired=row.best_attempt > 1,
            decided_by=None,
            at=row.at,
            key=str(row.position),
        )


def _best(row: UnitRow, attempts: list[AttemptRecord]) -> AttemptRecord | None:
    return attempts[row.best_attempt - 1] if 0 < row.best_attempt <= len(attempts) else None


def _fits(line: UnitLine, where: UnitFilter) -> bool:
    text = (where.text or "").casefold()
    return (
        (not where.states or line.state in where.states)
        and (where.rule is None or where.rule in line.rules)
        and (where.severity is None or line.severity == where.severity)
        and (where.cause is None or line.cause == where.cause)
        and (where.document is None or line.document == where.document)
        and (not where.repaired or line.repaired)
        and (text in line.id.casefold() or text in line.excerpt.casefold())
    )
