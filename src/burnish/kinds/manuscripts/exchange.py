"""TBX and TMX: terms and translation memories of other programs, and the names of their languages.

XML is untrusted: no entities, no DTD, limited depth. Concepts and units are read one by one, so that memory stays flat
for files of any size.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.parsers import expat

from burnish.core.edits import parts
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.model import Term
from burnish.languages.detection import UNKNOWN_LANGUAGE, primary_tag
from burnish.text.json_text import too_large

LARGEST = 256 << 20
"""Bytes of one file."""
DEEPEST = 64
LONGEST_TEXT = 1 << 20
"""Characters between two tags."""
LONGEST_OPEN = 2 << 20
"""Bytes of one tag, one comment, one declaration."""
MOST_ELEMENTS = 200_000
"""Elements of one concept or unit, which is held as a whole."""
STEP = 1 << 16
"""Bytes that are parsed before elements are passed on."""


@dataclass(slots=True)
class Element:
    """An element with its content."""

    name: str
    """Without its prefix."""
    attributes: Mapping[str, str]
    """Names with their prefix: `xml:lang`."""
    line: int
    content: list[Element | str] = field(default_factory=list)
    end: int = 0
    """The line on which it ends."""

    @property
    def language(self) -> str:
        return (self.attributes.get("xml:lang") or self.attributes.get("lang") or "").strip()

    def inner(self) -> Iterator[Element]:
        """Every element in it, in order."""
        for part in self.content:
            if isinstance(part, Element):
                yield part
                yield from part.inner()


def elements(data: bytes, path: str, what: str, names: Collection[str]) -> Iterator[Element]:
    """The root without its content, then every element of these names. `what`: the name of the format, for messages."""
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    if not data.strip():
        raise InputError(f"The {what} file is empty.", path=path, code="empty", hint="Is this the right file?")
    reader = _Reader(path, what, names)
    for start in range(0, len(data), STEP):
        reader.feed(data[start : start + STEP], last=start + STEP >= len(data))
        met, reader.met = reader.met, []
        yield from met


class _Reader:
    """The parser, and the elements that it has met since the last step."""

    def __init__(self, path: str, what: str, names: Collection[str]) -> None:
        self.path, self.what, self.names = path, what, names
        self.met: list[Element] = []
        self.open: list[Element] = []
        self.depth = self.length = self.count = self.fed = 0
        # Without a namespace separator names keep their prefix, which is cut off: a file cannot redefine `tu`.
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def feed(self, data: bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            raise InputError(
                f"This {self.what} file is broken: {expat.ErrorString(error.code)} (column {error.offset + 1}).",
                path=self.path,
                line=error.lineno,
                code="broken_xml",
                hint="Correct that line, or export the file again.",
            ) from error
        except (ValueError, LookupError) as error:  # an unknown or a multi-byte encoding
            raise self._refused("The file is in an encoding that is not read.", "wrong_encoding") from error
        self.fed += len(data)
        # Open text is parsed again with every step: an endless tag or comment would take quadratic time.
        if self.fed - self.parser.CurrentByteIndex > LONGEST_OPEN:
            raise self._refused("A tag or a comment has no end.", "too_long")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.length = 0
        if self.depth > DEEPEST:
            raise self._refused(f"Elements are nested deeper than {DEEPEST}.", "too_deep")
        element = Element(name.rpartition(":")[2], attributes, self.parser.CurrentLineNumber)
        if self.depth == 1:
            self.met.append(element)
        elif self.open:
            self.count += 1
            if self.count > MOST_ELEMENTS:
                raise self._refused(f"One <{self.open[0].name}> has too many parts.", "too_complex")
            self.open[-1].content.append(element)
            self.open.append(element)
        elif element.name in self.names:
            self.open, self.count = [element], 0

    def _end(self, name: str) -> None:
        self.depth -= 1
        self.length = 0
        if self.open:
            element = self.open.pop()
            element.end = self.parser.CurrentLineNumber
            if not self.open:
                self.met.append(element)

    def _text(self, text: str) -> None:
        self.length += len(text)
        if self.length > LONGEST_TEXT:
            raise self._refused(f"There is a text of more than {LONGEST_TEXT >> 20} million characters.", "too_long")
        if self.open:
            self.open[-1].content.append(text)

    def _entity(self, name: str, *rest: object) -> None:
        raise self._refused(f"The file declares the entity {name[:60]!r}, which is not allowed.", "entities")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise self._refused(f"The entity {name[:60]!r} is not known.", "entities")

    def _refused(self, message: str, code: str) -> InputError:
        return InputError(
            message,
            path=self.path,
            line=self.parser.CurrentLineNumber,
            code=code,
            hint=f"Export the {self.what} file again as plain UTF-8, without a DTD of its own.",
        )


TAMAZIGHT = frozenset({"tamazight", "zgh", "tzm", "ber"})
"""Tags of Standard Moroccan Tamazight; Kabyle and Tachelhit have their own tags."""


def is_same(one: str | None, other: str | None) -> bool:
    """Whether both are one language, in any region: `en-US`, `EN_gb` and `eng` are."""
    tags = (primary_tag(declared) or UNKNOWN_LANGUAGE for declared in (one, other))
    return len({"zgh" if tag in TAMAZIGHT else tag for tag in tags}) == 1


def nearness(declared: str, wanted: str) -> int:
    """0: another language; 1: the language in another region; 2: the same tag."""
    if declared.replace("_", "-").lower() == wanted.replace("_", "-").lower():
        return 2
    return int(is_same(declared, wanted))


YES = frozenset({"yes", "y", "true", "1", "x", "✓", "do not translate", "do-not-translate", "dnt"})
NO = frozenset({"", "no", "n", "false", "0", "-"})


def yes_or_no(cell: str, path: str, line: int, field: str) -> bool:
    """Whether the cell says yes. Raise InputError if it says neither."""
    word = cell.strip().lower()
    if word not in YES | NO:
        message = f"{cell[:60]!r} is neither yes nor no."
        raise InputError(message, path=path, line=line, field=field, code="bad_field", hint="Write yes or no.")
    return word in YES


LANGUAGE = frozenset({"langSet", "langSec"})
INLINE = frozenset({"hi", "foreign"})
NOTES = frozenset({"note", "definition", "usageNote"})
STATUS = frozenset({"administrativeStatus", "normativeAuthorization"})
DROPPED = ("deprecated", "superseded", "obsolete")
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


def tbx_terms(data: bytes, path: str, source: str, target: str) -> Iterator[tuple[Term, int]]:
    """The terms from one language to another, each with its line. Raise InputError if the file has none."""
    stream = elements(data, path, "TBX", ("termEntry", "conceptEntry"))
    root = next(stream)
    if root.name not in ("martif", "tbx"):
        raise InputError(
            f"This is no TBX file: its root is <{root.name[:60]}>.",
            path=path,
            line=root.line,
            code="no_tbx",
            hint="Give a TBX file, or a CSV file with the columns source,target,note,do-not-translate.",
        )
    seen: set[str] = set()
    found = 0
    for entry in stream:
        for pair in _terms(entry, path, (source, target), seen):
            found += 1
            yield pair
    if not found:
        raise InputError(
            f"This glossary has no term from {source} to {target}.",
            path=path,
            code="no_entry",
            hint=f"It has: {', '.join(sorted(seen)[:20]) or 'nothing'}. Set --from and --to accordingly.",
        )


def _terms(entry: Element, path: str, wanted: tuple[str, str], seen: set[str]) -> Iterator[tuple[Term, int]]:
    """The terms of one concept."""
    languages: list[tuple[str, list[_Named]]] = []
    note, keep, terms = "", False, 0
    for element in entry.inner():
        if element.name in LANGUAGE:
            seen.add(element.language)
            languages.append((element.language, []))
            continue
        text = unicodedata.normalize("NFC", " ".join("".join(_plain(element)).split()))
        type = element.attributes.get("type", "") if element.name in TYPED else element.name
        if element.name == "term":
            terms += 1
            if terms > MOST_TERMS:
                raise InputError("One concept has too many terms.", path=path, line=element.end, code="too_complex")
            if not text:
                raise InputError("This term is empty.", path=path, line=element.end, field="term", code="empty_field")
            for _, named in languages[-1:]:
                named.append(_Named(text, element.end))
        elif not text:
            continue
        elif type in STATUS and languages and languages[-1][1]:
            languages[-1][1][-1].status = text
        elif type.lower().replace("-", "").replace("_", "").replace(" ", "") in KEEP:
            keep = yes_or_no(text, path, element.end, "do-not-translate")
        elif type in NOTES:
            note = note or text
    sources, targets = (_in_language(languages, tag) for tag in wanted)
    rendering = None if keep else _one_target(targets, path)
    for one in sources if keep or rendering is not None else ():
        yield Term(one.text, rendering or one.text, note, keep=keep), one.line


def _plain(element: Element) -> Iterator[str]:
    """The text of an element, including emphasised parts, without other elements in it."""
    for part in element.content:
        if isinstance(part, str):
            yield part
        elif part.name in INLINE:
            yield from _plain(part)


def _in_language(languages: list[tuple[str, list[_Named]]], wanted: str) -> list[_Named]:
    """The concept's terms in that language: those of the same region, else of all."""
    ranked = [(nearness(language, wanted), terms) for language, terms in languages]
    best = max((near for near, _ in ranked), default=0)
    return [one for near, terms in ranked if near == best and near > 0 for one in terms]


def _one_target(targets: list[_Named], path: str) -> str | None:
    """The preferred term, or the only one that is still in use."""
    usable = [one for one in targets if not one.status.startswith(DROPPED)]
    chosen = [one for one in usable if one.status.startswith("preferred")] or usable
    other = next((more for more in chosen if more.text != chosen[0].text), None)
    if other is not None:
        raise InputError(
            f"A concept has two targets: {chosen[0].text[:80]!r} in line {chosen[0].line} and {other.text[:80]!r} "
            f"in line {other.line}.",
            path=path,
            line=other.line,
            code="two_targets",
            hint='Mark one with <termNote type="administrativeStatus">preferredTerm</termNote>, or remove one.',
        )
    return chosen[0].text if chosen else None


CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
"""Inline elements whose content is another program's markup. `hi` holds text; `sub`, inside a code, is dropped."""
MOST_VARIANTS = 200


class Pair(NamedTuple):
    """One unit of a memory in two languages."""

    source: str
    target: str


def tmx_pairs(data: bytes, path: str, source: str, target: str, seen: set[str]) -> Iterator[Pair]:
    """Every `tu` that has both languages. If `source` is unknown, the file's `srclang` is used. `seen` collects all
    languages of the file."""
    stream = elements(data, path, "TMX", ("header", "tu"))
    root = next(stream)
    if root.name.lower() != "tmx":
        raise InputError(
            f"This is no TMX file: its root is <{root.name[:60]}>.",
            path=path,
            line=root.line,
            code="no_tmx",
            hint="Give a TMX file, or a JSONL file with `source` and `target` on every line.",
        )
    srclang = ""
    for unit in stream:
        own = unit.attributes.get("srclang", "" if unit.name == "header" else srclang)
        if unit.name == "header":
            srclang = own
            continue
        variants = list(_variants(unit, path))
        seen.update(language for language, _ in variants)
        one, other = (_nearest(variants, tag) for tag in (own if source == UNKNOWN_LANGUAGE else source, target))
        if one.strip() and other.strip():
            yield Pair(one, other)


def _variants(unit: Element, path: str) -> Iterator[tuple[str, str]]:
    """Language and text of every `tuv`."""
    variants = [variant for variant in unit.inner() if variant.name == "tuv"]
    for number, variant in enumerate(variants):
        if not variant.language:
            raise InputError(
                "A <tuv> does not say which language it is in.",
                path=path,
                line=variant.line,
                code="no_language",
                hint='Give it xml:lang, such as xml:lang="es".',
            )
        for segment in variant.inner():
            if segment.name == "seg":
                if number >= MOST_VARIANTS:
                    raise InputError(
                        "One <tu> has too many languages.", path=path, line=segment.end, code="too_complex"
                    )
                yield variant.language, "".join(_text_of(segment))


def _text_of(element: Element) -> Iterator[str]:
    """The text of a segment. A placeholder such as `{name}` is kept in any element; other markup is dropped."""
    for part in element.content:
        if isinstance(part, str):
            yield part
        elif part.name not in CODES:
            yield from _text_of(part)
        else:
            code = "".join(_markup(part))
            found = parts(code)
            if len(found) == 1 and found[0][:2] == ("placeholder", code.strip()):
                yield code


def _markup(code: Element) -> Iterator[str]:
    for part in code.content:
        if isinstance(part, str):
            yield part
        elif part.name != "sub":
            yield from _markup(part)


def _nearest(variants: list[tuple[str, str]], wanted: str) -> str:
    """The text in that language: of the same region first, then the first of any; empty if there is none."""
    best, found = 0, ""
    for language, text in variants:
        near = nearness(language, wanted)
        if near > best:
            best, found = near, text
    return found
