"""The shapes of decisions and of courses of LEGOs, in requests and in responses."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from burnish.api.shapes import Asked, RunName
from burnish.app.check_json import Shape
from burnish.core.findings import ReportedFinding, Severity
from burnish.core.notes import LONGEST_NOTE
from burnish.kinds.legos.evolution.overlay import LedgerRow
from burnish.kinds.legos.records import LegoAminoAcid, TranslationAminoAcid
from burnish.kinds.legos.reports.shapes import (
    FailedSeeds,
    FlaggedSeeds,
    HumanReviewQueue,
    MetLego,
    OrderedSeed,
    QualityReport,
    RetryQueue,
)

LONGEST_TEXT = 1_000_000
MOST_UNITS = 100_000
MOST_TOGETHER = 200
"""Units of one command: they are written in one transaction."""

Person = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"),
]
"""Who decides. It is recorded."""
Note = Annotated[str, StringConstraints(max_length=LONGEST_NOTE)]
UnitName = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Short = Annotated[str, StringConstraints(max_length=200)]
Moment = Annotated[str, StringConstraints(max_length=64)]


class DecisionOrder(Asked):
    """A decision about one unit."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"verdict": "accept", "by": "Ada"},
                {"verdict": "reject", "by": "Ada", "note": "Ask for the one right answer instead."},
                {"verdict": "edit", "by": "Ada", "text": '{"stem": "Which of the following is a fish?"}'},
                {"verdict": "reopen", "by": "Ada", "note": "The key is wrong.", "seen": "2026-11-16T09:00:00.000000Z"},
                {"verdict": "undo", "by": "Ada"},
            ]
        }
    )

    verdict: Literal["accept", "edit", "reject", "drop", "reopen", "undo"]
    """Accept the draft, accept an edited text, send it back with a note, leave it out, put an accepted unit back
    before a person, or undo a decision."""
    by: Person | None = None
    """Who decides. It is recorded. A personal token signs by itself."""
    note: Note | None = None
    """The reason; required for `reject` (what to improve) and `drop`."""
    text: Annotated[str, StringConstraints(max_length=LONGEST_TEXT)] | None = None
    """With `edit`: the unit's text; for a question, JSON of what changes; for a SEED, its LEGOs."""
    seen: Moment | None = None
    """The unit's `at` when the person saw it. If another person has decided since, nothing is changed and 409 says
    who. With `undo`: the `at` of the decision to undo; without it, the last one."""
    now: bool = False
    """While the run is active: apply the decision at its next pause, without the 30 seconds for a free undo."""


class UnitDecision(Asked):
    """One unit's part of a command."""

    unit: UnitName
    verdict: Literal["accept", "edit", "reject", "drop", "reopen", "undo"]
    note: Note | None = None
    text: Annotated[str, StringConstraints(max_length=LONGEST_TEXT)] | None = None
    seen: Moment | None = None
    """As in a decision about one unit."""
    beside: Annotated[dict[UnitName, Moment | None], Field(max_length=MOST_TOGETHER, default_factory=dict)]
    """With `drop`: near-duplicates that stay, each with its `at` when the person saw it."""


class CommandOrder(Asked):
    """A person's decisions about several units: all of them or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "by": "Ada",
                    "decisions": [
                        {"unit": "q1", "verdict": "accept"},
                        {"unit": "q2", "verdict": "drop", "note": "near-duplicate of q1", "beside": {"q1": None}},
                    ],
                }
            ]
        }
    )

    by: Person | None = None
    """Who decides. It is recorded. A personal token signs by itself."""
    decisions: Annotated[list[UnitDecision], Field(min_length=1, max_length=MOST_TOGETHER)]
    now: bool = False
    """As in a decision about one unit."""


class Decided(Shape):
    """The result of a decision."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "run": "mammals",
                    "unit": "q1",
                    "verdict": "accept",
                    "by": "Ada",
                    "note": None,
                    "at": "2026-11-16T09:00:00.000000Z",
                    "in_effect": True,
                    "state": "validated",
                    "reason": "accepted by Ada",
                    "errors": [],
                    "warning": None,
                }
            ]
        }
    )

    run: str
    unit: str
    verdict: Literal["accept", "edit", "reject", "drop", "dismiss", "reopen", "undo"]
    by: str
    note: str | None
    at: str
    in_effect: bool
    """False: the run is active, and applies the decision when it pauses, after 30 seconds at the earliest."""
    state: str
    reason: str | None
    errors: list[ReportedFinding]
    """What an edited text still breaks. The text is kept, and the unit keeps waiting."""
    warning: str | None
    """Why the document cannot hold the edited text, if that is known."""


class CommandResult(Shape):
    """The results of a command, in the order of its units."""

    run: str
    decisions: list[Decided]


class Where(Asked):
    """A filter on the waiting units; all given conditions must hold."""

    rule: Short | None = None
    severity: Severity | None = None
    cause: Short | None = None
    """Why they wait, as the run's `causes` name it."""
    text: Short | None = None
    """In the id or the text."""
    document: Annotated[str, StringConstraints(max_length=1024)] | None = None
    repaired: bool = False


class BulkOrder(Asked):
    """A decision about many units at once."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [{"required": ["units"]}, {"required": ["where"]}],
            "examples": [
                {"verdict": "accept", "by": "Ada", "units": ["q1", "q2"], "expected": 2},
                {"verdict": "accept", "by": "Ada", "where": {"cause": "no_model:nbme_lead_in"}, "expected": 12},
            ],
        }
    )

    verdict: Literal["accept", "reject"]
    """Accept them unchanged, or send them back."""
    by: Person | None = None
    note: Note | None = None
    """The reason; required for `reject`: what the next attempt should do better."""
    units: Annotated[list[UnitName], Field(min_length=1, max_length=MOST_UNITS)] | None = None
    """These units; or:"""
    seen: Annotated[dict[UnitName, Moment], Field(max_length=MOST_UNITS)] | None = None
    """With `units`: the `at` of each when the person saw it. One that has changed since is passed over."""
    where: Where | None = None
    """every waiting unit that matches this filter."""
    expected: Annotated[int, Field(ge=1, le=MOST_UNITS)]
    """The number of units that the person saw. If it has changed since, nothing is decided."""
    digest: Annotated[str, StringConstraints(max_length=64)] | None = None
    """With `where`: the digest of the units, from the list of units with `digest=true`. If it has changed since,
    nothing is decided."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.units is None) == (self.where is None):
            raise ValueError("give either `units` or `where`")
        if self.seen is not None and self.units is None:
            raise ValueError("`seen` goes with `units`")
        if self.verdict == "reject" and not (self.note or "").strip():
            raise ValueError("sending back needs a `note`")
        if self.digest is not None and self.where is None:
            raise ValueError("`digest` goes with `where`")
        return self


class PassedOver(Shape):
    """A unit that was not accepted."""

    unit: str
    why: str


class Bulk(Shape):
    """The result of a decision about many units."""

    run: str
    decided: list[str]
    passed_over: list[PassedOver]
    in_effect: bool
    """False: the run is active, and applies the decisions when it pauses, after 30 seconds at the earliest."""


class ApplyOrder(Asked):
    """Apply saved decisions at the next pause of the run."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"unit": "q1"}]})

    unit: UnitName | None = None
    """Only the decision about this unit. Default: all saved ones."""


class Hastened(Shape):
    """How many decisions are applied at the next pause of the run."""

    run: str
    decisions: int


class ApprovalOrder(Asked):
    """A person approves that a run is published."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "Ada"}]})

    by: Person | None = None
    """Who approves. It is recorded. A personal token signs by itself."""


class CourseEntry(Shape):
    """A course that runs in this folder have worked on."""

    id: str
    """Its code."""
    runs: list[str]
    """The latest first."""
    url: str


class CourseList(Shape):
    """Courses."""

    courses: list[CourseEntry]


class LeftOut(Shape):
    """A record or file that no report includes."""

    path: str | None
    code: str
    message: str


class CourseQuality(QualityReport):
    """The quality of a course: `quality_report.json` and the lists beside it."""

    course: str
    flagged_seeds: FlaggedSeeds
    failed_seeds: FailedSeeds
    retry_queue: RetryQueue
    human_review_queue: HumanReviewQueue
    problems: list[LeftOut]


class ExampleSeed(Shape):
    """A SEED that holds a LEGO."""

    seed_id: str
    source: str
    target: str


class InventoryLego(MetLego):
    """A distinct LEGO, with the SEEDs that hold it."""

    seeds: list[ExampleSeed]


class LegoInventory(Shape):
    """The distinct LEGOs that can be taught, those that most SEEDs need first."""

    course: str
    legos: list[InventoryLego]
    total: int
    next: int | None
    """The value of `after` for the next page; null: this is the last."""


class CourseOrder(Shape):
    """A page of SEEDs in the order of teaching. LEGOs are named by their position in that order."""

    course: str
    order: Literal["fewest_new", "course"]
    seeds: list[OrderedSeed]
    total: int
    next: int | None
    """The value of `after` for the next page; null: this is the last."""


class SeedReview(Shape):
    """One SEED with the history of its extractions, its LEGOs, and where it waits for a person."""

    course: str
    translation: TranslationAminoAcid
    legos: list[LegoAminoAcid]
    waits_in: str | None
    """The run in which a person has to decide on it; null: in none."""
    seen: str | None
    """When it last changed there; use it as `seen` of a decision."""


class RegenerateOrder(Asked):
    """Cut a SEED again."""

    run_id: RunName | None = None
    """The name of the run. Default: course code and time."""


class AcceptOrder(Asked):
    """A person accepts a SEED."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "Ada"}]})

    by: Person | None = None
    """Who decides. It is recorded. A personal token signs by itself."""
    note: Note | None = None
    seen: str | None = None
    """The value of `seen` in the SEED's review."""


class EvolvedRule(Shape):
    """A rule that was tested on the course's own SEEDs."""

    id: str
    text: str
    prompt_version: str
    """The version of the prompt that added or removed it."""
    pairs: int
    gain: float
    p: float
    effect: float


class PromptEvolution(Shape):
    """What the prompts of a course have learnt."""

    course: str
    prompt_version: str
    rules: list[EvolvedRule]
    taken_back: list[EvolvedRule]
    trials: int
    decisions: dict[str, int]
    """`adopted`, `rejected`, `taken_back`, `kept` -> how many."""
    ledger: list[LedgerRow]
    """Every trial, oldest first."""
    problems: list[LeftOut]
