"""Reviews by other tools, and critics of one's own: read strictly, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

import jiter

from burnish.core.documents import Material, text_digest
from burnish.core.errors import InputError
from burnish.core.replies import AnySeverity
from burnish.text.front_matter import front_matter
from burnish.text.json_text import COMMAS, decoded, too_large

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


MOST = 20
"""Critics in one folder: the instructions of all of them go with every window of the manuscript."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""A critic's name is the reviewer's name in every row, and the name of a file."""
VERSION = re.compile(r"\d+(?:\.\d+){0,2}")
PLACEHOLDER = re.compile(r"\{\{\s*([^{}\n]{0,80}?)\s*\}\}")
WINDOW = frozenset({"window", "candidate", "manuscript", "text", "lines"})
LANGUAGES = frozenset({"source_language", "target_language"})
PARTS = re.compile(r"\s*# System[ \t]*\n(?P<system>.*?)(?:\n# User[ \t]*\n(?P<user>.*))?", re.DOTALL)
NO_CRITICS = frozenset({"readme.md", "license.md"})


@dataclass(frozen=True)
class Critic:
    """One critic."""

    name: str
    version: str
    """As its header says; without one, the beginning of its hash."""
    text: str
    """The instructions; languages are not filled in yet."""
    reads_far: bool = False
    """Whether it compares paragraphs that stand far from each other: it is shown long windows (`window: long`)."""

    def instructions(self, source_language: str, target_language: str) -> str:
        """What the critic is told, for one pair of languages."""
        values = {"source_language": source_language, "target_language": target_language}
        return PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


def read_critics(materials: Iterable[Material]) -> tuple[Critic, ...]:
    """Every critic of a folder, by name. Files that are no Markdown, README.md and LICENSE.md are passed over."""
    found: dict[str, Critic] = {}
    path = ""
    for material in materials:
        path = material.path
        file = material.name.rpartition("/")[2]
        if not file.lower().endswith(".md") or file.lower() in NO_CRITICS:
            continue
        critic = read_critic(material.data, material.path, file[:-3])
        if critic.name in found:
            raise InputError(
                f"Two critics are called {critic.name!r}.", path=path, code="same_name", hint="Rename one."
            )
        found[critic.name] = critic
    if not found:
        hint = "Put one Markdown file for each critic into it."
        raise InputError("The folder holds no critic.", path=path or None, code="no_critic", hint=hint)
    if len(found) > MOST:
        raise InputError(f"The folder holds more than {MOST} critics.", path=path, code="too_many", hint="Choose some.")
    return tuple(found[name] for name in sorted(found))


def read_critic(data: bytes, path: str, name: str) -> Critic:
    """One critic from its file; `name` is the file's, without its ending."""
    called = name.strip().lower().replace(" ", "_")
    if not NAME.fullmatch(called):
        hint = "Call the file by small letters, digits, - and _ only."
        raise InputError(f"{name[:80]!r} is no name for a critic.", path=path, code="bad_name", hint=hint)
    text = decoded(data, path).text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        hint = f"Keep it under {LONGEST} characters: it is paid for with every window."
        raise InputError("The critic's instructions are too long.", path=path, code="too_large", hint=hint)
    matter = front_matter(text)
    body = text[matter.end :] if matter is not None else text
    head = matter.values if matter is not None else {}
    window = head.get("window", "short")
    if window not in ("short", "long"):
        raise InputError("A critic's window is short or long.", path=path, field="window", code="bad_window")
    instructions = _instructions(body, path)
    if not instructions:
        raise InputError("The critic has no instructions.", path=path, code="empty", hint="Write what it looks for.")
    return Critic(called, _version(head.get("version"), text, path), instructions, window == "long")


def _version(declared: object, text: str, path: str) -> str:
    if declared is None:
        return text_digest(text).removeprefix("sha256:")[:12]
    if not isinstance(declared, str) or not VERSION.fullmatch(declared):
        raise InputError("A version is a number such as 1 or 1.2.0.", path=path, field="version", code="bad_version")
    return declared


def _instructions(body: str, path: str) -> str:
    shape = PARTS.fullmatch(body)
    parts = (shape["system"], shape["user"] or "") if shape is not None else (body,)
    lines = [_line(line, path) for line in "\n\n".join(part.strip() for part in parts).split("\n")]
    return "\n".join(line for line in lines if line is not None).strip()


def _line(line: str, path: str) -> str | None:
    """The line with its placeholders as we write them; None where it only stands for the window."""
    alone = PLACEHOLDER.fullmatch(line.strip())
    if alone is not None and alone[1] in WINDOW:
        return None
    for match in PLACEHOLDER.finditer(line):
        if match[1] not in LANGUAGES:
            raise InputError(
                f"Nobody fills {match.group()[:80]!r} in.",
                path=path,
                code="bad_placeholder",
                hint="Use {{source_language}}, {{target_language}}, or {{window}} alone on its line.",
            )
    return PLACEHOLDER.sub(lambda match: f"{{{{{match[1]}}}}}", line)
