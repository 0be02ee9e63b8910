"""GIFT, Moodle's text format: multiple choice and true/false are judged, every other type passes through.

Escapes, comments and the parts of a question are read as Moodle reads them. The general feedback is the rationale, an
answer's feedback is carried with its option. The id is the `[id:...]` of a comment above the question, or else the
title; titles are labels, which may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import BinaryIO

import regex

from burnish.core.documents import PassedThrough
from burnish.kinds.questions.formats.base import (
    Choice,
    Draft,
    Fault,
    Format,
    Losses,
    Outcome,
    Piece,
    TextDraft,
    choices,
    drafted_piece,
    feedback_in,
    new_text,
    texts_only,
    with_letter,
)
from burnish.kinds.questions.formats.drafts import choice_fields, drafted, usable_id
from burnish.kinds.questions.formats.markup import HTML, MOODLE_TEXT, markup_layer
from burnish.kinds.questions.formats.source import (
    ITEM_BYTES,
    ITEM_LINES,
    OPTIONS,
    TOKENS,
    Line,
    Lines,
    Place,
    Source,
    TooComplex,
    bounded,
    family,
    open_text,
)
from burnish.kinds.questions.model import VERDICTS, Question, QuestionType
from burnish.kinds.registry import beginning, extension
from burnish.text.mapped_text import FieldText, Layer, NotCarried, Run, Setting, Splice, field_text, trimmed

CONTROL = regex.compile(r"[~=#{}:\\]")
ESCAPE = regex.compile(r"\\[\\:#={}~n]")
COMMENT = regex.compile(r"(?:\A|(?<=[\r\n]))[ \t]*+//[^\r\n]*")
PARTS = regex.compile(
    r"(?P<escape>\\[\\:#={}~n])|(?P<line_end>[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+(?://[^\r\n]*)?)+)"
    r"|(?P<text>[^\\ \t\r\n]++(?:[ \t]++[^\\ \t\r\n]++)*+|[ \t]+|.)",
    regex.DOTALL,
)
WEIGHT = regex.compile(r"\s*%-*[0-9]{1,2}\.?[0-9]*%|\s*%100%")
BLANK = " \t\r\n\x00\x0b"
"""The characters that Moodle trims."""
FORMAT = regex.compile(rf"[{BLANK}]*\[(html|moodle|plain|markdown)\]")
MISSING_WORD = "_____"
TURNED = {"T": "F", "F": "T", "TRUE": "FALSE", "FALSE": "TRUE"}


def masked(block: str) -> str:
    """The block in its full length, with comments and escaped characters blanked out."""
    bare = COMMENT.sub(lambda match: " " * len(match.group()), block)
    return ESCAPE.sub("xx", bare)


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """One answer between the braces."""

    mark: tuple[int, int]
    """The place of `~` or `=`, with the weight after it."""
    right: bool
    weight: float
    """In percent; 0 if none is given."""
    text: tuple[int, int]
    feedback: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The places of a question's parts in its text."""

    title: tuple[int, int] | None
    stem: tuple[int, int]
    """From the first character of the stem to the last one after the answers, including the answers."""
    braces: tuple[int, int] | None
    general: tuple[int, int] | None
    """The general feedback."""
    type: str
    answers: tuple[AnswerPart, ...] = ()
    verdict: tuple[int, int] = (0, 0)
    """The place of `T` or `FALSE`."""
    feedback: tuple[tuple[int, int], ...] = ()
    """Of true/false: the feedback for the wrong answer, then for the right one."""

    @property
    def right(self) -> list[int]:
        """The positions of the right answers."""
        full = [index for index, answer in enumerate(self.answers) if answer.right]
        return full or [index for index, answer in enumerate(self.answers) if answer.weight > 0]


class Unusable(Exception):
    """A block that is not a readable question. Caught in this module."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def anatomy(block: str) -> Anatomy:
    """The parts of a block that is not a category."""
    mask = masked(block)
    start, title = _title(mask)
    opening, closing = mask.find("{", start), mask.find("}", start)
    end = len(mask.rstrip(BLANK))
    if opening < 0 and closing < 0:
        return Anatomy(title, (start, end), None, None, "description")
    if opening < 0 or closing < opening:
        hint = "Close the answers with `}`; a blank line inside them ends the question."
        raise Unusable("unbalanced_braces", "The braces of the question do not match.", hint)
    separator = mask.rfind("####", opening + 1, closing)
    general = None if separator < 0 else (separator + 4, closing)
    last = closing if separator < 0 else separator
    held = mask[opening + 1 : last]
    type = _type(held)
    answers = tuple(_answers(mask, opening + 1, last)) if type == "multichoice" else ()
    if type == "multichoice" and held[: answers[0].mark[0] - opening - 1].strip(BLANK):
        type = "multichoice with text before the first answer"
    elif type == "multichoice" and not any(answer.right or answer.weight > 0 for answer in answers):
        type = "multichoice without a right answer"
    found = Anatomy(title, (start, end), (opening, closing + 1), general, type, answers)
    if type != "truefalse":
        return found
    # The parts of `T#feedback for the wrong answer#feedback for the right one`.
    ends = [index for index in range(opening + 1, last) if mask[index] == "#"]
    word = mask[opening + 1 : ends[0] if ends else last]
    begins = opening + 1 + len(word) - len(word.lstrip(BLANK))
    feedback = tuple((begin + 1, after) for begin, after in pairwise([*ends, last]))
    return replace(found, verdict=(begins, begins + len(word.strip(BLANK))), feedback=feedback[:2])


def _title(mask: str) -> tuple[int, tuple[int, int] | None]:
    """The start of the stem, and the place of the title."""
    start = len(mask) - len(mask.lstrip(BLANK))
    if not mask.startswith("::", start):
        return start, None
    end = mask.find("::", start + 2)
    if end < 0:
        return start, None
    after = mask[end + 2 :]
    return end + 2 + len(after) - len(after.lstrip(BLANK)), (start + 2, end)


def _type(held: str) -> str:
    answers = held.strip(BLANK)
    if not answers:
        return "essay"
    if answers.startswith("#"):
        return "numerical"
    if "~" in answers:
        return "multichoice"
    if "=" in answers and "->" in answers:
        return "matching"
    return "truefalse" if answers.partition("#")[0].strip(BLANK) in TURNED else "shortanswer"


def _answers(mask: str, start: int, end: int) -> Iterator[AnswerPart]:
    if mask.count("~", start, end) + mask.count("=", start, end) > OPTIONS:
        raise TooComplex
    marks = [index for index in range(start, end) if mask[index] in "~="]
    # `~=` is one mark: Moodle reads `=` as the beginning of an answer, and ignores the empty one between them.
    marks = [
        m for m, after in zip(marks, [*marks[1:], end], strict=True) if mask[m + 1 : after].strip(BLANK) or after == end
    ]
    for mark, after in zip(marks, [*marks[1:], end], strict=True):
        right = mask[mark] == "="
        weight = None if right else WEIGHT.match(mask, mark + 1, after)
        begins = weight.end() if weight else mark + 1
        full = weight is not None and weight.group().strip(BLANK) == "%100%"
        hash = mask.find("#", begins, after)
        text_end = after if hash < 0 else hash
        feedback = None if hash < 0 else (hash + 1, after)
        worth = float(weight.group().strip(BLANK + "%").lstrip("-") or 0) if weight else 0.0
        signed = -worth if weight and "-" in weight.group() else worth
        yield AnswerPart((mark, begins), right or full, signed, (begins, text_end), feedback)


def format_of_text(text: str, inherited: str) -> str:
    """The format that a text declares, or else the inherited one."""
    named = FORMAT.match(text)
    return named.group(1) if named else inherited


def builder(inherited: str) -> Callable[[str], list[Layer]]:
    """Return a function that makes the layers of a question's text."""

    def build(source: str) -> list[Layer]:
        named = FORMAT.match(source)
        start = named.end() if named else 0
        return _dressed(list(_runs(source, start, len(source))), format_of_text(source, inherited), start)

    return build


def stem_builder(source: str) -> list[Layer]:
    """The layers of a stem, from its first character to the end of the block."""
    # A stem that begins with `//` is not a comment: it is not at the beginning of its line.
    mask = masked(f"x{source}")[1:]
    named = FORMAT.match(source)
    start = named.end() if named else 0
    opening, closing = mask.find("{"), mask.find("}")
    runs = list(_runs(source, start, opening))
    if mask[closing + 1 :].strip(BLANK):
        runs.append(Run(MISSING_WORD, opening, opening, "fixed"))
        runs += _runs(source, closing + 1, len(source))
    return _dressed(runs, format_of_text(source, "moodle"), start)


def _dressed(runs: list[Run], format: str, home: int) -> list[Layer]:
    layer = Layer(trimmed(runs, BLANK), encode, home)
    if format == "html":
        return [layer, markup_layer(layer.text, HTML)]
    return [layer, markup_layer(layer.text, MOODLE_TEXT)] if format == "moodle" else [layer]


def _runs(source: str, start: int, end: int) -> Iterator[Run]:
    for match in bounded(PARTS.finditer(source, start, end), TOKENS):
        kind, part = match.lastgroup, match.group()
        if kind == "escape":
            yield Run("\n" if part == "\\n" else part[1], match.start(), match.end(), "coded")
        elif kind == "line_end":
            yield Run("\n", match.start(), match.end(), "coded")
        else:
            yield Run(part, match.start(), match.end())


def encode(new: str, _setting: Setting | None = None) -> str:
    """Text with GIFT's escapes."""
    escaped = CONTROL.sub(lambda match: f"\\{match.group()}", new)
    return escaped.replace("\r\n", "\\n").replace("\r", "\\n").replace("\n", "\\n")


def unescaped(text: str) -> str:
    """Text without escapes."""
    return ESCAPE.sub(lambda match: "\n" if match.group() == "\\n" else match.group()[1], text)


RECOGNISED = regex.compile(
    r"^[ \t]*::[^\n]{1,300}?::|^\$CATEGORY:|(?<!\\)\{\s*(?:[~=#]|(?:T|F|TRUE|FALSE)\s*[#}])[^{}]*\}", regex.MULTILINE
)
DECLARED = regex.compile(r"//[^\r\n]*?\[id:((?:\\.|[^\]\\\r\n])+)\]")
TAG = regex.compile(r"//[^\r\n]*\[tag:")
TAGS = regex.compile(r"\[tag:((?:\\.|[^\]\\\r\n])+)\]")
NEXT_TITLE = regex.compile(r"^[^\n]*(?<!\\)\}[ \t]*\r?\n[ \t]*::[^\n:]{1,300}+::", regex.MULTILINE)
"""A title on the line after closed answers: Moodle would take both for one question."""
CATEGORY = regex.compile(r"\s*\$CATEGORY:")


class GiftDraft(TextDraft):
    """One block of lines that is a question."""

    holder = "GIFT"

    def __init__(self, raw: bytes, place: Place, text: str, category: str | None) -> None:
        super().__init__(raw, place, text)
        self._parts = anatomy(text)
        self._category = category
        declared = DECLARED.search(text)
        self._id = usable_id(unescaped(declared.group(1).replace("\\]", "]"))) if declared else None
        self._title = usable_id(unescaped(text[slice(*self._parts.title)])) if self._parts.title else None
        self.reports_ids = self._id is not None

    @property
    def declared(self) -> str | None:
        return self._id or self._title

    def fields(self) -> dict[str, FieldText]:
        text, parts = self.text, self._parts
        build = builder(format_of_text(text[slice(*parts.stem)], "moodle"))
        places = {f"options.{index}.text": answer.text for index, answer in enumerate(parts.answers)}
        said = [(index, answer.feedback) for index, answer in enumerate(parts.answers)]
        said += zip((1 - self._verdict, self._verdict), parts.feedback, strict=False)
        places |= {f"options.{index}.feedback": place for index, place in said if place is not None}
        places |= {"rationale": parts.general} if parts.general is not None else {}
        fields = {name: field_text(name, text, *place, build) for name, place in places.items()}
        return {"stem": field_text("stem", text, *parts.stem, stem_builder), **fields}

    @property
    def _verdict(self) -> int:
        """The position of the right answer."""
        return 0 if self.text[slice(*self._parts.verdict)].startswith("T") else 1

    def outcome(self, id: str) -> Outcome:
        type, right = self._parts.type, self._parts.right
        if type == "truefalse":
            fields = choice_fields(id, self.fields(), len(VERDICTS), [self._verdict], "true_false")
        elif type == "multichoice":
            one_key = sum(answer.right for answer in self._parts.answers) == 1
            ours: QuestionType = "single_best_answer" if one_key else "multiple_response"
            fields = choice_fields(id, self.fields(), len(self._parts.answers), right, ours)
        else:
            return PassedThrough(id, type, self.place.line), []
        # Content of the format that our model does not have.
        fields |= {"name": self._title} if self._id and self._title else {}
        fields |= {"category": self._category} if self._category else {}
        fields |= {"tags": [unescaped(tag) for tag in TAGS.findall(self.text)]} if TAG.search(self.text) else {}
        return drafted(fields, self.place, size=len(self.raw))

    def with_key(self, key: str) -> list[Splice]:
        """Exchange the marks of the old and the new key, including weights; reverse a true/false answer."""
        answers = self._parts.answers
        if self._parts.type == "truefalse" and with_letter(VERDICTS, key) is not None:
            return [Splice(*self._parts.verdict, TURNED[self.text[slice(*self._parts.verdict)]])]
        new = with_letter(answers, key)
        if new is None:
            raise NotCarried("correct_answer", f"no answer has the key {key!r}.")
        return self.exchanged(next(answer for answer in answers if answer.right).mark, new.mark)

    def added(self, name: str, new: str) -> list[Splice] | None:
        if name != "rationale":
            return None
        opening, closing = self._parts.braces or (0, 0)
        format = format_of_text(self.text[slice(*self._parts.stem)], "moodle")
        text = new_text("rationale", builder(format), new)
        held = self.text[opening : closing - 1].rstrip(BLANK)
        line_end = next((end for end in ("\r\n", "\n", "\r") if end in self.text[opening:closing]), None)
        before = f"{line_end}\t" if line_end else ""
        return [Splice(opening + len(held), opening + len(held), f"{before}####{text}")]

    def again(self, raw: bytes) -> Draft | None:
        piece = _question(raw, self.place, self._category)
        return piece if isinstance(piece, GiftDraft) else None


def _question(raw: bytes, place: Place, category: str | None) -> Draft | Fault:
    def draft(text: str) -> GiftDraft:
        if NEXT_TITLE.search(text):
            raise Unusable(
                "no_blank_line", "A second question begins inside this one.", "Put a blank line between two questions."
            )
        return GiftDraft(raw, place, text, category)

    try:
        return drafted_piece(raw, place, draft)
    except Unusable as refusal:
        return Fault(raw, place.problem(refusal.code, str(refusal), hint=refusal.hint))


class Gift(Format):
    """`.gift` or `.txt`."""

    name = "gift"
    extensions = (".gift", ".txt")

    def recognise(self, path: str, head: bytes) -> bool:
        kind, ending = family(head), extension(path)
        if ending == ".gift":
            return kind in ("text", "nothing", "json")
        return kind == "text" and ending in (".txt", "") and RECOGNISED.search(beginning(head)) is not None

    def pieces(self, source: Source) -> Iterator[Piece]:
        category: str | None = None
        for block in _blocks(source):
            if isinstance(block, Fault | bytes):
                yield block
                continue
            raw, place = block
            meaning = COMMENT.sub("", raw.decode("utf-8", "replace")).strip(BLANK)
            if CATEGORY.match(meaning):
                category = unescaped(meaning.partition(":")[2]).strip()
                yield raw
            elif meaning:
                yield _question(raw, place, category)
            else:
                yield raw

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        for choice in choices(question, losses, texts_only(question, ("rationale", "options.feedback"))):
            if all(option.text.strip(BLANK) for option in choice.options):
                if any("\r" in text for text in question.texts().values()):
                    losses.add("Carriage returns become line ends", question.id)
                yield _written(choice)
            else:
                losses.add("Questions with an empty option are left out", question.id)

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        tail = b""
        for chunk in open_text(stream, "").chunks():
            if b"####" in tail + chunk:
                return frozenset({"rationale"})
            tail = chunk[-3:]
        return frozenset()


def _blocks(source: Source) -> Iterator[tuple[bytes, Place] | Fault | bytes]:
    """Split the file at blank lines into questions."""
    held: list[Line] = []
    size = 0
    for line in Lines(source, ITEM_BYTES):
        blank = not line.raw.strip(b" \t\r\n\x00\x0b")
        if not blank and not line.piece and size <= ITEM_BYTES and len(held) < ITEM_LINES:
            held.append(line)
            size += len(line.raw)
            continue
        if held:
            yield b"".join(line.raw for line in held), Place(source.path, held[0].number, held[0].offset)
        held, size = [], 0
        if not blank and line.piece < 2:
            place = Place(source.path, line.number)
            yield Fault(b"", place.problem("too_long", "The question is too long; it is skipped."))
        yield line.raw
    if held:
        yield b"".join(line.raw for line in held), Place(source.path, held[0].number, held[0].offset)


def _written(choice: Choice) -> str:
    """The question in GIFT. With `[plain]`, Moodle does not read `<` and `&` of plain text as HTML."""
    question = choice.question
    texts = [choice.stem, question.rationale or ""]
    texts += (text for option in choice.options for text in (option.text, feedback_in(option)))
    marked = any(text.startswith("[") or markup_layer(text, MOODLE_TEXT).text != text for text in texts)
    tagged = "[plain]" if marked else ""
    lines = [f"::{encode(question.id)}::{tagged}{encode(choice.stem)} {{"]
    for index, option in enumerate(choice.options):
        mark = "=" if index == choice.right else "~%0%" if WEIGHT.match(option.text) else "~"
        text, feedback = (f"{tagged}{encode(part)}" if part else "" for part in (option.text, feedback_in(option)))
        lines.append(f"\t{mark}{text}" + (f"#{feedback}" if feedback else ""))
    if question.rationale:
        lines.append(f"\t####{tagged}{encode(question.rationale)}")
    return "\n".join((*lines, "}", "", ""))
