"""Candidate rules: what attempts all over a course suggest, and nobody has tried yet."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from burnish.kinds.legos.evolving.overlay import Rule
from burnish.kinds.legos.evolving.rules import RuleRefused, rule_id, rule_text, rule_words

FREQUENT = 0.05
FEWEST_SEEDS = 3
"""A suggestion recurs that is made for this share of the SEEDs that were tried, and for so many at least."""
MOST_CANDIDATES = 5
"""How many are tried in one go: each costs a call for every SEED of the experiment."""

_PRIORITIES = ("critical", "high", "medium", "low")
_FOR_PEOPLE = frozenset({"s_request_human_review"})
"""Suggestions that no prompt can follow."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """A suggestion that recurs, but cannot become a rule."""

    suggestion_id: str
    seeds: int
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a course suggests."""

    rules: tuple[Rule, ...] = ()
    """The most frequent first."""
    unfit: tuple[Unfit, ...] = ()
    tried_before: int = 0
    """Suggestions that recur, but were tried in every form they come in."""
    rare: int = 0
    """Suggestions that too few SEEDs make."""
    left_for_later: int = 0
    """Candidates beyond those that are tried in one go."""


@dataclass(slots=True)
class _Suggested:
    """One suggestion, over the course."""

    seeds: set[str] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)
    """The change it proposes, as it is worded -> SEEDs."""
    rank: int = len(_PRIORITIES)


def candidates(
    records: Iterable[Mapping[str, Any]], tried: Collection[str] = (), *, most: int = MOST_CANDIDATES
) -> Candidates:
    """The rules to try, from the translation records of a course in any order.

    `tried`: the words of rules to leave out, see `rule_words`. What several suggestions say in the same words is tried
    once.
    """
    suggested, reviewed = _suggested(records)
    enough = max(FEWEST_SEEDS, math.ceil(FREQUENT * reviewed))
    frequent = {id: found for id, found in suggested.items() if len(found.seeds) >= enough}
    rules: dict[str, Rule] = {}
    unfit: list[Unfit] = []
    tried_before = 0
    for id, found in sorted(frequent.items(), key=lambda one: (-len(one[1].seeds), one[1].rank, one[0])):
        fit, reason = _fit(id, found)
        untried = [words for words in fit if words not in tried]
        new = [words for words in untried if words not in rules]
        if new:
            rules[new[0]] = fit[new[0]]
        elif fit and not untried:
            tried_before += 1
        elif not fit:
            unfit.append(Unfit(id, len(found.seeds), reason))
    ordered = list(rules.values())
    rare = len(suggested) - len(frequent)
    return Candidates(tuple(ordered[:most]), tuple(unfit), tried_before, rare, max(0, len(ordered) - most))


def _suggested(records: Iterable[Mapping[str, Any]]) -> tuple[dict[str, _Suggested], int]:
    """Suggestion -> where it was made; and how many SEEDs were tried at all."""
    suggested: defaultdict[str, _Suggested] = defaultdict(_Suggested)
    reviewed = 0
    for record in records:
        reviewed += bool(record.get("lego_extraction_attempts"))
        for id, change in {(one["suggestion_id"], one["suggested_change"]) for one in _suggestions(record)}:
            suggested[id].texts[change] += 1
        for one in _suggestions(record):
            found = suggested[one["suggestion_id"]]
            found.seeds.add(str(record.get("seed_id")))
            found.rank = min(found.rank, _rank(one.get("priority")))
    return dict(suggested), reviewed


def _suggestions(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What the attempts of a SEED suggest for the prompt. Records come from files: what is no suggestion is passed."""
    attempts = record.get("lego_extraction_attempts")
    for attempt in attempts if isinstance(attempts, list) else ():
        given = attempt.get("suggestions") if isinstance(attempt, Mapping) else None
        for one in given if isinstance(given, list) else ():
            if not isinstance(one, Mapping) or one.get("type") != "prompt_improvement":
                continue
            texts = one.get("suggestion_id"), one.get("suggested_change")
            if all(isinstance(text, str) for text in texts) and texts[0] not in _FOR_PEOPLE:
                yield one


def _rank(priority: object) -> int:
    return _PRIORITIES.index(priority) if priority in _PRIORITIES else len(_PRIORITIES)


def _fit(id: str, found: _Suggested) -> tuple[dict[str, Rule], str]:
    """Words -> rule, of every wording that may become one, the most frequent and then the shortest first; else why
    none may."""
    fit: dict[str, Rule] = {}
    reason = ""
    for change, _ in sorted(found.texts.items(), key=lambda one: (-one[1], len(one[0]), one[0])):
        try:
            text = rule_text(change)
        except RuleRefused as refused:
            reason = reason or str(refused)
            continue
        fit.setdefault(rule_words(text), Rule(rule_id(id, text), text, id, len(found.seeds)))
    return fit, reason
