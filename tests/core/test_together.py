"""Works side by side: what is joined, what each of them gets back, and what is asked about alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.effects import (
    Answer,
    Ask,
    Effect,
    Keep,
    Late,
    ModelRequest,
    ModelRoles,
    Note,
    Outcome,
    Request,
    Settled,
    Stop,
    Work,
    ask_together,
)
from burnish.core.errors import LimitReached
from burnish.core.records import Usage, shares
from burnish.core.together import ITEMS, LONG_ITEM, MOST_CHARACTERS, MOST_ITEMS, groups_of, joined, muted, together

ROLES = ModelRoles(("j:one",))
Answered = Callable[[ModelRequest], Answer | Late]


def request(item: str, *, text: str = "", model: str = "j:one", prompt: str = "p:review") -> ModelRequest:
    ask = Request("reviewer", item, prompt, "r", {"rules": "- a"}, {ITEMS: text or f"id: {item}"}, 100, item=item)
    return ModelRequest(ask, model)


def plain(item: str) -> ModelRequest:
    """A request that is joined with no other."""
    return ModelRequest(replace(request(item).ask, item=None), "j:one")


def parted(reply: object, ids: Sequence[str]) -> Mapping[str, object]:
    """A reply is a list of pairs of id and text."""
    assert isinstance(reply, list)
    times = Counter(id for id, _ in reply)
    return {id: text for id, text in reply if id in ids and times[id] == 1}


def told(request: ModelRequest, usage: Usage = Usage(100, 50, 0.01)) -> Answer:
    """What a model says that answers everything."""
    parts = request.ask.parts
    reply: object = [(part.item, f"about {part.item}") for part in parts] if parts else f"about {request.ask.item}"
    return Answer(request.model, reply, calls=(f"call:{request.ask.untrusted[ITEMS]}",), usage=usage)


def driven(work: Work, answered: Answered = told) -> tuple[list[tuple[str, ...]], list[Effect]]:
    """The items of every request, step by step and with a `+` between steps, and all other effects."""
    asked: list[tuple[str, ...]] = []
    effects: list[Effect] = []
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration:
            return asked, effects
        sent = None
        if isinstance(effect, Ask):
            asked += [tuple(str(part.item) for part in one.ask.parts or (one.ask,)) for one in effect.requests]
            asked.append(("+",))
            sent = tuple(answered(one) for one in effect.requests)
        else:
            effects.append(effect)
            sent = 7 if isinstance(effect, Keep) else None


def heard(effects: Sequence[Effect]) -> dict[str, Answer]:
    """Item -> the last answer that its work got."""
    return {str(effect.unit): effect.data["answer"] for effect in effects if isinstance(effect, Note)}


def work(item: str, steps: int = 1) -> Work:
    """Asks so many times, notes each answer, and settles its unit."""
    for step in range(steps):
        [answer] = yield from ask_together([request(item, prompt=f"p:{step}")])
        yield Note("heard", item, {"answer": answer})
    return Outcome((Settled(item, (Stop("done"),)),))


# -- what is joined


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcdefghijklmnopq"),
            st.integers(1, 2 * LONG_ITEM),
            st.sampled_from(("j:one", "j:two")),
            st.sampled_from(("p:review", "p:solve")),
            st.booleans(),
        ),
        max_size=60,
    ),
    st.sampled_from((None, 100, 350, 5_000)),
    st.sampled_from((None, 1_000, 20_000)),
)
def test_every_request_is_in_one_group_with_its_kin_and_no_group_is_too_large(
    drawn: list[tuple[str, int, str, str, bool]], most: int | None, context: int | None
) -> None:
    requests = [
        request(item, text="x" * size, model=model, prompt=prompt) if has_item else plain(item)
        for item, size, model, prompt, has_item in drawn
    ]
    contexts = {} if context is None else {"j:one": context}
    roles = replace(ROLES, replies={} if most is None else {"j:one": most}, contexts=contexts)
    groups = list(groups_of(requests, roles))
    assert sorted(place for group in groups for place in group) == list(range(len(requests)))
    for group in groups:
        asks = [requests[place].ask for place in group]
        assert len({(requests[place].model, requests[place].ask.prompt) for place in group}) == 1
        assert len({ask.item for ask in asks}) == len(asks) <= MOST_ITEMS
        if len(group) > 1:
            characters = sum(len(ask.untrusted[ITEMS]) for ask in asks)
            assert all(len(ask.untrusted[ITEMS]) < LONG_ITEM for ask in asks) and characters <= MOST_CHARACTERS
            one = joined([requests[place] for place in group])
            assert one.ask.max_tokens == 100 * len(group)
            assert one.model == "j:two" or most is None or one.ask.max_tokens <= most
            assert one.model == "j:two" or context is None or one.ask.max_tokens + characters / 4 <= context / 2


def test_a_long_item_does_not_part_those_around_it() -> None:
    requests = [request("a"), request("long", text="x" * LONG_ITEM), request("b")]
    assert list(groups_of(requests, ROLES)) == [(0, 2), (1,)]


@given(
    st.builds(Usage, *[st.integers(0, 10**6)] * 2, st.none() | st.floats(0, 100), *[st.integers(0, 10**6)] * 3),
    st.integers(1, 40),
)
def test_shares_add_up_to_the_bill(usage: Usage, parts: int) -> None:
    found = shares(usage, parts)
    assert len(found) == parts
    total = sum(found, Usage())
    assert replace(total, cost=None) == replace(usage, cost=None)
    in_trillionths = [None if share.cost is None else round(share.cost * 10**12) for share in found]
    wanted = None if usage.cost is None else round(usage.cost * 10**12)
    assert (None if wanted is None else sum(filter(None, in_trillionths))) == wanted
    assert max(share.total_tokens for share in found) - min(share.total_tokens for share in found) <= 2


# -- what each gets back


def test_ten_questions_are_one_request_and_each_gets_its_part() -> None:
    names = [f"q{number}" for number in range(12)]
    asked, effects = driven(together([work(name) for name in names], parted, ROLES))
    assert asked == [tuple(names[:10]), tuple(names[10:]), ("+",)]
    assert {name: answer.reply for name, answer in heard(effects).items()} == {name: f"about {name}" for name in names}
    assert [effect.unit for effect in effects if isinstance(effect, Settled)] == names


@given(st.lists(st.integers(0, 4), min_size=1, max_size=14))
def test_works_of_any_length_get_what_is_about_them(steps: list[int]) -> None:
    works = [work(f"q{number}", some) for number, some in enumerate(steps)]
    asked, effects = driven(together(works, parted, ROLES))
    assert [effect.unit for effect in effects if isinstance(effect, Settled)] == sorted(
        (f"q{number}" for number in range(len(steps))), key=lambda name: (steps[int(name[1:])], int(name[1:]))
    ) or len(steps) == 1
    assert all(answer.reply == f"about {name}" for name, answer in heard(effects).items())
    assert asked.count(("+",)) == max(steps)


@given(st.data())
def test_what_is_left_out_doubled_or_unknown_is_asked_about_alone_and_the_bill_is_whole(data: st.DataObject) -> None:
    names = [f"q{number}" for number in range(data.draw(st.integers(2, 10)))]
    fates = {name: data.draw(st.sampled_from(("told", "left out", "twice", "misnamed"))) for name in names}
    paid: list[Usage] = []

    def answered(one: ModelRequest) -> Answer:
        usage = Usage(data.draw(st.integers(0, 999)), data.draw(st.integers(0, 999)), 0.001)
        paid.append(usage)
        if not one.ask.parts:
            return told(one, usage)
        entries = []
        for part in one.ask.parts:
            fate = fates[str(part.item)]
            name = "nobody" if fate == "misnamed" else str(part.item)
            entries += [(name, f"about {part.item}")] * {"left out": 0, "twice": 2}.get(fate, 1)
        return replace(told(one, usage), reply=entries)

    asked, effects = driven(together([work(name) for name in names], parted, ROLES), answered)
    alone = [name for name in names if fates[name] != "told"]
    assert asked[0] == tuple(names)
    assert [one for one in asked[1:] if one != ("+",)] == [(name,) for name in alone]
    answers = heard(effects)
    assert all(answers[name].reply == f"about {name}" for name in names)
    assert {name: len(answers[name].calls) for name in names} == {name: 1 + (name in alone) for name in names}
    whole = sum((answer.usage for answer in answers.values()), Usage())
    bill = sum(paid, Usage())
    assert (whole.prompt_tokens, whole.completion_tokens) == (bill.prompt_tokens, bill.completion_tokens)
    assert round((whole.cost or 0) * 10**12) == round((bill.cost or 0) * 10**12)


@pytest.mark.parametrize("trouble", ["reply_unreadable: no JSON", "refused"])
def test_a_whole_that_cannot_be_used_is_asked_item_by_item_once(trouble: str) -> None:
    def answered(one: ModelRequest) -> Answer:
        is_bad = one.ask.parts or one.ask.item == "q1"
        if not is_bad:
            return told(one)
        failure = "model_failed: it says no" if trouble == "refused" else trouble
        return replace(told(one), reply=None, failure=failure, refused=trouble == "refused")

    asked, effects = driven(together([work(name) for name in ("q0", "q1", "q2")], parted, ROLES), answered)
    assert asked == [("q0", "q1", "q2"), ("+",), ("q0",), ("q1",), ("q2",), ("+",)]
    answers = heard(effects)
    assert answers["q1"].reply is None and answers["q1"].refused is (trouble == "refused")
    assert [answers[name].reply for name in ("q0", "q2")] == ["about q0", "about q2"]


def test_a_model_without_an_answer_for_anybody_is_not_asked_item_by_item() -> None:
    def away(one: ModelRequest) -> Answer:
        return Answer(one.model, None, "model_failed: it is away", away=True)

    asked, effects = driven(together([work("q0"), work("q1")], parted, ROLES), away)
    assert asked == [("q0", "q1"), ("+",)]
    assert all(answer.away for answer in heard(effects).values())


# -- what is interrupted


def test_who_can_go_on_without_a_late_answer_is_settled_and_nobody_asks_more() -> None:
    reason = LimitReached("The limit is reached.")

    def mixed(item: str, steps: int, *, alone: bool) -> Work:
        for _ in range(steps):
            [answer] = yield from ask_together([plain(item) if alone else request(item)])
            yield Note("heard", item, {"answer": answer})
        return Outcome((Settled(item, (Stop("done"),)),))

    works = [mixed("late", 1, alone=True), mixed("short", 1, alone=False), mixed("long", 2, alone=False)]
    driving = together(works, parted, ROLES)
    ask = next(driving)
    assert isinstance(ask, Ask) and ask.may_be_late
    answers = tuple(Late(reason) if one.ask.item is None and not one.ask.parts else told(one) for one in ask.requests)
    found: list[Effect] = []
    with pytest.raises(LimitReached):
        effect = driving.send(answers)
        while True:
            assert not isinstance(effect, Ask), "nothing more is asked"
            found.append(effect)
            effect = driving.send(None)
    assert [effect.unit for effect in found if isinstance(effect, Settled)] == ["short"]
    assert {str(effect.unit) for effect in found if isinstance(effect, Note)} == {"short", "long"}


def test_a_unit_that_was_settled_repeats_its_requests_and_nothing_else() -> None:
    works = [muted(work("q0", 2)), work("q1", 2)]
    first, _ = driven(together([work("q0", 2), work("q1", 2)], parted, ROLES))
    again, effects = driven(together(works, parted, ROLES))
    assert again == first
    assert {effect.unit for effect in effects if isinstance(effect, Note | Settled)} == {"q1"}
