"""Style sheets: how a translation is to sound, as rules and as paragraphs that show it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from burnish.core.errors import InputError
from burnish.core.hashing import text_digest
from burnish.kinds.files.encoded import decoded
from burnish.text.front_matter import front_matter

LONGEST = 20_000
"""Characters: it stands in every request to translate, and is paid for each time."""
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
SAMPLES = re.compile(r"samples?\b|sample paragraphs\b|examples?\b", re.IGNORECASE)
BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")
QUOTED = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)


@dataclass(frozen=True)
class StyleSheet:
    """What the operator wants of voice and style."""

    rules: str
    """Everything but the samples, as it was written."""
    samples: tuple[str, ...]
    """Paragraphs in the voice that is wanted."""
    version: str
    """The hash of the whole: it stands in the manifest."""


def read_style_sheet(data: bytes, path: str) -> StyleSheet:
    """A short Markdown file: rules, and under a heading `Samples` paragraphs that show them."""
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
    rules, samples = _parted(body)
    return StyleSheet(rules, samples, text_digest(text))


def _parted(body: str) -> tuple[str, tuple[str, ...]]:
    """The rules, and the paragraphs under headings that announce samples."""
    rules: list[str] = []
    samples: list[str] = []
    headings = list(HEADING.finditer(body))
    rules.append(body[: headings[0].start()] if headings else body)
    ends = [*(heading.start() for heading in headings[1:]), len(body)]
    for heading, end in zip(headings, ends, strict=False):
        if SAMPLES.match(heading[1]):
            samples += _paragraphs(body[heading.end() : end])
        else:
            rules.append(body[heading.start() : end])
    return "".join(rules).strip(), tuple(samples)


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in BLANK_LINES.split(QUOTED.sub("", text)) if part.strip()]
