"""The ledger of a course: every trial of a rule, one line each. Lines are added and never changed.

A process that dies in the middle of a line, or a hand that slips, leaves a line that cannot be read: it is told and
stays where it is, and all others count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from burnish.kinds.legos.evolving.rules import rule_words
from burnish.kinds.legos.evolving.shapes import LedgerRow


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line of the ledger that cannot be read."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was tried."""

    rows: tuple[LedgerRow, ...] = ()
    broken: tuple[BrokenLine, ...] = ()
    data: bytes = b""
    """The file, byte for byte."""

    @classmethod
    def of(cls, data: bytes | None) -> Ledger:
        rows: list[LedgerRow] = []
        broken: list[BrokenLine] = []
        for read in _read(data or b""):
            (rows if isinstance(read, LedgerRow) else broken).append(read)  # type: ignore[arg-type]
        return cls(tuple(rows), tuple(broken), data or b"")

    def tried(self, model: str) -> dict[str, LedgerRow]:
        """The words of every rule that this model was tried with, and its last trial: it is not proposed again."""
        return {rule_words(row.text): row for row in self.rows if row.model == model}

    def row(self, trial: str) -> LedgerRow | None:
        return next((row for row in self.rows if row.trial == trial), None)

    def adding(self, row: LedgerRow) -> Ledger:
        """The ledger with one more line. A line that was cut off before it gets an end of its own."""
        end = b"" if not self.data or self.data.endswith(b"\n") else b"\n"
        line = row.model_dump_json().encode()
        return replace(self, rows=(*self.rows, row), data=b"".join((self.data, end, line, b"\n")))


def _read(data: bytes) -> Iterator[LedgerRow | BrokenLine]:
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield LedgerRow.model_validate_json(line)
        except ValidationError as wrong:
            cut_off = number == len(lines)
            yield BrokenLine(number, "It was cut off in the middle." if cut_off else _fault(wrong))


def _fault(wrong: ValidationError) -> str:
    first = wrong.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}." if place else f"{first['msg']}."
