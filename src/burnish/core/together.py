"""Works that go on side by side: what several of them ask at the same moment about one item each is one request.

Most of a request about a short item is the same for every item: task, rubric, schema. So requests that differ only in
their item are joined, and each work gets the part of the reply that is about its item. An item that the reply leaves
out, names twice or names by another name is asked about alone, and so is every item of a reply that cannot be read or
that was refused: a refusal belongs to one item. A request about one item is never joined twice, so no prompt is sent
again.

The same works and the same answers give the same requests, so a killed run finds its recorded replies.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeGuard, TypeVar

from burnish.core.effects import (
    Answer,
    Ask,
    Effect,
    Late,
    ModelRequest,
    ModelRoles,
    Outcome,
    Request,
    Work,
    about_tokens,
)
from burnish.core.records import shares

T = TypeVar("T")

ITEMS = "items"
"""The untrusted value of a prompt that holds its item, or several of them one below the other."""
MOST_ITEMS = 10
MOST_CHARACTERS = 24_000
"""The most characters of the items of one request."""
LONG_ITEM = 6_000
"""The characters from which an item is asked about alone: its own text outweighs what is shared."""
OF_CONTEXT = 0.5
"""The share of a model's context that the items and the room for the reply may fill."""

Parted = Callable[[object, Sequence[str]], Mapping[str, object]]
"""Takes a reply about several items apart: item -> the reply about it alone. Items that it leaves out, names twice or
names so that they cannot be told apart are missing."""


def together(works: Sequence[Work], parted: Parted, roles: ModelRoles) -> Work:
    """Work on several units side by side. Each is settled when it ends, so that none waits for another."""
    if len(works) == 1:
        return (yield from works[0])
    yield from side_by_side([_settled(work) for work in works], parted, roles)
    return Outcome()


def _settled(work: Work) -> Generator[Effect, Any, None]:
    outcome = yield from work
    yield from outcome.units


def muted(work: Work) -> Work:
    """Go through work again that has ended: only its requests are repeated, because others were joined with them."""
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration:
            return Outcome()
        sent = (yield effect) if isinstance(effect, Ask) else None


def side_by_side(
    works: Sequence[Generator[Effect, Any, T]], parted: Parted, roles: ModelRoles
) -> Generator[Effect, Any, list[T]]:
    """Drive the works side by side to their ends, and return their results. All of them ask before any is answered.

    If some cannot be answered now, the others go on to their ends, but nothing more is asked: when the works are
    repeated, all that have not ended must ask at the same moment again. Then the reason is raised.
    """
    ended: dict[int, T] = {}
    sent: dict[int, Any] = dict.fromkeys(range(len(works)))
    late: Late | None = None
    while sent:
        asked: dict[int, Ask] = {}
        for place, answers in sent.items():
            step = yield from _to_the_next_question(works[place], answers)
            if isinstance(step, Ask):
                asked[place] = step
            else:
                ended[place] = step.result
        if late is not None:
            raise late.reason
        found = yield from _answered([request for ask in asked.values() for request in ask.requests], parted, roles)
        late = next((answer for answer in found if isinstance(answer, Late)), None)
        each = iter(found)
        given = {place: tuple(next(each) for _ in ask.requests) for place, ask in asked.items()}
        sent = {place: some for place, some in given.items() if not any(isinstance(one, Late) for one in some)}
    if late is not None:
        raise late.reason
    return [ended[place] for place in range(len(works))]


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    """The end of a work."""

    result: T


def _to_the_next_question(work: Generator[Effect, Any, T], sent: Any) -> Generator[Effect, Any, Ask | _End[T]]:
    """Drive a work to its next Ask or to its end. Its other effects pass through."""
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            return _End(end.value)
        if isinstance(effect, Ask):
            return effect
        sent = yield effect


def _answered(
    requests: Sequence[ModelRequest], parted: Parted, roles: ModelRoles
) -> Generator[Effect, Any, list[Answer | Late]]:
    """Ask all requests at the same time, joined where they can be, and return the answer to each."""
    groups = list(groups_of(requests, roles))
    answers = yield from _ask([joined([requests[place] for place in group]) for group in groups])
    late = next((answer for answer in answers if isinstance(answer, Late)), None)
    found: dict[int, Answer | Late] = {}
    alone: dict[int, Answer] = {}
    for group, answer in zip(groups, answers, strict=True):
        parts = _parts([requests[place].ask for place in group], answer, parted)
        found.update(zip(group, parts, strict=True))
        if len(group) > 1:
            alone |= {at: one for at, one in zip(group, parts, strict=True) if _is_worth_asking_alone(one)}
    again = [late] * len(alone) if late is not None else (yield from _ask([requests[place] for place in alone]))
    for (place, first), answer in zip(alone.items(), again, strict=True):
        found[place] = answer if isinstance(answer, Late) else _after(first, answer)
    return [found[place] for place in range(len(requests))]


def _ask(requests: Sequence[ModelRequest]) -> Generator[Effect, Any, tuple[Answer | Late, ...]]:
    if not requests:
        return ()
    answers: tuple[Answer | Late, ...] = yield Ask(tuple(requests), may_be_late=True)
    return answers


def _is_worth_asking_alone(answer: Answer | Late) -> TypeGuard[Answer]:
    if isinstance(answer, Late) or answer.reply is not None:
        return False
    return answer.refused or (answer.failure or "").startswith("reply_unreadable")


def _after(first: Answer, answer: Answer) -> Answer:
    """Return the later answer with the cost of both."""
    return replace(
        answer,
        calls=(*first.calls, *answer.calls),
        usage=first.usage + answer.usage,
        seconds=first.seconds + answer.seconds,
    )


def _parts(asks: Sequence[Request], answer: Answer | Late, parted: Parted) -> Sequence[Answer | Late]:
    """Return what the answer to joined requests says to each of them, with its share of the cost."""
    if len(asks) == 1 or isinstance(answer, Late):
        return [answer] * len(asks)
    replies = {} if answer.reply is None else parted(answer.reply, [str(ask.item) for ask in asks])
    failure = answer.failure or "reply_unreadable: it says nothing certain of this item"
    return [
        replace(answer, reply=reply, failure=None if reply is not None else failure, usage=usage)
        for ask, usage in zip(asks, shares(answer.usage, len(asks)), strict=True)
        for reply in [replies.get(str(ask.item))]
    ]


# -- which requests are joined


@dataclass(slots=True)
class _Group:
    """Requests that become one."""

    roles: ModelRoles
    places: list[int] = field(default_factory=list)
    items: set[str] = field(default_factory=set)
    characters: int = 0
    text: int = 0
    """The tokens of the items."""
    reply: int = 0
    """The tokens of the reply."""

    def has_room(self, request: ModelRequest) -> bool:
        text, reply = _tokens(request), self.reply + request.ask.max_tokens
        most = self.roles.replies.get(request.model)
        context = self.roles.contexts.get(request.model)
        return (
            len(self.places) < MOST_ITEMS
            and str(request.ask.item) not in self.items
            and self.characters + _characters(request) <= MOST_CHARACTERS
            and (most is None or reply <= most)
            and (context is None or self.text + text + reply <= context * OF_CONTEXT)
        )

    def add(self, place: int, request: ModelRequest) -> None:
        self.places.append(place)
        self.items.add(str(request.ask.item))
        self.characters += _characters(request)
        self.text += _tokens(request)
        self.reply += request.ask.max_tokens


def _characters(request: ModelRequest) -> int:
    return len(request.ask.untrusted[ITEMS])


def _tokens(request: ModelRequest) -> int:
    return about_tokens(request.ask.untrusted[ITEMS])


def groups_of(requests: Sequence[ModelRequest], roles: ModelRoles) -> Iterator[tuple[int, ...]]:
    """Yield the places of requests that can be one request, in the order of the first of each."""
    groups: list[_Group] = []
    latest: dict[tuple[object, ...], _Group] = {}
    for place, request in enumerate(requests):
        kin = _kin(request)
        group = latest.get(kin) if kin is not None else None
        if group is None or not group.has_room(request):
            group = _Group(roles)
            groups.append(group)
            if kin is None:
                group.places.append(place)
                continue
            latest[kin] = group
        group.add(place, request)
    return (tuple(group.places) for group in groups)


def _kin(request: ModelRequest) -> tuple[object, ...] | None:
    """Return what requests that may be joined have in common; None: it is joined with no other."""
    ask = request.ask
    if ask.item is None or _characters(request) >= LONG_ITEM:
        return None
    values = (frozenset(ask.trusted.items()), frozenset(_shared(ask).items()))
    return (request.model, request.is_optional, request.goes_on, ask.role, ask.prompt, ask.reply, ask.scores, *values)


def _shared(ask: Request) -> dict[str, str]:
    return {name: text for name, text in ask.untrusted.items() if name != ITEMS}


def joined(requests: Sequence[ModelRequest]) -> ModelRequest:
    """Return the requests as one; the room for its reply grows with its items."""
    first, *others = requests
    if not others:
        return first
    asks = tuple(request.ask for request in requests)
    items = "\n\n".join(ask.untrusted[ITEMS] for ask in asks)
    ask = replace(
        first.ask,
        untrusted={**first.ask.untrusted, ITEMS: items},
        max_tokens=sum(ask.max_tokens for ask in asks),
        item=None,
        parts=asks,
    )
    return replace(first, ask=ask)
