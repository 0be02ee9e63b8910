"""Replies: every name of the contract, strict values, and schemas that strict structured output accepts."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from burnish.core.replies import (
    REPLIES,
    AnswerReply,
    CriteriaPart,
    CriticReply,
    DimensionsPart,
    EditReply,
    JudgeIssuePart,
    LegoDimensionsPart,
    LegoReviewReply,
    QuestionReviewReply,
    TranslationReviewReply,
    WindowReply,
    reply_schema,
    scores_of,
)
from tests.models.valid_replies import VALID_REPLIES

NAMES = sorted(REPLIES)


def nodes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    found = [schema]
    for child in [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]:
        found += nodes(child)
    return found + (nodes(schema["items"]) if "items" in schema else [])


def test_every_reply_has_an_example() -> None:
    assert set(VALID_REPLIES) == set(REPLIES)


@pytest.mark.parametrize("name", NAMES)
def test_a_valid_reply_is_read_and_written_back_unchanged(name: str) -> None:
    reply = REPLIES[name].model_validate(VALID_REPLIES[name])
    assert reply.model_dump(mode="json") == VALID_REPLIES[name]


@pytest.mark.parametrize("name", NAMES)
def test_unknown_extra_fields_are_ignored(name: str) -> None:
    assert REPLIES[name].model_validate({**VALID_REPLIES[name], "zz": 1}) == REPLIES[name].model_validate(
        VALID_REPLIES[name]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_cannot_be_changed(name: str) -> None:
    reply = REPLIES[name].model_validate(VALID_REPLIES[name])
    with pytest.raises(ValidationError):
        reply.reasoning = "x"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_schemas_name_and_require_everything_and_hold_no_free_map(name: str) -> None:
    for node in nodes(reply_schema(name)):
        assert not {"$ref", "$defs", "default", "title", "maxLength", "pattern", "minimum"} & set(node)
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False


@pytest.mark.parametrize("name", [name for name in NAMES if name != "translation_reply"])
def test_reasoning_comes_before_the_verdict(name: str) -> None:
    schema = reply_schema(name)
    if name == "answer_reply":  # each question is reasoned about before it is answered
        schema = schema["properties"]["items"]["items"]
        assert list(schema["properties"]).index("reasoning") < list(schema["properties"]).index("choice")
    else:
        assert next(iter(schema["properties"])) == "reasoning"


READERS = ("translation_review_reply", "critic_reply")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in READERS])
def test_schemas_and_examples_have_the_same_fields(name: str) -> None:
    assert list(reply_schema(name)["properties"]) == list(VALID_REPLIES[name])


def test_the_readers_of_one_window_have_one_schema_and_what_it_asks_for_can_be_read() -> None:
    review, critic = map(reply_schema, READERS)
    assert review == critic and not any("anyOf" in node for node in nodes(review))
    issue = {"category": "style", "severity": "info", "quote": "", "description": "", "suggested_fix": ""}
    paragraph = {"paragraph_id": "p_0001", "issues": [issue], "scores": dict.fromkeys(DimensionsPart.model_fields, 1.0)}
    asked = {"reasoning": "", "paragraphs": [paragraph], "issues": [{**issue, "lens": "x", "line": 0}]}
    WindowReply.model_validate(asked)
    assert [part.line for part in CriticReply.model_validate(asked).issues] == [None], "0 is no line"
    assert len(TranslationReviewReply.model_validate(asked).paragraphs) == 1


@pytest.mark.parametrize("none", [None, ""])
def test_text_is_asked_for_and_empty_text_or_null_is_none(none: str | None) -> None:
    field = reply_schema("edit_reply")["properties"]["edits"]["items"]["properties"]["field"]
    assert field == {"type": "string"}
    edit = {"unit": "q", "field": none, "find": "a", "replace": "b"}
    assert EditReply.model_validate({"reasoning": "", "edits": [edit]}).edits[0].field is None


def test_a_schema_says_nothing_that_the_prompt_says() -> None:
    assert not any("description" in node for name in NAMES for node in nodes(reply_schema(name)))


def test_an_optional_field_may_be_left_out() -> None:
    reply = EditReply.model_validate({"reasoning": "", "edits": [{"unit": "q", "find": "a", "replace": "b"}]})
    assert reply.edits[0].field is None
    assert CriticReply.model_validate({"reasoning": "", "issues": []}).scores == DimensionsPart()


@pytest.mark.parametrize("value", ["0.9", True, -0.01, 1.01, math.nan, math.inf, -math.inf, [], {}, 10**400])
def test_a_fraction_is_a_finite_number_from_0_to_1(value: object) -> None:
    with pytest.raises(ValidationError):
        CriteriaPart.model_validate({"completeness": value})
    with pytest.raises(ValidationError):
        DimensionsPart.model_validate({"grammar": value})


@pytest.mark.parametrize("value", [None, "9", False, -1, 10.1, 11, math.nan, math.inf])
def test_points_go_from_0_to_10_and_none_is_missing(value: object) -> None:
    whole = VALID_REPLIES["lego_review_reply"]
    scores = {**whole["dimension_scores"], "naturalness": value}
    with pytest.raises(ValidationError):
        LegoReviewReply.model_validate({**whole, "dimension_scores": scores})
    del scores["naturalness"]
    with pytest.raises(ValidationError):
        LegoDimensionsPart.model_validate(scores)


def test_scores_that_were_not_given_stay_missing() -> None:
    assert scores_of(DimensionsPart(grammar=0.5)) == {"grammar": 0.5}


def test_other_scores_are_kept_where_they_are_scores() -> None:
    odd = {"flow": "0.9", "pace": True, "tone": 1.01, "mood": math.nan, "x" * 61: 0.5, "": 0.5, "list": [0.5]}
    part = DimensionsPart.model_validate({"grammar": 0.5, "voice": None, "rhythm": 0.75, "rhyme": 1, **odd})
    assert scores_of(part) == {"grammar": 0.5, "rhythm": 0.75, "rhyme": 1.0}
    many = DimensionsPart.model_validate({f"other{number}": 0.5 for number in range(100)})
    assert len(scores_of(many)) == 20
    assert "rhythm" not in str(reply_schema("translation_review_reply"))


@pytest.mark.parametrize("edits", [None, {}, "x", [None], [[]], ["x"]])
def test_a_list_is_a_list(edits: object) -> None:
    with pytest.raises(ValidationError):
        EditReply.model_validate({"reasoning": "", "edits": edits})


def test_text_has_limits() -> None:
    with pytest.raises(ValidationError):
        EditReply.model_validate({"reasoning": "x" * 50_001, "edits": []})
    edit = {"unit": "q", "field": None, "find": "", "replace": ""}
    with pytest.raises(ValidationError):
        EditReply.model_validate({"reasoning": "", "edits": [edit] * 1_001})


def test_a_schema_holds_only_the_scores_that_are_asked_for() -> None:
    asked = ("clarity_readability", "engagement_examples")
    found = nodes(reply_schema("judge_reply", asked))
    criteria = next(node for node in found if asked[0] in node.get("required", ()))
    assert criteria["required"] == list(asked)
    assert criteria["properties"][asked[0]] == {"type": "number"}
    issue = next(
        node for node in nodes(reply_schema("judge_reply", asked)) if "criterion" in node.get("properties", {})
    )
    assert issue["properties"]["criterion"]["enum"] == list(asked)


LIMITS = Path(__file__).parent / "reply_limits.json"


def test_every_limit_of_every_reply_is_recorded() -> None:
    """What a model's answer is refused for. `make golden` writes the file: read the diff."""
    found = {name: REPLIES[name].model_json_schema() for name in sorted(REPLIES)}
    if os.environ.get("WRITE_GOLDEN"):
        LIMITS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(LIMITS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("value", [None, "", "words"])
def test_null_is_empty_text(value: str | None) -> None:
    part = {"criterion": "completeness", "severity": "minor", "description": "d", "quotedText": value}
    assert JudgeIssuePart.model_validate(part).quotedText == (value or "")


@pytest.mark.parametrize("value", [0, False, [], {}, 0.0])
def test_what_is_neither_text_nor_null_is_refused(value: object) -> None:
    part = {"criterion": "completeness", "severity": "minor", "description": "d", "quotedText": value}
    with pytest.raises(ValidationError):
        JudgeIssuePart.model_validate(part)


def test_edits_without_a_unit_are_about_the_one_that_was_asked_about() -> None:
    edits = [{"unit": unit, "find": "a", "replace": "b"} for unit in ("", "other")]
    reply = EditReply.model_validate({"reasoning": "", "edits": edits}).about("q1")
    assert [edit.unit for edit in reply.edits] == ["q1", "other"]


def test_a_reply_about_one_question_needs_no_list_of_items() -> None:
    flat = {"reasoning": "r", "violations": []}
    assert QuestionReviewReply.model_validate(flat).items[0].violations == ()
    solved = {"reasoning": "r", "choice": "B", "also_right": None, "confidence": "high"}
    assert AnswerReply.model_validate(solved).items[0].choice == "B"
    named = AnswerReply.model_validate({"items": {"q1": solved, "q2": solved}})
    assert [item.id for item in named.items] == ["q1", "q2"]


def test_an_item_that_cannot_be_read_spoils_no_other() -> None:
    good = {"id": "q1", "reasoning": "r", "choice": "B", "also_right": [], "confidence": "high"}
    reply = AnswerReply.model_validate({"items": [{**good, "id": "q0", "confidence": "sure"}, good, {"id": 3}]})
    assert [item.id for item in reply.items] == ["q1"]
    with pytest.raises(ValidationError):
        AnswerReply.model_validate({"items": [{**good, "confidence": "sure"}]})
    with pytest.raises(ValidationError):
        AnswerReply.model_validate({"items": [{"id": "q1"}, {"id": "q2"}]})


def test_numbers_of_claims_may_be_numbers() -> None:
    answered = {"claim": 2, "upheld": True, "quote": None}
    reply = QuestionReviewReply.model_validate({"items": [{"id": 7, "claims": [answered], "violations": []}]})
    assert (reply.items[0].id, reply.items[0].claims[0].claim) == ("7", "2")
    contested = {"reasoning": "r", "edits": [], "contested": [{"claim": 1, "why": "It is fine."}]}
    assert EditReply.model_validate(contested).contested[0].claim == "1"
