"""What a score means, what is out of the ordinary about a SEED, and who has to look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from burnish.kinds.legos.concerns import Concern
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.multiwords import mark_between
from burnish.kinds.legos.words import Word, words_of
from burnish.languages.profiles import Tongue

ACCEPT, FLAG = 8.0, 5.0
"""The lines: from here on an extraction is accepted, from here on flagged; below it has failed."""
MOST_ATTEMPTS = 3
MANY_HIGH = 2
"""So many open concerns of high severity want to be seen."""
MOST_WORDS, MOST_CLAUSES = 25, 2
"""A SEED beyond these is unusual."""

Decision = Literal["accepted", "flagged", "failed"]


def decision(score: float) -> Decision:
    """What a score means."""
    if score >= ACCEPT:
        return "accepted"
    return "flagged" if score >= FLAG else "failed"


@dataclass(frozen=True, slots=True)
class Flags:
    """Who should look at a SEED, and why."""

    flagged_for_review: bool
    human_review_requested: bool
    reasons: tuple[str, ...]
    """Why a person is asked for, or else why it is flagged; empty where nobody needs to look."""


def flags(
    score: float,
    attempts: int,
    concerns: Sequence[Concern],
    *,
    is_last: bool = True,
    unusual: str | None = None,
    on_request: bool = False,
    most_attempts: int = MOST_ATTEMPTS,
) -> Flags:
    """Who should look at a SEED after an attempt.

    `concerns` are those still open, `is_last` says whether no other attempt follows, `unusual` what is out of the
    ordinary about the SEED (a length, its clauses, no alignment), `on_request` whether the agent or a person asked.
    An operator may allow fewer attempts than three: that many are no sign of trouble.
    """
    severities = Counter(concern.severity for concern in concerns)
    asking = {
        "not accepted after the last attempt": is_last and attempts >= most_attempts and score < ACCEPT,
        "a critical concern is left": is_last and severities["critical"] > 0,
        f"an unusual SEED: {unusual}": unusual is not None,
        "asked for": on_request,
    }
    showing = {
        "the score is below the line": score < ACCEPT,
        f"{attempts} attempts": attempts >= MOST_ATTEMPTS,
        "a critical concern is open": severities["critical"] > 0,
        "several concerns of high severity are open": severities["high"] >= MANY_HIGH,
    }
    requested = _holding(asking)
    reasons = requested or _holding(showing)
    return Flags(bool(reasons), bool(requested), reasons)


def _holding(reasons: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(reason for reason, holds in reasons.items() if holds)


def unusual(seed: Seed, tongue: Tongue) -> str | None:
    """What is out of the ordinary about a SEED, in words; None for most."""
    return unusual_words(words_of(seed.source), tongue)


def unusual_words(words: Sequence[Word], tongue: Tongue) -> str | None:
    if len(words) > MOST_WORDS:
        return f"{len(words)} words"
    clauses = count_clauses(words, tongue)
    return f"{clauses} clauses" if clauses > MOST_CLAUSES else None


def count_clauses(words: Sequence[Word], tongue: Tongue) -> int:
    """About how many clauses a sentence has: parts between conjunctions and marks that hold a verb and its subject."""
    parts: list[list[str]] = [[]]
    for place, word in enumerate(words):
        opens = word.bare in tongue.clause_openers
        if opens or (place and mark_between(words[place - 1], word)):
            parts.append([])
        parts[-1].append(word.bare)
    return max(1, sum(_is_clause(part, tongue) for part in parts))


def _is_clause(part: Sequence[str], tongue: Tongue) -> bool:
    """With a pronoun any verb makes a clause, and an auxiliary always does. Another verb needs a word before it that
    can be its subject ("Tom ran"), and nothing in front that makes it a noun ("a walk", "for a drink")."""
    if any(map(tongue.is_pronoun, part)):
        return any(map(tongue.is_verb, part))
    if not tongue.auxiliaries.isdisjoint(part):
        return True
    named = False
    for before, word in pairwise(part):
        named = named or before not in tongue.function_words
        if named and tongue.is_verb(word) and before not in tongue.determiners and not tongue.is_preposition(before):
            return True
    return False
