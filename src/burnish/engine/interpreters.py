"""Interpreters: they drive a generator of work in a run, in memory, or without asking models.

`Live` asks models and writes the journal, `InMemory` writes nothing, for programs, and `core.forecasts.requests_of`
only collects the requests, for an estimate.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from burnish.core.attempts import open_errors
from burnish.core.claims import answers_in
from burnish.core.documents import Unit
from burnish.core.effects import (
    Answer,
    Ask,
    Blocker,
    Effect,
    Keep,
    Late,
    ModelRequest,
    Move,
    Note,
    Outcome,
    Request,
    Settled,
    Tool,
    Work,
)
from burnish.core.errors import BurnishError, CallDeferred, LimitReached, ModelAway
from burnish.core.faultpoints import reach
from burnish.core.json_bytes import dumps
from burnish.core.kinds import Kind
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, Usage, event, shares
from burnish.engine.client import NO_MODELS, Client, all_answers, answers_or_failures
from burnish.models.calls import span
from burnish.store.journal import Journal

T = TypeVar("T")
POSTPONING = (LimitReached, ModelAway, CallDeferred)
"""Errors for which the work on a task is postponed."""


def _answers_about(record: AttemptRecord, draft: Keep) -> Iterator[EventRecord]:
    """Yield what readers answered about claims of rules in a draft: it counts for and against these rules."""
    denied, upheld = answers_in(draft.findings)
    if denied or upheld:
        told = {name: [one.as_record() for one in some] for name, some in (("denied", denied), ("upheld", upheld))}
        yield event("claims_answered", record.unit, dedupe=f"claims_answered:{record.unit}:{record.number}", data=told)


class Translator(Protocol):
    """A translator that is not a language model."""

    def translate(self, texts: Sequence[str]) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """How a task is recorded."""

    key: str
    """The task's name in the run."""
    rows: Mapping[str, UnitRow]
    """Unit id -> row when the task began."""
    attempts: Mapping[str, int]
    """Unit id -> number of attempts."""
    unit_id: Callable[[str], str]
    """Maps a unit's id to its name in the run."""
    is_retraced: bool = False
    """Whether a resumed run repeats it from the start: then every step has a place, at which unusable answers are
    recorded."""
    tags: Mapping[str, Any] = field(default_factory=dict)
    """Data added to every event of the task."""
    document: str | None = None
    """The document, if the task is about a whole one: then the end of the task records its state, and moves of units
    are not events."""
    stores_sources: bool = False
    """Whether the journal's attempts hold the sources, so that every attempt is written with its text."""
    begun: tuple[EventRecord, ...] = ()
    """The events of its start, written before the first request; none: written already, or not needed."""
    trial: Mapping[str, tuple[UnitRow, EventRecord]] = field(default_factory=dict)
    """Units that wait for a person, and that other models are tried on: unit id -> its row as it waits, and the event
    of its reopening. Nothing is written before all models of a step have answered, so the person can still decide."""
    closing: Callable[[Outcome], EventRecord | None] = lambda _: None
    """Returns the event of its end, written with the outcome."""


class Overtaken(Exception):
    """A person has decided about a unit on which models were tried: their answers come too late."""


@dataclass(slots=True)
class Live:
    """Drives the work on one task of a run."""

    kind: Kind
    journal: Journal
    client: Client | None
    task: TaskRecord
    tools: Mapping[str, Translator] = field(default_factory=dict)
    silences: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Place in the work -> the record of an unusable answer."""
    on_event: Callable[[EventRecord], None] = lambda _: None
    payers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Call about several units -> these units, which share its cost."""
    steps: int = 0
    rows: dict[str, UnitRow] = field(init=False)
    written: dict[str, UnitRow] = field(init=False)
    numbers: dict[str, int] = field(default_factory=dict)
    kept: dict[tuple[str, int], AttemptRecord] = field(default_factory=dict)
    held: list[Record] = field(default_factory=list)
    """Records to write before the next request, or with the outcome. After an answer from an absent model they are held
    until the next answers: if another model is away, too, they are dropped."""
    absences: list[Record] = field(default_factory=list)
    """Records of answers that absent models did not give. They are written once the work goes on without these models:
    if it cannot, they are asked again."""
    was_absent: bool = False
    has_late: bool = False
    """Whether some of the last answers are late: what the others have settled is written before the task is parked."""
    is_begun: bool = False
    is_trial: bool = False
    """Whether nothing may be written yet."""

    def __post_init__(self) -> None:
        self.rows, self.written = dict(self.task.rows), dict(self.task.rows)
        if self.task.trial:
            self.is_trial = self.is_begun = True
            self.written |= {unit: row for unit, (row, _) in self.task.trial.items()}
            self.held += [told for _, told in self.task.trial.values()]
            self.held += self.task.begun

    async def run(self, work: Work) -> Outcome:
        """Drive the work to its end, and write its outcome."""
        sent: Any = None
        with span("burnish.task", {"burnish.task": self.task.key, "burnish.units": len(self.task.rows)}):
            while True:
                try:
                    effect = work.send(sent)
                except StopIteration as end:
                    outcome: Outcome = end.value
                    await self.settle(outcome)
                    return outcome
                except POSTPONING:
                    if self.has_late:
                        await self.write_held()
                    raise
                self.steps += 1
                sent = None
                match effect:
                    case Ask():
                        sent = await self._answers(effect)
                    case Keep():
                        sent = self._keep(effect)
                    case Tool():
                        sent = await asyncio.to_thread(self.tools[effect.tool].translate, effect.texts)
                    case Move():
                        self._move(effect.unit, effect.state, None)
                    case Settled():
                        self._settle(effect)
                    case Note():
                        dedupe = effect.key or (self._place if self.task.is_retraced else None)
                        unit = self.task.unit_id(effect.unit) if effect.unit is not None else None
                        data = {**effect.data, **self.task.tags}
                        self.held.append(EventRecord(effect.type, unit, data, dedupe=dedupe))

    # -- models

    async def _answers(self, step: Ask) -> tuple[Answer | Late, ...]:
        if not self.is_begun:
            self.held[:0] = self.task.begun
            self.is_begun = True
        if not self.was_absent:
            await self.write_held()
        reach("engine.task.ask")
        step = Ask(tuple(replace(request, ask=self._named(request.ask)) for request in step.requests))
        asked = (self._answer(index, request) for index, request in enumerate(step.requests))
        given = await answers_or_failures(asked, *(POSTPONING if step.may_be_late else ()))
        late = [error for error in given if isinstance(error, BurnishError)]
        is_absent = any(isinstance(answer, Answer) and answer.away for answer in given)
        if late and is_absent:
            raise late[0]
        if self.is_trial and all(isinstance(one, Answer) and one.reply is not None for one in given):
            self._end_trial()
        await self.write_held()
        self.was_absent, self.has_late = is_absent, bool(late)
        if self.task.is_retraced:
            silences = list(self._silences(step, given))
            self.absences += [told for told in silences if told.data.get("away")]
            self.held += [told for told in silences if not told.data.get("away")]
        reach("engine.task.answered")
        return tuple(Late(answer) if isinstance(answer, BurnishError) else answer for answer in given)

    async def _answer(self, index: int, request: ModelRequest) -> Answer:
        known = self.silences.get(f"{self._place}:{index}")
        if known is not None and not (known.get("away") and self._is_unmoved(request.ask)):
            # An answer that was unusable before stays so.
            answer = Answer(
                request.model,
                None,
                known["failure"],
                tuple(known["calls"]),
                Usage(*known["usage"]),
                known["seconds"],
                refused=bool(known.get("refused")),
                away=bool(known.get("away")),
            )
        elif self.client is None:
            return Answer(request.model, None, NO_MODELS)
        else:
            answer = await self.client.ask(request.ask, request.model, is_optional=request.is_optional)
        if request.ask.parts:
            self.payers |= dict.fromkeys(answer.calls, tuple(part.unit for part in request.ask.parts))
        return answer

    def _is_unmoved(self, ask: Request) -> bool:
        """Return whether nothing is kept about the units of a request in this task, although another unit went on
        without the model: then it is asked again."""
        units = {part.unit for part in ask.parts} or {ask.unit}
        rows = ((row, self.task.attempts.get(id, 0)) for id, row in self.task.rows.items())
        return self.task.document is None and units <= {row.id for row, begun in rows if row.attempts <= begun}

    def _named(self, ask: Request) -> Request:
        """Return the request with the names that its units have in the run."""
        return replace(ask, unit=self.task.unit_id(ask.unit), parts=tuple(map(self._named, ask.parts)))

    def _silences(self, step: Ask, answers: Sequence[Answer | BurnishError]) -> Iterator[EventRecord]:
        """Yield events of unusable answers, so that a resumed run takes the same path."""
        for index, (request, answer) in enumerate(zip(step.requests, answers, strict=True)):
            if isinstance(answer, Answer) and answer.reply is None and answer.failure != NO_MODELS:
                place, usage = f"{self._place}:{index}", answer.usage
                data = {
                    "place": place,
                    "model": answer.model,
                    "failure": answer.failure,
                    "calls": list(answer.calls),
                    "usage": [usage.prompt_tokens, usage.completion_tokens, usage.cost],
                    "seconds": answer.seconds,
                    **({"refused": True} if answer.refused else {}),
                    **({"away": True} if answer.away else {}),
                }
                yield event("unanswered", request.ask.unit, dedupe=f"unanswered:{place}", data=data)

    # -- attempts and events

    def _keep(self, draft: Keep) -> int:
        id = draft.unit.id
        number = self.numbers[id] = self.numbers.get(id, self.task.attempts.get(id, 0)) + 1
        record = self._attempt(draft, number)
        self.held += [record, *_answers_about(record, draft)]
        if draft.best is not None:
            self._stand(id, draft.best)
        return number

    def _attempt(self, draft: Keep, number: int) -> AttemptRecord:
        unit, row = draft.unit, self.rows[draft.unit.id]
        is_source = unit.content_hash == row.content_hash and not self.task.stores_sources
        record = AttemptRecord(
            unit=row.id,
            number=number,
            cause=draft.cause,
            content=None if is_source else self.kind.to_record(unit),
            content_hash=unit.content_hash,
            scores=dict(draft.scores),
            findings=tuple(finding.as_record() for finding in draft.findings),
            passed=draft.passed,
            failure=draft.failure,
            edits=draft.edits,
            receipt=draft.receipt,
            usage=draft.usage if draft.usage is not None else self._charged(row.id, draft.calls),
            calls=draft.calls,
            checked=draft.checked,
        )
        self.kept[unit.id, number] = record
        return record

    def _charged(self, unit: str, calls: Collection[str]) -> Usage:
        """Return the usage of an attempt: a call is charged to the first attempt that lists it.

        A repeated lookup is not charged again. A call that is newer than the last attempt that lists it is: a killed
        run paid for it, or it failed and was repeated.
        """
        if not calls:
            return Usage()
        billed = {key: attempt.at for attempt in self.journal.attempts(unit) for key in attempt.calls}
        payers = {key: self.payers.get(key, (unit,)) for key in calls}
        recorded = (call for holder in {units[0] for units in payers.values()} for call in self.journal.calls(holder))
        due = (call for call in recorded if call.key in payers and call.at > billed.get(call.key, ""))
        return sum((_part(call.usage, payers[call.key], unit) for call in due), Usage())

    def _stand(self, id: str, number: int) -> None:
        """Set the best attempt in the unit's row."""
        row = self.rows[id]
        attempts = max(row.attempts, self.numbers.get(id, 0))
        standing = self.kept.get((id, number)) or (self.journal.attempts(row.id)[number - 1] if number else None)
        errors = open_errors(standing) if standing is not None else 0
        self.rows[id] = replace(row, attempts=attempts, best_attempt=number, open_errors=errors)

    def _move(self, id: str, state: str, reason: str | None, rules: Sequence[str] = ()) -> None:
        row = self.rows[id]
        self.rows[id] = replace(row, state=self.kind.states.check(row.state, state), reason=reason)
        if self.task.document is None and not (self.task.is_retraced and row.state == state):
            data = {"from": row.state, "to": state, "reason": reason, "rules": list(rules)}
            self.held.append(event("state_changed", row.id, data=data))

    def _end_trial(self) -> None:
        """Let the task be written, unless a person has decided meanwhile. Only this process changes rows."""
        self.is_trial = False
        waited = (row for row, _ in self.task.trial.values())
        if any((now := self.journal.unit(row.id)) is None or now.at != row.at for row in waited):
            raise Overtaken

    async def write_held(self) -> None:
        """Write the held records and the changed rows in one transaction."""
        if self.is_trial:
            return
        held, self.held = self.held, []
        if not held:
            return
        if not all(isinstance(one, EventRecord) and one.type in ("task_begun", "unanswered") for one in held):
            held, self.absences = [*held, *self.absences], []
        changed = [row for id, row in self.rows.items() if row is not self.written[id]]
        self.written = dict(self.rows)
        await self.journal.write(*held, *changed)
        for record in held:
            if isinstance(record, EventRecord) and record.type not in ("task_begun", "unanswered", "state_changed"):
                self.on_event(record)

    # -- the outcome

    async def settle(self, outcome: Outcome) -> None:
        """Write the whole outcome of the task in one transaction."""
        if self.is_trial:
            self._end_trial()
        if self.task.document is not None:
            self.journal.set_meta(f"overview:{self.task.document}", dumps(outcome.result).decode())
        for settled in outcome.units:
            self._settle(settled)
        self.held += raised(outcome.blockers)
        closing = self.task.closing(outcome)
        if closing is not None:
            self.held.append(closing)
        reach("engine.task.settling")
        await self.write_held()
        reach("engine.task.settled")

    def _settle(self, settled: Settled) -> None:
        id = settled.unit
        for draft in settled.drafts:
            self._keep(draft)
        name = self.task.unit_id(id)
        self.held += [EventRecord(note.type, name, dict(note.data), dedupe=note.key) for note in settled.notes]
        last = self.numbers.get(id) if settled.drafts else self.rows[id].best_attempt
        self._stand(id, settled.best if settled.best is not None else last or 0)
        for stop in settled.states:
            self._move(id, stop.state, stop.reason, stop.rules)

    @property
    def _place(self) -> str:
        return f"{self.task.key}:{self.steps}"


def _part(usage: Usage, payers: Sequence[str], unit: str) -> Usage:
    """Return a unit's part of the cost of a call."""
    parts = zip(payers, shares(usage, len(payers)), strict=True)
    return sum((part for payer, part in parts if payer == unit), Usage())


def raised(blockers: Sequence[Blocker]) -> list[EventRecord]:
    """Return the events of blockers that concern no unit."""
    return [
        event("blocker_raised", dedupe=f"blocker:{each.key}", data={"reason": each.reason, "record": each.record})
        for each in blockers
    ]


@dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """The result of the work, as the last item in memory."""

    value: T


@dataclass(slots=True)
class InMemory:
    """Drives work without a run. It keeps every draft, so that the best attempt can be found."""

    client: Client | None
    """None: no request is answered."""
    drafts: dict[str, list[Unit]] = field(default_factory=dict)
    """Unit -> its drafts in order; the first has number 1."""
    failures: list[str] = field(default_factory=list)
    """Reasons for which requests got no usable answer."""

    async def events(self, work: Generator[Effect, Any, T]) -> AsyncIterator[Note | Performed[T]]:
        """Yield the events of the work as they happen, and finally its result."""
        sent: Any = None
        while True:
            try:
                effect = work.send(sent)
            except StopIteration as end:
                yield Performed(end.value)
                return
            sent = None
            if isinstance(effect, Ask):
                sent = await self._answers(effect)
            elif isinstance(effect, Keep):
                kept = self.drafts.setdefault(effect.unit.id, [])
                kept.append(effect.unit)
                sent = len(kept)
            elif isinstance(effect, Note):
                yield effect

    async def result(self, work: Generator[Effect, Any, T]) -> T:
        """Return the result of the work, for callers that need no events."""
        async for item in self.events(work):
            if isinstance(item, Performed):
                return item.value
        raise AssertionError("work that ends has a result")

    def draft(self, unit: str, number: int) -> Unit:
        return self.drafts[unit][number - 1]

    async def _answers(self, step: Ask) -> tuple[Answer, ...]:
        answers = await all_answers(map(self._answer, step.requests))
        self.failures += [answer.failure for answer in answers if answer.failure is not None]
        return answers

    async def _answer(self, request: ModelRequest) -> Answer:
        if self.client is None:
            return Answer(request.model, None, NO_MODELS)
        return await self.client.ask(request.ask, request.model, is_optional=request.is_optional)
