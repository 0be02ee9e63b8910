"""The shapes of `receipt.json` and `manifest.json`: what was wrong, changed, spent and left, and with what settings."""

from __future__ import annotations

from typing import Any, Literal

from burnish.app.check_json import NotJudged, Shape, SkippedRules
from burnish.core.findings import ReportedFinding, Severity


class Spent(Shape):
    """What calls cost."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cost_usd: float | None
    """The sum of all known prices; null where none is known."""


class SpentInAll(Spent):
    """What the whole run cost."""

    calls: int
    failed_calls: int
    calls_without_a_known_price: int
    calls_perhaps_paid: int
    """Calls that were begun and never recorded, because the process was killed."""
    tokens_perhaps_paid: int
    """What those may have used at most."""


class SpentByRole(Spent):
    """What the calls of one role cost."""

    role: str
    calls: int
    reasoning_tokens: int
    """How many of the completion's tokens were thinking."""
    cached_tokens: int
    """How many of the prompt's tokens came from the provider's cache."""
    cache_write_tokens: int
    """How many of the prompt's tokens were put into it, where the provider counts them."""
    calls_without_a_known_price: int
    failures: dict[str, int]
    """Why calls failed (`truncated`, `refused`, `unreadable`, `timeout`, ...), and how many did."""


class Untouched(Shape):
    """The proof about everything that was not changed."""

    units: int
    digest: str
    """Over the content hashes of all units that are the same in source and result."""


class WrittenDocument(Shape):
    """One document, written and read back."""

    document: str
    path: str
    sha256_before: str
    sha256_after: str
    units: int
    changed: tuple[str, ...]
    """The units that were changed."""
    untouched: Untouched
    lost: tuple[str, ...]
    """What another output format could not carry."""
    left_out: int
    """Units that the output format cannot hold at all."""
    refused: dict[str, str]
    """Units whose change the format cannot hold, and why; they stay as in the original."""


class EditReceipt(Shape):
    """What a set of edits changed in one unit, and the proof that it changed nothing else there."""

    unit: str
    before: str
    after: str
    changed_fields: tuple[str | None, ...]
    untouched: str
    rules: tuple[str, ...]
    """The rules, or the ids of the issues, that the edits were to settle."""
    action: str | None = None
    """Of lessons, as all that follows: `SAFE_FIX`, `SURGICAL_EDIT`, `REGENERATE_SECTION` or `FULL_REGENERATE`."""
    findings: tuple[ReportedFinding, ...] = ()
    """What safe fixes settled."""
    issues: tuple[dict[str, Any], ...] = ()
    """What a repair was to settle: issues as the arbiter planned them (`burnish schema refinement_plan`)."""
    wrong: tuple[str, ...] = ()
    """What was wrong with a rewritten unit."""
    verification: Verified | None = None


class Verified(Shape):
    """Who says that a repair holds."""

    passed: bool
    reasons: tuple[str, ...]
    """Why it does not."""
    delta_judge: dict[str, Any] | None
    """What the judge of the change said; null where rules alone decided."""


class ReceiptEdit(Shape):
    """Words that were exchanged."""

    unit: str
    field: str | None
    find: str
    replace: str


class ReceiptAttempt(Shape):
    """One draft after the first."""

    number: int
    cause: Literal["safe_fix", "model", "review", "person"]
    passed: bool
    rolled_back: bool = False
    """Of lessons: kept at first, and rolled back after it was judged again."""
    withdrawn: bool = False
    """A person's text that was undone."""
    errors: int
    failure: str | None
    edits: tuple[ReceiptEdit, ...]
    diff: str
    """What they changed in the text before them; empty where they could not be applied."""
    receipt: EditReceipt | None
    usage: Spent
    at: str


class DecisionMade(Shape):
    """What a person decided about a unit."""

    verdict: Literal["accept", "edit", "reject", "drop"]
    by: str
    note: str | None
    after_attempt: int
    """How many attempts there were then; of an edit, the number of its text."""
    reason_before: str | None
    """Why the unit waited."""
    at: str
    undone_by: str | None = None
    """Who undid it; it does not count then."""
    undone_at: str | None = None


class ReceiptUnit(Shape):
    """A unit that was not simply clean."""

    unit: str
    state: str
    reason: str | None
    wrong: tuple[ReportedFinding, ...]
    """What was wrong with the original."""
    remaining: tuple[ReportedFinding, ...]
    """What is still wrong with the draft that is kept."""
    diff: str
    attempts: tuple[ReceiptAttempt, ...]
    decisions: tuple[DecisionMade, ...]
    usage: Spent


class WorkedDocument(Shape):
    """A document whose units belong together."""

    document: str
    status: str | None
    """How the work on it ended, such as `accepted_warning`; null while it is in progress."""
    reason: str | None
    """Why it stopped."""
    rounds: int
    """Number of rounds; a person who sends units back begins another."""
    untouched: dict[str, str]
    """Unit -> content hash, of every unchanged unit."""


class SafeFix(Shape):
    """What code changed in one unit, without a model."""

    unit: str
    rules: tuple[str, ...]
    """The rules whose findings it settled."""
    edits: tuple[ReceiptEdit, ...]


class Receipt(Shape):
    """A run, summed up."""

    version: int
    burnish: str
    run_id: str
    kind: str
    models: dict[str, Any]
    stopped: str
    """Why the run stopped: `done`, `needs_person`, `bad_input`, `limit`; of lessons, also `regenerate`."""
    states: dict[str, int]
    published: tuple[WrittenDocument, ...]
    """Empty while something blocks."""
    candidates: tuple[WrittenDocument, ...]
    """The documents with the kept drafts."""
    totals: SpentInAll
    roles: tuple[SpentByRole, ...]
    """The same by role: who judged, repaired, translated."""
    rules_only: bool = False
    """Of translations and lessons: whether the user accepted that rules alone judge, where no model reviews."""
    not_judged: tuple[NotJudged, ...] = ()
    """What no rule was able to look at, and no model looked at."""
    safe_fixes: tuple[SafeFix, ...] = ()
    """Of translations: every fix by code."""
    documents: tuple[WorkedDocument, ...] = ()
    """Only of kinds whose units belong together, such as lessons."""
    units: tuple[ReceiptUnit, ...]


class ManifestDocument(Shape):
    """One input file."""

    name: str
    """What it is called in out/ and in unit ids."""
    path: str
    format: str
    sha256: str


class ManifestMaterial(Shape):
    """A file that is read beside the documents."""

    role: str
    name: str
    path: str
    sha256: str


class Manifest(Shape):
    """Everything that shapes a run, written down before anything is spent."""

    run_id: str
    kind: str
    documents: tuple[ManifestDocument, ...]
    nonce: str
    """Fences are derived from it."""
    arguments: dict[str, Any]
    """As given; `resume` repeats them."""
    rules: tuple[str, ...]
    """The checks that ran: these and no others."""
    severities: dict[str, Severity]
    demands: dict[str, Any]
    """What the institution asks for beyond the rules."""
    corrector: str | None
    judges: tuple[str, ...]
    prompts: dict[str, str]
    """Prompt -> version."""
    version: str
    """Of Burnish."""
    out: str | None
    """Where the result was asked for; null: out/ in the run's folder."""
    surveys: tuple[Any, ...]
    """Facts about each document as a whole, in the kind's own shape."""
    roles: dict[str, str]
    """Role -> model, of kinds that have more roles than a corrector and judges."""
    materials: tuple[ManifestMaterial, ...]
    off: tuple[str, ...]
    """Rules that were switched off, those about documents as wholes included."""


class InputProblem(Shape):
    """Input that could not be used."""

    document: str
    code: str
    message: str
    line: int | None
    field: str | None
    unit: str | None
    """The id that the part goes by, where it has one."""
    blocks: bool
    """Whether it keeps the run from being published: no unit was made of it, or maybe not the one that was meant."""


class CarriedPart(Shape):
    """A part that is carried unchanged and not judged."""

    document: str
    id: str
    type: str
    line: int | None


class RunReport(Shape):
    """What only shows over whole documents, and what was not judged."""

    documents: tuple[dict[str, Any], ...]
    """For each its name under `document`, and what its kind says of it as a whole."""
    problems: tuple[InputProblem, ...]
    passed_through: tuple[CarriedPart, ...]
    ignored: dict[str, int]
    """Rule -> findings that authors ignore."""
    skipped_rules: tuple[SkippedRules, ...]
    not_judged: tuple[NotJudged, ...] = ()
