"""Anchors: where in a section an issue stands, and how the neighbours of a section end and begin."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.refinement.types import (
    LESSON,
    ContextAnchors,
    ContextWindow,
    JudgeIssue,
    LessonContentSection,
)
from burnish.languages.sentences import sentences

SENTENCES = 3
"""How much of a neighbour a repair sees."""
NEAR = 4_000
"""Characters of a neighbour that are looked at for its sentences."""
LONGEST_ANCHOR = 800
"""A neighbour without sentences (a table, a poem) gives this many characters."""
MARK = 60
"""Characters that mark the beginning and the end of a paragraph."""


def content_sections(lesson: Lesson) -> tuple[LessonContentSection, ...]:
    """Every unit of the lesson as the arbiter sees it."""
    return tuple(LessonContentSection(id=unit.id, title=unit.title, content=whole_text(unit)) for unit in lesson.units)


def whole_text(unit: LessonUnit) -> str:
    """Every text of a unit but its title: where quotes are looked for."""
    return "\n\n".join(text for field, text in unit.texts().items() if field != "title")


def first_sentences(text: str, count: int = SENTENCES) -> str:
    found = list(sentences(text.strip()[:NEAR]))[:count]
    return text.strip()[: found[-1].end][:LONGEST_ANCHOR] if found else ""


def last_sentences(text: str, count: int = SENTENCES) -> str:
    tail = text.strip()[-NEAR:]
    found = list(sentences(tail))[-count:]
    return tail[found[0].start :][-LONGEST_ANCHOR:] if found else ""


def context_anchors(sections: Sequence[LessonContentSection], section_id: str) -> ContextAnchors:
    """How the section before ends and the section after begins; nothing for the lesson as a whole."""
    place = next((at for at, section in enumerate(sections) if section.id == section_id), None)
    if place is None:
        return ContextAnchors()
    before = last_sentences(sections[place - 1].content) if place else ""
    after = first_sentences(sections[place + 1].content) if place + 1 < len(sections) else ""
    return ContextAnchors(prev_section_end=before or None, next_section_start=after or None)


def context_window(issue: JudgeIssue, section: LessonContentSection | None) -> ContextWindow:
    """The paragraph that holds the quote, else the section, else everything."""
    if section is None:
        return ContextWindow(scope="global")
    at = section.content.find(issue.quoted_text) if issue.quoted_text else -1
    if issue.quoted_text is None or at < 0:
        return ContextWindow(scope="section")
    start = section.content.rfind("\n\n", 0, at)
    end = section.content.find("\n\n", at + len(issue.quoted_text))
    paragraph = section.content[max(start, 0) : end if end >= 0 else len(section.content)].strip()
    return ContextWindow(start_quote=paragraph[:MARK], end_quote=paragraph[-MARK:], scope="paragraph")


INTRO_WORDS = frozenset({"intro", "introduction", "opening"})
CONCLUSION_WORDS = frozenset({"conclusion", "ending", "closing"})


def located(issue: JudgeIssue, sections: Sequence[LessonContentSection]) -> str:
    """The id of the unit that the issue is about, `lesson` where it is about no single one.

    What the location names counts unless the quoted words stand only elsewhere.
    """
    named = _named(issue.location, sections)
    quoting = [section.id for section in sections if issue.quoted_text and issue.quoted_text in section.content]
    if quoting and named not in quoting:
        return quoting[0]
    return named or _by_word(issue.location, sections) or LESSON


def _named(location: str, sections: Sequence[LessonContentSection]) -> str | None:
    """The longest id that the location is, or begins with; else the section whose title it is."""
    place = location.strip()
    by_id = [section.id for section in sections if place == section.id or place.startswith(f"{section.id}: ")]
    if by_id:
        return max(by_id, key=len)
    plain = place.strip("\"'“”‘’#* ").casefold()
    return next((section.id for section in sections if plain and plain == (section.title or "").casefold()), None)


def _by_word(location: str, sections: Sequence[LessonContentSection]) -> str | None:
    """ "the introduction", "end of the conclusion", "see sec_2": a location in the judge's own words."""
    words = [word.strip("\"'“”‘’()[],.;:`") for word in location.split()]
    ids = [section.id for section in sections]
    named = dict.fromkeys(word for word in words if word in ids)
    if named:
        return next(iter(named)) if len(named) == 1 else None
    spoken = {word.casefold() for word in words}
    for unit, names in (("intro", INTRO_WORDS), ("conclusion", CONCLUSION_WORDS)):
        if unit in ids and spoken & names:
            return unit
    return None
