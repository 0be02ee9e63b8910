"""Ctrl-C that waits for a moment in which nothing is half done."""

from __future__ import annotations

import signal
import threading

_INTERRUPTS = frozenset({signal.SIGINT})


class interrupts_held:
    """Inside the block an interruption waits; it arrives at the block's end. Processes started inside inherit this.

    The mask is for those processes. It binds one thread only, and a library may have started others that take the
    signal: so its handler waits too. A class, because a generator would cost as much as all else that is done for an
    event.
    """

    __slots__ = ("_arrived", "_handler", "_mask")

    def __enter__(self) -> None:
        self._arrived = False
        in_charge = threading.current_thread() is threading.main_thread()  # elsewhere no handler can be set, or run
        self._handler = signal.signal(signal.SIGINT, self._remember) if in_charge else None
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)

    def _remember(self, *_: object) -> None:
        self._arrived = True

    def __exit__(self, *exception: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
        if self._arrived:
            signal.raise_signal(signal.SIGINT)
