"""Moodle XML: multiple choice and true/false are judged, every other type passes through.

Texts are what a reader sees of the HTML; an edit changes words and keeps tags, files, CDATA and comments. The general
feedback is the rationale, an answer's feedback is carried with its option. The id is the `idnumber`, or else the name;
names are labels, which may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from burnish.core.documents import PassedThrough
from burnish.kinds.questions.formats.base import (
    Choice,
    Format,
    Losses,
    Outcome,
    Piece,
    XmlDraft,
    choices,
    feedback_in,
    new_text,
    texts_only,
    with_letter,
    without_forbidden,
    xml_pieces,
)
from burnish.kinds.questions.formats.drafts import choice_fields, drafted, usable_id
from burnish.kinds.questions.formats.markup import HTML, Dialect, markup_layer
from burnish.kinds.questions.formats.source import CHUNK, OPTIONS, Place, Source, TooComplex, family, open_xml
from burnish.kinds.questions.formats.xml_text import Cut, Element, character_layer, escaped, root_name
from burnish.kinds.questions.model import VERDICTS, Question, QuestionType
from burnish.text.mapped_text import (
    NOWHERE,
    FieldText,
    Layer,
    NotCarried,
    Setting,
    Splice,
    field_text,
    trimmed,
)

AUTO = Dialect(keeps_lines=True)
DIALECTS = {"html": HTML, "moodle_auto_format": AUTO}
PLAIN = frozenset({"plain_text", "markdown", "wiki_like"})
NO = frozenset({"false", "0", ""})
FEEDBACK = b"<generalfeedback"


class MoodleDraft(XmlDraft):
    """One `<question>`."""

    holder = "Moodle XML"

    def __init__(self, raw: bytes, place: Place, text: str, codec: str, category: str | None) -> None:
        super().__init__(raw, place, text, codec, category)
        self._category = category
        self._answers = self.root.all("answer")
        if len(self._answers) > OPTIONS:
            raise TooComplex
        single = self.root.child("single")
        self._allows_several = single is not None and single.plain(text).lower() in NO
        worth = enumerate(map(_fraction, self._answers))
        self._right = [index for index, fraction in worth if fraction >= 100 or (self._allows_several and fraction > 0)]
        self._idnumber = usable_id(self._plain(self.root, "idnumber"))
        self._name = usable_id(self._plain(self.root, "name", "text"))
        self.reports_ids = self._idnumber is not None

    def _plain(self, element: Element | None, *names: str) -> str:
        """The characters of the element at this path of names; empty if there is none."""
        for name in names:
            element = element.child(name) if element is not None else None
        return element.plain(self.text) if element is not None else ""

    @property
    def declared(self) -> str | None:
        return self._idnumber or self._name

    @property
    def category(self) -> str | None:
        """The category of a question of the type `category`."""
        return self._plain(self.root, "category", "text") or None

    @property
    def type(self) -> str:
        """Moodle's name of the question's type."""
        return self.root.attribute("type")

    @property
    def _our_type(self) -> QuestionType | None:
        """Our type; None if it is not judged."""
        if self.type == "truefalse" and len(self._answers) == len(VERDICTS):
            return "true_false"
        if self.type != "multichoice":
            return None
        return "multiple_response" if self._allows_several or len(self._right) > 1 else "single_best_answer"

    def outcome(self, id: str) -> Outcome:
        if self._our_type is None:
            return PassedThrough(id, self.type or "unknown", self.place.line), []
        texts = self.fields()
        if "stem" not in texts:
            return None, [self.place.problem("missing_field", "The question has no questiontext.", field="stem")]
        fields = choice_fields(id, texts, len(self._answers), self._right, self._our_type)
        fields |= {"name": self._name} if self._idnumber and self._name else {}
        fields |= {"category": self._category} if self._category else {}
        tags = self.root.child("tags")
        if tags is not None and tags.children:
            fields["tags"] = [text.plain(self.text) for tag in tags.all("tag") if (text := tag.child("text"))]
        return drafted(fields, self.place, size=len(self.raw))

    def fields(self) -> dict[str, FieldText]:
        """Answers and feedback inherit the format of the question's text."""
        fields: dict[str, FieldText] = {}
        stem = self.root.child("questiontext")
        inherited = stem.attribute("format", "html") if stem else "html"
        self._add(fields, "stem", stem, inherited)
        self._add(fields, "rationale", self.root.child("generalfeedback"), inherited)
        for index, answer in enumerate(self._answers):
            self._add(fields, f"options.{index}.text", answer, inherited)
            self._add(fields, f"options.{index}.feedback", answer.child("feedback"), inherited)
        return fields

    def _add(self, fields: dict[str, FieldText], name: str, holder: Element | None, inherited: str) -> None:
        element = holder.child("text") if holder else None
        if holder is not None and element is not None:
            build = self._builder(holder.attribute("format", inherited))
            fields[name] = field_text(name, self.text, element.open_end, element.close_start, build)

    def _builder(self, format: str) -> Callable[[str], list[Layer]]:
        codec = self.codec

        def build(source: str) -> list[Layer]:
            characters = character_layer(source, codec)
            if format in PLAIN:
                return [Layer(trimmed(characters.runs), characters.encode)]
            return [characters, markup_layer(characters.text, DIALECTS.get(format, HTML))]

        return build

    def rewritten(self, field: FieldText, new: str) -> list[Splice]:
        if self.text[field.start - 2 : field.start] != "/>":
            return field.rewritten(self.text, new)
        # `<text/>` has no content to splice, so an opening and a closing tag are written.
        inside = new_text(field.name, field.build, new)
        tag = self.text[self.text.rindex("<", 0, field.start) : field.start - 2].rstrip()
        return [Splice(field.start - 2, field.start, f">{inside}</{tag[1:].split()[0]}>")]

    def with_key(self, key: str) -> list[Splice]:
        """Exchange the fractions of the old and the new key."""
        new = with_letter(self._answers, key)
        if new is None or not self._right or "fraction" not in new.attributes:
            raise NotCarried("correct_answer", f"no answer can become the key {key!r}.")
        one, other = self._answers[self._right[0]].attributes["fraction"], new.attributes["fraction"]
        return self.exchanged((one.start, one.end), (other.start, other.end))

    def added(self, name: str, new: str) -> list[Splice] | None:
        """A `<generalfeedback>` after the question's text, with the same indentation."""
        stem = self.root.child("questiontext")
        if name != "rationale" or stem is None:
            return None
        indent = self.text[len(self.text[: stem.start].rstrip(" \t")) : stem.start]
        line_end = "\r\n" if "\r\n" in self.text else "\n"
        inside = new_text("rationale", self._builder("html"), new)
        inner = f"{line_end}{indent}  <text>{inside}</text>{line_end}{indent}"
        feedback = f'{line_end}{indent}<generalfeedback format="html">{inner}</generalfeedback>'
        return [Splice(stem.end, stem.end, feedback)]


def _fraction(answer: Element) -> float:
    try:
        return float(answer.attribute("fraction", "0"))
    except ValueError:
        return 0.0


class MoodleXml(Format):
    """`.xml` with the root `<quiz>`."""

    name = "moodle_xml"
    extensions = (".xml",)

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def recognise(self, path: str, head: bytes) -> bool:
        return family(head) == "xml" and root_name(head) == "quiz"

    def pieces(self, source: Source) -> Iterator[Piece]:
        category: str | None = None

        def draft(cut: Cut, text: str) -> MoodleDraft:
            return MoodleDraft(cut.raw, cut.place, text, source.codec, category)

        for piece in xml_pieces(source, lambda depth, name: depth == 2 and name == "question", draft, counts=False):
            if isinstance(piece, MoodleDraft) and piece.type == "category":
                category = piece.category
                yield piece.raw
            else:
                yield piece

    head = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
    tail = "</quiz>\n"

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        carried = _carried(question)
        for choice in choices(without_forbidden(question, losses), losses, carried):
            yield from (f"{line}\n" for line in _lines(choice, carried))

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        tail = b""
        for chunk in open_xml(stream, "").chunks():
            block = tail + chunk
            if _explains(block):
                return frozenset({"rationale"})
            opened = block.rfind(FEEDBACK)
            tail = block[opened if opened >= 0 else -len(FEEDBACK) :][:CHUNK]
        return frozenset()


def _explains(block: bytes) -> bool:
    """Whether a general feedback in this block has text; Moodle exports empty ones for every question."""
    at = block.find(FEEDBACK)
    while at >= 0:
        start, end = block.find(b"<text>", at), block.find(b"</text>", at)
        if end < 0:
            return False
        held = block[start + len(b"<text>") : end].strip() if 0 <= start < end else b""
        if held and markup_layer(character_layer(held.decode("utf-8", "replace")).text).text.strip():
            return True
        at = block.find(FEEDBACK, end)
    return False


def _carried(question: Question) -> frozenset[str]:
    """Unknown fields that came from Moodle and have the types used there."""
    tags = (question.model_extra or {}).get("tags", [])
    listed = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
    return texts_only(question, ("rationale", "name", "options.feedback")) | ({"tags"} if listed else set())


def _lines(choice: Choice, carried: frozenset[str]) -> Iterator[str]:
    question = choice.question
    extra = question.model_extra or {}
    name = extra.get("name") if "name" in carried else None
    yield '  <question type="multichoice">'
    yield f"    <name>\n      <text>{escaped(name or question.id)}</text>\n    </name>"
    yield _html("questiontext", choice.stem)
    if question.rationale is not None:
        yield _html("generalfeedback", question.rationale)
    yield "    <defaultgrade>1.0000000</defaultgrade>\n    <penalty>0.3333333</penalty>\n    <hidden>0</hidden>"
    yield f"    <idnumber>{escaped(question.id)}</idnumber>"
    yield "    <single>true</single>\n    <shuffleanswers>true</shuffleanswers>"
    yield "    <answernumbering>ABCD</answernumbering>"
    for index, option in enumerate(choice.options):
        yield f'    <answer fraction="{100 if index == choice.right else 0}" format="html">'
        yield f'      <text>{_cdata(option.text)}</text>\n      <feedback format="html">'
        said = feedback_in(option) if "options.feedback" in carried else ""
        yield f"        <text>{_cdata(said)}</text>\n      </feedback>\n    </answer>"
    if extra.get("tags") and "tags" in carried:
        tags = "".join(f"      <tag><text>{escaped(tag)}</text></tag>\n" for tag in extra["tags"])
        yield f"    <tags>\n{tags}    </tags>"
    yield "  </question>"


def _html(name: str, text: str) -> str:
    return f'    <{name} format="html">\n      <text>{_cdata(text)}</text>\n    </{name}>'


def _cdata(text: str) -> str:
    """Plain text as HTML in a CDATA section, which is read back unchanged."""
    if not text:
        return ""
    html = markup_layer("").encode(text, NOWHERE)
    return f"<![CDATA[{character_layer('').encode(html, Setting('', '', 'cdata'))}]]>"
