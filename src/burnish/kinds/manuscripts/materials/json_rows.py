"""Rows of JSON: one list, one object, or one object a line, each with the line that it begins on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jiter

from burnish.core.errors import InputError
from burnish.kinds.files.json_text import COMMAS

WHERE = re.compile(r" at line (\d+) column (\d+)$")
BRACKETS = 2_000_000
"""Objects and lists in one file; beyond it the file is a bomb."""
LONGEST_LINE = 8 << 20


class Row(NamedTuple):
    """One object and where it stands."""

    value: Mapping[str, Any]
    line: int | None
    """None where it stands inside a list: then `place` tells which it is."""
    place: str


def json_value(text: str, path: str, first_line: int = 1) -> Any:
    """The value of a JSON text: no NaN, no repeated key. `first_line`: where the text begins in its file."""
    try:
        return jiter.from_json(
            text.encode("utf-8", "replace"), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys"
        )
    except ValueError as error:
        where = WHERE.search(str(error))
        line = first_line + (int(where[1]) - 1 if where else 0)
        said = str(error)[: where.start()] if where else str(error)
        column = f" (column {where[2]})" if where else ""
        raise InputError(
            f"This is not valid JSON: {said}{column}.",
            path=path,
            line=line,
            code="invalid_json",
            hint="Mend that line.",
        ) from error


def json_lines(text: str, path: str) -> Iterator[Row]:
    """One object a line; blank lines are passed over."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            raise InputError("This line is too long for one object.", path=path, line=number, code="too_long")
        value = json_value(line.strip(), path, number)
        if not isinstance(value, dict):
            raise InputError(
                "Every line must be one JSON object.", path=path, line=number, code="no_object", hint="Write {...}."
            )
        yield Row(value, number, "")


def json_rows(text: str, path: str, inside: str | None = None) -> Iterator[Row]:
    """The objects of a list, of the list that an object has under `inside`, or one a line; or a single object."""
    if text.count("{") + text.count("[") > BRACKETS or text.count(",") > COMMAS:
        raise InputError("It has too many parts.", path=path, code="too_complex", hint="Cut it into several files.")
    if _is_lines(text):
        yield from json_lines(text, path)
        return
    value = json_value(text, path)
    if isinstance(value, dict) and inside not in value:
        yield Row(value, 1, "")
        return
    listed = value[inside] if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise InputError("This must be a list of objects.", path=path, field=inside, code="no_list")
    for place, part in enumerate(listed):
        if not isinstance(part, dict):
            raise InputError("Every entry must be an object.", path=path, field=f"[{place}]", code="no_object")
        yield Row(part, None, f"[{place}]")


def _is_lines(text: str) -> bool:
    """Whether the first line is an object by itself, and another one follows."""
    first, _, rest = text.strip().partition("\n")
    if not first.rstrip().endswith("}") or not rest.lstrip().startswith("{"):
        return False
    try:
        return isinstance(jiter.from_json(first.strip().encode("utf-8", "replace")), dict)
    except ValueError:
        return False


def text_of(row: Row, name: str, path: str, *, needed: bool = True) -> str | None:
    """A member that must be text. None where it is absent, null or blank and not `needed`."""
    value = row.value.get(name)
    if isinstance(value, str) and value.strip():
        return value
    if not needed and (value is None or value == "" or (isinstance(value, str) and not value.strip())):
        return None
    said = "is missing" if value is None else "is blank" if isinstance(value, str) else "is no text"
    raise InputError(
        f"The {name} {said}.", path=path, line=row.line, field=f"{row.place}.{name}".lstrip("."), code="bad_field"
    )
