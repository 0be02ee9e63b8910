"""One question in JSON, in any file: strict parsing, the shapes that banks use, edits in place.

The contract's own names always work. Further names: `question` for the stem, `choices` for the options, `explanation`
for the rationale; options as objects with key and text, as plain texts, or as an object from key to text; the answer as
a key, as a position counted from 0 if options have no keys, or as the text of the right option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import jiter
import regex
from pydantic import ValidationError

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats.base import CARRIABLE, Draft, Fault, Outcome
from burnish.kinds.questions.formats.drafts import (
    LineOf,
    Path,
    checked,
    drafted,
    option_key,
    type_named,
    written_key,
)
from burnish.kinds.questions.formats.source import (
    BRACKETS,
    COMMAS,
    ID_CHARACTERS,
    ITEMS,
    OPTIONS,
    Place,
    open_text,
    wrong_encoding,
)
from burnish.kinds.questions.model import VERDICTS, Answer, Form, Option, Question, QuestionType, read_answer
from burnish.text.json_text import ESCAPES, dumped, is_escaped, places_of, with_member
from burnish.text.mapped_text import Layer, NotCarried, Run, Setting, applied, field_text

SMALL = 1 << 16
"""Items up to this size are parsed directly; the parts of larger ones are counted first, against JSON bombs."""
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
CODES = {
    "recursion limit": ("too_deep", "It is nested too deep."),
    "EOF while": ("truncated", "The JSON ends too early."),
    "Detected duplicate key": ("duplicate_key", "{}."),
}


def strict(raw: bytes, place: Place) -> Any:
    """The value of `raw`, or a Problem: no NaN, no repeated key, no bombs, UTF-8 only."""
    if len(raw) > SMALL and (raw.count(b"{") + raw.count(b"[") > BRACKETS or raw.count(b",") > COMMAS):
        return place.problem("too_complex", "It has too many parts to be a question.")
    try:
        return jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        return _complaint(raw, place, str(error))


def _complaint(raw: bytes, place: Place, said: str) -> Problem:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return wrong_encoding(raw, place, error)
    where = WHERE.search(said)
    line = place.line + (int(where.group(1)) - 1 if where else 0)
    reason = said[: where.start()] if where else said
    column = f" (column {where.group(2)})" if where else ""
    for start, (code, message) in CODES.items():
        if reason.startswith(start):
            return place.problem(code, message.format(reason), line=line)
    return place.problem("invalid_json", f"This is not valid JSON: {reason}{column}.", line=line)


def line_at(text: str, path: Path) -> int:
    """The line, relative to the beginning, of the value at `path`, or of the nearest one around it."""
    node = places_of(text)
    for name in path:
        if name not in node.parts:
            break
        node = node.parts[name]
    return text.count("\n", 0, node.start)


def with_value(text: str, path: Path, value: Any) -> str:
    """The text with the value at `path` replaced; a missing member is added in the style of its neighbours."""
    node, ascii_only = places_of(text), is_escaped(text)
    for depth, name in enumerate(path):
        if name not in node.parts:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return with_member(text, node, str(name), dumped(value, ascii_only))
        node = node.parts[name]
    if not isinstance(value, str) or text[node.start] != '"':
        return text[: node.start] + dumped(value, ascii_only) + text[node.end :]

    def encode(words: str, _setting: Setting) -> str:
        return json.dumps(words, ensure_ascii=ascii_only)[1:-1]

    def build(source: str) -> list[Layer]:
        return [Layer(_string_runs(source), encode)]

    token = field_text("text", text, node.start + 1, node.end - 1, build)
    return applied(text, token.rewritten(text, value))


def _string_runs(source: str) -> Iterator[Run]:
    for match in ESCAPES.finditer(source):
        part = match.group()
        if part.startswith("\\"):
            yield Run(json.loads(f'"{part}"'), match.start(), match.end(), "coded")
        else:
            yield Run(part, match.start(), match.end())


STEMS = ("stem", "question")
OPTION_LISTS = ("options", "choices")
RATIONALES = ("rationale", "explanation")
CONTRACT_ANSWERS = ("correct_answer", "answer_idx", "answer_index", "answer", "answer_key", "correct")
OTHER_ANSWERS = ("answer_idx", "answer_index", "answer", "answer_key", "correct", "correct_answer")
"""In banks with `question`, `answer` takes precedence: `correct_answer` may be another rater's answer."""
OPTION_KEYS = ("key", "label", "letter")


@dataclass(frozen=True, slots=True)
class Shape:
    """The places of a question's fields in its JSON object."""

    names: Mapping[str, str]
    """Our name -> the bank's name."""
    option_paths: tuple[Path, ...]
    """For each option, the place of its text."""
    answer: Answer | None
    mirrors: tuple[tuple[str, Form], ...]
    """Further fields with the same right answer, each in its own form: they are changed along with it."""
    items: tuple[Shape, ...] = ()
    disagreeing: tuple[tuple[str, str], ...] = ()
    """Further fields with a different right answer: name and key."""
    listed: tuple[Form, ...] = ()
    """The form of each right answer, if the bank lists several."""

    def path(self, path: Path) -> Path:
        """The place in the bank's object for a place in our question."""
        head = path[0]
        if head == "options" and len(path) > 2 and isinstance(path[1], int):
            if path[1] >= len(self.option_paths) or path[2] != "text":
                raise NotCarried("options", "options cannot be added, removed or renamed.")
            return self.option_paths[path[1]]
        if head == "items" and len(path) > 2 and isinstance(path[1], int):
            if path[1] >= len(self.items):
                raise NotCarried("items", "items cannot be added or removed.")
            return (self.names.get("items", "items"), path[1], *self.items[path[1]].path(path[2:]))
        return (self.names.get(str(head), head), *path[1:])

    def answers(self, key: str, options: Sequence[Option]) -> dict[Path, Any]:
        """The values for the fields with the right answer."""
        if self.listed:
            keys = [part.strip() for part in key.split(",")]
            forms = (*self.listed, *self.listed[-1:] * len(keys))
            written = [written_key(form, one, options) for form, one in zip(forms, keys, strict=False)]
            return {self.path(("correct_answer",)): written}
        form = self.answer.form if self.answer else "key"
        held: dict[Path, Any] = {self.path(("correct_answer",)): written_key(form, key, options)}
        return held | {(name,): written_key(form, key, options) for name, form in self.mirrors}


def shaped(value: Mapping[str, Any], inherited: Sequence[tuple[str, str]] = ()) -> tuple[dict[str, Any], Shape]:
    """Our fields of a bank's object, and their places. Fields of an unusable type are left for validation to report.

    `inherited`: the options of the set that an item belongs to.
    """
    fields = dict(value)
    names: dict[str, str] = {}
    for ours, candidates in (("stem", STEMS), ("options", OPTION_LISTS), ("rationale", RATIONALES)):
        theirs = next((name for name in candidates if value.get(name) is not None), None)
        if theirs is not None:
            names[ours] = theirs
            fields[ours] = fields.pop(theirs)
    options, paths, keyed = _options(fields, names)
    pairs = [(o["key"], o["text"]) for o in options if isinstance(o["key"], str) and isinstance(o["text"], str)]
    answer, others = _answer(value, fields, names, pairs or list(inherited), keyed=keyed or not pairs)
    listed: tuple[Form, ...] = ()
    if isinstance(given := fields.get("correct_answer"), list):
        read = [read_answer(one, pairs, keyed=keyed) or Answer(str(one), "key", False) for one in given]
        fields["correct_answer"] = ", ".join(one.key for one in read)
        listed = tuple(one.form for one in read)
    same = {name: found for name, found in others.items() if answer is not None and found.key == answer.key}
    for name in same.keys() - {"correct_answer"}:
        fields.pop(name)
    mirrors = tuple((name, found.form) for name, found in same.items())
    disagreeing = tuple((name, found.key) for name, found in others.items() if name not in same)
    items: list[Shape] = []
    given = fields.get("items")
    if isinstance(given, list) and all(isinstance(item, dict) for item in given):
        fields["items"] = []
        for item in given:
            held, shape = shaped(item, pairs)
            fields["items"].append(held)
            items.append(shape)
    return fields, Shape(names, tuple(paths), answer, mirrors, tuple(items), disagreeing, listed)


def _options(fields: dict[str, Any], names: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[Path], bool]:
    """Options as objects with key and text, the places of their texts, and whether the bank gives keys."""
    given, name = fields.get("options"), names.get("options", "options")
    if isinstance(given, dict):
        fields["options"] = [{"key": key, "text": text} for key, text in given.items()]
        return fields["options"], [(name, key) for key in given], True
    if not isinstance(given, list):
        return [], [], True
    keyed = any(isinstance(option, dict) and key in option for option in given for key in OPTION_KEYS)
    fields["options"] = [_option(option, i) for i, option in enumerate(given)]
    usable = [option for option in fields["options"] if isinstance(option, dict) and "text" in option]
    paths: list[Path] = [(name, i) if isinstance(option, str) else (name, i, "text") for i, option in enumerate(given)]
    return usable, paths, keyed


def _option(option: Any, position: int) -> Any:
    """The option with key and text; other types are left for validation to report."""
    if isinstance(option, str):
        return {"key": option_key(position), "text": option}
    if not isinstance(option, dict):
        return option
    name = next((name for name in OPTION_KEYS if name in option), None)
    rest = {key: part for key, part in option.items() if key != name}
    key = option[name] if name is not None else option_key(position)
    return {"key": key, **rest}


def _answer(
    value: Mapping[str, Any],
    fields: dict[str, Any],
    names: dict[str, str],
    pairs: Sequence[tuple[str, str]],
    *,
    keyed: bool,
) -> tuple[Answer | None, dict[str, Answer]]:
    """The answer that is used, and the answers in further fields that name an option too."""
    order = OTHER_ANSWERS if names.get("stem") == "question" else CONTRACT_ANSWERS
    given = [name for name in order if value.get(name) is not None]
    read: dict[str, Answer | None] = {}
    for name in given:
        read[name] = read_answer(value[name], pairs, keyed=keyed, words_first=order is CONTRACT_ANSWERS)
    known = {name: found for name, found in read.items() if found is not None and found.known}
    chosen = next(iter((*known, *given)), None)
    if chosen is None:
        fields.pop("correct_answer", None)
        return None, {}
    names["correct_answer"] = chosen
    answer = read[chosen]
    if chosen != "correct_answer":
        fields.pop(chosen)
    fields["correct_answer"] = value[chosen] if answer is None else answer.key
    return answer, {name: found for name, found in known.items() if name != chosen}


FOREIGN = frozenset({"question", "choices", "explanation", "items", *OTHER_ANSWERS}) - {"correct_answer"}
"""Names that need conversion; a question without them is in the contract's own shape."""
PLACES = {name.rpartition(".")[2]: name for name in sorted(CARRIABLE)} | {
    "explanation": "rationale",
    "metadata": "metadata",
}
OVERLAP = 256
"""Longer than a name, a colon and the blanks around it usually are."""


class JsonDraft(Draft):
    """A JSON object that should be a question."""

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
        # Lists that are too long are refused before they are converted.
        limits = (("options", OPTIONS), ("choices", OPTIONS), ("items", ITEMS))
        crowded = [
            self.place.problem(
                "too_many_items" if name == "items" else "too_many_options", f"More than {limit} of them.", field=name
            )
            for name, limit in limits
            if isinstance(held := self.value.get(name), list | dict) and len(held) > limit
        ]
        if crowded:
            return None, crowded
        named = self.value.get("type", "single_best_answer")
        if not isinstance(named, str):
            return None, [self.place.problem("wrong_type", "The type of a question is a text.", field="type")]
        type = type_named(named)
        if type is None:
            return PassedThrough(id, named, self.place.line), []
        question = self._as_it_stands(id)
        if question is not None:
            return question, self._about_id(id)
        fields, shape = shaped(self._with_verdicts(type))
        if shape.listed or type != named:
            fields["type"] = "multiple_response" if shape.listed else type
        fields["id"] = id
        # A set may ask its questions in items; every other question needs a stem and options.
        absent = [n for n in ("stem", "options") if fields.get(n) is None and not fields.get("items")]
        problems = [self.place.problem("missing_field", f"The question has no {n}.", field=n) for n in absent]
        if not absent:
            question, problems = drafted(fields, self.place, self._line_of(shape), len(self.raw))
        return question, self._about_id(id) + problems + self._disagreements(shape, id)

    def _with_verdicts(self, type: QuestionType | None) -> dict[str, Any]:
        """A true/false question needs no options."""
        bare = type == "true_false" and not any(self.value.get(name) for name in OPTION_LISTS)
        return {**self.value, "options": list(VERDICTS)} if bare else self.value

    def _as_it_stands(self, id: str) -> Question | None:
        """The question if its object has the contract's shape and no errors, which is the usual case."""
        if not FOREIGN.isdisjoint(self.value):
            return None
        try:
            question = Question.model_validate({**self.value, "id": id})
        except ValidationError:
            return None
        sound = question.right and "stem" in self.value and not checked(question, self.place, len(self.raw))
        return question if sound else None

    def _disagreements(self, shape: Shape, id: str) -> list[Problem]:
        """Report a bank that names two right answers, instead of choosing one silently."""
        problems = []
        for place, part in (("", shape), *((f"items.{index}.", item) for index, item in enumerate(shape.items))):
            taken = part.names.get("correct_answer", "correct_answer")
            for name, key in part.disagreeing:
                said = f"{taken} names {part.answer.key if part.answer else ''!r} as the right answer, {name} {key!r}."
                message, hint = f"{said} The first was taken.", "Keep one of the two, or make them say the same."
                field = f"{place}correct_answer"
                problems.append(
                    self.place.problem("answers_disagree", message, field=field, unit=id, hint=hint, blocks=True)
                )
        return problems

    def _about_id(self, id: str) -> list[Problem]:
        given = self.value.get("id")
        if given is None or self.declared is not None or (isinstance(given, str) and not given.strip()):
            return []
        message = f"The id is not a usable name; the question goes by {id!r}."
        return [self.place.problem("wrong_type", message, field="id", unit=id)]

    def _line_of(self, shape: Shape) -> LineOf:
        def line_of(path: Path) -> int | None:
            # A place that the bank does not have is reported at the beginning of the question.
            with suppress(NotCarried):
                path = shape.path(path)
            return self.place.line + line_at(self.raw.decode(), path)

        return line_of

    def revised(self, after: Question, changed: dict[Path, Any]) -> bytes:
        text = self.raw.decode()
        _, shape = shaped(self._with_verdicts(after.type))
        wanted = {shape.path(path): value for path, value in changed.items() if path[-1] != "correct_answer"}
        # Right answers given as words or positions may have to change with the options.
        before = self.outcome(after.id)[0]
        old = _answers(shape, before) if isinstance(before, Question) else {}
        wanted |= {path: held for path, held in _answers(shape, after).items() if old.get(path) != held}
        for path, value in wanted.items():
            text = with_value(text, path, value)
        return text.encode()

    def again(self, raw: bytes) -> Draft | None:
        piece = json_piece(raw, raw, self.place)
        return piece if isinstance(piece, JsonDraft) else None


def _answers(shape: Shape, question: Question) -> dict[Path, Any]:
    """The values of all fields of the bank that name a right answer."""
    held = {} if shape.items else shape.answers(question.correct_answer, question.options)
    for index, (part, item) in enumerate(zip(shape.items, question.items or (), strict=False)):
        options: Sequence[Option] = item.options or question.options
        held |= {("items", index, *path): answer for path, answer in part.answers(item.correct_answer, options).items()}
    return held


def json_piece(raw: bytes, json: bytes, place: Place) -> JsonDraft | Fault:
    """The draft of `raw`; `json` is `raw` without blanks around it."""
    value = strict(json, place)
    if isinstance(value, dict):
        return JsonDraft(raw, place, value)
    problem = value if isinstance(value, Problem) else place.problem("wrong_type", "A question is a JSON object.")
    return Fault(raw, problem)


def question_json(question: Question) -> bytes:
    """The question as JSON, with the given fields only."""
    return question.model_dump_json(exclude_unset=True).encode()


def json_carried(stream: BinaryIO) -> frozenset[str]:
    """Search for quoted names of fields with a value, without parsing: a gigabyte takes seconds."""
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
    """Names that are not yet found; the parts of metadata only after `metadata` itself."""
    names = [name for name, place in PLACES.items() if place not in found and ("." not in place or "metadata" in found)]
    return re.compile(rb'"(%s)"\s*:\s*(?!null)\S' % "|".join(names).encode()) if names else None
