"""Read one run for pages and programs: lists of units, sums, and its part of the review queue."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from burnish.app.labels import reason_of
from burnish.app.rulebook import PrecisionLine, precision_lines
from burnish.app.run_card import RunCard, Sort, sorts_of
from burnish.app.runs import View
from burnish.core.errors import UsageError
from burnish.core.findings import SEVERITIES, Severity
from burnish.core.gate import Dimension
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import UnitRow
from burnish.engine.doubts import Doubts, accepted_states, doubts_of
from burnish.engine.unit_loader import KindPresenter
from burnish.store import unit_queries
from burnish.store.journal import Journal
from burnish.store.paths import shown
from burnish.store.processes import from_microseconds, iso
from burnish.store.rows import dollars, pack_name, unpack, unpack_json, unpack_optional
from burnish.store.unit_queries import ALL, QueueFilter, UnitFilter

BINS = 20
"""Steps into which the scores of a dimension are sorted."""
MOST_COUNTED = 200
"""Filters whose totals are remembered."""
_KEY = re.compile(r"[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
"""The key of a line; no number is too large for SQLite."""


@dataclass(frozen=True, slots=True)
class UnitLine:
    """One unit in a list."""

    id: str
    document: str
    """Empty for a blocker that is not a unit of the document."""
    position: int
    state: str
    sort: Sort
    reason: str | None
    """As in the journal."""
    text: str
    """The reason in words; empty if there is none."""
    attempts: int
    best_attempt: int
    """The attempt that is kept; 0: none yet."""
    open_errors: int
    severity: Severity | None
    """The worst finding of the kept draft; None: there is none."""
    score: float | None
    """The mean of the draft's scores; None: it was not scored."""
    rules: tuple[str, ...]
    """The rules with findings in the draft, worst severity first."""
    cause: str | None
    """Why it waits for a person, as `CauseCount.cause` names it; None: it does not."""
    excerpt: str
    """At most 160 characters of the draft as a person reads it, on one line."""
    repaired: bool
    """Whether the kept draft is not the one that was judged first."""
    decided_by: str | None
    """Who decided on it last, unless that decision was undone."""
    at: str
    """When its state last changed."""
    key: str
    """Its place in the list, for `offset_key` of `units`."""


@dataclass(frozen=True, slots=True)
class UnitPage:
    """Some lines of a list."""

    lines: tuple[UnitLine, ...]
    previous: str | None
    """The `offset_key` for the page before, with `backwards`; None: this is the first."""
    next: str | None
    """The `offset_key` for the page after; None: this is the last."""
    total: int
    """All units that pass the filter."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """The findings of one rule in a run."""

    rule: str
    severity: Severity
    """The worst severity among them."""
    open: int
    """Findings in the kept drafts of units that are not accepted."""
    accepted: int
    """Findings in the kept drafts of accepted units: they were accepted with them."""
    settled: int
    """Units in whose earlier drafts it has findings, and in the kept draft none."""
    units: int
    """Units in whose kept draft it has findings."""


@dataclass(frozen=True, slots=True)
class ScoreSpread:
    """The distribution of one score over the kept drafts."""

    name: str
    line: float | None
    """The threshold of the gate; None if the score is for information only."""
    lowest: float
    highest: float
    bins: tuple[int, ...]
    """Units in each of equally wide steps from `lowest` to `highest`; the last step holds `highest` too."""
    below: int
    """Units below the threshold; 0 if there is none."""
    count: int
    """Units that were scored."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens and cost up to a moment."""

    at: str
    tokens: int
    cost: float | None
    """The cost of the calls with a known price; None if no price is known."""
    calls: int


@dataclass(frozen=True, slots=True)
class CauseCount:
    """How many units wait for a person for one cause: a reason, and the first blocking rule."""

    cause: str
    """The value for `UnitFilter.cause`."""
    reason: str
    rule: str | None
    text: str
    """The reason in words."""
    count: int


@dataclass(frozen=True, slots=True)
class Scale:
    """The ranges and thresholds of scores in a run."""

    gate: Mapping[str, Dimension]
    unknown: Dimension
    """For scores that are not in the gate."""

    @classmethod
    def of(cls, kind: Kind, judges: int) -> Scale:
        gate = {dimension.name: dimension for dimension in kind.gate(judges).dimensions}
        return cls(gate, Dimension("", 0.0, 0.0, max(one.highest for one in gate.values())))

    def dimension(self, name: str) -> Dimension:
        return self.gate.get(name, self.unknown)

    def line(self, name: str) -> float | None:
        """The threshold of the gate; None if it requires only that the score exists."""
        one = self.dimension(name)
        return one.minimum if one.minimum > one.lowest else None

    def mean(self, scores: Mapping[str, float]) -> float | None:
        """The mean of the scores that have a threshold; of all scores if none has one."""
        counted = [score for name, score in scores.items() if self.line(name) is not None] or list(scores.values())
        return sum(counted) / len(counted) if counted else None

    def spread(self, name: str, counts: Sequence[tuple[float, int]]) -> ScoreSpread:
        """The distribution of scores, each with its number of units."""
        one, line, bins = self.dimension(name), self.line(name), [0] * BINS
        for score, count in counts:
            step = int((score - one.lowest) / (one.highest - one.lowest) * BINS)
            bins[max(0, min(BINS - 1, step))] += count
        below = sum(count for score, count in counts if line is not None and score < line)
        return ScoreSpread(name, line, one.lowest, one.highest, tuple(bins), below, sum(bins))


class RunReader:
    """A run, opened for reading. It may be at work at the same time. Safe for threads."""

    def __init__(self, view: View, journal: Journal, card: Callable[[], RunCard]) -> None:
        self.view = view
        """Its folder, journal, plan and kind."""
        self._ask = journal.ask
        self._card = card
        self._waiting = view.kind.states.waiting
        self._sorts = sorts_of(view.kind)
        self._scale = Scale.of(view.kind, len(view.plan.judges))
        self._presenter = KindPresenter.of(view.kind)
        self._totals: dict[UnitFilter, tuple[object, int]] = {}

    @property
    def card(self) -> RunCard:
        """The current card."""
        return self._card()

    # -- units

    def units(
        self, where: UnitFilter = ALL, *, offset_key: str | None = None, limit: int = 50, backwards: bool = False
    ) -> UnitPage:
        """A page of the units that pass a filter, in document order.

        Forwards the page begins after `offset_key`; backwards it ends before it.
        """
        place = _place(offset_key)

        def page(connection: sqlite3.Connection) -> UnitPage:
            rows = unit_queries.read_page(connection, where, self._waiting, place, limit + 1, backwards=backwards)
            more, kept = len(rows) > limit, (rows[-limit:] if backwards else rows[:limit])
            lines = tuple(map(self._line, kept))
            total = len(lines) if place is None and not more else self._total(connection, where)
            before, after = (more, place is not None) if backwards else (place is not None, more)
            return UnitPage(
                lines, lines[0].key if lines and before else None, lines[-1].key if lines and after else None, total
            )

        return self._ask(page)

    def _total(self, connection: sqlite3.Connection, where: UnitFilter) -> int:
        """How many units pass a filter. Cached until the journal changes, because a list has several pages."""
        stamp = connection.execute("SELECT last_stamp FROM books").fetchone()
        known = self._totals.get(where)
        if known is not None and known[0] == stamp:
            return known[1]
        if len(self._totals) >= MOST_COUNTED:
            self._totals.clear()
        total = unit_queries.count(connection, where, self._waiting)
        self._totals[where] = stamp, total
        return total

    def moments(self, where: UnitFilter = ALL) -> dict[str, str]:
        """Every unit that passes a filter, in document order -> the moment of its row."""

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            return {unpack(id): at for id, at in unit_queries.read_moments(connection, where, self._waiting)}

        return self._ask(read)

    def line(self, unit: str) -> UnitLine | None:
        """One unit; None if it is not in the run."""
        query = f"SELECT {unit_queries.COLUMNS} FROM units WHERE id = ?"

        def found(connection: sqlite3.Connection) -> UnitLine | None:
            row = connection.execute(query, (pack_name(unit),)).fetchone()
            return None if row is None else self._line(row)

        return self._ask(found)

    def previous_and_next(self, unit: str, where: UnitFilter = ALL) -> tuple[str | None, str | None]:
        """The previous and the next unit, among those that pass a filter."""
        here = self.line(unit)
        if here is None:
            return None, None
        place = _place(here.key)

        def both(connection: sqlite3.Connection) -> list[str | None]:
            pages = [
                unit_queries.read_page(connection, where, self._waiting, place, 1, backwards=way)
                for way in (True, False)
            ]
            return [unpack(rows[0][2]) if rows else None for rows in pages]

        before, after = self._ask(both)
        return before, after

    def story(self, unit: str) -> UnitStory:
        """Everything about one unit. Raise NotFound if it is not in the run."""
        return self.view.story(unit)

    def _line(self, row: unit_queries.Row) -> UnitLine:
        number, position, id, document, state, reason, attempts, drafts, best, errors, severity, scores = row[:12]
        notes, cause, excerpt, repaired, decided_by, at = row[12:]
        known = UnitRow(unpack(id), unpack(document), position, "", unpack(state), unpack_optional(reason))
        return UnitLine(
            id=known.id,
            document=known.document,
            position=position,
            state=known.state,
            sort=self._sorts.get(known.state, "work"),
            reason=known.reason,
            text=reason_of(self.view.kind, known),
            attempts=max(attempts, drafts),
            best_attempt=best,
            open_errors=errors,
            severity=SEVERITIES[severity] if severity < len(SEVERITIES) else None,
            score=self._scale.mean(unpack_json(scores)),
            rules=tuple(rule for rule, settled, _, _ in unpack_json(notes) if not settled),
            cause=unpack(cause) if known.state == self._waiting else None,
            excerpt=self._excerpt(known.id, best) if excerpt is None else unpack(excerpt),
            repaired=bool(repaired),
            decided_by=unpack_optional(decided_by),
            at=at,
            key=f"{position}.{number}",
        )

    def _excerpt(self, unit: str, best: int) -> str:
        """The excerpt of a unit that was written by a process without its kind."""
        attempts = self.view.journal.attempts(unit)
        drafted = attempts[best - 1].content if 0 < best <= len(attempts) else None
        content = drafted if drafted is not None else self.view.journal.source(unit)
        return "" if content is None else self._presenter.excerpt(content)

    # -- the run as a whole

    def findings_by_rule(self) -> list[RuleCount]:
        """Every rule that found something, those with most open findings first."""
        found = [
            RuleCount(
                one.rule,
                SEVERITIES[one.severity],
                one.open,
                one.accepted,
                one.settled_units,
                one.open_units + one.accepted_units,
            )
            for one in self._ask(partial(unit_queries.findings_by_rule, accepted=accepted_states(self.view.kind)))
        ]
        return sorted(found, key=lambda one: (-one.open, -one.accepted, -one.settled, one.rule))

    def doubts(self) -> Doubts:
        """What is open in accepted units."""
        return doubts_of(self.view.journal, self.view.kind)

    def scores(self) -> list[ScoreSpread]:
        """The distributions of the scores of the kept drafts; those in the gate first."""
        counts, gate = self._ask(unit_queries.score_counts), self._scale.gate
        names = [*(name for name in gate if name in counts), *sorted(name for name in counts if name not in gate)]
        return [self._scale.spread(name, counts[name]) for name in names]

    def spending(self, points: int = 60) -> list[Spent]:
        """The spending up to each of at most `points` moments."""
        sums, found = [0, 0, 0, 0], []
        for second, *more in self._ask(lambda connection: unit_queries.spending(connection, points)):
            sums = [have + new for have, new in zip(sums, more, strict=True)]
            tokens, cost, calls, unpriced = sums
            at = iso(from_microseconds(second * 1_000_000))
            found.append(Spent(at, tokens, dollars(cost) if unpriced < calls else None, calls))
        return found

    def spending_by_role(self, points: int = 60) -> dict[str, list[tuple[int, int]]]:
        """Role -> points of the number of calls in the run and the role's tokens up to then."""
        found: dict[str, list[tuple[int, int]]] = {}
        for role, call, tokens in self._ask(lambda one: unit_queries.spending_by_role(one, points)):
            line = found.setdefault(role, [(0, 0)])
            line.append((call, line[-1][1] + tokens))
        return found

    def causes(self) -> list[CauseCount]:
        """The causes for which units wait for a person, the most frequent first."""
        found = []
        for cause, given, unit, count in self._ask(lambda one: unit_queries.causes(one, self._waiting)):
            reason = given or "unknown"
            rule = cause.removeprefix(f"{reason}:") if cause != reason else None
            text = reason_of(self.view.kind, UnitRow(unit, "", 0, "", self._waiting, given))
            found.append(CauseCount(cause, reason, rule, text, count))
        return found

    def precision(self) -> list[PrecisionLine]:
        """The precision of the rules and judges by the decisions in this run."""
        return precision_lines(self.view.plan.kind, self._ask(unit_queries.judgement_sums))

    def judgements_by_day(self) -> list[tuple[str, bool, int]]:
        """Judgements on rules and judges by the day of the decision."""
        return self._ask(unit_queries.judgements_by_day)

    def judgements_after(self, seq: int) -> list[tuple[int, int, str, bool, int]]:
        """Single judgements that were added after number `seq`."""
        return self._ask(lambda connection: unit_queries.judgements_after(connection, seq))

    # -- its part of the queue

    def waiting(self, where: QueueFilter, *, offset: int, limit: int) -> list[tuple[UnitLine, int]]:
        """Waiting units in the order of the queue, each with the number of units that have the same cause."""

        def page(connection: sqlite3.Connection) -> list[tuple[UnitLine, int]]:
            rows = unit_queries.queue_page(connection, self._waiting, where, offset, limit)
            return [(self._line(row), same) for row, same in rows]

        return self._ask(page)

    def place_in_queue(self, where: QueueFilter, unit: str) -> int | None:
        """The place of a unit in the queue, from 0; None if it is not in it."""
        return self._ask(lambda connection: unit_queries.queue_place(connection, self._waiting, where, unit))

    def how_many_wait(self, where: QueueFilter) -> int:
        groups = self._ask(lambda connection: unit_queries.queue_groups(connection, self._waiting, where))
        return sum(group.count for group in groups)


def _place(key: str | None) -> unit_queries.Place | None:
    """The place that a key names."""
    if key is None:
        return None
    if _KEY.fullmatch(key) is None:
        raise UsageError(f"{shown(key)} is no place in a list.", hint="Start again with the list's first page.")
    position, number = map(int, key.split("."))
    return position, number
