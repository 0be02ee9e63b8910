"""What differs between two versions of a question, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from burnish.kinds.questions.formats.mapped import reads_as
from burnish.kinds.questions.model import Question

Path = tuple[str | int, ...]
"""A place inside a question: ("stem",), ("options", 1, "text"), ("items", 0, "rationale")."""


def leaves(question: Question) -> dict[Path, Any]:
    """Every value of the question by its place. Null, empty text and empty lists are no values."""
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
    """Place -> new value, for every place that differs. A value that was taken away becomes an empty text."""
    old, new = leaves(before), leaves(after)
    return {
        path: new.get(path, "") for path in (*old, *(p for p in new if p not in old)) if old.get(path) != new.get(path)
    }


def says_the_same(one: Question, other: Question) -> bool:
    """Whether two questions agree in everything but blanks at the ends of texts and the kind of line ends."""
    left, right = leaves(one), leaves(other)
    return all(_agree(left.get(path, ""), right.get(path, "")) for path in left.keys() | right.keys())


def _agree(one: Any, other: Any) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return reads_as(one, other)
    return bool(one == other)


def field_name(path: Path, question: Question) -> str:
    """The place as the contract names it: `options.B`, `metadata.x`."""
    names = [str(part) for part in path]
    options = question.options
    if path[0] == "options" and len(path) > 2 and isinstance(path[1], int) and path[1] < len(options):
        names = ["options", options[path[1]].key, *names[2:]]
    return ".".join(names).removesuffix(".text")
