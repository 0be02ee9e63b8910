"""What stands in RUNNING.lock, and whether it still means anything."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Self

from burnish.store.processes import LookUp, ProcessIdentity, whereabouts

STALE_AFTER = timedelta(seconds=120)
"""Silence after which the lock of another host is stale. On this host the process itself is looked for instead."""


WORK, DECIDE = "work", "decide"
"""What a run may be held for: to work on it, or for the moment in which somebody decides about its units."""


@dataclass(frozen=True, slots=True)
class LockRecord:
    """Who holds a run, since when, and when the holder was last heard of."""

    pid: int
    host: str
    run_id: str
    started_at: str
    last_heartbeat_at: str
    token: str = ""
    """Random: tells this very lock from any other of the same process."""
    epoch: int | None = None
    """The journal's epoch under this lock; None until the journal is open."""
    process_start: int | None = None
    boot_id: str | None = None
    machine_id: str | None = None
    pid_namespace: str | None = None
    purpose: str = WORK
    """What the run is held for."""

    @classmethod
    def read(cls, data: bytes) -> Self | None:
        """The record in a lock file's bytes; None if they are not a whole one."""
        try:
            values = json.loads(data)
            known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
            record = cls(**known)
        except (ValueError, TypeError, RecursionError):
            return None
        return record if record._is_sound() else None

    def _is_sound(self) -> bool:
        """A field of the wrong type makes the whole record worthless: a guess here could take a live lock away."""
        texts = (self.host, self.run_id, self.started_at, self.last_heartbeat_at, self.token, self.purpose)
        optional_texts = (self.boot_id, self.machine_id, self.pid_namespace)
        numbers = (self.epoch, self.process_start)
        return (
            type(self.pid) is int
            and 0 < self.pid < 1 << 31
            and all(isinstance(text, str) for text in texts)
            and all(text is None or isinstance(text, str) for text in optional_texts)
            and all(number is None or type(number) is int for number in numbers)
            and moment(self.last_heartbeat_at) is not None
        )

    @property
    def is_brief(self) -> bool:
        """Whether the holder only decides about a unit, and gives the run back in a moment."""
        return self.purpose == DECIDE

    def write(self) -> bytes:
        return json.dumps(asdict(self), indent=2).encode() + b"\n"

    @property
    def process(self) -> ProcessIdentity:
        return ProcessIdentity(
            self.pid, self.host, self.process_start, self.boot_id, self.machine_id, self.pid_namespace
        )

    def summary(self) -> dict[str, Any]:
        """The fields that matter to a person, for the audit."""
        names = ("pid", "host", "run_id", "started_at", "last_heartbeat_at", "epoch")
        return {name: getattr(self, name) for name in names}


def why_stale(
    record: LockRecord | None, modified: datetime, now: datetime, here: ProcessIdentity, look_up: LookUp
) -> str | None:
    """The reason for which a lock may be taken over, or None while it holds.

    `record` is None for a file that is empty or damaged: somebody may be writing it this moment, so its age decides.
    """
    if record is None:
        return "unreadable" if now - modified > STALE_AFTER else None
    place = whereabouts(record.process, here, look_up)
    if place != "elsewhere":
        return None if place == "alive" else place
    heartbeat = moment(record.last_heartbeat_at) or modified
    # A heartbeat from the future says that clocks disagree, so the file's own time is believed instead.
    seen = modified if heartbeat > now else heartbeat
    return "no_heartbeat" if now - seen > STALE_AFTER else None


def moment(text: str) -> datetime | None:
    """A moment with its time zone, or None where the text is not one."""
    try:
        parsed = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return parsed if parsed.tzinfo is not None else None
