"""The tasks of a run, whatever its kind: what all of them have in common, and the one way in which work is reopened.

A row in a state that does not rest is open, and its task is worked on: it was just taken in, a person sent it back, a
decision was undone, or a model that it waited for is there again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from burnish.core.errors import LimitReached
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, UnitRow, event
from burnish.core.tasks import Environment
from burnish.engine.client import Asker
from burnish.engine.examiner import Examiner
from burnish.engine.plan import Plan
from burnish.engine.replay import RecordedDecisions
from burnish.engine.runner import Runner
from burnish.store.journal import Journal

MODEL_TROUBLE = frozenset({"model_failed", "judges_silent", "no_model", "no_judges"})
"""Reasons to wait that may be gone the next time: `resume` tries such units again."""
REOPENED = "reopened"


@dataclass(slots=True, kw_only=True)
class RunTasks:
    """The tasks of one plan: a task is a unit, a round at a document, or a batch of a phase."""

    plan: Plan
    kind: Kind
    journal: Journal
    examiner: Examiner
    env: Environment
    """The rules, the models and the options of the run."""
    client: Asker | None
    runner: Runner
    rested: Callable[[UnitRow], None]
    happened: Callable[[EventRecord], None]
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""
    replayed: Journal | None = None
    """The journal of the run that this one repeats."""

    async def work_on_all(self) -> LimitReached | None:
        """Bring everything to rest. The limit that was met, if one was."""
        raise NotImplementedError

    async def reopen(self) -> None:
        """After an orderly end, what only waits because a model was away gets another chance, if there is one now.

        A replay gives the chances that the recorded run gave.
        """
        stopped = any(True for _ in self.journal.events(types=("run_stopped",), limit=1))
        if self.replayed is not None or not stopped:
            return
        for row in list(self.journal.units(states=(self.kind.states.waiting,))):
            if row.reason in MODEL_TROUBLE and self.has_models_for(row.reason):
                await self.journal.write(*self.reopened(row))

    def has_models_for(self, trouble: str) -> bool:
        """Whether the models are named now for want of which a unit waits."""
        return trouble != "no_model" or bool(self.plan.corrector)

    def reopened(self, row: UnitRow) -> tuple[EventRecord, UnitRow]:
        again = replace(row, state=self.kind.states.check(row.state, self.kind.states.working), reason=REOPENED)
        return event("reopened", row.id, data={"after_attempt": row.attempts}), again

    async def call_back(self) -> None:
        """What shows only now that everything rests may send accepted units to a person after all."""

    def goes_on(self) -> bool:
        """Whether there is more to do after all: people reopened something."""
        return self.runner.take_reopened()

    def ending(self) -> str | None:
        """How it ended, in the kind's own words; None where what the units say is all."""
        return None
