"""A repair: one task on its way, what was tried for it, what it cost, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from burnish.core.edits import Edit
from burnish.core.records import Usage
from burnish.core.requests import Answer
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.refinement.arbiter import CONSTRAINT
from burnish.kinds.lessons.refinement.types import (
    DeltaJudgeResult,
    FixAction,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.refinement.verify import Verification


@dataclass(slots=True)
class Repair:
    """A task on its way: what was tried, what it cost, and what came of it."""

    task: SectionRefinementTask
    action: FixAction
    before: LessonUnit
    after: LessonUnit | None = None
    edits: tuple[Edit, ...] = ()
    failure: str | None = None
    tries: int = 0
    """Answers that were about this repair, used or not."""
    delta: DeltaJudgeResult | None = None
    verification: Verification | None = None
    by_rules: bool = False
    """The task is a rule's: the rule itself says whether it is settled."""
    any_length: bool = False
    """A rule or a person demands it, and that may need more words or fewer than there were."""
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def stands(self) -> bool:
        return self.verification is not None and self.verification.passed

    @property
    def demands(self) -> list[str]:
        """What has to be settled, a line each."""
        return self.task.synthesized_instructions.splitlines()

    @property
    def complaints(self) -> list[str]:
        """What was wrong, without advice: whoever compares shall look at the change, not for the suggested words."""
        told = [
            f"“{one.quoted_text}”: {one.description}" if one.quoted_text else one.description for one in self.issues
        ]
        return [*told, *(line for line in self.demands if line.startswith(CONSTRAINT))]

    @property
    def issues(self) -> tuple[TargetedIssue, ...]:
        return self.task.source_issues

    def pay(self, answer: Answer, usage: Usage | None = None) -> None:
        """Put an answer on the bill; `usage` is this repair's part of it where others share it."""
        self.usage += answer.usage if usage is None else usage
        self.calls = (*self.calls, *answer.calls)
        self.seconds += answer.seconds


def shares(usage: Usage, parts: int) -> list[Usage]:
    """A bill in so many parts that add up to it."""
    cost = None if usage.cost is None else usage.cost / parts
    return [
        Usage(_share(usage.prompt_tokens, parts, part), _share(usage.completion_tokens, parts, part), cost)
        for part in range(parts)
    ]


def _share(amount: int, parts: int, part: int) -> int:
    return amount // parts + (part < amount % parts)
