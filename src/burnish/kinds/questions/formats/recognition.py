"""First looks at a file: what its beginning shows, and what its name suggests."""

from __future__ import annotations

from pathlib import PurePath

import regex

from burnish.kinds.questions.formats.source import BOMS

FIELD = regex.compile(r'"(?:stem|question|questions|options|choices|correct_answer)"\s*:')
# Atomic throughout: a comment that was read as one is never read again as two.
PROLOG = regex.compile(
    r"\s*+(?:(?>(?s:<\?.*?\?>)|(?s:<!--.*?-->)|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)\s*+)*+<(?:[\w.-]+:)?([\w.-]+)"
)


def beginning(head: bytes) -> str:
    """The first characters of a file, without BOM; what cannot be decoded (the cut end) is left out."""
    for bom, codec in BOMS:
        if head.startswith(bom):
            return head[len(bom) :].decode(codec, "ignore")
    return head.decode("utf-8", "ignore")


def family(head: bytes) -> str:
    """`json`, `xml`, `zip`, `text`, or `nothing` for a file without content."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    start = beginning(head).lstrip()[:1]
    return {"": "nothing", "{": "json", "[": "json", "<": "xml"}.get(start, "text")


def is_json(path: str, head: bytes) -> bool:
    """Whether the content is JSON. A `[` or `{` alone is not enough under a name such as `lesson.md`."""
    if family(head) != "json":
        return False
    return extension(path) in (".json", ".jsonl", ".ndjson", ".txt", "") or FIELD.search(beginning(head)) is not None


def shows_questions(head: bytes) -> bool:
    """Whether the beginning shows a bank: JSON needs a field of a question, other formats are their own evidence."""
    return family(head) != "json" or FIELD.search(beginning(head)) is not None


def root_name(head: bytes) -> str:
    """The name of an XML document's root element, without prefix; empty where none can be seen."""
    match = PROLOG.match(beginning(head))
    return match.group(1) if match else ""


def plain_name(name: str) -> str:
    """One name for both vocabularies of QTI: `qti-simple-choice` and `simpleChoice` are `simplechoice`."""
    return name.removeprefix("qti-").replace("-", "").lower()


def is_qti_item(head: bytes) -> bool:
    return family(head) == "xml" and plain_name(root_name(head)) == "assessmentitem"


def extension(path: str) -> str:
    """The ending of the file's name in lower case, with the dot."""
    return PurePath(path).suffix.lower()
