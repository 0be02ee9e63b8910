"""A new Moodle XML file from questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from burnish.kinds.questions.formats.escaping import escaped
from burnish.kinds.questions.formats.mapped import Setting
from burnish.kinds.questions.formats.markup import markup_layer
from burnish.kinds.questions.formats.writing import Choice, Losses, choices, without_forbidden
from burnish.kinds.questions.formats.xmltext import character_layer
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
