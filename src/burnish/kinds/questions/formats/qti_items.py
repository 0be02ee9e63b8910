"""Items of QTI 2.x and 3.0, read and written: one choice interaction; others pass through.

With a prompt, the prompt is the stem and the text before the interaction is the vignette; without one, that text is the
stem. Text after the interaction is carried, not judged. Feedback with an option's identifier is carried with the
option; a single other modal feedback (or without one, a single rubric block) is the rationale. A choice between True
and False is a true/false question: QTI has no separate type for it. Options use their identifiers as keys if these are
single capital letters, otherwise A, B, C in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from burnish.core.documents import PassedThrough
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import (
    Choice,
    Losses,
    Outcome,
    Piece,
    XmlDraft,
    choices,
    new_text,
    texts_only,
    without_forbidden,
    xml_pieces,
)
from burnish.kinds.questions.formats.drafts import KEYS, drafted, option_key, usable_id
from burnish.kinds.questions.formats.markup import XHTML, Dialect, markup_layer
from burnish.kinds.questions.formats.source import OPTIONS, Place, Source, TooComplex
from burnish.kinds.questions.formats.xml_text import Element, attribute, escaped
from burnish.kinds.questions.model import Question, are_verdicts
from burnish.text.mapped_text import NOWHERE, FieldText, Layer, NotCarried, Splice, field_text

HIDDEN = frozenset(
    name.lower()
    for base in ("rubric-block", "feedback-block", "feedback-inline", "template-block", "template-inline", "stylesheet")
    for name in (f"qti-{base}", base.replace("-", ""))
)
LETTER = regex.compile(r"[A-Z]")
IDENTIFIER = regex.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,100}")


def plain_name(name: str) -> str:
    """The name in both vocabularies of QTI: `qti-simple-choice` and `simpleChoice` are `simplechoice`."""
    return name.removeprefix("qti-").replace("-", "").lower()


@dataclass(frozen=True, slots=True)
class Interaction:
    """The parts of an item with one choice."""

    body: Element
    choice: Element
    prompt: Element | None
    options: tuple[Element, ...]
    answers: tuple[Element, ...]
    """The `<value>`s of the correct response."""
    several: bool
    """Whether several options can be right."""


class QtiDraft(XmlDraft):
    """One assessment item."""

    holder = "the item"

    def __init__(self, raw: bytes, place: Place, text: str, codec: str) -> None:
        super().__init__(raw, place, text, codec)
        self._dialect = Dialect(xhtml=True, hidden=HIDDEN, codec=codec)
        self._all = list(self.root.walk())

    @property
    def declared(self) -> str | None:
        return usable_id(self.root.attribute("identifier"))

    def _named(self, name: str) -> list[Element]:
        return [element for element in self._all if plain_name(element.name) == name]

    @cached_property
    def _parts(self) -> Interaction | str:
        """The item's parts, or the name of another type."""
        interactions = [element for element in self._all if plain_name(element.name).endswith("interaction")]
        bodies = self._named("itembody")
        if not bodies or not interactions:
            return "no interaction"
        choice = interactions[0]
        if len(interactions) > 1:
            return "several interactions"
        if plain_name(choice.name) != "choiceinteraction":
            return choice.name
        wanted = _first(choice, "responseIdentifier", "response-identifier")
        found = [e for e in self._named("responsedeclaration") if e.attribute("identifier") == wanted]
        response = found[0] if found else Element("", 0, 0, {})
        several = response.attribute("cardinality") == "multiple"
        one = _first(choice, "maxChoices", "max-choices", default="1") == "1"
        if not several and not (one and response.attribute("cardinality") == "single"):
            return f"{choice.name} without a response that fits it"
        prompt = next((child for child in choice.children if plain_name(child.name) == "prompt"), None)
        options = tuple(child for child in choice.children if plain_name(child.name) == "simplechoice")
        if len(options) > OPTIONS:
            raise TooComplex
        values = [e for e in response.walk() if plain_name(e.name) == "correctresponse"]
        answers = tuple(e for response in values for e in response.children if plain_name(e.name) == "value")
        return Interaction(bodies[0], choice, prompt, options, answers if several else answers[:1], several)

    def outcome(self, id: str) -> Outcome:
        parts = self._parts
        if isinstance(parts, str):
            return PassedThrough(id, parts, self.place.line), []
        texts, keys = self.fields(), _keys(parts)
        options = []
        for index, (key, element) in enumerate(zip(keys, parts.options, strict=True)):
            identifier = element.attribute("identifier")
            option = {"key": key, "text": texts[f"options.{index}.text"].text}
            said = texts.get(f"options.{index}.feedback")
            option |= {"feedback": said.text} if said is not None and said.text else {}
            options.append(option | ({"identifier": identifier} if identifier != key else {}))
        fields: dict[str, Any] = {"id": id, "stem": texts["stem"].text, "options": options}
        key_of = {e.attribute("identifier"): key for key, e in zip(keys, parts.options, strict=True)}
        named = [answer.plain(self.text) for answer in parts.answers]
        fields["correct_answer"] = ", ".join(key_of.get(name, name) for name in named)
        if parts.several:
            fields["type"] = "multiple_response"
        elif are_verdicts([option["text"] for option in options]):
            fields["type"] = "true_false"
        fields |= {name: texts[name].text for name in ("vignette", "rationale") if name in texts and texts[name].text}
        language, title = self.root.attribute("xml:lang").partition("-")[0].lower(), self.root.attribute("title")
        fields |= {"title": title} if title and title != self.declared else {}
        fields |= {"language": language} if language else {}
        return drafted(fields, self.place, size=len(self.raw))

    def fields(self) -> dict[str, FieldText]:
        parts = self._choice()
        before = (parts.body.open_end, parts.choice.start)
        places = {"stem": before} if parts.prompt is None else {"stem": parts.prompt.inside, "vignette": before}
        places |= {f"options.{index}.text": element.inside for index, element in enumerate(parts.options)}
        said = self._feedback_of_options(parts)
        places |= {f"options.{index}.feedback": element.inside for index, element in said.items()}
        modal = [element for element in self._named("modalfeedback") if element not in said.values()]
        explanations = modal or self._named("rubricblock")
        if len(explanations) == 1:
            places["rationale"] = explanations[0].inside
        return {name: field_text(name, self.text, *place, self._layers) for name, place in places.items()}

    def _feedback_of_options(self, parts: Interaction) -> dict[int, Element]:
        """The feedback for each option: inside it, or at the end with its identifier."""
        places = {element.attribute("identifier"): index for index, element in enumerate(parts.options)}
        found: dict[int, Element] = {}
        for element in (*self._named("feedbackinline"), *self._named("modalfeedback")):
            index = places.get(element.attribute("identifier"))
            if index is not None and not element.alone:
                found.setdefault(index, element)
        return found

    def _choice(self) -> Interaction:
        if isinstance(self._parts, str):
            raise NotCarried("id", "the item is not one choice.")
        return self._parts

    def _layers(self, source: str) -> list[Layer]:
        return [markup_layer(source, self._dialect)]

    def rewritten(self, field: FieldText, new: str) -> list[Splice]:
        if field.name == "vignette" and not field.text:
            at = self._choice().choice.start
            prefix = self.text[self.root.start + 1 : self.root.open_end].partition(":")[0]
            prefixed = prefix.isidentifier() and self.text.startswith(f"<{prefix}:", self.root.start)
            tag = f"{prefix}:p" if prefixed else "p"
            return [Splice(at, at, f"<{tag}>{new_text('vignette', field.build, new)}</{tag}>")]
        if self.text[field.start - 2 : field.start] == "/>":
            raise NotCarried(field.name, "the item has no place for it.")
        return super().rewritten(field, new)

    def with_key(self, key: str) -> list[Splice]:
        parts = self._choice()
        keys = _keys(parts)
        answer = next(iter(parts.answers), None)
        if answer is None or answer.alone or key.strip() not in keys:
            raise NotCarried("correct_answer", f"no choice can become the key {key!r}.")
        identifier = parts.options[keys.index(key.strip())].attribute("identifier")
        return [Splice(answer.open_end, answer.close_start, escaped(identifier))]


def _keys(parts: Interaction) -> list[str]:
    """The identifiers of the options if these are single capital letters, otherwise A, B, C in order."""
    identifiers = [element.attribute("identifier") for element in parts.options]
    lettered = all(map(LETTER.fullmatch, identifiers)) and len(set(identifiers)) == len(identifiers)
    return identifiers if lettered else [option_key(index) for index in range(len(identifiers))]


def _first(element: Element, *names: str, default: str = "") -> str:
    return next((element.attribute(name) for name in names if name in element.attributes), default)


def item_pieces(source: Source) -> Iterator[Piece]:
    """The item of one file, and the bytes around it."""
    found = False
    for piece in xml_pieces(
        source,
        lambda depth, name: depth == 1 and plain_name(name) == "assessmentitem",
        lambda cut, text: QtiDraft(cut.raw, cut.place, text, source.codec),
    ):
        found = found or not isinstance(piece, bytes)
        yield piece
    if not found:
        raise InputError("The file holds no QTI item.", path=source.path, line=1, code="no_item")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The vocabulary of one version."""

    kebab: bool
    """`qti-simple-choice` instead of `simpleChoice`."""
    namespace: str
    template: str
    manifest: str
    schema: tuple[str, str]
    resource: str

    def tag(self, name: str) -> str:
        """An element's name, given as `simple-choice`."""
        return f"qti-{name}" if self.kebab else self.word(name)

    def word(self, name: str) -> str:
        """An attribute's name, given as `max-choices`."""
        first, *rest = name.split("-")
        return name if self.kebab else first + "".join(part.capitalize() for part in rest)


QTI_2 = Vocabulary(
    kebab=False,
    namespace="http://www.imsglobal.org/xsd/imsqti_v2p1",
    template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct",
    manifest="http://www.imsglobal.org/xsd/imscp_v1p1",
    schema=("QTIv2.1 Package", "1.0.0"),
    resource="imsqti_item_xmlv2p1",
)
QTI_3 = Vocabulary(
    kebab=True,
    namespace="http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
    template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml",
    manifest="http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
    schema=("QTI Package", "3.0.0"),
    resource="imsqti_item_xmlv3p0",
)


def items(question: Question, losses: Losses, words: Vocabulary) -> Iterator[bytes]:
    carried = texts_only(question, ("rationale", "vignette", "language", "title", "options.identifier"))
    if all(len(option.key) == 1 and option.key in KEYS for option in question.options):
        carried |= {"option keys"}
    for choice in choices(without_forbidden(question, losses), losses, carried):
        yield _item(choice, words).encode()


def _item(choice: Choice, words: Vocabulary) -> str:
    """One item; its parts are in the order of the schema."""
    question, title = choice.question, (choice.question.model_extra or {}).get("title")
    identifiers = _identifiers(choice)
    right = _element(words, "correct-response", _element(words, "value", identifiers[choice.right]))
    response = {"identifier": "RESPONSE", "cardinality": "single", "base_type": "identifier"}
    parts = [_element(words, "response-declaration", right, **response), _outcome("SCORE", "float", "0", words)]
    if question.rationale:
        parts.append(_outcome("FEEDBACK", "identifier", "RATIONALE", words))
    parts.append(_body(choice, identifiers, words))
    parts.append(_element(words, "response-processing", "", template=words.template))
    if question.rationale:
        # Shown after every answer: its outcome has the matching value initially.
        said = f"<p>{_content(question.rationale)}</p>"
        said = _element(words, "content-body", said) if words.kebab else said
        shown = {"outcome_identifier": "FEEDBACK", "identifier": "RATIONALE", "show_hide": "show"}
        parts.append(_element(words, "modal-feedback", said, **shown))
    attributes = {
        "xmlns": words.namespace,
        "identifier": question.id,
        "title": title if isinstance(title, str) else question.id,
        "adaptive": "false",
        "time-dependent": "false",
    }
    if question.language:
        attributes["xml:lang"] = question.language
    inside = "\n".join(("", *parts, ""))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_element(words, "assessment-item", inside, **attributes)}\n'


def _element(words: Vocabulary, name: str, inside: str, **attributes: str) -> str:
    tag = words.tag(name)
    given = "".join(f' {words.word(key.replace("_", "-"))}="{attribute(value)}"' for key, value in attributes.items())
    return f"<{tag}{given}>{inside}</{tag}>"


def _outcome(identifier: str, type: str, value: str, words: Vocabulary) -> str:
    held = _element(words, "default-value", _element(words, "value", value))
    return _element(words, "outcome-declaration", held, identifier=identifier, cardinality="single", base_type=type)


def _body(choice: Choice, identifiers: list[str], words: Vocabulary) -> str:
    vignette = choice.question.vignette
    lines = ["", *([f"<p>{_content(vignette)}</p>"] if vignette else [])]
    inside = ["", _element(words, "prompt", _content(choice.stem))]
    for identifier, option in zip(identifiers, choice.options, strict=True):
        inside.append(_element(words, "simple-choice", _content(option.text), identifier=identifier))
    attributes = {"response_identifier": "RESPONSE", "shuffle": "false", "max_choices": "1"}
    lines.append(_element(words, "choice-interaction", "\n".join((*inside, "")), **attributes))
    return _element(words, "item-body", "\n".join((*lines, "")))


def _identifiers(choice: Choice) -> list[str]:
    """The original identifiers of the options, or their keys, if these are valid; otherwise Choice1, Choice2, ..."""
    wanted = [(option.model_extra or {}).get("identifier", option.key) for option in choice.options]
    usable = all(isinstance(name, str) and IDENTIFIER.fullmatch(name) for name in wanted)
    if usable and len(set(wanted)) == len(wanted):
        return wanted
    return [f"Choice{index}" for index in range(1, len(wanted) + 1)]


def _content(text: str) -> str:
    return markup_layer("", XHTML).encode(text, NOWHERE)
