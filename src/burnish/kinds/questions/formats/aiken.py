"""Aiken: a stem, lettered options, and a line with the answer.

As Moodle reads it: options begin with a capital letter and `.` or `)`, the question ends with `ANSWER: X`. A stem may
have several lines here (Moodle takes the last); lines before a blank one belong to another question.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import regex

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
)
from burnish.kinds.questions.formats.drafts import drafted, option_key
from burnish.kinds.questions.formats.source import (
    ITEM_BYTES,
    ITEM_LINES,
    OPTIONS,
    Line,
    Lines,
    Place,
    Source,
    family,
    open_text,
)
from burnish.kinds.questions.model import Question, are_verdicts
from burnish.kinds.registry import beginning, extension
from burnish.text.mapped_text import FieldText, Layer, NotCarried, Run, Setting, Splice, field_text, trimmed

OPTION_LINE = regex.compile(r"[ \t]*([A-Z])[.)][ \t]*(.*?)[ \t]*\Z")
OPTION_BYTES = regex.compile(rb"[ \t]*[A-Z][.)]")
ANSWER = regex.compile(r"[ \t]*ANSWER:[ \t]*(\S?)")
ANSWER_BYTES = regex.compile(rb"[ \t]*ANSWER:")
RECOGNISED = regex.compile(
    r"^[ \t]*[A-Z][.)].*\n(?:[ \t]*[A-Z][.)].*\n|[ \t]*\n){0,60}[ \t]*ANSWER:[ \t]*[A-Z]", regex.MULTILINE
)
LINE = regex.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


class AikenDraft(TextDraft):
    """One question: the lines from its stem to its answer."""

    reports_ids = False
    holder = "Aiken"

    def __init__(self, raw: bytes, place: Place, text: str) -> None:
        super().__init__(raw, place, text)
        self._fields: dict[str, FieldText] = {}
        self._answer = (0, 0)
        stem: list[int] = []
        keys: list[str] = []
        for match in LINE.finditer(text):
            line, start = match.group(1), match.start()
            option, answer = OPTION_LINE.match(line), ANSWER.match(line)
            if answer and keys:
                self._answer = (start + answer.start(1), start + answer.end(1))
                break
            if option:
                name, (first, last) = f"options.{len(keys)}", option.span(2)
                self._fields[f"{name}.text"] = field_text(name, text, start + first, start + last, _line_layer)
                keys.append(option.group(1))
            elif len(line.strip()) > 1:
                stem += (start, start + len(line))
        self._fields["stem"] = field_text("stem", text, *((stem[0], stem[-1]) if stem else (0, 0)), _stem_layer)
        self._keys = keys if len(set(keys)) == len(keys) else [option_key(index) for index in range(len(keys))]

    @property
    def declared(self) -> str | None:
        return None

    def fields(self) -> dict[str, FieldText]:
        return self._fields

    def outcome(self, id: str) -> Outcome:
        options = [{"key": key, "text": self._fields[f"options.{i}.text"].text} for i, key in enumerate(self._keys)]
        answer = self.text[slice(*self._answer)]
        fields = {"id": id, "stem": self._fields["stem"].text, "options": options, "correct_answer": answer}
        # Aiken has no types: true/false is recognised by the options.
        fields |= {"type": "true_false"} if are_verdicts(option["text"] for option in options) else {}
        return drafted(fields, self.place, size=len(self.raw))

    def with_key(self, key: str) -> list[Splice]:
        return [Splice(*self._answer, key)]

    def again(self, raw: bytes) -> Draft | None:
        # Split like a file, because a line of the stem may look like an answer. The blank line before it keeps a byte
        # order mark in the text from being taken for that of a file.
        pieces = Aiken().pieces(open_text(io.BytesIO(b"\n" + raw), self.place.path))
        found = [piece for piece in pieces if piece != b"\n"]
        only = found[0] if len(found) == 1 else None
        return AikenDraft(raw, self.place, raw.decode()) if isinstance(only, AikenDraft) and only.raw == raw else None


def _line_layer(source: str) -> list[Layer]:
    return [Layer([Run(source, 0, len(source))], _one_line)]


def _stem_layer(source: str) -> list[Layer]:
    runs = []
    for match in LINE.finditer(source):
        runs.append(Run(match.group(1), match.start(), match.start() + len(match.group(1))))
        if match.group(2):
            runs.append(Run("\n", match.start(2), match.end(2), "coded"))
    return [Layer(trimmed(runs), _one_line)]


def _one_line(new: str, _setting: Setting) -> str:
    if "\n" in new or "\r" in new:
        raise NotCarried("text", "Aiken cannot hold a line end inside a text.")
    return new


class _Block:
    """Collects the lines of one question."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.place = Place("", 1)
        self.size = 0
        self.stem = False
        self.options = 0
        self.paused = False
        """Whether the last line was blank."""

    def begins_anew(self, raw: bytes) -> bool:
        """Whether this line starts another question."""
        plain = len(raw.strip()) > 1 and not OPTION_BYTES.match(raw) and not ANSWER_BYTES.match(raw)
        return plain and (self.options > 0 or (self.stem and self.paused))

    def add(self, line: Line, path: str) -> bool:
        """Add the line; True if it ends the question."""
        if not self.lines:
            self.place = Place(path, line.number, line.offset)
        self.lines.append(line.raw)
        self.size += len(line.raw)
        self.paused = len(line.raw.strip()) < 2
        if self.paused:
            return False
        if ANSWER_BYTES.match(line.raw):
            return True
        if OPTION_BYTES.match(line.raw):
            self.options += 1
        else:
            self.stem = True
        return False

    def unfinished(self) -> Iterator[Piece]:
        """The fault of lines without an answer."""
        if self.lines:
            yield self._fault("The question has no ANSWER line.", "End it with a line such as `ANSWER: A`.")

    def finished(self) -> Piece:
        """The question that the ANSWER line ends."""
        if not self.stem:
            return self._fault("There is no question before these lines.", "Begin with the stem.")
        if self.options > OPTIONS:
            message = f"The question has more than {OPTIONS} options."
            return self._fault(message, "Is an ANSWER missing?", "too_many_options")
        if self.options < 2:
            return self._fault("The question has fewer than two options.", "Begin options with `A.`.")
        raw = b"".join(self.lines)
        return drafted_piece(raw, self.place, lambda text: AikenDraft(raw, self.place, text))

    def _fault(self, message: str, hint: str, code: str = "incomplete_question") -> Fault:
        return Fault(b"".join(self.lines), self.place.problem(code, message, hint=hint))


class Aiken(Format):
    """`.txt` or `.aiken`."""

    name = "aiken"
    extensions = (".aiken", ".txt")

    def recognise(self, path: str, head: bytes) -> bool:
        kind, ending = family(head), extension(path)
        if kind == "text" and ending in (".txt", ".aiken", ""):
            text = beginning(head).replace("\r\n", "\n").replace("\r", "\n")
            return ending == ".aiken" or RECOGNISED.search(text) is not None
        return ending == ".aiken" and kind == "nothing"

    def pieces(self, source: Source) -> Iterator[Piece]:
        block = _Block()
        for line in Lines(source, ITEM_BYTES):
            if line.piece or block.size > ITEM_BYTES or len(block.lines) > ITEM_LINES:
                yield from block.unfinished()
                block = _Block()
                if line.piece == 1:
                    yield Fault(b"", Place(source.path, line.number).problem("too_long", "The line is too long."))
                yield line.raw
                continue
            if not block.lines and len(line.raw.strip()) < 2:
                yield line.raw
                continue
            if block.begins_anew(line.raw):
                yield from block.unfinished()
                block = _Block()
            if block.add(line, source.path):
                yield block.finished()
                block = _Block()
        yield from block.unfinished()

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        for choice in choices(question, losses, ()):
            yield from _written(choice, losses)

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        return frozenset()


def _written(choice: Choice, losses: Losses) -> Iterator[str]:
    """The question in Aiken; nothing if one of its texts would be misread."""
    stem, *options = (_on_one_line(text, choice, losses) for text in (choice.stem, *(o.text for o in choice.options)))
    if len(options) > 26 or len(stem) < 2 or OPTION_LINE.match(stem) or ANSWER.match(stem) or not all(options):
        losses.add(
            "Questions that Aiken would misread (an empty text, a stem like `A. ...`) are left out", choice.question.id
        )
        return
    if choice.question.id:
        losses.add("Ids are not carried", choice.question.id)
    lettered = "".join(f"{option_key(index)}. {text}\n" for index, text in enumerate(options))
    yield f"{stem}\n{lettered}ANSWER: {option_key(choice.right)}\n\n"


def _on_one_line(text: str, choice: Choice, losses: Losses) -> str:
    joined = " ".join(text.split("\n")).replace("\r", " ") if "\n" in text or "\r" in text else text
    if joined != text:
        losses.add("Line ends inside texts become blanks", choice.question.id)
    return joined.strip(" \t")
