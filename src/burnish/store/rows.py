"""Rows: how each record lies in the journal's tables. Every record is redacted here, on its way in.

Any text and any JSON value is packed into one SQLite value, and comes back exactly.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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
    # Not escaped to ASCII: two lone surrogates side by side would come back as one character.
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


UNIT_COLUMNS = "id, document, position, content_hash, state, reason, attempts, best_attempt, open_errors, at"
CALL_COLUMNS = (
    "key, unit, role, model, reply_name, request, status, raw, prompt_tokens, completion_tokens, cost, "
    "reasoning_tokens, cached_tokens, cache_write_tokens, tries, duration_ms, error, at"
)
ATTEMPT_COLUMNS = (
    "unit, number, cause, content, content_hash, scores, findings, passed, failure, edits, receipt, prompt_tokens, "
    "completion_tokens, cost, calls, at"
)
EVENT_COLUMNS = "type, unit, data, dedupe, at"

_TRILLION = 10**12


@dataclass(frozen=True, slots=True)
class Insertion:
    """A record ready to be written: only its stamp is missing, which is always the last column."""

    statement: str
    values: tuple[Any, ...]
    record: Record
    bill: Bill | None = None
    """What the record adds to the running sums, if it is not there yet."""
    is_stamped: bool = True


@dataclass(frozen=True, slots=True)
class Bill:
    """One call's share of the totals, in whole numbers."""

    failed: int
    prompt_tokens: int
    completion_tokens: int
    cost_trillionths: int
    unpriced: int

    @classmethod
    def of(cls, call: CallRecord) -> Bill:
        cost = call.usage.cost
        return cls(
            failed=int(call.status != "ok"),
            prompt_tokens=call.usage.prompt_tokens,
            completion_tokens=call.usage.completion_tokens,
            cost_trillionths=round((cost or 0.0) * _TRILLION),
            unpriced=int(cost is None),
        )


def dollars(trillionths: int) -> float:
    return trillionths / _TRILLION


def _insert(table: str, columns: str, on_conflict: str) -> str:
    places = ", ".join("?" for _ in columns.split(","))
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT {on_conflict}"


def _replacing(columns: str) -> str:
    return ", ".join(f"{name} = excluded.{name}" for name in columns.split(", "))


_INSERT_UNIT = _insert("units", UNIT_COLUMNS, f"(id) DO UPDATE SET {_replacing(UNIT_COLUMNS)}")
_INSERT_CALL = _insert("calls", CALL_COLUMNS, "(key) WHERE status = 'ok' DO NOTHING")
_EPOCH = "(SELECT value FROM meta WHERE key = 'epoch')"
_INSERT_INTENT = (
    "INSERT INTO intents (key, role, model, tokens, cost, batch, call, epoch, at) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, {_EPOCH}, ?) ON CONFLICT DO NOTHING"
)
FORGET_INTENT = f"DELETE FROM intents WHERE key = ? AND (epoch = {_EPOCH} OR batch IS NOT NULL)"
"""One of an earlier session stays: that call was lost, although it was made again. In a batch it is not lost."""
_INSERT_ATTEMPT = _insert("attempts", ATTEMPT_COLUMNS, "(unit, number) DO NOTHING")
_INSERT_SOURCE = "INSERT INTO sources VALUES (?, ?) ON CONFLICT (unit) DO UPDATE SET content = excluded.content"
_INSERT_EVENT = _insert("events", EVENT_COLUMNS, "(dedupe) WHERE dedupe IS NOT NULL DO NOTHING")


def insertion(record: Record, redactor: Redactor, folder: Path) -> Insertion:
    """The record as a row. Diagnostics lose secrets, prompts lose keys; drafts, edits and findings stay. Events name
    files by their place in the run's `folder`, never by where they lie on this machine.

    A reply stays as it came too, or is withheld: a part of it would be read as if it were the whole.
    """
    match record:
        case CallIntent():
            if record.is_over:
                return Insertion(FORGET_INTENT, (pack_name(record.key),), record, is_stamped=False)
            names = (pack_name(record.key), pack_name(record.role), pack_name(record.model))
            call = None if record.call is None else pack_json(redactor.conversation(record.call))
            most = (record.tokens, record.cost)
            return Insertion(_INSERT_INTENT, (*names, *most, pack_optional(record.batch), call), record)
        case CallRecord():
            kept = record.withheld() if record.status == "ok" and redactor.holds_key(record.raw) else record
            return Insertion(_INSERT_CALL, _call_values(kept, redactor), kept, Bill.of(kept))
        case EventRecord():
            return Insertion(_INSERT_EVENT, _event_values(record, redactor, folder), record)
        case UnitRow():
            return Insertion(_INSERT_UNIT, _unit_values(record, redactor), record)
        case AttemptRecord():
            return Insertion(_INSERT_ATTEMPT, _attempt_values(record, redactor), record)
        case SourceRecord():
            values = (pack_name(record.unit), pack_json(record.content))
            return Insertion(_INSERT_SOURCE, values, record, is_stamped=False)


def _call_values(call: CallRecord, redactor: Redactor) -> tuple[Any, ...]:
    # The body of a failed call is an error page, not content.
    raw = call.raw if call.status == "ok" else redactor.diagnostics(call.raw)
    return (
        pack_name(call.key),
        pack_name(call.unit),
        pack_name(call.role),
        pack_name(call.model),
        pack_name(call.reply_name),
        pack_json(redactor.conversation(call.request)),
        call.status,
        pack(raw),
        call.usage.prompt_tokens,
        call.usage.completion_tokens,
        call.usage.cost,
        call.usage.reasoning_tokens,
        call.usage.cached_tokens,
        call.usage.cache_write_tokens,
        call.tries,
        call.duration_ms,
        pack_optional(redactor.diagnostics(call.error)),
    )


def _event_values(event: EventRecord, redactor: Redactor, folder: Path) -> tuple[Any, ...]:
    data = {name: _without_folders(name, value, folder) for name, value in event.data.items()}
    return (
        pack_name(event.type),
        pack_optional(event.unit),
        pack_json(redactor.diagnostics(data)),
        pack_optional(event.dedupe),
    )


def _without_folders(name: str, value: Any, folder: Path) -> Any:
    """A file by its place in the folder, or by its name where it lies elsewhere. A JSON Patch names no file."""
    if isinstance(value, Mapping):
        return {key: one if "op" in value else _without_folders(key, one, folder) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_folders(name, one, folder) for one in value]
    if name not in ("path", "document") or not isinstance(value, str) or not (path := Path(value)).is_absolute():
        return value
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _unit_values(unit: UnitRow, redactor: Redactor) -> tuple[Any, ...]:
    return (
        pack_name(unit.id),
        pack_name(unit.document),
        unit.position,
        pack_name(unit.content_hash),
        pack_name(unit.state),
        pack_optional(redactor.diagnostics(unit.reason)),
        unit.attempts,
        unit.best_attempt,
        unit.open_errors,
    )


def _attempt_values(attempt: AttemptRecord, redactor: Redactor) -> tuple[Any, ...]:
    def content(value: Any) -> Any:
        return None if value is None else pack_json(value)

    return (
        pack_name(attempt.unit),
        attempt.number,
        attempt.cause,
        content(attempt.content),
        pack_name(attempt.content_hash),
        content(attempt.scores),
        content({"findings": attempt.findings, "checked": attempt.checked} if attempt.checked else attempt.findings),
        int(attempt.passed),
        pack_optional(redactor.diagnostics(attempt.failure)),
        content(attempt.edits),
        content(attempt.receipt),
        attempt.usage.prompt_tokens,
        attempt.usage.completion_tokens,
        attempt.usage.cost,
        pack_json(attempt.calls),
    )


SAME = "="
"""In the text of an attempt: the fields that are as in the unit's first attempt, so that a source lies in it once."""


def without_repeats(insertion: Insertion, content: Json, first: Json) -> Insertion:
    """The insertion of a later attempt with such a text, without what the first attempt says already."""
    same = [name for name, value in content.items() if name in first and first[name] == value]
    kept = {SAME: same} | {name: value for name, value in content.items() if name not in same}
    return replace(insertion, values=(*insertion.values[:3], pack_json(kept), *insertion.values[4:]))


def intent_from(row: Sequence[Any]) -> CallIntent:
    key, role, model, tokens, cost, batch, call, at = row
    names = (unpack(key), unpack(role), unpack(model))
    return CallIntent(*names, tokens, cost, batch=unpack_optional(batch), call=unpack_json(call), at=at)


def call_from(row: Sequence[Any]) -> CallRecord:
    key, unit, role, model, reply_name, request, status, raw, *usage, tries, duration, error, at = row
    return CallRecord(
        key=unpack(key),
        unit=unpack(unit),
        role=unpack(role),
        model=unpack(model),
        reply_name=unpack(reply_name),
        request=unpack_json(request),
        status=status,
        raw=unpack(raw),
        usage=Usage(*usage),
        tries=tries,
        duration_ms=duration,
        error=unpack_optional(error),
        at=at,
    )


def event_from(row: Sequence[Any]) -> EventRecord:
    """From `seq` and EVENT_COLUMNS."""
    seq, type, unit, data, dedupe, at = row
    return EventRecord(unpack(type), unpack_optional(unit), unpack_json(data), unpack_optional(dedupe), seq, at)


def unit_from(row: Sequence[Any]) -> UnitRow:
    id, document, position, content_hash, state, reason, *numbers = row
    names = unpack(id), unpack(document), position, unpack(content_hash), unpack(state), unpack_optional(reason)
    return UnitRow(*names, *numbers)


def findings_from(value: Packed) -> Json:
    """`findings`, and what the rules did beyond them (`checked`)."""
    found = unpack_json(value)
    # A bare list where nothing is known beyond the findings.
    return found if isinstance(found, dict) else {"findings": found, "checked": {}}


def attempts_from(found: Sequence[Sequence[Any]]) -> list[AttemptRecord]:
    """The attempts of one unit, all of them in order."""
    attempts = [_attempt_from(row) for row in found]
    first = (attempts[0].content if attempts else None) or {}
    return [
        replace(one, content=_whole(one.content, first)) if one.content is not None and SAME in one.content else one
        for one in attempts
    ]


def _whole(content: Json, first: Json) -> Json:
    same = content[SAME]
    known = {name: first[name] if name in same else content[name] for name in first if name in same or name in content}
    return known | {name: value for name, value in content.items() if name != SAME}


def _attempt_from(row: Sequence[Any]) -> AttemptRecord:
    unit, number, cause, content, content_hash, scores, findings, passed, failure, edits, receipt = row[:11]
    prompt, completion, cost, calls, at = row[11:]
    held = findings_from(findings)
    return AttemptRecord(
        unit=unpack(unit),
        number=number,
        cause=cause,
        content=None if content is None else unpack_json(content),
        content_hash=unpack(content_hash),
        scores=unpack_json(scores),
        findings=tuple(held["findings"]),
        passed=bool(passed),
        failure=unpack_optional(failure),
        edits=tuple(unpack_json(edits)),
        receipt=None if receipt is None else unpack_json(receipt),
        usage=Usage(prompt, completion, cost),
        calls=tuple(unpack_json(calls)),
        checked=held["checked"],
        at=at,
    )
