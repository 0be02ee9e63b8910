"""Words for people: labels of states, reasons, causes and actions, and the form of numbers.

The journal holds codes; pages and commands show these labels. A kind adds its own in `kind.reasons`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from burnish.core.checks import Check
from burnish.core.edits import REFUSALS
from burnish.core.errors import UsageError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import DocumentRule
from burnish.core.records import AttemptRecord, UnitRow
from burnish.store.inbox import Verdict

REASONS = {
    "attempts_exhausted": "errors remain after every correction",
    "circuit_breaker": "the same rule failed in every correction",
    "no_model": "a model is needed, and none is set",
    "model_failed": "the model did not answer",
    "judges_silent": "too few judges gave a readable answer",
    "judges_disagree": "a judge objects to something, and the judges do not agree",
    "fatal_finding": "the structure is broken, and a model could only guess it",
    "nothing_to_edit": "the missing part is not in an editable text",
    "duplicate": "nearly the same as another one",
    "edit_has_errors": "the edited text still breaks rules",
    "cannot_write_back": "the file's format cannot hold the change",
    "reopened": "reopened",
    "reply_unreadable": "the answer could not be read",
    "new_errors": "the change causes new errors",
}
STATES = {
    # questions
    "draft": "not checked yet",
    "correcting": "being corrected",
    "validated": "validated",
    "dropped": "dropped",
    "needs_manual_review": "needs a person",
    # lessons
    "refining": "being refined",
    "accepted": "accepted",
    "escalated": "needs a person",
    # manuscripts
    "ingested": "ingested",
    "translated_pass1": "translated, pass 1",
    "translated_pass2": "translated, pass 2",
    "candidate_assembled": "candidate assembled",
    "review_in_progress": "review in progress",
    "review_failed": "review failed",
    "rework_queued": "rework queued",
    "reworked": "reworked",
    "ready_to_merge": "ready to merge",
    "manual_review_required": "needs a person",
    "merged": "merged",
    "excluded": "excluded",
    # LEGOs
    "pending_extraction": "not cut yet",
    "aligned": "aligned",
    "extracted": "cut",
    "retry_scheduled": "to be cut again",
    "pending_review": "needs a person",
    "written": "written",
    "settled_before": "settled before",
    # runs
    "needs_person": "needs a person",
    "awaiting_approval": "waits for approval",
    "limit": "stopped at a limit",
    "model_away": "a model does not answer",
    "submitted": "submitted as a batch",
    "regenerate": "must be rewritten",
}
"""State of a unit or a run -> the words for it."""


def state_words(state: str) -> str:
    """The label of a state, or its name if it has none."""
    return STATES.get(state) or state.replace("_", " ")


CAUSES = {
    "source": "original",
    "safe_fix": "safe fixes, no model",
    "model": "corrected by a model",
    "review": "reviewed again",
    "person": "edited by a person",
    "given": "supplied draft",
    "memory": "from the translation memory",
    "machine": "translated by a machine",
    "script": "rendered in another script",
}
"""The origin of a draft -> its label."""
ACTIONS = {
    "SAFE_FIX": "safe fix by code",
    "SURGICAL_EDIT": "small edit",
    "REGENERATE_SECTION": "section rewritten",
    "FULL_REGENERATE": "rewritten by the generator",
}
"""The action of a lesson's repair -> its label."""
DROPPED = {
    "unknown_rule": "not a rule for judges",
    "unknown_field": "there is no such field",
    "no_quote": "no quote",
    "quote_not_found": "the quote is not in the text",
    "self_refuting": "contradicts itself",
    "duplicate": "already reported",
    "outvoted": "too few judges agree",
    "about_neighbour": "about a neighbouring unit",
    "unknown_lego": "names no LEGO of this SEED",
    "counted": "rules checked this and found nothing",
    "too_many": "too many findings",
}
"""Why a judge's claim was dropped -> the words for it."""


def cause_of(kind: Kind, attempt: AttemptRecord) -> str:
    """The origin of an attempt's draft, in words."""
    if not kind.is_phased:
        return CAUSES[attempt.cause]
    if attempt.cause == "model" and (attempt.receipt is not None or attempt.edits):
        return "reworked by a small edit" if attempt.edits else "rewritten"
    return kind.words.causes.get(attempt.cause) or CAUSES[attempt.cause]


PASSED = re.compile(r"attempt_([0-9]+)")
"""The reason of a unit that passed, with the number of the attempt."""
HARDER = "readability:"
"""Prefix of the measure by which a text has become harder to read."""
NESTED = ("reply_unreadable", "model_failed")
"""Failures that may be listed for each of several judges."""


def reason_of(kind: Kind, row: UnitRow) -> str:
    """The reason of a unit's state, in words."""
    reason = row.reason or ""
    passed = PASSED.fullmatch(reason)
    return f"passed at attempt {passed.group(1)}" if passed else _words(kind, reason)


def failure_of(kind: Kind, failure: str) -> str:
    """Why an answer was not used, in words."""
    name, _, rest = failure.removeprefix("edit_refused: ").partition(": ")
    if name in REFUSALS:
        is_said = name == "no_change" or REFUSALS[name] in rest
        return rest if is_said else f"{REFUSALS[name]}: {rest}"
    if name in kind.reasons and name not in REASONS:
        return "; ".join(_words(kind, part) for part in (rest or name).split(", "))
    for nested in NESTED:
        rest = rest.replace(f"{nested}: ", f"{REASONS[nested]}: ")
    return ": ".join(part for part in (_words(kind, name), rest) if part)


def _words(kind: Kind, name: str) -> str:
    if name.startswith(HARDER):
        return f"harder to read ({name.removeprefix(HARDER).replace('_', ' ')})"
    return kind.reasons.get(name) or REASONS.get(name, name)


def rule_name(kind: Kind, id: str) -> str:
    """A rule with its title: `Negative question (nbme_negation_detection)`; names that judges make up have none."""
    known: tuple[Check | DocumentRule, ...] = (*kind.checks, *kind.document_rules)
    return next((f"{rule.title} ({id})" for rule in known if rule.id == id), id)


def rule_names(kind: Kind, ids: Iterable[str]) -> str:
    """Several rules in a line, each once."""
    return ", ".join(rule_name(kind, id) for id in sorted(set(ids)))


def counted(number: int, noun: str) -> str:
    """`1 unit`, `1,204 units`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def about(cost: float) -> str:
    """`about $0.03`; under a cent `about $0.0006`; `free` if nothing is paid."""
    if cost <= 0:
        return "free"
    return f"about ${cost:,.2f}" if cost >= 0.01 else f"about ${max(cost, 0.0001):.4f}"


WORK_OF_ROLE = {
    **dict.fromkeys(("reviewer", "judge", "delta_judge", "critic"), "judging"),
    **dict.fromkeys(("corrector", "patcher", "generator", "reworker", "mender"), "repair"),
    "translator": "translation",
    "extractor": "extraction",
}
FAILURES = {
    "truncated": "cut off",
    "refused": "refused or filtered",
    "unreadable": "unreadable",
    "withheld": "withheld for a key in it",
    "timeout": "not answered in time",
    "connection": "without a connection",
    "server": "failed by the server",
    "rate_limited": "over the rate limit",
    "rejected": "rejected",
    "refused_key": "refused for the key",
    "no_credit": "refused for want of credit",
    "malformed": "not in the protocol",
    "crashed": "failed in the library",
    "limit": "ended by a limit",
}
"""Why a call failed -> the words for it."""


def minute(moment: str) -> str:
    """A recorded moment for people: `2026-11-15 10:00 UTC`."""
    return f"{moment[:16].replace('T', ' ')} UTC" if moment else ""


def noun_of(kinds: Iterable[Kind]) -> str:
    """The word for a unit of any of these kinds."""
    nouns = {kind.noun for kind in kinds}
    return nouns.pop() if len(nouns) == 1 else "unit"


def listed(things: Sequence[str], most: int) -> str:
    """The first `most` things, and the number of the others."""
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"


SAID = {
    "accept": "accepted",
    "edit": "edited",
    "reject": "sent back",
    "drop": "dropped",
    "dismiss": "dismissed a claim about",
    "reopen": "reopened",
    "undo": "undid a decision about",
}
"""A verdict in words, between a name and a unit."""
NOT_TAKEN_BACK = "Nothing was undone."
NOBODY_ASKED = "Nobody was asked about it."


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """A decision about one unit."""

    run: str
    unit: str
    verdict: Verdict
    by: str
    note: str | None
    at: str
    row: UnitRow
    """The current row of the unit."""
    in_effect: bool = True
    """False: it waits in the inbox until the process at work on the run applies it."""
    errors: tuple[Finding, ...] = ()
    """Errors in an edited text: the unit keeps waiting, with the text kept."""
    warning: str | None = None
    """Why the document cannot hold an edited text, if that is already known."""
    made_at: str | None = None
    """When it was made, if it was applied later: until then, this was its `at`."""
    keeps_waiting: bool = False
    """Whether an edited text has errors or scores too low, so that the unit keeps waiting, with the text kept."""
    is_due: bool = False
    """Whether the process at work applies it at its next pause: the time for a free undo is over, or a person asked
    for it."""
    can_undo: bool = True
    """Whether no task has begun with it yet."""

    def is_of(self, at: str) -> bool:
        """Whether it is the decision that was reported with this moment."""
        return at in (self.at, self.made_at)


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of deciding many units at once."""

    run: str
    by: str
    decided: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why it was not decided."""
    in_effect: bool = True
    """False: some of it waits in the inbox."""
    mark: str = ""
    """The prefix of the marks of all these decisions."""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of undoing many decisions at once."""

    run: str
    by: str
    units: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why its decision was not undone."""


class AlreadyDecided(UsageError):
    """Another person has already decided. Nothing was changed: `kept` says so."""

    code = "already_decided"

    def __init__(self, result: DecisionResult, kept: str = "Nothing was overwritten.") -> None:
        super().__init__(
            f"{result.by} {SAID[result.verdict]} {result.unit} at {result.at}. {kept}",
            hint="Check that decision; it can be undone until the run works with it.",
        )
        self.result = result
        self.kept = kept


class LastOfPair(AlreadyDecided):
    """Another person has dropped the near-duplicate of a unit, so this one stays."""

    def __init__(self, result: DecisionResult, unit: str) -> None:
        super().__init__(result, f"One of the two near-duplicates must stay, so {unit} was not dropped.")
        self.hint = "Whoever wants neither names both in one decision; dropping the other can also be undone."
        self.unit = unit


class MovedOn(UsageError):
    """The run has worked on the unit since the person saw it. Nothing was overwritten."""

    code = "moved_on"

    def __init__(self, row: UnitRow) -> None:
        super().__init__(
            f"The run has changed {row.id} since you opened it; its state is {row.state} now.",
            hint="Open it again, then decide.",
        )
        self.row = row
