"""Driving a procedure: ask what it wants asked, write what it says, and send back what came of it.

A round is one go at a document. Going through the same round again gives the same: recorded replies are read, and an
answer that never came is remembered as such, so that a run that was killed and resumed takes no other turn. Only a
person who sends units back, or an outage that is over, begins another round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from burnish.core.asks import Answer
from burnish.core.documents import Unit
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.kinds import DirectedKind
from burnish.core.procedures import Draft, Ending, Procedure, Request, Rest, Round, Step, Together, Told
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, Usage
from burnish.engine.answers import NO_MODELS, Asker, all_answers
from burnish.store.journal import Journal


@dataclass(slots=True)
class DocumentWork:
    """One document in one round of its procedure."""

    kind: DirectedKind
    journal: Journal
    document: str
    """Its name in the run."""
    unit_id: Callable[[str], str]
    """A unit's own id -> its name in the run."""
    sources: Mapping[str, Unit]
    """The units as they were read, by their own ids."""
    round: Round
    procedure: Procedure
    asker: Asker | None
    silences: Mapping[str, Mapping[str, Any]]
    """Place in the procedure -> what is known of an answer that never came there."""
    happened: Callable[[EventRecord], None]
    steps: int = 0
    drafts: dict[str, int] = field(default_factory=dict)
    silences_heard: list[Record] = field(default_factory=list)
    """Those of the step that is being answered."""
    held: list[Record] = field(default_factory=list)
    """Attempts, events and silences since the last answers. They are written once the next answers have come, or with
    the end of the round: where a model is away instead, nothing of them stays, and the round takes this turn anew."""

    async def finish(self) -> Ending:
        """Go through the procedure to its end. The units rest where it says."""
        sent: Any = None
        while True:
            try:
                step = self.procedure.send(sent)
            except StopIteration as end:
                ending: Ending = end.value
                await self._rest(ending)
                return ending
            self.steps += 1
            sent = await self._done(step)

    async def _done(self, step: Step) -> object:
        if isinstance(step, Together):
            return await self._answers(step)
        if isinstance(step, Draft):
            return self._attempt(step)
        self._tell(step)
        return None

    async def _answers(self, step: Together) -> tuple[Answer, ...]:
        reach("engine.directing.ask")
        places = ((f"{self._place}:{index}", request) for index, request in enumerate(step.requests))
        answers = await all_answers(self._answer(place, request) for place, request in places)
        await self._write_held()
        self.held += self.silences_heard
        self.silences_heard = []
        reach("engine.directing.answered")
        return answers

    async def _answer(self, place: str, request: Request) -> Answer:
        known = self.silences.get(place)
        ask = replace(request.ask, unit=self.unit_id(request.ask.unit))
        if known is not None:
            answer = _silence(request.model, known)
        elif self.asker is None:
            return Answer(request.model, None, NO_MODELS)
        else:
            answer = await self.asker.ask(ask, request.model, is_optional=request.is_optional)
        if answer.reply is None:
            # Written again where it was only remembered: a replay can be replayed, too.
            data = {"place": place, "model": answer.model, "failure": answer.failure, **_bill(answer)}
            silence = event("unanswered", ask.unit, dedupe=f"unanswered:{place}", data=data)
            self.silences_heard.append(silence)
        return answer

    async def _write_held(self) -> None:
        held, self.held = self.held, []
        if held:
            await self.journal.write(*held)
        for record in held:
            if isinstance(record, EventRecord) and record.type != "unanswered":
                self.happened(record)

    def _attempt(self, draft: Draft) -> int:
        unit = draft.unit
        self.drafts[unit.id] = self.drafts.get(unit.id, self.round.attempts.get(unit.id, 0)) + 1
        number = self.drafts[unit.id]
        source = self.sources.get(unit.id)
        same = source is not None and source.content_hash == unit.content_hash
        record = AttemptRecord(
            unit=self.unit_id(unit.id),
            number=number,
            cause=draft.cause,
            content=None if same else self.kind.to_record(unit),
            content_hash=unit.content_hash,
            scores=dict(draft.scores),
            findings=tuple(finding.as_record() for finding in draft.findings),
            passed=draft.passed,
            failure=draft.failure,
            edits=draft.edits,
            receipt=draft.receipt,
            usage=draft.usage,
            calls=draft.calls,
        )
        self.held.append(record)
        return number

    def _tell(self, told: Told) -> None:
        unit = self.unit_id(told.unit) if told.unit is not None else None
        data = {**told.data, "document": self.document, "round": self.round.number}
        record = EventRecord(told.type, unit, data, dedupe=self._place)
        self.held.append(record)

    async def _rest(self, ending: Ending) -> None:
        """Where every unit rests and how the round ended: one transaction."""
        rows = [self._row(id, rest) for id, rest in ending.units.items()]
        data = {"document": self.document, "round": self.round.number, "status": ending.status, "reason": ending.reason}
        reach("engine.directing.rest")
        self.journal.set_meta(f"overview:{self.document}", orjson.dumps(ending.result).decode())
        ended = event("round_ended", dedupe=f"round_ended:{self.document}:{self.round.number}", data=data)
        self.held += [*rows, ended]
        await self._write_held()

    def _row(self, id: str, rest: Rest) -> UnitRow:
        row = self.journal.unit(self.unit_id(id))
        assert row is not None, "every unit has a row since the document was taken in"
        states = self.kind.states
        state = states.ready if rest.ready else states.waiting
        return replace(
            row,
            state=states.check(row.state, state),
            reason=rest.reason,
            attempts=max(row.attempts, self.drafts.get(id, row.attempts)),
            best_attempt=rest.attempt,
            open_errors=rest.open_errors,
        )

    @property
    def _place(self) -> str:
        return f"{self.document}:{self.round.number}:{self.steps}"


def _bill(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    return {
        "calls": list(answer.calls),
        "usage": [usage.prompt_tokens, usage.completion_tokens, usage.cost],
        "seconds": answer.seconds,
        **({"away": True} if answer.away else {}),
    }


def _silence(model: str, data: Mapping[str, Any]) -> Answer:
    """An answer that never came, as it never came before."""
    usage, away = Usage(*data["usage"]), bool(data.get("away"))
    return Answer(model, None, data["failure"], tuple(data["calls"]), usage, data["seconds"], away=away)
