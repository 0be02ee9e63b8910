"""Fault points: named places where a test may kill the process, to prove that a crash there loses nothing.

In normal use no hook is installed and `reach` does nothing. All points are declared here, so that the test harness can
visit all of them, and an undeclared point fails in the first test that reaches it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Hook = Callable[[str], None]
"""Called with the name of every point that is reached, on the same thread. It may never return."""

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
    "lock.created",  # the lock is ours, no caller knows of it
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
    "journal.committed",  # durable, but the callers do not know yet
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
    "models.call.after",  # the reply is only in memory
    "models.reply.recorded",  # the reply is durable, but not parsed
)

BATCH_POINTS = (
    "models.batch.intended",  # the calls of a batch are recorded, nothing has been sent
    "models.batch.submitted",  # the provider has the batch, and only it knows its id
    "models.batch.known",  # the id is durable
    "models.batch.collected",  # one answer of a batch is durable, the others are not
)

ENGINE_POINTS = (
    "engine.task.begun",  # a task is recorded, no model was asked
    "engine.task.ask",  # the kept attempts are recorded, a model is about to be asked
    "engine.task.answered",  # the answers are recorded, but not used yet
    "engine.task.settling",  # the outcome of the task is known, but not recorded
    "engine.task.settled",
    "engine.ingest.batch",  # some units have a row, the others have none yet
    "engine.ingest.done",
    "engine.stage.ended",  # every unit has passed a stage
    "engine.stage.gathered",  # the facts about the whole are recorded
    "engine.publish.approved",  # a person approved, nothing is in its place
    "engine.publish.merging",  # some units are marked as published, the others not yet
    "engine.run.stopped",  # all units are settled, nothing is exported
    "engine.run.delivered",  # everything is exported and delivered
    "engine.publish.written",  # the copy is complete under a temporary name
    "engine.publish.verified",  # the source is unchanged at the last check; the final text is not in its place
    "engine.publish.placed",  # the copy is in its place, the journal does not know
    "engine.publish.recorded",
    "engine.version.copied",  # an earlier version is complete under a temporary name
    "engine.version.kept",  # it has its number, the journal does not know
)

SURFACE_POINTS = (
    "course.batch_written",  # some SEEDs of a course are written, the others not yet
    "course.records_written",  # all of them are, the reports are still the old ones
    "course.reports_written",  # nothing is missing, but the journal does not know
    # the inbox of a run
    "inbox.added",  # a decision is durable in the inbox, the caller does not know yet
    "inbox.applying",  # its results are known, but not recorded
    "inbox.applied",
)

FAULT_POINTS: tuple[str, ...] = STORE_POINTS + LLM_POINTS + BATCH_POINTS + ENGINE_POINTS + SURFACE_POINTS
"""All fault points, in the order of the rooms."""

_DECLARED = frozenset(FAULT_POINTS)
_hook: Hook | None = None


def reach(name: str) -> None:
    """Mark that the work has reached the point `name`."""
    if name not in _DECLARED:
        raise LookupError(f"The fault point {name!r} is not declared in burnish.core.faultpoints.")
    if _hook is not None:
        _hook(name)


def install(hook: Hook | None) -> None:
    """Send every point to `hook`; None removes it. For tests only."""
    global _hook
    _hook = hook


@contextmanager
def installed(hook: Hook) -> Iterator[None]:
    """Install `hook` until the block ends."""
    install(hook)
    try:
        yield
    finally:
        install(None)
