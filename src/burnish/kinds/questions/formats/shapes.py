"""The shapes in which JSON banks write a question, and our one shape behind them.

The contract's own names always work. Beside them: `question` for the stem, `choices` for the options, `explanation` for
the rationale; options as objects with key and text, as plain texts, or as an object from key to text; the answer as a
key, as a position counted from 0 where options have no keys, or as the right option's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.kinds.questions.formats.answers import Answer, Form, read_answer, write_answer
from burnish.kinds.questions.formats.changes import Path
from burnish.kinds.questions.formats.drafting import option_key
from burnish.kinds.questions.formats.places import NotCarried
from burnish.kinds.questions.model import Option

STEMS = ("stem", "question")
OPTIONS = ("options", "choices")
RATIONALES = ("rationale", "explanation")
CONTRACT_ANSWERS = ("correct_answer", "answer_idx", "answer_index", "answer", "answer_key", "correct")
OTHER_ANSWERS = ("answer_idx", "answer_index", "answer", "answer_key", "correct", "correct_answer")
"""Banks that say `question` mean `answer` too: there `correct_answer` may be somebody's second opinion."""
OPTION_KEYS = ("key", "label", "letter")
SINGLE = frozenset({"single_best_answer", "multiple_choice", "multichoice", "mcq", "single_choice", "sba"})
SETS = frozenset({"extended_matching", "sequential_set"})


@dataclass(frozen=True, slots=True)
class Shape:
    """Where each field of a question stands in its JSON object."""

    names: Mapping[str, str]
    """Our name -> the bank's name."""
    option_paths: tuple[Path, ...]
    """For each option, the place of its text."""
    answer: Answer | None
    mirrors: tuple[tuple[str, Form], ...]
    """Further fields that name the same right answer, each in its own form: they have to follow it."""
    items: tuple[Shape, ...] = ()
    disagreeing: tuple[tuple[str, str], ...] = ()
    """Further fields that name a right answer, another one than was taken: name and key."""

    def path(self, path: Path) -> Path:
        """The place in the bank's object of a place in our question."""
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
        """What the fields that name the right answer are to hold."""
        form = self.answer.form if self.answer else "key"
        held: dict[Path, Any] = {self.path(("correct_answer",)): write_answer(form, key, options)}
        return held | {(name,): write_answer(form, key, options) for name, form in self.mirrors}


def shaped(value: Mapping[str, Any], inherited: Sequence[tuple[str, str]] = ()) -> tuple[dict[str, Any], Shape]:
    """Our fields of a bank's object, and where they stand. What has an unusable type is left for validation to name.

    `inherited` are the options of the set that an item belongs to.
    """
    fields = dict(value)
    names: dict[str, str] = {}
    for ours, candidates in (("stem", STEMS), ("options", OPTIONS), ("rationale", RATIONALES)):
        theirs = next((name for name in candidates if value.get(name) is not None), None)
        if theirs is not None:
            names[ours] = theirs
            fields[ours] = fields.pop(theirs)
    options, paths, keyed = _options(fields, names)
    pairs = [(o["key"], o["text"]) for o in options if isinstance(o["key"], str) and isinstance(o["text"], str)]
    answer, others = _answer(value, fields, names, pairs or list(inherited), keyed=keyed or not pairs)
    same = {name: found for name, found in others.items() if answer is not None and found.key == answer.key}
    for name in same.keys() - {"correct_answer"}:
        fields.pop(name)
    mirrors = tuple((name, found.form) for name, found in same.items())
    disagreeing = tuple((name, found.key) for name, found in others.items() if name not in same)
    return fields, Shape(names, tuple(paths), answer, mirrors, _items(fields, pairs), disagreeing)


def _options(fields: dict[str, Any], names: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[Path], bool]:
    """Options as objects with key and text, the places of their texts, and whether they brought keys."""
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
    """The option with key and text; what is neither text nor object is left for validation to name."""
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
    """The answer that is taken, and what further fields say that name an option too."""
    order = OTHER_ANSWERS if names.get("stem") == "question" else CONTRACT_ANSWERS
    given = [name for name in order if value.get(name) is not None]
    read = {name: read_answer(value[name], pairs, keyed=keyed, words_first=order is CONTRACT_ANSWERS) for name in given}
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


def _items(fields: dict[str, Any], pairs: Sequence[tuple[str, str]]) -> tuple[Shape, ...]:
    items = fields.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return ()
    shapes = [shaped(item, pairs) for item in items]
    fields["items"] = [item for item, _ in shapes]
    return tuple(shape for _, shape in shapes)
