"""A pair of files as a whole, for the report of a check: how many paragraphs, how long, between which languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from burnish.core.checks import Examination
from burnish.core.documents import Problem, Unit
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.scoring import rule_scores


class ManuscriptOverview:
    """The Overview of manuscripts."""

    def __init__(self) -> None:
        self.begin("")

    def prepare(self) -> tuple[Problem, ...]:
        return ()

    def begin(self, document: str) -> None:
        self._paragraphs = 0
        self._words = [0, 0]
        self._languages: Counter[tuple[str, str]] = Counter()
        self._lowest: dict[str, float] = {}

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        assert isinstance(unit, Paragraph), f"no paragraph of a manuscript: {unit!r}"
        self._paragraphs += 1
        self._words[0] += len(unit.text.split())
        self._words[1] += len(unit.translation.split())
        self._languages[unit.source_language, unit.target_language] += 1
        for dimension, score in rule_scores(examination.findings).items():
            self._lowest[dimension] = min(score, self._lowest.get(dimension, 1.0))
        return []

    def conclude(self) -> tuple[Finding, ...]:
        return ()

    def result(self) -> Mapping[str, Any]:
        if not self._paragraphs:
            return {}
        [((source, target), _)] = self._languages.most_common(1)
        return {
            "paragraphs": self._paragraphs,
            "source_words": self._words[0],
            "target_words": self._words[1],
            "source_language": source,
            "target_language": target,
            "lowest_scores": dict(self._lowest),
        }

    def close(self) -> None:
        """Nothing was taken."""
