"""Examine units in parallel processes. Order is kept, memory does not grow with the document, and Ctrl-C is delayed
until nothing is half done."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait
from types import TracebackType
from typing import Generic, Self, TypeVar

from burnish.core.checks import Examination, Selection
from burnish.core.documents import Unit
from burnish.core.errors import BurnishError
from burnish.core.findings import Severity
from burnish.core.kinds import Kind
from burnish.store.processes import look_for_cycles_seldom

_INTERRUPTS = frozenset({signal.SIGINT})
HAS_MASKS = hasattr(signal, "pthread_sigmask")
"""False on Windows, where processes receive Ctrl-C themselves."""


class interrupts_held:
    """Delays interrupts until the end of the block. Processes started inside inherit the mask.

    The mask is for those processes. It affects only one thread, and a library may have started others that receive
    the signal, so the handler delays it too. A class, because a generator would cost as much as the rest of the work
    for an event.
    """

    __slots__ = ("_arrived", "_handler", "_mask")

    def __enter__(self) -> None:
        self._arrived = False
        in_charge = threading.current_thread() is threading.main_thread()  # only there handlers can be set, and run
        self._handler = signal.signal(signal.SIGINT, self._remember) if in_charge else None
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS) if HAS_MASKS else None

    def _remember(self, *_: object) -> None:
        self._arrived = True

    def __exit__(self, *exception: object) -> None:
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._arrived:
            signal.raise_signal(signal.SIGINT)


BATCH = 100
"""Units that are sent to a process together: enough to make sending cheap, few enough to bound memory."""
BATCH_CHARACTERS = 400_000
"""A batch is also full when its texts are this long, so that giant units do not accumulate."""
AT_ONCE = 100
"""Units that one process examines together: faster, and the first results still come soon."""
AHEAD = 3
"""Batches in flight for each process."""
WARM_UP = 2_000
"""Units examined in this process before others are started: a small bank does not wait for a pool to start."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note(Generic[T]):
    """An item that travels with the units in order and is not examined."""

    content: T


class CheckPool:
    """Examines units in this process or in several. A context manager: leaving it ends the processes."""

    def __init__(self, kind: Kind, selection: Selection, context: object, *, jobs: int = 1) -> None:
        self._kind, self._selection, self.context = kind, selection, context
        self._jobs = jobs
        self._seen = 0
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            # After an error, do not wait for batches in flight.
            self._pool.shutdown(wait=error is None, cancel_futures=True)

    def examine(self, unit: Unit) -> Examination:
        """Examine one unit in this process."""
        return self._kind.examine(unit, self._selection, self.context)

    def examined(self, items: Iterable[Unit | Note[T]]) -> Iterator[tuple[Unit | Note[T], Examination | None]]:
        """Yield all items in order: units with their examination, other items unchanged."""
        remaining = iter(items)
        yield from self._examined_here(remaining)
        under_way: deque[tuple[list[Unit | Note[T]], Future[list[Examination]]]] = deque()
        for batch in _batches(remaining, BATCH):
            under_way.append((batch, self._send(batch)))
            if len(under_way) > AHEAD * self._jobs:
                yield from _arrived(*under_way.popleft())
        while under_way:
            yield from _arrived(*under_way.popleft())

    def _examined_here(self, items: Iterator[Unit | Note[T]]) -> Iterator[tuple[Unit | Note[T], Examination | None]]:
        """Examine items here until the pool is worth starting; with one job, examine all of them."""
        for batch in _batches(items, min(AT_ONCE, WARM_UP)):
            units = _units(batch)
            yield from _paired(batch, self._kind.examine_all(units, self._selection, self.context))
            self._seen += len(units)
            if self._jobs > 1 and self._seen >= WARM_UP:
                return

    def _send(self, batch: Sequence[Unit | Note[T]]) -> Future[list[Examination]]:
        if self._pool is None:
            self._pool = self._started()
        try:
            # A starting worker would print a traceback at Ctrl-C; it inherits our mask.
            with interrupts_held():
                return self._pool.submit(_examine_batch, _units(batch))
        except BrokenProcessPool as broken:
            raise _lost() from broken

    def _started(self) -> ProcessPoolExecutor:
        # Checks hold functions, so they are sent as ids; a kind has only cached state.
        rules = frozenset(check.id for check in self._selection.checks)
        orders = (type(self._kind), rules, dict(self._selection.severities), self.context)
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._jobs, mp_context=context, initializer=_report_for_duty, initargs=orders)


def _batches(items: Iterator[Unit | Note[T]], size: int) -> Iterator[list[Unit | Note[T]]]:
    batch: list[Unit | Note[T]] = []
    characters = 0
    for item in items:
        batch.append(item)
        if not isinstance(item, Note):
            characters += sum(len(text) for text in item.texts().values())
        if len(batch) >= size or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _arrived(
    batch: list[Unit | Note[T]], future: Future[list[Examination]]
) -> Iterator[tuple[Unit | Note[T], Examination | None]]:
    try:
        examinations = future.result()
    except BrokenProcessPool as broken:
        raise _lost() from broken
    yield from _paired(batch, examinations)


def _units(batch: Sequence[Unit | Note[T]]) -> list[Unit]:
    # An isinstance check for Unit would compute every property of the protocol, including the hash.
    return [item for item in batch if not isinstance(item, Note)]


def _paired(
    batch: Sequence[Unit | Note[T]], examinations: Iterable[Examination]
) -> Iterator[tuple[Unit | Note[T], Examination | None]]:
    """Yield the items of a batch in order, units with their examinations."""
    remaining = iter(examinations)
    for item in batch:
        yield item, None if isinstance(item, Note) else next(remaining)


def _lost() -> BurnishError:
    return BurnishError(
        "A worker process ended before its work was done; the machine may be out of memory.",
        hint="Run again with fewer --jobs; with --jobs 1 everything stays in one process.",
    )


_duty: tuple[Kind, Selection, object] | None = None
"""Set once in each worker process."""


def _report_for_duty(
    type_: type[Kind], rules: frozenset[str], severities: Mapping[str, Severity], context: object
) -> None:
    """Initialise a worker. The parent handles Ctrl-C; a worker ends when its parent is gone."""
    global _duty
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    look_for_cycles_seldom()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    kind = type_()
    _duty = kind, Selection(tuple(check for check in kind.checks if check.id in rules), severities), context


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _examine_batch(units: list[Unit]) -> list[Examination]:
    assert _duty is not None, "a worker examines only after it reported for duty"
    kind, selection, context = _duty
    return kind.examine_all(units, selection, context)
