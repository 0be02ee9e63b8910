"""GIFT's own writing: escapes, comments, and the places of a question's parts, after Moodle's reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import regex

from burnish.kinds.questions.formats.limits import OPTIONS, TOKENS
from burnish.kinds.questions.formats.mapped import Layer, Run, Setting, trimmed
from burnish.kinds.questions.formats.markup import HTML, MOODLE_TEXT, markup_layer
from burnish.kinds.questions.formats.places import TooComplex, bounded

CONTROL = regex.compile(r"[~=#{}:\\]")
ESCAPE = regex.compile(r"\\[\\:#={}~n]")
COMMENT = regex.compile(r"(?:\A|(?<=[\r\n]))[ \t]*+//[^\r\n]*")
PARTS = regex.compile(
    r"(?P<escape>\\[\\:#={}~n])|(?P<line_end>[ \t]*+(?:(?:\r\n|\r|\n)[ \t]*+(?://[^\r\n]*)?)+)"
    r"|(?P<text>[^\\ \t\r\n]++(?:[ \t]++[^\\ \t\r\n]++)*+|[ \t]+|.)",
    regex.DOTALL,
)
FORMAT = regex.compile(r"\s*\[(html|moodle|plain|markdown)\]")
WEIGHT = regex.compile(r"\s*%-*[0-9]{1,2}\.?[0-9]*%|\s*%100%")
BLANK = " \t\r\n\x00\x0b"
MISSING_WORD = "_____"


def masked(block: str) -> str:
    """The block in its full length, with comments blanked and escapes made harmless: what is left has a meaning."""
    bare = COMMENT.sub(lambda match: " " * len(match.group()), block)
    return ESCAPE.sub("xx", bare)


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """One answer between the braces."""

    mark: tuple[int, int]
    """The place of `~` or `=` with the weight that follows."""
    right: bool
    weighted: bool
    text: tuple[int, int]
    feedback: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The places of a question's parts in its block."""

    title: tuple[int, int] | None
    stem: tuple[int, int]
    """From the first character of the stem to the last one after the answers, the answers in between."""
    braces: tuple[int, int] | None
    general: tuple[int, int] | None
    """The general feedback."""
    type: str
    answers: tuple[AnswerPart, ...] = ()


class Unbalanced(Exception):
    """The braces of a question do not match."""


def anatomy(block: str) -> Anatomy:
    """The parts of a block that is not a category."""
    mask = masked(block)
    start, title = _title(mask)
    opening, closing = mask.find("{", start), mask.find("}", start)
    end = len(mask.rstrip(BLANK))
    if opening < 0 and closing < 0:
        return Anatomy(title, (start, end), None, None, "description")
    if opening < 0 or closing < opening:
        raise Unbalanced
    separator = mask.rfind("####", opening + 1, closing)
    general = None if separator < 0 else (separator + 4, closing)
    last = closing if separator < 0 else separator
    held = mask[opening + 1 : last]
    type = _type(held)
    answers = tuple(_answers(mask, opening + 1, last)) if type == "multichoice" else ()
    if type == "multichoice" and held[: answers[0].mark[0] - opening - 1].strip(BLANK):
        type = "multichoice with text before the first answer"
    elif type == "multichoice" and sum(answer.right for answer in answers) != 1:
        type = "multichoice with several right answers"
    return Anatomy(title, (start, end), (opening, closing + 1), general, type, answers)


def _title(mask: str) -> tuple[int, tuple[int, int] | None]:
    """Where the stem begins, and where the title stands."""
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
    return "truefalse" if answers.partition("#")[0].strip(BLANK) in ("T", "TRUE", "F", "FALSE") else "shortanswer"


def _answers(mask: str, start: int, end: int) -> Iterator[AnswerPart]:
    if mask.count("~", start, end) + mask.count("=", start, end) > OPTIONS:
        raise TooComplex
    marks = [index for index in range(start, end) if mask[index] in "~="]
    # `~=` is one mark: Moodle reads `=` as the beginning of an answer, and nothing lies between the two.
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
        yield AnswerPart((mark, begins), right or full, weight is not None, (begins, text_end), feedback)


def format_of_text(text: str, inherited: str) -> str:
    """The format that a text names for itself, else the one it inherits."""
    named = FORMAT.match(text)
    return named.group(1) if named else inherited


def builder(inherited: str) -> Callable[[str], list[Layer]]:
    """Makes the layers of a text of a question."""

    def build(source: str) -> list[Layer]:
        named = FORMAT.match(source)
        start = named.end() if named else 0
        return _dressed(list(_runs(source, start, len(source))), format_of_text(source, inherited), start)

    return build


def stem_builder(source: str) -> list[Layer]:
    """Makes the layers of a stem, from its first character to the end of the block."""
    # A stem that begins with `//` is no comment: something stands before it on its line.
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
    """Text as GIFT writes it."""
    escaped = CONTROL.sub(lambda match: f"\\{match.group()}", new)
    return escaped.replace("\r\n", "\\n").replace("\r", "\\n").replace("\n", "\\n")


def unescaped(text: str) -> str:
    """What escaped text says."""
    return ESCAPE.sub(lambda match: "\n" if match.group() == "\\n" else match.group()[1], text)
