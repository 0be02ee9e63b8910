"""Courses of LEGOs, in the names of their own records and reports."""

from __future__ import annotations

from pydantic import ConfigDict

from burnish.api.shapes import Asked, Shape
from burnish.api.shapes.content import RunName
from burnish.api.shapes.decisions import Note, Person
from burnish.kinds.legos.evolution.overlay import LedgerRow
from burnish.kinds.legos.records import LegoAminoAcid, TranslationAminoAcid
from burnish.kinds.legos.reports.shapes import FailedSeeds, FlaggedSeeds, HumanReviewQueue, QualityReport, RetryQueue


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
    """A record or file that is in no report."""

    path: str | None
    code: str
    message: str


class CourseQuality(QualityReport):
    """How a course stands: `quality_report.json`, and the lists beside it."""

    course: str
    flagged_seeds: FlaggedSeeds
    failed_seeds: FailedSeeds
    retry_queue: RetryQueue
    human_review_queue: HumanReviewQueue
    problems: list[LeftOut]


class SeedReview(Shape):
    """One SEED with the history of its extractions, its LEGOs, and where it waits for a person."""

    course: str
    translation: TranslationAminoAcid
    legos: list[LegoAminoAcid]
    waits_in: str | None
    """The run in which a person has to decide on it; null: in none."""
    seen: str | None
    """When it last moved there: what `seen` of a decision takes."""


class RegenerateOrder(Asked):
    """Cut a SEED anew, whatever became of it before."""

    run_id: RunName | None = None
    """The name of the run. Default: one is made of the course's code and the moment."""


class AcceptOrder(Asked):
    """A person accepts a SEED as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "Ada"}]})

    by: Person
    """Who decides. It is recorded."""
    note: Note | None = None
    seen: str | None = None
    """What the SEED's review said under `seen`."""


class EvolvedRule(Shape):
    """A rule that was tried on the course's own SEEDs."""

    id: str
    text: str
    prompt_version: str
    """Since which version of the prompt it is in use, or no more."""
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
