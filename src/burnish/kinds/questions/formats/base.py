"""The base of all question formats: reading, rewriting in place, and writing new files.

A format splits its file into pieces: questions as written there (`Draft`), stretches that cannot be used (`Fault`),
and everything else as bytes. Reading converts drafts to questions; rewriting copies all pieces, with the changed
drafts spliced. Both give the same ids, because both use one `Register`. A new file is written with a list of
`Losses`.
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
"""The results of reading, in the order of the file; a question is followed by its problems."""
Outcome = tuple[Question | PassedThrough | None, list[Problem]]
"""The result of a draft: a question, content that passes through, or nothing; and its problems."""
Changed = Callable[[str], Question | None]
"""Id -> the changed question, or None if it is unchanged."""

CARRIABLE = frozenset({"vignette", "rationale", *(f"metadata.{name}" for name in Metadata.model_fields)})
"""The optional fields that `carried` looks for."""

NOTES = frozenset({"missing_id", UNKNOWN_RULE})
"""Problems that lose nothing: a bank without ids can be used, and so can one that ignores unknown rules."""


class Draft(ABC):
    """One question as written in its file."""

    reports_ids = True
    """False if the format has labels instead of ids, which may be repeated."""

    def __init__(self, raw: bytes, place: Place) -> None:
        self.raw = raw
        self.place = place

    @property
    @abstractmethod
    def declared(self) -> str | None:
        """The id (or label) given in the file, if any."""

    @abstractmethod
    def outcome(self, id: str) -> Outcome:
        """The question with this id."""

    @abstractmethod
    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        """The raw bytes with these changes. Raise NotCarried if one cannot be made."""

    @abstractmethod
    def again(self, raw: bytes) -> Draft | None:
        """The draft read from `raw` at the same place; None if it is not a question."""


class TextDraft(Draft):
    """A draft with each text in its own stretch of the source, so that an edit touches nothing else."""

    holder = "the format"
    """The name, for messages, of the thing that has no place for a change."""

    def __init__(self, raw: bytes, place: Place, text: str) -> None:
        super().__init__(raw, place)
        self.text = text

    @abstractmethod
    def fields(self) -> dict[str, FieldText]:
        """The texts of the question, by place: `stem`, `options.0.text`, `rationale`."""

    @abstractmethod
    def with_key(self, key: str) -> list[Splice]:
        """The splices that make another option the right one. Raise NotCarried if it is not possible."""

    def added(self, name: str, new: str) -> list[Splice] | None:
        """The splices that add a new text to the question; None if the format has no place for it."""
        return None

    def rewritten(self, field: FieldText, new: str) -> list[Splice]:
        """The splices that change an existing text."""
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
        """The splices that exchange two stretches."""
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
    """A new text as the format writes it."""
    return applied("", field_text(name, "", 0, 0, build).rewritten("", new))


T = TypeVar("T")


def with_letter(things: Sequence[T], key: str) -> T | None:
    """The thing with this letter, for things without keys."""
    return next((thing for index, thing in enumerate(things) if option_key(index) == key.strip()), None)


@dataclass(frozen=True, slots=True)
class Fault:
    """A stretch of the file that cannot be used."""

    raw: bytes
    problem: Problem
    counts: bool = True
    """Whether a question is lost here; its position is counted, so that the others keep theirs."""
    last: bool = False
    """Whether the rest of the file cannot be read: only bytes follow."""


Piece = Draft | Fault | bytes


def drafted_piece(raw: bytes, place: Place, draft: Callable[[str], Draft]) -> Draft | Fault:
    """The draft of these bytes; a fault if they are not UTF-8, or too complex."""
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
    """The wanted elements of a document as drafts, and the bytes between them; `counts` is that of a Fault."""
    for cut in xml_cuts(source, wanted):
        if isinstance(cut, Cut):
            yield drafted_piece(cut.raw, cut.place, partial(draft, cut))
        else:
            yield Fault(b"", cut, counts, last=True) if isinstance(cut, Problem) else cut


class Register:
    """Assigns ids to the drafts of one bank, in order."""

    def __init__(self) -> None:
        self._ids = IdBook()
        self._position = 0
        self._refusals: dict[str, InputError] = {}
        self.empty = True

    def parts(self, piece: Piece) -> Iterator[Part]:
        """The parts that a reader gets from this piece."""
        if isinstance(piece, bytes):
            return
        self.empty = False
        if isinstance(piece, Fault):
            self._position += piece.counts
            yield piece.problem
            return
        id, id_problem = self._identified(piece)
        result, problems = outcome_of(piece, id)
        if isinstance(result, Question):
            result.__dict__["line"] = piece.place.line  # the storage of a cached property
        if result is not None:
            yield result
        if id_problem is not None:
            yield id_problem
        if isinstance(result, Question) and result.burnish_ignore:
            yield from unknown_ignores(result, piece.place)
        # A problem of a question that was not read blocks, whether its format knew the id or not.
        yield from problems if result is not None else (replace(problem, blocks=True) for problem in problems)

    def rewritten(self, piece: Piece, changed: Changed) -> bytes:
        """The bytes of this piece, with its change if any; `refuse_if_any` reports the failures at the end."""
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
        """The id of the question in this piece; None if there is none."""
        if isinstance(piece, Fault):
            self._position += piece.counts
        return self._identified(piece)[0] if isinstance(piece, Draft) else None

    def rewritten_member(self, source: Source, pieces: Iterable[Piece], changed: Changed) -> bytes | None:
        """The new content of a member of a package; None if it is unchanged."""
        return recomposed(source, (self.rewritten(piece, changed) for piece in pieces))

    def refuse_if_any(self) -> None:
        """After the whole file, raise CannotWriteBack with all changes that could not be made."""
        if self._refusals:
            raise CannotWriteBack(self._refusals)

    def _identified(self, draft: Draft) -> tuple[str, Problem | None]:
        self._position += 1
        return self._ids.assign(draft.declared, self._position, draft.place, reported=draft.reports_ids)


def recomposed(source: Source, parts: Iterable[bytes]) -> bytes | None:
    """A file in memory made of these parts; None if its content is unchanged."""
    buffer = io.BytesIO()
    sink = source.sink(buffer)
    original = source.bom + source.head + source.stream.read()
    source.stream.seek(len(source.bom) + len(source.head))
    for part in parts:
        sink.write(part)
    return None if buffer.getvalue() == original else buffer.getvalue()


def outcome_of(draft: Draft, id: str) -> Outcome:
    """The outcome, also of a draft that is too complex."""
    try:
        return draft.outcome(id)
    except TooComplex as refusal:
        return None, [refusal.at(draft.place)]


def revised(draft: Draft, id: str, after: Question) -> bytes:
    """The draft's bytes as `after`, verified by reading them again."""
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
            # The words True and False come from the format, not from the question.
            verdict = next((".".join(map(str, path)) for path in changed if path[0] == "options"), None)
            if verdict is not None:
                raise NotCarried(verdict, "True and False are not texts of the question.")
        raw = draft.revised(after, changed)
        again = draft.again(raw)
        result = outcome_of(again, id)[0] if again is not None else None
        if not isinstance(result, Question) or not says_the_same(result, after):
            raise NotCarried("text", "it would not read back as it was written.")
    except NotCarried as refusal:
        # A format may refer to the second option, or only to a text.
        field = contract_name(first if refusal.field == "text" else refusal.field.removesuffix(".feedback"), before)
        raise cannot_write_back(NotCarried(field, refusal.why), draft.place, id) from refusal
    return raw


class Format(ABC):
    """One file format of question banks, read as a stream of pieces."""

    name: str
    extensions: tuple[str, ...]
    """Usual file extensions, with the dot."""

    @abstractmethod
    def recognise(self, path: str, head: bytes) -> bool:
        """Whether a file with this name and these first bytes has this format. The content takes precedence."""

    @abstractmethod
    def pieces(self, source: Source) -> Iterator[Piece]:
        """The whole file, byte for byte, split into pieces."""

    head = tail = ""
    """The beginning and the end of a new file."""

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        """The question in a new file; nothing if the format cannot hold it."""
        raise NotImplementedError(f"{self.name} writes the whole file at once")

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        """Write a new file in this format. Returns the losses, one sentence each."""
        losses = Losses()
        target.write(self.head.encode())
        for question in questions:
            for text in self.written(question, losses):
                target.write(text.encode())
        target.write(self.tail.encode())
        return losses.sentences()

    @abstractmethod
    def carried(self, stream: BinaryIO) -> frozenset[str]:
        """The fields of CARRIABLE that occur in the bank, found by a fast search."""

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_text(stream, path)

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        """Yield the bank's questions, and the problems."""
        register = Register()
        for piece in self.pieces(self.open(stream, path)):
            yield from register.parts(piece)
            if isinstance(piece, Fault) and piece.last:
                return
        if register.empty:
            yield empty_bank(path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        """Copy the file; of changed questions only the changed texts are replaced, every other byte is kept.

        Raise CannotWriteBack at the end with all changes that the format cannot hold.
        """
        register = Register()
        opened = self.open(source, path)
        sink = opened.sink(target)
        for piece in self.pieces(opened):
            sink.write(register.rewritten(piece, changed))
        register.refuse_if_any()

    def why_not_left_out(self, path: str) -> str | None:
        """The reason why questions of this file cannot be left out; None if they can."""
        return None

    def leave_out(self, source: BinaryIO, path: str, ids: Collection[str], target: BinaryIO) -> None:
        """Copy the file without these questions; every other byte is kept, except commas of a list."""
        register = Register()
        opened = self.open(source, path)
        sink = opened.sink(target)
        for raw in _without((piece, register.id_of(piece) in ids) for piece in self.pieces(opened)):
            sink.write(raw)


def _without(pieces: Iterable[tuple[Piece, bool]]) -> Iterator[bytes]:
    """The bytes of the pieces that are kept. A removed question takes one of the two commas around it along."""
    held = b""
    """Bytes before the next piece that are not yet written."""
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
        held = held.lstrip()[1:]  # the last entry was removed, so the comma before it must go too
    yield held


def empty_bank(path: str) -> Problem:
    return Problem("empty", "There is no question in it.", path, hint="Is this the right file?")


class Losses:
    """Counts the content that could not be written."""

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
    """The question in characters that XML allows."""
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
    """A question for single-choice formats: its texts in order, and the right option."""

    question: Question
    stem: str
    options: tuple[Option, ...]
    right: int
    """The position of the key."""


def choices(question: Question, losses: Losses, carried: Collection[str]) -> Iterator[Choice]:
    """The question for a format that carries the named fields besides stem, options and key; nothing for a set."""
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
    """The names under which the question holds text, if it holds any unknown fields."""
    extra = question.model_extra or {}
    feedback = ((option.model_extra or {}).get("feedback", "") for option in question.options)
    wrong = {name for name in names if not isinstance(extra.get(name, ""), str)}
    wrong |= set() if all(isinstance(said, str) for said in feedback) else {"options.feedback"}
    return frozenset(names) - wrong


def feedback_in(option: Option) -> str:
    """The option's feedback; empty if it is not text."""
    said = (option.model_extra or {}).get("feedback")
    return said if isinstance(said, str) else ""


def _further_fields(question: Question) -> Iterator[str]:
    """All filled fields besides stem, options and key."""
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
