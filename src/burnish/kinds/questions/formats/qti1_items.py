"""QTI 1.2 items as Canvas, Blackboard, Common Cartridge and text2qti write them: one choice.

The material before the choices is the stem, the feedback `general_fb` (or a solution) the rationale, and the feedback
of a choice is carried with its option. Other types pass through. Texts are escaped HTML, XHTML or plain; pictures
beside them (`matimage`) are tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import regex

from burnish.core.documents import PassedThrough
from burnish.kinds.questions.formats.base import (
    Choice,
    Losses,
    Outcome,
    Piece,
    XmlDraft,
    choices,
    feedback_in,
    texts_only,
    with_letter,
    without_forbidden,
    xml_pieces,
)
from burnish.kinds.questions.formats.drafts import choice_fields, drafted, usable_id
from burnish.kinds.questions.formats.markup import HTML, Dialect, markup_layer, token_name
from burnish.kinds.questions.formats.source import OPTIONS, Place, Source, TooComplex
from burnish.kinds.questions.formats.xml_text import Element, attribute, character_layer, escaped, moved_runs
from burnish.kinds.questions.model import Question, QuestionType
from burnish.text.mapped_text import NOWHERE, FieldText, Layer, NotCarried, Run, Splice, field_text, trimmed

TEXTS = frozenset({"mattext", "mat_formattedtext"})
RESPONSES = frozenset({"response_lid", "response_str", "response_num", "response_xy", "response_grp", "response_ext"})
TYPES: dict[str, QuestionType] = {
    **dict.fromkeys(
        ("", "multiple_choice_question", "cc.multiple_choice.v0p1", "multiple choice", "multiple_choice"),
        "single_best_answer",
    ),
    **dict.fromkeys(("true_false_question", "cc.true_false.v0p1", "true/false", "true_false"), "true_false"),
    **dict.fromkeys(
        ("multiple_answers_question", "cc.multiple_response.v0p1", "multiple answer", "multiple_response"),
        "multiple_response",
    ),
}
"""The systems' names of types -> ours."""
NO_TITLE = frozenset({"", "question"})
GAP = regex.compile(r"(?:\A|</(?:[\w.-]+:)?mat(?:text|_formattedtext)\s*+>)\s*+(?:<(?!!\[CDATA\[)[^>]*+>\s*+)*+")
"""The source between two texts of one material: tags only."""
IMAGE = regex.compile(r"<(?:[\w.-]+:)?matimage\b[^>]*+>")
SMART = Dialect(keeps_lines=True)


@dataclass(frozen=True, slots=True)
class Condition:
    """One answer's condition: its choice, the element that names it, and its score."""

    choice: str
    value: Element
    """The `varequal`."""
    score: float | None
    """None if it has no score and only shows feedback."""
    setvar: Element | None
    by_name: bool
    """Whether the choice is named by `respident` and the element is empty, as in Blackboard."""


class Qti1Draft(XmlDraft):
    """One `<item>`."""

    holder = "the item"

    def __init__(self, raw: bytes, place: Place, text: str, codec: str) -> None:
        super().__init__(raw, place, text, codec)
        self._all = list(self.root.walk())
        self._labels = self._named("response_label")
        if len(self._labels) > OPTIONS:
            raise TooComplex
        self._idents = [label.attribute("ident") for label in self._labels]

    def _named(self, *names: str) -> list[Element]:
        return [element for element in self._all if element.name in names]

    @property
    def declared(self) -> str | None:
        blackboard = next((e.plain(self.text) for e in self._named("bbmd_asi_object_id")), "")
        return usable_id(self.root.attribute("ident") or blackboard)

    @cached_property
    def type(self) -> str:
        """The type in the terms of the system that wrote the item; empty if it is not given."""
        for field in self._named("qtimetadatafield"):
            label, entry = field.child("fieldlabel"), field.child("fieldentry")
            named = label.plain(self.text).lower() if label is not None else ""
            if entry is not None and named in ("question_type", "cc_profile", "qmd_itemtype"):
                return entry.plain(self.text)
        return next((e.plain(self.text) for e in self._named("bbmd_questiontype", "qmd_itemtype")), "")

    @cached_property
    def _conditions(self) -> list[Condition]:
        found = [c for e in self._named("respcondition") for c in _conditions(e, self.text)]
        return [condition for condition in found if condition.choice in self._idents]

    @cached_property
    def _right(self) -> list[str]:
        """The choices with the highest score, or for multiple response all with a score, best first."""
        if self._our_type == "multiple_response":
            affirmed = [choice for e in self._named("respcondition") for choice in _affirmed(e, self.text)]
            return [choice for choice in self._idents if choice in affirmed]
        return self._best

    @cached_property
    def _best(self) -> list[str]:
        scores: dict[str, float] = {}
        for condition in self._conditions:
            if condition.score is not None and condition.score > 0:
                scores[condition.choice] = max(condition.score, scores.get(condition.choice, 0))
        return [choice for choice, score in scores.items() if score == max(scores.values())]

    @property
    def _other_type(self) -> str | None:
        """The name of another type; None for a choice."""
        if self.type.lower() not in TYPES:
            return self.type
        responses = self._named(*RESPONSES)
        if len(responses) != 1 or responses[0].name != "response_lid":
            return "several responses" if len(responses) > 1 else (responses[0].name if responses else "no response")
        return None

    @cached_property
    def _our_type(self) -> QuestionType:
        declared = TYPES[self.type.lower()]
        if (
            self._named("response_lid")[0].attribute("rcardinality", "Single").lower() != "single"
            or len(self._best) > 1
        ):
            return "multiple_response"
        return declared

    def outcome(self, id: str) -> Outcome:
        other = self._other_type
        if other is not None:
            return PassedThrough(id, other, self.place.line), []
        texts = self.fields()
        if "stem" not in texts:
            return None, [self.place.problem("missing_field", "The item has no text before its choices.", field="stem")]
        right = [self._idents.index(choice) for choice in self._right]
        fields = choice_fields(id, texts, len(self._labels), right, self._our_type)
        if not fields.get("rationale"):
            fields.pop("rationale", None)
        title = self.root.attribute("title")
        if title.strip().lower() not in NO_TITLE and title != self.declared:
            fields["title"] = title
        return drafted(fields, self.place, size=len(self.raw))

    def fields(self) -> dict[str, FieldText]:
        fields: dict[str, FieldText] = {}
        first = min((label.start for label in self._labels), default=len(self.text))
        presentation = self.root.child("presentation")
        if presentation is not None:
            self._add(fields, "stem", [e for e in presentation.walk() if e.start < first])
        feedback = {e.attribute("ident"): e for e in self.root.all("itemfeedback")}
        for index, label in enumerate(self._labels):
            self._add(fields, f"options.{index}.text", list(label.walk()))
            ident = self._idents[index]
            own = feedback.get(f"{ident}_fb") or feedback.get(ident)
            self._add(fields, f"options.{index}.feedback", list(own.walk()) if own is not None else [])
        general = feedback.get("general_fb") or next(iter(self._named("solution")), None)
        self._add(fields, "rationale", list(general.walk()) if general is not None else [])
        return fields

    def _add(self, fields: dict[str, FieldText], name: str, inside: list[Element]) -> None:
        """The texts and pictures among these elements as one field, if there are any."""
        shown = [e for e in inside if e.name == "matimage" or (e.name in TEXTS and not e.alone)]
        shown = [e for e in shown if e.name == "matimage" or e.plain(self.text) or e.children] or shown[:1]
        if not shown:
            return
        first, last = shown[0], shown[-1]
        start = first.open_end if first.name in TEXTS else first.start
        end = last.close_start if last.name in TEXTS else last.end
        fields[name] = field_text(name, self.text, start, end, _Builder(_way(shown), self.codec))

    def with_key(self, key: str) -> list[Splice]:
        """Exchange the keys in conditions with a score; if each choice has its own score, exchange the scores."""
        new = with_letter(self._idents, key)
        if new is None or not self._right:
            raise NotCarried("correct_answer", f"no choice can become the key {key!r}.")
        old, splices = self._right[0], []
        scores = {c.choice: c.setvar for c in self._conditions if c.by_name and c.setvar is not None}
        for condition in self._conditions:
            if condition.choice != old or not condition.score:
                continue
            if not condition.by_name:
                splices.append(Splice(*condition.value.inside, escaped(new)))
            elif new in scores and old in scores:
                splices += self.exchanged(scores[old].inside, scores[new].inside)
        return splices


def _scored(respcondition: Element, text: str) -> tuple[Element | None, float | None]:
    """The element that sets the score, and the score; None if it sets none."""
    setvar = next((element for element in respcondition.walk() if element.name == "setvar"), None)
    if setvar is None:
        return None, 100.0 if respcondition.attribute("title").lower() == "correct" else None
    said = setvar.plain(text)
    try:
        return setvar, float(said)
    except ValueError:
        return setvar, 100.0 if said.lower().endswith("max") else 0.0


def _conditions(respcondition: Element, text: str) -> Iterator[Condition]:
    """The conditions for single choices. A condition under `not` does not count for the right answer."""
    inside = list(respcondition.walk())
    if any(element.name in ("not", "varsubset") for element in inside):
        return
    setvar, score = _scored(respcondition, text)
    for value in (element for element in inside if element.name == "varequal"):
        named = value.plain(text) if not value.alone else ""
        yield Condition(named or value.attribute("respident"), value, score, setvar, not named)


def _affirmed(respcondition: Element, text: str) -> Iterator[str]:
    """The choices required by a condition with a score; those under `not` must not be chosen."""
    if (_scored(respcondition, text)[1] or 0) > 0:
        yield from _asked_for(respcondition, text)


def _asked_for(element: Element, text: str) -> Iterator[str]:
    if element.name == "varequal":
        yield (element.plain(text) if not element.alone else "") or element.attribute("respident")
    for child in element.children:
        if child.name != "not":
            yield from _asked_for(child, text)


def _way(shown: list[Element]) -> str:
    """How the texts are written: `xhtml` as elements, `html` and `smart` escaped, otherwise `plain`."""
    if any(element.children for element in shown):
        return "xhtml"
    types = {element.attribute("texttype" if element.name == "mattext" else "type").lower() for element in shown}
    if "smart_text" in types:
        return "smart"
    return "html" if types & {"text/html", "html", "text/xhtml"} else "plain"


@dataclass(frozen=True, slots=True)
class _Builder:
    """Makes the layers of a material: its characters, and the text that a reader of the HTML sees."""

    way: str
    codec: str

    def __call__(self, source: str) -> list[Layer]:
        if self.way == "xhtml":
            return [markup_layer(source, Dialect(xhtml=True, codec=self.codec))]
        characters = Layer(self._runs(source), character_layer("", self.codec).encode)
        if self.way == "plain":
            return [Layer(trimmed(characters.runs), characters.encode)]
        return [characters, markup_layer(characters.text, SMART if self.way == "smart" else HTML)]

    def _runs(self, source: str) -> Iterator[Run]:
        at = 0
        for gap in GAP.finditer(source):
            yield from moved_runs(source, at, gap.start(), self.codec)
            yield from self._between(gap)
            at = gap.end()
        yield from moved_runs(source, at, len(source), self.codec)

    def _between(self, gap: regex.Match[str]) -> Iterator[Run]:
        """Pictures between texts, or else a line break; nothing at the beginning."""
        images = list(IMAGE.finditer(gap.group()))
        for image in images:
            start = gap.start() + image.start()
            shown = token_name("matimage", image.group()) if self.way == "plain" else image.group()
            yield Run(shown, start, start + len(image.group()), "opaque")
        if gap.start() > 0 and not images:
            yield Run("\n" if self.way == "plain" else "<br>", gap.start(), gap.start(), "fixed")


def item_pieces(source: Source) -> Iterator[Piece]:
    """The items of one `questestinterop`, in sections or not, and the bytes around them."""
    return xml_pieces(
        source,
        lambda depth, name: depth > 1 and name == "item",
        lambda cut, text: Qti1Draft(cut.raw, cut.place, text, source.codec),
    )


HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">
  <assessment ident="burnish_assessment" title="Questions">
    <section ident="root_section">
"""
TAIL = "    </section>\n  </assessment>\n</questestinterop>\n"


def items(question: Question, losses: Losses) -> Iterator[str]:
    """The question as an item that Canvas reads."""
    carried = texts_only(question, ("rationale", "title", "options.feedback"))
    for choice in choices(without_forbidden(question, losses), losses, carried):
        yield "\n".join((*_lines(choice), ""))


def _lines(choice: Choice) -> Iterator[str]:
    question = choice.question
    title = (question.model_extra or {}).get("title")
    named = title if isinstance(title, str) and title else "Question"
    idents = [f"choice_{index}" for index in range(1, len(choice.options) + 1)]
    feedback = {"general_fb": question.rationale} if question.rationale else {}
    pairs = zip(idents, map(feedback_in, choice.options), strict=True)
    feedback |= {f"{ident}_fb": text for ident, text in pairs if text}
    yield f'      <item ident="{attribute(question.id)}" title="{attribute(named)}">'
    yield "        <itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel>"
    yield "          <fieldentry>multiple_choice_question</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>"
    yield f"        <presentation>{_material(choice.stem)}"
    yield '          <response_lid ident="response1" rcardinality="Single"><render_choice>'
    for ident, option in zip(idents, choice.options, strict=True):
        yield f'            <response_label ident="{ident}">{_material(option.text)}</response_label>'
    yield "          </render_choice></response_lid>\n        </presentation>"
    yield '        <resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/>'
    yield "          </outcomes>"
    for name in feedback:
        condition = "<other/>" if name == "general_fb" else _equal(name.removesuffix("_fb"))
        shown = f'<displayfeedback feedbacktype="Response" linkrefid="{name}"/>'
        yield f'          <respcondition continue="Yes"><conditionvar>{condition}</conditionvar>{shown}</respcondition>'
    yield f'          <respcondition continue="No"><conditionvar>{_equal(idents[choice.right])}</conditionvar>'
    yield '            <setvar action="Set" varname="SCORE">100</setvar></respcondition>\n        </resprocessing>'
    for name, said in feedback.items():
        yield f'        <itemfeedback ident="{name}"><flow_mat>{_material(said)}</flow_mat></itemfeedback>'
    yield "      </item>"


def _equal(ident: str) -> str:
    return f'<varequal respident="response1">{ident}</varequal>'


def _material(text: str) -> str:
    html = markup_layer("").encode(text, NOWHERE)
    return f'<material><mattext texttype="text/html">{character_layer("").encode(html, NOWHERE)}</mattext></material>'
