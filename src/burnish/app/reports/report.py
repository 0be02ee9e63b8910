"""What a check is told to: one report for people, one for programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from burnish.core.errors import InputError
from burnish.engine.checking import CheckEvent
from burnish.engine.fixing import FixEvent
from burnish.engine.tally import Tally


class Report(Protocol):
    """Hears every event of a check, in order."""

    def open_fixes(self) -> None:
        """Safe fixes come next, before the check itself."""
        ...

    def take_fix(self, event: FixEvent) -> None: ...

    def take(self, event: CheckEvent) -> None: ...

    def close(
        self, tally: Tally, *, problems: Iterable[InputError], passed_over: Iterable[InputError], off: Collection[str]
    ) -> None:
        """The check is over; `problems` are paths that could not be read, `passed_over` files that are not ours."""
        ...

    def abandon(self, tally: Tally) -> None:
        """The check was broken off: leave whole what has been written."""
        ...
