"""Requests that the provider refuses: for the key, for want of credit, or whatever they hold; for every kind."""

import json

import pytest

from burnish.models.providers import HINTS, MOVED
from tests.app.desk import Desk, Said
from tests.engine.questions_bench import biased, sound
from tests.loopback import Answer, Asked, LoopbackModel

NO_CREDIT = (
    (429, {"message": "You exceeded your current quota, please check your plan.", "code": "insufficient_quota"}),
    (400, {"type": "invalid_request_error", "message": "Your credit balance is too low to access the Anthropic API."}),
    (400, {"code": "billing_hard_limit_reached", "message": "Billing hard limit has been reached"}),
    (429, {"code": "billing_not_active", "message": "Your account is not active, please check your billing details."}),
    (429, {"message": "Insufficient balance or no resource package."}),
    (403, {"message": "Your team has used all available credits or reached its monthly spending limit."}),
    (402, {"message": "Pay first."}),
)


def polished(desk: Desk, server: LoopbackModel, *questions: dict[str, object], run_id: str = "r") -> Said:
    options = ("--model", "openai:m", "--base-url", server.base_url, "--run-id", run_id, "--workers", "1")
    return desk("polish", desk.bank(*questions), *options)


def refused(status: int, error: object) -> Answer:
    return Answer(status=status, body=json.dumps({"error": error}).encode())


@pytest.mark.parametrize("status", [401, 402, 403, 307])
@pytest.mark.parametrize("question", [sound(0), biased(0)])
def test_a_refused_key_ends_the_run_with_exit_6(desk: Desk, status: int, question: dict[str, object]) -> None:
    with LoopbackModel(lambda _: Answer(status=status)) as server:
        said = polished(desk, server, question)
        assert said.code == 6, said.out + said.err
        assert len(server.requests) == 1, "a key that was refused once is refused again"
    assert str(status) in said.out + said.err
    assert HINTS.get(status, MOVED if status == 307 else "") in said.out, "it says what to do"


def test_a_refused_key_is_told_first(desk: Desk) -> None:
    with LoopbackModel(lambda _: Answer(status=401)) as server:
        said = polished(desk, server, sound(0))
    assert "openai refused the key (401" in said.out
    assert "gave no usable answer" not in said.out


@pytest.mark.parametrize(("status", "error"), NO_CREDIT)
def test_an_account_without_credit_is_told_by_the_body_and_asked_once(desk: Desk, status: int, error: object) -> None:
    with LoopbackModel(lambda _: refused(status, error)) as server:
        said = polished(desk, server, *(biased(n) for n in range(5)))
        assert (said.code, len(server.requests)) == (6, 1), said.out + said.err
    assert "Your account at openai has no credit left" in said.out
    assert HINTS[402] in said.out


def test_words_about_credit_in_a_request_that_is_repeated_are_none_of_the_provider(desk: Desk) -> None:
    """Some servers answer a request that they cannot read with the whole request."""
    repeated = {"message": "Field required", "input": {"messages": ["What is a credit balance? insufficient_quota"]}}
    with LoopbackModel(lambda _: refused(400, repeated)) as server:
        said = polished(desk, server, sound(0))
    assert "no credit" not in said.out


def test_a_rate_that_is_free_again_in_a_minute_is_no_want_of_credit(desk: Desk) -> None:
    """Gemini says of both that the quota is exceeded, and to check plan and billing."""
    quota = {"code": 429, "message": "You exceeded your current quota, please check your plan and billing details."}
    fine = {"reasoning": "fine", "violations": []}

    def busy(asked: Asked) -> Answer:
        busy_now = Answer(status=429, headers={"Retry-After": "0"}, body=json.dumps({"error": quota}).encode())
        return busy_now if asked.number == 1 else Answer(fine)

    with LoopbackModel(busy) as server:
        assert polished(desk, server, sound(0)).code == 0


@pytest.mark.parametrize("status", [400, 422])
def test_requests_that_are_all_refused_are_the_models_trouble(desk: Desk, status: int) -> None:
    error = {"message": "Unsupported parameter: 'response_format' is not supported with this model."}
    with LoopbackModel(lambda _: refused(status, error)) as server:
        said = polished(desk, server, *(biased(n) for n in range(6)))
        assert said.code == 6, said.out + said.err
        shown = [asked.user.count("id: q") for asked in server.requests]
        assert shown == [6, 6, 1, 1, 1], "all together to solve and to review, then one by one, three times in a row"
    assert said.out.count("response_format") == 1, "the message stands there once"
    listed = desk("status", "r", "--json").json
    assert "needs_manual_review" not in json.dumps(listed), "no unit is to blame"


def test_a_request_refused_after_others_were_answered_is_a_matter_of_its_unit(desk: Desk) -> None:
    def filtered(asked: Asked) -> Answer:
        if sound(1)["stem"][:40] in asked.user:
            return refused(400, {"message": "Something in this request cannot be used."})
        return Answer({"reasoning": "fine", "violations": []})

    with LoopbackModel(filtered) as server:
        said = polished(desk, server, *(sound(n) for n in range(4)))
    assert said.code == 3, said.out + said.err


def test_a_first_request_refused_for_its_content_does_not_stop_the_others(desk: Desk) -> None:
    def filtered(asked: Asked) -> Answer:
        if sound(0)["stem"][:40] in asked.user:
            return refused(400, {"code": "content_filter", "message": "The prompt triggered the content policy."})
        return Answer({"reasoning": "fine", "violations": []})

    with LoopbackModel(filtered) as server:
        said = polished(desk, server, sound(0))
        assert said.code == 3, "a person decides it, although no other request was answered"
        assert polished(desk, server, *(sound(n) for n in range(4)), run_id="s").code == 3
