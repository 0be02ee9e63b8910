"""The ledger of a course: every trial of a rule, one line each. Lines are added and never changed.

A process that dies in the middle of a line, or a hand that slips, leaves a line that cannot be read: it is told and
stays where it is, and all others count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from burnish.core.errors import InputError
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.evolution.overlay import (
    MOST_RULES,
    LedgerRow,
    Overlay,
    OverlayRule,
    rule_words,
)


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
            yield BrokenLine(number, "It was cut off in the middle." if cut_off else _broken_line(wrong))


def _broken_line(wrong: ValidationError) -> str:
    first = wrong.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}." if place else f"{first['msg']}."


HINT = (
    "Take the rule out of the overlay, or put the file aside; a rule that attempts suggest is tested by "
    "`burnish legos evolve`, and adopted with evidence."
)


def proven(overlay: Overlay, ledger: Ledger, path: str = OVERLAY) -> Overlay:
    """The overlay, for use in a prompt. InputError where a rule has nothing behind it."""
    if len(overlay.rules) > MOST_RULES:
        raise InputError(
            f"The overlay holds {len(overlay.rules)} rules; a prompt takes {MOST_RULES} at most.",
            path=path,
            code="unproven_rule",
            hint="Take out those that matter least, or put the file aside.",
        )
    for place, rule in enumerate(overlay.rules):
        fault = _fault(rule, ledger)
        if fault is not None:
            raise InputError(
                f"The rule {rule.id} is not used: {fault}.",
                path=path,
                field=f"rules.{place}",
                code="unproven_rule",
                hint=HINT,
            )
    return overlay


def _fault(rule: OverlayRule, ledger: Ledger) -> str | None:
    """What is wrong with the proof of a rule."""
    row = ledger.row(rule.trial)
    if row is None:
        return f"{LEDGER} holds no trial {rule.trial!r}"
    if row.decision != "adopted" or row.text != rule.text:
        return f"the trial {rule.trial} in {LEDGER} did not adopt it"
    if row.evidence != rule.evidence:
        return f"its evidence is not that of the trial {rule.trial} in {LEDGER}"
    if rule.evidence.lacks:
        return f"its evidence does not convince ({', '.join(rule.evidence.lacks)})"
    later = ledger.rows[ledger.rows.index(row) + 1 :]
    for other in later:
        if other.decision == "taken_back" and rule_words(other.text) == rule_words(rule.text):
            return f"the run {other.run_id!r} took it back; `burnish resume` ends a run that was stopped in between"
    return None
