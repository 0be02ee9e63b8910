"""QTI 2.x and 3.0: items with one choice interaction and one right answer are judged, all others pass through.

With a prompt, the prompt is the stem and the text of the body before the interaction is the vignette; without one, that
text is the stem. What follows the interaction is carried, not judged. A single modal feedback (or, where there is none,
a single rubric block) is the rationale. Options go by their identifiers where these are single capital letters, else by
A, B, C in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import regex

from burnish.core.documents import PassedThrough, Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import BankFormat, Changed, Draft, Fault, Outcome, Part, Piece
from burnish.kinds.questions.formats.changes import Path
from burnish.kinds.questions.formats.drafting import drafted, option_key
from burnish.kinds.questions.formats.escaping import escaped
from burnish.kinds.questions.formats.limits import ID_CHARACTERS, OPTIONS
from burnish.kinds.questions.formats.mapped import FieldText, Layer, Splice, applied, field_text
from burnish.kinds.questions.formats.markup import Dialect, markup_layer
from burnish.kinds.questions.formats.places import NotCarried, Place, TooComplex
from burnish.kinds.questions.formats.qti_package import read_package, rewrite_package
from burnish.kinds.questions.formats.qti_writing import QTI_2, QTI_3, Vocabulary, write_item, write_package
from burnish.kinds.questions.formats.recognition import extension, family, is_qti_item, plain_name, root_name
from burnish.kinds.questions.formats.source import Source, open_xml
from burnish.kinds.questions.formats.xmlstream import Cut, well_formed, xml_cuts
from burnish.kinds.questions.formats.xmltree import Element, element_tree
from burnish.kinds.questions.formats.zip_heads import shows_package, shows_qti_3
from burnish.kinds.questions.model import Question

HIDDEN = frozenset(
    name.lower()
    for base in ("rubric-block", "feedback-block", "feedback-inline", "template-block", "template-inline", "stylesheet")
    for name in (f"qti-{base}", base.replace("-", ""))
)
LETTER = regex.compile(r"[A-Z]")
PACKAGES = (".zip", ".qti")
"""Endings under which packages go."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """The parts of an item with one single choice."""

    body: Element
    choice: Element
    prompt: Element | None
    options: tuple[Element, ...]
    answer: Element | None
    """The `<value>` of the correct response."""


class QtiDraft(Draft):
    """One assessment item."""

    def __init__(self, raw: bytes, place: Place, codec: str) -> None:
        super().__init__(raw, place)
        self._text = raw.decode()
        self._codec = codec
        self._root = element_tree(self._text)
        self._all = list(self._root.walk())

    @property
    def declared(self) -> str | None:
        id = self._root.attribute("identifier").strip()
        return id if id and len(id) <= ID_CHARACTERS else None

    def _named(self, name: str) -> list[Element]:
        return [element for element in self._all if plain_name(element.name) == name]

    def _interaction(self) -> Interaction | str:
        """The item's parts, or the name of what it is instead."""
        interactions = [element for element in self._all if plain_name(element.name).endswith("interaction")]
        bodies = self._named("itembody")
        if not bodies or not interactions:
            return "no interaction"
        choice = interactions[0]
        if len(interactions) > 1:
            return "several interactions"
        if plain_name(choice.name) != "choiceinteraction":
            return choice.name
        response = self._response(choice)
        if (
            _first(choice, "maxChoices", "max-choices", default="1") != "1"
            or response.attribute("cardinality") != "single"
        ):
            return f"{choice.name} with several right answers"
        prompt = next((child for child in choice.children if plain_name(child.name) == "prompt"), None)
        options = tuple(child for child in choice.children if plain_name(child.name) == "simplechoice")
        if len(options) > OPTIONS:
            raise TooComplex
        values = [e for e in response.walk() if plain_name(e.name) == "correctresponse"]
        answer = next((e for response in values for e in response.children if plain_name(e.name) == "value"), None)
        return Interaction(bodies[0], choice, prompt, options, answer)

    def _response(self, choice: Element) -> Element:
        wanted = _first(choice, "responseIdentifier", "response-identifier")
        found = [e for e in self._named("responsedeclaration") if e.attribute("identifier") == wanted]
        return found[0] if found else Element("", 0, 0, {})

    def outcome(self, id: str) -> Outcome:
        parts = self._interaction()
        if isinstance(parts, str):
            return PassedThrough(id, parts, self.place.line), []
        texts, keys = self._fields(parts), self._keys(parts)
        options = []
        for index, (key, element) in enumerate(zip(keys, parts.options, strict=True)):
            identifier = element.attribute("identifier")
            option = {"key": key, "text": texts[f"options.{index}.text"].text}
            options.append(option | ({"identifier": identifier} if identifier != key else {}))
        fields: dict[str, Any] = {"id": id, "stem": texts["stem"].text, "options": options}
        fields["correct_answer"] = self._key(parts, keys)
        fields |= {name: texts[name].text for name in ("vignette", "rationale") if name in texts and texts[name].text}
        fields |= {name: value for name, value in self._carried().items() if value}
        return drafted(fields, self.place, size=len(self.raw))

    def _carried(self) -> dict[str, str]:
        language = self._root.attribute("xml:lang").partition("-")[0].lower()
        title = self._root.attribute("title")
        return {"title": title if title != self.declared else "", "language": language}

    def _keys(self, parts: Interaction) -> list[str]:
        identifiers = [element.attribute("identifier") for element in parts.options]
        lettered = all(map(LETTER.fullmatch, identifiers)) and len(set(identifiers)) == len(identifiers)
        return identifiers if lettered else [option_key(index) for index in range(len(identifiers))]

    def _key(self, parts: Interaction, keys: list[str]) -> str:
        named = parts.answer.plain(self._text) if parts.answer is not None else ""
        found = [k for k, e in zip(keys, parts.options, strict=True) if e.attribute("identifier") == named]
        return found[0] if found else named

    def _fields(self, parts: Interaction) -> dict[str, FieldText]:
        before = (parts.body.open_end, parts.choice.start)
        fields = {}
        if parts.prompt is not None:
            fields["stem"] = self._field("stem", parts.prompt.open_end, parts.prompt.close_start)
            fields["vignette"] = self._field("vignette", *before)
        else:
            fields["stem"] = self._field("stem", *before)
        for index, element in enumerate(parts.options):
            fields[f"options.{index}.text"] = self._field(f"options.{index}", element.open_end, element.close_start)
        explanation = self._explanation()
        if explanation is not None:
            fields["rationale"] = self._field("rationale", explanation.open_end, explanation.close_start)
        return fields

    def _explanation(self) -> Element | None:
        feedback, rubrics = self._named("modalfeedback"), self._named("rubricblock")
        candidates = feedback or rubrics
        return candidates[0] if len(candidates) == 1 else None

    def _field(self, name: str, start: int, end: int) -> FieldText:
        return field_text(name, self._text, start, end, self._builder())

    def _builder(self) -> Callable[[str], list[Layer]]:
        dialect = Dialect(xhtml=True, hidden=HIDDEN, codec=self._codec)
        return lambda source: [markup_layer(source, dialect)]

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        parts = self._interaction()
        if isinstance(parts, str):
            raise NotCarried("id", "the item is not a single choice.")
        fields, splices = self._fields(parts), []
        for path, new in changed.items():
            name = ".".join(map(str, path))
            if name == "correct_answer":
                splices.append(self._answered(parts, str(new)))
            elif name == "vignette" and name in fields and not fields[name].text:
                splices.append(Splice(parts.choice.start, parts.choice.start, self._paragraph(str(new))))
            elif name in fields and self._text[fields[name].start - 2 : fields[name].start] != "/>":
                splices += fields[name].rewritten(self._text, str(new))
            else:
                raise NotCarried(name, "the item has no place for it.")
        return applied(self._text, sorted(splices)).encode()

    def _answered(self, parts: Interaction, key: str) -> Splice:
        keys = self._keys(parts)
        if parts.answer is None or parts.answer.alone or key.strip() not in keys:
            raise NotCarried("correct_answer", f"no choice can become the key {key!r}.")
        identifier = parts.options[keys.index(key.strip())].attribute("identifier")
        return Splice(parts.answer.open_end, parts.answer.close_start, escaped(identifier))

    def _paragraph(self, new: str) -> str:
        inside = applied("", field_text("vignette", "", 0, 0, self._builder()).rewritten("", new))
        prefix = self._text[self._root.start + 1 : self._root.open_end].partition(":")[0]
        tag = f"{prefix}:p" if prefix.isidentifier() and self._text.startswith(f"<{prefix}:", self._root.start) else "p"
        return f"<{tag}>{inside}</{tag}>"

    def again(self, raw: bytes) -> Draft | None:
        return QtiDraft(raw, self.place, self._codec) if well_formed(raw) else None


def _first(element: Element, *names: str, default: str = "") -> str:
    return next((element.attribute(name) for name in names if name in element.attributes), default)


def item_pieces(source: Source) -> Iterator[Piece]:
    """The item of one file, and the bytes around it."""
    found = False
    for cut in xml_cuts(source, lambda depth, name: depth == 1 and plain_name(name) == "assessmentitem"):
        if isinstance(cut, Cut):
            found = True
            try:
                yield QtiDraft(cut.raw, cut.place, source.codec)
            except TooComplex as refusal:
                yield Fault(cut.raw, refusal.at(cut.place))
        elif isinstance(cut, Problem):
            found = True
            yield Fault(b"", cut, last=True)
        else:
            yield cut
    if not found:
        raise InputError("The file holds no QTI item.", path=source.path, line=1, code="no_item")


class Qti(BankFormat):
    """One version of QTI in one kind of file. All of them read any QTI; each writes its own."""

    def __init__(self, vocabulary: Vocabulary, *, package: bool) -> None:
        self.name = vocabulary.name if package else f"{vocabulary.name}_item"
        self.extensions = PACKAGES if package else (".xml",)
        self._vocabulary = vocabulary
        self._package = package

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def recognise(self, path: str, head: bytes) -> bool:
        if family(head) == "zip":
            ours = extension(path) in PACKAGES or shows_package(head)
            return self._package and ours and shows_qti_3(head) == self._vocabulary.kebab
        return not self._package and is_qti_item(head) and root_name(head).startswith("qti-") == self._vocabulary.kebab

    def pieces(self, source: Source) -> Iterator[Piece]:
        return item_pieces(source)

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        if _is_package(stream):
            return read_package(stream, path, item_pieces)
        return super().read(stream, path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        if _is_package(source):
            rewrite_package(source, path, item_pieces, changed, target)
        else:
            super().rewrite(source, path, changed, target)

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        write = write_package if self._package else write_item
        return write(questions, target, self._vocabulary)

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        found: set[str] = set()
        for part in self.read(stream, ""):
            if isinstance(part, Question):
                found |= {name for name in ("vignette", "rationale") if getattr(part, name)}
            if len(found) == 2:
                break
        return frozenset(found)


def _is_package(stream: BinaryIO) -> bool:
    """Whether the file is a zip; packages are read at random, so the stream must allow it."""
    if not stream.seekable():
        return False
    at = stream.tell()
    start = stream.read(4)
    stream.seek(at)
    return start in (b"PK\x03\x04", b"PK\x05\x06")


QTI_FORMATS = tuple(Qti(words, package=package) for package in (True, False) for words in (QTI_2, QTI_3))
