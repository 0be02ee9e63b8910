"""The scripted model: rules, functions, files, faults, and what it remembers."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from burnish.core.errors import UsageError
from burnish.core.replies import EditReply
from burnish.models.calls import Call, ProviderFault, RawReply, TokenCount
from burnish.models.scripted import Fault, Rule, ScriptedModel
from tests.models.fixtures import NO_EDITS, a_call, run_virtually


def send(model: ScriptedModel, call: Call) -> RawReply:
    return run_virtually(model.send(call))


def test_the_first_rule_that_fits_answers() -> None:
    model = ScriptedModel(
        [
            Rule(reply_name="judge_reply", reply="judge"),
            Rule(unit="q2", reply="unit"),
            Rule(contains="please", reply="words"),
            Rule(reply="anything"),
        ]
    )
    asked = [a_call(reply_name="judge_reply"), a_call(unit="q2"), a_call("mend it please"), a_call()]
    assert [send(model, call).text for call in asked] == ["judge", "unit", "words", "anything"]
    assert model.asked == asked


def test_the_nth_time_is_counted_for_each_rule() -> None:
    model = ScriptedModel([Rule(reply="second", nth=2), Rule(unit="q2", nth=1, reply="q2 first"), Rule(reply="other")])
    calls = [a_call(), a_call(unit="q2"), a_call(unit="q2"), a_call()]
    assert [send(model, call).text for call in calls] == ["other", "second", "other", "other"]


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("as it is", "as it is"),
        ({"reasoning": "", "edits": []}, '{"reasoning":"","edits":[]}'),
        (EditReply(reasoning="", edits=()), '{"reasoning":"","edits":[],"contested":[]}'),
        ([1, None], "[1,null]"),
    ],
)
def test_text_is_sent_as_it_is_and_the_rest_as_json(reply: object, text: str) -> None:
    assert send(ScriptedModel([Rule(reply=reply)]), a_call()).text == text


def test_usage_is_estimated_given_or_withheld() -> None:
    estimated = send(ScriptedModel([Rule(reply=NO_EDITS)]), a_call()).usage
    assert estimated is not None
    assert estimated.prompt > 20
    assert send(ScriptedModel([Rule(reply="x", usage=TokenCount(-1, 0))]), a_call()).usage == TokenCount(-1, 0)
    assert send(ScriptedModel([Rule(reply="x", silent_usage=True)]), a_call()).usage is None


@pytest.mark.parametrize(
    ("fault", "kind", "retry_after"),
    [
        (Fault(status=429, retry_after="7"), "rate_limited", 7.0),
        (Fault(status=503, retry_after="nonsense"), "server", None),
        (Fault(status=408), "timeout", None),
        (Fault(status=404), "rejected", None),
        (Fault(), "connection", None),
        (Fault(kind="truncated", body="{"), "truncated", None),
    ],
)
def test_faults(fault: Fault, kind: str, retry_after: float | None) -> None:
    with pytest.raises(ProviderFault) as caught:
        send(ScriptedModel([Rule(fault=fault)]), a_call())
    assert (caught.value.kind, caught.value.status, caught.value.retry_after) == (kind, fault.status, retry_after)


def test_latency() -> None:
    async def main() -> float:
        reply = await ScriptedModel([Rule(reply="x", latency=3.0)]).send(a_call())
        assert reply.duration_ms == 3_000
        return asyncio.get_running_loop().time()

    assert run_virtually(main()) == 3.0


def test_a_function_in_place_of_rules() -> None:
    def script(call: Call) -> object:
        match call.unit:
            case "rule":
                return Rule(reply="r")
            case "fault":
                return Fault(status=500)
        return {"unit": call.unit}

    model = ScriptedModel(script)
    assert send(model, a_call(unit="rule")).text == "r"
    assert send(model, a_call(unit="q9")).text == '{"unit":"q9"}'
    with pytest.raises(ProviderFault):
        send(model, a_call(unit="fault"))
    assert len(model.asked) == 3


def test_a_call_without_a_rule_fails_with_a_hint() -> None:
    with pytest.raises(ProviderFault, match="no answer for edit_reply about q1") as caught:
        send(ScriptedModel([Rule(unit="q2", reply="x")]), a_call())
    assert caught.value.status is None, "no server refused it"
    assert caught.value.hint


def test_over_http_a_unit_is_recognised_by_its_id_in_the_prompt() -> None:
    model = ScriptedModel([Rule(unit="q7", reply="seven"), Rule(reply="other")])
    assert model.answer(a_call("unit: q7", unit="")).reply == "seven"
    assert model.answer(a_call("unit: q8", unit="")).reply == "other"
    assert model.answer(a_call("unit: q7", unit="q8")).reply == "other"


def write(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_rules_from_a_file(tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"unit": "q1", "nth": 1, "fault": {"status": 429, "retry_after": "1"}},
        {"unit": "q1", "reply": {"edits": []}, "latency": 0.5, "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
        {"reply": "plain", "silent_usage": True},
    ]
    model = ScriptedModel.from_file(write(tmp_path / "rules.json", {"rules": rules}))
    with pytest.raises(ProviderFault):
        send(model, a_call())
    assert send(model, a_call()) == RawReply('{"edits":[]}', TokenCount(1, 2), "stop", 500)
    assert send(model, a_call(unit="q2")).usage is None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "not valid JSON"),
        ('{"rules": [], "rules": []}', "not valid JSON"),
        ([], "no list of rules"),
        ({"rules": {}}, "no list of rules"),
        ({"rules": ["x"]}, "rule 1 must be an object"),
        ({"rules": [{}, {"answer": 1}]}, "rule 2 has unknown fields: answer"),
        ({"rules": [{"fault": {"code": 1}}]}, "rule 1: fault has unknown fields: code"),
        ({"rules": [{"fault": 429}]}, "rule 1: fault must be an object"),
        ({"rules": [{"usage": {"prompt_tokens": "1"}}]}, "usage needs the numbers"),
        ({"rules": [{"unit": 1}]}, "unit must be of type str"),
        ({"rules": [{"nth": "1"}]}, "nth must be of type int"),
        ({"rules": [{"latency": "1"}]}, "latency must be a number"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        ScriptedModel.from_file(write(tmp_path / "rules.json", content))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read") as refusal:
        ScriptedModel.from_file(tmp_path / "none.json")
    assert "from the current folder" in (refusal.value.hint or "")
