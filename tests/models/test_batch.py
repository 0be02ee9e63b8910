"""Calls in batches: put by, sent together, collected by whoever comes next, and never paid twice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from burnish.core.errors import CallDeferred, LimitReached, ModelAway, Submitted, UsageError
from burnish.core.records import Usage
from burnish.models import batch
from burnish.models.batch import BatchGateway, MaybeOurs, Progress, Result, refuse_unbatched
from burnish.models.budget import Budget, Price, most_tokens
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from burnish.models.gateway import CallFailed
from burnish.models.rate_limits import Retry, RetryPolicy
from burnish.models.scripted import ScriptedModel
from burnish.store.journal import MemoryJournal
from tests.models.fixtures import NO_EDITS, a_call

MODEL = "openai:gpt-x"
CALLS = [a_call(f"Mend {number}.", model=MODEL) for number in range(4)]


@dataclass
class Sent:
    """A batch as the provider has it."""

    id: str
    mark: str
    requests: Mapping[str, bytes]


@dataclass
class Provider:
    """Both ends of a batch endpoint, in memory."""

    sent: list[Sent] = field(default_factory=list)
    looks: int = 0
    """Looks before a batch has ended."""
    outcome: Callable[[str, str], Result] = lambda id, body: Result(id, 200, body.encode())
    """Custom id and prompt of a request -> what comes of it."""
    trouble: str | None = None
    refusals: list[ProviderFault] = field(default_factory=list)
    """What the next submissions are answered."""
    arrives: bool = False
    """Whether a submission that is refused got there all the same."""
    is_secret: bool = False
    """Whether a batch cannot be told before it has ended."""
    found: int = 0

    async def prepared(self, call: Call) -> bytes:
        return call.user.encode()

    async def reply(self, call: Call, result: Result) -> RawReply:
        if result.status is None:
            raise ProviderFault("server", "never run", sent=False)
        if result.status != 200:
            kind = "server" if result.status >= 500 else "rejected"
            raise ProviderFault(kind, f"status {result.status}", status=result.status)
        assert result.body.decode() == call.user, "an answer belongs to its request"
        return RawReply(NO_EDITS, TokenCount(100, 20))

    async def submit(self, model: str, mark: str, requests: Mapping[str, bytes]) -> str:
        refusal = self.refusals.pop(0) if self.refusals else None
        if refusal is None or self.arrives:
            self.sent.append(Sent(f"batch_{len(self.sent) + 1}", mark, dict(requests)))
        if refusal is not None:
            raise refusal
        return self.sent[-1].id

    async def look(self, model: str, id: str) -> Progress:
        self.looks -= 1
        return Progress(self.looks < 0, 1, 4, self.trouble if self.looks < 0 else None)

    async def find(self, model: str, mark: str, count: int, since: datetime) -> str | None:
        self.found += 1
        assert since < datetime.now(UTC)
        if self.is_secret:
            raise MaybeOurs
        return next((sent.id for sent in self.sent if sent.mark == mark), None)

    async def results(self, model: str, id: str, progress: Progress) -> AsyncIterator[Result]:
        [sent] = [sent for sent in self.sent if sent.id == id]
        for custom, body in sent.requests.items():
            result = self.outcome(custom, body.decode())
            if result.status is not None:
                yield result

    @property
    def prompts(self) -> list[str]:
        """Every request that was sent, in order."""
        return [body.decode() for sent in self.sent for body in sent.requests.values()]


def gateway(
    journal: MemoryJournal, provider: Provider, budget: Budget | None = None, wait: float = 0.0
) -> BatchGateway:
    quick = Retry(RetryPolicy(max_attempts=3), sleep=lambda _: asyncio.sleep(0))
    return BatchGateway(journal, ScriptedModel([]), provider, budget=budget, retry=quick, wait=wait)


def put_by(desk: BatchGateway, *calls: Call) -> None:
    async def ask(call: Call) -> None:
        with pytest.raises(CallDeferred):
            await desk.ask(call)

    for call in calls:
        asyncio.run(ask(call))


def exchange(desk: BatchGateway) -> None:
    asyncio.run(desk.exchange())


def answered(journal: MemoryJournal) -> list[str]:
    return [call.request["user"] for call in journal.calls() if call.status == "ok"]


def test_calls_are_put_by_sent_together_and_recorded() -> None:
    journal, provider = MemoryJournal(), Provider()
    desk = gateway(journal, provider, Budget(prices={MODEL: Price(1.0, 2.0, share=0.5)}))
    put_by(desk, *CALLS, CALLS[0])
    assert (provider.sent, journal.submitted()) == ([], [])
    exchange(desk)
    assert [len(sent.requests) for sent in provider.sent] == [4]
    assert answered(journal) == [call.user for call in CALLS]
    record = asyncio.run(desk.ask(CALLS[0]))
    assert (record.key, record.raw, record.usage.cost) == (CALLS[0].key, NO_EDITS, (100 + 2 * 20) / 2e6)
    assert (journal.submitted(), desk.budget._under_way) == ([], 0)
    [told] = journal.events(types=("calls_submitted",))
    assert (told.data["id"], told.data["calls"]) == ("batch_1", 4)


def test_each_model_has_a_batch_of_its_own_and_none_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST_REQUESTS", 3)
    journal, provider = MemoryJournal(), Provider()
    desk = gateway(journal, provider)
    put_by(desk, *CALLS, a_call("Mend this.", model="anthropic:claude-x"))
    exchange(desk)
    assert [len(sent.requests) for sent in provider.sent] == [3, 1, 1]
    assert len(answered(journal)) == 5
    monkeypatch.setattr(batch, "MOST_BYTES", 20)
    put_by(desk, a_call("x" * 15, model=MODEL), a_call("y" * 15, model=MODEL))
    exchange(desk)
    assert [len(sent.requests) for sent in provider.sent[3:]] == [1, 1]


def test_a_session_leaves_and_the_next_collects() -> None:
    journal, provider = MemoryJournal(), Provider(looks=2)
    desk = gateway(journal, provider)
    put_by(desk, *CALLS)
    with pytest.raises(Submitted, match=r"^Submitted, resume later: 1 of 4 calls .*batch_1"):
        exchange(desk)
    assert (len(journal.submitted()), journal.totals().lost_calls) == (4, 0)
    with pytest.raises(Submitted, match=r"^Still working: 1 of 4"):
        exchange(gateway(journal, provider))
    later = gateway(journal, provider)
    exchange(later)
    assert len(provider.sent) == 1
    assert len(answered(journal)) == 4
    assert later.budget.spent.total_tokens == 4 * 120  # charged although another session had kept the room


def test_it_waits_as_long_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FIRST_LOOK", 0.001)
    journal, provider = MemoryJournal(), Provider(looks=2)
    desk = gateway(journal, provider, wait=5.0)
    put_by(desk, *CALLS)
    exchange(desk)
    assert len(answered(journal)) == 4


def test_asked_before_the_older_batch_is_collected_nothing_is_sent_again() -> None:
    journal, provider = MemoryJournal(), Provider(looks=1)
    first = gateway(journal, provider)
    put_by(first, *CALLS)
    with pytest.raises(Submitted):
        exchange(first)
    later = gateway(journal, provider)
    put_by(later, *CALLS)
    exchange(later)
    exchange(later)
    assert (len(provider.sent), later.budget._under_way) == (1, 0)


@pytest.mark.parametrize("arrived", [True, False])
def test_killed_while_it_was_sent_the_batch_is_looked_for_first(arrived: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "SETTLING", 0.05)
    lost = ProviderFault("timeout", "No answer within 300 s.")
    journal, provider = MemoryJournal(), Provider(refusals=[lost], arrives=arrived)
    first = gateway(journal, provider)
    put_by(first, *CALLS)
    with pytest.raises(ModelAway, match="No answer within"):
        exchange(first)
    assert len(journal.submitted()) == 4
    later = gateway(journal, provider)
    exchange(later)
    assert provider.found >= 1
    assert journal.submitted() == []
    put_by(later, *(call for call in CALLS if not arrived))
    exchange(later)
    assert sorted(provider.prompts) == sorted(call.user for call in CALLS), "each is paid once"
    assert len(answered(journal)) == 4


def test_while_nobody_can_tell_whether_it_arrived_nothing_is_sent_again() -> None:
    journal, provider = MemoryJournal(), Provider(refusals=[ProviderFault("timeout", "")], arrives=True, is_secret=True)
    first = gateway(journal, provider)
    put_by(first, *CALLS)
    with pytest.raises(ModelAway):
        exchange(first)
    later = gateway(journal, provider)
    with pytest.raises(Submitted, match="may have been submitted"):
        exchange(later)
    provider.is_secret = False
    exchange(later)
    assert (len(provider.sent), len(answered(journal))) == (1, 4)


def test_a_batch_that_was_refused_is_not_looked_for() -> None:
    refused = ProviderFault("rejected", "The provider answered 401.", status=401)
    journal, provider = MemoryJournal(), Provider(refusals=[refused])
    desk = gateway(journal, provider)
    put_by(desk, *CALLS)
    with pytest.raises(ModelAway, match="401"):
        exchange(desk)
    assert (journal.submitted(), desk.budget._under_way) == ([], 0)


def test_of_a_batch_that_expired_half_done_only_the_rest_is_sent_again() -> None:
    run: set[str] = set()

    def half(id: str, body: str) -> Result:
        is_run = body in run or body in ("Mend 0.", "Mend 1.")
        run.add(body)
        return Result(id, 200 if is_run else None, body.encode())

    journal, provider = MemoryJournal(), Provider(outcome=half)
    desk = gateway(journal, provider)
    put_by(desk, *CALLS)
    exchange(desk)
    assert answered(journal) == ["Mend 0.", "Mend 1."]
    put_by(desk, *CALLS[2:])
    exchange(desk)
    assert provider.prompts[4:] == ["Mend 2.", "Mend 3."]
    assert len(answered(journal)) == 4
    assert journal.totals().failed_calls == 0


def test_what_never_runs_is_given_up_after_some_tries() -> None:
    journal, provider = MemoryJournal(), Provider(outcome=lambda id, _: Result(id, None, b""))
    desk = gateway(journal, provider)
    for _ in range(3):
        put_by(desk, CALLS[0])
        exchange(desk)
    with pytest.raises(CallFailed) as failed:
        asyncio.run(desk.ask(CALLS[0]))
    assert failed.value.of_endpoint
    assert (failed.value.record.tries, failed.value.record.usage.total_tokens) == (3, 0)


def test_a_request_that_is_refused_for_what_it_holds_is_no_endless_loop() -> None:
    journal, provider = MemoryJournal(), Provider(outcome=lambda id, _: Result(id, 400, b"{}"))
    desk = gateway(journal, provider)
    put_by(desk, CALLS[0])
    exchange(desk)
    with pytest.raises(CallFailed) as failed:
        asyncio.run(desk.ask(CALLS[0]))
    assert not failed.value.of_endpoint
    assert (journal.totals().calls, journal.totals().usage.total_tokens) == (1, 0)


@pytest.mark.parametrize("trouble", ["It was cancelled.", "It was rejected. Token limit."])
def test_a_batch_that_somebody_called_off_stops_the_run_and_keeps_what_came(trouble: str) -> None:
    def one(id: str, body: str) -> Result:
        return Result(id, 200 if body == "Mend 0." else None, body.encode())

    journal, provider = MemoryJournal(), Provider(outcome=one, trouble=trouble)
    desk = gateway(journal, provider)
    put_by(desk, *CALLS)
    with pytest.raises(ModelAway, match=trouble):
        exchange(desk)
    assert (answered(journal), journal.submitted()) == (["Mend 0."], [])


def test_room_is_kept_before_anything_is_sent() -> None:
    most = most_tokens(CALLS[0])
    budget = Budget(max_tokens=2 * (most.prompt + most.completion) + 10)
    journal, provider = MemoryJournal(), Provider()
    desk = gateway(journal, provider, budget)
    sent: list[int] = []
    with pytest.raises(LimitReached):
        for _ in range(10):
            for call in [a_call(f"Mend {number}.", model=MODEL) for number in range(20)]:
                try:
                    asyncio.run(desk.ask(call))
                except CallDeferred:
                    continue
            exchange(desk)
            sent.append(len(provider.prompts))
    assert sent[0] == 2, "only what fits under the ceiling if each costs the most"
    assert budget.max_tokens is not None
    assert journal.totals().usage.total_tokens <= budget.max_tokens


def test_an_answer_that_holds_a_key_is_not_kept() -> None:
    journal, provider = MemoryJournal(), Provider()
    desk = BatchGateway(journal, ScriptedModel([]), provider, holds_key=lambda text: text == NO_EDITS)
    put_by(desk, CALLS[0])
    exchange(desk)
    [record] = journal.calls()
    assert (record.status, record.raw) == ("failed", "")


def test_a_provider_that_does_not_tell_how_far_it_is_counts_as_away() -> None:
    class Silent(Provider):
        async def look(self, model: str, id: str) -> Progress:
            raise ProviderFault("rejected", "The provider answered 404.", status=404)

    journal = MemoryJournal()
    desk = gateway(journal, Silent())
    put_by(desk, *CALLS)
    with pytest.raises(ModelAway, match="404"):
        exchange(desk)
    assert len(journal.submitted()) == 4  # they are paid: somebody may collect them yet


@pytest.mark.parametrize("model", ["scripted:x", "google:gemini-3-pro", "ollama:qwen3", "groq:x"])
def test_a_provider_without_a_batch_endpoint_is_refused(model: str) -> None:
    refuse_unbatched(["openai:a", "openai-responses:a", "openai-chat:a", "anthropic:a"])
    with pytest.raises(UsageError, match=model) as refused:
        refuse_unbatched(["openai:a", model])
    assert "anthropic:" in str(refused.value.hint)


def test_calls_that_were_not_made_are_not_on_the_bill() -> None:
    """Neither those that the provider refused, nor those put by while an older batch is still at work."""
    refused = ProviderFault("rejected", "The provider answered 401.", status=401)
    journal, provider = MemoryJournal(), Provider(refusals=[refused], looks=1)
    desk = gateway(journal, provider, Budget(prices={MODEL: Price(1.0, 2.0)}))
    put_by(desk, *CALLS)
    with pytest.raises(ModelAway):
        exchange(desk)
    assert desk.budget.spent == Usage() and desk.budget._reserved_tokens == 0
    put_by(desk, *CALLS[:2])
    with pytest.raises(Submitted):
        exchange(desk)
    later = gateway(journal, provider, Budget(prices={MODEL: Price(1.0, 2.0)}))
    put_by(later, *CALLS[2:])
    exchange(later)
    assert later.budget.spent.total_tokens == 2 * 120, "the two that were collected"
    assert later.budget._under_way == 0 and later.budget._reserved_cost == 0.0


def test_progress_is_told_when_it_changes() -> None:
    told: list[int] = []

    class Slow(Provider):
        async def look(self, model: str, id: str) -> Progress:
            self.looks -= 1
            return Progress(self.looks < 0, {3: 0, 2: 2, 1: 2}.get(self.looks, 3), 4)

    journal, provider = MemoryJournal(), Slow(looks=4)
    desk = BatchGateway(
        journal, ScriptedModel([]), provider, wait=0.0,
        on_event=lambda event: told.append(event.data["done"]) if "done" in event.data else None,
    )  # fmt: skip
    put_by(desk, *CALLS)
    for session in (
        desk,
        *(BatchGateway(journal, ScriptedModel([]), provider, on_event=desk._on_event) for _ in "abc"),
    ):
        with pytest.raises(Submitted) as left:
            exchange(session)
    assert "3 of 4" in left.value.message
    assert told == [2, 2, 3], "each session begins at 0"


def test_a_look_that_fails_may_be_repeated_but_not_for_ever() -> None:
    class Busy(Provider):
        async def look(self, model: str, id: str) -> Progress:
            self.looks -= 1
            if self.looks >= 0:
                raise ProviderFault("server", "The provider answered 503.", status=503)
            return Progress(True, 4, 4)

    for looks, ends in ((batch.MOST_FAILED_LOOKS - 1, True), (batch.MOST_FAILED_LOOKS, False)):
        journal, provider = MemoryJournal(), Busy(looks=looks)
        desk = gateway(journal, provider, wait=60.0)
        put_by(desk, CALLS[0])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batch, "FIRST_LOOK", 0.001)
            if ends:
                exchange(desk)
            else:
                with pytest.raises(ModelAway, match="503"):
                    exchange(desk)
        assert len(answered(journal)) == int(ends)


def test_a_batch_is_told_when_the_provider_has_it() -> None:
    told: list[tuple[str, object]] = []
    journal, provider = MemoryJournal(), Provider()
    desk = BatchGateway(
        journal, ScriptedModel([]), provider, on_event=lambda event: told.append((event.type, event.data.get("id")))
    )
    put_by(desk, *CALLS)
    exchange(desk)
    assert told[0] == ("calls_submitted", "batch_1")
