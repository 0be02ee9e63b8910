"""The standing of rules: how often their findings were right on text that people published, as a table for the package.

Counted are the labelled findings that a rule still raises. Errors of question rules are labelled so far, in English;
every other rule and language is doubtful until somebody reads its findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.eval import question_precision
from burnish.core.claims import Evidence
from burnish.text import standing

FILE = Path(standing.__file__).parent / "data" / standing.NAME
Row = tuple[str, str, str, int, int]


def of_questions(errors: Mapping[str, Iterable[str]]) -> Iterator[Row]:
    """`errors`: rule -> rows of the English banks on which it raises one."""
    for rule, labels in question_precision.labels().items():
        raised = set(errors.get(rule, ()))
        read = [right for row, right in labels.items() if row in raised]
        if read:
            yield "questions", rule, "en", sum(read), len(read)


def write(rows: Iterable[Row], file: Path = FILE) -> list[str]:
    """Write the table, and say what it holds."""
    every = sorted(rows)
    file.write_text(standing.table(every), encoding="utf-8")
    lines = [
        "Standing of rules (trusted: 95 % of 50 labelled findings or more; all else is doubtful, or proven by code).",
        f"  {'kind':<10} {'rule':<32} {'language':<9} {'right':>9} {'at least':>9}  standing",
    ]
    for kind, rule, language, right, of in every:
        seen = Evidence(right, of)
        lines.append(f"  {kind:<10} {rule:<32} {language:<9} {right:>3} of {of:>2} {seen.low:>9.1%}  {seen.standing}")
    return lines
