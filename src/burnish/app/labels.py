"""Words for people: what states, reasons, causes and actions are called, and how numbers are written.

The journal holds names; pages and commands show these labels. A kind adds its own in `kind.reasons`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from burnish.app.terminal import Role, Screen
from burnish.core.checks import Check
from burnish.core.edits import REFUSALS
from burnish.core.kinds import Kind
from burnish.core.presentation import DocumentRule
from burnish.core.records import AttemptRecord, UnitRow

REASONS = {
    "attempts_exhausted": "errors remain after every correction",
    "circuit_breaker": "the same rule failed in every correction",
    "no_model": "a model is needed, and none is set",
    "model_failed": "the model did not answer",
    "judges_silent": "too few judges gave a readable answer",
    "judges_disagree": "most judges still find errors",
    "fatal_finding": "the structure is broken; no model is asked to guess it",
    "nothing_to_edit": "the missing part is not in an editable text",
    "duplicate": "nearly the same as another one",
    "edit_has_errors": "the edited text still breaks rules",
    "cannot_write_back": "the file's format cannot hold the change",
    "reopened": "reopened",
    "reply_unreadable": "the answer could not be read",
    "new_errors": "the change causes new errors",
}
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
"""Where a draft comes from."""
ACTIONS = {
    "SAFE_FIX": "safe fix by code",
    "SURGICAL_EDIT": "small edit",
    "REGENERATE_SECTION": "section rewritten",
    "FULL_REGENERATE": "rewritten by the generator",
}
"""What a repair of a lesson was."""
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
"""Why nobody acts on what a judge said."""
STAGED_CAUSES = {
    "manuscripts": {"review": "reviewed", "model": "translated by a model"},
    "legos": {
        "review": "reviewed",
        "model": "cut by a model",
        "machine": "cut without a model",
        "person": "cut by a person",
    },
}
"""Kind -> the same where every draft is followed by a review of its own, and the first one is written too."""


def cause_of(kind: Kind, kind_name: str, attempt: AttemptRecord) -> str:
    """Where the draft of an attempt comes from, in words."""
    if not kind.is_phased:
        return CAUSES[attempt.cause]
    if attempt.cause == "model" and (attempt.receipt is not None or attempt.edits):
        return "reworked by a small edit" if attempt.edits else "rewritten"
    return STAGED_CAUSES.get(kind_name, {}).get(attempt.cause) or CAUSES[attempt.cause]


PASSED = re.compile(r"attempt_([0-9]+)")
"""How a unit that passed names the attempt which did."""
HARDER = "readability:"
"""Before the measure by which a text has become harder to read."""
NESTED = ("reply_unreadable", "model_failed")
"""What each of several silent judges may have failed with."""


def reason_of(kind: Kind, row: UnitRow) -> str:
    """Why a unit rests where it does, in words."""
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
    """A rule as people see it: `Negative question (nbme_negation_detection)`; what only judges name has just an id."""
    known: tuple[Check | DocumentRule, ...] = (*kind.checks, *kind.document_rules)
    return next((f"{rule.title} ({id})" for rule in known if rule.id == id), id)


LABEL = 14
"""Columns of the labels on the left of a summary."""


def counted(number: int, noun: str) -> str:
    """`1 unit`, `1,204 units`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def about(cost: float) -> str:
    """`about $0.03`; under a cent `about $0.0006`; `free` where nothing is paid."""
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
    "malformed": "not in the protocol",
    "crashed": "failed in the library",
    "limit": "ended by a limit",
}
"""Why a call failed -> the words for it."""


def minute(moment: str) -> str:
    """A recorded moment as people read it: `2026-11-15 10:00 UTC`."""
    return f"{moment[:16].replace('T', ' ')} UTC" if moment else ""


def noun_of(kinds: Iterable[Kind]) -> str:
    """What a unit is called where documents of these kinds are spoken of together."""
    nouns = {kind.noun for kind in kinds}
    return nouns.pop() if len(nouns) == 1 else "unit"


def listed(things: Sequence[str], most: int) -> str:
    """The first `most` things, and how many are left out."""
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"


def labelled(screen: Screen, label: str, text: str, *, role: Role = "plain") -> None:
    """A line of a summary: a label, and what it says beside it."""
    first = ("  ", ("faint" if role == "plain" else role, f"{label:<{LABEL}}"), "  ")
    screen.paragraph(text, indent=" " * (LABEL + 4), first=first)
