"""A bank as a whole: near-duplicates, key balance and blueprint, gathered while the questions stream by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from burnish.core.checks import Examination
from burnish.core.documents import Unit
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import BankFacts
from burnish.kinds.questions.duplicates import DuplicateIndex, duplicate_finding
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.model import Question


class BankOverview:
    """The Overview of a question bank."""

    def __init__(self, against: tuple[str, str] | None = None) -> None:
        """`against` is an earlier bank, as path and format, that the new one is compared with."""
        self._index = DuplicateIndex()
        self._facts = BankFacts()
        self._alike = self._ignored = 0
        if against is not None:
            self._take_in(*against)

    def _take_in(self, path: str, format: str) -> None:
        with Path(path).open("rb") as stream:
            for part in format_named(format).read(stream, path):
                if isinstance(part, Question):
                    self._index.add(part, origin=path)

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        question = cast(Question, unit)
        self._facts.add(question)
        finding = duplicate_finding(question, self._index.add(question))
        if finding is None:
            return []
        if finding.rule in question.burnish_ignore:
            self._ignored += 1
            return []
        self._alike += 1
        return [finding]

    def conclude(self) -> Sequence[Finding]:
        """Nothing is a bank's fault alone: every likeness is told with one of its questions."""
        return ()

    def result(self) -> Mapping[str, Any]:
        ignored = {"near_duplicates_ignored": self._ignored} if self._ignored else {}
        return {**self._facts.result(), "near_duplicates": self._alike, **ignored}

    def close(self) -> None:
        self._index.close()
