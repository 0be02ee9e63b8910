"""A panel that answers nonsense is found out by its first units; one judge that does so only abstains."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from burnish.core.effects import Answer, Request
from burnish.core.errors import ModelAway
from burnish.core.together import ITEMS
from burnish.engine.client import ModelClient
from burnish.models.calls import Call, ProviderFault, RawReply
from burnish.models.gateway import Gateway
from burnish.models.prompts import prompt_named
from burnish.store.journal import MemoryJournal

GOOD = '{"reasoning": "", "violations": []}'
PROMPT = prompt_named("burnish.kinds.questions.prompts:review")


class Judges:
    """Answers by what it is told to, and counts its calls."""

    def __init__(self, says: Callable[[Call], str]) -> None:
        self.says = says
        self.calls: list[Call] = []

    async def send(self, call: Call) -> RawReply:
        self.calls.append(call)
        await asyncio.sleep(0)
        return RawReply(self.says(call), None)


def request(number: int) -> Request:
    trusted = dict.fromkeys(PROMPT.placeholders, f"question {number}")
    return Request("reviewer", f"q{number}", PROMPT.id, "question_review_reply", trusted, {}, 600)


def ask(
    judges: Judges, models: Sequence[str], times: int = 15, journal: MemoryJournal | None = None
) -> list[Answer | BaseException]:
    """So many questions to every judge, all at once."""

    async def all_at_once() -> list[Answer | BaseException]:
        client = ModelClient(Gateway(journal or MemoryJournal(), judges), "n")
        asked = [client.ask(request(number), model) for number in range(times) for model in models]
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(all_at_once())


@pytest.mark.parametrize("models", [["test:a"], ["test:a", "test:b"]])
def test_nonsense_is_found_out_by_the_first_three_units(models: list[str]) -> None:
    judges = Judges(lambda call: "as a language model")
    answers = ask(judges, models)
    assert all(isinstance(answer, ModelAway) for answer in answers)
    assert len(judges.calls) == 3 * 2 * len(models), "each judge once, and once more"
    assert "could not be read" in str(answers[0])


def test_a_slip_at_the_beginning_is_asked_for_once_more() -> None:
    judges = Judges(lambda call: GOOD if call.sample else "oops")
    [first] = ask(judges, ["test:a"], times=1)
    assert isinstance(first, Answer) and first.reply is not None and len(first.calls) == 2


def test_one_judge_that_mumbles_only_abstains() -> None:
    judges = Judges(lambda call: GOOD if call.model == "test:a" else "hm")
    answers = ask(judges, ["test:a", "test:b"])
    assert [isinstance(answer, Answer) and answer.reply is not None for answer in answers] == [True, False] * 15
    assert len(judges.calls) == 30 and not any(call.sample for call in judges.calls), "nobody is asked twice"


def test_a_panel_that_was_read_once_may_mumble_later() -> None:
    judges = Judges(lambda call: GOOD if "question 0" in call.system + call.user else "hm")
    answers = ask(judges, ["test:a"], times=4)
    assert [isinstance(answer, Answer) and (answer.failure or "")[:16] for answer in answers] == [
        "",
        *["reply_unreadable"] * 3,
    ]


def test_a_later_session_tries_once_more_and_then_it_is_the_units_trouble() -> None:
    journal, deaf = MemoryJournal(), Judges(lambda call: "hm")
    ask(deaf, ["test:a"], journal=journal)
    assert len(deaf.calls) == 6
    answers = ask(deaf, ["test:a"], journal=journal)
    assert len(deaf.calls) == 6 + 3 + 6, "those of before once more, and the next three"
    assert [isinstance(answer, Answer) for answer in answers] == [True] * 3 + [False] * 12, "it is the units' trouble"
    better = Judges(lambda call: GOOD)
    assert ask(better, ["test:a"], times=1, journal=journal) == answers[:1] and not better.calls, "heard often enough"


def test_an_answer_that_is_read_in_a_later_session_stays() -> None:
    journal, better = MemoryJournal(), Judges(lambda call: GOOD)
    ask(Judges(lambda call: "hm"), ["test:a"], times=1, journal=journal)
    [heard] = ask(better, ["test:a"], times=1, journal=journal)
    [again] = ask(better, ["test:a"], times=1, journal=journal)
    assert isinstance(heard, Answer) and heard.reply and heard == again and len(better.calls) == 1


def test_a_panel_that_was_read_in_an_earlier_session_is_not_doubted_again() -> None:
    journal = MemoryJournal()
    ask(Judges(lambda call: GOOD), ["test:a"], times=1, journal=journal)
    mumbling = Judges(lambda call: "hm" if "question 0" not in call.system + call.user else GOOD)
    answers = ask(mumbling, ["test:a"], times=5, journal=journal)
    assert all(isinstance(answer, Answer) for answer in answers) and len(mumbling.calls) == 4


def test_another_judge_has_to_prove_itself() -> None:
    journal = MemoryJournal()
    ask(Judges(lambda call: GOOD), ["test:a"], times=1, journal=journal)
    answers = ask(Judges(lambda call: "hm"), ["test:b"], times=5, journal=journal)
    assert all(isinstance(answer, ModelAway) for answer in answers)


def test_a_refusal_belongs_to_its_question() -> None:
    class Refusing(Judges):
        async def send(self, call: Call) -> RawReply:
            await super().send(call)
            raise ProviderFault("refused", "The filter refuses it.")

    judges = Refusing(lambda call: "")
    answers = ask(judges, ["test:a"])
    assert all(isinstance(answer, Answer) and answer.refused for answer in answers) and len(judges.calls) == 15


def test_a_judge_of_an_earlier_session_and_a_new_one_do_not_wait_for_each_other() -> None:
    """One is asked for the third time, the other for the first."""
    journal, mumbling = MemoryJournal(), Judges(lambda call: "junk")
    ask(mumbling, ["x:a"], 1, journal)
    both = ask(mumbling, ["x:a", "x:b"], 1, journal)
    assert len(both) == 2 and not any(isinstance(one, Answer) and one.reply for one in both)


def test_a_request_about_several_units_that_cannot_be_read_blames_none_of_them() -> None:
    judges = Judges(lambda call: "junk" if call.items else GOOD)
    part = replace(request(0), untrusted={ITEMS: "question 0"}, item="q0")
    several = replace(request(0), item=None, parts=(part, replace(part, unit="q1", item="q1")))

    async def one_after_the_other() -> list[Answer]:
        client = ModelClient(Gateway(MemoryJournal(), judges), "n")
        return [await client.ask(each, "x:a") for each in (several, request(0))]

    whole, alone = asyncio.run(one_after_the_other())
    assert (whole.failure or "").startswith("reply_unreadable") and alone.reply is not None
    assert len(judges.calls) == 2, "the whole is not asked again"
