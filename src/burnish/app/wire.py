"""JSON as the doors write it: strict, and harmless even on a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from burnish.app.terminal import UNSAFE


def json_text(value: Any) -> str:
    """One line of JSON. What a terminal could obey is written as `\\u` escapes, so it is still the same JSON."""
    try:
        data = orjson.dumps(value)
    except TypeError:
        # Lone surrogates are no text that UTF-8 can carry; the standard library writes them as escapes.
        return UNSAFE.sub(_escape, json.dumps(value, allow_nan=False, separators=(",", ":")))
    if data.isascii() and b"\x7f" not in data:
        return data.decode()
    return UNSAFE.sub(_escape, data.decode())


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
