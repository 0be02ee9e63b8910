"""The progress of one lesson in work: its text, judgements, kept attempts and costs."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from burnish.core.effects import Answer, Effect, Keep, ModelRequest, ModelRoles, ask_together, draft
from burnish.core.findings import Finding
from burnish.core.records import Usage
from burnish.kinds.lessons.findings import Examine, Groups
from burnish.kinds.lessons.materials import PassageIndex
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage
from burnish.kinds.lessons.policy import OperationMode, RefinementConfig, RefinementLimits, config_for, unjudged
from burnish.kinds.lessons.refinement.types import LessonContentSection
from burnish.kinds.lessons.refinement.verdicts import SectionJudgement

PASSAGES = 3
"""How many passages of the source a prompt about one unit carries."""
QUERY = 2_000
"""Characters of a unit that are searched for in the source."""


@dataclass(slots=True)
class Ledger:
    """What a stretch of the work has cost: tokens, and the time during which somebody waited for a model."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


@dataclass(slots=True)
class KeptAttempt:
    """The attempt of a unit that counts at the moment."""

    number: int
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class LessonProgress:
    """One lesson in work: everything that changes while it is polished."""

    lesson: Lesson
    """As it is now."""
    context: LessonContext
    roles: ModelRoles
    config: RefinementConfig
    examine: Examine
    index: PassageIndex | None = None
    """The source, searchable; None where there is none."""
    notes: dict[str, str] = field(default_factory=dict)
    """Unit -> what a person wrote when sending it back."""
    settled: frozenset[str] = frozenset()
    """Units that nothing may touch: a person has spoken."""
    flags: dict[str, list[str]] = field(default_factory=dict)
    """Unit -> what the first reader noticed there; `lesson` for the whole."""
    groups: Groups = ()
    """Which units share a window, as it was at the first judging."""
    judgements: dict[tuple[str, str], tuple[SectionJudgement, ...]] = field(default_factory=dict)
    """Judge and key of a window or of the whole -> what was said about it. Nothing is judged twice."""
    carried: set[tuple[str, str]] = field(default_factory=set)
    """Those of them about the whole that were said of an earlier version."""
    misquoted: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The same keys -> units of which something serious is said about words that stand nowhere."""
    silent: dict[str, str] = field(default_factory=dict)
    """Judge -> why it gave no usable answer."""
    away: dict[str, Answer] = field(default_factory=dict)
    """Those of them that are away -> what is known of it."""
    mute: set[str] = field(default_factory=set)
    """Models that gave no usable answer as delta judge."""
    kept: dict[str, KeptAttempt] = field(default_factory=dict)
    recorded: dict[str, str] = field(default_factory=dict)
    """Unit -> hash of the text whose scores were written down last."""
    first_cause: Literal["source", "review"] = "source"
    """What a unit's first attempt in this round comes from: the file, or an earlier round."""
    ledger: Ledger = field(default_factory=Ledger)
    """Repair and verification, and the time that judging again took."""
    counted: int = 0
    """Tokens of all that is on the refinement's budget, from the first repair on."""
    paid: set[str] = field(default_factory=set)
    """Calls that are on a bill already."""
    locked: frozenset[str] = frozenset()
    """Units that this refinement may not touch any more."""
    refused: dict[str, str] = field(default_factory=dict)
    """Unit -> why its last repair was not kept: whoever tries again is told."""
    _examined: tuple[Lesson | None, dict[str, tuple[Finding, ...]]] = (None, {})
    """The lesson that the rules looked at last, and what they said of its units: a rule may look at all of them."""

    @classmethod
    def begun(
        cls,
        context: LessonContext,
        roles: ModelRoles,
        examine: Examine,
        mode: OperationMode = "semi-auto",
        limits: RefinementLimits | None = None,
    ) -> Self:
        """At the beginning: the lesson as it was handed in."""
        return cls(context.lesson, context, roles, config_for(mode, limits), examine, source_index(context))

    @property
    def with_sources(self) -> bool:
        return self.index is not None

    @property
    def open_units(self) -> list[LessonUnit]:
        """The units that may be touched, in document order."""
        return [unit for unit in self.lesson.units if unit.id not in self.settled]

    @property
    def broken(self) -> dict[str, list[Finding]]:
        """Open unit -> the findings that block it; units without any are left out."""
        found = {unit.id: [one for one in self.findings(unit) if one.blocks] for unit in self.open_units}
        return {id: findings for id, findings in found.items() if findings}

    def ask(
        self, requests: Iterable[ModelRequest], *, counted: bool = True, timed: bool = False
    ) -> Generator[Effect, Any, tuple[Answer, ...]]:
        """Ask together. What is not `counted` is outside of the refinement's budget: all judging, of which `timed`
        still uses up its time."""
        heard = yield from ask_together(requests)
        answers = tuple(self._billed_once(answer) for answer in heard)
        if counted or timed:
            self.ledger.seconds += max((answer.seconds for answer in answers), default=0.0)
        if counted:
            self.ledger.usage = sum((answer.usage for answer in answers), self.ledger.usage)
            self.counted += sum(answer.usage.total_tokens for answer in answers)
        return answers

    @property
    def tokens_left(self) -> int:
        """What the refinement's budget still holds. Looked at before every batch of requests: 0 means no more."""
        return max(0, self.config.limits.max_total_tokens - self.counted)

    def _billed_once(self, answer: Answer) -> Answer:
        """A question that was asked before is answered from the journal: it costs nothing and takes no time."""
        was_answered = not (answer.failure or "").startswith("model_failed")
        if was_answered and answer.calls and self.paid.issuperset(answer.calls):
            return replace(answer, usage=Usage(), seconds=0.0)
        self.paid.update(answer.calls)
        return answer

    def passages(self, text: str) -> list[Passage]:
        """The passages of the source that are nearest to a text."""
        if self.index is None:
            return []
        return [hit.passage for hit in self.index.search(text[:QUERY], PASSAGES)]

    def keep(self, attempt: Keep, *, stands: bool) -> Generator[Effect, Any, int]:
        """Write an attempt down, with what nobody judged in it; `stands` makes it the one that counts."""
        without = unjudged(with_judges=bool(self.judgements), with_sources=self.with_sources)
        number = yield from draft(replace(attempt, checked={"unjudged": without} if without else {}))
        if stands:
            self.kept[attempt.unit.id] = KeptAttempt(number, attempt.findings)
        return number

    def rules_against(self) -> str | None:
        """The rules that keep a lesson from being accepted whatever its judges say."""
        broken = [f"{finding.rule} in {id}" for id, findings in self.broken.items() for finding in findings]
        whole = self.examine(self.lesson, self.lesson.units[-1]).of_document
        broken += [f"{finding.rule} in the lesson" for finding in whole if finding.blocks]
        return f"Rules are broken: {', '.join(dict.fromkeys(broken))}." if broken else None

    def findings(self, unit: LessonUnit) -> tuple[Finding, ...]:
        """What the rules say of a unit, in the lesson as it is now."""
        if self._examined[0] is not self.lesson:
            self._examined = (self.lesson, {})
        known = self._examined[1]
        if unit.content_hash not in known:
            known[unit.content_hash] = self.examine(self.lesson, unit).findings
        return known[unit.content_hash]


def content_sections(lesson: Lesson) -> tuple[LessonContentSection, ...]:
    """Every unit of the lesson as the arbiter sees it."""
    return tuple(LessonContentSection(id=unit.id, title=unit.title, content=unit.body) for unit in lesson.units)


def source_index(context: LessonContext) -> PassageIndex | None:
    """The source, searchable. One that shares no word with the lesson is none: nobody could judge facts by it."""
    index = PassageIndex(context.passages)
    related = any(index.search(unit.text[:QUERY], 1) for unit in context.lesson.units)
    return index if related else None
