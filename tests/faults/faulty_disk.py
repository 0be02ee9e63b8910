"""A disk that fails once: at the nth call of the operating system, with a chosen error."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

CALLS = ("open", "write", "fsync", "fchmod", "replace", "rename", "link", "mkdir", "unlink")
"""Everything that the store asks of the disk."""


class FaultyDisk:
    """Counts calls; the one numbered `fails_at` fails. `half` makes it a short write instead of an error."""

    def __init__(self, fails_at: int, error: int | None) -> None:
        self.calls = 0
        self.failed: str | None = None
        """The function that failed, once it has."""
        self._fails_at = fails_at
        self._error = error

    def wrap(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def function(*args: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls != self._fails_at:
                return real(*args, **options)
            if self._error is not None:
                self.failed = name
                raise OSError(self._error, os.strerror(self._error))
            if name == "write" and len(args[1]) > 1:
                self.failed = name
                return real(args[0], bytes(args[1])[: len(args[1]) // 2])
            return real(*args, **options)

        return function


@contextmanager
def faulty_disk(fails_at: int, error: int | None) -> Iterator[FaultyDisk]:
    disk = FaultyDisk(fails_at, error)
    functions = {name: disk.wrap(name) for name in CALLS}
    with mock.patch.multiple(os, **functions):
        yield disk
