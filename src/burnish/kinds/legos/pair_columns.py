"""Which column of a table holds what: by its header, or by what stands in it. Nothing is guessed, nothing dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from burnish.core.errors import InputError
from burnish.kinds.legos.courses import Course
from burnish.languages.tags import is_known, language_name, primary_tag

NAMES_HINT = (
    "Put a line with the columns' names above the rows: source, target and, where there are ids, seed_id; columns with "
    "other names are passed over. In CSV, a sentence with a comma in it stands in quotes."
)
_SEED_ID = re.compile(r"[Cc]([0-9]{1,4})")
_SOURCE_NAMES = ("source", "source_text")
_TARGET_NAMES = ("target", "target_text")
_ID_NAMES = ("seed_id", "id", "seed")
_REGION = re.compile(r"\s*\(.*\)$|[-_][a-z]{2,4}$")
"""What may follow the language in a header: "Spanish (Spain)", "es-MX"."""
_SHORTEST_NAME = 4
"""Letters of a language's name; codes are shorter, and are words in some languages."""
_CELL = 30
"""Characters of a cell that an error shows."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what, 0-based."""

    source: int
    target: int
    seed_id: int | None
    number: int
    """Of columns in a row."""
    in_header: bool = False
    """Whether the first row says so, and is no pair."""


def seed_id_of(text: str) -> str | None:
    """The SEED id that a cell means: `C0001`, and `C1` too. None where it is none."""
    match = _SEED_ID.fullmatch(text.strip())
    return f"C{int(match[1]):04d}" if match else None


def layout(rows: Sequence[Sequence[str]], path: str, course: Course | None) -> Columns:
    """What the columns hold. Without a header there are two, or three of which one holds ids such as C0001 or C1.

    InputError where nobody can say which column is which.
    """
    if not rows:
        return Columns(0, 1, None, 2)
    return _by_header(rows[0], path, course) or _by_content(rows, path)


def _by_header(cells: Sequence[str], path: str, course: Course | None) -> Columns | None:
    """None where the first row is no header."""
    names = [cell.strip().lower() for cell in cells]
    sources = _places(names, _SOURCE_NAMES, course.source_tag if course else None)
    targets = _places(names, _TARGET_NAMES, course.target_tag if course else None)
    if not sources or not targets:
        _refuse_other_languages(names, path, course)
        return None
    if len(sources) > 1 or len(targets) > 1:
        doubled = "source" if len(sources) > 1 else "target"
        raise InputError(f"Two columns of the header may be the {doubled}.", path=path, line=1, hint=NAMES_HINT)
    ids = _places(names, _ID_NAMES, None)
    return Columns(sources[0], targets[0], ids[0] if ids else None, len(names), in_header=True)


def _places(names: Sequence[str], wanted: Iterable[str], tag: str | None) -> list[int]:
    """Columns with one of these names; where there are none, those with the name or code of the language."""
    found = [place for place, name in enumerate(names) if name in wanted]
    return found or [place for place, name in enumerate(names) if tag is not None and _language(name) == tag]


def _language(name: str) -> str | None:
    """The language that a name in a header is all about; None where it is none."""
    bare = _REGION.sub("", name)
    return primary_tag(bare) if is_known(bare) else None


def _refuse_other_languages(names: Sequence[str], path: str, course: Course | None) -> None:
    """`English, French` above the rows of a course of Spanish: the wrong file, or the wrong code."""
    tags = [_language(name) for name in names if len(name) >= _SHORTEST_NAME]
    if course is None or len(tags) < len(names) or None in tags or len(set(tags)) < 2:
        return
    own = f"{language_name(course.source_tag)} and {language_name(course.target_tag)}"
    raise InputError(
        f"The header names {' and '.join(language_name(str(tag)) for tag in tags)}, but the course {course.code} is "
        f"of {own}.",
        path=path,
        line=1,
        code="other_languages",
        hint="Give --course the code of the course that these pairs belong to.",
    )


def _by_content(rows: Sequence[Sequence[str]], path: str) -> Columns:
    counts = Counter(len(cells) for cells in rows)
    number = max(2, max(counts, key=lambda columns: (counts[columns], -columns)))
    whole = [cells for cells in rows if len(cells) == number]
    # Spreadsheets leave empty columns behind the others.
    used = [place for place in range(number) if number == 2 or any(cells[place].strip() for cells in whole)]
    ids = [place for place in used if _holds_ids(cells[place] for cells in whole)]
    halves = [place for place in used if place not in ids]
    if len(halves) == 2 and len(ids) < 2:
        return Columns(halves[0], halves[1], ids[0] if ids else None, number)
    shown = ", ".join(f'{place + 1} "{_shown(whole[0][place])}"' for place in used)
    raise InputError(
        f"The rows have {len(used)} columns, and nothing says which of them are the two sentences: {shown}.",
        path=path,
        code="unnamed_columns",
        hint=NAMES_HINT,
    )


def _holds_ids(cells: Iterable[str]) -> bool:
    """Whether most of them are SEED ids."""
    found = [seed_id_of(cell) is not None for cell in cells]
    return 2 * sum(found) > len(found)


def _shown(cell: str) -> str:
    text = cell.strip()
    return text if len(text) <= _CELL else f"{text[:_CELL]}…"
