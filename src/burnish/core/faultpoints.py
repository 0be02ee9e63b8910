"""Fault points: named places where a test may kill the process, to prove that a crash there loses nothing.

In ordinary use no hook is installed and `reach` does nothing. Every point is declared here, so that the harness can
visit all of them, and a point that is reached but not declared is found by the first test that passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Hook = Callable[[str], None]
"""Gets the name of every point that is reached, on the thread that reached it. It may never return."""

STORE_POINTS = (
    # files: an atomic replacement, step by step
    "files.opened",  # the temporary file exists and is empty
    "files.written",  # all bytes are written, none is synced
    "files.synced",  # the temporary file is durable, the target is still the old one
    "files.replaced",  # the target is the new file, the folder is not synced
    "files.confirmed",  # all is durable
    # lock: RUNNING.lock
    "lock.guarded",  # this process alone may look at the lock and change it
    "lock.stale_moved",  # the stale lock is set aside, no new one exists yet
    "lock.created",  # the lock is ours, nobody has been told
    "lock.beating",  # before the heartbeat is written
    "lock.releasing",  # before the lock is removed
    "lock.released",
    # journal: the SQLite file of a run
    "journal.building",  # an empty database under a temporary name
    "journal.built",  # complete, still under its temporary name
    "journal.created",  # in its place
    "journal.migrating",  # inside the transaction that changes the schema
    "journal.migrated",
    "journal.begun",  # inside a transaction, nothing written
    "journal.inserted",  # everything written, not committed
    "journal.committed",  # durable, but the callers have not heard of it
    "journal.closing",
    # ownership: lock and journal together
    "ownership.locked",
    "ownership.opened",  # the journal is open, earlier owners are not fenced off yet
    "ownership.fenced",  # the new epoch and the audit record are durable
    # exports
    "export.announced",  # the new digest is recorded, the file is still the old one
    "export.replaced",  # the file is the new one, the old digest is still accepted too
    "export.recorded",
)

LLM_POINTS = (
    "models.call.before",  # the budget is reserved, nothing has been sent
    "models.call.after",  # the reply is here, and nowhere else
    "models.reply.recorded",  # the reply is durable, nobody has read it
)

BATCH_POINTS = (
    "models.batch.intended",  # the calls of a batch are written down, nothing has been sent
    "models.batch.submitted",  # the provider has the batch, and only it knows its id
    "models.batch.known",  # the id is durable
    "models.batch.collected",  # one answer of a batch is durable, the others are not
)

ENGINE_POINTS = (
    "engine.task.begun",  # a task is written down, nobody was asked about it
    "engine.task.ask",  # what was kept so far is written down, a model is about to be asked
    "engine.task.answered",  # the answers are recorded, nothing follows from them yet
    "engine.task.settling",  # what became of the task is known, nothing says so yet
    "engine.task.settled",
    "engine.ingest.batch",  # some units have a row, the others have none yet
    "engine.ingest.done",
    "engine.stage.ended",  # every unit has passed a stage
    "engine.stage.gathered",  # what is known of the whole is written down
    "engine.publish.approved",  # somebody approved, nothing is in its place
    "engine.publish.merging",  # some units say that they are published, the others do not yet
    "engine.run.stopped",  # all units rest, nothing is written out
    "engine.run.delivered",  # everything is written out, and taken to where it belongs besides the run
    "engine.publish.written",  # the copy is complete under a temporary name
    "engine.publish.verified",  # the source is what it was, for the last time; the final text is not in its place
    "engine.publish.placed",  # the copy is in its place, the journal does not know
    "engine.publish.recorded",
)

SURFACE_POINTS = (
    "course.batch_written",  # some SEEDs of a course are written, the others not yet
    "course.records_written",  # all of them are, the reports are still the old ones
    "course.reports_written",  # nothing is missing, the journal does not know
    # the inbox of a run
    "inbox.added",  # a decision is durable in the inbox, whoever made it has not heard of it
    "inbox.applying",  # what follows from it is known and not written yet
    "inbox.applied",
)

FAULT_POINTS: tuple[str, ...] = STORE_POINTS + LLM_POINTS + BATCH_POINTS + ENGINE_POINTS + SURFACE_POINTS
"""Every point there is, in the order of the rooms."""

_DECLARED = frozenset(FAULT_POINTS)
_hook: Hook | None = None


def reach(name: str) -> None:
    """Say that the work has come to the point `name`."""
    if name not in _DECLARED:
        raise LookupError(f"The fault point {name!r} is not declared in burnish.core.faultpoints.")
    if _hook is not None:
        _hook(name)


def install(hook: Hook | None) -> None:
    """Send every point to `hook` from now on; None takes the hook away. For tests only."""
    global _hook
    _hook = hook


@contextmanager
def installed(hook: Hook) -> Iterator[None]:
    """Have `hook` installed for as long as the block runs."""
    install(hook)
    try:
        yield
    finally:
        install(None)
