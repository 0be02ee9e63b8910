"""What all formats of question banks share: reading, rewriting in place, and writing anew.

A format cuts its file into pieces: questions as they stand there (`Draft`), stretches that cannot be used (`Fault`),
and everything else as bytes. Reading makes questions of the drafts; rewriting copies all pieces, with changed drafts
spliced. Both give the same ids, because both go through one `Register`. A new file names what it cannot carry
(`Losses`).
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, BinaryIO, TypeVar

from burnish.core.documents import PassedThrough, Problem
from burnish.core.errors import CannotWriteBack, InputError
from burnish.kinds.questions.formats.drafts import CODE as UNKNOWN_RULE
from burnish.kinds.questions.formats.drafts import (
    IdBook,
    Path,
    changes,
    contract_name,
    option_key,
    says_the_same,
    unknown_ignores,
)
from burnish.kinds.questions.formats.source import Place, Source, TooComplex, cannot_write_back, decoded, open_text
from burnish.kinds.questions.formats.xml_text import FORBIDDEN, Cut, Element, element_tree, well_formed, xml_cuts
from burnish.kinds.questions.model import Metadata, Option, Question
from burnish.text.mapped_text import FieldText, Layer, NotCarried, Splice, applied, field_text

Part = Question | Problem | PassedThrough
"""What reading gives, in the file's order; the problems of a question follow it."""
Outcome = tuple[Question | PassedThrough | None, list[Problem]]
"""The result of a draft: a question, something that is not judged, or nothing; and its problems."""
Changed = Callable[[str], Question | None]
"""Id -> the question as it is to be, or None where it stays as it is."""

CARRIABLE = frozenset({"vignette", "rationale", *(f"metadata.{name}" for name in Metadata.model_fields)})
"""The optional fields that `carried` looks for."""

NOTES = frozenset({"missing_id", UNKNOWN_RULE})
"""Problems that take nothing away: a bank without ids is good input, and so is one that ignores what does not exist."""


class Draft(ABC):
    """One question as it stands in its file."""

    reports_ids = True
    """False where the format has labels instead of ids: repeating one is no mistake."""

    def __init__(self, raw: bytes, place: Place) -> None:
        self.raw = raw
        self.place = place

    @property
    @abstractmethod
    def declared(self) -> str | None:
        """The id (or label) that the file gives, if any."""

    @abstractmethod
    def outcome(self, id: str) -> Outcome:
        """The question under the id that it was given."""

    @abstractmethod
    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        """The raw bytes with these changes, or NotCarried."""

    @abstractmethod
    def again(self, raw: bytes) -> Draft | None:
        """The draft that reading `raw` in the same place gives; None where it would not be one."""


class TextDraft(Draft):
    """A draft whose texts stand each in its own stretch of the source text, so that an edit touches nothing else."""

    holder = "the format"
    """What has no place for a change, in words."""

    def __init__(self, raw: bytes, place: Place, text: str) -> None:
        super().__init__(raw, place)
        self.text = text

    @abstractmethod
    def fields(self) -> dict[str, FieldText]:
        """The texts of the question, by place: `stem`, `options.0.text`, `rationale`."""

    @abstractmethod
    def with_key(self, key: str) -> list[Splice]:
        """The splices that make another option the right one, or NotCarried."""

    def added(self, name: str, new: str) -> list[Splice] | None:
        """The splices that give the question a text it has not; None where the format has no place for it."""
        return None

    def rewritten(self, field: FieldText, new: str) -> list[Splice]:
        """The splices that change a text it has."""
        return field.rewritten(self.text, new)

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        fields, splices = self.fields(), []
        for path, new in changed.items():
            name = ".".join(map(str, path))
            if after.type == "multiple_response" and name == "correct_answer":
                raise NotCarried(name, "several options can be right, and what they score tells them apart.")
            if name == "correct_answer":
                found: list[Splice] | None = self.with_key(str(new))
            else:
                found = self.rewritten(fields[name], str(new)) if name in fields else self.added(name, str(new))
            if found is None:
                raise NotCarried(name, f"{self.holder} has no place for it.")
            splices += found
        return applied(self.text, sorted(splices)).encode()

    def exchanged(self, one: tuple[int, int], other: tuple[int, int]) -> list[Splice]:
        """The splices that let two stretches change places."""
        return [Splice(*one, self.text[slice(*other)]), Splice(*other, self.text[slice(*one)])]


class XmlDraft(TextDraft):
    """A draft that is one element of an XML document."""

    def __init__(self, raw: bytes, place: Place, text: str, codec: str, *further: Any) -> None:
        super().__init__(raw, place, text)
        self.codec = codec
        self._further = further
        self.root: Element = element_tree(text)

    def again(self, raw: bytes) -> Draft | None:
        return type(self)(raw, self.place, raw.decode(), self.codec, *self._further) if well_formed(raw) else None


def new_text(name: str, build: Callable[[str], Sequence[Layer]], new: str) -> str:
    """A text that was not there before, as the format writes it."""
    return applied("", field_text(name, "", 0, 0, build).rewritten("", new))


T = TypeVar("T")


def with_letter(things: Sequence[T], key: str) -> T | None:
    """The one that goes by this letter where things have no keys of their own."""
    return next((thing for index, thing in enumerate(things) if option_key(index) == key.strip()), None)


@dataclass(frozen=True, slots=True)
class Fault:
    """A stretch of the file that cannot be used."""

    raw: bytes
    problem: Problem
    counts: bool = True
    """Whether a question is lost here; it keeps its position, so that the others keep theirs."""
    last: bool = False
    """Whether nothing after it can be read: only bytes follow."""


Piece = Draft | Fault | bytes


def drafted_piece(raw: bytes, place: Place, draft: Callable[[str], Draft]) -> Draft | Fault:
    """The draft of these bytes; a fault where they are not UTF-8, or made to cost too much."""
    text = decoded(raw, place)
    if isinstance(text, Problem):
        return Fault(raw, text)
    try:
        return draft(text)
    except TooComplex as refusal:
        return Fault(raw, refusal.at(place))


def xml_pieces(
    source: Source, wanted: Callable[[int, str], bool], draft: Callable[[Cut, str], Draft], *, counts: bool = True
) -> Iterator[Piece]:
    """The wanted elements of a document as drafts, and the bytes around them; `counts` is that of a Fault."""
    for cut in xml_cuts(source, wanted):
        if isinstance(cut, Cut):
            yield drafted_piece(cut.raw, cut.place, partial(draft, cut))
        else:
            yield Fault(b"", cut, counts, last=True) if isinstance(cut, Problem) else cut


class Register:
    """Gives ids to the drafts of one bank, in order."""

    def __init__(self) -> None:
        self._ids = IdBook()
        self._position = 0
        self._refusals: dict[str, InputError] = {}
        self.empty = True

    def parts(self, piece: Piece) -> Iterator[Part]:
        """What a reader gets of this piece."""
        if isinstance(piece, bytes):
            return
        self.empty = False
        if isinstance(piece, Fault):
            self._position += piece.counts
            yield piece.problem
            return
        id, told = self._identified(piece)
        result, problems = outcome_of(piece, id)
        if isinstance(result, Question):
            result.__dict__["line"] = piece.place.line  # where a cached property keeps its value
        if result is not None:
            yield result
        if told is not None:
            yield told
        if isinstance(result, Question) and result.burnish_ignore:
            yield from unknown_ignores(result, piece.place)
        # What is wrong with a question that was not made is a hole, whether its format knew the id or not.
        yield from problems if result is not None else (replace(problem, blocks=True) for problem in problems)

    def rewritten(self, piece: Piece, changed: Changed) -> bytes:
        """The bytes of this piece, with the change if there is one; `refuse_if_any` tells at the end what failed."""
        if isinstance(piece, bytes):
            return piece
        if isinstance(piece, Fault):
            self._position += piece.counts
            return piece.raw
        id, _ = self._identified(piece)
        after = changed(id)
        if after is None:
            return piece.raw
        try:
            return revised(piece, id, after)
        except InputError as refusal:
            self._refusals[id] = refusal
            return piece.raw

    def id_of(self, piece: Piece) -> str | None:
        """The id of the question in this piece; None where there is none."""
        if isinstance(piece, Fault):
            self._position += piece.counts
        return self._identified(piece)[0] if isinstance(piece, Draft) else None

    def rewritten_member(self, source: Source, pieces: Iterable[Piece], changed: Changed) -> bytes | None:
        """What a member of a package becomes; None where it stays as it is."""
        return recomposed(source, (self.rewritten(piece, changed) for piece in pieces))

    def refuse_if_any(self) -> None:
        """After the whole file: CannotWriteBack with every change that could not be made."""
        if self._refusals:
            raise CannotWriteBack(self._refusals)

    def _identified(self, draft: Draft) -> tuple[str, Problem | None]:
        self._position += 1
        return self._ids.assign(draft.declared, self._position, draft.place, reported=draft.reports_ids)


def recomposed(source: Source, parts: Iterable[bytes]) -> bytes | None:
    """A file in memory made of these parts; None where that is what it holds."""
    buffer = io.BytesIO()
    sink = source.sink(buffer)
    original = source.bom + source.head + source.stream.read()
    source.stream.seek(len(source.bom) + len(source.head))
    for part in parts:
        sink.write(part)
    return None if buffer.getvalue() == original else buffer.getvalue()


def outcome_of(draft: Draft, id: str) -> Outcome:
    """The outcome, also of a draft that is made to cost too much."""
    try:
        return draft.outcome(id)
    except TooComplex as refusal:
        return None, [refusal.at(draft.place)]


def revised(draft: Draft, id: str, after: Question) -> bytes:
    """The draft's bytes as `after`, proved by reading them again."""
    before, _ = outcome_of(draft, id)
    if not isinstance(before, Question):
        refusal = NotCarried("id", "it is not a question that can be changed.")
        raise cannot_write_back(refusal, draft.place, id)
    changed = changes(before, after)
    if not changed:
        return draft.raw
    first = ".".join(map(str, next(iter(changed))))
    try:
        if after.type == "true_false":
            # The words True and False say what the format means by them.
            verdict = next((".".join(map(str, path)) for path in changed if path[0] == "options"), None)
            if verdict is not None:
                raise NotCarried(verdict, "True and False are no texts of the question.")
        raw = draft.revised(after, changed)
        again = draft.again(raw)
        result = outcome_of(again, id)[0] if again is not None else None
        if not isinstance(result, Question) or not says_the_same(result, after):
            raise NotCarried("text", "it would not read back as it was written.")
    except NotCarried as refusal:
        # A format may speak of the second option, or just of a text.
        field = contract_name(first if refusal.field == "text" else refusal.field.removesuffix(".feedback"), before)
        raise cannot_write_back(NotCarried(field, refusal.why), draft.place, id) from refusal
    return raw


class Format(ABC):
    """One file format of question banks: a stream of pieces."""

    name: str
    extensions: tuple[str, ...]
    """Usual endings of file names, with the dot."""

    @abstractmethod
    def recognise(self, path: str, head: bytes) -> bool:
        """Whether a file with this name and these first bytes is one of ours. The content wins over the name."""

    @abstractmethod
    def pieces(self, source: Source) -> Iterator[Piece]:
        """The whole file, byte for byte, cut into pieces."""

    head = tail = ""
    """What a new file begins and ends with."""

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        """The question as it stands in a new file; nothing where the format has no room for it."""
        raise NotImplementedError(f"{self.name} writes a file as a whole")

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        """A new file of this format. Returns what could not be carried, one sentence each."""
        losses = Losses()
        target.write(self.head.encode())
        for question in questions:
            for text in self.written(question, losses):
                target.write(text.encode())
        target.write(self.tail.encode())
        return losses.sentences()

    @abstractmethod
    def carried(self, stream: BinaryIO) -> frozenset[str]:
        """Which of CARRIABLE occur anywhere in the bank: a cheap look."""

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_text(stream, path)

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        """The bank's questions as a stream, with what is wrong."""
        register = Register()
        for piece in self.pieces(self.open(stream, path)):
            yield from register.parts(piece)
            if isinstance(piece, Fault) and piece.last:
                return
        if register.empty:
            yield empty_bank(path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        """Copy the file; of changed questions only the changed texts are exchanged, every other byte stays.

        Changes that the format cannot hold raise CannotWriteBack, at the end and all at once.
        """
        register = Register()
        opened = self.open(source, path)
        sink = opened.sink(target)
        for piece in self.pieces(opened):
            sink.write(register.rewritten(piece, changed))
        register.refuse_if_any()

    def why_not_left_out(self, path: str) -> str | None:
        """Why no question can be left out of this file; None where it can."""
        return None

    def leave_out(self, source: BinaryIO, path: str, ids: Collection[str], target: BinaryIO) -> None:
        """Copy the file without these questions; every other byte stays, but for the commas of a list."""
        register = Register()
        opened = self.open(source, path)
        sink = opened.sink(target)
        for raw in _without((piece, register.id_of(piece) in ids) for piece in self.pieces(opened)):
            sink.write(raw)


def _without(pieces: Iterable[tuple[Piece, bool]]) -> Iterator[bytes]:
    """The bytes of the pieces that stay. Of the two commas round a question that goes, one goes with it."""
    held = b""
    """What stands before the next piece, and is not written yet."""
    has_gone = False
    for piece, goes in pieces:
        if isinstance(piece, bytes):
            is_second = has_gone and piece.strip() == b"," and held.strip()[-1:] in (b",", b"[")
            held += b"" if is_second else piece
        elif goes:
            has_gone = True
        else:
            yield held + piece.raw
            held, has_gone = b"", False
    if has_gone and held.lstrip().startswith(b",") and held.strip()[-1:] in (b"]", b"}"):
        held = held.lstrip()[1:]  # the last one of a list went, and the comma before it has nothing behind it
    yield held


def empty_bank(path: str) -> Problem:
    return Problem("empty", "There is no question in it.", path, hint="Is this the right file?")


class Losses:
    """What could not be carried, counted."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}

    def add(self, what: str, id: str) -> None:
        count, first = self._counts.get(what, (0, id))
        self._counts[what] = (count + 1, first)

    def sentences(self) -> list[str]:
        return [
            f"{what} ({count} question{'' if count == 1 else 's'}, first {first!r})."
            for what, (count, first) in self._counts.items()
        ]


def without_forbidden(question: Question, losses: Losses) -> Question:
    """The question in characters that XML can hold."""
    given = question.model_dump(exclude_unset=True)
    clean = _cleaned(given)
    if clean == given:
        return question
    losses.add("Characters that XML cannot hold become U+FFFD", question.id)
    return Question.model_validate(clean)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return FORBIDDEN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _cleaned(part) for name, part in value.items()}
    return type(value)(map(_cleaned, value)) if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True)
class Choice:
    """A question as formats for single choice see it: texts in order, and which is right."""

    question: Question
    stem: str
    options: tuple[Option, ...]
    right: int
    """The position of the key."""


def choices(question: Question, losses: Losses, carried: Collection[str]) -> Iterator[Choice]:
    """The question for a format that carries the named fields beside stem, options and key; nothing for a set."""
    if question.items or question.type != "single_best_answer":
        losses.add(f"Questions of the type {question.type} are left out", question.id)
        return
    right = next((index for index, option in enumerate(question.options) if option is question.key), None)
    if right is None or len(question.options) < 2:
        losses.add("Questions without a key, or with fewer than two options, are left out", question.id)
        return
    for name in _further_fields(question):
        if name not in carried and name != "vignette":
            losses.add(f"The field {name} is not carried", question.id)
    if "option keys" not in carried and any(option.key != option_key(i) for i, option in enumerate(question.options)):
        losses.add("Option keys other than A, B, C, ... are renamed by position", question.id)
    stem = question.stem
    if question.vignette and "vignette" not in carried:
        losses.add("The vignette is put before the stem, in one text", question.id)
        stem = f"{question.vignette}\n\n{question.stem}"
    yield Choice(question, stem, question.options, right)


def texts_only(question: Question, names: Iterable[str]) -> frozenset[str]:
    """Those of the names under which the question holds text, where it holds anything that we only carry."""
    extra = question.model_extra or {}
    feedback = ((option.model_extra or {}).get("feedback", "") for option in question.options)
    wrong = {name for name in names if not isinstance(extra.get(name, ""), str)}
    wrong |= set() if all(isinstance(said, str) for said in feedback) else {"options.feedback"}
    return frozenset(names) - wrong


def feedback_in(option: Option) -> str:
    """The option's feedback as it stands there; empty where it is no text."""
    said = (option.model_extra or {}).get("feedback")
    return said if isinstance(said, str) else ""


def _further_fields(question: Question) -> Iterator[str]:
    """Everything that is filled beside stem, options and key."""
    for name in ("vignette", "rationale", "language", "burnish_ignore"):
        if getattr(question, name):
            yield name
    if question.metadata is not None:
        for name, value in question.metadata.model_dump(exclude_none=True).items():
            if value:
                yield f"metadata.{name}"
    yield from question.model_extra or {}
    for name in {name: None for option in question.options for name in option.model_extra or {}}:
        yield f"options.{name}"
