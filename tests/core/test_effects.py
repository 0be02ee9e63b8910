"""Requests and answers: what work asks for, and what it is told."""

import pytest

from burnish.core.effects import (
    Answer,
    Ask,
    Keep,
    ModelRequest,
    ModelRoles,
    Move,
    Note,
    Outcome,
    Request,
    Settled,
    Stop,
    about_tokens,
    ask_together,
    draft,
    note,
)
from tests.core.units import PlainUnit


def request(unit: str = "u", model: str = "m:a") -> ModelRequest:
    return ModelRequest(Request("corrector", unit, "p:correct", "edit_reply", {}, {}, max_tokens=9), model)


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("abc", 1), ("abcd", 2), ("é" * 4, 3), ("a" * 400, 101)])
def test_four_bytes_are_about_a_token_and_no_text_is_free(text: str, tokens: int) -> None:
    assert about_tokens(text) == tokens


def test_half_of_a_letter_has_tokens_too() -> None:
    assert about_tokens("\ud800") == 1


def test_all_requests_are_made_at_once_and_answered_in_order() -> None:
    work = ask_together(iter([request("u"), request("v")]))
    asked = next(work)
    assert asked == Ask((request("u"), request("v")))
    answers = (Answer("m:a", "one"), Answer("m:a", None, "model_failed: away"))
    with pytest.raises(StopIteration) as end:
        work.send(answers)
    assert end.value.value == answers


def test_without_requests_nobody_is_asked() -> None:
    with pytest.raises(StopIteration) as end:
        next(ask_together([]))
    assert end.value.value == ()


def test_an_event_is_yielded_once() -> None:
    assert list(note("batch_started", "u", size=3)) == [Note("batch_started", "u", {"size": 3})]
    assert list(note("batch_started")) == [Note("batch_started", None, {})]


def test_a_draft_is_kept_under_the_number_that_the_journal_gives() -> None:
    kept = Keep(PlainUnit.of(stem="x"), "model")
    work = draft(kept)
    assert next(work) is kept
    with pytest.raises(StopIteration) as end:
        work.send(7)
    assert end.value.value == 7


def test_an_attempt_that_says_nothing_of_itself_has_not_passed_and_cost_nothing() -> None:
    kept = Keep(PlainUnit.of(stem="x"), "model")
    assert not kept.passed and kept.usage is not None and kept.usage.total_tokens == 0


def test_a_request_is_not_optional_unless_it_says_so() -> None:
    one, answer = request(), Answer("m:a", None)
    assert not one.is_optional and not one.goes_on and not answer.refused and not answer.away


def test_units_end_in_their_last_state() -> None:
    outcome = Outcome(
        (
            Settled("a", (Stop("correcting"), Stop("accepted"))),
            Settled("b", (Stop("accepted"), Stop("in_review", "open"))),
            Settled("c", (Stop("accepted"),)),
        )
    )
    assert outcome.units_in("accepted") == ["a", "c"]
    assert outcome.units_in("correcting") == []


def test_a_model_that_is_away_is_named_with_its_reason() -> None:
    away = Answer("m:a", None, "model_failed: no route").as_outage()
    assert (away.model, away.message) == ("m:a", "no route")
    assert Answer("m:a", None).as_outage().message == ""


def test_each_model_is_named_once_judges_first() -> None:
    roles = ModelRoles(("j:1", "j:2"), {"reviewer": "j:1", "patcher": "p:1"})
    assert roles.all == ("j:1", "j:2", "p:1")
    assert roles.of("patcher") == "p:1" and roles.of("generator") is None


def test_the_same_models_are_the_same_roles_whatever_is_known_of_their_context() -> None:
    assert ModelRoles(("j",), {}, {"j": 8000}) == ModelRoles(("j",), {}, {})


def test_a_unit_moves_into_a_state() -> None:
    assert Move("u", "correcting") != Move("u", "accepted")
