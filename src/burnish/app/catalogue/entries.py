"""Entries: what the catalogue says of one unit, made from what the journal holds of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from burnish.app.catalogue.judgements import Judgement
from burnish.core.decisions import standing_decisions
from burnish.core.documents import Unit
from burnish.core.findings import BLOCKING, SEVERITIES
from burnish.core.kinds import PublishedKind
from burnish.core.records import EventRecord, Json, UnitRow
from burnish.core.scores import Dimension
from burnish.core.stages import StagedKind
from burnish.store.following import Sketch

EXCERPT = 160
"""Characters of a unit that lists show."""
UNREADABLE = "(This draft cannot be read.)"
BINS = 20
"""Steps into which the scores of a dimension are sorted."""
_READ = 4 * EXCERPT
"""Characters that an excerpt is made from: what is longer costs nothing."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What scores mean in a run."""

    gate: Mapping[str, Dimension]
    unknown: Dimension
    """A score that the gate does not ask for."""

    @classmethod
    def of(cls, kind: PublishedKind, seats: int) -> Scale:
        gate = {dimension.name: dimension for dimension in kind.gate(seats).dimensions}
        return cls(gate, Dimension("", 0.0, 0.0, max(one.highest for one in gate.values())))

    def dimension(self, name: str) -> Dimension:
        return self.gate.get(name, self.unknown)

    def line(self, name: str) -> float | None:
        """What the gate asks for; None where it only wants the score to be there."""
        one = self.dimension(name)
        return one.minimum if one.minimum > one.lowest else None

    def mean(self, scores: Mapping[str, float]) -> float | None:
        """Of the scores that something depends on; of all where nothing depends on any."""
        counted = [score for name, score in scores.items() if self.line(name) is not None] or list(scores.values())
        return sum(counted) / len(counted) if counted else None

    def place(self, name: str, score: float) -> tuple[int, bool]:
        """The step that a score falls into, and whether it is below the line."""
        one, line = self.dimension(name), self.line(name)
        step = int((score - one.lowest) / (one.highest - one.lowest) * BINS)
        return max(0, min(BINS - 1, step)), line is not None and score < line


@dataclass(frozen=True, slots=True)
class Lens:
    """What units of one run are looked at with. Found out once: asking a kind whether it has stages takes long."""

    kind: PublishedKind
    scale: Scale
    is_staged: bool

    @classmethod
    def of(cls, kind: PublishedKind, seats: int) -> Lens:
        return cls(kind, Scale.of(kind, seats), isinstance(kind, StagedKind))


@dataclass(frozen=True, slots=True)
class RuleNote:
    """What one rule says, or said, of a unit."""

    rule: str
    settled: bool
    """It spoke against an earlier draft, and is silent about the one that stands."""
    times: int
    severity: int
    """Its place among the severities, worst first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One unit."""

    number: int
    """The journal's number of the row."""
    row: UnitRow
    attempts: int
    severity: int | None
    score: float | None
    rules: tuple[str, ...]
    cause: str | None
    excerpt: str | None
    """Of the draft that stands; None: that is the source itself."""
    repaired: bool
    decided_by: str | None
    notes: tuple[RuleNote, ...]
    scores: Mapping[str, float]
    judgements: tuple[Judgement, ...] = field(default=())


def excerpt_of(kind: PublishedKind, unit: Unit) -> str:
    """The beginning of a unit as a person reads it, on one line."""
    words = " ".join(kind.shown(unit)[:_READ].split())
    return words if len(words) <= EXCERPT else words[: EXCERPT - 1].rstrip() + "…"


def cause_of(reason: str | None, rule: str | None) -> str:
    """Why a unit waits, as one word that lists can be filtered by."""
    return ":".join(part for part in (reason or "unknown", rule) if part)


def entry_of(
    lens: Lens,
    number: int,
    row: UnitRow,
    attempts: Sequence[Sketch],
    decisions: Sequence[EventRecord],
    judgements: tuple[Judgement, ...] = (),
) -> Entry:
    """What is said of a unit. `attempts` and `decisions` are all there are."""
    stands = attempts[row.best_attempt - 1] if 0 < row.best_attempt <= len(attempts) else None
    findings = sorted(stands.findings, key=_severity) if stands is not None else []
    rules = tuple(dict.fromkeys(str(finding["rule"]) for finding in findings))
    blocking = next((str(finding["rule"]) for finding in findings if finding["severity"] in BLOCKING), None)
    people = standing_decisions(decisions)
    return Entry(
        number=number,
        row=row,
        attempts=max(row.attempts, len(attempts)),
        severity=_severity(findings[0]) if findings else None,
        score=lens.scale.mean(stands.scores) if stands is not None else None,
        rules=rules,
        cause=cause_of(row.reason, blocking) if row.state == lens.kind.states.waiting else None,
        excerpt=_excerpt(lens.kind, stands),
        repaired=_is_repaired(attempts, stands),
        decided_by=str(people[-1].data["by"]) if people else None,
        notes=tuple(_notes(lens, attempts, stands)),
        scores=dict(stands.scores) if stands is not None else {},
        judgements=judgements,
    )


def _excerpt(kind: PublishedKind, stands: Sketch | None) -> str | None:
    if stands is None or stands.content is None:
        return None
    try:
        return excerpt_of(kind, kind.from_record(stands.content))
    except (ValueError, TypeError, LookupError):
        return UNREADABLE  # its own page says what is wrong with it; the others are shown all the same


def _is_repaired(attempts: Sequence[Sketch], stands: Sketch | None) -> bool:
    """Whether the draft that stands is another one than that which was judged first."""
    first = next((one for one in attempts if one.scores or one.findings), None)
    return stands is not None and first is not None and stands.content_hash != first.content_hash


def _notes(lens: Lens, attempts: Sequence[Sketch], stands: Sketch | None) -> Iterable[RuleNote]:
    """The rules that speak against the draft that stands, and those that were settled on the way to it.

    What a rule says of a draft that was not kept is neither: nobody had to settle it. Where drafts are reviewed in a
    stage of their own, nothing is settled before that.
    """
    if stands is None or (lens.is_staged and not stands.scores and not stands.findings):
        return
    open = Counter(str(finding["rule"]) for finding in stands.findings)
    earlier = [one for one in attempts if one.number < stands.number and one.failure is None]
    now, before = _worst(stands.findings), _worst(finding for one in earlier for finding in one.findings)
    for rule, times in open.items():
        yield RuleNote(rule, settled=False, times=times, severity=now[rule])
    for rule, severity in before.items():
        if rule not in open:
            yield RuleNote(rule, settled=True, times=1, severity=severity)


def _worst(findings: Iterable[Json]) -> dict[str, int]:
    """Rule -> the worst severity that it was given."""
    worst: dict[str, int] = {}
    for finding in findings:
        rule = str(finding["rule"])
        worst[rule] = min(worst.get(rule, len(SEVERITIES)), _severity(finding))
    return worst


def _severity(finding: Json) -> int:
    return SEVERITIES.index(finding["severity"])
