"""TBX: terminology as other programs write it, in the old shape (martif) and in that of 2019 (tbx)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.materials.languages import nearness
from burnish.kinds.manuscripts.materials.xml_events import Event, events
from burnish.kinds.manuscripts.materials.yes_or_no import yes_or_no
from burnish.kinds.manuscripts.model import Term

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
