"""New QTI from questions: a package of items, or one item as a file of its own."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import regex

from burnish.kinds.questions.formats.drafting import KEYS
from burnish.kinds.questions.formats.escaping import attribute
from burnish.kinds.questions.formats.mapped import Setting
from burnish.kinds.questions.formats.markup import XHTML, markup_layer
from burnish.kinds.questions.formats.writing import Choice, Losses, choices, without_forbidden
from burnish.kinds.questions.model import Question

IDENTIFIER = regex.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,100}")
NOWHERE = Setting("", "", "")
OLDEST = (1980, 1, 1, 0, 0, 0)
"""Zip members need a date; a fixed one keeps the same questions the same bytes."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one version."""

    name: str
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
    name="qti",
    kebab=False,
    namespace="http://www.imsglobal.org/xsd/imsqti_v2p1",
    template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct",
    manifest="http://www.imsglobal.org/xsd/imscp_v1p1",
    schema=("QTIv2.1 Package", "1.0.0"),
    resource="imsqti_item_xmlv2p1",
)
QTI_3 = Vocabulary(
    name="qti3",
    kebab=True,
    namespace="http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
    template="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates/match_correct.xml",
    manifest="http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
    schema=("QTI Package", "3.0.0"),
    resource="imsqti_item_xmlv3p0",
)


def write_package(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write a package with a manifest, however many questions there are."""
    losses = Losses()
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for question in questions:
            for item in _items(question, losses, words):
                count += 1
                package.writestr(_member(count), item)
        package.writestr(zipfile.ZipInfo("imsmanifest.xml", OLDEST), _manifest(count, words))
    return losses.sentences()


def write_item(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write one question as an item file. It has no room for a second."""
    losses = Losses()
    full = False
    for question in questions:
        if full:
            losses.add("An item file holds one question: all others are left out, a .zip would hold them", question.id)
            continue
        for item in _items(question, losses, words):
            target.write(item)
            full = True
    return losses.sentences()


def _member(number: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(f"items/item{number:06}.xml", OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _items(question: Question, losses: Losses, words: Vocabulary) -> Iterator[bytes]:
    carried = {"rationale", "vignette", "language", "title", "options.identifier"}
    if not isinstance((question.model_extra or {}).get("title", ""), str):
        carried.discard("title")
    if all(len(option.key) == 1 and option.key in KEYS for option in question.options):
        carried.add("option keys")
    for choice in choices(without_forbidden(question, losses), losses, carried):
        yield _item(choice, words).encode()


def _item(choice: Choice, words: Vocabulary) -> str:
    """One item; the order of its parts is the schema's."""
    question, title = choice.question, (choice.question.model_extra or {}).get("title")
    parts = [_response(_identifiers(choice)[choice.right], words), _outcome("SCORE", "float", "0", words)]
    if question.rationale:
        parts.append(_outcome("FEEDBACK", "identifier", "RATIONALE", words))
    parts.append(_body(choice, words))
    parts.append(_element(words, "response-processing", "", template=words.template))
    if question.rationale:
        parts.append(_feedback(question.rationale, words))
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


def _response(identifier: str, words: Vocabulary) -> str:
    value = _element(words, "correct-response", _element(words, "value", identifier))
    return _element(
        words, "response-declaration", value, identifier="RESPONSE", cardinality="single", base_type="identifier"
    )


def _outcome(identifier: str, type: str, value: str, words: Vocabulary) -> str:
    held = _element(words, "default-value", _element(words, "value", value))
    return _element(words, "outcome-declaration", held, identifier=identifier, cardinality="single", base_type=type)


def _body(choice: Choice, words: Vocabulary) -> str:
    vignette = choice.question.vignette
    lines = ["", *([f"<p>{_content(vignette)}</p>"] if vignette else [])]
    inside = ["", _element(words, "prompt", _content(choice.stem))]
    for identifier, option in zip(_identifiers(choice), choice.options, strict=True):
        inside.append(_element(words, "simple-choice", _content(option.text), identifier=identifier))
    attributes = {"response_identifier": "RESPONSE", "shuffle": "false", "max_choices": "1"}
    lines.append(_element(words, "choice-interaction", "\n".join((*inside, "")), **attributes))
    return _element(words, "item-body", "\n".join((*lines, "")))


def _feedback(rationale: str, words: Vocabulary) -> str:
    """Shown after every answer: its outcome has the matching value from the start."""
    inside = f"<p>{_content(rationale)}</p>"
    if words.kebab:
        inside = _element(words, "content-body", inside)
    attributes = {"outcome_identifier": "FEEDBACK", "identifier": "RATIONALE", "show_hide": "show"}
    return _element(words, "modal-feedback", inside, **attributes)


def _identifiers(choice: Choice) -> list[str]:
    """The identifiers that the options came with, else their keys, where they are ones; else Choice1, Choice2, ..."""
    wanted = [(option.model_extra or {}).get("identifier", option.key) for option in choice.options]
    usable = all(isinstance(name, str) and IDENTIFIER.fullmatch(name) for name in wanted)
    if usable and len(set(wanted)) == len(wanted):
        return wanted
    return [f"Choice{index}" for index in range(1, len(wanted) + 1)]


def _content(text: str) -> str:
    return markup_layer("", XHTML).encode(text, NOWHERE)


def _manifest(count: int, words: Vocabulary) -> bytes:
    schema, version = words.schema
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<manifest xmlns="{words.manifest}" identifier="BURNISH">']
    lines.append(f"  <metadata><schema>{schema}</schema><schemaversion>{version}</schemaversion></metadata>")
    lines.append("  <organizations/>\n  <resources>")
    for number in range(1, count + 1):
        href = _member(number).filename
        lines.append(f'    <resource identifier="item{number:06}" type="{words.resource}" href="{href}">')
        lines.append(f'      <file href="{href}"/>\n    </resource>')
    return "\n".join((*lines, "  </resources>", "</manifest>", "")).encode()
