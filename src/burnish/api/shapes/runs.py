"""Runs, units, events, refinement, rules, schemas and precision, as answers describe them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from burnish.api.shapes import Shape
from burnish.app.receipt import SpentInAll
from burnish.app.run_card import Sort
from burnish.app.run_state import RunState
from burnish.core.findings import ReportedFinding, Severity
from burnish.core.records import Cause
from burnish.kinds.lessons.refinement.display import CLEVVotingResult, LessonInspectorDataRefinementExtension


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
    """What it does with content of its kind, where that is not what runs of the kind do (`evolve`)."""
    state: RunState
    text: str
    """The state in words."""
    detail: str
    """One more line on it."""
    counts: dict[str, int]
    """Units by state."""
    ready: int
    """Accepted, or published already."""
    requested: int
    """All units that somebody works on."""
    waiting: int
    """What waits for a person."""
    totals: SpentInAll
    started_at: str
    active_at: str
    """When something was last written down."""
    event: int
    """The number of the latest event: what `after` of its events takes."""
    host: str | None
    """Where it is at work, or was when it went silent."""
    heartbeat_at: str | None
    ceilings: dict[str, float]
    """What it may cost at most, as far as that is set."""
    models: list[str]
    documents: list[str]
    stop: str | None
    """How its last sitting ended; null while none has."""
    trials: int
    """Of an experiment: what was settled so far."""


class UnreadableRun(Shape):
    """A run that cannot be shown."""

    id: str
    message: str
    hint: str | None


class RunList(Shape):
    """Some of the runs, the one that was active last first."""

    runs: list[Run]
    unreadable: list[UnreadableRun]
    """Runs that cannot be shown, whatever the filter says."""
    total: int
    """All runs that the filter lets through."""
    next: int | None
    """The `offset` of the next page; null: this is the last."""


class WaitingCause(Shape):
    """Why units wait for a person."""

    cause: str
    """What the filter `cause` takes."""
    reason: str
    rule: str | None
    text: str
    count: int


class RuleCount(Shape):
    """What one rule found."""

    rule: str
    severity: Severity
    open: int
    """Findings in the drafts that stand."""
    settled: int
    """Units in whose earlier drafts it spoke, and in the one that stands it does not."""
    units: int
    """Units whose draft it speaks against now."""


class ScoreSpread(Shape):
    """How one score is spread over the drafts that stand."""

    name: str
    line: float | None
    """What the gate asks for; null: it informs, and nothing depends on it."""
    lowest: float
    highest: float
    bins: list[int]
    below: int
    count: int


class RunDetail(Run):
    """A run, looked at closely."""

    causes: list[WaitingCause]
    findings: list[RuleCount]
    scores: list[ScoreSpread]
    resumes_in: int | None
    """Seconds until it goes on by itself, because nothing waits for a person any more; null: it does not."""
    trouble: str | None
    """What kept the server from going on with it, the last time that it tried."""


class StartingRun(Shape):
    """A run that was started and has not written anything down yet."""

    id: str
    state: Literal["starting", "failed"]
    trouble: str | None
    """Why it could not begin."""


class Unit(Shape):
    """One unit in a list."""

    id: str
    document: str
    """Empty for a blocker that is no unit of the document."""
    position: int
    state: str
    sort: Sort
    """What the state means, whatever the kind calls it."""
    reason: str | None
    text: str
    """The reason in words."""
    attempts: int
    best_attempt: int
    open_errors: int
    severity: Severity | None
    """The worst finding of the draft that stands."""
    score: float | None
    rules: list[str]
    """The rules that the draft breaks."""
    cause: str | None
    """Why it waits for a person; null: it does not."""
    excerpt: str
    repaired: bool
    decided_by: str | None
    at: str
    """When it last moved: what `seen` of a decision takes."""
    url: str


class UnitList(Shape):
    """Some of the units, in document order."""

    units: list[Unit]
    previous: str | None
    """What `before` takes for the page before; null: this is the first."""
    next: str | None
    """What `after` takes for the page after; null: this is the last."""
    total: int
    """All units that the filter lets through."""
    digest: str | None
    """With `digest=true`: one value for all of these units as they are now, which accepting them takes."""


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
    """Findings that the author asked to pass over."""
    skipped_rules: list[str]
    rules_applied: int | None
    dropped: list[dict[str, Any]]
    """What judges said and nobody acts on, with the reason."""
    edits: list[dict[str, Any]]
    withdrawn: bool
    """A text of a person who took it back: it stands, and counts for nothing."""
    diff: str
    """From the source to this draft."""
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
    """When it last moved: what `seen` of a decision takes."""
    best_attempt: int
    source: str
    """The unit as it was handed in, as a person reads it."""
    draft: str
    """The draft that stands."""
    attempts: list[Attempt]
    decisions: list[dict[str, Any]]
    """Oldest first: `verdict`, `by`, `note`, `at`; one that was taken back says `undone_by` and `undone_at`."""
    dropped: list[dict[str, Any]]


class Event(Shape):
    """Something that happened."""

    seq: int
    at: str
    type: str
    unit: str | None
    data: dict[str, Any]


class EventList(Shape):
    """Some events of a run, in order."""

    events: list[Event]
    last: int
    """The number of the last one: what `after` takes to go on."""
    more: bool
    """Whether there are more by now."""


class Export(Shape):
    """A file of a run."""

    name: str
    sort: Literal["export", "published"]
    bytes: int
    media_type: str
    url: str


class ExportList(Shape):
    """The files of a run that can be had."""

    exports: list[Export]


Share = Annotated[float, Field(ge=0, le=1)]


class RuleFacts(Shape):
    """What every rule has."""

    id: str
    title: str
    """What people call it."""
    kind: str
    severity: Severity
    profiles: dict[str, Severity]
    """Profiles under which it has another severity."""
    languages: list[str]
    """The languages that it can judge; none: all."""
    fatal: bool
    """Whether no model is paid for a unit that fails it."""
    summary: str


class RuleEntry(RuleFacts):
    """A rule in the list of rules."""

    url: str


class RuleList(Shape):
    """Rules."""

    rules: list[RuleEntry]


class RuleExample(Shape):
    """A unit on which the rule speaks, or stays silent."""

    lines: list[str]
    message: str | None
    """What it says."""


class Rule(RuleFacts):
    """One rule."""

    what_it_looks_for: str
    why_it_matters: str
    fix: str
    bad: list[RuleExample]
    good: list[RuleExample]


class SchemaEntry(Shape):
    """A shape that others may rely on."""

    name: str
    what: str
    url: str


class SchemaList(Shape):
    """Shapes."""

    schemas: list[SchemaEntry]


class PrecisionOf(Shape):
    """What people's decisions say of one rule or judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person mended what it found, or sent the unit back."""
    of: int
    """How often a person decided at all."""
    share: Share
    low: Share
    """The lower end of the 95 % interval."""
    high: Share


class Precision(Shape):
    """Rules and judges."""

    precision: list[PrecisionOf]


class LessonRefinement(Shape):
    """One lesson."""

    document: str
    refinement: LessonInspectorDataRefinementExtension
    """The plan and its iterations; empty where nothing was ever planned."""
    votes: list[CLEVVotingResult]
    """How the panel voted: the first judging, then once for each iteration that was judged again."""


class Refinement(Shape):
    """All lessons of a run."""

    run: str
    documents: list[LessonRefinement]
