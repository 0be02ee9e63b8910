"""Claims about a bank as a whole: a fault that nearly all of its questions share is told once, with its count.

Every question has ten options, all stems begin with the same leftover, hardly any question has a rationale: these are
properties of the bank, and hundreds of equal findings would hide the others. What each question has to answer for
itself (a key that names no option, options with the same text) stays with the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from burnish.core.findings import CRASHED_RULE, Finding, Severity
from burnish.kinds.questions.bank import FEWEST_OF_BANK, BankContext, explains
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import CONTRADICTING

SHARED = 0.8
"""The share of the questions from which a fault is one of the bank."""
STILL_SHARED = 0.5
"""Below this share of the questions read so far, the others are told of theirs again."""
HELD_BACK = 200
"""Questions at the beginning of a bank that decide which faults it shares."""
EXAMPLES = 5

OWN = frozenset({"nbme_single_best_answer", "ext_spreadsheet_dates", CONTRADICTING.id, CRASHED_RULE})
"""Rules whose errors are proven for each question alone: they stay with it."""
OF_BANKS = frozenset({"option_count", "counts_from"})
"""Their errors with one of these in `data` follow from how the bank was made."""
RATIONALE = "ext_rationale_completeness"
VARYING = re.compile(r"""'[^']*'|"[^"]*"|“[^”]*”|\([^()]*\)|\b[A-Z]\b|\d+(?:[.,]\d+)*""")
"""The parts of a message that differ from question to question: quoted words, letters of options, numbers."""

Shape = tuple[str, Severity, str, str, str]
"""What equal faults of several questions share: rule, severity, field without its letter, words, and message."""


def shape_of(finding: Finding) -> Shape | None:
    """The shape of the fault; None if it stays with its question."""
    if finding.rule in OWN and finding.blocks and OF_BANKS.isdisjoint(finding.data):
        return None
    parts = [part for part in (finding.field or "").split(".") if not part.isdigit()]
    place = ".".join(parts[: parts.index("options") + 1] if "options" in parts else parts)
    words = " ".join((finding.quote or "").casefold().split())
    return finding.rule, finding.severity, place, words, VARYING.sub("*", finding.message)


@dataclass(slots=True)
class SharedFault:
    """A fault and the questions that have it."""

    first: Finding
    questions: int = 0
    examples: list[str] = field(default_factory=list)


class BankClaims:
    """Counts the faults of a bank while its questions are read."""

    def __init__(self, document: str, context: BankContext | None) -> None:
        self._document = document
        self._context = context or BankContext()
        self._questions = self._explained = 0
        self._faults: dict[Shape, SharedFault] = {}
        self._shared: set[Shape] | None = None
        """None until enough questions are read, or all."""

    def add(self, question: Question, findings: Sequence[Finding]) -> None:
        """Count one question."""
        self._questions += 1
        self._explained += explains(question)
        by_shape = {shape: finding for finding in findings if (shape := shape_of(finding)) is not None}
        for shape, finding in by_shape.items():
            if shape not in self._faults and self._questions > HELD_BACK:
                continue  # it is rare: memory does not grow with the bank
            fault = self._faults.setdefault(shape, SharedFault(finding))
            fault.questions += 1
            if len(fault.examples) < EXAMPLES:
                fault.examples.append(question.id)

    def is_shared(self, finding: Finding) -> bool:
        """Whether the finding is told once for the bank. The first call decides by the questions read so far."""
        if self._shared is None:
            self._shared = self._common(SHARED)
        shape = shape_of(finding)
        if shape not in self._shared:
            return False
        return self._faults[shape].questions >= STILL_SHARED * self._questions

    def _common(self, share: float) -> set[Shape]:
        if self._questions < FEWEST_OF_BANK:
            return set()
        return {shape for shape, fault in self._faults.items() if fault.questions >= share * self._questions}

    def findings(self) -> list[Finding]:
        """The claims about the bank, after its last question."""
        shared = self._common(SHARED) if self._shared is None else self._shared
        found = [self._claim(self._faults[shape]) for shape in shared]
        if self._lacks_rationales():
            found.append(self._rationales())
        return sorted(found, key=lambda claim: (claim.rule, claim.message))

    def _claim(self, fault: SharedFault) -> Finding:
        first, many = fault.first, f"{fault.questions:,} of {self._questions:,} questions"
        return Finding(
            rule=first.rule,
            severity=first.severity,
            unit=self._document,
            field=None,
            message=f"{many} have the same fault. The first one is {first.unit!r}: {first.message}",
            suggestion=first.suggestion and f"For that one: {first.suggestion}",
            quote=first.quote,
            source="document",
            data={**first.data, "questions": fault.questions, "of": self._questions, "examples": fault.examples},
            related=tuple(fault.examples),
        )

    def _lacks_rationales(self) -> bool:
        return "rationale" in self._context.sparse and self._questions >= FEWEST_OF_BANK

    def _rationales(self) -> Finding:
        few = f"{self._explained:,} of {self._questions:,} questions have a rationale."
        return Finding(
            rule=RATIONALE,
            severity="warning",
            unit=self._document,
            field=None,
            message=f"Hardly any question has a rationale: {few}"
            if self._explained
            else "No question has a rationale.",
            suggestion="Write them, or switch the rule off for this bank.",
            source="document",
            data={"questions": self._questions - self._explained, "of": self._questions},
        )
