"""The lesson: its units, its specification, its wire form, and what a check may know beyond one unit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any, Literal, Self

from burnish.core.documents import Field, text_digest
from burnish.languages.detection import UNKNOWN_LANGUAGE, is_known, primary_tag, sure_language
from burnish.languages.words import TOKEN
from burnish.text.markdown import markdown
from burnish.text.structure import Block, read_structure

LONGEST_TITLE = 300
"""A longer underlined line is a paragraph above a rule, not a heading."""
MOST_OPEN = 8
"""Code and comments that never close, of which each makes the text be read once more."""
TRAILING_MARKS = re.compile(r"(?:^|[ \t])#+$")
ATTRIBUTES = re.compile(r"\{[:#][^{}]*\}$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its place."""

    level: int
    title: str
    start: int
    """Where its first line begins."""
    title_start: int
    title_end: int
    end: int
    """After the line end of its last line."""
    line: int
    """1-based."""


def headings(text: str) -> Iterator[Heading]:
    """Every heading, with `#` marks or underlined, outside code, quotes and lists."""
    line, counted = 1, 0
    for block in _blocks(text):
        if block.kind != "heading" or block.holder:
            continue
        words = text[block.start : block.end]
        if block.marker != "#" and (len(words) > LONGEST_TITLE or "\n" in words or words.startswith("|")):
            continue  # an underline below several lines, or below the row of a table, is a rule
        start = text.rfind("\n", 0, block.start) + 1
        line += text.count("\n", counted, start)
        counted = start
        # Without attributes behind it and marks that close it.
        title = TRAILING_MARKS.sub("", ATTRIBUTES.sub("", words.strip()).rstrip()).strip()
        title_start = text.index(title, block.start) if title else block.start
        end = _line_end(text, block.end)
        end = end if block.marker == "#" else _line_end(text, end)
        yield Heading(block.level, title, start, title_start, title_start + len(title), end, line)


def _blocks(text: str) -> list[Block]:
    """The blocks of the text, where what never closes is taken for words."""
    blocks = read_structure(text).blocks
    for _ in range(MOST_OPEN):
        opened = next((block for block in blocks if not block.closed and block.kind in ("code", "html")), None)
        if opened is None:
            break
        text = f"{text[: opened.start]}xx{text[opened.start + 2 :]}"
        blocks = read_structure(text).blocks
    return blocks


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


Role = Literal["intro", "section", "example", "exercise", "conclusion"]

READ_ALOUD: frozenset[Role] = frozenset({"intro", "section", "conclusion"})
"""The roles that make the running text of a lesson."""

FEWEST_SECTIONS = 3
"""Sections that a lesson needs before one of them can be called usual."""

VOTERS = 24
"""Units whose language is looked at: more tell nothing new about a lesson."""


@dataclass(frozen=True)
class LessonUnit:
    """The part of a lesson that is judged and repaired on its own."""

    id: str
    """`intro`, the section's id, `examples/0`, `exercises/0`, `conclusion`."""
    role: Role
    fields: Mapping[Field, str]
    """Every text that may be judged or edited, in reading order; None names the main text."""
    carried: Mapping[str, Any] = field(default_factory=dict)
    """Code, citations and whatever else stands there: hashed, never edited."""
    line: int | None = field(default=None, compare=False)
    """Where it begins in its file; no part of its content."""
    lines: Mapping[Field, tuple[int, int]] = field(default_factory=dict, compare=False)
    """The first and the last line of each text in the file that it was read from; no part of its content either."""

    level: int | None = field(default=None, compare=False)
    """The level of its heading in Markdown."""

    def __hash__(self) -> int:
        return hash(self.content_hash)

    @property
    def title(self) -> str | None:
        """The heading; None where this sort of unit has none."""
        return self.fields.get("title")

    def texts(self) -> Mapping[Field, str]:
        return self.fields

    def line_of(self, field: Field, start: int | None) -> int | None:
        """The line of a character of a text. A format that writes a text on one line has all of it there."""
        if field not in self.lines or (field is None and start is None):
            return self.line
        first, last = self.lines[field]
        return min(last, first + self.fields[field].count("\n", 0, start or 0))

    def with_text(self, field: Field, text: str) -> Self:
        if field not in self.fields:
            raise KeyError(field)
        return replace(self, fields={**self.fields, field: text})

    @cached_property
    def content_hash(self) -> str:
        return text_digest(json.dumps([self.id, self.role, list(self.fields.items()), self.carried], sort_keys=True))

    @cached_property
    def text(self) -> str:
        """The main text; of an exercise its question and its solution."""
        if self.role == "exercise":
            return "\n\n".join(self.fields[name] for name in ("question", "solution") if self.fields.get(name))
        return self.fields.get(None, "")

    @property
    def is_plain(self) -> bool:
        """Whether the unit is one running text, perhaps with a title."""
        return self.fields.keys() <= {"title", None}

    @property
    def body(self) -> str:
        """Every text but the title: where quotes are looked for."""
        return "\n\n".join(text for field, text in self.fields.items() if field != "title")

    @property
    def prose(self) -> str:
        """The main text with code, formulas, tags and addresses blanked; every position is as in `text`."""
        return markdown(self.text).prose

    @cached_property
    def words(self) -> int:
        """How many words and numbers of prose it has."""
        return len(TOKEN.findall(self.prose))

    def as_record(self) -> dict[str, Any]:
        """JSON-ready, for the journal."""
        return {
            "id": self.id,
            "role": self.role,
            "fields": [[name, text] for name, text in self.fields.items()],
            "carried": dict(self.carried),
            "line": self.line,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["id"], record["role"], dict(record["fields"]), record["carried"], record["line"])


@dataclass(frozen=True)
class Lesson:
    """A lesson as it was handed in: its units in reading order, and what else its file says."""

    lesson_id: str
    title: str
    language: str | None
    """As the file declares it; None where it does not."""
    units: tuple[LessonUnit, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    """Front matter, or unknown members of the JSON object: kept, never edited."""
    id_declared: bool = True
    """False where the file names no id, so that it goes by its file's name."""
    heading_level: int = 0
    """Headings of this level and above begin a unit in its file; 0 where no heading does."""

    @cached_property
    def _places(self) -> dict[str, int]:
        return {unit.id: place for place, unit in enumerate(self.units)}

    def unit(self, id: str) -> LessonUnit:
        """The unit of that id; KeyError where there is none."""
        return self.units[self._places[id]]

    def __contains__(self, id: object) -> bool:
        return id in self._places

    def with_unit(self, unit: LessonUnit) -> Lesson:
        """The same lesson with one unit exchanged for its successor of the same id."""
        return self.replaced([unit])

    def replaced(self, units: Iterable[LessonUnit]) -> Lesson:
        """The same lesson with several units exchanged; KeyError for an id that it does not have."""
        changed = list(self.units)
        for unit in units:
            changed[self._places[unit.id]] = unit
        return replace(self, units=tuple(changed))

    @cached_property
    def sections(self) -> tuple[LessonUnit, ...]:
        """The running text in reading order: introduction, sections, conclusion."""
        return tuple(unit for unit in self.units if unit.role in READ_ALOUD)

    def neighbours(self, id: str) -> tuple[LessonUnit | None, LessonUnit | None]:
        """The units before and after it in reading order."""
        place = self._places[id]
        before = self.units[place - 1] if place > 0 else None
        after = self.units[place + 1] if place + 1 < len(self.units) else None
        return before, after

    @property
    def words(self) -> int:
        return sum(unit.words for unit in self.units)

    @cached_property
    def usual_words(self) -> float | None:
        """Words of the middle section by length; None where there are too few for one to be usual."""
        counts = [unit.words for unit in self.units if unit.role == "section"]
        return median(counts) if len(counts) >= FEWEST_SECTIONS else None


@dataclass(frozen=True, slots=True)
class Objective:
    """What a learner can do afterwards."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Spec:
    """What the lesson was ordered to be."""

    lesson_id: str
    title: str
    language: str
    difficulty: str
    learning_objectives: tuple[Objective, ...]
    content_archetype: str | None = None
    duration_minutes: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Members that we do not know, as they stand."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the source that a claim can be held against."""

    id: str
    """`name#p0003`: the file's name and the passage's position in it."""
    text: str
    source: str
    """The file's name."""
    line: int
    """Where it begins, 1-based."""


@dataclass(frozen=True, slots=True)
class WholeLesson:
    """The lesson as one unit: what checks of the whole document look at. It has no text of its own to edit."""

    lesson: Lesson
    id: str = "lesson"

    @property
    def content_hash(self) -> str:
        return text_digest("\n".join(unit.content_hash for unit in self.lesson.units))

    def texts(self) -> Mapping[Field, str]:
        return {}

    def with_text(self, field: Field, text: str) -> Self:
        raise KeyError(field)


@dataclass(frozen=True, slots=True)
class LessonContext:
    """What every check of a lesson gets beside the unit."""

    lesson: Lesson
    """The lesson that the unit belongs to."""
    language: str
    """BCP 47 primary tag: the spec's, else the file's, else what the prose shows, else `und`."""
    spec: Spec | None = None
    passages: tuple[Passage, ...] = ()
    """The source material; empty where none was given."""
    is_language_told: bool = False
    """Whether the spec or the file says the language: nothing is critical against one that was only found."""

    @classmethod
    def of(cls, lesson: Lesson, spec: Spec | None = None, passages: Iterable[Passage] = ()) -> Self:
        declared = primary_tag(spec.language if spec else None) or primary_tag(lesson.language)
        language = shown_language(lesson) if declared is None else declared if is_known(declared) else UNKNOWN_LANGUAGE
        return cls(lesson, language, spec, tuple(passages), declared is not None and language == declared)


def shown_language(lesson: Lesson) -> str:
    """The language that most of the prose is surely written in: the longest units tell it, or all of them together."""
    longest = sorted(lesson.units, key=lambda unit: -unit.words)[:VOTERS]
    votes: dict[str, int] = {}
    for unit in longest:
        language = sure_language(unit.prose)
        if language is not None:
            votes[language] = votes.get(language, 0) + unit.words
    if not votes:
        return sure_language("\n".join(unit.prose for unit in longest)) or UNKNOWN_LANGUAGE
    return max(votes, key=lambda language: (votes[language], language))


PARTS = ("intro", "sections", "examples", "exercises", "conclusion")
"""The members of `content`, in reading order."""

LISTS = {"section": "sections", "example": "examples", "exercise": "exercises"}


def wire_lesson(lesson: Lesson) -> dict[str, Any]:
    """The whole lesson: `lesson_id`, `content`, and all that was carried along."""
    details = {name: part for name, part in lesson.details.items() if name != "content"}
    wired: dict[str, Any] = {"lesson_id": lesson.lesson_id, "title": lesson.title}
    if lesson.language is not None:
        wired["language"] = lesson.language
    return {**wired, **details, "content": wire_content(lesson)}


def wire_content(lesson: Lesson) -> dict[str, Any]:
    """The contract's `content` object. Patches (RFC 6902) are made against this form."""
    content: dict[str, Any] = {"sections": [], "examples": [], "exercises": []}
    for unit in lesson.units:
        if unit.role in LISTS:
            wired: dict[str, Any] = {"id": unit.id} if unit.role == "section" else {}
            for name, text in unit.fields.items():
                if name is not None and name.startswith("hints."):
                    wired.setdefault("hints", []).append(text)
                else:
                    wired["content" if name is None else name] = text
            content[LISTS[unit.role]].append({**wired, **unit.carried})
        else:
            content[unit.role] = unit.text
    extra = lesson.details.get("content")
    ordered = {name: content[name] for name in PARTS if name in content}
    return {**ordered, **(extra if isinstance(extra, dict) else {})}


def pointer(lesson: Lesson, unit: str, field: Field) -> str:
    """The JSON Pointer (RFC 6901) of a unit's text inside `wire_content`: `/sections/2/content`, `/intro`."""
    found = lesson.unit(unit)
    if found.role not in LISTS:
        return f"/{found.role}"
    place = [other.id for other in lesson.units if other.role == found.role].index(unit)
    member = "content" if field is None else field.replace(".", "/")
    return f"/{LISTS[found.role]}/{place}/{member}"
