"""Reviews by other tools, and the user's own critics: read strictly, row by row."""

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
"""Objects and lists in one file; more are refused as an attack on memory."""
LONGEST_LINE = 8 << 20


class Row(NamedTuple):
    """One object and its place."""

    value: Mapping[str, Any]
    path: str
    line: int | None
    """None inside a list: then `place` says which entry it is."""
    place: str = ""

    def wrong(self, message: str, field: str | None, code: str, hint: str | None = None) -> InputError:
        where = f"{self.place}.{field or ''}".strip(".") or None
        return InputError(message, path=self.path, line=self.line, field=where, code=code, hint=hint)

    def text(self, name: str, *, needed: bool = False) -> str | None:
        """A member that must be text. None if it is absent, null or blank and not `needed`."""
        value = self.value.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if not needed and (value is None or isinstance(value, str)):
            return None
        fault = "is missing" if value is None else "is blank" if isinstance(value, str) else "is not text"
        raise self.wrong(f"The {name} {fault}.", name, "bad_field")


def json_value(text: str, path: str, first_line: int = 1) -> Any:
    """The value of a JSON text: no NaN, no repeated key. `first_line`: where the text begins in its file."""
    try:
        return jiter.from_json(
            text.encode("utf-8", "replace"), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys"
        )
    except ValueError as error:
        message = str(error)
        where = WHERE.search(message)
        reason = f"{message[: where.start()]} (column {where[2]})" if where else message
        raise InputError(
            f"This is not valid JSON: {reason}.",
            path=path,
            line=first_line + (int(where[1]) - 1 if where else 0),
            code="invalid_json",
            hint="Correct that line.",
        ) from error


def json_lines(text: str, path: str) -> Iterator[Row]:
    """One object per line; blank lines are skipped."""
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
        yield Row(value, path, number)


def json_rows(text: str, path: str, inside: str | None = None) -> Iterator[Row]:
    """The objects of a list, of the list under `inside` of an object, or one per line; or a single object."""
    if text.count("{") + text.count("[") > BRACKETS or text.count(",") > COMMAS:
        raise InputError("It has too many parts.", path=path, code="too_complex", hint="Split it into several files.")
    if _is_lines(text):
        yield from json_lines(text, path)
        return
    value = json_value(text, path)
    if isinstance(value, dict) and inside not in value:
        yield Row(value, path, 1)
        return
    listed = value[inside] if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise InputError("This must be a list of objects.", path=path, field=inside, code="no_list")
    for place, part in enumerate(listed):
        if not isinstance(part, dict):
            raise InputError("Every entry must be an object.", path=path, field=f"[{place}]", code="no_object")
        yield Row(part, path, None, f"[{place}]")


def _is_lines(text: str) -> bool:
    """Whether the first line is a complete object, and another one follows."""
    first, _, rest = text.strip().partition("\n")
    if not first.rstrip().endswith("}") or not rest.lstrip().startswith("{"):
        return False
    try:
        return isinstance(jiter.from_json(first.strip().encode("utf-8", "replace")), dict)
    except ValueError:
        return False


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
    """One issue that another tool found. Its anchors are claims, verified when the issue is mapped."""

    category: str
    severity: AnySeverity
    description: str
    reviewer: str
    """The tool; the name of the file if the issue does not say."""
    line: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    quote: str | None = None
    suggested_fix: str | None = None
    paragraph_id: str | None = None
    """The id of a paragraph, if the tool knows ids."""


def read_review(data: bytes, path: str, name: str) -> tuple[ForeignIssue, ...]:
    """The issues of a file: a list, an object with `issues`, rows with `issues` each, or one issue per line.

    `name`: the reviewer if the file does not name one. A file without issues is a review that found nothing.
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
        if "issues" not in row.value:
            yield _issue(row, name)
            continue
        # The issues of one reviewer, or of one paragraph, which the row names for all.
        listed = row.value["issues"]
        if not isinstance(listed, list):
            raise row.wrong("`issues` must be a list.", "issues", "no_list", SHAPE)
        shared = {key: row.value[key] for key in ("reviewer", "paragraph_id") if row.value.get(key)}
        for place, issue in enumerate(listed):
            inner = Row(shared, path, row.line, f"{row.place}.issues[{place}]".lstrip("."))
            if not isinstance(issue, dict):
                raise inner.wrong("An issue must be an object.", "", "bad_issue", SHAPE)
            yield _issue(inner._replace(value={**shared, **issue}), name)


def _issue(row: Row, name: str) -> ForeignIssue:
    category, given = _text(row, "category", 300, needed=True), _text(row, "severity", 300, needed=True).lower()
    severity = next((severity for severity in SEVERITIES if given == severity), None)
    if severity is None:
        message = f"{given[:60]!r} is not a severity: use one of {', '.join(SEVERITIES)}."
        raise row.wrong(message, "severity", "bad_issue", SHAPE)
    return ForeignIssue(
        category=category,
        severity=severity,
        description=_text(row, "description", needed=True),
        reviewer=_text(row, "reviewer", 300) or name,
        line=_number(row, "line"),
        start_line=_number(row, "start_line"),
        end_line=_number(row, "end_line"),
        quote=_text(row, "quote") or None,
        suggested_fix=_text(row, "suggested_fix") or None,
        paragraph_id=_text(row, "paragraph_id", 100) or None,
    )


def _text(row: Row, name: str, longest: int = LONGEST, *, needed: bool = False) -> str:
    """A text; empty if it is optional and absent. A quote is searched letter by letter, so it keeps its spaces."""
    text = row.text(name, needed=needed) or ""
    text = text if name == "quote" else text.strip()
    if len(text) > longest:
        raise row.wrong(f"This is longer than {longest} characters.", name, "bad_issue", SHAPE)
    return text


def _number(row: Row, name: str) -> int | None:
    """A line number; an impossible one is kept, and will map to nothing."""
    value = row.value.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_LINE):
        raise row.wrong("This must be a whole number.", name, "bad_issue", SHAPE)
    return value


MOST = 20
"""Critics in one folder: the instructions of all are sent with every window of the manuscript."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""Names of critics, which are reviewers in rows, and names of files."""
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
    """From its header; without one, the beginning of its hash."""
    text: str
    """The instructions, with placeholders for the languages."""
    reads_far: bool = False
    """Whether it compares distant paragraphs, and so gets long windows (`window: long`)."""

    def instructions(self, source_language: str, target_language: str) -> str:
        """The instructions for one pair of languages."""
        values = {"source_language": source_language, "target_language": target_language}
        return PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


def read_critics(materials: Iterable[Material]) -> tuple[Critic, ...]:
    """Every critic of a folder, by name. README.md, LICENSE.md and files that are not Markdown are skipped."""
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
        hint = "Add one Markdown file for each critic."
        raise InputError("The folder has no critics.", path=path or None, code="no_critic", hint=hint)
    if len(found) > MOST:
        raise InputError(f"The folder has more than {MOST} critics.", path=path, code="too_many", hint="Choose some.")
    return tuple(found[name] for name in sorted(found))


def read_critic(data: bytes, path: str, name: str) -> Critic:
    """One critic from its file; `name` is that of the file, without its ending."""
    identifier = name.strip().lower().replace(" ", "_")
    if not NAME.fullmatch(identifier):
        hint = "Use only lower-case letters, digits, - and _ in the file name."
        raise InputError(f"{name[:80]!r} is not a name for a critic.", path=path, code="bad_name", hint=hint)
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
        raise InputError("The critic has no instructions.", path=path, code="empty", hint="Describe what it looks for.")
    version = head.get("version")
    if version is None:
        version = text_digest(text).removeprefix("sha256:")[:12]
    elif not isinstance(version, str) or not VERSION.fullmatch(version):
        raise InputError("A version is a number such as 1 or 1.2.0.", path=path, field="version", code="bad_version")
    return Critic(identifier, version, instructions, window == "long")


def _instructions(body: str, path: str) -> str:
    """The instructions with normalised placeholders, and without lines that only hold the window's placeholder."""
    shape = PARTS.fullmatch(body)
    parts = (shape["system"], shape["user"] or "") if shape is not None else (body,)
    lines: list[str] = []
    for line in "\n\n".join(part.strip() for part in parts).split("\n"):
        alone = PLACEHOLDER.fullmatch(line.strip())
        if alone is not None and alone[1] in WINDOW:
            continue
        for match in PLACEHOLDER.finditer(line):
            if match[1] not in LANGUAGES:
                raise InputError(
                    f"The placeholder {match.group()[:80]!r} is unknown.",
                    path=path,
                    code="bad_placeholder",
                    hint="Use {{source_language}}, {{target_language}}, or {{window}} alone on its line.",
                )
        lines.append(PLACEHOLDER.sub(lambda match: f"{{{{{match[1]}}}}}", line))
    return "\n".join(lines).strip()
