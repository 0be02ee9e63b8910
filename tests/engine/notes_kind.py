"""A small kind for tests of the engine: a text file, one note a line, `id: text`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from burnish.core.checks import Check, Examination, Selection, check, run_checks
from burnish.core.documents import Field, Part, PassedThrough, Problem, Unit, text_digest
from burnish.core.edits import Edit
from burnish.core.errors import InputError
from burnish.core.findings import Finding, Severity
from burnish.core.kinds import Overview


@dataclass(frozen=True)
class NoteUnit:
    """One line."""

    id: str
    text: str

    @property
    def content_hash(self) -> str:
        return text_digest(f"{self.id}: {self.text}")

    def texts(self) -> Mapping[Field, str]:
        return {None: self.text}

    def with_text(self, field: Field, text: str) -> NoteUnit:
        return NoteUnit(self.id, text)


def _word(unit: NoteUnit, word: str, replacement: str | None) -> Iterator[Finding]:
    start = unit.text.find(word)
    if start >= 0:
        fix = Edit(unit.id, None, word, replacement) if replacement is not None else None
        yield Finding.at(unit, field=None, span=(start, start + len(word)), message=f"It says {word}.", fix=fix)


@check(id="teh", severity="error", bad=(), good=())
def teh(unit: NoteUnit) -> Iterator[Finding]:
    """Has a safe fix."""
    yield from _word(unit, "teh", "the")


@check(id="shout", severity="warning", bad=(), good=())
def shout(unit: NoteUnit) -> Iterator[Finding]:
    """Has no fix."""
    yield from _word(unit, "LOUD", None)


@check(id="worse", severity="warning", bad=(), good=())
def worse(unit: NoteUnit) -> Iterator[Finding]:
    """Its fix settles it and raises another finding."""
    yield from _word(unit, "quiet", "LOUD")


@check(id="refused", severity="warning", bad=(), good=())
def refused(unit: NoteUnit) -> Iterator[Finding]:
    """Its fix removes too much."""
    yield from _word(unit, "everything is gone", "x")


@check(id="useless", severity="info", bad=(), good=())
def useless(unit: NoteUnit) -> Iterator[Finding]:
    """Its fix changes something and settles nothing."""
    yield from _word(unit, "loop", "loop ")


@check(id="english", severity="info", languages=("en",), bad=(), good=())
def english(unit: NoteUnit) -> Iterator[Finding]:
    """Can judge English only."""
    yield from _word(unit, "colour", None)


@dataclass
class NoteOverview(Overview):
    """Flags a text that was there before, and counts. `trouble` is what it finds wrong beforehand."""

    options: Mapping[str, Any]
    off: Collection[str] = ()
    seen: dict[str, str] = field(default_factory=dict)
    document: str = ""

    def prepare(self) -> Iterator[Problem]:
        if not self.document:
            yield from (Problem("bad_line", message, "earlier.notes") for message in self.options.get("trouble", ()))

    def begin(self, document: str, preview: Iterable[Unit] = (), context: object = None) -> None:
        self.document = document

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        assert isinstance(unit, NoteUnit)
        where = self.seen.get(unit.text)
        self.seen.setdefault(unit.text, self.document)
        if where is None or "again" in self.off:
            return []
        place = "" if where == self.document else f", in {where}"
        return [Finding("again", "error", unit.id, None, f"It was said before{place}.")]

    def result(self) -> Mapping[str, Any]:
        return {"different": sum(where == self.document for where in self.seen.values())}


class NotesKind:
    """Notes. `!` before an id: a problem; `?`: passed through; a line `STOP`: nothing after it can be read."""

    name = "notes"
    noun = "note"
    profiles: Mapping[str, Mapping[str, Severity]] = {"default": {}, "strict": {"shout": "error"}}

    @property
    def checks(self) -> tuple[Check, ...]:
        return (english, refused, shout, teh, useless, worse)

    def recognise(self, path: str, head: bytes) -> str | None:
        return "notes" if path.endswith(".notes") else None

    formats: Mapping[str, tuple[str, ...]] = {"notes": (".notes",)}

    def is_evident(self, path: str, head: bytes) -> bool:
        return True

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        for number, line in enumerate(stream, start=1):
            id, _, text = line.decode().rstrip("\n").partition(": ")
            if id == "STOP":
                raise InputError("It stops here.", path=path, line=number)
            if id.startswith("!"):
                yield Problem(id[1:], text, path, number)
            elif id.startswith("?"):
                yield PassedThrough(id[1:], "essay", number)
            else:
                yield NoteUnit(id, text)

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        return [sum(1 for _ in self.read(stream, path, format))]

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> object:
        return {"surveys": surveys, **demands}

    def examine(self, unit: NoteUnit, selection: Selection, context: object) -> Examination:
        language = "fr" if "bonjour" in unit.text else "en"
        able, skipped = selection.for_language(language)
        raised = run_checks(selection, able, unit, context)
        ignored = tuple(f for f in raised if "ignore" in unit.text)
        return Examination(tuple(f for f in raised if f not in ignored), ignored, skipped, len(able), (), language)

    def examine_all(self, units: Sequence[NoteUnit], selection: Selection, context: object) -> list[Examination]:
        return [self.examine(unit, selection, context) for unit in units]

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> NoteOverview:
        return NoteOverview(options, off)

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], NoteUnit | None],
        target: BinaryIO,
    ) -> None:
        for line in source:
            unit = changed(line.decode().partition(": ")[0])
            target.write(line if unit is None else f"{unit.id}: {unit.text}\n".encode())
