"""The read model: the data of a run's lists, filters and sums, written in the transaction that changes it.

Everything here is computed from the records that the transaction writes, so lists are never behind the journal.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from burnish.core.attempts import answers, effective_decisions, judgements
from burnish.core.documents import Field
from burnish.core.findings import BLOCKING, SEVERITIES
from burnish.core.records import AttemptRecord, EventRecord, Json, SourceRecord, UnitRow
from burnish.store import rows
from burnish.store.rows import Packed, pack_json, pack_name, pack_optional, unpack_json, unpack_optional

JUDGING = ("decision", "claims_answered")
"""The events that say how often rules and judges are right."""
NONE = len(SEVERITIES)
"""The severity of a unit without findings."""
MOST_CACHED = 1_000
"""The most units whose attempts are cached: those that the run is working on."""
_REFUSED = re.compile("[\x00\ud800-\udfff]")
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


class Presenter(Protocol):
    """Shows a kind's drafts. A journal without a presenter has lists without excerpts."""

    @property
    def reviews_apart(self) -> bool:
        """Whether drafts are reviewed in a separate task: an unreviewed draft settles no finding."""
        ...

    def excerpt(self, content: Json) -> str:
        """Return the beginning of a draft as readers see it, on one line."""
        ...

    def texts(self, content: Json) -> Mapping[Field, str]: ...


@dataclass(frozen=True, slots=True)
class _Draft:
    """The fields of an attempt that the read model needs."""

    number: int
    content: Json | None
    content_hash: str
    scores: Mapping[str, float]
    findings: tuple[tuple[str, int], ...]
    """Rule and severity of each finding."""
    failed: bool

    @classmethod
    def of(cls, attempt: AttemptRecord) -> _Draft:
        return cls(
            attempt.number,
            attempt.content,
            attempt.content_hash,
            {name: float(score) for name, score in attempt.scores.items() if math.isfinite(score)},
            tuple((str(one.get("rule", "")), _RANK.get(one.get("severity", ""), NONE - 1)) for one in attempt.findings),
            attempt.failure is not None,
        )


Note = tuple[str, int, int, int]
"""The findings of one rule in a unit: the rule, whether they are settled, their number, the worst severity."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """The data that lists show of one unit."""

    severity: int = NONE
    repaired: int = 0
    drafts: int = 0
    cause: str = "unknown"
    scores: Mapping[str, float] | None = None
    notes: tuple[Note, ...] = ()


class ReadModel:
    """Keeps the read model of one journal, in the thread that writes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.presenter: Presenter | None = None
        self._connection = connection
        self._drafts: OrderedDict[str, list[_Draft]] = OrderedDict()
        self._units: dict[str, None] = {}
        self._decided: dict[str, None] = {}
        self._scores: Counter[tuple[Packed, float]] = Counter()

    def note(self, record: object) -> None:
        """Register a record that was just written; `update` follows before the transaction ends."""
        if isinstance(record, UnitRow):
            self._units[record.id] = None
        elif isinstance(record, AttemptRecord):
            self._units[record.unit] = None
            known = self._drafts.get(record.unit)
            if known is not None:
                known.append(_Draft.of(record))
        elif isinstance(record, SourceRecord):
            self._units[record.unit] = None
        elif isinstance(record, EventRecord) and record.type in JUDGING and record.unit is not None:
            self._decided[record.unit] = None

    def first_text(self, unit: str) -> Json | None:
        """Return the text of a unit's first attempt; None if that attempt has no text."""
        drafts = self._drafts_of(unit, pack_name(unit))
        return drafts[0].content if drafts and drafts[0].number == 1 else None

    def update(self) -> None:
        """Write the changed data of lists."""
        for unit in self._units:
            self._show(unit)
        for unit in self._decided:
            self._judge(unit)
        if self._scores:
            self._connection.executemany(
                "INSERT INTO score_counts VALUES (?, ?, ?) "
                "ON CONFLICT (name, value) DO UPDATE SET count = count + excluded.count",
                [(name, value, count) for (name, value), count in self._scores.items() if count],
            )
        self._clear()

    def forget(self) -> None:
        """Discard the cache, because the transaction failed."""
        self._clear()
        self._drafts.clear()

    def _clear(self) -> None:
        self._units.clear()
        self._decided.clear()
        self._scores.clear()

    # -- data from rows and attempts

    def _show(self, unit: str) -> None:
        name = pack_name(unit)
        found = self._connection.execute(
            "SELECT number, position, reason, best_attempt, severity, repaired, drafts, cause, scores, notes, excerpt, "
            "excerpt_of FROM units WHERE id = ?",
            (name,),
        ).fetchone()
        if found is None:  # its row is not written yet
            return
        number, position, reason, best = found[:4]
        drafts = self._drafts_of(unit, name)
        kept = drafts[best - 1] if 0 < best <= len(drafts) else None
        shown = self._shown(unpack_optional(reason), drafts, kept)
        before = _values(shown)
        if before != found[4:10]:
            self._replace(number, position, shown, scores=found[8], notes=found[9])
            self._connection.execute(
                "UPDATE units SET severity = ?, repaired = ?, drafts = ?, cause = ?, scores = ?, notes = ? "
                "WHERE number = ?",
                (*before, number),
            )
        self._excerpt(number, position, unit, name, kept, found[10], found[11])

    def _drafts_of(self, unit: str, name: Packed) -> list[_Draft]:
        known = self._drafts.get(unit)
        if known is None:
            query = f"SELECT {rows.ATTEMPT_COLUMNS} FROM attempts WHERE unit = ? ORDER BY number"
            found = self._connection.execute(query, (name,)).fetchall()
            known = [_Draft.of(attempt) for attempt in rows.attempts_from(found)]
            if not known:
                return known
            self._drafts[unit] = known
            if len(self._drafts) > MOST_CACHED:
                self._drafts.popitem(last=False)
        else:
            self._drafts.move_to_end(unit)
        return known

    def _shown(self, reason: str | None, drafts: Sequence[_Draft], kept: _Draft | None) -> _Shown:
        if kept is None:
            return _Shown(drafts=len(drafts), cause=cause_of(reason, None))
        findings = sorted(kept.findings, key=lambda one: one[1])
        blocking = next((rule for rule, severity in findings if SEVERITIES[severity] in BLOCKING), None)
        first = next((one for one in drafts if one.scores or one.findings), None)
        return _Shown(
            severity=findings[0][1] if findings else NONE,
            repaired=int(first is not None and kept.content_hash != first.content_hash),
            drafts=len(drafts),
            cause=cause_of(reason, blocking),
            scores=kept.scores,
            notes=tuple(self._notes(drafts, kept, findings)),
        )

    def _notes(self, drafts: Sequence[_Draft], kept: _Draft, findings: Sequence[tuple[str, int]]) -> Iterable[Note]:
        """Yield the rules with findings in the kept draft, worst first, then those with findings settled before it.

        Findings in a draft that was not kept are left out: they did not have to be settled.
        """
        is_apart = self.presenter is not None and self.presenter.reviews_apart
        if is_apart and not kept.scores and not kept.findings:
            return
        open = Counter(rule for rule, _ in findings)
        now = _worst(findings)
        for rule, times in open.items():
            yield rule, 0, times, now[rule]
        earlier = _worst(
            one for draft in drafts if draft.number < kept.number and not draft.failed for one in draft.findings
        )
        for rule, severity in earlier.items():
            if rule not in open:
                yield rule, 1, 1, severity

    def _replace(self, number: int, position: int, shown: _Shown, *, scores: Packed, notes: Packed) -> None:
        """Replace a unit's counted findings and scores."""
        execute = self._connection.executemany
        if notes != "[]":
            removed = [(pack_name(rule), settled, position, number) for rule, settled, _, _ in unpack_json(notes)]
            execute("DELETE FROM findings WHERE rule = ? AND settled = ? AND position = ? AND number = ?", removed)
        if shown.notes:
            added = [(pack_name(note[0]), note[1], position, number, *note[2:]) for note in shown.notes]
            execute("INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?, ?)", added)
        if scores != "{}":
            self._scores.subtract((pack_name(name), float(value)) for name, value in unpack_json(scores).items())
        self._scores.update((pack_name(name), value) for name, value in (shown.scores or {}).items())

    def _excerpt(
        self,
        number: int,
        position: int,
        unit: str,
        name: Packed,
        kept: _Draft | None,
        known: Packed | None,
        known_of: int | None,
    ) -> None:
        of = kept.number if kept is not None and kept.content is not None else 0
        if known is not None and known_of == of:
            return
        if of and kept is not None:
            content = kept.content
        else:
            found = self._connection.execute("SELECT content FROM sources WHERE unit = ?", (name,)).fetchone()
            content = None if found is None else unpack_json(found[0])
        excerpt = self.presenter.excerpt(content) if self.presenter is not None and content is not None else None
        if excerpt is None and known_of == of:
            return
        self._connection.execute(
            "UPDATE units SET excerpt = ?, excerpt_of = ? WHERE number = ?", (pack_optional(excerpt), of, number)
        )
        self._connection.execute(
            "INSERT OR REPLACE INTO search_texts VALUES (?, ?, ?)",
            (position, number, folded(f"{unit}\n{excerpt or ''}")),
        )

    # -- data from decisions

    def _judge(self, unit: str) -> None:
        name, read = pack_name(unit), self._connection.execute
        found = read("SELECT number FROM units WHERE id = ?", (name,)).fetchone()
        if found is None:
            return
        types = ", ".join("?" * len(JUDGING))
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events WHERE unit = ? AND +type IN ({types}) ORDER BY seq"
        found_events = [rows.event_from(row) for row in read(query, (name, *map(pack_name, JUDGING))).fetchall()]
        decisions = [event for event in found_events if {"verdict", "by"} <= event.data.keys()]
        query = f"SELECT {rows.ATTEMPT_COLUMNS} FROM attempts WHERE unit = ? ORDER BY number"
        attempts = rows.attempts_from(read(query, (name,)).fetchall())
        standing = effective_decisions(decisions)
        by = str(standing[-1].data["by"]) if standing else None
        read("UPDATE units SET decided_by = ? WHERE number = ?", (pack_optional(by), found[0]))
        texts: Callable[[Json], Mapping[Field, str]] = self.presenter.texts if self.presenter else lambda content: {}
        told = answers(event for event in found_events if event.type == "claims_answered")
        said = chain(judgements(texts, attempts, decisions), told)
        now = {(one.key, pack_name(one.who), int(one.is_right)) for one in said}
        query = "SELECT key, who, is_right FROM judgements WHERE number = ? GROUP BY 1, 2, 3 HAVING SUM(change) > 0"
        before = set(read(query, found).fetchall())
        self._connection.executemany(
            "INSERT INTO judgements (number, key, who, is_right, change) VALUES (?, ?, ?, ?, ?)",
            [
                *((found[0], *word, -1) for word in sorted(before - now, key=str)),
                *((found[0], *word, 1) for word in sorted(now - before, key=str)),
            ],
        )


def cause_of(reason: str | None, rule: str | None) -> str:
    """Return why a unit waits: its reason and the first blocking rule, as one word for filters."""
    return ":".join(part for part in (reason or "unknown", rule) if part)


def folded(text: str) -> str:
    """Return text for searching: without case, and without characters that SQLite refuses."""
    return _REFUSED.sub("\ufffd", text.casefold())


def _values(shown: _Shown) -> tuple[Any, ...]:
    return (
        shown.severity,
        shown.repaired,
        shown.drafts,
        pack_name(shown.cause),
        pack_json(dict(shown.scores)) if shown.scores else "{}",
        pack_json(shown.notes) if shown.notes else "[]",
    )


def _worst(findings: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Map each rule to the worst severity of its findings."""
    worst: dict[str, int] = {}
    for rule, severity in findings:
        worst[rule] = min(worst.get(rule, NONE), severity)
    return worst
