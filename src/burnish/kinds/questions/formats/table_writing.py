"""A new table from questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

from burnish.kinds.questions.formats.cells import written
from burnish.kinds.questions.formats.drafting import option_key
from burnish.kinds.questions.formats.table_header import LISTS, METADATA, NAMES, OPTION, RESERVED, SEPARATORS
from burnish.kinds.questions.formats.writing import Choice, Losses, choices
from burnish.kinds.questions.model import Question

CARRIED = frozenset({"vignette", "rationale", "language", "burnish_ignore"} | {f"metadata.{name}" for name in METADATA})


def write_table(questions: Iterable[Question], target: BinaryIO, delimiter: str) -> list[str]:
    """Write the table. The columns depend on all questions, so all rows are held until the last one is known."""
    losses = Losses()
    rows = [_row(choice, losses) for question in questions for choice in _choices(question, losses)]
    width = max((int(row["options"]) for row in rows), default=2)
    letters = [option_key(index) for index in range(max(2, width))]
    used = {name for row in rows for name in row} - {"options"}
    optional = (
        ["type", "vignette"],
        ["rationale", *(f"metadata.{name}" for name in METADATA), "language", "burnish_ignore"],
    )
    before, after = ([name for name in names if name in used] for names in optional)
    known = {"id", "stem", "correct_answer", *letters, *before, *after}
    columns = ["id", *before, "stem", *letters, "correct_answer", *after, *sorted(used - known)]
    for cells in (dict(zip(columns, columns, strict=True)), *rows):
        line = delimiter.join(written(cells.get(column, ""), delimiter) for column in columns)
        target.write(f"{line}\r\n".encode())
    return losses.sentences()


def _choices(question: Question, losses: Losses) -> Iterable[Choice]:
    extras = {
        name for name, value in (question.model_extra or {}).items() if _is_column(name) and isinstance(value, str)
    }
    for choice in choices(question, losses, CARRIED | extras):
        if len(choice.options) > 26 or any(not option.text for option in choice.options):
            losses.add("Questions with an empty option, or with more than 26, are left out", question.id)
        else:
            yield choice


def _is_column(name: str) -> bool:
    """Whether a carried field can be a column: its name may not mean something else to a reader of tables."""
    plain = SEPARATORS.sub("_", name.lower())
    free = plain not in NAMES and not OPTION.fullmatch(plain) and name not in RESERVED
    return (
        free
        and name == name.strip()
        and name.isprintable()
        and bool(name)
        and not name.startswith(("'", "=", "+", "-", "@"))
    )


def _row(choice: Choice, losses: Losses) -> dict[str, str]:
    question = choice.question
    row = {"id": question.id, "stem": choice.stem, "options": str(len(choice.options))}
    row |= {option_key(index): option.text for index, option in enumerate(choice.options)}
    row["correct_answer"] = option_key(choice.right)
    row |= {name: text for name in ("vignette", "rationale", "language") if (text := getattr(question, name))}
    lists: dict[str, Any] = {"burnish_ignore": question.burnish_ignore}
    if question.metadata is not None:
        lists |= {f"metadata.{name}": getattr(question.metadata, name) for name in METADATA}
    for name, value in lists.items():
        if value and name.removeprefix("metadata.") in LISTS:
            row[name] = "|".join(value) + ("|" if len(value) == 1 and ";" in value[0] else "")
            if any("|" in part or part != part.strip() or not part for part in value):
                losses.add(f"Entries of {name} that hold `|` or blanks at their ends are cut there", question.id)
        elif value:
            row[name] = value
    row |= {n: v for n, v in (question.model_extra or {}).items() if _is_column(n) and isinstance(v, str) and v}
    return row
