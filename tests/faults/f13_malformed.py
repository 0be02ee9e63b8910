"""F13: malformed replies. Every one is refused; nothing crashes; nothing is read that should not be."""

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from burnish.core.errors import ReplyUnreadable
from burnish.core.replies import reply_schema
from burnish.models.envelopes import parse_reply
from tests.models.valid_replies import VALID_REPLIES

TITLE = "malformed replies"
ODD = ("NaN", "Infinity", "-Infinity", "nan", "undefined", "None", "True", "01", "1.", ".5", "0x10", "'x'", "1_000")
Spoiler = Callable[[random.Random, str, dict[str, Any]], str]


def truncated(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    text = json.dumps(reply)
    return text[: rng.randrange(len(text))]


def odd_token(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    """A value that some parsers take and JSON does not."""
    text = json.dumps(_with(rng, reply, "@@"))
    return text.replace('"@@"', rng.choice(ODD))


def duplicate_key(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    key = rng.choice(sorted(reply))
    twin = key if rng.random() < 0.5 else f"\\u{ord(key[0]):04x}{key[1:]}"
    return f'{{"{twin}": {json.dumps(reply[key])}, {json.dumps(reply)[1:]}'


def wrong_type(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    """A required field of a type that is never right anywhere in our replies."""
    spoilt = copy.deepcopy(reply)
    key = rng.choice(sorted(_required(name) & reply.keys()))
    spoilt[key] = [[[]]] if not isinstance(reply[key], list) else {"0": reply[key]}
    return json.dumps(spoilt)


def missing_field(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    spoilt = copy.deepcopy(reply)
    del spoilt[rng.choice(sorted(_required(name)))]
    return json.dumps(spoilt)


def out_of_range(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    """A score that is text, a bool, too large, too small or beyond a float; replies without scores get no reasoning."""
    scores = _scores(copied := copy.deepcopy(reply))
    if not scores:
        return missing_field(rng, name, reply)
    scores[rng.choice(sorted(scores))] = rng.choice(["0.5", True, False, -0.1, 11, -1, 1e300, [], {}, "@@"])
    return json.dumps(copied).replace('"@@"', rng.choice(["1e999", "-1e999", "9" * 5_000]))


def wrapped(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    text = json.dumps(reply)
    around = [
        "Sure! {}", "{} That is all.", "{}{}", "[{}]", "```json {}```", "```\n```json\n{}\n```\n```", "<r>{}</r>",
        "\x00{}", "{}\x00", "{},", "({})", "json = {}", "<think>hm</think>{}", "{}\n\n{}", '"{}"', "/* */{}",
        "'{}'", "\ufffe{}",
    ]  # fmt: skip
    return rng.choice(around).replace("{}", text)


def bomb(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    text = json.dumps(reply)[1:]
    depth = rng.choice([300, 5_000, 200_000])
    bombs = [
        "[" * depth,
        '{"a":' * depth,
        f'{{"x": {"[" * depth}{"]" * depth}, {text}',
        f'{{"x": {"9" * 50_000}, {text}',
        f'{{"x": "{"y" * 2_000_000}", {text}',
        " " * 100_000,
    ]
    return rng.choice(bombs)


def broken_text(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    """Something inside a string that a string may not hold."""
    text = json.dumps(_with(rng, reply, "@@"))
    return text.replace("@@", rng.choice(["\\ud800", "\\udc00x", "\x01", "\n", "\\x41", "\\", "\\u12", "\ud800"]))


def other_value(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    others = ["", " ", "null", "true", "3", '"text"', "[]", "{}", "{} {}", "\ufeff", "```", "```\n```", "-", "\x1b[2J"]
    if rng.random() < 0.5:
        return rng.choice(others)
    other = rng.choice([key for key in VALID_REPLIES if not _required(name) <= VALID_REPLIES[key].keys()])
    return json.dumps(VALID_REPLIES[other])


def flipped(rng: random.Random, name: str, reply: dict[str, Any]) -> str:
    """Some characters exchanged. It may still be valid: then an independent reader must agree."""
    text = list(json.dumps(reply, ensure_ascii=False))
    for _ in range(rng.randint(1, 4)):
        text[rng.randrange(len(text))] = rng.choice('{}[]:,"\\0-eNatrue \n\x00é\ud800')
    return "".join(text)


SPOILERS: list[Spoiler] = [
    truncated, odd_token, duplicate_key, wrong_type, missing_field, out_of_range, wrapped, broken_text, other_value,
    flipped,
]  # fmt: skip


DIMENSIONS = {"grammar", "vocabulary", "style", "voice", "semantic_fidelity"}
NAMED_BY_THE_REQUEST = {"unit", "paragraph_id"}
MAY_BE_MISSING = NAMED_BY_THE_REQUEST | {
    "strengths",
    "scores",
    "quote",
    "quotedText",
    "suggested_fix",
    "suggestedFix",
    *DIMENSIONS,
}
"""Models are asked for all of it, and read without: an issue without its quote is dealt with, a score is missing,
and a request about one unit says which it is."""
MAY_BE_NULL = {"field", "quote", "quotedText", "passage", "suggestion", "suggested_fix", "suggestedFix", *DIMENSIONS}
"""Empty text is asked for, and null is read as the same."""
OF_THE_OTHERS = {"translation_review_reply": {"issues"}, "critic_reply": {"paragraphs"}}
"""The readers of a window share one schema: what the others fill in, nobody misses here."""
NOTHING_TO_SAY = {
    "edit_reply": {"contested", "changes"},
    "delta_reply": {"differences"},
    "question_review_reply": {"reasoning", "claims"},
    "answer_reply": {"also_right"},
}
"""A model that contests, alters, sees or adds nothing may leave it out, and need not explain a review."""


def _required(name: str) -> set[str]:
    """The fields without which no reader can do; `strengths` and `scores` may be left out."""
    optional = {"strengths", "scores", *NAMED_BY_THE_REQUEST, *_needless(name)}
    return set(reply_schema(name)["properties"]) - optional


def _needless(name: str) -> set[str]:
    return OF_THE_OTHERS.get(name, set()) | NOTHING_TO_SAY.get(name, set())


def _with(rng: random.Random, reply: dict[str, Any], value: object) -> dict[str, Any]:
    return {**copy.deepcopy(reply), rng.choice(sorted(reply)): value}


def _scores(reply: dict[str, Any]) -> dict[str, Any] | None:
    if "paragraphs" in reply:
        return dict.get(reply["paragraphs"][0], "scores")
    return reply.get("criteria") or reply.get("dimension_scores") or reply.get("scores")


def _independent(name: str, raw: str) -> bool:
    """Whether a reader that shares no code with ours would take it."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    try:
        raw.encode()
        value = json.loads(raw, object_pairs_hook=unique, parse_constant=refuse)
        return isinstance(value, dict) and _fits(value, reply_schema(name), name)
    except (ValueError, AssertionError, RecursionError):
        return False


def _fits(value: Any, schema: dict[str, Any], name: str) -> bool:
    if value is None and name in OF_THE_OTHERS:
        return True  # a reader of books may say null for what it does not give
    if "anyOf" in schema:
        return any(_fits(value, option, name) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "object":
            return isinstance(value, dict) and all(
                _fits(value[key], inner, name)
                if value.get(key) is not None
                else _optional(key, inner, name, is_null=key in value)
                for key, inner in schema["properties"].items()
            )
        case "array":
            return isinstance(value, list) and all(_fits(item, schema["items"], name) for item in value)
        case "number":
            most = 10 if name == "lego_review_reply" else 1
            return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
    kinds = {"string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[schema["type"]])


def _optional(key: str, schema: dict[str, Any], name: str, *, is_null: bool) -> bool:
    """Whether a field may be left out, or null."""
    if {"type": "null"} in schema.get("anyOf", []):
        return True
    needless = NOTHING_TO_SAY.get(name, set())
    return key in (MAY_BE_NULL | needless) if is_null else key in MAY_BE_MISSING | MAY_BE_NULL | _needless(name)


def run(full: bool) -> str:
    rng, count = random.Random(13), 10_000 if full else 1_500
    names, ends = sorted(VALID_REPLIES), Counter[str]()
    for number in range(count):
        name = names[number % len(names)]
        # Bombs are slow to make, not to refuse: a few are enough.
        spoil = bomb if number % 250 == 0 else SPOILERS[rng.randrange(len(SPOILERS))]
        raw = spoil(rng, name, VALID_REPLIES[name])
        ends[_end(spoil, name, raw)] += 1
    assert not ends["crashed"], f"{ends['crashed']} crashes"
    assert not ends["passed silently"], f"{ends['passed silently']} silent passes"
    assert ends["refused"] > 0.8 * count, "too few were malformed, so the test shows nothing"
    return (
        f"{count:,} replies, {ends['refused']:,} refused, {ends['still valid']:,} still valid; "
        "0 crashes, 0 silent passes"
    )


def _end(spoil: Spoiler, name: str, raw: str) -> str:
    try:
        parse_reply(name, raw)
    except ReplyUnreadable:
        return "refused"
    except Exception:
        return "crashed"
    return "still valid" if spoil is flipped and _independent(name, raw) else "passed silently"
