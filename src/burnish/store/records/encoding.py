"""A record as bytes: the same for the same record in every store, and nothing read that could not be written back."""

from __future__ import annotations

import gzip
import io
import math
from collections.abc import Mapping
from typing import Any

import jiter
import orjson

from burnish.core.errors import UsageError

Json = dict[str, Any]

LARGEST = 16 << 20
"""Bytes of one record: no honest one comes near, and a compressed bomb must not fill the memory."""
_LARGEST_NUMBER = 1 << 63


def encoded(record: Mapping[str, Any]) -> bytes:
    """Indented JSON with its keys in their order. UsageError for what JSON cannot hold."""
    return _dumped(record, orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def packed(record: Any) -> bytes:
    """The same on one line."""
    return _dumped(record, None)


def _dumped(record: Any, option: int | None) -> bytes:
    trouble = _trouble(record)
    if trouble is not None:
        raise UsageError(f"A record cannot be kept: {trouble}.")
    try:
        return orjson.dumps(record, option=option)
    except TypeError as error:
        raise UsageError(f"A record cannot be kept: {error}.") from error


def decoded(data: bytes) -> Json:
    """The record in a file's bytes. ValueError, with the reason, for anything that is none."""
    if len(data) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST >> 20} MB")
    value = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    trouble = _trouble(value)
    if trouble is not None:
        raise ValueError(trouble)
    return value


def _trouble(value: Any) -> str | None:
    """What another program would read as something else."""
    if isinstance(value, float):
        return None if math.isfinite(value) else "a number is not finite"
    if isinstance(value, int):
        return None if -_LARGEST_NUMBER <= value < _LARGEST_NUMBER else "a number is too large"
    if isinstance(value, Mapping):
        return next((trouble for part in value.values() if (trouble := _trouble(part)) is not None), None)
    if isinstance(value, list | tuple):
        return next((trouble for part in value if (trouble := _trouble(part)) is not None), None)
    return None


def compressed(data: bytes) -> bytes:
    """As gzip, the same bytes whenever it is done."""
    return gzip.compress(data, mtime=0)


def uncompressed(data: bytes) -> bytes:
    """ValueError where it is no gzip, or holds more than a record may."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            whole = stream.read(LARGEST + 1)
    except (OSError, EOFError) as error:
        raise ValueError(f"it is no whole gzip file ({error})") from error
    return whole
