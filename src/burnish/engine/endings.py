"""The end of a session, kept: a later session on a run in which nothing has happened since ends the same, at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from burnish import __version__
from burnish.core.documents import digest
from burnish.core.json_bytes import dumps, loads
from burnish.engine.plan import Plan
from burnish.engine.proof import Proof
from burnish.store.files import sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import ExportFolder

_KEPT = "ended"
"""The journal's key for the last end."""
_OF_SESSIONS = frozenset({"run_resumed", "run_stopped", "run_failed", "lock_taken_over"})
"""Events that change no unit and no file."""


@dataclass(frozen=True, slots=True)
class KeptEnd:
    """How a session ended, with everything written."""

    stopped: str
    message: str | None
    candidates: tuple[Proof, ...]
    published: tuple[Proof, ...]
    state: str
    """What the exports were made from: the version of the program, the plan, and the bill."""
    seq: int
    """The last event that they show."""

    @classmethod
    def now(
        cls,
        plan: Plan,
        journal: Journal,
        stopped: str,
        message: str | None,
        candidates: Sequence[Proof],
        published: Sequence[Proof],
    ) -> Self:
        state = _state(plan, journal)
        return cls(stopped, message, tuple(candidates), tuple(published), state, journal.last_event())

    @classmethod
    def of(cls, journal: Journal) -> Self | None:
        """Return the kept end; None if the last session ended otherwise."""
        text = journal.get_meta(_KEPT)
        if not text:
            return None
        kept: dict[str, Any] = loads(text)
        proofs = {name: tuple(map(Proof.from_record, kept[name])) for name in ("candidates", "published")}
        return cls(**{**kept, **proofs})

    def keep(self, journal: Journal) -> None:
        proofs = {name: [one.as_record() for one in getattr(self, name)] for name in ("candidates", "published")}
        told = {"stopped": self.stopped, "message": self.message, "state": self.state, "seq": self.seq}
        journal.set_meta(_KEPT, dumps({**told, **proofs}).decode())

    def holds(self, plan: Plan, journal: Journal, exports: ExportFolder) -> bool:
        """Return whether nothing has happened since: no event, no call, no other plan, no changed or missing file."""
        return (
            all(event.type in _OF_SESSIONS for event in journal.events(after=self.seq))
            and self.state == _state(plan, journal)
            and exports.is_intact()
            and all(_is_intact(proof) for proof in (*self.candidates, *self.published))
        )


def _state(plan: Plan, journal: Journal) -> str:
    return digest(__version__, plan.as_record(), repr(journal.totals()))


def _is_intact(proof: Proof) -> bool:
    path = Path(proof.path)
    return path.is_file() and sha256_of(path) == proof.sha256_after
