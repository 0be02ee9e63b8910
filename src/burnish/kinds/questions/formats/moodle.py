"""Moodle XML: multiple choice with one right answer is judged, every other type passes through.

Texts are what a reader sees of the HTML; an edit changes words and leaves tags, files, CDATA and comments as they are.
The general feedback is the rationale, an answer's feedback travels with its option. The id is the `idnumber`, else the
name; names are labels, so repeating one is no mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats.base import (
    BankFormat,
    Choice,
    Draft,
    Fault,
    Losses,
    Outcome,
    Path,
    Piece,
    choices,
    without_forbidden,
)
from burnish.kinds.questions.formats.drafts import drafted, option_key
from burnish.kinds.questions.formats.mapped_text import FieldText, Layer, Setting, Splice, applied, field_text, trimmed
from burnish.kinds.questions.formats.markup import HTML, Dialect, markup_layer
from burnish.kinds.questions.formats.recognition import family, root_name
from burnish.kinds.questions.formats.source import (
    CHUNK,
    ID_CHARACTERS,
    OPTIONS,
    NotCarried,
    Place,
    Source,
    TooComplex,
    open_xml,
)
from burnish.kinds.questions.formats.xml_text import (
    Cut,
    Element,
    character_layer,
    element_tree,
    escaped,
    well_formed,
    xml_cuts,
)
from burnish.kinds.questions.model import Option, Question

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
NOWHERE = Setting("", "", "")
CARRIED = ("rationale", "name", "tags", "options.feedback")


def write_quiz(questions: Iterable[Question], target: BinaryIO) -> list[str]:
    """Write the quiz, one question after the other."""
    losses = Losses()
    target.write(HEAD.encode())
    for question in questions:
        for choice in choices(without_forbidden(question, losses), losses, _carried(question)):
            text = "\n".join(_lines(choice))
            target.write(f"{text}\n".encode())
    target.write(b"</quiz>\n")
    return losses.sentences()


def _carried(question: Question) -> frozenset[str]:
    """Fields beyond our model that came from Moodle and have the type they have there."""
    extra = question.model_extra or {}
    wrong = {name for name in ("name",) if name in extra and not isinstance(extra[name], str)}
    if "tags" in extra and not _is_list_of_text(extra["tags"]):
        wrong.add("tags")
    if any(not isinstance((option.model_extra or {}).get("feedback", ""), str) for option in question.options):
        wrong.add("options.feedback")
    return frozenset(CARRIED) - wrong


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _lines(choice: Choice) -> Iterator[str]:
    question, carried = choice.question, _carried(choice.question)
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
        yield _answer(option, right=index == choice.right, feedback="options.feedback" in carried)
    if extra.get("tags") and "tags" in carried:
        tags = "".join(f"      <tag><text>{escaped(tag)}</text></tag>\n" for tag in extra["tags"])
        yield f"    <tags>\n{tags}    </tags>"
    yield "  </question>"


def _html(name: str, text: str) -> str:
    return f'    <{name} format="html">\n      <text>{_cdata(text)}</text>\n    </{name}>'


def _answer(option: Option, *, right: bool, feedback: bool) -> str:
    said = (option.model_extra or {}).get("feedback", "") if feedback else ""
    lines = (
        f'    <answer fraction="{100 if right else 0}" format="html">',
        f"      <text>{_cdata(option.text)}</text>",
        '      <feedback format="html">',
        f"        <text>{_cdata(said)}</text>",
        "      </feedback>",
        "    </answer>",
    )
    return "\n".join(lines)


def _cdata(text: str) -> str:
    """Plain text as HTML in a CDATA section, which reads back as it was."""
    if not text:
        return ""
    html = markup_layer("").encode(text, NOWHERE)
    return f"<![CDATA[{character_layer('').encode(html, Setting('', '', 'cdata'))}]]>"


AUTO = Dialect(keeps_lines=True)
DIALECTS = {"html": HTML, "moodle_auto_format": AUTO}
PLAIN = frozenset({"plain_text", "markdown", "wiki_like"})
NO = frozenset({"false", "0", ""})
FEEDBACK = b"<generalfeedback"


class MoodleDraft(Draft):
    """One `<question>`."""

    def __init__(self, raw: bytes, place: Place, codec: str, category: str | None) -> None:
        super().__init__(raw, place)
        self._text = raw.decode()
        self._codec = codec
        self._category = category
        self.root = element_tree(self._text)
        self._idnumber = self._label(self.root.child("idnumber"))
        name = self.root.child("name")
        self._name = self._label(name.child("text") if name else None)
        self.reports_ids = self._idnumber is not None

    def _label(self, element: Element | None) -> str | None:
        label = element.plain(self._text) if element is not None else ""
        return label if label and len(label) <= ID_CHARACTERS else None

    @property
    def declared(self) -> str | None:
        return self._idnumber or self._name

    @property
    def type(self) -> str:
        """The question's type; multiple choice says how many answers are right."""
        type = self.root.attribute("type")
        single = self.root.child("single")
        several = single is not None and single.plain(self._text).lower() in NO
        several = several or len([a for a in self.root.all("answer") if _fraction(a) >= 100]) > 1
        return "multichoice with several right answers" if type == "multichoice" and several else type

    def outcome(self, id: str) -> Outcome:
        if self.type != "multichoice":
            return PassedThrough(id, self.type or "unknown", self.place.line), []
        texts = self._fields()
        if "stem" not in texts:
            return None, [self.place.problem("missing_field", "The question has no questiontext.", field="stem")]
        options = []
        for index in range(len(self.root.all("answer"))):
            option = {"key": option_key(index), "text": _text(texts, f"options.{index}.text")}
            feedback = _text(texts, f"options.{index}.feedback")
            options.append(option | ({"feedback": feedback} if feedback else {}))
        right = next((i for i, answer in enumerate(self.root.all("answer")) if _fraction(answer) >= 100), None)
        fields: dict[str, Any] = {"id": id, "stem": texts["stem"].text, "options": options}
        fields["correct_answer"] = "" if right is None else option_key(right)
        if "rationale" in texts:
            fields["rationale"] = texts["rationale"].text
        return drafted(fields | self._carried(), self.place, size=len(self.raw))

    def _carried(self) -> dict[str, Any]:
        carried: dict[str, Any] = {}
        if self._idnumber and self._name:
            carried["name"] = self._name
        if self._category:
            carried["category"] = self._category
        tags = self.root.child("tags")
        if tags is not None and tags.children:
            carried["tags"] = [text.plain(self._text) for tag in tags.all("tag") if (text := tag.child("text"))]
        return carried

    def _fields(self) -> dict[str, FieldText]:
        """The texts of the question, by place. Answers and feedback inherit the format of the question's text."""
        fields: dict[str, FieldText] = {}
        stem = self.root.child("questiontext")
        inherited = stem.attribute("format", "html") if stem else "html"
        self._add(fields, "stem", stem, inherited)
        self._add(fields, "rationale", self.root.child("generalfeedback"), inherited)
        for index, answer in enumerate(self.root.all("answer")):
            self._add(fields, f"options.{index}.text", answer, inherited)
            self._add(fields, f"options.{index}.feedback", answer.child("feedback"), inherited)
        return fields

    def _add(self, fields: dict[str, FieldText], name: str, holder: Element | None, inherited: str) -> None:
        element = holder.child("text") if holder else None
        if holder is not None and element is not None:
            build = self._builder(holder.attribute("format", inherited))
            fields[name] = field_text(name, self._text, element.open_end, element.close_start, build)

    def _builder(self, format: str) -> Callable[[str], list[Layer]]:
        codec = self._codec

        def build(source: str) -> list[Layer]:
            characters = character_layer(source, codec)
            if format in PLAIN:
                return [Layer(trimmed(characters.runs), characters.encode)]
            return [characters, markup_layer(characters.text, DIALECTS.get(format, HTML))]

        return build

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        fields = self._fields()
        splices: list[Splice] = []
        for path, new in changed.items():
            name = ".".join(map(str, path))
            if name in fields:
                splices += self._rewritten(fields[name], str(new))
            elif name == "correct_answer":
                splices += self._exchanged_fractions(str(new))
            elif name == "rationale" and "stem" in fields:
                splices.append(self._added_feedback(str(new)))
            else:
                raise NotCarried(name, "Moodle XML has no place for it here.")
        return applied(self._text, sorted(splices)).encode()

    def _rewritten(self, field: FieldText, new: str) -> list[Splice]:
        if self._text[field.start - 2 : field.start] != "/>":
            return field.rewritten(self._text, new)
        # `<text/>`: there is no inside to splice, so the tag is written in two halves.
        inside = applied("", field_text(field.name, "", 0, 0, field.build).rewritten("", new))
        tag = self._text[self._text.rindex("<", 0, field.start) : field.start - 2].rstrip()
        return [Splice(field.start - 2, field.start, f">{inside}</{tag[1:].split()[0]}>")]

    def _exchanged_fractions(self, key: str) -> list[Splice]:
        """The old and the new key exchange what they are worth."""
        answers = self.root.all("answer")
        new = next((a for index, a in enumerate(answers) if option_key(index) == key.strip()), None)
        old = next((a for a in answers if _fraction(a) >= 100), None)
        if new is None or old is None or "fraction" not in new.attributes:
            raise NotCarried("correct_answer", f"no answer can become the key {key!r}.")
        one, other = old.attributes["fraction"], new.attributes["fraction"]
        return [
            Splice(one.start, one.end, self._text[other.start : other.end]),
            Splice(other.start, other.end, self._text[one.start : one.end]),
        ]

    def _added_feedback(self, new: str) -> Splice:
        """A `<generalfeedback>` after the question's text, indented like it."""
        stem = self.root.child("questiontext")
        at = stem.end if stem else self.root.open_end
        start = stem.start if stem else at
        indent = self._text[len(self._text[:start].rstrip(" \t")) : start]
        line_end = "\r\n" if "\r\n" in self._text else "\n"
        inside = applied("", field_text("rationale", "", 0, 0, self._builder("html")).rewritten("", new))
        inner = f"{line_end}{indent}  <text>{inside}</text>{line_end}{indent}"
        return Splice(at, at, f'{line_end}{indent}<generalfeedback format="html">{inner}</generalfeedback>')

    def again(self, raw: bytes) -> Draft | None:
        return MoodleDraft(raw, self.place, self._codec, self._category) if well_formed(raw) else None


def _text(fields: dict[str, FieldText], name: str) -> str:
    return fields[name].text if name in fields else ""


def _fraction(answer: Element) -> float:
    try:
        return float(answer.attribute("fraction", "0"))
    except ValueError:
        return 0.0


class MoodleXml(BankFormat):
    """`.xml` with the root `<quiz>`."""

    name = "moodle_xml"
    extensions = (".xml",)

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def recognise(self, path: str, head: bytes) -> bool:
        return family(head) == "xml" and root_name(head) == "quiz"

    def pieces(self, source: Source) -> Iterator[Piece]:
        category: str | None = None
        for cut in xml_cuts(source, lambda depth, name: depth == 2 and name == "question"):
            if isinstance(cut, Cut):
                draft = _draft(cut, source.codec, category)
                if isinstance(draft, MoodleDraft) and draft.root.attribute("type") == "category":
                    category = _category(draft)
                    yield cut.raw
                else:
                    yield draft
            else:
                yield Fault(b"", cut, counts=False, last=True) if isinstance(cut, Problem) else cut

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        return write_quiz(questions, target)

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
    """Whether a general feedback in this block says anything; Moodle exports empty ones for every question."""
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


def _draft(cut: Cut, codec: str, category: str | None) -> MoodleDraft | Fault:
    try:
        draft = MoodleDraft(cut.raw, cut.place, codec, category)
        if len(draft.root.all("answer")) > OPTIONS:
            raise TooComplex
    except TooComplex as refusal:
        return Fault(cut.raw, refusal.at(cut.place))
    return draft


def _category(draft: MoodleDraft) -> str | None:
    category = draft.root.child("category")
    text = category.child("text") if category else None
    return text.plain(draft.raw.decode()) or None if text else None
