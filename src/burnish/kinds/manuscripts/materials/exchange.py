"""TBX and TMX: terms and translation memories as other programs write them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from burnish.core.edits import parts
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.materials.xml_events import Event, events, nearness, yes_or_no
from burnish.kinds.manuscripts.model import Term
from burnish.languages.tags import UNKNOWN_LANGUAGE

ROOTS = frozenset({"martif", "tbx"})
CONCEPT = frozenset({"termEntry", "conceptEntry"})
LANGUAGE = frozenset({"langSet", "langSec"})
SECTION = frozenset({"tig", "ntig", "termSec"})
NOTES = frozenset({"note", "definition", "usageNote"})
STATUS = frozenset({"administrativeStatus", "normativeAuthorization"})
KEEP = frozenset({"donottranslate", "dnt"})
TYPED = frozenset({"termNote", "descrip", "admin"})
MOST_TERMS = 1_000
"""Terms of one concept."""


@dataclass(slots=True)
class _Named:
    """One term of a concept in one language."""

    text: str
    line: int
    status: str = ""

    @property
    def is_preferred(self) -> bool:
        return self.status.startswith("preferred")

    @property
    def is_dropped(self) -> bool:
        return self.status.startswith(("deprecated", "superseded", "obsolete"))


@dataclass(slots=True)
class _Concept:
    """A concept while it is read."""

    line: int
    languages: list[tuple[str, list[_Named]]] = field(default_factory=list)
    note: str = ""
    keep: bool = False
    terms: int = 0


def tbx_terms(data: bytes, path: str, source: str, target: str) -> Iterator[tuple[Term, int]]:
    """The terms from one language to another, each with its line. InputError where the file has none at all."""
    reader = _Reader(path, source, target)
    found = 0
    for event in events(data, path, "TBX"):
        for pair in reader.take(event):
            found += 1
            yield pair
    if not found:
        raise InputError(
            f"This glossary has no term from {source} to {target}.",
            path=path,
            code="no_entry",
            hint=f"It holds: {', '.join(sorted(reader.seen)[:20]) or 'nothing'}. Say --from and --to accordingly.",
        )


class _Reader:
    """Reads one concept after the other."""

    def __init__(self, path: str, source: str, target: str) -> None:
        self.path, self.source, self.target = path, source, target
        self.seen: set[str] = set()
        self.concept: _Concept | None = None
        self.open: list[tuple[str, str]] = []
        """Elements that we stand in, each with its type."""
        self.pieces: list[str] = []

    def take(self, event: Event) -> Iterator[tuple[Term, int]]:
        if event.kind == "text":
            self.pieces.append(event.text)
        elif event.kind == "start":
            self._started(event)
        else:
            yield from self._ended(event)

    def _started(self, event: Event) -> None:
        if not self.open and event.text not in ROOTS:
            raise InputError(
                f"This is no TBX file: its root is <{event.text[:60]}>.",
                path=self.path,
                line=event.line,
                code="no_tbx",
                hint="Give a TBX file, or a CSV file with the columns source,target,note,do-not-translate.",
            )
        self.open.append((event.text, event.attributes.get("type", "")))
        if event.text in CONCEPT:
            self.concept = _Concept(event.line)
        elif event.text in LANGUAGE and self.concept is not None:
            language = (event.attributes.get("xml:lang") or event.attributes.get("lang") or "").strip()
            self.seen.add(language)
            self.concept.languages.append((language, []))
        if event.text not in ("hi", "foreign"):
            self.pieces = []

    def _ended(self, event: Event) -> Iterator[tuple[Term, int]]:
        name, type = self.open.pop()
        if name in ("hi", "foreign"):
            return
        text = unicodedata.normalize("NFC", " ".join("".join(self.pieces).split()))
        self.pieces = []
        concept = self.concept
        if concept is None:
            return
        if name in CONCEPT:
            self.concept = None
            yield from self._terms(concept)
        elif name == "term":
            self._term(concept, text, event.line)
        elif text:
            self._describe(concept, type if name in TYPED else name, text, event.line)

    def _term(self, concept: _Concept, text: str, line: int) -> None:
        concept.terms += 1
        if concept.terms > MOST_TERMS:
            raise InputError("One concept has too many terms.", path=self.path, line=line, code="too_complex")
        if not text:
            raise InputError("This term is empty.", path=self.path, line=line, field="term", code="empty_field")
        if concept.languages:
            concept.languages[-1][1].append(_Named(text, line))

    def _describe(self, concept: _Concept, said: str, text: str, line: int) -> None:
        bare = said.lower().replace("-", "").replace("_", "").replace(" ", "")
        if said in STATUS and concept.languages and concept.languages[-1][1]:
            concept.languages[-1][1][-1].status = text
        elif bare in KEEP:
            concept.keep = yes_or_no(text, self.path, line, "do-not-translate")
        elif said in NOTES and not concept.note:
            concept.note = text

    def _terms(self, concept: _Concept) -> Iterator[tuple[Term, int]]:
        sources = _in_language(concept, self.source)
        if concept.keep:
            for one in sources:
                yield Term(one.text, one.text, concept.note, keep=True), one.line
            return
        target = self._one_target(_in_language(concept, self.target))
        if target is not None:
            for one in sources:
                yield Term(one.text, target, concept.note), one.line

    def _one_target(self, targets: list[_Named]) -> str | None:
        """The preferred one, or the only one that is still in use."""
        usable = [one for one in targets if not one.is_dropped]
        chosen = [one for one in usable if one.is_preferred] or usable
        if len({one.text for one in chosen}) > 1:
            one, other = chosen[0], next(more for more in chosen if more.text != chosen[0].text)
            raise InputError(
                f"A concept has two targets: {one.text[:80]!r} in line {one.line} and {other.text[:80]!r} "
                f"in line {other.line}.",
                path=self.path,
                line=other.line,
                code="two_targets",
                hint='Mark one with <termNote type="administrativeStatus">preferredTerm</termNote>, or take one out.',
            )
        return chosen[0].text if chosen else None


def _in_language(concept: _Concept, wanted: str) -> list[_Named]:
    """The concept's terms in that language: of the very region first, else of all."""
    ranked = [(nearness(language, wanted), terms) for language, terms in concept.languages]
    best = max((near for near, _ in ranked), default=0)
    return [one for near, terms in ranked if near == best and near > 0 for one in terms]


CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
"""Inline elements whose content is another program's markup. `hi` holds text; `sub`, inside a code, is none of it."""
MOST_VARIANTS = 200


class Pair(NamedTuple):
    """One unit of a memory in two languages."""

    source: str
    target: str
    line: int


@dataclass(slots=True)
class _Unit:
    """A `tu` while it is read."""

    line: int
    source_language: str
    variants: list[tuple[str, str]] = field(default_factory=list)
    """Language, text."""


class TmxReader:
    """Reads the pairs of one language from and to; remembers which languages it saw."""

    def __init__(self, data: bytes, path: str, source: str, target: str) -> None:
        """`source` may be unknown: then the file's own `srclang` tells."""
        self.languages: set[str] = set()
        self._data, self._path = data, path
        self._wanted = (source, target)
        self._header_language = ""
        self._unit: _Unit | None = None
        self._variant: str | None = None
        self._pieces: list[str] | None = None
        self._codes: list[str] = []
        """Open elements that hold markup; their text is looked at when the outermost closes."""
        self._code: list[str] = []

    def pairs(self) -> Iterator[Pair]:
        """Every `tu` that has both languages."""
        is_first = True
        for event in events(self._data, self._path, "TMX"):
            if is_first and event.kind == "start":
                self._root(event)
                is_first = False
            if event.kind == "start":
                self._started(event)
            elif event.kind == "text":
                self._read(event.text)
            elif (pair := self._ended(event)) is not None:
                yield pair

    def _root(self, event: Event) -> None:
        if event.text.lower() != "tmx":
            raise InputError(
                f"This is no TMX file: its root is <{event.text[:60]}>.",
                path=self._path,
                line=event.line,
                code="no_tmx",
                hint="Give a TMX file, or a JSONL file with `source` and `target` on every line.",
            )

    def _started(self, event: Event) -> None:
        name = event.text
        if name == "header":
            self._header_language = event.attributes.get("srclang", "")
        elif name == "tu":
            self._unit = _Unit(event.line, event.attributes.get("srclang", self._header_language))
        elif name == "tuv" and self._unit is not None:
            self._variant = self._language(event)
        elif name == "seg" and self._variant is not None:
            self._pieces = []
        elif self._pieces is not None and (self._codes or name in CODES):
            self._codes.append(name)

    def _language(self, event: Event) -> str:
        language = event.attributes.get("xml:lang") or event.attributes.get("lang") or ""
        if not language.strip():
            raise InputError(
                "A <tuv> does not say which language it is in.",
                path=self._path,
                line=event.line,
                code="no_language",
                hint='Give it xml:lang, such as xml:lang="es".',
            )
        self.languages.add(language.strip())
        return language.strip()

    def _read(self, text: str) -> None:
        if self._codes:
            if "sub" not in self._codes:
                self._code.append(text)
        elif self._pieces is not None:
            self._pieces.append(text)

    def _ended(self, event: Event) -> Pair | None:
        if self._codes:
            self._codes.pop()
            if not self._codes:
                self._close_code()
        elif event.text == "seg" and self._pieces is not None:
            self._close_text(event.line)
        elif event.text == "tuv":
            self._variant = None
        elif event.text == "tu" and self._unit is not None:
            unit, self._unit = self._unit, None
            return self._pair(unit)
        return None

    def _close_code(self) -> None:
        """A placeholder such as `{name}` says something whatever element it stands in; other markup is dropped."""
        code, self._code = "".join(self._code), []
        found = parts(code)
        if self._pieces is not None and len(found) == 1 and found[0][:2] == ("placeholder", code.strip()):
            self._pieces.append(code)

    def _close_text(self, line: int) -> None:
        if self._unit is None or self._variant is None:
            return
        if len(self._unit.variants) >= MOST_VARIANTS:
            raise InputError("One <tu> has too many languages.", path=self._path, line=line, code="too_complex")
        self._unit.variants.append((self._variant, "".join(self._pieces or ())))
        self._pieces = None

    def _pair(self, unit: _Unit) -> Pair | None:
        wanted, target_language = self._wanted
        if wanted == UNKNOWN_LANGUAGE:
            wanted = unit.source_language
        source, target = _nearest(unit, wanted), _nearest(unit, target_language)
        if source is None or target is None or not source.strip() or not target.strip():
            return None
        return Pair(source, target, unit.line)


def _nearest(unit: _Unit, wanted: str) -> str | None:
    """The text in that language: of the very region first, then the first of any."""
    best, found = 0, None
    for language, text in unit.variants:
        near = nearness(language, wanted)
        if near > best:
            best, found = near, text
    return found
