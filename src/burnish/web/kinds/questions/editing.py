"""The form in which a person changes a question: a field for each text, the key chosen among the options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import orjson

from burnish.core.documents import Field
from burnish.core.kinds import UnitStory
from burnish.kinds.questions.model import Question
from burnish.web.kinds import EditField, Editor
from burnish.web.kinds.names import lang_tag
from burnish.web.kinds.questions.numbering import draft_of, place_of, standing
from burnish.web.wording import sentence

ROWS = {"vignette": 5, "stem": 4, "rationale": 4}
"""How high a field begins, by its name inside the question or the item; an option has two lines."""
LABELS = {"rationale": "explanation"}
KEY = "correct_answer"


def editor(story: UnitStory) -> Editor:
    """A field for each text of the draft that stands."""
    question = draft_of(story, standing(story))
    return Editor(fields=list(_fields(question)), text_of=lambda values: text_of(question, values))


def _fields(question: Question) -> Iterator[EditField]:
    lang = lang_tag(question.language_shown)
    for field, text in question.texts().items():
        if field is None or field.startswith("metadata.") or not _is_offered(field, text, question):
            continue
        inner = _inner(field)
        choices = tuple(_keys(question, field)) if inner == KEY else ()
        yield EditField(
            name=field,
            label=sentence(LABELS.get(field, place_of(field))),
            value=text,
            lang=None if inner == KEY else lang,
            rows=1 if inner == KEY else ROWS.get(inner, 2),
            choices=choices if text.strip() in choices else (),
        )


def _is_offered(field: str, text: str, question: Question) -> bool:
    """Whether a field is worth a place in the form: an empty one only where a question usually has it."""
    if text or field == "rationale":
        return True
    return (field == "stem" and not question.items) or (_inner(field) in ("stem", KEY) and field != _inner(field))


def _inner(field: str) -> str:
    """The field's name inside its item: `stem` for `items.2.stem`."""
    return field.split(".", 2)[2] if field.startswith("items.") else field


def _keys(question: Question, field: str) -> Iterator[str]:
    """The options that a key may name: those of its item, or those that all items share."""
    place = field.split(".", 2)[1] if field.startswith("items.") else ""
    own = (question.items or ())[int(place)].options if place else None
    yield from dict.fromkeys(option.key for option in (question.options if own is None else own))


def text_of(question: Question, values: Mapping[str, str]) -> str:
    """The fields that were changed as JSON, for `from_person`. What a form says in other line ends is not changed."""
    changed = question
    touched: set[str] = set()
    for field, text in question.texts().items():
        given = _given(values, field)
        if given is not None and given != text:
            changed = changed.with_text(field, given)
            touched.add(str(field).partition(".")[0])
    record = changed.model_dump(mode="json", exclude_unset=True)
    return orjson.dumps({name: record[name] for name in record if name in touched}).decode()


def _given(values: Mapping[str, str], field: Field) -> str | None:
    """What a form says of a field. Browsers send every line end as two characters."""
    given = values.get(str(field))
    return None if given is None else given.replace("\r\n", "\n").replace("\r", "\n")
