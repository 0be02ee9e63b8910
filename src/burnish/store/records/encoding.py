"""A record as bytes: the same for the same record in every store, and nothing read that could not be written back."""

from __future__ import annotations

import gzip
import io
import math
import zlib
from collections.abc import Mapping
from typing import Any

import jiter
import orjson

from burnish.core.errors import UsageError

Json = dict[str, Any]

LARGEST = 16 << 20
"""Bytes of one record: no honest one comes near, and a compressed bomb must not fill the memory."""
DEEPEST = 200
"""Objects and lists in one another: what the reader follows."""
_LARGEST_NUMBER = 1 << 63
_TOO_LARGE = f"it is larger than {LARGEST >> 20} MB"


def encoded(record: Mapping[str, Any]) -> bytes:
    """Indented JSON with its keys in their order. UsageError for what JSON, or whoever reads it again, cannot hold."""
    trouble = trouble_of(record)
    if trouble is not None:
        raise _refusal(record, trouble)
    data = _dumped(record, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if len(data) > LARGEST:
        raise _refusal(record, _TOO_LARGE)
    return data


def packed(record: Mapping[str, Any]) -> bytes:
    """The same on one line, of a record that can be encoded."""
    return _dumped(record, None)


def _dumped(record: Mapping[str, Any], option: int | None) -> bytes:
    try:
        return orjson.dumps(record, option=option)
    except TypeError as error:
        raise _refusal(record, str(error)) from error


def _refusal(record: Mapping[str, Any], why: str) -> UsageError:
    return UsageError(f"The record {str(record.get('uuid'))[:32]} cannot be kept: {why}.")


def decoded(data: bytes) -> Json:
    """The record in a file's bytes. ValueError, with the reason, for anything that is none."""
    if len(data) > LARGEST:
        raise ValueError(_TOO_LARGE)
    value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    trouble = trouble_of(value)
    if trouble is not None:
        raise ValueError(trouble)
    return value


def trouble_of(value: Any, room: int = DEEPEST) -> str | None:
    """What another program would read as something else, or not at all."""
    if isinstance(value, float):
        return None if math.isfinite(value) else "a number is not finite"
    if isinstance(value, int):
        return None if -_LARGEST_NUMBER <= value < _LARGEST_NUMBER else "a number is too large"
    if not isinstance(value, Mapping | list | tuple):
        return None
    if not room:
        return f"it is nested more than {DEEPEST} deep"
    parts = value.values() if isinstance(value, Mapping) else value
    return next((trouble for part in parts if (trouble := trouble_of(part, room - 1)) is not None), None)


def compressed(data: bytes) -> bytes:
    """As gzip, the same bytes whenever it is done."""
    return gzip.compress(data, mtime=0)


def uncompressed(data: bytes) -> bytes:
    """ValueError where it is no gzip, or holds more than a record may."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            whole = stream.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"it is no whole gzip file ({error})") from error
    return whole
