"""The subject of an evolution run: SEEDs drawn from the course, its habits and its suggestions, fixed at the start.

A resumed run uses the same facts, even if the course was changed meanwhile.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from burnish.core.errors import InputError
from burnish.core.experiments import FEWEST_PAIRS, FEWEST_UNITS, Split, split
from burnish.kinds.legos.evidence import CUTS, LINKS, HabitCounter, Habits
from burnish.kinds.legos.evolution.overlay import Overlay, Rule, RuleRefused, rule_id, rule_text, rule_words
from burnish.kinds.legos.model import Lego, Seed, words_of
from burnish.kinds.legos.placement import spans_of
from burnish.kinds.legos.validation import is_valid, validate

FREQUENT = 0.05
FEWEST_SEEDS = 3
"""A suggestion is frequent if this share of the tried SEEDs make it, and at least this number."""
MOST_CANDIDATES = 5
"""The most candidates of one run: each costs a call for every SEED of the experiment."""

_PRIORITIES = ("critical", "high", "medium", "low")
_FOR_PEOPLE = frozenset({"s_request_human_review"})
"""Suggestions that a prompt cannot follow."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """A frequent suggestion that cannot become a rule."""

    suggestion_id: str
    seeds: int
    reason: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """The suggestions of a course."""

    rules: tuple[Rule, ...] = ()
    """The most frequent first."""
    unfit: tuple[Unfit, ...] = ()
    tried_before: int = 0
    """Frequent suggestions that were tried in all their wordings."""
    rare: int = 0
    """Suggestions made by too few SEEDs."""
    left_for_later: int = 0
    """Candidates beyond the most of one run."""


@dataclass(slots=True)
class _Suggested:
    """One suggestion, counted over the course."""

    seeds: set[str] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)
    """Wording of the proposed change -> SEEDs."""
    rank: int = len(_PRIORITIES)


def candidates(
    records: Iterable[Mapping[str, Any]], tried: Collection[str] = (), *, most: int = MOST_CANDIDATES
) -> Candidates:
    """The rules to try, from the translation records of a course, in any order.

    `tried`: the words of rules to leave out, see `rule_words`. Suggestions with the same words are tried once.
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
    """Suggestion -> its SEEDs; and the number of SEEDs that were tried."""
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
    """The prompt suggestions in a SEED's attempts. Records come from files: invalid suggestions are skipped."""
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
    """Words -> rule, for every wording that can become one, the most frequent and then the shortest first; otherwise
    the reason why none can."""
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


Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CourseView:
    """The parts of a course's records that an evolution run uses."""

    seeds: Mapping[str, Seed]
    """By their ids, without LEGOs and records."""
    habits: Habits
    records: tuple[Json, ...]
    """For each translation its id and its attempts, with their suggestions."""

    @classmethod
    def of(cls, rows: Iterable[tuple[Json, Sequence[Json]]]) -> Self:
        """From valid translations, each with its LEGOs."""
        counter = HabitCounter()
        seeds: dict[str, Seed] = {}
        suggested: list[Json] = []
        for record, legos in rows:
            seed = _seed(record)
            words = words_of(seed.source)
            cuts = [_place_of(lego) for lego in legos if is_valid(validate(lego))]
            if cuts:
                counter.add(words, spans_of(words, cuts))
            seeds[seed.id] = seed
            suggested.append({name: record[name] for name in ("seed_id", "lego_extraction_attempts")})
        return cls(seeds, counter.habits(), tuple(suggested))

    def refuse_too_few(self, folder: str) -> None:
        if len(self.seeds) < FEWEST_UNITS:
            raise InputError(
                f"{len(self.seeds)} SEEDs of the course can be used; a test of rules needs {FEWEST_UNITS}: "
                f"a fifth is held out, and {FEWEST_PAIRS} others must be compared.",
                path=folder,
                code="too_few_seeds",
                hint="Import more sentence pairs with `burnish legos import`; `burnish legos validate` shows the "
                "errors in records.",
            )

    def refuse_uncut(self, folder: str) -> None:
        """Raise an error without any attempts: suggestions come from attempts."""
        if not any(record["lego_extraction_attempts"] for record in self.records):
            raise InputError(
                "No LEGOs of this course are extracted yet, so there are no suggestions.",
                path=folder,
                code="nothing_extracted",
                hint="Extract with a model first: `burnish legos extract DIR --model M`.",
            )

    def course_code(self, folder: str) -> str:
        codes = sorted({seed.course_code for seed in self.seeds.values()})
        if len(codes) != 1:
            raise InputError(
                f"The records belong to several courses: {', '.join(codes[:5])}.",
                path=folder,
                code="several_courses",
                hint="Give each course its own folder.",
            )
        return codes[0]


def _seed(record: Json) -> Seed:
    return Seed(
        record["seed_id"], record["uuid"], record["source"], record["target"], record["metadata"]["course_code"]
    )


def _place_of(record: Json) -> Lego:
    """A LEGO with its place in the source sentence only."""
    start, end = (record["metadata"][name] for name in ("start_index", "end_index"))
    return Lego(record["source"], record["target"], start, end, 0, 0)


@dataclass(frozen=True, slots=True)
class Subject:
    """The data that one run uses."""

    seeds: Mapping[str, Seed]
    """The drawn SEEDs, by id."""
    split: Split
    habits: Habits | None
    """None if the course has no cuts yet."""
    facts: Json
    """The facts about the course, see `evidence.learn`."""
    overlay: bytes | None
    """The overlay's file at the start of the run."""
    suggested: Candidates

    @classmethod
    def of(
        cls, course: CourseView, facts: Json, overlay: bytes | None, tried: Collection[str], *, size: int, seed: int
    ) -> Self:
        """Draw SEEDs and collect the suggestions. `facts`: of all SEEDs; `tried`: words of rules that are not tried
        again."""
        drawn = split(course.seeds, size, seed)
        return cls(
            seeds={id: course.seeds[id] for id in drawn.units},
            split=drawn,
            habits=course.habits if course.habits.pairs else None,
            facts={**facts, **{name: {id: facts[name][id] for id in drawn.units} for name in (LINKS, CUTS)}},
            overlay=overlay,
            suggested=candidates(course.records, tried),
        )

    def before(self, base: str) -> Overlay:
        """The overlay at the start of the run; `base`: the version of the shipped prompt."""
        return Overlay.of(self.overlay, base)

    def texts(self) -> Iterator[str]:
        """All texts of it that are used in prompts."""
        for seed in self.seeds.values():
            yield from (seed.source, seed.target)
        yield from (rule.text for rule in self.suggested.rules)

    def as_record(self) -> dict[str, Any]:
        suggested = self.suggested
        return {
            "seeds": [seed.as_record() for seed in self.seeds.values()],
            "tested": list(self.split.tested),
            "held_out": list(self.split.held_out),
            "habits": None if self.habits is None else self.habits.as_record(),
            "facts": dict(self.facts),
            "overlay": None if self.overlay is None else self.overlay.decode(),
            "rules": [[rule.id, rule.text, rule.suggestion_id, rule.proposed_by] for rule in suggested.rules],
            "unfit": [[one.suggestion_id, one.seeds, one.reason] for one in suggested.unfit],
            "others": [suggested.tried_before, suggested.rare, suggested.left_for_later],
        }

    @classmethod
    def from_record(cls, record: Json) -> Self:
        seeds = [Seed.from_record(one) for one in record["seeds"]]
        return cls(
            seeds={seed.id: seed for seed in seeds},
            split=Split(tuple(record["tested"]), tuple(record["held_out"])),
            habits=None if record["habits"] is None else Habits.from_record(record["habits"]),
            facts=record["facts"],
            overlay=None if record["overlay"] is None else record["overlay"].encode(),
            suggested=Candidates(
                tuple(Rule(*one) for one in record["rules"]),
                tuple(Unfit(*one) for one in record["unfit"]),
                *record["others"],
            ),
        )
