"""Content hashes: the same content gives the same name on every machine and in every run."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no spaces, so that equal values have equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(*parts: Any) -> str:
    """`sha256:` and the hex digest of the canonical JSON of `parts`."""
    return f"sha256:{hashlib.sha256(canonical(parts)).hexdigest()}"


def text_digest(text: str) -> str:
    """`sha256:` and the hex digest of the UTF-8 bytes of `text` (lone surrogates kept apart, not refused)."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""How the names of variables end that hold a secret."""

SHORTEST_SECRET = 8
"""Shorter values are placeholders such as `none` or `ollama`; taking them out would mangle ordinary words."""


def names_secret(variable: str) -> bool:
    """Whether a variable of this name holds a secret."""
    return variable.upper().endswith(SECRET_ENDINGS)
