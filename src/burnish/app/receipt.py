"""The shapes of `receipt.json`, `manifest.json` and `report.json`."""

from __future__ import annotations

from typing import Any, Literal

from burnish.app.check_json import NotJudged, Shape, SkippedRules
from burnish.core.findings import ReportedFinding, Severity


class Spent(Shape):
    """Tokens and cost of calls."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cost_usd: float | None
    """The sum of all known prices; null if none is known."""


class SpentInAll(Spent):
    """Tokens and cost of the whole run."""

    calls: int
    failed_calls: int
    calls_without_a_known_price: int
    calls_perhaps_paid: int
    """Calls that were begun and never recorded, because the process was killed."""
    tokens_perhaps_paid: int
    """The most tokens that those may have used."""


class SpentByRole(Spent):
    """Tokens and cost of the calls of one role."""

    role: str
    calls: int
    reasoning_tokens: int
    """How many of the completion's tokens were thinking."""
    cached_tokens: int
    """How many of the prompt's tokens came from the provider's cache."""
    cache_write_tokens: int
    """How many of the prompt's tokens were put into it, if the provider counts them."""
    calls_without_a_known_price: int
    failures: dict[str, int]
    """Reason (`truncated`, `refused`, `unreadable`, `timeout`, ...) -> failed calls."""


class Untouched(Shape):
    """The proof that all other units are unchanged."""

    units: int
    digest: str
    """A hash over the content hashes of all units that are the same in source and result."""


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
    """Parts that the output format cannot hold."""
    left_out: int
    """Units that the output format cannot hold at all."""
    refused: dict[str, str]
    """Units whose change the format cannot hold, and why; they are as in the original."""


class EditReceipt(Shape):
    """What a set of edits changed in one unit, and the proof that it changed nothing else in it."""

    unit: str
    before: str
    after: str
    changed_fields: tuple[str | None, ...]
    untouched: str
    rules: tuple[str, ...]
    """The rules, or the ids of the issues, that the edits were to repair."""
    action: str | None = None
    """`SAFE_FIX`, `SURGICAL_EDIT`, `REGENERATE_SECTION` or `FULL_REGENERATE`; from here on, lessons only."""
    findings: tuple[ReportedFinding, ...] = ()
    """Findings that safe fixes repaired."""
    issues: tuple[dict[str, Any], ...] = ()
    """Issues that a repair was for, as the arbiter planned them (`burnish schema refinement_plan`)."""
    wrong: tuple[str, ...] = ()
    """Faults of a rewritten unit."""
    verification: Verified | None = None


class Verified(Shape):
    """The verification of a repair."""

    passed: bool
    reasons: tuple[str, ...]
    """Why it did not pass."""
    delta_judge: dict[str, Any] | None
    """The reply of the judge of the change; null if rules alone decided."""


class ReceiptEdit(Shape):
    """Words that were replaced."""

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
    """Lessons only: kept at first, and rolled back after it was judged again."""
    withdrawn: bool = False
    """A person's text that was undone."""
    errors: int
    failure: str | None
    edits: tuple[ReceiptEdit, ...]
    diff: str
    """What they changed in the previous text; empty if they could not be applied."""
    receipt: EditReceipt | None
    usage: Spent
    at: str


class DismissedClaim(Shape):
    """A claim of a rule that somebody dismissed."""

    rule: str
    by: str
    unit: str | None
    claim: str | None
    """The claim's id in its unit; null for all claims of the rule."""
    note: str | None


class DecisionMade(Shape):
    """A person's decision about a unit."""

    verdict: Literal["accept", "edit", "reject", "drop", "dismiss", "reopen"]
    by: str
    note: str | None
    dismissals: tuple[DismissedClaim, ...] = ()
    """With `dismiss`: the claims that the person says are not true."""
    after_attempt: int
    """The number of attempts at that time; for an edit, the number of its text."""
    reason_before: str | None
    """Why the unit waited."""
    at: str
    undone_by: str | None = None
    """Who undid it; then it does not count."""
    undone_at: str | None = None


class ReceiptUnit(Shape):
    """A unit with findings, attempts or decisions."""

    unit: str
    state: str
    reason: str | None
    wrong: tuple[ReportedFinding, ...]
    """What was wrong with the original."""
    remaining: tuple[ReportedFinding, ...]
    """What is still open in the draft that is kept: warnings and worse."""
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
    """Changes by code in one unit, without a model."""

    unit: str
    rules: tuple[str, ...]
    """The rules whose findings it repaired."""
    edits: tuple[ReceiptEdit, ...]


class RuleOpen(Shape):
    """The open findings of one rule in accepted units."""

    rule: str
    severity: Severity
    """The worst severity among all findings of the rule in the run."""
    units: int
    findings: int


class OpenClaims(Shape):
    """The open findings in accepted units, warnings and worse: accepted with them, and not settled."""

    units: int
    """Accepted units with at least one."""
    subjects: dict[str, int]
    """Subject, such as `the key` -> accepted units with a doubt about it."""
    others: int
    """Accepted units with open findings about no such subject."""
    rules: tuple[RuleOpen, ...]


class EarlierVersion(Shape):
    """What was published before a decision was taken back."""

    version: int
    published_at: str
    folder: str
    """Where it is kept in the run's folder."""
    files: tuple[str, ...]
    missing: tuple[str, ...]
    """Files that could not be kept, because they were changed by hand."""


class OtherModel(Shape):
    """A model that was asked, and another one that answered."""

    model: str
    answered_by: str


class Receipt(Shape):
    """The summary of a run: what was wrong, changed and spent, and what remains."""

    version: int
    burnish: str
    run_id: str
    kind: str
    models: dict[str, Any]
    answered_by: tuple[OtherModel, ...] = ()
    """Models that answered in the place of those that were asked, by the names in their answers."""
    stopped: str
    """Why the run stopped: `done`, `needs_person`, `bad_input`, `limit`; for lessons, also `regenerate`."""
    states: dict[str, int]
    open_claims: OpenClaims
    """What is open in accepted units."""
    published_version: int | None
    """The number of the published version; null: nothing is published, or a person has decided anew since."""
    earlier_versions: tuple[EarlierVersion, ...] = ()
    published: tuple[WrittenDocument, ...]
    """Empty while a blocker remains."""
    candidates: tuple[WrittenDocument, ...]
    """The documents with the kept drafts."""
    totals: SpentInAll
    roles: tuple[SpentByRole, ...]
    """The same by role: judge, corrector, translator, ..."""
    rules_only: bool = False
    """Translations and lessons only: whether the user accepted that rules alone judge, if no model reviews."""
    not_judged: tuple[NotJudged, ...] = ()
    """What no rule and no model judged."""
    skipped_rules: tuple[SkippedRules, ...] = ()
    """Rules that do not judge a language of the content."""
    safe_fixes: tuple[SafeFix, ...] = ()
    """Translations only: every fix by code."""
    documents: tuple[WorkedDocument, ...] = ()
    """Only for kinds whose units belong together, such as lessons."""
    units: tuple[ReceiptUnit, ...]


class ManifestDocument(Shape):
    """One input file."""

    name: str
    """Its name in out/ and in unit ids."""
    path: str
    format: str
    sha256: str


class ManifestMaterial(Shape):
    """A file that is read besides the documents."""

    role: str
    name: str
    path: str
    sha256: str


class Manifest(Shape):
    """Everything that shapes a run, recorded before anything is spent."""

    run_id: str
    kind: str
    documents: tuple[ManifestDocument, ...]
    nonce: str
    """Fences are derived from it."""
    arguments: dict[str, Any]
    """As given; `resume` uses them again."""
    rules: tuple[str, ...]
    """The rules that ran."""
    severities: dict[str, Severity]
    demands: dict[str, Any]
    """Requirements of the institution beyond the rules."""
    corrector: str | None
    judges: tuple[str, ...]
    prompts: dict[str, str]
    """Prompt -> version."""
    version: str
    """The version of Burnish."""
    out: str | None
    """The requested path of the result; null: out/ in the run's folder."""
    surveys: tuple[Any, ...]
    """Facts about each whole document, in the kind's own shape."""
    roles: dict[str, str]
    """Role -> model, for kinds that have more roles than a corrector and judges."""
    materials: tuple[ManifestMaterial, ...]
    off: tuple[str, ...]
    """Rules that were switched off, including those about whole documents."""


class InputProblem(Shape):
    """Input that could not be used."""

    document: str
    code: str
    message: str
    line: int | None
    field: str | None
    unit: str | None
    """The id of the part, if it has one."""
    blocks: bool
    """Whether it prevents publishing: no unit was made of it, or maybe not the one that was meant."""


class CarriedPart(Shape):
    """A part that is carried unchanged and not judged."""

    document: str
    id: str
    type: str
    line: int | None


class RunReport(Shape):
    """Facts about whole documents, and what was not judged."""

    documents: tuple[dict[str, Any], ...]
    """For each its name under `document`, and the facts that its kind gives about it."""
    problems: tuple[InputProblem, ...]
    passed_through: tuple[CarriedPart, ...]
    ignored: dict[str, int]
    """Rule -> findings that authors ignore."""
    skipped_rules: tuple[SkippedRules, ...]
    not_judged: tuple[NotJudged, ...] = ()
