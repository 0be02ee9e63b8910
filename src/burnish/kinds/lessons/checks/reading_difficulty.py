"""reading_difficulty: prose that is too hard to read for its learners.

What it looks for: a part whose sentences or words are on average much longer than the difficulty in the specification
allows; without a specification, a general limit applies.
Why it matters: a beginner who struggles with a sentence does not learn its content.
Fix: needs an author or a model: long sentences have to be divided, rare words explained or replaced.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonContext, LessonUnit, Spec
from burnish.kinds.lessons.refinement import UniversalReadabilityMetrics
from burnish.kinds.lessons.verify import readability

FEWEST_SENTENCES, FEWEST_WORDS = 5, 120
"""In shorter parts, averages mean nothing."""
LONGEST_SENTENCES = {"beginner": 24.0, "intermediate": 29.0, "advanced": 34.0}
"""The highest mean number of words per sentence for each difficulty."""
WITHOUT_SPEC = 36.0
"""The same without a difficulty."""
LONGEST_WORDS = 10.0
"""The highest mean number of letters per word, for every difficulty."""
NAMES = {
    **dict.fromkeys(("beginner", "easy", "basic", "introductory", "novice", "elementary", "1", "a1", "a2"), "beginner"),
    **dict.fromkeys(("intermediate", "medium", "moderate", "2", "b1", "b2"), "intermediate"),
    **dict.fromkeys(("advanced", "hard", "expert", "difficult", "3", "c1", "c2"), "advanced"),
}
WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages without spaces between words, in which words cannot be counted."""

_LONG = (
    "The water which the sun has warmed on the wide and open surface of the sea rises slowly as vapour through the "
    "air until it has reached a height at which the air around it has become so cold that the vapour can no longer "
    "stay what it is and turns into the very small drops of which the clouds are made. "
)


@check(
    id="reading_difficulty",
    title="Hard to read",
    severity="warning",
    bad=({"text": _LONG * 5}, {"text": _LONG.replace(" until", ". Until") * 5, "spec": {"difficulty": "beginner"}}),
    good=(
        {"text": "The sun warms the sea. Vapour rises into the air. Then it rains on the hills. " * 10},
        {"text": _LONG.replace(" until", ". Until") * 5, "spec": {"difficulty": "advanced"}},
        {"text": _LONG * 2},
    ),
)
def reading_difficulty(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    if context.language in WITHOUT_SPACES:
        return
    if unit.words < FEWEST_WORDS:
        return
    measured = readability(unit.text)
    if unit.words < FEWEST_SENTENCES * measured.avg_sentence_length:
        return
    complaint = _complaint(measured, context.spec)
    if complaint is not None:
        field = None if None in unit.texts() else next(iter(unit.texts()), None)
        yield Finding.at(unit, field=field, message=complaint[0], suggestion=complaint[1])


def _complaint(measured: UniversalReadabilityMetrics, spec: Spec | None) -> tuple[str, str] | None:
    level = difficulty(spec)
    most = LONGEST_SENTENCES[level] if level else WITHOUT_SPEC
    if measured.avg_sentence_length > most:
        limit = f"for {level} learners at most {most:.0f}" if level else f"at most {most:.0f}"
        message = f"A sentence has {measured.avg_sentence_length:.0f} words on average; {limit} can be read with ease."
        return message, "Divide the longest sentences."
    if measured.avg_word_length > LONGEST_WORDS:
        letters = f"{measured.avg_word_length:.1f} letters on average"
        message = f"A word has {letters}; more than {LONGEST_WORDS:.0f} tire a reader."
        return message, "Use shorter and commoner words."
    return None


def difficulty(spec: Spec | None) -> str | None:
    """The difficulty of the specification as one of three levels; None if it is unknown."""
    words = (spec.difficulty if spec else "").lower().replace("-", " ").replace("_", " ").split()
    return next((NAMES[word] for word in words if word in NAMES), None)
