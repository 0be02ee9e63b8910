"""Builds questions from the fields that a format found, and compares them; ids, types and limits."""

from __future__ import annotations

import math
import pkgutil
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from string import ascii_uppercase
from typing import Any, get_args

from pydantic import ValidationError

from burnish.core.checks import MOST_UNKNOWN, unknown_ignore
from burnish.core.documents import Problem
from burnish.kinds.questions import checks
from burnish.kinds.questions.formats.source import FIELD_CHARACTERS, ID_CHARACTERS, ITEMS, OPTIONS, Place
from burnish.kinds.questions.model import (
    VERDICTS,
    Form,
    Item,
    Metadata,
    Option,
    Question,
    QuestionType,
    meant_keys,
    write_answer,
)
from burnish.kinds.questions.policy import ALIKE
from burnish.text.mapped_text import FieldText, NotCarried, reads_as

KEYS = ascii_uppercase
COMPLAINTS = 10
"""The most problems that are reported for one question."""
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
Path = tuple[str | int, ...]
"""A place inside a question: ("stem",), ("options", 1, "text"), ("items", 0, "rationale")."""
LineOf = Callable[[Path], int | None]
"""Place in the question -> line in the file, if the format knows it."""


def usable_id(text: str) -> str | None:
    """The id or label from a file, stripped; None if it is not usable."""
    id = text.strip()
    return id if id and len(id) <= ID_CHARACTERS else None


def option_key(position: int) -> str:
    """A, B, ... Z, AA, AB, ... for options without keys."""
    key = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        key = KEYS[rest] + key
    return key


TYPES: Mapping[str, QuestionType] = {
    **{name: name for name in get_args(QuestionType)},
    **dict.fromkeys(("multiple_choice", "multichoice", "mcq", "single_choice", "sba"), "single_best_answer"),
    **dict.fromkeys(("truefalse", "true/false", "tf", "boolean"), "true_false"),
    **dict.fromkeys(
        ("multiple_answer", "multiple_answers", "multiple_select", "multi_select", "multiselect", "mrq"),
        "multiple_response",
    ),
}
"""The banks' names of types -> ours."""


def type_named(name: str) -> QuestionType | None:
    """The type with this name; None if it is not judged."""
    return TYPES.get(name.strip().lower().replace(" ", "_").replace("-", "_"))


def drafted(
    fields: Mapping[str, Any], place: Place, line_of: LineOf | None = None, size: int = FIELD_CHARACTERS + 1
) -> tuple[Question | None, list[Problem]]:
    """The question, or None and the reasons. A key that names no option is a problem, but the question is still used.

    `size` is the largest possible amount of text in bytes.
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
    """Reasons to refuse a question with valid fields."""
    found: list[tuple[str, str, str]] = []
    if size > FIELD_CHARACTERS or len(question.options) > OPTIONS or question.items is not None:
        found += _over_limits(question)
    # Numbers that programs read differently are refused also in fields that we only carry.
    parts = (question, *question.options, *(question.items or ()), question.metadata or Metadata())
    carried = (entry for part in parts for entry in (part.model_extra or {}).items())
    found += (("invalid_json", "A number is out of range.", name) for name, value in carried if _has_odd_number(value))
    return [place.problem(code, message, field=field, unit=question.id) for code, message, field in found]


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


def _over_limits(question: Question) -> Iterator[tuple[str, str, str]]:
    """Code, message and field of everything over a limit."""
    items = question.items or ()
    parts: tuple[Question | Item, ...] = (question, *items)
    if any(len(part.options or ()) > OPTIONS for part in parts):
        yield "too_many_options", f"More than {OPTIONS} options.", "options"
    if len(items) > ITEMS:
        yield "too_many_items", f"More than {ITEMS} items.", "items"
    for part in parts:
        texts = {name: getattr(part, name, None) for name in ("vignette", "stem", "rationale", "correct_answer")}
        for field, text in (*texts.items(), *((f"options.{option.key}", option.text) for option in part.options or ())):
            if text and len(text) > FIELD_CHARACTERS:
                yield "field_too_long", f"{len(text)} characters; the limit is {FIELD_CHARACTERS}.", field


def _has_odd_number(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, int):
        return not -(1 << 63) <= value < 1 << 64
    if isinstance(value, dict):
        return any(map(_has_odd_number, value.values()))
    return isinstance(value, list) and any(map(_has_odd_number, value))


POSITIONS = tuple(map(str, range(OPTIONS)))


def _keys_that_name_nothing(question: Question, place: Place, line_of: LineOf | None) -> Iterator[Problem]:
    wrong: list[tuple[Path, str]] = []
    # A misspelt key ("b.", "Option B") is a finding with a fix, and a position is one too: not unusable input.
    is_known = question.items or question.right or question.correct_answer.strip() in POSITIONS[: len(question.options)]
    if not is_known and len(meant_keys(question.options, question.correct_answer)) != 1:
        wrong.append((("correct_answer",), question.correct_answer))
    for index, item in enumerate(question.items or ()):
        if item.correct_answer.strip() not in {option.key for option in item.options or question.options}:
            wrong.append((("items", index, "correct_answer"), item.correct_answer))
    for path, key in wrong:
        yield place.problem(
            "unknown_key",
            f"The key {key!r} names no option." if key else "No option is named as the right answer.",
            field=".".join(map(str, path)),
            unit=question.id,
            hint="Name the right option by its key.",
            line=line_of(path) if line_of else None,
        )


def leaves(question: Question) -> dict[Path, Any]:
    """Every value of the question by its place. Null, empty texts and empty lists are left out."""
    return dict(_walk((), question.model_dump(mode="json", exclude={"id"})))


def _walk(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _walk((*path, name), part)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, part in enumerate(value):
            yield from _walk((*path, index), part)
    elif value not in (None, "", []):
        yield path, value


def changes(before: Question, after: Question) -> dict[Path, Any]:
    """Place -> new value, for every place that differs. A removed value becomes an empty text."""
    old, new = leaves(before), leaves(after)
    return {
        path: new.get(path, "") for path in (*old, *(p for p in new if p not in old)) if old.get(path) != new.get(path)
    }


def says_the_same(one: Question, other: Question) -> bool:
    """Whether two questions are equal except for blanks at the ends of texts and the kind of line ends."""
    left, right = leaves(one), leaves(other)
    pairs = ((left.get(path, ""), right.get(path, "")) for path in left.keys() | right.keys())
    return all(a == b or (isinstance(a, str) and isinstance(b, str) and reads_as(a, b)) for a, b in pairs)


def contract_name(field: str, question: Question) -> str:
    """The field's name in the contract: with the key of an option instead of its index, and without `text`."""
    head, _, rest = field.partition(".")
    position, dot, rest = rest.partition(".")
    if head == "options" and position.isdigit() and int(position) < len(question.options):
        field = f"options.{question.options[int(position)].key}{dot}{rest}"
    return field.removesuffix(".text")


def choice_fields(
    id: str,
    texts: Mapping[str, FieldText],
    options: int,
    right: Sequence[int],
    type: QuestionType = "single_best_answer",
) -> dict[str, Any]:
    """The fields of a question whose options have no keys, from its texts by place."""
    held = {name: field.text for name, field in texts.items()}
    if type == "true_false":
        # A format may have a mark instead of the two words.
        held = {f"options.{index}.text": word for index, word in enumerate(VERDICTS)} | held
    listed = []
    for index in range(options):
        feedback = held.get(f"options.{index}.feedback")
        option = {"key": option_key(index), "text": held.get(f"options.{index}.text", "")}
        listed.append(option | ({"feedback": feedback} if feedback else {}))
    fields = {"id": id, "stem": held["stem"], "options": listed}
    fields |= {} if type == "single_best_answer" else {"type": type}
    fields["correct_answer"] = ", ".join(map(option_key, right))
    return fields | ({"rationale": held["rationale"]} if "rationale" in held else {})


def written_key(form: Form, key: str, options: Sequence[Option]) -> str | int:
    """The key in the form that the bank uses. Raise NotCarried if there is no such option."""
    answer = write_answer(form, key, options)
    if answer is None:
        raise NotCarried("correct_answer", f"no option has the key {key!r}.")
    return answer


class SeenIds:
    """A set of ids that needs eight bytes for each: a million questions need 16 MB.

    Two different ids with the same 64-bit digest would count as a repetition; at a million ids the odds are 1 in 36
    million, and the only effect is a renamed question.
    """

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * 1024))
        self._count = 0

    def add(self, id: str) -> bool:
        """Add an id; False if it was there already."""
        slots, mask = self._slots, len(self._slots) - 1
        # 0 marks a free slot, so a digest must not be 0.
        mark = int.from_bytes(blake2b(id.encode(), digest_size=8).digest(), "little") or 1
        index = mark & mask
        while slots[index]:
            if slots[index] == mark:
                return False
            index = (index + 1) & mask
        slots[index] = mark
        self._count += 1
        if self._count * 2 > mask:
            old = self._slots
            grown = array("Q", bytes(16 * len(old)))
            mask = len(grown) - 1
            for mark in old:
                if mark:
                    index = mark & mask
                    while grown[index]:
                        index = (index + 1) & mask
                    grown[index] = mark
            self._slots = grown
        return True


class IdBook:
    """Assigns ids: the declared one, or one made from the question's position.

    A missing id becomes `q<position>`, a repeated one `<id>#<position>`. Positions count from 1, including questions
    that cannot be read, so that correcting one does not rename the others.
    """

    def __init__(self) -> None:
        self._seen = SeenIds()
        self._any_declared = False
        self._said_missing = False

    def assign(
        self, declared: str | None, position: int, place: Place, *, reported: bool
    ) -> tuple[str, Problem | None]:
        """The id to use, and a problem with it. `reported` is False if the format has labels, not ids."""
        if declared is None:
            id = self._unused(f"q{position}")
            return id, self._missing(id, place) if reported else None
        self._any_declared = True
        if self._seen.add(declared):
            return declared, None
        id = self._unused(f"{declared}#{position}")
        message = f"The id {declared!r} was used before; this question goes by {id!r}."
        hint = "Give every question an id of its own."
        return id, place.problem("duplicate_id", message, field="id", unit=id, hint=hint) if reported else None

    def _unused(self, wanted: str) -> str:
        id, count = wanted, 1
        while not self._seen.add(id):
            count += 1
            id = f"{wanted}#{count}"
        return id

    def _missing(self, id: str, place: Place) -> Problem | None:
        """If no question of a bank has an id, this is reported once; otherwise for each question without one."""
        if self._said_missing and not self._any_declared:
            return None
        self._said_missing = True
        message = f"The question has no id; it goes by its position, {id!r}."
        hint = "Give it an id of its own, so that it keeps its name when questions are added before it."
        return place.problem("missing_id", message, field="id", unit=id, hint=hint)


CODE = "unknown_rule"


@cache
def known_rules() -> frozenset[str]:
    """Every rule by its id, which is its module's name, without importing it."""
    return frozenset({ALIKE.id, *(module.name for module in pkgutil.iter_modules(checks.__path__))})


def unknown_ignores(question: Question, place: Place) -> Iterator[Problem]:
    """A note for every ignored id that is not a rule."""
    unknown = [name for name in dict.fromkeys(question.burnish_ignore) if name not in known_rules()]
    for name in unknown[:MOST_UNKNOWN]:
        message, hint = unknown_ignore(name, known_rules())
        yield place.problem(CODE, message, field="burnish_ignore", unit=question.id, hint=hint)
