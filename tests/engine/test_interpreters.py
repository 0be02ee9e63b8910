"""One generator of work: driven over a journal, in memory, and without asking anybody."""

import asyncio
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from burnish.core.effects import (
    Answer,
    Blocker,
    Effect,
    Keep,
    ModelRequest,
    Move,
    Outcome,
    Request,
    Settled,
    Stop,
    Tool,
    Work,
    ask_together,
    draft,
    note,
)
from burnish.core.errors import LimitReached, ModelAway, StateCorrupt
from burnish.core.forecasts import requests_of
from burnish.core.gate import StateTable
from burnish.core.records import CallRecord, EventRecord, UnitRow, Usage, event
from burnish.engine.client import NO_MODELS, Client
from burnish.engine.interpreters import InMemory, Live, Performed, TaskRecord
from burnish.store.journal import MemoryJournal
from burnish.store.processes import system_clock
from tests.core.units import PlainUnit, finding

ASK = Request("judge", "u1", "lessons:judge", "edit_reply", {}, {}, 100)


class Echo:
    """Answers with the model's own name; `limit` has no budget left, and `slow` takes its time."""

    def __init__(self) -> None:
        self.done: list[str] = []

    outage = None

    def park(self, away: object) -> None: ...

    async def exchange(self) -> None: ...

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        if model == "x:limit":
            raise LimitReached("No budget is left.")
        await asyncio.sleep(0.01 if model == "x:slow" else 0)
        self.done.append(model)
        return Answer(model, None, f"reply_unreadable: {model}" if model == "x:bad" else None)


def procedure(*models: str) -> Generator[Effect, Any, list[str]]:
    yield from note("begun", "u1", number=1)
    first = yield from draft(Keep(PlainUnit.of("u1", text="one"), "source"))
    second = yield from draft(Keep(PlainUnit.of("u1", text="two"), "model"))
    answers = yield from ask_together(ModelRequest(ASK, model) for model in models)
    yield from note("over", drafts=[first, second])
    return [answer.model for answer in answers]


async def gone_through(performance: InMemory, *models: str) -> list[object]:
    return [item async for item in performance.events(procedure(*models))]


def test_events_come_as_they_are_told_and_the_last_is_the_result() -> None:
    performance = InMemory(Echo())
    begun, over, end = asyncio.run(gone_through(performance, "x:slow", "x:a", "x:bad"))
    assert (begun.type, begun.unit, begun.data) == ("begun", "u1", {"number": 1})  # type: ignore[attr-defined]
    assert over.data == {"drafts": [1, 2]}  # type: ignore[attr-defined]
    assert end == Performed(["x:slow", "x:a", "x:bad"]), "answers are in the order of their requests"
    assert performance.draft("u1", 2).texts() == {"text": "two"}
    assert performance.failures == ["reply_unreadable: x:bad"]


def test_a_limit_ends_it_after_the_calls_that_are_under_way() -> None:
    client = Echo()
    with pytest.raises(LimitReached):
        asyncio.run(InMemory(client).result(procedure("x:limit", "x:slow")))
    assert client.done == ["x:slow"]


def test_without_models_every_request_stays_unanswered() -> None:
    performance = InMemory(None)
    assert asyncio.run(performance.result(procedure("x:a"))) == ["x:a"]
    assert performance.failures == ["model_failed: no model is set"]


MOVES = {"new": {"working"}, "working": {"ready", "waiting"}, "ready": set(), "waiting": set()}
STATES = StateTable("new", "working", "ready", "waiting", {state: frozenset(to) for state, to in MOVES.items()})
TEXT = PlainUnit.of("u1", text="one")


class PlainKind:
    """As much of a kind as the live interpreter asks for."""

    states = STATES

    def to_record(self, unit: PlainUnit) -> dict[str, str]:
        return dict(unit.texts())  # type: ignore[arg-type]


class Answers:
    """Answers as told, by the name of the model; an exception is raised."""

    def __init__(self, **answers: Answer | BaseException) -> None:
        self.answers, self.asked = answers, list[tuple[str, str]]()

    outage = None

    def park(self, away: object) -> None: ...

    async def exchange(self) -> None: ...

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        self.asked.append((ask.unit, model))
        answer = self.answers.get(model, Answer(model, {"said": model}))
        if isinstance(answer, BaseException):
            raise answer
        return answer


def row(**more: Any) -> UnitRow:
    return UnitRow("d/u1", "d", 0, TEXT.content_hash, "new", **more)


def live(journal: MemoryJournal, client: Client | None = None, *, at: UnitRow | None = None, **more: Any) -> Live:
    begun = at or row()
    of_task = {name: more.pop(name) for name in ("is_retraced", "tags", "document", "closing") if name in more}
    task = TaskRecord("t1", {"u1": begun}, {"u1": begun.attempts}, lambda id: f"d/{id}", **of_task)
    return Live(PlainKind(), journal, client, task, **more)  # type: ignore[arg-type]


def driven(interpreter: Live, work: Work) -> Outcome:
    return asyncio.run(interpreter.run(work))


def told(journal: MemoryJournal, *types: str) -> list[EventRecord]:
    return list(journal.events(types=types))


def ends(state: str = "ready", **more: Any) -> Outcome:
    return Outcome((Settled("u1", (Stop("working"), Stop(state)), **more),))


def asking(*models: str) -> Generator[Effect, Any, tuple[Answer, ...]]:
    return ask_together(ModelRequest(ASK, model) for model in models)


class TestLive:
    @pytest.fixture
    def journal(self) -> MemoryJournal:
        return MemoryJournal(clock=system_clock)

    def test_attempts_are_numbered_on_from_those_that_the_unit_has(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            assert (yield Keep(TEXT.with_text("text", "two"), "model")) == 4
            assert (yield Keep(TEXT.with_text("text", "three"), "model")) == 5
            return ends()

        driven(live(journal, at=row(attempts=3)), work())
        assert [attempt.number for attempt in journal.attempts("d/u1")] == [4, 5]
        written = journal.unit("d/u1")
        assert written is not None and (written.state, written.attempts, written.best_attempt) == ("ready", 5, 0)

    def test_the_attempt_that_counts_and_its_open_errors_are_in_the_row(self, journal: MemoryJournal) -> None:
        wrong = Keep(TEXT, "source", findings=(finding(), finding(severity="warning")))
        driven(live(journal), iter_of(ends(drafts=(wrong, Keep(TEXT.with_text("text", "two"), "model")), best=1)))
        written = journal.unit("d/u1")
        assert written is not None and (written.attempts, written.best_attempt, written.open_errors) == (2, 1, 1)
        assert [attempt.content for attempt in journal.attempts("d/u1")] == [None, {"text": "two"}]

    def test_an_attempt_is_written_before_the_next_question(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            yield Keep(TEXT, "source")
            assert not list(journal.attempts("d/u1"))
            yield from asking("a")
            assert [attempt.number for attempt in journal.attempts("d/u1")] == [1]
            return ends()

        client = Answers()
        driven(live(journal, client), work())
        assert client.asked == [("d/u1", "a")]

    def test_behind_an_absent_model_nothing_is_written_until_another_answers(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            yield from asking("gone")
            yield Keep(TEXT, "source")
            yield from asking("b")
            return ends()

        away = Answer("gone", None, "model_failed: away", away=True)
        with pytest.raises(ModelAway):
            driven(live(journal, Answers(gone=away, b=ModelAway("b", "away"))), work())
        assert not list(journal.attempts("d/u1")) and journal.unit("d/u1") is None
        driven(live(journal, Answers(gone=away)), work())
        assert len(list(journal.attempts("d/u1"))) == 1

    def test_an_answer_that_could_not_be_used_is_remembered_at_its_place(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            first, second = yield from asking("bad", "good")
            assert (first.failure, second.failure) == ("reply_unreadable: no JSON", None)
            return ends()

        bad = Answer("bad", None, "reply_unreadable: no JSON", ("k1",), Usage(3, 4, 0.5), 1.5)
        driven(live(journal, Answers(bad=bad), is_retraced=True), work())
        [silence] = told(journal, "unanswered")
        assert (silence.unit, silence.data["place"], silence.data["usage"]) == ("d/u1", "t1:1:0", [3, 4, 0.5])
        client = Answers(bad=AssertionError("it is asked again"))
        driven(live(MemoryJournal(), client, is_retraced=True, silences={"t1:1:0": silence.data}), work())
        assert client.asked == [("d/u1", "good")]

    def test_that_no_model_is_set_is_not_remembered(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            [answer] = yield from asking("a")
            assert answer.failure == NO_MODELS
            return ends("waiting")

        driven(live(journal, None, is_retraced=True), work())
        assert told(journal, "unanswered") == []

    def test_a_call_is_on_the_bill_of_the_first_attempt_that_lists_it(self, journal: MemoryJournal) -> None:
        def work() -> Work:
            yield Keep(TEXT, "model", usage=None, calls=("k1",))
            yield from asking("a")
            yield Keep(TEXT, "model", usage=None, calls=("k1", "k2"))
            return ends()

        for key, tokens in (("k1", 10), ("k2", 7), ("other", 90)):
            journal.write_now(CallRecord(key, "d/u1", "r", "m", "n", {}, "ok", "", Usage(tokens, 0, 0.0), 1, 1))
        driven(live(journal, Answers()), work())
        assert [attempt.usage.prompt_tokens for attempt in journal.attempts("d/u1")] == [10, 7]

    def test_moves_are_checked_and_told(self, journal: MemoryJournal) -> None:
        def jumps() -> Work:
            yield Move("u1", "ready")
            return ends()

        driven(live(journal), iter_of(Outcome((Settled("u1", (Stop("working"), Stop("waiting", "tired", ("r",)))),))))
        moves = [(move.data["from"], move.data["to"], move.data["reason"]) for move in told(journal, "state_changed")]
        assert moves == [("new", "working", None), ("working", "waiting", "tired")]
        with pytest.raises(StateCorrupt):
            driven(live(journal), jumps())

    def test_notes_are_told_once_with_the_tags_of_the_task(self, journal: MemoryJournal) -> None:
        heard: list[str] = []

        def work() -> Work:
            yield from note("begun", "u1", number=1)
            return ends()

        for _ in range(2):
            watched = live(journal, is_retraced=True, tags={"round": 2}, on_event=lambda told: heard.append(told.type))
            driven(watched, work())
        [begun] = told(journal, "begun")
        assert (begun.unit, begun.data) == ("d/u1", {"number": 1, "round": 2})
        assert set(heard) == {"begun"}, "moves and silences are for the journal only"

    def test_blockers_and_the_closing_event_are_written_with_the_outcome(self, journal: MemoryJournal) -> None:
        outcome = Outcome(blockers=(Blocker("b1", "terms_differ", {"term": "x"}),), result={"score": 1})
        driven(
            live(journal, document="d", closing=lambda done: event("closed", data=dict(done.result))), iter_of(outcome)
        )
        [blocker], [closed] = told(journal, "blocker_raised"), told(journal, "closed")
        assert (blocker.data["reason"], blocker.data["record"], closed.data) == (
            "terms_differ",
            {"term": "x"},
            {"score": 1},
        )
        assert journal.get_meta("overview:d") == '{"score":1}'

    def test_a_translator_is_asked_by_its_name(self, journal: MemoryJournal) -> None:
        class Upper:
            def translate(self, texts: Sequence[str]) -> Sequence[str]:
                return [text.upper() for text in texts]

        def work() -> Work:
            assert (yield Tool("upper", ("a", "b"))) == ["A", "B"]
            return ends()

        driven(live(journal, tools={"upper": Upper()}), work())


def iter_of(outcome: Outcome) -> Work:
    """Work that asks for nothing."""
    return outcome
    yield


def test_what_would_be_asked_is_collected_without_asking() -> None:
    def work() -> Generator[Effect, Any, None]:
        first = yield Keep(TEXT, "source")
        second = yield Keep(TEXT, "model")
        answers = yield from asking("a", "b")
        assert (first, second) == (1, 2)
        assert [answer.reply for answer in answers] == ["said a", None]
        assert answers[1].failure is not None
        assert (yield Tool("x", ("one", "two"))) == ("", "")
        yield from asking("c")

    said = {"a": "said a"}
    asked = list(requests_of(work(), lambda request: said.get(request.model)))
    assert [[request.model for request in step] for step in asked] == [["a", "b"], ["c"]]
