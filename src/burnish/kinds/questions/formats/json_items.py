"""One question in JSON, whatever file it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, BinaryIO

import orjson
from pydantic import ValidationError

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats.base import CARRIABLE, Draft, Outcome
from burnish.kinds.questions.formats.changes import Path
from burnish.kinds.questions.formats.drafting import LineOf, checked, drafted
from burnish.kinds.questions.formats.jsontext import line_at, strict, with_value
from burnish.kinds.questions.formats.limits import ID_CHARACTERS, ITEMS, OPTIONS
from burnish.kinds.questions.formats.places import NotCarried, Place
from burnish.kinds.questions.formats.shapes import OTHER_ANSWERS, SETS, SINGLE, Shape, shaped
from burnish.kinds.questions.formats.source import open_text
from burnish.kinds.questions.model import Option, Question

FOREIGN = frozenset({"question", "choices", "explanation", "items", *OTHER_ANSWERS}) - {"correct_answer"}
"""Names that need a closer look; a question without them is in the contract's own shape."""
PLACES = {name.rpartition(".")[2]: name for name in sorted(CARRIABLE)} | {
    "explanation": "rationale",
    "metadata": "metadata",
}
OVERLAP = 256
"""More than a name, a colon and the blanks around it usually take."""


class JsonDraft(Draft):
    """A JSON object that is to be a question."""

    def __init__(self, raw: bytes, place: Place, value: dict[str, Any]) -> None:
        super().__init__(raw, place)
        self.value = value

    @property
    def declared(self) -> str | None:
        id = self.value.get("id")
        if isinstance(id, int) and not isinstance(id, bool):
            id = str(id)
        return id if isinstance(id, str) and id.strip() and len(id) <= ID_CHARACTERS else None

    def outcome(self, id: str) -> Outcome:
        crowded = self._crowded()
        if crowded:
            return None, crowded
        type = self.value.get("type", "single_best_answer")
        if not isinstance(type, str):
            return None, [self.place.problem("wrong_type", "The type of a question is a text.", field="type")]
        if type not in SINGLE and type not in SETS:
            return PassedThrough(id, type, self.place.line), []
        question = self._as_it_stands(id)
        if question is not None:
            return question, self._about_id(id)
        fields, shape = shaped(self.value)
        if isinstance(fields.get("correct_answer"), list):
            return PassedThrough(id, "multiple_response", self.place.line), []
        if type in SINGLE and type != "single_best_answer":
            fields["type"] = "single_best_answer"
        fields["id"] = id
        missing = self._missing(fields, id)
        question, problems = (
            (None, missing) if missing else drafted(fields, self.place, self._line_of(shape), len(self.raw))
        )
        return question, self._about_id(id) + problems + self._disagreements(shape, id)

    def _as_it_stands(self, id: str) -> Question | None:
        """The question where its object is in the contract's shape and nothing is wrong with it: the usual case."""
        if not FOREIGN.isdisjoint(self.value):
            return None
        try:
            question = Question.model_validate({**self.value, "id": id})
        except ValidationError:
            return None
        sound = question.key is not None and "stem" in self.value and not checked(question, self.place, len(self.raw))
        return question if sound else None

    def _crowded(self) -> list[Problem]:
        """Lists that are too long are refused before anything is made of them."""
        problems = []
        for name, limit in (("options", OPTIONS), ("choices", OPTIONS), ("items", ITEMS)):
            held = self.value.get(name)
            if isinstance(held, list | dict) and len(held) > limit:
                code = "too_many_items" if name == "items" else "too_many_options"
                problems.append(self.place.problem(code, f"More than {limit} of them.", field=name))
        return problems

    def _missing(self, fields: dict[str, Any], id: str) -> list[Problem]:
        """A set may ask in its items; every other question needs a stem and options."""
        wanted = () if fields.get("items") else ("stem", "options")
        absent = [name for name in wanted if fields.get(name) is None]
        return [self.place.problem("missing_field", f"The question has no {name}.", field=name) for name in absent]

    def _disagreements(self, shape: Shape, id: str) -> list[Problem]:
        """A bank that names two right answers must not have one of them picked in silence."""
        told = []
        for place, part in (("", shape), *((f"items.{index}.", item) for index, item in enumerate(shape.items))):
            taken = part.names.get("correct_answer", "correct_answer")
            for name, key in part.disagreeing:
                message = (
                    f"{taken} names {part.answer.key if part.answer else ''!r} as the right answer, {name} {key!r}."
                )
                hint = "Keep one of the two, or make them say the same."
                told.append(
                    self.place.problem(
                        "answers_disagree",
                        f"{message} The first was taken.",
                        field=f"{place}correct_answer",
                        unit=id,
                        hint=hint,
                        blocks=True,
                    )
                )
        return told

    def _about_id(self, id: str) -> list[Problem]:
        given = self.value.get("id")
        if given is None or self.declared is not None or (isinstance(given, str) and not given.strip()):
            return []
        message = f"The id is no usable name; the question goes by {id!r}."
        return [self.place.problem("wrong_type", message, field="id", unit=id)]

    def _line_of(self, shape: Shape) -> LineOf:
        def line_of(path: Path) -> int | None:
            # A place that the bank does not have is told at the beginning of the question.
            with suppress(NotCarried):
                path = shape.path(path)
            return self.place.line + line_at(self.raw.decode(), path)

        return line_of

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        text = self.raw.decode()
        _, shape = shaped(self.value)
        wanted = {shape.path(path): value for path, value in changed.items() if path[-1] != "correct_answer"}
        wanted |= self._answers(shape, after)
        for path, value in wanted.items():
            text = with_value(text, path, value)
        return text.encode()

    def _answers(self, shape: Shape, after: Question) -> dict[Path, Any]:
        """Right answers that are written as words or positions may have to change with the options."""
        before = self.outcome(after.id)[0]
        old = _answers(shape, before) if isinstance(before, Question) else {}
        return {path: held for path, held in _answers(shape, after).items() if old.get(path) != held}

    def again(self, raw: bytes) -> Draft | None:
        return json_draft(raw, self.place)


def _answers(shape: Shape, question: Question) -> dict[Path, Any]:
    """What every field of the bank that names a right answer holds for this question."""
    held = {} if shape.items else shape.answers(question.correct_answer, question.options)
    for index, (part, item) in enumerate(zip(shape.items, question.items or (), strict=False)):
        options: Sequence[Option] = item.options or question.options
        held |= {("items", index, *path): answer for path, answer in part.answers(item.correct_answer, options).items()}
    return held


def json_draft(raw: bytes, place: Place) -> JsonDraft | None:
    """The draft of a JSON text, if it is a JSON object at all."""
    value = strict(raw, place)
    return JsonDraft(raw, place, value) if isinstance(value, dict) else None


def dumped(question: Question) -> bytes:
    """The question as JSON: what was given, nothing that was not."""
    return orjson.dumps(question.model_dump(mode="json", exclude_unset=True))


def json_carried(stream: BinaryIO) -> frozenset[str]:
    """Looks for the quoted names of fields that have a value, without parsing: a gigabyte takes seconds."""
    found: set[str] = set()
    tail, pattern = b"", _wanted(found)
    for chunk in open_text(stream, "").chunks():
        block, at = tail + chunk, 0
        while pattern is not None and (match := pattern.search(block, at)) is not None:
            found.add(PLACES[match.group(1).decode()])
            at, pattern = match.start(), _wanted(found)
        if pattern is None:
            break
        tail = block[-OVERLAP:]
    return frozenset(found) & CARRIABLE


def _wanted(found: set[str]) -> re.Pattern[bytes] | None:
    """Names that are still to be found; the parts of metadata only once there is metadata at all."""
    names = [name for name, place in PLACES.items() if place not in found and ("." not in place or "metadata" in found)]
    return re.compile(rb'"(%s)"\s*:\s*(?!null)\S' % "|".join(names).encode()) if names else None
