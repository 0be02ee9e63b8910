"""Checks of a lesson: what they share, and all of them run on one unit and once on the lesson as a whole.

Rules that the author ignores are counted, not told.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from burnish.core.checks import MOST_UNKNOWN, Examination, Selection, run_checks, unknown_ignore
from burnish.core.documents import Field, Problem, digest, text_digest
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.lessons.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, WholeLesson, headings
from burnish.kinds.lessons.policy import unjudged
from burnish.kinds.lessons.requests import bones, titled
from burnish.languages.words import Slip, at_most, exchange, word_list
from burnish.text.markdown import Markdown, anchor_key, labels, markdown, named_anchors
from burnish.text.truncation import ending

Look = Callable[[Markdown], Iterable[Slip]]
"""What looks at one text."""
Examine = Callable[[Lesson, LessonUnit], Examination]
"""All rules on one unit of a lesson."""


def text_findings(unit: LessonUnit, look: Look, *, titles: bool = False) -> Iterator[Finding]:
    """The findings of one look at every text of the unit; at titles only where it is asked for."""
    for field, text in unit.texts().items():
        if text and (titles or field != "title"):
            yield from slip_findings(unit, field, look(markdown(text)))


def slip_findings(unit: LessonUnit, field: Field, slips: Iterable[Slip]) -> Iterator[Finding]:
    """The findings of one field."""
    for slip in at_most(slips):
        exchanged = None
        if slip.replacement is not None:
            exchanged = exchange(unit.texts()[field], slip.start, slip.end, slip.replacement)
        yield Finding.at(
            unit,
            field=field,
            span=(slip.start, slip.end) if slip.end > slip.start else None,
            message=slip.message,
            suggestion=slip.suggestion,
            fix=Edit(unit.id, field, *exchanged) if exchanged is not None else None,
            severity=slip.severity,
            data=slip.data,
        )


class LessonFacts:
    """Facts about one lesson. Each is gathered when it is first asked for."""

    def __init__(self, lesson: Lesson, language: str) -> None:
        self.lesson = lesson
        self.language = language

    @cached_property
    def labels(self) -> frozenset[str]:
        """Labels of links and footnotes that the lesson defines anywhere."""
        return frozenset().union(
            *(labels(markdown(text)) for unit in self.lesson.units for text in unit.texts().values())
        )

    @cached_property
    def text(self) -> str:
        """All that the lesson says, its title first: what it is about shows there."""
        texts = (text for unit in self.lesson.units for text in unit.texts().values())
        return "\n\n".join((self.lesson.title, *texts))

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What links inside the lesson may lead to: titles, headings, and names that tags and attributes give."""
        titles = [text for unit in self.lesson.units for field, text in unit.texts().items() if field == "title"]
        inner = [heading.title for unit in self.lesson.units for heading in headings(unit.text)]
        ids = [unit.id for unit in self.lesson.units]
        return frozenset(map(anchor_key, (*titles, *inner, *ids, *named_anchors(self.text))))

    @cached_property
    def last_unit(self) -> str:
        """The unit after which nothing follows."""
        return self.lesson.units[-1].id

    @cached_property
    def unclosed(self) -> frozenset[str]:
        """Units of running text whose last sentence is not plainly closed: with a list, code, a missing full stop."""

        def is_closed(view: Markdown) -> bool:
            is_prose = bool(view.blocks) and view.blocks[-1].kind == "paragraph"
            return is_prose and ending(view, self.language, final=False).certainty == "whole"

        return frozenset(unit.id for unit in self.lesson.sections if not is_closed(markdown(unit.text)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the lesson but the last one, in lower case."""
        *before, last = self.lesson.units
        prose = [markdown(unit.text).prose for unit in before]
        final = markdown(last.text).prose.rstrip()
        prose.append(final[: max(final.rfind(" "), final.rfind("\n"), 0)])
        return frozenset(word for text in prose for word in word_list(text))


_latest: LessonFacts | None = None


def facts(lesson: Lesson, language: str) -> LessonFacts:
    """The facts of a lesson. Those of the lesson looked at last are kept: checks come unit by unit."""
    global _latest
    if _latest is None or _latest.lesson is not lesson or _latest.language != language:
        _latest = LessonFacts(lesson, language)
    return _latest


MEMBER = "burnish_ignore"
COMMENT = re.compile(r"<!--\s*burnish-ignore\s*:\s*([\w\s,-]{1,500}?)\s*-->")
"""How an author passes over rules inside a text."""
BETWEEN = re.compile(r"[\s,]+")


def ignored_rules(unit: LessonUnit) -> frozenset[str]:
    """The rules that the author asks to pass over in this unit."""
    named = _declared(unit.carried)
    for text in unit.texts().values():
        for match in COMMENT.finditer(text):
            named += BETWEEN.split(match[1].strip())
    return frozenset(named)


def ignored_everywhere(lesson: Lesson) -> frozenset[str]:
    """Those that he asks to pass over in the whole lesson: in its front matter, or beside its content."""
    content = lesson.details.get("content")
    inside = _declared(content) if isinstance(content, Mapping) else []
    return frozenset(_declared(lesson.details) + inside)


def _declared(members: Mapping[str, Any]) -> list[str]:
    declared = members.get(MEMBER, ())
    if isinstance(declared, str):
        return [name for name in BETWEEN.split(declared) if name]
    return [rule for rule in declared if isinstance(rule, str)] if isinstance(declared, list | tuple) else []


def unknown(lesson: Lesson, known: Collection[str], path: str) -> Iterator[Problem]:
    """A note for every name that is no rule's: it does nothing, and the author should know."""
    named: list[tuple[str, int | None, str]] = [("lesson", None, name) for name in sorted(ignored_everywhere(lesson))]
    named += [(unit.id, unit.line, name) for unit in lesson.units for name in sorted(ignored_rules(unit))]
    missing = [(unit, line, name) for unit, line, name in named if name not in known]
    for unit, line, name in missing[:MOST_UNKNOWN]:
        message, hint = unknown_ignore(name, known)
        yield Problem("unknown_rule", message, path, line, MEMBER, unit, hint, blocks=False)


Findings = tuple[Finding, ...]


def examine(unit: LessonUnit, selection: Selection, context: LessonContext) -> Examination:
    """Every finding of the selected rules on one unit. With the last unit, those about the whole lesson are told."""
    checks, skipped = selection.for_language(context.language)
    raised = run_checks(selection, [check for check in checks if check.scope == "unit"], unit, context)
    found, dismissed = selection.dismissals.split(raised)
    kept, ignored = _heeded(found, ignored_rules(unit) | ignored_everywhere(context.lesson))
    is_last = unit.id == context.lesson.units[-1].id
    of_document, ignored_there = examine_whole(selection, context) if is_last else ((), ())
    return Examination(
        kept,
        (*ignored, *ignored_there, *dismissed),
        skipped,
        len(checks),
        language=context.language,
        of_document=of_document,
        unjudged=unjudged(with_judges=False, with_sources=bool(context.passages)),
    )


def rules_on(context: LessonContext, selection: Selection) -> Examine:
    """All selected rules on one unit of a lesson as it is at that moment."""
    return lambda lesson, unit: examine(unit, selection, replace(context, lesson=lesson))


def examine_whole(selection: Selection, context: LessonContext) -> tuple[Findings, Findings]:
    """Every finding about the lesson as a whole, and those of them that the author passes over, wherever he says so."""
    checks, _ = selection.for_language(context.language)
    of_document = [check for check in checks if check.scope == "document"]
    raised = run_checks(selection, of_document, WholeLesson(context.lesson), context)
    found, dismissed = selection.dismissals.split(raised)
    if not found:
        return (), dismissed
    inside = (rule for unit in context.lesson.units for rule in ignored_rules(unit))
    kept, ignored = _heeded(found, ignored_everywhere(context.lesson).union(inside))
    return kept, (*ignored, *dismissed)


def _heeded(found: Iterable[Finding], ignores: Collection[str]) -> tuple[Findings, Findings]:
    listed = tuple(found)
    kept = tuple(finding for finding in listed if finding.rule not in ignores)
    return kept, tuple(finding for finding in listed if finding.rule in ignores)


WINDOW = 6_000
"""Characters that a judge reads closely at once."""
LONG = WINDOW * 5 // 4
"""A unit that is longer is read in pieces."""

Groups = tuple[tuple[str, ...], ...]
"""The ids of the units that share a window, window by window."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A unit as it is shown, or a piece of a long one."""

    unit: LessonUnit
    text: str
    """With the unit's id on top."""
    words: int
    number: int = 0
    of: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """What a judge reads closely at once."""

    pieces: tuple[Piece, ...]

    @property
    def units(self) -> tuple[LessonUnit, ...]:
        return tuple(piece.unit for piece in self.pieces)

    @property
    def text(self) -> str:
        return "\n\n".join(piece.text for piece in self.pieces)

    @property
    def key(self) -> str:
        return text_digest(self.text)


def group_units(units: Iterable[LessonUnit]) -> Groups:
    """Neighbours that share a window. Windows are about equally long, so that no edit has the most to be read again."""
    groups: list[tuple[str, ...]] = []
    run: list[LessonUnit] = []
    for unit in units:
        if len(titled(unit)) <= LONG:
            run.append(unit)
            continue
        groups += [*_packed(run), (unit.id,)]
        run = []
    return (*groups, *_packed(run))


def _packed(units: Sequence[LessonUnit]) -> list[tuple[str, ...]]:
    """As few windows as hold the units, filled alike."""
    sizes = [len(titled(unit)) for unit in units]
    share = sum(sizes) / max(1, math.ceil(sum(sizes) / WINDOW))
    groups: list[list[str]] = []
    size, before = 0, 0
    for unit, length in zip(units, sizes, strict=True):
        # A unit belongs to the window in which its middle lies, as long as there is room.
        is_next = before + length / 2 > share * len(groups)
        if not groups or is_next or size + length > WINDOW:
            groups.append([])
            size = 0
        groups[-1].append(unit.id)
        size += length
        before += length
    return [tuple(group) for group in groups]


def windows(lesson: Lesson, groups: Groups) -> list[Window]:
    """The windows of a version of the lesson."""
    found = []
    for group in groups:
        units = [lesson.unit(id) for id in group]
        if len(units) == 1:
            found += [Window((piece,)) for piece in _pieces(units[0])]
        else:
            found.append(Window(tuple(piece for unit in units for piece in _pieces(unit, cut=False))))
    return found


def _pieces(unit: LessonUnit, *, cut: bool = True) -> list[Piece]:
    texts = windows_of(unit.text) if cut and unit.is_plain else [unit.text]
    if len(texts) == 1:
        return [Piece(unit, titled(unit), unit.words)]
    return [
        Piece(unit, titled(unit, text), unit.with_text(None, text).words, number, len(texts))
        for number, text in enumerate(texts)
    ]


def windows_of(text: str, size: int = WINDOW) -> list[str]:
    """A text in pieces that end where paragraphs do; one paragraph that is longer is cut at a space."""
    found: list[str] = []
    start = 0
    while len(text) - start > size * 5 // 4:
        cut = text.rfind("\n\n", start + size // 2, start + size)
        if cut < 0:
            cut = text.rfind(" ", start + size // 2, start + size)
        end = cut if cut > 0 else start + size
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def whole_key(lesson: Lesson) -> str:
    """Changes with every word: who has read the whole has read this version of it."""
    return digest("whole", lesson.title, [[unit.id, unit.title, unit.content_hash] for unit in lesson.units])


def parts(
    units: Iterable[LessonUnit], most: int, size: Callable[[LessonUnit], int] = lambda unit: len(titled(unit))
) -> list[tuple[LessonUnit, ...]]:
    """Units in as few parts of at most so many characters as there need be; a longer unit is a part alone."""
    found: list[list[LessonUnit]] = []
    held = 0
    for unit in units:
        held += size(unit)
        if not found or held > most:
            found.append([])
            held = size(unit)
        found[-1].append(unit)
    return [tuple(part) for part in found]


def outline_with_seams(lesson: Lesson, parts: Sequence[Sequence[LessonUnit]]) -> str:
    """What the structure of a lesson in parts is judged by: titles, headings, and how each part leads to the next."""
    seams = [
        f"{before[-1].id} ends:\n{last_sentences(before[-1].text)}\n"
        f"{after[0].id} begins:\n{first_sentences(after[0].text)}"
        for before, after in pairwise(parts)
    ]
    return "\n\n".join([bones(lesson), *seams])
