"""Reviews by other tools: issues with anchors, taken in as they are. Nothing is dropped, nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from burnish.core.errors import InputError
from burnish.core.replies import AnySeverity
from burnish.kinds.files.encoded import decoded, too_large
from burnish.kinds.manuscripts.materials.json_rows import Row, json_rows, text_of

LARGEST = 64 << 20
MOST_ISSUES = 200_000
LONGEST = 20_000
"""Characters of a quote, a description, a suggestion."""
SEVERITIES: tuple[AnySeverity, ...] = get_args(AnySeverity)
LARGEST_LINE = 1 << 53
SHAPE = (
    'An issue is {"category", "severity", "description", "line" or "start_line" and "end_line" or "quote", '
    '"suggested_fix"?, "reviewer"?}.'
)


@dataclass(frozen=True, slots=True)
class ForeignIssue:
    """One issue that another tool found. Its anchors are claims: whoever maps it finds out whether they hold."""

    category: str
    severity: AnySeverity
    description: str
    reviewer: str
    """Who says so; the file's name where it does not tell."""
    line: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    quote: str | None = None
    suggested_fix: str | None = None
    paragraph_id: str | None = None
    """Where the tool knows our ids."""


def read_review(data: bytes, path: str, name: str) -> tuple[ForeignIssue, ...]:
    """The issues of a file: a list, an object with `issues`, rows with `issues` each, or one issue a line.

    `name`: who is taken for the reviewer where the file does not say. A file without issues is a review that found
    nothing.
    """
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    text = decoded(data, path).text
    if not text.strip():
        raise InputError("The review is empty.", path=path, code="empty", hint="A review without issues is [].")
    found = tuple(_issues(text, path, name))
    if len(found) > MOST_ISSUES:
        raise InputError(f"There are more than {MOST_ISSUES} issues.", path=path, code="too_complex")
    return found


def _issues(text: str, path: str, name: str) -> Iterator[ForeignIssue]:
    for row in json_rows(text, path):
        if "issues" in row.value:
            yield from _of_row(row, path, name)
        else:
            yield _issue(row, path, name, {})


def _of_row(row: Row, path: str, name: str) -> Iterator[ForeignIssue]:
    """The issues of one reviewer, or of one paragraph: what the row says holds for each."""
    listed = row.value["issues"]
    if not isinstance(listed, list):
        field = f"{row.place}.issues".lstrip(".")
        raise InputError("`issues` must be a list.", path=path, line=row.line, field=field, code="no_list", hint=SHAPE)
    shared = {key: row.value[key] for key in ("reviewer", "paragraph_id") if row.value.get(key)}
    for place, issue in enumerate(listed):
        inner = Row(issue if isinstance(issue, dict) else {}, row.line, f"{row.place}.issues[{place}]".lstrip("."))
        if not isinstance(issue, dict):
            raise _wrong("An issue must be an object.", inner, path, "")
        yield _issue(inner, path, name, shared)


def _issue(row: Row, path: str, name: str, shared: Mapping[str, Any]) -> ForeignIssue:
    whole = Row({**shared, **row.value}, row.line, row.place)
    return ForeignIssue(
        category=_text(whole, "category", path, 300),
        severity=_severity(whole, path),
        description=_text(whole, "description", path, LONGEST),
        reviewer=_optional(whole, "reviewer", path, 300) or name,
        line=_number(whole, "line", path),
        start_line=_number(whole, "start_line", path),
        end_line=_number(whole, "end_line", path),
        quote=_quote(whole, path),
        suggested_fix=_optional(whole, "suggested_fix", path, LONGEST),
        paragraph_id=_optional(whole, "paragraph_id", path, 100),
    )


def _text(row: Row, name: str, path: str, longest: int) -> str:
    return _short((text_of(row, name, path) or "").strip(), row, name, path, longest)


def _optional(row: Row, name: str, path: str, longest: int) -> str | None:
    text = text_of(row, name, path, needed=False)
    return None if text is None else _short(text.strip(), row, name, path, longest)


def _quote(row: Row, path: str) -> str | None:
    """As it is, blanks included: it is looked for letter by letter."""
    quote = text_of(row, "quote", path, needed=False)
    return None if quote is None else _short(quote, row, "quote", path, LONGEST)


def _short(text: str, row: Row, name: str, path: str, longest: int) -> str:
    if len(text) > longest:
        raise _wrong(f"This is longer than {longest} characters.", row, path, name)
    return text


def _severity(row: Row, path: str) -> AnySeverity:
    said = _text(row, "severity", path, 300).lower()
    for severity in SEVERITIES:
        if said == severity:
            return severity
    raise _wrong(f"{said[:60]!r} is no severity: use one of {', '.join(SEVERITIES)}.", row, path, "severity")


def _number(row: Row, name: str, path: str) -> int | None:
    """A line's number; one that no line can have is kept, and will map to nothing."""
    value = row.value.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_LINE:
        raise _wrong("This must be a whole number.", row, path, name)
    return value


def _wrong(message: str, row: Row, path: str, name: str) -> InputError:
    field = f"{row.place}.{name}".strip(".") or None
    return InputError(message, path=path, line=row.line, field=field, code="bad_issue", hint=SHAPE)
