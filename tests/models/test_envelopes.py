"""Cutting the model's own words out of a provider's body."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.models.calls import TokenCount
from burnish.models.envelopes import Envelope, NotAnEnvelope, Value, open_envelope

NASTY = '{"a": NaN, "a": {"b": [1, "}]\\"", {}]}, "é": "\\ud83d\\ude42"}'
"""Duplicate keys, NaN, brackets inside strings, escapes."""


def chat(message: object, finish: str | None = "stop", **more: object) -> bytes:
    return json.dumps({"id": "x", "choices": [{"finish_reason": finish, "message": message}], **more}).encode()


def messages(blocks: str, **more: object) -> bytes:
    rest = "".join(f', "{key}": {json.dumps(value)}' for key, value in more.items())
    return f'{{"type": "message", "content": [{blocks}]{rest}}}'.encode()


def test_chat_completions() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    envelope = open_envelope(chat({"role": "assistant", "content": NASTY}, usage=usage), "edit_reply")
    assert envelope == Envelope(NASTY, "stop", TokenCount(7, 3))


def test_chat_completions_with_a_tool_call() -> None:
    call = {"type": "function", "function": {"name": "edit_reply", "arguments": NASTY}}
    assert open_envelope(chat({"content": None, "tool_calls": [call]}, "tool_calls"), "edit_reply").text == NASTY


def test_responses() -> None:
    body = {
        "status": "completed",
        "incomplete_details": None,
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": NASTY}]},
        ],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }
    assert open_envelope(json.dumps(body).encode(), "r") == Envelope(NASTY, None, TokenCount(7, 3))
    body["output"] = [{"type": "function_call", "name": "r", "arguments": NASTY}]
    assert open_envelope(json.dumps(body).encode(), "r").text == NASTY


def test_anthropic_messages_keep_duplicate_keys_and_nan() -> None:
    block = f'{{"type": "tool_use", "id": "t", "name": "edit_reply", "input": {NASTY}}}'
    body = messages('{"type": "text", "text": "Let me see."}, ' + block, stop_reason="tool_use")
    assert open_envelope(body, "edit_reply") == Envelope(NASTY, "tool_use", None)


def test_anthropic_text_counts_where_the_tool_was_not_used() -> None:
    body = messages('{"type": "text", "text": "I would rather talk."}', stop_reason="end_turn")
    assert open_envelope(body, "edit_reply").text == "I would rather talk."
    other = messages('{"type": "tool_use", "name": "other", "input": {}}')
    with pytest.raises(NotAnEnvelope):
        open_envelope(other, "edit_reply")


def test_anthropic_cached_tokens_were_read_too() -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5, "output_tokens": 3}
    body = messages('{"type": "text", "text": "x"}', usage=usage)
    assert open_envelope(body, "r").usage == TokenCount(100, 3, cached=90, written=5)


def test_gemini() -> None:
    body = {
        "candidates": [{"content": {"parts": [{"text": NASTY[:9]}, {"text": NASTY[9:]}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
    }
    assert open_envelope(json.dumps(body).encode(), "r") == Envelope(NASTY, "STOP", TokenCount(7, 3))


@pytest.mark.parametrize(
    ("body", "cut_off", "withheld"),
    [
        (chat({"content": "{"}, "length"), True, False),
        (chat({"content": None}, "length"), True, False),
        (chat({"content": None}, "content_filter"), False, True),
        (chat({"content": None, "refusal": "No."}), False, True),
        (messages('{"type": "tool_use", "name": "r", "input": {}}', stop_reason="max_tokens"), True, False),
        (messages("", stop_reason="refusal"), False, True),
        (b'{"output": [], "incomplete_details": {"reason": "max_output_tokens"}}', True, False),
        (b'{"output": [{"content": [{"type": "refusal", "refusal": "No."}]}]}', False, True),
        (b'{"candidates": [{"finishReason": "MAX_TOKENS"}]}', True, False),
        (b'{"candidates": [{"finishReason": "SAFETY"}]}', False, True),
    ],
)
def test_unfinished_answers_are_recognised(body: bytes, cut_off: bool, withheld: bool) -> None:
    envelope = open_envelope(body, "r")
    assert (envelope.cut_off, envelope.withheld) == (cut_off, withheld)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b"{}",
        b"{",
        b'"choices"',
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": {"content": 3}}]}',
        b'{"choices": [{"message": {"content": ["a"]}}]}',
        b'{"output": 3}',
        b'{"content": "x"}',
        b"\xff\xfe",
        b'{"choices": [{"message": {"content": "\\q"}}]}',
    ],
)
def test_anything_else_is_not_an_envelope(body: bytes) -> None:
    with pytest.raises(NotAnEnvelope):
        open_envelope(body, "r")


@pytest.mark.parametrize("count", ['"7"', "7.5", "true", "null", "[]", "1e3", "9" * 4_500, "-"])
def test_usage_that_is_not_a_number_is_no_usage(count: str) -> None:
    usage = f'{{"prompt_tokens": {count}, "completion_tokens": 3}}'
    body = f'{{"choices": [{{"message": {{"content": "x"}}}}], "usage": {usage}}}'
    assert open_envelope(body.encode(), "r").usage is None


def test_a_lie_about_usage_is_passed_on_as_it_is() -> None:
    body = chat({"content": "x"}, usage={"prompt_tokens": -7, "completion_tokens": 0})
    assert open_envelope(body, "r").usage == TokenCount(-7, 0)


def test_of_two_equal_keys_in_the_envelope_the_first_counts() -> None:
    body = b'{"choices": [{"message": {"content": "first", "content": "second"}}], "choices": []}'
    assert open_envelope(body, "r").text == "first"


def test_half_of_a_surrogate_pair_stays_an_escape() -> None:
    body = b'{"choices": [{"message": {"content": "a \\ud800 b"}}]}'
    text = open_envelope(body, "r").text
    assert text == "a \\ud800 b"
    assert text.encode()


def test_depth_costs_nothing() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    body = messages(f'{{"type": "tool_use", "name": "r", "input": {deep}}}')
    assert open_envelope(body, "r").text == deep


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_any_tool_input_comes_out_as_it_went_in(value: object, indent: int | None, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    body = messages(f'{{"input": {raw}, "type": "tool_use", "name": "r"}}').decode()
    assert open_envelope(body.encode("utf-8", "replace"), "r").text == raw.encode("utf-8", "replace").decode()


@given(JSON)
def test_the_scanner_agrees_with_a_parser(value: object) -> None:
    whole = json.dumps({"before": "x", "value": value, "after": [1]})
    found = Value(whole, 0, len(whole)).get("value")
    assert json.loads(found.raw) == value


@given(st.binary(max_size=300))
def test_any_bytes_are_opened_or_refused(body: bytes) -> None:
    try:
        assert isinstance(open_envelope(b'{"choices": ' + body, "r"), Envelope)
    except NotAnEnvelope as refused:
        assert str(refused)


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ('<think>Hm, {}.</think>\n\n{"a": 1}', '{"a": 1}'),
        ('  <think>\n</think>{"a": 1}', '{"a": 1}'),
        ('Hm.</think>{"a": 1}', '{"a": 1}'),
        ("<think>Hm, and then", ""),
        ('{"a": "<think>x</think>"}', '{"a": "<think>x</think>"}'),
        ('```json\n{"a": "</think>"}\n```', '```json\n{"a": "</think>"}\n```'),
    ],
)
def test_thinking_in_the_reply_is_not_the_answer(content: str, answer: str) -> None:
    assert open_envelope(chat({"content": content}), "r").text == answer


def test_thoughts_of_gemini_are_not_the_answer_and_are_billed() -> None:
    parts = [{"text": "Let me see.", "thought": True}, {"text": NASTY}]
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 900, "totalTokenCount": 910}
    body = {"candidates": [{"finishReason": "STOP", "content": {"parts": parts}}], "usageMetadata": usage}
    envelope = open_envelope(json.dumps(body).encode(), "r")
    assert envelope == Envelope(NASTY, "STOP", TokenCount(7, 903, reasoning=900))
    body["candidates"] = [{"finishReason": "MAX_TOKENS", "content": {}}]
    del usage["candidatesTokenCount"]
    assert open_envelope(json.dumps(body).encode(), "r") == Envelope("", "MAX_TOKENS", TokenCount(7, 903, 900))


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        (
            {
                "prompt_tokens": 70,
                "completion_tokens": 20,
                "total_tokens": 90,
                "completion_tokens_details": {"reasoning_tokens": 480},
            },
            TokenCount(70, 500, 480),
        ),
        ({"input_tokens": 70, "output_tokens": 20, "reasoning_tokens": 480}, TokenCount(70, 500, 480)),
        (
            {
                "prompt_tokens": 70,
                "completion_tokens": 500,
                "total_tokens": 570,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 480},
            },
            TokenCount(70, 500, 480, 64),
        ),
        (
            {
                "input_tokens": 70,
                "output_tokens": 500,
                "input_tokens_details": {"cached_tokens": 64},
                "output_tokens_details": {"reasoning_tokens": 480},
            },
            TokenCount(70, 500, 480, 64),
        ),
        (
            {
                "input_tokens": 6,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 4,
                "output_tokens": 500,
                "output_tokens_details": {"thinking_tokens": 480},
            },
            TokenCount(70, 500, 480, 60, 4),
        ),
        ({"prompt_tokens": 70, "completion_tokens": 20, "total_tokens": 1_090}, TokenCount(70, 1_020)),
    ],
)
def test_thinking_and_cached_tokens_are_counted_wherever_they_stand(usage: object, counted: TokenCount) -> None:
    assert open_envelope(chat({"content": "{}"}, usage=usage), "r").usage == counted
