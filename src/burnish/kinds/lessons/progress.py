"""The progress of one lesson: its text, judgements, kept attempts and costs."""

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
from burnish.kinds.lessons.refinement import LessonContentSection
from burnish.kinds.lessons.verdicts import SectionJudgement

PASSAGES = 3
"""The most passages of the source in a prompt about one unit."""
QUERY = 2_000
"""The most characters of a unit that are used as a query for passages."""


@dataclass(slots=True)
class Ledger:
    """The cost of a part of the work: tokens, and the time spent waiting for models."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


@dataclass(slots=True)
class KeptAttempt:
    """The current attempt of a unit."""

    number: int
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class LessonProgress:
    """The state of one lesson while it is polished."""

    lesson: Lesson
    """The current text."""
    context: LessonContext
    roles: ModelRoles
    config: RefinementConfig
    examine: Examine
    index: PassageIndex | None = None
    """The search index of the source; None without a source."""
    notes: dict[str, str] = field(default_factory=dict)
    """Unit -> the note of the person who sent it back."""
    settled: frozenset[str] = frozenset()
    """Units that must not be changed, because a person decided on them."""
    flags: dict[str, list[str]] = field(default_factory=dict)
    """Unit -> the first reader's remarks; `lesson` for the whole."""
    groups: Groups = ()
    """The units that share a window, as in the first judging."""
    judgements: dict[tuple[str, str], tuple[SectionJudgement, ...]] = field(default_factory=dict)
    """Judge and key of a window or of the whole -> its judgements. Nothing is judged twice."""
    carried: set[tuple[str, str]] = field(default_factory=set)
    """Judgements of the whole that are about an earlier version."""
    misquoted: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The same keys -> units with a serious issue that quotes words which are not in the text."""
    silent: dict[str, str] = field(default_factory=dict)
    """Judge -> why it gave no usable answer."""
    away: dict[str, Answer] = field(default_factory=dict)
    """Silent judges that are temporarily away -> their last answer."""
    mute: set[str] = field(default_factory=set)
    """Models that gave no usable answer as delta judge."""
    kept: dict[str, KeptAttempt] = field(default_factory=dict)
    recorded: dict[str, str] = field(default_factory=dict)
    """Unit -> hash of the text whose scores were recorded last."""
    first_cause: Literal["source", "review"] = "source"
    """The origin of a unit's first attempt in this round: the file, or an earlier round."""
    ledger: Ledger = field(default_factory=Ledger)
    """Repair and verification, and the time for judging again."""
    counted: int = 0
    """All tokens within the refinement's budget, from the first repair on."""
    paid: set[str] = field(default_factory=set)
    """Calls that are already paid for."""
    locked: frozenset[str] = frozenset()
    """Units that this refinement must not change any more."""
    refused: dict[str, str] = field(default_factory=dict)
    """Unit -> why its last repair was not kept, for the next attempt."""
    _examined: tuple[Lesson | None, dict[str, tuple[Finding, ...]]] = (None, {})
    """The lesson that the rules last examined, and their findings per unit: a rule may look at all units."""

    @classmethod
    def begun(
        cls,
        context: LessonContext,
        roles: ModelRoles,
        examine: Examine,
        mode: OperationMode = "semi-auto",
        limits: RefinementLimits | None = None,
    ) -> Self:
        """The initial state, with the lesson as it was read."""
        return cls(context.lesson, context, roles, config_for(mode, limits), examine, source_index(context))

    @property
    def with_sources(self) -> bool:
        return self.index is not None

    @property
    def open_units(self) -> list[LessonUnit]:
        """The units that may be changed, in document order."""
        return [unit for unit in self.lesson.units if unit.id not in self.settled]

    @property
    def broken(self) -> dict[str, list[Finding]]:
        """Open unit -> the findings that block it; units without any are left out."""
        found = {unit.id: [one for one in self.findings(unit) if one.blocks] for unit in self.open_units}
        return {id: findings for id, findings in found.items() if findings}

    def ask(
        self, requests: Iterable[ModelRequest], *, counted: bool = True, timed: bool = False
    ) -> Generator[Effect, Any, tuple[Answer, ...]]:
        """Ask several requests together. Those not `counted` are outside the refinement's budget: all judging, of which
        `timed` requests still use its time."""
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
        """The rest of the refinement's budget, checked before every batch of requests: 0 stops them."""
        return max(0, self.config.limits.max_total_tokens - self.counted)

    def _billed_once(self, answer: Answer) -> Answer:
        """The answer without its cost if the call is paid for: repeated questions are answered from the journal."""
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

    def keep(self, attempt: Keep, *, is_best: bool) -> Generator[Effect, Any, int]:
        """Record an attempt, with the criteria that were not judged; `is_best` makes it the current one."""
        without = unjudged(with_judges=bool(self.judgements), with_sources=self.with_sources)
        number = yield from draft(replace(attempt, checked={"unjudged": without} if without else {}))
        if is_best:
            self.kept[attempt.unit.id] = KeptAttempt(number, attempt.findings)
        return number

    def rules_against(self) -> str | None:
        """The broken rules that prevent acceptance whatever the judges' scores."""
        broken = [f"{finding.rule} in {id}" for id, findings in self.broken.items() for finding in findings]
        whole = self.examine(self.lesson, self.lesson.units[-1]).of_document
        broken += [f"{finding.rule} in the lesson" for finding in whole if finding.blocks]
        return f"Rules are broken: {', '.join(dict.fromkeys(broken))}." if broken else None

    def findings(self, unit: LessonUnit) -> tuple[Finding, ...]:
        """The rules' findings on a unit in the current lesson."""
        if self._examined[0] is not self.lesson:
            self._examined = (self.lesson, {})
        known = self._examined[1]
        if unit.content_hash not in known:
            known[unit.content_hash] = self.examine(self.lesson, unit).findings
        return known[unit.content_hash]


def content_sections(lesson: Lesson) -> tuple[LessonContentSection, ...]:
    """Every unit of the lesson in the arbiter's form."""
    return tuple(LessonContentSection(id=unit.id, title=unit.title, content=unit.body) for unit in lesson.units)


def source_index(context: LessonContext) -> PassageIndex | None:
    """The search index of the source; None if it shares no word with the lesson, so that it cannot prove facts."""
    index = PassageIndex(context.passages)
    related = any(index.search(unit.text[:QUERY], 1) for unit in context.lesson.units)
    return index if related else None
