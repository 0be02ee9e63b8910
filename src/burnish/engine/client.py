"""The client of a run's models: render, look up, call, record, and only then parse. Also panels of judges."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Protocol

from burnish.core.effects import Answer, Request
from burnish.core.errors import BurnishError, ModelAway, ReplyUnreadable
from burnish.core.records import CallRecord, Usage
from burnish.core.replies import REPLIES, reply_schema
from burnish.core.together import ITEMS
from burnish.models.calls import Call, CallItem
from burnish.models.envelopes import parse_reply
from burnish.models.gateway import CallFailed, Gateway
from burnish.models.profiles import CallSettings
from burnish.models.prompts import Rendered, prompt_named, render
from burnish.store.redaction import Redactor

TRIES = 2
"""Unreadable answers of a judge about one unit before it is given up."""
UNITS = 3
"""Units about which no judge gave a readable answer before a panel that was never read counts as unreadable."""


def is_unreadable(answer: Answer) -> bool:
    """Return whether the model answered, but not in a form that can be read. A refusal is not among them: it concerns
    the one request."""
    return (answer.failure or "").startswith("reply_unreadable") and not answer.refused


@dataclass(slots=True)
class Panel:
    """All models that judge with the same sort of reply."""

    is_proven: bool = False
    """Whether one of them has given a readable answer in this run."""
    is_given_up: bool = False
    """Whether its answers count as unreadable in this session."""
    unread: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """Model -> key of the call -> its unit, for unreadable answers of this session."""
    settled: set[str] = field(default_factory=set)
    """Units about which earlier sessions got no readable answer either: this is the unit's trouble."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Model -> why its answers were unreadable."""
    judges: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """Unit -> model whose first call about it is in flight -> how many unreadable answers it has given."""
    locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def first(self, call: Call, known: int, ask: Callable[[int], Awaitable[Answer]]) -> Answer | None:
        """Return the answer to a call before the panel is proven; None if it is unreadable, and other units may show
        whose trouble that is. `ask` gets the most answers to request; `known`: how many earlier sessions have. No judge
        is asked again while another one may still prove the panel."""
        async with self.locks[call.model]:
            # A call that returns with the panel still unproven: no other unit was read meanwhile.
            self.is_given_up = self.is_given_up or (not self.is_proven and call.key in self.unread[call.model])
            if not self.is_proven and (self.is_given_up or self._waits_for_others(call)):
                return None
            if self.is_proven or call.items:  # several units: each is asked about alone if this cannot be read
                answer = await ask(1)
                self.is_proven = self.is_proven or answer.reply is not None
                return answer
            async with self._counted(call):
                for tries in range(1, TRIES + 1) if known < TRIES else (TRIES + 1,):
                    answer = await ask(1 if self.is_proven else tries)
                    self.is_proven = self.is_proven or answer.reply is not None
                    if self.is_proven or not is_unreadable(answer) or await self._is_proven_after(call, tries):
                        return answer
            return self._unread(call, answer, is_old=known >= TRIES)

    def _waits_for_others(self, call: Call) -> bool:
        """Return whether this model could not be read about the unit in another request of this session: it would only
        gather more unreadable answers, and a resumed run would not request them again."""
        return call.unit in self.unread[call.model].values() and not call.items

    def _unread(self, call: Call, answer: Answer, *, is_old: bool) -> Answer | None:
        """Return an unreadable answer if it is the unit's trouble; else None."""
        if is_old or call.unit in self.settled:
            self.settled.add(call.unit)
            return answer
        self.reasons[call.model] = str(answer.failure).partition(": ")[2]
        self.unread[call.model][call.key] = call.unit
        self.is_given_up = len(set(self.unread[call.model].values())) >= UNITS
        return None

    @asynccontextmanager
    async def _counted(self, call: Call) -> AsyncIterator[None]:
        """Count a judge whose first call about a unit is in flight."""
        self.judges[call.unit][call.model] = 0
        try:
            await asyncio.sleep(0)  # so that the other judges of the same question are counted too
            yield
        finally:
            del self.judges[call.unit][call.model]
            async with self.changed:
                self.changed.notify_all()

    async def _is_proven_after(self, call: Call, tries: int) -> bool:
        """Return whether another judge proves the panel before this one is asked again. The judge that was asked least
        never waits, so they cannot wait for each other."""
        others = self.judges[call.unit]
        others[call.model] = tries
        async with self.changed:
            self.changed.notify_all()
            await self.changed.wait_for(lambda: self.is_proven or min(others.values()) >= tries)
        return self.is_proven

    @property
    def reason(self) -> str:
        """The message of a run that stops for this reason."""
        told = "; ".join(f"{model}: {why}" for model, why in self.reasons.items())
        return f"The first answers of every judge could not be read ({told})."


NO_MODELS = "model_failed: no model is set"
"""The failure of a request without a model."""


class Client(Protocol):
    """Sends requests to models. LimitReached, ModelAway and CallDeferred are raised; a bad answer is returned as an
    Answer."""

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        """`is_optional`: another model can take the role, so a model that is away gives an Answer, too."""
        ...

    async def exchange(self) -> None:
        """Send queued calls, if calls are made in batches. Raise Submitted if the answers take longer."""
        ...

    def park(self, away: ModelAway) -> None:
        """A task was parked. If its model counts as away, no new call begins in this session."""
        ...

    @property
    def outage(self) -> str | None:
        """Why no new call begins in this session: a model without a substitute is away. None: calls are made."""
        ...


async def all_answers(asked: Iterable[Coroutine[Any, Any, Answer]]) -> tuple[Answer, ...]:
    """Return all answers in order. The first failure is raised when all are finished."""
    found = await answers_or_failures(asked)
    return tuple(answer for answer in found if isinstance(answer, Answer))


async def answers_or_failures(
    asked: Iterable[Coroutine[Any, Any, Answer]], *returned: type[BurnishError]
) -> tuple[Answer | BurnishError, ...]:
    """Return all answers in order, with failures of these types in their places. Another failure is raised when all are
    finished.

    All are awaited: a call in flight when another reaches the ceiling is paid, so it is recorded.
    """
    found = await asyncio.gather(*asked, return_exceptions=True)
    for answer in found:
        if isinstance(answer, BaseException) and not isinstance(answer, returned):
            raise answer
    return tuple(answer for answer in found if isinstance(answer, Answer | BurnishError))


MORE_ROOM = 4
"""How many times longer a reply may be when it is requested again because thinking used up its room."""
FAILURES_IN_A_ROW = 3
"""Calls that a model may fail in a row, each after its retries, before it counts as away."""
FAILURES_IN_ALL = 9
"""Failures of one call, over all sessions, after which it is its unit that waits for a person, not the run that waits
for its model."""
HOLDS_FENCE = "the reply holds the token of the run's fences, which no content may"
HINT = "`burnish resume` continues once the model answers; nothing is paid twice."


class ModelClient:
    """Sends the requests of one run to its models."""

    def __init__(
        self,
        gateway: Gateway,
        nonce: str,
        *,
        at_once: int | None = None,
        redactor: Redactor | None = None,
        call_settings: CallSettings | None = None,
        is_alone: bool = False,
    ) -> None:
        """`at_once`: the most requests in flight, and so the most calls that a crash loses, with any number of judges.
        `call_settings`: as recorded with the run; None: from the facts about each model. `is_alone`: there is no run,
        only one unit, so whatever fails about it is its own trouble.
        """
        self._gateway = gateway
        self._nonce = nonce
        self._redactor = redactor or Redactor()
        self._call_settings = call_settings
        self._is_alone = is_alone
        self._slots = asyncio.Semaphore(at_once) if at_once is not None else nullcontext()
        self._failures: dict[str, int] = {}
        self._reasons: dict[str, str] = {}
        """Model -> why its last failed call got no answer."""
        self._panels: dict[str, Panel] = defaultdict(Panel)
        self._given_up: set[str] = set()
        """Models whose panel is given up. They stay away, whatever they answer to other sorts of requests."""
        self._known: dict[str, int] = {}
        """Call of an unproven panel -> how many answers earlier sessions have recorded."""
        self._looked_up: set[tuple[str, str, str]] = set()
        self.outage: str | None = None
        """Why no new call begins: a model is away and has no substitute."""

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        """Return the answer, or why there is none. Raise LimitReached or ModelAway: they end the run, not the unit."""
        settings = self._call_settings or CallSettings.of([model])
        call = call_of(ask, model, self._nonce, settings)
        panel = self._panel(call)

        def last(tries: int) -> Coroutine[Any, Any, Answer]:
            return self._last_answer(call, settings, is_optional=is_optional, tries=tries)

        if panel is None:
            return await last(1)
        answer = await panel.first(call, self._known.setdefault(call.key, self._recorded(call)), last)
        if answer is not None:
            return answer
        reason = self._redactor.diagnostics(panel.reason)
        if not panel.is_given_up:
            raise ModelAway(model, reason, hint=HINT)  # until other units have been asked about
        self._given_up.add(model)
        self._reasons[model] = reason
        return self._without(call, reason, is_optional=is_optional)

    def _panel(self, call: Call) -> Panel | None:
        """Return the panel of a judge that was never read in this run; None if nothing has to be proven."""
        name = REPLIES[call.reply_name].panel
        if name is None or self._is_alone:
            return None
        panel, judge = self._panels[name], (name, call.role, call.model)
        if not panel.is_proven and judge not in self._looked_up:
            self._looked_up.add(judge)
            panel.is_proven = self._was_read(*judge)
        return None if panel.is_proven else panel

    def _was_read(self, panel: str, role: str, model: str) -> bool:
        """Return whether the run holds a readable answer of a judge."""
        said = self._gateway.replies(role, model)
        return any(REPLIES[name].panel == panel and is_readable(name, raw) for name, raw in said)

    def _recorded(self, call: Call) -> int:
        """Return how many answers to a call are recorded."""
        samples = (replace(call, sample=call.sample + more) for more in range(TRIES + 1))
        return sum(1 for _ in takewhile(self._gateway.is_recorded, samples))

    async def _last_answer(self, call: Call, settings: CallSettings, *, is_optional: bool, tries: int) -> Answer:
        """Return the answer to a call. An unreadable answer is requested again, up to `tries` in all; those that are
        recorded are read to the last."""
        answer = await self._answer(call, settings, is_optional=is_optional)
        while is_unreadable(answer):
            call = replace(call, sample=call.sample + 1)
            if call.sample >= tries and not self._gateway.is_recorded(call):
                break
            again = await self._answer(call, settings, is_optional=is_optional)
            usage, calls = answer.usage + again.usage, (*answer.calls, *again.calls)
            answer = replace(again, usage=usage, calls=calls, seconds=answer.seconds + again.seconds)
        return answer

    async def _answer(self, call: Call, settings: CallSettings, *, is_optional: bool) -> Answer:
        """Return the recorded answer or a new one. If thinking used up the room, request it once more with more room;
        the answer that was cut off is charged as well."""
        wider, cut_off = with_more_room(call, settings), list[CallRecord]()
        while True:
            try:
                async with self._slots:
                    record = self._gateway.recorded(call)
                    if record is None:
                        self._refuse_away(call.model)
                        record = await self._gateway.ask(call)
                        self._failures[call.model] = 0
                return self._read(call, record, cut_off)
            except CallFailed as failed:
                if failed.lacked_room and wider is not None:
                    cut_off.append(failed.record)
                    call, wider = wider, None
                elif self._is_of_unit(call, failed):
                    return self._unanswered(call, failed, cut_off)
                else:  # no substitute before it has failed so often that it counts as away
                    reason = self._told_away(call, failed)
                    is_away = self._is_away(call.model)
                    if is_away or failed.was_refused or not is_optional:  # others are asked before a refusal counts
                        return self._without(call, reason, is_optional=is_optional and is_away)
            except ModelAway as away:
                return self._without(call, away.message, is_optional=is_optional)

    def _read(self, call: Call, record: CallRecord, cut_off: Sequence[CallRecord]) -> Answer:
        """Parse a model's answer."""
        bill = _bill(*cut_off, record)
        if call.fence and call.fence in record.raw.casefold():
            return Answer(call.model, None, f"reply_unreadable: {HOLDS_FENCE}", *bill)
        try:
            return Answer(call.model, parse_reply(call.reply_name, record.raw), None, *bill)
        except ReplyUnreadable as unreadable:
            return Answer(call.model, None, self._told("reply_unreadable", unreadable.message), *bill)

    def _is_of_unit(self, call: Call, failed: CallFailed) -> bool:
        """Return whether the failure concerns this one request: its content is refused, or the endpoint has answered
        others since, or fails session after session. A model that has answered none yet may refuse them all, for its
        name, its settings or the shape of the reply: then no unit is to blame, unless that lasts."""
        times, has_lived = self._gateway.failures(call)
        if failed.of_endpoint:
            return (has_lived and times >= FAILURES_IN_A_ROW) or (times >= FAILURES_IN_ALL and not failed.is_final)
        if call.items and failed.was_refused:
            return True  # its items are asked about one by one: their answers tell what is at fault
        if failed.answered or failed.of_content or not failed.was_refused or self._is_alone:
            return True
        return self._gateway.has_answered(call.model) or times >= FAILURES_IN_ALL

    def _refuse_away(self, model: str) -> None:
        """Raise ModelAway if no new call may begin."""
        if self.outage is not None:
            raise ModelAway(model, self.outage)
        if self._is_away(model):
            raise ModelAway(model, self._reasons[model])

    def _is_away(self, model: str) -> bool:
        return model in self._given_up or self._failures.get(model, 0) >= FAILURES_IN_A_ROW

    def _told_away(self, call: Call, failed: CallFailed) -> str:
        """Count a failure of the endpoint. If no later call could succeed, the model is away at once."""
        once = FAILURES_IN_A_ROW if failed.is_final else 1
        self._failures[call.model] = self._failures.get(call.model, 0) + once
        reason = self._redactor.diagnostics(" ".join(filter(None, (failed.message, failed.hint))))
        self._reasons[call.model] = reason
        return reason

    def _without(self, call: Call, reason: str, *, is_optional: bool) -> Answer:
        if is_optional:
            return Answer(call.model, None, f"model_failed: {reason}", away=True)
        raise ModelAway(call.model, reason, hint=HINT)

    async def exchange(self) -> None:
        if self.outage is None:
            try:
                await self._gateway.exchange()
            except ModelAway as away:
                self.outage = away.message

    def park(self, away: ModelAway) -> None:
        if self._is_away(away.model):
            self.outage = self.outage or away.message

    def _unanswered(self, call: Call, failed: CallFailed, cut_off: Sequence[CallRecord]) -> Answer:
        """Return why there is no answer. One that was cut off, refused or withheld is unreadable; a request refused for
        its content says nothing about the next one, so the model is not away."""
        name = "reply_unreadable" if failed.answered else "model_failed"
        self._failures[call.model] = 0
        refused = not failed.answered or failed.is_refusal
        bill = _bill(*cut_off, failed.record)
        return Answer(call.model, None, self._told(name, failed.message), *bill, refused=refused)

    def _told(self, name: str, message: str) -> str:
        return self._redactor.diagnostics(f"{name}: {message}")


def is_readable(reply: str, raw: str) -> bool:
    try:
        parse_reply(reply, raw)
    except ReplyUnreadable:
        return False
    return True


def _bill(*records: CallRecord) -> tuple[tuple[str, ...], Usage, float]:
    """Return the calls behind an answer, their usage, and their duration."""
    keys = tuple(record.key for record in records)
    usage = sum((record.usage for record in records), Usage())
    return keys, usage, sum(record.duration_ms for record in records) / 1000


def call_of(ask: Request, model: str, nonce: str, settings: CallSettings) -> Call:
    """Return the call of a request to one model, with room for the answer and for thinking."""
    text = rendered(ask, nonce=nonce)
    limit = settings.limited(model, ask.max_tokens + settings.room(ask.role, model, max(1, len(ask.parts))))
    effort = settings.setting(ask.role, "effort")
    return Call(
        model=model,
        role=ask.role,
        unit=ask.unit,
        system=text.system,
        user=text.user,
        reply_name=ask.reply,
        schema=reply_schema(ask.reply, ask.scores),
        max_tokens=limit,
        temperature=settings.setting(ask.role, "temperature"),
        extra={} if effort is None else {"thinking": False if effort == "none" else effort},
        thinking=max(0, limit - ask.max_tokens),
        shared=text.shared,
        fence=text.fence,
        items=tuple(CallItem(str(part.item), part.unit, part.untrusted[ITEMS]) for part in ask.parts),
    )


def with_more_room(call: Call, settings: CallSettings) -> Call | None:
    """Return the repeated call if thinking used up the room; None if the model allows no longer reply."""
    most = settings.limited(call.model, call.max_tokens * MORE_ROOM)
    if most <= call.max_tokens:
        return None
    return replace(call, max_tokens=most, thinking=call.thinking + most - call.max_tokens)


def rendered(ask: Request, *, nonce: str) -> Rendered:
    """Render the request's prompt, with fences."""
    return render(prompt_named(ask.prompt), ask.trusted, ask.untrusted, nonce=nonce)
