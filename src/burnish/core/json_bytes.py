"""JSON as bytes: written fast, read strictly, and the canonical form that hashes are made of."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pydantic_core import from_json, to_json

_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_BEYOND_FLOAT = re.compile(rb"\d[eE]\+?\d{3}|\d{309}")
"""What a number looks like that may be too large for a float. The reader would make infinity of it."""


def dumps(value: Any, indent: int | None = None) -> bytes:
    """Encode JSON as UTF-8, with nothing escaped that need not be. A number that is not finite becomes null.

    Raise ValueError for what JSON cannot hold; also for a lone surrogate, which UTF-8 cannot encode.
    """
    return to_json(value, indent=indent, inf_nan_mode="null")


def loads(data: bytes | str) -> Any:
    """Decode JSON. Raise ValueError, with line and column, for NaN, infinity and whatever else is not JSON."""
    data = data.encode() if isinstance(data, str) else data
    value = from_json(data, allow_inf_nan=False)
    if _BEYOND_FLOAT.search(data) and not _is_finite(value):
        raise ValueError("a number is too large")
    return value


def canonical(value: Any) -> bytes:
    """Encode JSON with sorted keys and no spaces, so that equal values have equal bytes in every release.

    By the standard library: hashes in journals must outlive the versions of faster encoders.
    """
    return _SORTED.encode(value).encode()


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or math.isfinite(value)
