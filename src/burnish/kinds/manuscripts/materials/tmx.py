"""TMX: translation memories as other programs write them, of any version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from burnish.core.errors import InputError
from burnish.core.protected import parts
from burnish.kinds.manuscripts.materials.languages import nearness
from burnish.kinds.manuscripts.materials.xml_events import Event, events
from burnish.languages.tags import UNKNOWN_LANGUAGE

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
        if self._pieces is not None and len(found) == 1 and found[0] == ("placeholder", code.strip()):
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
