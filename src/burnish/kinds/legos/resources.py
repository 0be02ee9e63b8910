"""The resources of a run: its options, and the facts about the whole course."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

from burnish import __version__
from burnish.core.errors import UsageError
from burnish.core.tasks import Gathered
from burnish.kinds.legos.attempt_history import is_taken
from burnish.kinds.legos.evidence import CUTS, LINKS, PAIRS, CourseEvidence, HabitCounter, Habits, learn
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Course, Seed, words_of
from burnish.kinds.legos.phrases import Languages
from burnish.kinds.legos.placement import spans_of
from burnish.kinds.legos.policy import MAX_ATTEMPTS, RETRY_BELOW
from burnish.kinds.legos.requests import PROMPT_VERSION, Commission
from burnish.kinds.legos.scoring import SCORING_VERSION, ScoringVersion
from burnish.languages.detection import language_name
from burnish.languages.profiles import KNOWN, LanguageProfile, profile_of

Extractor = Literal["built-in", "model"]
EVERY = "all"
"""Means every SEED, in place of ids."""
NO_PROMPT = "0.0.0"
"""The prompt version of attempts without a prompt."""


@dataclass(frozen=True)
class Terms:
    """The options of a run, fixed when it starts."""

    course_code: str = "und_for_eng"
    extractor: Extractor = "built-in"
    retry_below: float = RETRY_BELOW
    max_attempts: int = MAX_ATTEMPTS
    rule: IronRule = field(default_factory=IronRule)
    scoring: ScoringVersion = SCORING_VERSION
    again: frozenset[str] = frozenset()
    """SEEDs that are cut again although they were accepted before, or `all`."""
    only: bool = False
    """Whether all other SEEDs are left unchanged."""
    hold: bool = False
    """Whether every cut waits for a person even if it passes."""
    prompt_version: str = PROMPT_VERSION
    rules: tuple[str, ...] = ()
    """The rules that the course's prompt has learnt."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The terms in the options of a plan."""
        return cls(
            course_code=options["course"],
            extractor=options["extractor"],
            retry_below=options["retry_below"],
            max_attempts=options["max_attempts"],
            rule=IronRule(options["iron_rule"], options["infinitive_to"]),
            scoring=options.get("scoring", SCORING_VERSION),
            again=frozenset(options["again"]),
            only=options.get("only", False),
            hold=options.get("hold", False),
            prompt_version=options["prompt_version"],
            rules=tuple(options["rules"]),
        )

    @cached_property
    def course(self) -> Course:
        return Course.of(self.course_code)

    @cached_property
    def profile(self) -> LanguageProfile:
        return course_profile(self.course)

    @cached_property
    def commission(self) -> Commission:
        return Commission(self.profile, language_name(self.course.target_tag), self.rule, self.rules)

    @cached_property
    def languages(self) -> Languages:
        _ = self.profile  # raises UsageError for an unsupported language
        return Languages.of(self.course)

    def begins_anew(self, seed: Seed) -> bool:
        """Whether it is cut again from the beginning. A SEED that a person decided on only if it is named."""
        return seed.id in self.again or (EVERY in self.again and not is_taken(seed))

    def leaves_alone(self, seed: Seed) -> bool:
        """Whether the run leaves it unchanged."""
        return self.only and seed.id not in self.again

    def agent(self, by: str) -> str:
        """The maker of an attempt, as in records: `burnish_0.1.0_built-in`."""
        return f"burnish_{__version__}_{by}"


def course_profile(course: Course) -> LanguageProfile:
    """The profile of a course's source language. Raise UsageError if it is not supported."""
    profile = profile_of(course.source)
    if profile is None:
        language = language_name(course.source_tag)
        raise UsageError(
            f"The course {course.code} is taught from {language}, which Burnish does not support.",
            hint=f"Supported languages: {', '.join(sorted(language_name(tag) for tag in KNOWN))}.",
        )
    return profile


HABITS = "habits"


@dataclass(frozen=True)
class CourseFacts:
    """The facts about a course, read from the journal."""

    record: Mapping[str, Any]
    terms: Terms

    @cached_property
    def evidence(self) -> CourseEvidence:
        """The evidence of the course about its SEEDs."""
        return CourseEvidence(self.record, self.terms.languages)

    @cached_property
    def habits(self) -> Habits:
        """The habits in the LEGOs in use."""
        return Habits.from_record(self.record.get(HABITS, {}))


def gathered(seeds: Iterable[Seed], terms: Terms, known: Mapping[str, Any]) -> Gathered:
    """The facts of a course, from its current SEEDs. The alignment and best cuts are computed once."""
    counter = HabitCounter()
    kept: list[Seed] = []
    for seed in seeds:
        words = words_of(seed.source)
        if seed.legos:
            counter.add(words, spans_of(words, seed.legos))
        if LINKS not in known:
            kept.append(seed)
    lasting = {name: known[name] for name in (LINKS, CUTS, PAIRS)} if LINKS in known else None
    return Gathered({**(lasting or learn(kept, terms.languages, terms.rule)), HABITS: counter.habits().as_record()})
