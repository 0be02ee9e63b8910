"""Style sheets, with the voice of a translation, and exclusions: paragraphs that stay untranslated."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, Self

import regex

from burnish.core.documents import text_digest
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.reviews import Row, json_rows
from burnish.text.front_matter import front_matter
from burnish.text.json_text import decoded, too_large

LONGEST = 20_000
"""Characters. A style sheet is paid for with every request to translate."""
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
SAMPLES = re.compile(r"samples?\b|sample paragraphs\b|examples?\b", re.IGNORECASE)
BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)


@dataclass(frozen=True)
class StyleSheet:
    """The operator's rules of voice and style."""

    rules: str
    """The unchanged text without the samples."""
    samples: tuple[str, ...]
    """Paragraphs in the required voice."""
    version: str
    """The hash of the whole file, for the manifest."""


def read_style_sheet(data: bytes, path: str) -> StyleSheet:
    """Read a short Markdown file: rules, and paragraphs as examples under a heading `Samples`."""
    text = decoded(data, path).text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > LONGEST:
        raise InputError(
            f"The style sheet has {len(text)} characters; {LONGEST} are allowed.",
            path=path,
            code="too_large",
            hint="It goes into every request: keep the rules that matter and two or three samples.",
        )
    matter = front_matter(text)
    body = text[matter.end :] if matter is not None else text
    if not body.strip():
        raise InputError("The style sheet is empty.", path=path, code="empty", hint="Write a few rules into it.")
    headings = list(HEADING.finditer(body))
    ends = [*(heading.start() for heading in headings), len(body)]
    rules, samples = [body[: ends[0]]], list[str]()
    for heading, end in zip(headings, ends[1:], strict=True):
        if SAMPLES.match(heading[1]):
            paragraphs = BLANK_LINES.split(QUOTED.sub("", body[heading.end() : end]))
            samples += [part.strip() for part in paragraphs if part.strip()]
        else:
            rules.append(body[heading.start() : end])
    return StyleSheet("".join(rules).strip(), tuple(samples), text_digest(text))


LARGEST = 8 << 20
LONGEST_PATTERN, MOST_PATTERNS = 500, 1_000
MOST_REPEATS = 10_000
"""The product of all counts of a pattern (`{30}`): with nested counts even compiling may not end."""
LONGEST_REASON = 1_000
PATIENCE = 2.0
"""Seconds for one pattern on one paragraph; sound patterns need microseconds."""
PARAGRAPH_ID = re.compile(r"p_\d{4,}")
LINE = re.compile(r"(?P<id>p_\d{4,})(?:[\s:,]+(?P<why>.*))?|/(?P<pattern>.+?)(?<!\\)/(?:[\s:,]+(?P<because>.*))?")
REPEATS = re.compile(r"\{(\d*),?(\d*)\}")
CODE = "bad_exclusion"
SHAPE = "Write `p_0012 the reason` or `/pattern/ the reason` on a line."


class _Rule(NamedTuple):
    pattern: regex.Pattern[str]
    reason: str
    line: int | None


@dataclass(frozen=True)
class Exclusions:
    """The paragraphs to leave out."""

    path: str
    ids: dict[str, tuple[str, int | None]]
    """Paragraph id -> reason, and the line in the file."""
    rules: tuple[_Rule, ...]

    @classmethod
    def read(cls, data: bytes, path: str) -> Self:
        if len(data) > LARGEST:
            raise too_large(path, LARGEST)
        text = decoded(data, path).text
        if not text.strip():
            raise InputError("The file lists nothing to leave out.", path=path, code="empty", hint=SHAPE)
        ids: dict[str, tuple[str, int | None]] = {}
        rules: list[_Rule] = []
        for row in _rows(text, path):
            if (id := row.text("paragraph_id")) is not None:
                _enter_id(id.strip(), row, ids)
            else:
                rules.append(_rule(row))
        if len(rules) > MOST_PATTERNS:
            raise InputError(f"There are more than {MOST_PATTERNS} patterns.", path=path, code="too_complex")
        return cls(path, ids, tuple(rules))

    def excluded(self, paragraph: Paragraph) -> str | None:
        """Why the paragraph is left out; None if it is not. Ids precede patterns, of which the first match counts."""
        if paragraph.id in self.ids:
            return self.ids[paragraph.id][0]
        for rule in self.rules:
            try:
                found = rule.pattern.search(paragraph.text, timeout=PATIENCE)
            except TimeoutError as error:
                raise InputError(
                    f"The pattern {rule.pattern.pattern[:80]!r} takes too long on {paragraph.id}.",
                    path=self.path,
                    line=rule.line,
                    field="pattern",
                    code="slow_pattern",
                    hint="Write it without a repetition inside a repetition, or name the paragraphs by id.",
                ) from error
            if found is not None:
                return rule.reason
        return None

    def refuse_unknown(self, seen: Iterable[str]) -> None:
        """Raise InputError if an id is not in the manuscript. `seen`: the ids of all its paragraphs."""
        missing = dict.fromkeys(self.ids)
        for id in seen:
            missing.pop(id, None)
        if missing:
            first = next(iter(missing))
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                f"The manuscript has no paragraph {first!r}{more}.",
                path=self.path,
                line=self.ids[first][1],
                field="paragraph_id",
                code="unknown_paragraph",
                hint="Look the id up in source_pre/paragraphs.jsonl.",
            )


def _rows(text: str, path: str) -> Iterator[Row]:
    head = text.lstrip()
    if head[0] in "{[":
        return json_rows(text, path, "exclusions")
    header = head.splitlines()[0].lower().replace('"', "").replace(" ", "").split(",")
    return _csv_rows(text, path) if {"paragraph_id", "pattern"} & set(header) else _line_rows(text, path)


def _csv_rows(text: str, path: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    line = 2
    try:
        for record in reader:
            value: dict[str, Any] = {str(name).strip().lower(): cell for name, cell in record.items() if name}
            if None in record:
                raise InputError("This row has too many cells.", path=path, line=line, code="bad_csv", hint="Quote it.")
            yield Row(value, path, line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"This row cannot be read: {error}.", path=path, line=line, code="bad_csv") from error


def _line_rows(text: str, path: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise InputError("This line is not understood.", path=path, line=number, code="bad_line", hint=SHAPE)
        reason = match["why"] or match["because"]
        yield Row({"paragraph_id": match["id"], "pattern": match["pattern"], "reason": reason}, path, number)


def _enter_id(id: str, row: Row, ids: dict[str, tuple[str, int | None]]) -> None:
    if row.value.get("pattern"):
        raise row.wrong("It names both a paragraph and a pattern.", "pattern", CODE, "Use two entries.")
    if not PARAGRAPH_ID.fullmatch(id):
        raise row.wrong(f"{id[:60]!r} is not a paragraph id.", "paragraph_id", CODE, "Ids look like p_0012.")
    if id in ids:
        raise row.wrong(f"The paragraph {id!r} is named twice.", "paragraph_id", CODE, "Keep one of the two.")
    ids[id] = (_reason(row), row.line)


def _rule(row: Row) -> _Rule:
    pattern = row.text("pattern")
    if pattern is None:
        raise row.wrong("It names neither a paragraph_id nor a pattern.", None, CODE, SHAPE)
    reason = _reason(row)
    repeats = prod(
        max(1, *(int(part or 0) for part in repeat)) for repeat in REPEATS.findall(pattern[:LONGEST_PATTERN])
    )
    if len(pattern) > LONGEST_PATTERN or repeats > MOST_REPEATS:
        raise row.wrong("The pattern is too large.", "pattern", CODE, "Write a simpler one.")
    try:
        compiled = regex.compile(pattern, regex.MULTILINE)
    except (regex.error, OverflowError, RecursionError) as error:
        message = f"The pattern is not a regular expression: {error}."
        hint = "Put a backslash before characters that are meant literally."
        raise row.wrong(message, "pattern", CODE, hint) from error
    if compiled.search("") is not None:
        raise row.wrong("The pattern fits every paragraph.", "pattern", CODE, "Describe the text to leave out.")
    return _Rule(compiled, reason, row.line)


def _reason(row: Row) -> str:
    reason = row.text("reason")
    if reason is None:
        raise row.wrong("It gives no reason.", "reason", CODE, "Give a reason for leaving it out: it is recorded.")
    return " ".join(reason.split())[:LONGEST_REASON]
