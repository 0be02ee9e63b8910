"""The Kind: all that one sort of content has to say for itself, so that doors and engine need not know it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Protocol

from burnish.core.checks import Check, Examination, Selection
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.findings import Finding, Severity

Part = Unit | Problem | PassedThrough
"""What reading a document gives, in the document's order."""


class Overview(Protocol):
    """Facts about a document as a whole, gathered while its units stream by (a bank's key balance, duplicates)."""

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        """Take one more unit in; the findings are those that only show beside the units before it."""
        ...

    def result(self) -> Mapping[str, Any]:
        """The report's part for this document, as JSON-ready data. Empty where there is nothing to say."""
        ...

    def close(self) -> None:
        """Give back what was taken (an index on disk)."""
        ...


class Kind(Protocol):
    """One sort of content."""

    @property
    def name(self) -> str: ...

    @property
    def checks(self) -> tuple[Check, ...]: ...

    @property
    def profiles(self) -> Mapping[str, Mapping[str, Severity]]:
        """Profile name -> severities that differ from the checks' own. `default` and `strict` at least."""
        ...

    def recognise(self, path: str, head: bytes) -> str | None:
        """The format's name if this kind reads such a file (judged by name and first bytes), else None."""
        ...

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        """The document's parts, as a stream. Raises InputError only where nothing after that point can be read."""
        ...

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """A cheap look over the whole document for facts that checks need. JSON-ready, journalled by hash."""
        ...

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> object:
        """What checks get as their context: the surveys of all documents of the run, and the settings' demands."""
        ...

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        """All checks on one unit."""
        ...

    def overview(self, options: Mapping[str, Any]) -> Overview:
        """A fresh overview for one document."""
        ...

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], Unit | None],
        target: BinaryIO,
    ) -> None:
        """Copy the document, with changed units in their places and every other byte as it was."""
        ...
