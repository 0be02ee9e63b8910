"""GIFT, Moodle's text format: multiple choice with one right answer is judged, every other type passes through.

The general feedback is the rationale, an answer's feedback travels with its option. The id is the `[id:...]` of a
comment above the question, else the title; titles are labels, so repeating one is no mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import regex

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats.base import BankFormat, Draft, Fault, Outcome, Piece
from burnish.kinds.questions.formats.changes import Path
from burnish.kinds.questions.formats.drafting import drafted, option_key
from burnish.kinds.questions.formats.gift_text import (
    BLANK,
    COMMENT,
    WEIGHT,
    Anatomy,
    Unbalanced,
    anatomy,
    builder,
    encode,
    format_of_text,
    stem_builder,
    unescaped,
)
from burnish.kinds.questions.formats.limits import ID_CHARACTERS, ITEM_BYTES, ITEM_LINES
from burnish.kinds.questions.formats.mapped import FieldText, Splice, applied, field_text
from burnish.kinds.questions.formats.markup import MOODLE_TEXT, markup_layer
from burnish.kinds.questions.formats.places import NotCarried, Place, TooComplex
from burnish.kinds.questions.formats.recognition import beginning, extension, family
from burnish.kinds.questions.formats.source import Line, Lines, Source, decoded, open_text
from burnish.kinds.questions.formats.writing import Choice, Losses, choices
from burnish.kinds.questions.model import Question

RECOGNISED = regex.compile(
    r"^[ \t]*::[^\n]{1,300}?::|^\$CATEGORY:|(?<!\\)\{\s*(?:[~=#]|(?:T|F|TRUE|FALSE)\s*[#}])[^{}]*\}", regex.MULTILINE
)
DECLARED = regex.compile(r"//[^\r\n]*?\[id:((?:\\.|[^\]\\\r\n])+)\]")
TAG = regex.compile(r"//[^\r\n]*\[tag:")
TAGS = regex.compile(r"\[tag:((?:\\.|[^\]\\\r\n])+)\]")
NEXT_TITLE = regex.compile(r"^[^\n]*(?<!\\)\}[ \t]*\r?\n[ \t]*::[^\n:]{1,300}+::", regex.MULTILINE)
"""A title on the line after closed answers: Moodle would take both for one question."""
CATEGORY = regex.compile(r"\s*\$CATEGORY:")


class GiftDraft(Draft):
    """One block of lines that is a question."""

    def __init__(self, raw: bytes, place: Place, text: str, parts: Anatomy, category: str | None) -> None:
        super().__init__(raw, place)
        self._text = text
        self._parts = parts
        self._category = category
        declared = DECLARED.search(text)
        self._id = _label(declared.group(1).replace("\\]", "]")) if declared else None
        self._title = _label(text[slice(*parts.title)]) if parts.title else None
        self.reports_ids = self._id is not None

    @property
    def declared(self) -> str | None:
        return self._id or self._title

    def _fields(self) -> dict[str, FieldText]:
        """The texts of the question, by place."""
        text, parts = self._text, self._parts
        format = format_of_text(text[slice(*parts.stem)], "moodle")
        fields = {"stem": field_text("stem", text, *parts.stem, stem_builder)}
        for index, answer in enumerate(parts.answers):
            fields[f"options.{index}.text"] = field_text(f"options.{index}", text, *answer.text, builder(format))
            if answer.feedback is not None:
                name = f"options.{index}.feedback"
                fields[name] = field_text(name, text, *answer.feedback, builder(format))
        if parts.general is not None:
            fields["rationale"] = field_text("rationale", text, *parts.general, builder(format))
        return fields

    def outcome(self, id: str) -> Outcome:
        if self._parts.type != "multichoice":
            return PassedThrough(id, self._parts.type, self.place.line), []
        texts = self._fields()
        options = []
        for index in range(len(self._parts.answers)):
            option = {"key": option_key(index), "text": texts[f"options.{index}.text"].text}
            feedback = texts.get(f"options.{index}.feedback")
            options.append(option | ({"feedback": feedback.text} if feedback and feedback.text else {}))
        right = next(index for index, answer in enumerate(self._parts.answers) if answer.right)
        fields: dict[str, Any] = {"id": id, "stem": texts["stem"].text, "options": options}
        fields["correct_answer"] = option_key(right)
        if "rationale" in texts:
            fields["rationale"] = texts["rationale"].text
        return drafted(fields | self._carried(), self.place, size=len(self.raw))

    def _carried(self) -> dict[str, Any]:
        """What the format holds beyond our model."""
        carried: dict[str, Any] = {}
        if self._id and self._title:
            carried["name"] = self._title
        if self._category:
            carried["category"] = self._category
        if TAG.search(self._text):
            carried["tags"] = [unescaped(tag) for tag in TAGS.findall(self._text)]
        return carried

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        fields, splices = self._fields(), []
        for path, new in changed.items():
            name = ".".join(map(str, path))
            if name in fields:
                splices += fields[name].rewritten(self._text, str(new))
            elif name == "correct_answer":
                splices += self._exchanged_marks(str(new))
            elif name == "rationale":
                splices.append(self._added_rationale(str(new)))
            else:
                raise NotCarried(name, "GIFT has no place for it.")
        return applied(self._text, sorted(splices)).encode()

    def _exchanged_marks(self, key: str) -> list[Splice]:
        """The old and the new key exchange their marks, weights included."""
        answers = self._parts.answers
        new = next((answer for index, answer in enumerate(answers) if option_key(index) == key.strip()), None)
        if new is None:
            raise NotCarried("correct_answer", f"no answer has the key {key!r}.")
        old = next(answer for answer in answers if answer.right)
        return [Splice(*old.mark, self._text[slice(*new.mark)]), Splice(*new.mark, self._text[slice(*old.mark)])]

    def _added_rationale(self, new: str) -> Splice:
        opening, closing = self._parts.braces or (0, 0)
        format = format_of_text(self._text[slice(*self._parts.stem)], "moodle")
        blank = field_text("rationale", "", 0, 0, builder(format))
        text = applied("", blank.rewritten("", new))
        held = self._text[opening : closing - 1].rstrip(BLANK)
        line_end = next((end for end in ("\r\n", "\n", "\r") if end in self._text[opening:closing]), None)
        before = f"{line_end}\t" if line_end else ""
        return Splice(opening + len(held), opening + len(held), f"{before}####{text}")

    def again(self, raw: bytes) -> Draft | None:
        piece = _question(raw, self.place, self._category)
        return piece if isinstance(piece, GiftDraft) else None


def _label(text: str) -> str | None:
    label = unescaped(text).strip()
    return label if label and len(label) <= ID_CHARACTERS else None


def _question(raw: bytes, place: Place, category: str | None) -> Piece:
    text = decoded(raw, place)
    if isinstance(text, Problem):
        return Fault(raw, text)
    if NEXT_TITLE.search(text):
        hint = "Put a blank line between two questions."
        return Fault(raw, place.problem("no_blank_line", "A second question begins inside this one.", hint=hint))
    try:
        return GiftDraft(raw, place, text, anatomy(text), category)
    except TooComplex as refusal:
        return Fault(raw, refusal.at(place))
    except Unbalanced:
        hint = "Close the answers with `}`; a blank line inside them ends the question."
        return Fault(raw, place.problem("unbalanced_braces", "The braces of the question do not match.", hint=hint))


class Gift(BankFormat):
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

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        losses = Losses()
        for question in questions:
            feedback = {"options.feedback"} if all(isinstance(_feedback(o), str) for o in question.options) else set()
            for choice in choices(question, losses, {"rationale"} | feedback):
                if all(option.text.strip(BLANK) for option in choice.options):
                    if any("\r" in text for text in question.texts().values()):
                        losses.add("Carriage returns become line ends", question.id)
                    target.write(_written(choice).encode())
                else:
                    losses.add("Questions with an empty option are left out", question.id)
        return losses.sentences()

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        tail = b""
        for chunk in open_text(stream, "").chunks():
            if b"####" in tail + chunk:
                return frozenset({"rationale"})
            tail = chunk[-3:]
        return frozenset()


def _blocks(source: Source) -> Iterator[tuple[bytes, Place] | Fault | bytes]:
    """Questions are parted by blank lines."""
    held: list[Line] = []
    size, told = 0, 0
    for line in Lines(source, ITEM_BYTES):
        blank = not line.raw.strip(b" \t\r\n\x00\x0b")
        if not blank and line.whole and size <= ITEM_BYTES and len(held) < ITEM_LINES:
            held.append(line)
            size += len(line.raw)
            continue
        yield from _block(held, source.path)
        held, size = [], 0
        if not blank and line.number != told:
            told = line.number
            yield Fault(
                b"", Place(source.path, line.number).problem("too_long", "The question is too long; it is passed over.")
            )
        yield line.raw
    yield from _block(held, source.path)


def _block(held: list[Line], path: str) -> Iterator[tuple[bytes, Place]]:
    if held:
        yield b"".join(line.raw for line in held), Place(path, held[0].number, held[0].offset)


def _feedback(option: Any) -> Any:
    return (option.model_extra or {}).get("feedback", "")


def _written(choice: Choice) -> str:
    """The question in GIFT. `[plain]` keeps Moodle from taking `<` and `&` in plain text for HTML."""
    question = choice.question
    texts = (
        choice.stem,
        question.rationale or "",
        *(option.text for option in choice.options),
        *map(_feedback, choice.options),
    )
    tagged = (
        "[plain]" if any(text.startswith("[") or markup_layer(text, MOODLE_TEXT).text != text for text in texts) else ""
    )
    lines = [f"::{encode(question.id)}::{tagged}{encode(choice.stem)} {{"]
    for index, option in enumerate(choice.options):
        mark = "=" if index == choice.right else "~%0%" if WEIGHT.match(option.text) else "~"
        text, feedback = (f"{tagged}{encode(part)}" if part else "" for part in (option.text, _feedback(option)))
        lines.append(f"\t{mark}{text}" + (f"#{feedback}" if feedback else ""))
    if question.rationale:
        lines.append(f"\t####{tagged}{encode(question.rationale)}")
    return "\n".join((*lines, "}", "", ""))
