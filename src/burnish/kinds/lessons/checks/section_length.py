"""section_length: a section that is far shorter or longer than the others.

What it looks for: sections with very few words, and sections many times longer than the lesson's usual one.
Why it matters: a very short section teaches nothing, and a very long one is hard to learn from.
Fix: needs an author or a model: a stub has to be expanded, a long section divided.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonContext, LessonUnit, headings
from burnish.languages.words import word_list, word_set

STUB, USUAL = 25, 100
"""A stub has fewer than STUB words in a lesson whose usual section has at least USUAL."""
LONG, TIMES = 1500, 4
"""A section is too long with more than LONG words and more than TIMES the usual length."""
PIECE = 1200
"""A long section is not reported if its headings divide it into pieces of at most this many words."""
BACK_MATTER = word_set(
    """
    references reference reading readings bibliography resources notes endnotes footnotes acknowledgements links files
    acknowledgments acknowlegements credits data citation appendix syncing glossary sources code download downloads list
    referencias lecturas lectura bibliografía recursos notas agradecimientos créditos datos enlaces archivos lista
    prerequisites requirements prerrequisitos requisitos pré-requisitos prérequis voraussetzungen
    literatur quellen anmerkungen glossar danksagung lectures bibliographie notes remerciements источники литература
    """
)
"""Words in headings of sections that may be short."""

_OTHERS = [{"text": "Water flows down the hill. " * 40}] * 3


@check(
    id="section_length",
    title="Uneven section length",
    severity="warning",
    bad=(
        {"title": "Ice", "text": "Ice is cold.", "units": _OTHERS},
        {"text": "Ice is very cold. " * 500, "units": _OTHERS},
    ),
    good=(
        {"text": "Water flows down the hill. " * 40, "units": _OTHERS},
        {"title": "References", "text": "A book.", "units": _OTHERS},
        {"title": "Pré-requisitos", "text": "Um computador ligado à internet.", "units": _OTHERS},
        {"text": "Ice is cold.", "units": _OTHERS[:1]},
        {"title": "Exercise", "text": "Try it:\n\n```\n" + "melt(ice)\n" * 20 + "```\n", "units": _OTHERS},
    ),
)
def section_length(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    usual = context.lesson.usual_words
    if unit.role != "section" or usual is None:
        return
    if unit.words < STUB and usual >= USUAL and _is_stub(unit):
        message = f"The section has only {unit.words} words; the lesson's usual section has {usual:.0f}."
        yield _about(unit, message, "Write it out, or join it with its neighbour.")
    elif unit.words > LONG and unit.words > TIMES * usual and _longest_piece(unit) > PIECE:
        message = f"The section has {unit.words} words; the lesson's usual section has {usual:.0f}."
        yield _about(unit, message, "Divide it into several sections.")


def _about(unit: LessonUnit, message: str, suggestion: str) -> Finding:
    return Finding.at(unit, field=None, message=message, suggestion=suggestion, data={"words": unit.words})


def _is_stub(unit: LessonUnit) -> bool:
    """Whether a short section is a stub: not if it is empty, back matter, or mainly code, pictures or links."""
    text = unit.text.strip()
    bare = len(text) < 2 * sum(map(len, unit.prose.split())) + 80
    return bool(text) and bare and BACK_MATTER.isdisjoint(word_list(unit.title or ""))


def _longest_piece(unit: LessonUnit) -> int:
    """The words of the longest piece between headings, estimated from its share of the text."""
    longest = before = 0
    for heading in headings(unit.text):
        longest, before = max(longest, heading.start - before), heading.start
    longest = max(longest, len(unit.text) - before)
    return round(unit.words * longest / max(1, len(unit.text)))
