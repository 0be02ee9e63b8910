"""Why a unit rests where it does, and why an answer was not used: names in the journal, words for people."""

from __future__ import annotations

import re

from burnish.core.edits import REFUSALS
from burnish.core.kinds import PublishedKind
from burnish.core.records import UnitRow

REASONS = {
    "attempts_exhausted": "every correction left errors",
    "circuit_breaker": "the same rule failed in every correction",
    "no_model": "it needs a model, and none is set",
    "model_failed": "the model did not answer",
    "judges_silent": "too few judges gave a readable answer",
    "judges_disagree": "no majority of the judges is content with it",
    "fatal_finding": "its structure is broken, which no model is asked to guess",
    "nothing_to_edit": "what it lacks is in no text that could be edited",
    "duplicate": "it is nearly the same as another one",
    "edit_has_errors": "the edited text still breaks rules",
    "cannot_write_back": "its file's format cannot hold the change",
    "reopened": "taken up again",
    "reply_unreadable": "the answer could not be read",
    "new_errors": "it breaks what held before",
}
PASSED = re.compile(r"attempt_([0-9]+)")
"""How a unit that passed names the attempt which did."""
HARDER = "readability:"
"""Before the measure by which a text has become harder to read."""
NESTED = ("reply_unreadable", "model_failed")
"""What each of several silent judges may have failed with."""


def reason_of(kind: PublishedKind, row: UnitRow) -> str:
    """Why a unit rests where it does, in words."""
    reason = row.reason or ""
    passed = PASSED.fullmatch(reason)
    return f"passed at attempt {passed.group(1)}" if passed else _words(kind, reason)


def failure_of(kind: PublishedKind, failure: str) -> str:
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


def _words(kind: PublishedKind, name: str) -> str:
    if name.startswith(HARDER):
        return f"it is harder to read ({name.removeprefix(HARDER).replace('_', ' ')})"
    return kind.reasons.get(name) or REASONS.get(name, name)
