"""Ctrl-C that waits for a moment in which nothing is half done."""

from __future__ import annotations

import signal

_INTERRUPTS = frozenset({signal.SIGINT})


class interrupts_held:
    """Inside the block an interruption waits; it arrives at the block's end. Processes started inside inherit this.

    A class, because a generator would cost as much as all else that is done for an event.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)

    def __exit__(self, *exception: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
