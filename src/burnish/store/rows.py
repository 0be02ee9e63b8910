"""Rows: the encoding of records in the journal's tables. Every record is redacted here before it is written.

Any text and any JSON value is packed into one SQLite value, and can be restored exactly.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from burnish.core.records import (
    AttemptRecord,
    CallIntent,
    CallRecord,
    EventRecord,
    Json,
    Record,
    SourceRecord,
    UnitRow,
    Usage,
)
from burnish.store.redaction import Redactor

Packed = str | bytes

COMPRESS_ABOVE = 8192
"""Characters; compressing shorter texts costs more time than it saves."""

_PLAIN = b"u"
_ZIPPED = b"z"


def pack(text: str) -> Packed:
    """Return one SQLite value for `text`. Long text is compressed."""
    value = pack_name(text)
    if len(value) <= COMPRESS_ABOVE:
        return value
    return _ZIPPED + zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def pack_name(text: str) -> Packed:
    """Pack without compression: the same text always gives the same value, so that it can be looked up."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _PLAIN + text.encode("utf-8", "surrogatepass")
    return text if "\x00" not in text else _PLAIN + text.encode()


def unpack(value: Packed) -> str:
    if isinstance(value, str):
        return value
    data = zlib.decompress(value[1:]) if value[:1] == _ZIPPED else value[1:]
    return data.decode("utf-8", "surrogatepass")


def pack_json(value: Any) -> Packed:
    # Not escaped to ASCII: two adjacent lone surrogates would come back as one character.
    return pack(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain))


def unpack_json(value: Packed) -> Any:
    return json.loads(unpack(value))


def pack_optional(text: str | None) -> Packed | None:
    return None if text is None else pack_name(text)


def unpack_optional(value: Packed | None) -> str | None:
    return None if value is None else unpack(value)


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"A journal holds JSON values, not {type(value).__name__}.")


class Codec(NamedTuple):
    """How a value other than NULL is stored in a column and restored."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


Columns = Mapping[str, Codec | None]
"""Column -> its codec; None: stored unchanged."""
NAME, TEXT = Codec(pack_name, unpack), Codec(pack, unpack)
JSON = Codec(pack_json, unpack_json)
USAGE = ("prompt_tokens", "completion_tokens", "cost", "reasoning_tokens", "cached_tokens", "cache_write_tokens")
UNITS: Columns = {
    **dict.fromkeys(("id", "document"), NAME),
    "position": None,
    **dict.fromkeys(("content_hash", "state"), NAME),
    "reason": NAME,
    **dict.fromkeys(("attempts", "best_attempt", "open_errors", "at")),
}
CALLS: Columns = {
    **dict.fromkeys(("key", "unit", "role", "model", "reply_name"), NAME),
    "request": JSON,
    "status": None,
    "raw": TEXT,
    **dict.fromkeys((*USAGE, "tries", "duration_ms")),
    "error": NAME,
    "at": None,
}
INTENTS: Columns = {
    **dict.fromkeys(("key", "role", "model"), NAME),
    **dict.fromkeys(("tokens", "cost")),
    "batch": NAME,
    "call": JSON,
    "at": None,
}
ATTEMPTS: Columns = {
    "unit": NAME,
    **dict.fromkeys(("number", "cause")),
    "content": JSON,
    "content_hash": NAME,
    **dict.fromkeys(("scores", "findings"), JSON),
    "passed": Codec(int, bool),
    "failure": NAME,
    "edits": JSON,
    "receipt": JSON,
    **dict.fromkeys(USAGE[:3]),
    "calls": JSON,
    "at": None,
}
EVENTS: Columns = {"type": NAME, "unit": NAME, "data": JSON, "dedupe": NAME, "at": None}
"""The columns of each table, in the order of writing and reading."""
UNIT_COLUMNS, CALL_COLUMNS, INTENT_COLUMNS, ATTEMPT_COLUMNS, EVENT_COLUMNS = (
    ", ".join(columns) for columns in (UNITS, CALLS, INTENTS, ATTEMPTS, EVENTS)
)
_TRILLION = 10**12


@dataclass(frozen=True, slots=True)
class Insertion:
    """A record ready to be written, except for its stamp, which is always the last column."""

    statement: str
    values: tuple[Any, ...]
    record: Record
    is_stamped: bool = True


def trillionths(dollars: float | None) -> int:
    return round((dollars or 0.0) * _TRILLION)


def dollars(trillionths: int) -> float:
    return trillionths / _TRILLION


def _insert(table: str, columns: str, on_conflict: str) -> str:
    places = ", ".join("?" for _ in columns.split(","))
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT {on_conflict}"


_INSERT_UNIT = _insert(
    "units", UNIT_COLUMNS, f"(id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in UNITS)}"
)
_INSERT_CALL = _insert("calls", CALL_COLUMNS, "(key) WHERE status = 'ok' DO NOTHING")
_EPOCH = "(SELECT value FROM meta WHERE key = 'epoch')"
_INSERT_INTENT = (
    "INSERT INTO intents (key, role, model, tokens, cost, batch, call, epoch, at) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, {_EPOCH}, ?) ON CONFLICT DO NOTHING"
)
FORGET_INTENT = f"DELETE FROM intents WHERE key = ? AND (epoch = {_EPOCH} OR batch IS NOT NULL)"
"""An intent of an earlier session is kept: that call was lost, although it was repeated. In a batch it is not lost."""
_INSERT_ATTEMPT = _insert("attempts", ATTEMPT_COLUMNS, "(unit, number) DO NOTHING")
_INSERT_SOURCE = "INSERT INTO sources VALUES (?, ?) ON CONFLICT (unit) DO UPDATE SET content = excluded.content"
_INSERT_EVENT = _insert("events", EVENT_COLUMNS, "(dedupe) WHERE dedupe IS NOT NULL DO NOTHING")


def insertion(record: Record, redactor: Redactor, folder: Path) -> Insertion:
    """Encode the record as a row. Secrets are removed from diagnostics and keys from prompts; drafts, edits and
    findings are not changed. Events name files relative to the run's `folder`, never by their path on this machine.

    A reply is kept unchanged or withheld: a part of it would be read as if it were the whole.
    """
    match record:
        case CallIntent():
            if record.is_over:
                return Insertion(FORGET_INTENT, (pack_name(record.key),), record, is_stamped=False)
            return Insertion(_INSERT_INTENT, _packed(INTENTS, record, call=redactor.conversation(record.call)), record)
        case CallRecord():
            kept = record.withheld() if record.status == "ok" and redactor.holds_key(record.raw) else record
            # The body of a failed call is an error page, not content.
            raw = kept.raw if kept.status == "ok" else redactor.diagnostics(kept.raw)
            request, error = redactor.conversation(kept.request), redactor.diagnostics(kept.error)
            return Insertion(_INSERT_CALL, _packed(CALLS, kept, request=request, raw=raw, error=error), kept)
        case EventRecord():
            data = {name: _without_folders(name, value, folder) for name, value in record.data.items()}
            return Insertion(_INSERT_EVENT, _packed(EVENTS, record, data=redactor.diagnostics(data)), record)
        case UnitRow():
            return Insertion(_INSERT_UNIT, _packed(UNITS, record, reason=redactor.diagnostics(record.reason)), record)
        case AttemptRecord():
            found: Any = record.findings
            found = {"findings": found, "checked": record.checked} if record.checked else found
            values = _packed(ATTEMPTS, record, findings=found, failure=redactor.diagnostics(record.failure))
            return Insertion(_INSERT_ATTEMPT, values, record)
        case SourceRecord():
            values = (pack_name(record.unit), pack_json(record.content))
            return Insertion(_INSERT_SOURCE, values, record, is_stamped=False)


def _packed(columns: Columns, record: Any, **given: Any) -> tuple[Any, ...]:
    """Return the values of a row without its stamp; `given` overrides fields of the record."""
    if isinstance(record, CallRecord | AttemptRecord):
        given |= {name: getattr(record.usage, name) for name in USAGE}
    values = []
    for name, codec in columns.items():
        if name != "at":
            value = given[name] if name in given else getattr(record, name)
            values.append(value if codec is None or value is None else codec.pack(value))
    return tuple(values)


def _unpacked(columns: Columns, row: Sequence[Any]) -> dict[str, Any]:
    """Return the fields of a record from the last columns of a row, with its usage as one field."""
    values: dict[str, Any] = {}
    for (name, codec), value in zip(columns.items(), row[-len(columns) :], strict=True):
        values[name] = value if codec is None or value is None else codec.unpack(value)
    if USAGE[0] in values:
        values["usage"] = Usage(**{name: values.pop(name) for name in USAGE if name in values})
    return values


def _without_folders(name: str, value: Any, folder: Path) -> Any:
    """Return a file's path relative to the folder, or its name if it is elsewhere. A JSON Patch is not changed."""
    if isinstance(value, Mapping):
        return {key: one if "op" in value else _without_folders(key, one, folder) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_folders(name, one, folder) for one in value]
    if name not in ("path", "document") or not isinstance(value, str) or not (path := Path(value)).is_absolute():
        return value
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


SAME = "="
"""In the text of an attempt: the fields equal to those of the unit's first attempt, so that these are stored once."""


def without_repeats(insertion: Insertion, content: Json, first: Json) -> Insertion:
    """Return the insertion of a later attempt without the fields that equal the first attempt's."""
    same = [name for name, value in content.items() if name in first and first[name] == value]
    kept = {SAME: same} | {name: value for name, value in content.items() if name not in same}
    return replace(insertion, values=(*insertion.values[:3], pack_json(kept), *insertion.values[4:]))


# Decode records from rows that end with the columns of their table.


def intent_from(row: Sequence[Any]) -> CallIntent:
    return CallIntent(**_unpacked(INTENTS, row))


def call_from(row: Sequence[Any]) -> CallRecord:
    return CallRecord(**_unpacked(CALLS, row))


def event_from(row: Sequence[Any]) -> EventRecord:
    """Return the event in a row of `seq` and EVENT_COLUMNS."""
    return EventRecord(**_unpacked(EVENTS, row), seq=row[0])


def unit_from(row: Sequence[Any]) -> UnitRow:
    return UnitRow(**_unpacked(UNITS, row))


def attempts_from(found: Sequence[Sequence[Any]]) -> list[AttemptRecord]:
    """Return the attempts of one unit from all its rows, which must be in order."""
    attempts: list[AttemptRecord] = []
    for row in found:
        values = _unpacked(ATTEMPTS, row)
        held, content = values["findings"], values["content"]
        # A bare list has findings only.
        held = held if isinstance(held, dict) else {"findings": held, "checked": {}}
        values |= {"findings": tuple(held["findings"]), "checked": held["checked"]}
        values |= {name: tuple(values[name]) for name in ("edits", "calls")}
        if content is not None and SAME in content:
            same, first = content.pop(SAME), (attempts[0].content if attempts else None) or {}
            whole = {name: first[name] for name in same if name in first} | content
            values["content"] = {name: whole[name] for name in (*first, *whole) if name in whole}
        attempts.append(AttemptRecord(**values))
    return attempts
