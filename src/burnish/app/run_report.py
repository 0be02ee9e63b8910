"""The report on a run: how far it is, what blocks it, what was found and settled, what it cost, and how often people
agreed. The shape of `burnish report RUN --json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from burnish.app.check_json import Shape
from burnish.app.precision import PrecisionLine
from burnish.app.receipt import SpentInAll
from burnish.app.run_reader import RunReader
from burnish.core.decisions import told_decisions
from burnish.core.findings import Severity
from burnish.core.records import EventRecord
from burnish.engine.exports import totals_record
from burnish.engine.publish import unreadable
from burnish.store.unit_queries import UnitFilter

ShapeT = TypeVar("ShapeT", bound=Shape)

MOST_WAITING = 200
"""Units that wait and are named; how many there are is told whole."""
MOST_PROBLEMS = 50


class ReportedProgress(Shape):
    """How far a run is."""

    requested: int
    """Units in scope."""
    ready: int
    waiting: int
    """Units that wait for a person, and blockers that are no units."""
    states: dict[str, int]


class ReportedCause(Shape):
    """Why units wait for a person."""

    reason: str
    rule: str | None
    """The first rule that blocks."""
    text: str
    units: int


class ReportedWaiting(Shape):
    """A unit that waits for a person."""

    unit: str
    reason: str | None
    text: str
    rules: tuple[str, ...]
    """The rules that its draft breaks, the worst first."""
    severity: Severity | None
    attempts: int


class ReportedInput(Shape):
    """A part of the input that cannot be used."""

    document: str
    line: int | None
    message: str


class ReportedRule(Shape):
    """What a rule found."""

    rule: str
    severity: Severity
    open: int
    """Findings in the kept drafts."""
    settled: int
    """Units in which an earlier draft breaks the rule and the kept draft does not."""
    units: int


class ReportedScore(Shape):
    """How one score is spread over the kept drafts."""

    name: str
    line: float | None
    """What the gate asks for; null: it only informs."""
    lowest: float
    highest: float
    bins: tuple[int, ...]
    """Units in each of equally wide steps from the lowest to the highest."""
    below: int
    scored: int


class ReportedPrecision(Shape):
    """How often people agreed with a rule or a judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    right: int
    of: int
    """Decisions of people on its findings."""
    share: float
    low: float
    """The lower end of the 95 % interval, after Wilson."""
    high: float


class ReportedPerson(Shape):
    """What a person decided, without undone decisions."""

    by: str
    accepted: int
    edited: int
    sent_back: int


class ReportedTrial(Shape):
    """A rule of a prompt that an evolution tried."""

    rule: str
    text: str
    decision: str
    why: str


class RunReport(Shape):
    """A run, summed up for people and programs."""

    run_id: str
    kind: str
    task: str
    noun: str
    title: str
    state: str
    text: str
    """The state in words."""
    detail: str
    started_at: str
    active_at: str
    documents: tuple[str, ...]
    models: tuple[str, ...]
    progress: ReportedProgress
    causes: tuple[ReportedCause, ...]
    waiting: tuple[ReportedWaiting, ...]
    waiting_left_out: int
    """Units that wait and are not named here; `burnish status` lists all."""
    input_problems: tuple[ReportedInput, ...]
    findings: tuple[ReportedRule, ...]
    scores: tuple[ReportedScore, ...]
    spent: SpentInAll
    people: tuple[ReportedPerson, ...]
    precision: tuple[ReportedPrecision, ...]
    """From the decisions in this run."""
    precision_in_all_runs: tuple[ReportedPrecision, ...]
    """From the decisions in all runs of the same folder on content of this kind."""
    trials: tuple[ReportedTrial, ...]
    """Of an evolution."""


def run_report(run: RunReader, everywhere: Sequence[PrecisionLine] = ()) -> RunReport:
    """Everything that is said of a run. `everywhere`: the precision of rules and judges over all runs."""
    card, journal = run.card, run.view.journal
    lines = run.units(UnitFilter(states=(run.view.kind.states.waiting,)), limit=MOST_WAITING).lines
    return _taken(
        RunReport,
        card,
        run_id=card.id,
        progress=ReportedProgress(
            requested=card.requested, ready=card.ready, waiting=card.waiting, states=dict(card.counts)
        ),
        causes=tuple(_taken(ReportedCause, one, units=one.count) for one in run.causes()),
        waiting=tuple(_taken(ReportedWaiting, line, unit=line.id) for line in lines),
        waiting_left_out=max(0, card.waiting - len(lines)),
        input_problems=tuple(
            ReportedInput(**{name: part.data[name] for name in ("document", "line", "message")})
            for part in islice(unreadable(journal), MOST_PROBLEMS)
        ),
        findings=tuple(_taken(ReportedRule, one) for one in run.findings_by_rule()),
        scores=tuple(_taken(ReportedScore, one, scored=one.count) for one in run.scores()),
        spent=SpentInAll(**totals_record(card.totals)),
        people=tuple(_people(journal.events(types=("decision",)))),
        precision=tuple(_taken(ReportedPrecision, one) for one in run.precision()),
        precision_in_all_runs=tuple(_taken(ReportedPrecision, one) for one in everywhere if one.kind == card.kind),
        trials=tuple(
            ReportedTrial(**{name: str(event.data[name]) for name in ReportedTrial.model_fields})
            for event in journal.events(types=("trial_settled",))
        ),
    )


def _taken(shape: type[ShapeT], one: object, **renamed: Any) -> ShapeT:
    """The shape with the attributes of `one` that it has, and those that it calls by another name."""
    return shape(**{name: getattr(one, name) for name in shape.model_fields if name not in renamed}, **renamed)


def _people(events: Iterator[EventRecord]) -> Iterator[ReportedPerson]:
    """Who decided most comes first."""
    counts: dict[str, Counter[str]] = {}
    for told in told_decisions(events):
        if "undone_by" not in told:
            counts.setdefault(str(told["by"]), Counter())[str(told["verdict"])] += 1
    for by, verdicts in sorted(counts.items(), key=lambda one: (-one[1].total(), one[0])):
        yield ReportedPerson(by=by, accepted=verdicts["accept"], edited=verdicts["edit"], sent_back=verdicts["reject"])
