"""Packing: any text and any JSON value into one SQLite value, and back exactly.

Ordinary text is stored as TEXT, so that a journal can be read with any SQLite tool. Text that SQLite would refuse or
cut off (lone surrogates, NULs) and long text become a BLOB whose first byte says how it was made.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

Packed = str | bytes

COMPRESS_ABOVE = 8192
"""Characters; below that compression costs more time than it saves."""

_PLAIN = b"u"
_ZIPPED = b"z"


def pack(text: str) -> Packed:
    """One SQLite value for `text`. Long text is compressed."""
    value = pack_name(text)
    if len(value) <= COMPRESS_ABOVE:
        return value
    return _ZIPPED + zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def pack_name(text: str) -> Packed:
    """The same without compression: the same text gives the same value for ever, so that it can be looked up."""
    if "\x00" not in text and _is_valid(text):
        return text
    return _PLAIN + text.encode("utf-8", "surrogatepass")


def unpack(value: Packed) -> str:
    if isinstance(value, str):
        return value
    data = zlib.decompress(value[1:]) if value[:1] == _ZIPPED else value[1:]
    return data.decode("utf-8", "surrogatepass")


def pack_json(value: Any) -> Packed:
    # Not escaped to ASCII: two lone surrogates side by side would come back as one character.
    return pack(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain))


def unpack_json(value: Packed) -> Any:
    return json.loads(unpack(value))


def pack_optional(text: str | None) -> Packed | None:
    return None if text is None else pack_name(text)


def unpack_optional(value: Packed | None) -> str | None:
    return None if value is None else unpack(value)


def _is_valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A journal holds JSON values, not {type(value).__name__}.")
