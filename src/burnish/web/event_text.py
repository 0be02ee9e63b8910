"""Events of a run as text: one line each, with the record itself for those who ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from burnish.app.labels import DROPPED, REASONS, failure_of
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord
from burnish.web.formatting import in_words, listed, plural, sentence
from burnish.web.labels import model_name, said_by

LONGEST_RECORD = 4_000
"""Characters of an event's record that are shown."""
LONGEST_WORDS = 300
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventText:
    """One event."""

    event: EventRecord
    words: str
    record: str
    """As JSON; empty where it says nothing beyond the words."""


def event_text(event: EventRecord, kind: Kind) -> EventText:
    words = kind.said(event) or _words(event, kind)
    return EventText(event, sentence(words)[:LONGEST_WORDS], _record(event.data))


def _words(event: EventRecord, kind: Kind) -> str:
    speak = _SPEAKERS.get(event.type)
    try:
        return speak(event.data, kind) if speak else ""
    except (KeyError, TypeError, AttributeError):
        # Events of an older version may lack what newer ones tell: their record is still shown.
        return ""


def _record(data: Data) -> str:
    if not data:
        return ""
    text = orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS, default=str).decode()
    return text if len(text) <= LONGEST_RECORD else f"{text[:LONGEST_RECORD]}\n…"


def _begun(data: Data, kind: Kind) -> str:
    models = [model_name(model) for model in (data.get("corrector"), *data.get("judges", ())) if model]
    return f"with {listed(dict.fromkeys(models))}" if models else "without models"


def _moved(data: Data, kind: Kind) -> str:
    before, after = data.get("from"), in_words(str(data["to"]))
    reason = data.get("message") or kind.reasons.get(str(data.get("reason"))) or REASONS.get(str(data.get("reason")))
    return (f"{in_words(before)} to {after}" if before else after) + (f": {reason}" if reason else "")


def _decided(data: Data, kind: Kind) -> str:
    note = f": {data['note']}" if data.get("note") else ""
    return f"{in_words(str(data['verdict']))} by {data['by']}{note}"


def _stopped(data: Data, kind: Kind) -> str:
    message = f": {data['message']}" if data.get("message") else ""
    return f"{in_words(str(data['reason']))}{message}"


def _blocked(data: Data, kind: Kind) -> str:
    states = [f"{number:,} {in_words(state)}" for state, number in data.get("states", {}).items()]
    parts = data.get("unreadable_parts", 0)
    return listed([*states, *([plural(parts, "part") + " of the input cannot be read"] if parts else [])])


def _published(data: Data, kind: Kind) -> str:
    return listed(document["document"] for document in data["documents"])


def _changed(data: Data, kind: Kind) -> str:
    fields = [str(field) for field in data["receipt"]["changed_fields"] if field]
    return f"attempt {data['attempt']}" + (f": {listed(fields)} changed" if fields else "")


def _refused(data: Data, kind: Kind) -> str:
    return failure_of(kind, str(data["reason"]))


def _dropped(data: Data, kind: Kind) -> str:
    reason = str(data["reason"])
    return f"{DROPPED.get(reason, in_words(reason))} ({said_by(str(data['source']))})"


def _formed(data: Data, kind: Kind) -> str:
    return f"{in_words(str(data['stage']))} {data['number']}: {plural(len(data['units']), kind.noun)}"


_SPEAKERS: dict[str, Callable[[Data, Kind], str]] = {
    "run_started": _begun,
    "state_changed": _moved,
    "decision": _decided,
    "decision_withdrawn": lambda data, kind: f"{_decided(data, kind)}; undone by {data['undone_by']}",
    "run_stopped": _stopped,
    "run_failed": lambda data, kind: str(data["message"]),
    "publish_blocked": _blocked,
    "published": _published,
    "edit_applied": _changed,
    "edit_refused": _refused,
    "finding_dropped": _dropped,
    "batch_formed": _formed,
    "batch_settled": lambda data, kind: f"batch {data['number']}",
    "task_begun": lambda data, kind: f"task {data['task']} begins",
    "ingested": lambda data, kind: str(data["document"]),
    "input_problem": lambda data, kind: str(data["message"]),
    "approved": lambda data, kind: f"by {data['by']}",
    "blocker_raised": lambda data, kind: in_words(str(data["reason"])),
    "round_started": lambda data, kind: f"round {data['round']} of {data['document']}",
    "round_ended": lambda data, kind: f"round {data['round']} of {data['document']}: {data['reason']}",
    "trial_settled": lambda data, kind: f"{data['decision']}: {data['text']}",
}
