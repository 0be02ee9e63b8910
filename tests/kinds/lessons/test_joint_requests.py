"""Several small edits share a request, and sharing weakens nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.records import Usage
from burnish.kinds.lessons.drafts import shares
from tests.kinds.lessons.work_driver import Performance, Stage
from tests.lessons_model import BOILS, Defect, Override, Question, World, changes, lesson

HEAVY = Defect("they are too heavy for the rising air", "the rising air cannot hold them")
"""In a sound section that is no neighbour of the one with BOILS."""


def perform(override: Override | None = None, **stage: Any) -> Performance:
    world = World(defects=(BOILS, HEAVY), base=0.91, override=override)
    return Stage(world=world, **stage).perform(lesson(BOILS))


def requests(done: Performance, role: str) -> list[str]:
    return [request.ask.unit for request in done.asked(role)]


def test_two_edits_are_asked_for_and_compared_at_once() -> None:
    done = perform()
    assert requests(done, "patcher") == ["lesson"] and requests(done, "delta_judge") == ["lesson"]
    assert BOILS.good in done.text("evaporation") and HEAVY.good in done.text("precipitation")
    assert done.ending.status == "accepted"


def test_the_bill_of_a_shared_request_is_split_and_adds_up() -> None:
    done = perform(usage=lambda _: Usage(101, 20, 0.5))
    edited = [draft for id in ("evaporation", "precipitation") for draft in done.drafts[id] if draft.edits]
    assert sum((draft.usage for draft in edited), Usage()) == Usage(202, 40, 1.0)
    assert edited[0].calls == edited[1].calls and len(edited[0].calls) == 2


def test_a_unit_that_is_left_out_is_asked_about_alone() -> None:
    def forgetful(question: Question) -> Mapping[str, Any] | None:
        if question.reply != "edit_reply" or len(question.passages) < 2:
            return None
        return {"reasoning": "One is enough.", "edits": changes("evaporation", (BOILS.bad, BOILS.good))}

    done = perform(forgetful)
    assert requests(done, "patcher") == ["lesson", "precipitation"]
    assert done.ending.status == "accepted"


def test_an_edit_of_a_unit_that_was_not_shown_spoils_the_answer() -> None:
    def meddling(question: Question) -> Mapping[str, Any] | None:
        if question.reply != "edit_reply" or len(question.passages) < 2:
            return None
        wanted = changes("evaporation", (BOILS.bad, BOILS.good)) + changes("intro", ("Rain falls", "Rain"))
        return {"reasoning": "And more.", "edits": wanted}

    done = perform(meddling)
    assert requests(done, "patcher") == ["lesson", "evaporation", "precipitation"]
    assert done.text("intro").startswith("Rain falls") and done.ending.status == "accepted"


def test_an_edit_that_does_not_apply_is_asked_for_once_more_alone_with_the_reason() -> None:
    def careless(question: Question) -> Mapping[str, Any] | None:
        if question.reply != "edit_reply" or len(question.passages) < 2:
            return None
        wanted = changes("evaporation", ("not there", "x")) + changes("precipitation", (HEAVY.bad, HEAVY.good))
        return {"reasoning": "Quickly.", "edits": wanted}

    done = perform(careless)
    assert requests(done, "patcher") == ["lesson", "evaporation"]
    assert "was not used" in done.asked("patcher")[1].ask.trusted["history"]
    assert done.ending.status == "accepted"


def test_what_is_not_settled_together_is_compared_alone_and_only_the_bad_one_goes_back() -> None:
    def strict(question: Question) -> Mapping[str, Any] | None:
        if question.reply != "delta_reply" or HEAVY.good not in question.parts["after"]:
            return None
        return {"reasoning": "Not better.", "passed": False, "confidence": "high", "newIssues": []}

    done = perform(strict)
    assert requests(done, "delta_judge")[:3] == ["lesson", "evaporation", "precipitation"]
    assert BOILS.good in done.text("evaporation") and HEAVY.bad in done.text("precipitation")


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 7))
def test_shares_add_up(prompt: int, completion: int, parts: int) -> None:
    found = shares(Usage(prompt, completion, None), parts)
    assert len(found) == parts
    assert sum(one.prompt_tokens for one in found) == prompt
    assert sum(one.completion_tokens for one in found) == completion
    assert max(one.prompt_tokens for one in found) - min(one.prompt_tokens for one in found) <= 1
