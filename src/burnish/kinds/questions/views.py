"""Questions as people see them: a bank in words, a question as text, a check's examples."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

from burnish.core.documents import Field
from burnish.core.presentation import Illustration, Pictured, Remark, Table
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.cue_words import LEVELS
from burnish.kinds.questions.model import Item, Option, Question

UNSAID = "-"
NO_QUESTION = "·"
DIFFICULTIES = ("easy", "medium", "hard")


def describe(bank: Mapping[str, Any]) -> list[Remark | Table]:
    """What the overview of a bank says. Likeness alone says nothing new: each question that is like another is told."""
    keys, blueprint = list(_key_balance(bank)), list(_blueprint(bank.get("blueprint", ())))
    told = keys or blueprint or bank.get("near_duplicates_ignored")
    return [*keys, *(_likeness(bank) if told else ()), *blueprint]


def _key_balance(bank: Mapping[str, Any]) -> Iterator[Remark]:
    for group in bank.get("key_balance", ()):
        if group["balanced"] is not None:
            yield Remark("keys", group["message"], alarming=not group["balanced"])


def _likeness(bank: Mapping[str, Any]) -> Iterator[Remark]:
    alike, ignored = bank.get("near_duplicates", 0), bank.get("near_duplicates_ignored", 0)
    if alike or ignored:
        yield Remark("much alike", f"{alike:,}" + (f", and {ignored:,} that authors ignore" if ignored else ""))


def _blueprint(cells: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """Objective and level down, difficulty across."""
    if not cells:
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    for cell in cells:
        objective, level, difficulty = (cell[name] or UNSAID for name in ("objective", "bloom_level", "difficulty"))
        counts[objective, level, difficulty] += cell["questions"]
    across = sorted({difficulty for _, _, difficulty in counts}, key=lambda one: _ranked(one, DIFFICULTIES))
    down = sorted(
        {(objective, level) for objective, level, _ in counts}, key=lambda one: (one[0], _ranked(one[1], LEVELS))
    )
    rows = tuple((*names, *(f"{counts[*names, name] or NO_QUESTION}" for name in across)) for names in down)
    yield Table("blueprint", ("objective", "level", *across), rows, names=2)


def _ranked(name: str, order: Sequence[str]) -> tuple[int, str]:
    """In the order of the trade; a name that it does not know comes last."""
    known = [one.casefold() for one in order]
    return (known.index(name.casefold()) if name.casefold() in known else len(known)), name


def label(field: Field) -> str:
    """As an exam prints it: the stem bare, options by their letter, all else by its name."""
    head, _, rest = (field or "").partition(".")
    if head in ("stem", ""):
        return ""
    return f"{rest}. " if head == "options" else f"{field}: "


def ignoring(rule: str) -> str:
    return f'`"burnish_ignore": ["{rule}"]` on a single question'


def shown(question: Question) -> str:
    """The item, one thing a line, the key marked with a star."""
    return "\n".join(_lines(question)) + "\n"


def _lines(question: Question) -> Iterator[str]:
    if question.vignette:
        yield question.vignette
        yield ""
    if question.stem:
        yield question.stem
    yield from _option_lines(question.options, question.correct_answer)
    for item in question.items or ():
        yield ""
        yield from _item(item)
    if question.rationale:
        yield ""
        yield f"Rationale: {question.rationale}"


def _item(item: Item) -> Iterator[str]:
    yield item.stem
    yield from _option_lines(item.options or (), item.correct_answer)
    if item.options is None:
        yield f"  Answer: {item.correct_answer}"
    if item.rationale:
        yield f"  Rationale: {item.rationale}"


def _option_lines(options: tuple[Option, ...], correct: str) -> Iterator[str]:
    for option in options:
        yield f"{'*' if option.key == correct.strip() else ' '} {option.key}. {option.text}"


def difference(before: Question, after: Question) -> str:
    """A unified diff of the item as shown; empty where nothing a reader sees has changed."""
    return "\n".join(
        difflib.unified_diff(
            shown(before).splitlines(),
            shown(after).splitlines(),
            f"{before.id} before",
            f"{after.id} after",
            lineterm="",
        )
    )


SOUND: Mapping[str, Any] = {
    "id": "example",
    "stem": (
        "A 54-year-old man comes to the emergency department because of crushing chest pain for 2 hours. "
        "An ECG shows ST-segment elevation in leads II, III, and aVF. "
        "Which of the following drugs should be given first?"
    ),
    "options": ("Aspirin", "Digoxin", "Furosemide", "Lidocaine", "Verapamil"),
    "correct_answer": "A",
    "language": "en",
}
"""No rule has anything to say about it."""

CONTEXT = "_context"
"""The key under which an example gives facts about its bank."""


def example_question(partial: Mapping[str, Any]) -> tuple[Question, BankContext]:
    """The sound question with an example's fields laid over it, and the bank it belongs to.

    Options may be written as plain texts; they are lettered in order. A bank carries what the example carries,
    unless the example says otherwise under `_context`.
    """
    fields = {**SOUND, **{name: value for name, value in partial.items() if name != CONTEXT}}
    fields["options"] = _lettered(fields["options"])
    question = Question.model_validate(fields)
    return question, replace(BankContext(carried=frozenset(_carried(question))), **partial.get(CONTEXT, {}))


def illustration(partial: Mapping[str, Any]) -> Illustration:
    """The example as a reader sees it: the fields that it names itself; the rest is only taken for granted."""
    question, context = example_question(partial)
    named = {name for name in partial if name != CONTEXT}
    pictures = []
    for field, text in question.texts().items():
        is_said = bool(text) and (field or "").partition(".")[0] in named
        pictures.append(Pictured(text, label(field), question.id, field, is_said))
    return Illustration(question, context, tuple(pictures))


def _lettered(options: Any) -> list[Any]:
    return [
        {"key": ascii_uppercase[index], "text": option} if isinstance(option, str) else option
        for index, option in enumerate(options)
    ]


def _carried(question: Question) -> Iterator[str]:
    """The optional fields that this question has."""
    for name in ("rationale", "vignette"):
        if getattr(question, name) is not None:
            yield name
    if question.metadata is not None:
        yield from (f"metadata.{name}" for name in question.metadata.model_fields_set)
