"""The shapes of runs, units, events, refinement, rules, schemas and precision in responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from burnish.app.check_json import Shape
from burnish.app.receipt import OpenClaims, SpentInAll
from burnish.app.run_card import Sort
from burnish.app.run_reader import CauseCount, RuleCount, ScoreSpread
from burnish.app.runs import RunState
from burnish.core.checks import Proven
from burnish.core.findings import ReportedFinding, Severity, Standing
from burnish.core.records import Cause
from burnish.kinds.lessons.display import CLEVVotingResult, LessonInspectorDataRefinementExtension


class Run(Shape):
    """A run in the list of runs."""

    id: str
    title: str
    """The document's title or name; a course's code."""
    subtitle: str
    kind: str
    noun: str
    """What one unit is called."""
    task: str
    """The task, if it is not the usual one of the kind (`evolve`)."""
    state: RunState
    text: str
    """The state in words."""
    detail: str
    """One more line."""
    counts: dict[str, int]
    """Units by state."""
    ready: int
    """Accepted, or published already."""
    requested: int
    """Units in scope."""
    waiting: int
    """Units that wait for a person."""
    totals: SpentInAll
    started_at: str
    active_at: str
    """When the run last recorded something."""
    event: int
    """The number of the latest event; use it as `after`."""
    host: str | None
    """The host on which it runs, or ran last."""
    heartbeat_at: str | None
    ceilings: dict[str, float]
    """The limits that are set."""
    models: list[str]
    documents: list[str]
    stop: str | None
    """How its last session ended; null before that."""
    trials: int
    """Of an experiment: the number of finished trials."""


class UnreadableRun(Shape):
    """A run that cannot be shown."""

    id: str
    message: str
    hint: str | None


class RunList(Shape):
    """A page of runs, the most recently active first."""

    runs: list[Run]
    unreadable: list[UnreadableRun]
    """Runs that cannot be read, whatever the filter."""
    total: int
    """All runs that match."""
    next: int | None
    """The value of `after` for the next page; null: this is the last."""


class RunDetail(Run):
    """A run in detail."""

    causes: list[CauseCount]
    findings: list[RuleCount]
    open_claims: OpenClaims
    """What is open in accepted units."""
    scores: list[ScoreSpread]
    resumes_in: int | None
    """Seconds until it resumes automatically because everything is decided; null: it does not."""
    trouble: str | None
    """Why the server could not resume it the last time."""


class StartingRun(Shape):
    """A run that was started and has not recorded anything yet."""

    id: str
    state: Literal["starting", "failed"]
    trouble: str | None
    """Why it could not start."""


class Unit(Shape):
    """One unit in a list."""

    id: str
    document: str
    """Empty for a blocker that is no unit of the document."""
    position: int
    state: str
    sort: Sort
    """What the state means in every kind."""
    reason: str | None
    text: str
    """The reason in words."""
    attempts: int
    best_attempt: int
    open_errors: int
    severity: Severity | None
    """The worst finding of the kept draft."""
    score: float | None
    rules: list[str]
    """The rules that the draft breaks."""
    cause: str | None
    """Why it waits for a person; null: it does not."""
    excerpt: str
    repaired: bool
    decided_by: str | None
    at: str
    """When it last changed; use it as `seen` of a decision."""
    url: str


class UnitList(Shape):
    """A page of units, in document order."""

    units: list[Unit]
    previous: str | None
    """The value of `before` for the previous page; null: this is the first."""
    next: str | None
    """The value of `after` for the next page; null: this is the last."""
    total: int
    """All units that match."""
    digest: str | None
    """With `digest=true`: a digest of all matching units, for accepting them at once."""


class WaitingUnit(Unit):
    """A unit of any run that waits for a person."""

    run: str
    title: str
    """The run's."""
    kind: str
    waiting: int
    """Units of its run that wait, this one included."""


class WaitingList(Shape):
    """A page of the review queue: what unblocks most first."""

    units: list[WaitingUnit]
    total: int
    """All units that match."""
    next: int | None
    """The value of `after` for the next page; null: this is the last."""


class RawReply(Shape):
    """What a model answered, word for word."""

    role: str
    model: str
    status: str
    raw: str


class Attempt(Shape):
    """One draft, its review and its verdict."""

    number: int
    cause: Cause
    at: str
    scores: dict[str, float]
    passed: bool
    failure: str | None
    findings: list[ReportedFinding]
    ignored: list[ReportedFinding]
    """Findings that the author ignores."""
    skipped_rules: list[str]
    rules_applied: int | None
    dropped: list[dict[str, Any]]
    """Dropped findings of judges, with the reason."""
    edits: list[dict[str, Any]]
    withdrawn: bool
    """A person's text that was undone; it does not count."""
    diff: str
    """From the original to this draft."""
    total_tokens: int
    replies: list[RawReply] | None = None
    """Only with `replies=true`."""


class UnitRecord(Shape):
    """Everything that happened to one unit: the record of `burnish show --json`."""

    unit: str
    document: str
    state: str
    reason: str | None
    at: str
    """When it last changed; use it as `seen` of a decision."""
    best_attempt: int
    source: str
    """The original, as a person reads it."""
    draft: str
    """The kept draft."""
    attempts: list[Attempt]
    decisions: list[dict[str, Any]]
    """Oldest first: `verdict`, `by`, `note`, `at`; an undone one also has `undone_by` and `undone_at`."""
    dropped: list[dict[str, Any]]


class Event(Shape):
    """An event of a run."""

    seq: int
    at: str
    type: str
    unit: str | None
    data: dict[str, Any]


class EventList(Shape):
    """A page of events, in order."""

    events: list[Event]
    last: int
    """The number of the last one; use it as `after` to ask for later ones."""
    next: int | None
    """The value of `after` for the next page; null: this is the last for now."""


class Export(Shape):
    """A file of a run."""

    name: str
    sort: Literal["export", "published"]
    bytes: int
    media_type: str
    url: str


class ExportList(Shape):
    """The files of a run."""

    exports: list[Export]


Share = Annotated[float, Field(ge=0, le=1)]


class RuleStanding(Shape):
    """How far a rule is believed in one language."""

    language: str
    standing: Standing
    right: int
    of: int
    """Labelled findings on text that people published."""
    low: Share
    """The lower end of Wilson's 95 % interval: the precision, corrected for the number of labels."""


class RuleFacts(Shape):
    """The fields of every rule."""

    id: str
    title: str
    """Its name for people."""
    kind: str
    severity: Severity
    profiles: dict[str, Severity]
    """Profiles under which it has another severity."""
    languages: list[str]
    """The languages it applies to; empty: all."""
    fatal: bool
    """Whether no model is paid for a unit that fails it."""
    proven: Proven | None
    """Whether code can show what it finds: in all of its findings (`always`), in some, or in none (null)."""
    standing: list[RuleStanding]
    """How far it is believed where its findings on published text were labelled; elsewhere it is doubtful."""
    summary: str


class RuleEntry(RuleFacts):
    """A rule in the list of rules."""

    url: str


class RuleList(Shape):
    """Rules."""

    rules: list[RuleEntry]


class RuleExample(Shape):
    """An example that the rule reports, or does not."""

    lines: list[str]
    message: str | None
    """The message of the finding."""


class Rule(RuleFacts):
    """One rule."""

    what_it_looks_for: str
    why_it_matters: str
    fix: str
    bad: list[RuleExample]
    good: list[RuleExample]


class SchemaEntry(Shape):
    """A contract."""

    name: str
    what: str
    url: str


class SchemaList(Shape):
    """Contracts."""

    schemas: list[SchemaEntry]


class PrecisionOf(Shape):
    """The precision of one rule or judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person corrected what it found, or sent the unit back."""
    of: int
    """How often a person decided."""
    share: Share
    low: Share
    """The lower end of Wilson's 95 % interval: the precision, corrected for the number of decisions."""
    high: Share
    standing: str | None
    """How labelled findings on published text let a rule be believed; null for judges."""


class Precision(Shape):
    """Rules and judges."""

    precision: list[PrecisionOf]


class LessonRefinement(Shape):
    """One lesson."""

    document: str
    refinement: LessonInspectorDataRefinementExtension
    """The plan and its iterations; empty without a plan."""
    votes: list[CLEVVotingResult]
    """The votes of the panel: the first judging, then one for each iteration."""


class Refinement(Shape):
    """All lessons of a run."""

    run: str
    documents: list[LessonRefinement]
