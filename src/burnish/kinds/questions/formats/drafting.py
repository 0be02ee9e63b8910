"""From the fields that a format found to a question, with every complaint in its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from burnish.core.documents import Problem
from burnish.kinds.questions.formats.limits import FIELD_CHARACTERS, ITEMS, OPTIONS
from burnish.kinds.questions.formats.places import Place
from burnish.kinds.questions.keys import meant_keys
from burnish.kinds.questions.model import Item, Question

KEYS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COMPLAINTS = 10
"""At most this many problems are told about one question."""
KINDS_OF_VALUE = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    type(None): "null",
}
EXPECTED = {
    "string_type": "text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
LineOf = Callable[[tuple[str | int, ...]], int | None]
"""Place inside the question -> line in the file, where the format can tell."""


def option_key(position: int) -> str:
    """A, B, ... Z, AA, AB, ... for options that have no key of their own."""
    key = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        key = KEYS[rest] + key
    return key


def drafted(
    fields: Mapping[str, Any], place: Place, line_of: LineOf | None = None, size: int = FIELD_CHARACTERS + 1
) -> tuple[Question | None, list[Problem]]:
    """The question, or None and why not. A key that names no option is told, and the question is still one.

    `size` is how much text there can be at most, in bytes.
    """
    try:
        question = Question.model_validate(fields)
    except ValidationError as error:
        return None, [_wrong_type(detail, place, line_of) for detail in error.errors(include_url=False)[:COMPLAINTS]]
    refused = checked(question, place, size)
    if refused:
        return None, refused[:COMPLAINTS]
    return question, list(_keys_that_name_nothing(question, place, line_of))


def checked(question: Question, place: Place, size: int) -> list[Problem]:
    """Why a question of the right shape is refused all the same."""
    large = size > FIELD_CHARACTERS or len(question.options) > OPTIONS or question.items is not None
    return (list(_over_limits(question, place)) if large else []) + list(_odd_numbers(question, place))


def _wrong_type(detail: Any, place: Place, line_of: LineOf | None) -> Problem:
    path = tuple(detail["loc"])
    line = line_of(path) if line_of else None
    field = ".".join(str(part) for part in path)
    if detail["type"] == "missing":
        return place.problem("missing_field", "The field is missing.", field=field, line=line)
    found = KINDS_OF_VALUE.get(type(detail["input"]), type(detail["input"]).__name__)
    expected = EXPECTED.get(detail["type"])
    message = f"This should be {expected}, and is {found}." if expected else f"{detail['msg']}; it is {found}."
    return place.problem("wrong_type", message, field=field, line=line)


def _over_limits(question: Question, place: Place) -> Iterator[Problem]:
    if len(question.options) > OPTIONS or any(len(item.options or ()) > OPTIONS for item in question.items or ()):
        yield place.problem("too_many_options", f"More than {OPTIONS} options.", field="options", unit=question.id)
    if len(question.items or ()) > ITEMS:
        yield place.problem("too_many_items", f"More than {ITEMS} items.", field="items", unit=question.id)
    for field, text in _long_texts(question):
        yield place.problem(
            "field_too_long", f"{len(text)} characters; the limit is {FIELD_CHARACTERS}.", field=field, unit=question.id
        )


def _long_texts(question: Question) -> Iterator[tuple[str, str]]:
    parts: tuple[Question | Item, ...] = (question, *(question.items or ()))
    for part in parts:
        for name in ("vignette", "stem", "rationale", "correct_answer"):
            text = getattr(part, name, None)
            if text and len(text) > FIELD_CHARACTERS:
                yield name, text
        for option in part.options or ():
            if len(option.text) > FIELD_CHARACTERS:
                yield f"options.{option.key}", option.text


def _odd_numbers(question: Question, place: Place) -> Iterator[Problem]:
    """Numbers that no two programs read alike may not slip through in fields that we only carry."""
    parts: tuple[BaseModel, ...] = (question, *question.options, *(question.items or ()))
    if question.metadata is not None:
        parts = (*parts, question.metadata)
    for part in parts:
        extra = part.model_extra
        if extra:
            for name, value in extra.items():
                if _has_odd_number(value):
                    yield place.problem("invalid_json", "A number is out of range.", field=name, unit=question.id)


def _has_odd_number(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, int):
        return not -(1 << 63) <= value < 1 << 64
    if isinstance(value, dict):
        return any(map(_has_odd_number, value.values()))
    return isinstance(value, list) and any(map(_has_odd_number, value))


def _keys_that_name_nothing(question: Question, place: Place, line_of: LineOf | None) -> Iterator[Problem]:
    if not question.items:
        # A key that is clearly meant ("b.", "Option B") is a finding with a fix, not input that cannot be used.
        if question.key is None and len(meant_keys(question.options, question.correct_answer.strip())) != 1:
            yield _unknown_key(question.id, ("correct_answer",), question.correct_answer, place, line_of)
        return
    for index, item in enumerate(question.items):
        keys = {option.key for option in item.options or question.options}
        if item.correct_answer.strip() not in keys:
            path = ("items", index, "correct_answer")
            yield _unknown_key(question.id, path, item.correct_answer, place, line_of)


def _unknown_key(id: str, path: tuple[str | int, ...], key: str, place: Place, line_of: LineOf | None) -> Problem:
    return place.problem(
        "unknown_key",
        f"The key {key!r} names no option." if key else "No option is named as the right answer.",
        field=".".join(str(part) for part in path),
        unit=id,
        hint="Name the right option by its key.",
        line=line_of(path) if line_of else None,
    )
