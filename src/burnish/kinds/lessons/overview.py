"""A lesson as a whole, for reports: how long it is, how it reads, and what only shows over all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.checks import Examination
from burnish.core.documents import Problem, Unit
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonUnit


class LessonOverview:
    """The Overview of lessons: each by itself, for lessons know nothing of each other."""

    def __init__(self) -> None:
        self.begin("")

    def prepare(self) -> tuple[Problem, ...]:
        return ()

    def begin(self, document: str) -> None:
        self._units = 0
        self._words = 0
        self._language: str | None = None
        self._findings: tuple[Finding, ...] = ()

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        assert isinstance(unit, LessonUnit), f"no unit of a lesson: {unit!r}"
        self._units += 1
        self._words += unit.words
        self._language = examination.language
        self._findings += examination.of_document
        return []

    def conclude(self) -> tuple[Finding, ...]:
        return self._findings

    def result(self) -> Mapping[str, Any]:
        return {"parts": self._units, "words": self._words, "language": self._language}

    def close(self) -> None:
        """Nothing was taken."""
