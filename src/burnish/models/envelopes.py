"""Extract the model's answer from the body that a provider sent, and read it strictly.

Libraries return the answer already parsed: then the last of two equal keys has replaced the first and NaN has become a
number, unnoticed. So the answer is cut out of the body as text. Four envelopes are known: Chat Completions, Responses,
Anthropic Messages and Gemini. The scanner works on tokens without recursion, so deep nesting is harmless.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import jiter
from pydantic import ValidationError

from burnish.core.errors import ReplyUnreadable
from burnish.core.replies import REPLIES, Reply
from burnish.models.calls import TokenCount

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
LONGEST_COUNT = 18
"""The most digits of a token count."""

CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "model_length"})
WITHHELD = frozenset({"content_filter", "refusal", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST"})
THINKING_TAGS = ("<think>", "</think>")
REASONING_COUNTS = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "output_tokens_details.thinking_tokens",
    "reasoning_tokens",
)
CACHED_COUNTS = ("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "cachedContentTokenCount")
WRITTEN_COUNTS = ("prompt_tokens_details.cache_write_tokens", "input_tokens_details.cache_write_tokens")
"""Where OpenAI and OpenRouter report, within the prompt, the tokens written to the cache."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The contents of a provider's answer."""

    text: str
    """The answer exactly as the model wrote it."""
    finish: str | None
    usage: TokenCount | None

    @property
    def cut_off(self) -> bool:
        return self.finish in CUT_OFF

    @property
    def withheld(self) -> bool:
        return self.finish in WITHHELD


class NotAnEnvelope(ValueError):
    """The body has none of the known shapes."""


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value as a piece of text that has not been parsed."""

    text: str
    start: int
    end: int

    @property
    def raw(self) -> str:
        return self.text[self.start : self.end]

    def plain(self) -> Any:
        """Return a string, number, true, false or null as Python; None for anything else or anything broken."""
        raw = self.raw
        if not raw or raw[0] in "{[" or (raw[0] != '"' and len(raw) > LONGEST_COUNT):
            return None
        try:
            return json.loads(raw)
        except ValueError:
            return None

    def string(self) -> str | None:
        """Return a string. Half of a surrogate pair stays an escape, because no file can hold it."""
        raw = self.raw
        if raw[:1] == '"' and "\\" not in raw and raw.isprintable():
            return raw[1:-1]  # every key, most values: nothing to decode
        value = self.plain()
        return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else None

    def count(self) -> int | None:
        value = self.plain()
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def members(self) -> dict[str, Value]:
        """Return the members of an object. The first of two equal keys counts: an answer cannot be replaced later."""
        found: dict[str, Value] = {}
        key: str | None = None
        for item in self._items("{"):
            if key is None:
                key = item.string()
            else:
                found.setdefault(key, item)
                key = None
        return found

    def items(self) -> list[Value]:
        """Return the items of a list."""
        return list(self._items("["))

    def get(self, key: str) -> Value:
        return self.members().get(key, NOTHING)

    def _items(self, opening: str) -> Iterator[Value]:
        """Yield the values one level down, including the keys of an object."""
        if self.text[self.start : self.start + 1] != opening:
            return
        depth, begun = 0, 0
        for token in TOKEN.finditer(self.text, self.start, self.end):
            mark = token.group()
            if mark in "{[":
                depth += 1
                if depth == 2:
                    begun = token.start()
            elif mark in "}]":
                depth -= 1
                if depth == 1:
                    yield Value(self.text, begun, token.end())
            elif depth == 1 and mark not in ",:":
                yield Value(self.text, token.start(), token.end())


NOTHING = Value("", 0, 0)


def open_envelope(body: bytes, reply_name: str) -> Envelope:
    """Return the model's answer in `body`. Raise NotAnEnvelope if it has none of the known shapes."""
    try:
        text = body.decode("utf-8").removeprefix("\ufeff").strip()
    except UnicodeDecodeError as error:
        raise NotAnEnvelope(f"the body is not UTF-8 (byte {error.start})") from None
    members = Value(text, 0, len(text)).members()
    usage = _usage(members)
    if "choices" in members:
        return _chat(members["choices"], usage)
    if "output" in members:
        return _responses(members, usage)
    if "candidates" in members:
        # Parts marked as thought are not the answer.
        candidates = members["candidates"]
        first = next(iter(candidates.items()), NOTHING)
        finish = first.get("finishReason").string()
        parts = first.get("content").get("parts").items()
        texts = [part.get("text").string() for part in parts if part.get("thought").plain() is not True]
        return _with_text("".join(part for part in texts if part), finish, usage)
    if "content" in members:
        return _messages(members, usage, reply_name)
    raise NotAnEnvelope("the body has none of the fields choices, output, candidates, content")


def answering_model(body: bytes) -> str | None:
    """Return the name of the model that the answer says it is of."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    members = Value(text, 0, len(text)).members()
    return (members.get("model") or members.get("modelVersion") or NOTHING).string()


def _chat(choices: Value, usage: TokenCount | None) -> Envelope:
    first = next(iter(choices.items()), None)
    if first is None:
        raise NotAnEnvelope("choices is empty")
    choice = first.members()
    message = choice.get("message", NOTHING).members()
    finish = choice.get("finish_reason", NOTHING).string()
    text = message.get("content", NOTHING).string()
    if not text and (calls := message.get("tool_calls", NOTHING).items()):
        text = calls[0].get("function").get("arguments").string()
    refusal = message.get("refusal", NOTHING).string()
    if refusal and not text:
        return Envelope(refusal, "refusal", usage)
    return _with_text(text, finish, usage)


def _responses(members: dict[str, Value], usage: TokenCount | None) -> Envelope:
    finish = members.get("incomplete_details", NOTHING).get("reason").string()
    for item in members["output"].items():
        if item.get("type").string() == "function_call":
            return _with_text(item.get("arguments").string(), finish, usage)
        for part in item.get("content").items():
            kind = part.get("type").string()
            if kind == "refusal":
                return Envelope(part.get("refusal").string() or "", "refusal", usage)
            if kind == "output_text":
                return _with_text(part.get("text").string(), finish, usage)
    return _with_text(None, finish, usage)


def _messages(members: dict[str, Value], usage: TokenCount | None, reply_name: str) -> Envelope:
    finish = members.get("stop_reason", NOTHING).string()
    words: str | None = None
    for block in members["content"].items():
        kind = block.get("type").string()
        if kind == "tool_use" and block.get("name").string() == reply_name:
            return _with_text(block.get("input").raw, finish, usage)
        if kind == "text" and words is None:
            words = block.get("text").string()
    return _with_text(words, finish, usage)


def _with_text(text: str | None, finish: str | None, usage: TokenCount | None) -> Envelope:
    if text is None and finish not in CUT_OFF | WITHHELD:
        raise NotAnEnvelope("the body holds no answer")
    return Envelope(_without_thinking(text or ""), finish, usage)


def _without_thinking(text: str) -> str:
    """Return the answer after the thinking that some servers leave before it; empty if the thinking never ended."""
    opening, closing = THINKING_TAGS
    bare = text.lstrip()
    if closing not in bare:
        return "" if bare.startswith(opening) else text
    # Some chat templates open the thinking themselves, so the reply holds only its closing tag.
    thought, _, answer = bare.partition(closing)
    return answer.lstrip() if bare.startswith(opening) or not thought.startswith(("{", "`")) else text


def _usage(members: dict[str, Value]) -> TokenCount | None:
    """Return the tokens read and written, including thinking and cached tokens, wherever the provider counts them.

    Anthropic counts the tokens read from and written to its cache separately, Gemini counts thinking separately, and
    some servers count it only in the total: a total larger than its parts is used. Thinking that is larger than the
    completion is no part of it, so it is added.
    """
    usage = (members.get("usage") or members.get("usageMetadata") or NOTHING).members()

    def counted(*paths: str) -> int | None:
        for path in paths:
            name, _, inner = path.partition(".")
            value = usage.get(name, NOTHING)
            if (count := (value.get(inner) if inner else value).count()) is not None:
                return count
        return None

    prompt = counted("prompt_tokens", "input_tokens", "promptTokenCount")
    completion = counted("completion_tokens", "output_tokens", "candidatesTokenCount")
    thoughts = counted("thoughtsTokenCount")
    if prompt is None or (completion is None and thoughts is None):
        return None
    cache_read = counted("cache_read_input_tokens") or 0
    stored = counted("cache_creation_input_tokens") or 0
    prompt += cache_read + stored
    completion = (completion or 0) + (thoughts or 0)
    total = counted("total_tokens", "totalTokenCount")
    completion = completion if total is None else max(completion, total - max(prompt, 0))
    reasoning = thoughts or counted(*REASONING_COUNTS) or 0
    return TokenCount(
        prompt,
        completion + reasoning if reasoning > completion else completion,
        reasoning=reasoning,
        cached=cache_read or counted(*CACHED_COUNTS) or 0,
        written=stored or counted(*WRITTEN_COUNTS) or 0,
    )


MAX_REPLY_BYTES = 2_000_000
"""More than the largest unit in any script needs, and still fast to read."""
MOST_FAULTS_NAMED = 3
FENCE = "```"

ReplyT = TypeVar("ReplyT", bound=Reply)


def parse_reply(name: str, raw: str) -> Reply:
    """Parse a model's text as the reply called `name`. Raise ReplyUnreadable if it is anything else."""
    return parse_as(REPLIES[name], raw, name=name)


def parse_as(model: type[ReplyT], raw: str, *, name: str | None = None) -> ReplyT:
    """Like `parse_reply`, for callers that know the reply's type."""
    name = name or model.__name__
    value = read_object(raw, name)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ReplyUnreadable(f"The reply is not a valid {name}: {_faults(error)}.") from None


def read_object(raw: str, name: str) -> dict[str, Any]:
    """Parse the JSON object in `raw`: no NaN, no duplicate key, no second value, at most about 200 levels deep."""
    text = _bare(raw)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _unreadable(name, f"character {error.start} is half of a surrogate pair") from None
    if len(data) > MAX_REPLY_BYTES:
        raise _unreadable(name, f"it has {len(data):,} bytes, more than {MAX_REPLY_BYTES:,}")
    if not data:
        raise _unreadable(name, "it is empty")
    value = _json(data, name)
    if not isinstance(value, dict):
        raise _unreadable(name, f"a JSON object was asked for, not a {type(value).__name__}")
    return value


def _json(data: bytes, name: str) -> Any:
    try:
        return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        # jiter quotes a duplicate key, but a message must not contain words of the reply.
        message = str(error)
        before, quote, rest = message.partition('"')
        after = rest.rpartition('"')[2]
        reason = f"{before.strip()} {after.strip()}" if quote else message
        ended = _where_it_ended(data) if reason.startswith("EOF") else ""
        raise _unreadable(name, f"it breaks off{ended} ({reason})" if ended else reason) from None


def _bare(raw: str) -> str:
    """Return the reply without a byte order mark, blanks and a code fence around it."""
    text = raw.removeprefix("\ufeff").strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE)):
        return text
    opening, newline, rest = text.partition("\n")
    language = opening.removeprefix(FENCE).strip()
    if not newline or not (language == "" or language.isalnum()):
        return text
    return rest.removesuffix(FENCE).strip()


def _where_it_ended(data: bytes) -> str:
    """Return ` inside edits[2].replace`: the path of the last value that had begun when the text ended."""
    try:
        value = jiter.from_json(data, allow_inf_nan=False, partial_mode="trailing-strings")
    except ValueError:
        return " before any value"
    path = ""
    while isinstance(value, dict | list) and value:
        if isinstance(value, dict):
            key = next(reversed(value))
            path, value = f"{path}.{_shown(key)}", value[key]
        else:
            path, value = f"{path}[{len(value) - 1}]", value[-1]
    return f" inside {path.removeprefix('.')}" if path else " before the first field"


def _faults(error: ValidationError) -> str:
    """Describe the first faults, each with its path; never the offending value."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    named = "; ".join(f"{_path(fault['loc'])}: {fault['msg']}" for fault in faults[:MOST_FAULTS_NAMED])
    more = len(faults) - MOST_FAULTS_NAMED
    return f"{named}; and {more} more" if more > 0 else named


def _path(location: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{_shown(part)}" for part in location)
    return path.removeprefix(".") or "the object"


def _shown(key: str) -> str:
    """Return a key of the reply, short and printable: it may be shown in a terminal or in the next prompt."""
    return "".join(character if character.isalnum() or character in "_-" else "?" for character in key[:40])


def _unreadable(name: str, reason: str) -> ReplyUnreadable:
    return ReplyUnreadable(f"The reply cannot be read as {name}: {reason}.")
