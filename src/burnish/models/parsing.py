"""Reading a reply: strictly, under limits, with nothing guessed.

Forgiven are a byte order mark, blank space around the object and one Markdown code fence around it. Everything else
that is not exactly the asked object is refused, with the place where it goes wrong and without echoing the reply.
"""

from __future__ import annotations

from typing import Any, TypeVar

import jiter
from pydantic import ValidationError

from burnish.core.errors import ReplyUnreadable
from burnish.core.replies import REPLIES, Reply

MAX_REPLY_BYTES = 2_000_000
"""Larger than the largest unit in any script, small enough to read in a blink."""
MOST_FAULTS_NAMED = 3
FENCE = "```"

ReplyT = TypeVar("ReplyT", bound=Reply)


def parse_reply(name: str, raw: str) -> Reply:
    """The reply called `name`, read from the text that a model sent; ReplyUnreadable if it is anything else."""
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
    """The JSON object in `raw`: no NaN, no duplicate key, no second value, at most about 200 levels deep."""
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
        reason = _without_content(str(error))
        ended = _where_it_ended(data) if reason.startswith("EOF") else ""
        raise _unreadable(name, f"it breaks off{ended} ({reason})" if ended else reason) from None


def _bare(raw: str) -> str:
    """The reply without what is forgiven around it."""
    text = raw.removeprefix("\ufeff").strip()
    if not (text.startswith(FENCE) and text.endswith(FENCE)):
        return text
    opening, newline, rest = text.partition("\n")
    language = opening.removeprefix(FENCE).strip()
    if not newline or not (language == "" or language.isalnum()):
        return text
    return rest.removesuffix(FENCE).strip()


def _where_it_ended(data: bytes) -> str:
    """` inside edits[2].replace`: the path of the last value that had begun when the text stopped."""
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
    """The first faults, each with its path; never the offending value."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    named = "; ".join(f"{_path(fault['loc'])}: {fault['msg']}" for fault in faults[:MOST_FAULTS_NAMED])
    more = len(faults) - MOST_FAULTS_NAMED
    return f"{named}; and {more} more" if more > 0 else named


def _path(location: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{_shown(part)}" for part in location)
    return path.removeprefix(".") or "the object"


def _shown(key: str) -> str:
    """A key of the reply, short and printable: it may end up in a terminal or in the next prompt."""
    return "".join(character if character.isalnum() or character in "_-" else "?" for character in key[:40])


def _without_content(message: str) -> str:
    """jiter quotes a duplicate key; the reply's words do not belong in our message."""
    before, quote, rest = message.partition('"')
    after = rest.rpartition('"')[2]
    return f"{before.strip()} {after.strip()}" if quote else message


def _unreadable(name: str, reason: str) -> ReplyUnreadable:
    return ReplyUnreadable(f"The reply cannot be read as {name}: {reason}.")
