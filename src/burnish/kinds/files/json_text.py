"""A lesson's JSON, strictly: what is wrong is told with line, column and the path to it."""

from __future__ import annotations

import math
from typing import Any

import jiter
import regex

from burnish.core.errors import InputError

BRACKETS = 200_000
"""Objects and arrays in one lesson; beyond it the file is a bomb."""
COMMAS = 1_000_000
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
TOKENS = regex.compile(r'"(?:[^"\\]++|\\.)*+(?:"|(?P<open>$))|[\[\]{},:]', regex.DOTALL)
"""Strings and what stands between them; a string that never ends is `open`."""
LARGEST_NUMBER = 1 << 63


def parsed(text: str, path: str) -> Any:
    """The value of a JSON text: no NaN, no repeated key, no bombs. InputError with the place where reading stopped."""
    if text.count("{") + text.count("[") > BRACKETS or text.count(",") > COMMAS:
        raise InputError("It has too many parts to be a lesson.", path=path, code="too_complex")
    try:
        value = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        raise _complaint(text, path, str(error)) from error
    return _plain(value)


def _plain(value: Any) -> Any:
    """Numbers that no other program could hold become the words that they are written with."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LARGEST_NUMBER:
        return hex(value)
    return value


def _complaint(text: str, path: str, said: str) -> InputError:
    if said.startswith("EOF while") or _ends_in_a_string(text, said):
        return _truncated(text, path)
    where = WHERE.search(said)
    reason = said[: where.start()] if where else said
    line = int(where.group(1)) if where else 1
    column = int(where.group(2)) if where else 1
    if reason.startswith("recursion limit"):
        return InputError("It is nested too deep.", path=path, line=line, code="too_deep")
    if reason.startswith("Detected duplicate key"):
        message, code = f"{reason} (column {column}).", "duplicate_key"
        return InputError(message, path=path, line=line, code=code, hint="Keep one of the two.")
    message = f"This is not valid JSON: {reason} (column {column})."
    return InputError(message, path=path, line=line, code="invalid_json")


def _ends_in_a_string(text: str, said: str) -> bool:
    """Whether the control character that was met is only the line end that someone wrote after a cut."""
    if not said.startswith("control character"):
        return False
    try:
        jiter.from_json(text.rstrip().encode())
    except ValueError as error:
        return str(error).startswith("EOF while")
    return False


def _truncated(text: str, path: str) -> InputError:
    """Names the place where the text stops, and what it stops in."""
    end = len(text.rstrip())
    line = text.count("\n", 0, end) + 1
    column = end - (text.rfind("\n", 0, end) + 1) + 1
    field = open_path(text)
    inside = f", inside {field}" if field else ""
    return InputError(
        f"The JSON ends too early: at line {line}, column {column}{inside}.",
        path=path,
        line=line,
        field=field or None,
        code="truncated",
        hint="The lesson was cut off: write it again with a higher limit on tokens.",
    )


def open_path(text: str) -> str:
    """Where a JSON text stops that was cut off: `content.exercises[1].solution`; empty at the top."""
    steps: list[str | int | None] = []
    latest: str | None = None
    for match in TOKENS.finditer(text):
        token = match.group()
        if token[0] == '"':
            latest = None if match["open"] is not None else token
        elif token in "{[":
            steps.append(None if token == "{" else 0)
        elif token in "}]":
            if steps:
                steps.pop()
        elif steps and token == ":":
            steps[-1] = _name(latest)
        elif steps and token == ",":
            step = steps[-1]
            steps[-1] = step + 1 if isinstance(step, int) else None
    return "".join(_step(step) for step in steps if step is not None).removeprefix(".")


def _name(token: str | None) -> str | None:
    try:
        name = jiter.from_json(token.encode()) if token else None
    except ValueError:
        return None
    return name if isinstance(name, str) else None


def _step(step: str | int) -> str:
    return f"[{step}]" if isinstance(step, int) else f".{step}"
