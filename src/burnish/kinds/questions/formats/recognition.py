"""Recognition of formats: what the beginning of a file shows, and what its name suggests."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import jiter
import regex

from burnish.kinds.registry import beginning, extension

FIELD = regex.compile(r'"(?:stem|question|questions|options|choices|correct_answer)"\s*:')
ASKING, OFFERING = frozenset({"stem", "question"}), frozenset({"options", "choices"})
ANSWERING = frozenset({"correct_answer", "answer", "answer_idx", "answer_index", "answer_key", "correct"})
LISTS = ("questions", "items")
"""Names under which an object holds its questions."""
LOOKED_AT = 5
"""Entries of a list that are looked at for one that is a question."""
# Atomic throughout: a comment that was read as one is never read again as two.
PROLOG = regex.compile(
    r"\s*+(?:(?>(?s:<\?.*?\?>)|(?s:<!--.*?-->)|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)\s*+)*+<(?:[\w.-]+:)?([\w.-]+)"
)


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
    """Whether the beginning itself shows a bank.

    JSON must hold a question, for other kinds are written in JSON too, and a zip must be a QTI package. The other
    formats are their own evidence.
    """
    kind = family(head)
    if kind == "zip":
        return shows_package(head)
    return kind != "json" or any(map(_is_question, _first_values(beginning(head))))


def _first_values(text: str) -> Iterator[Any]:
    """What may be questions at the beginning of a JSON text, whole or cut off; each line may be a text of its own."""
    for part in (text, text.lstrip().partition("\n")[0]):
        try:
            value = jiter.from_json(part.encode("utf-8", "ignore"), partial_mode="trailing-strings")
        except ValueError:  # another line follows, or it is broken: then its first line may still be whole
            continue
        if isinstance(value, dict):
            yield value
            value = next((value[name] for name in LISTS if isinstance(value.get(name), list)), [])
        yield from value[:LOOKED_AT] if isinstance(value, list) else ()


def _is_question(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    given = value.keys()
    return "stem" in given or sum(not names.isdisjoint(given) for names in (ASKING, OFFERING, ANSWERING)) > 1


def root_name(head: bytes) -> str:
    """The name of an XML document's root element, without prefix; empty where none can be seen."""
    match = PROLOG.match(beginning(head))
    return match.group(1) if match else ""


def plain_name(name: str) -> str:
    """One name for both vocabularies of QTI: `qti-simple-choice` and `simpleChoice` are `simplechoice`."""
    return name.removeprefix("qti-").replace("-", "").lower()


def is_qti_item(head: bytes) -> bool:
    return family(head) == "xml" and plain_name(root_name(head)) == "assessmentitem"


def is_qti_test(head: bytes) -> bool:
    """Whether it is QTI 1.2, which holds any number of items."""
    return family(head) == "xml" and root_name(head) == "questestinterop"


QTI_VERSIONS = {
    3: re.compile(rb"<(?:\w+:)?qti-assessment-|imsqtiasi_v3p0|/qtiv3p0/|imsqti_\w+_xmlv3p0"),
    2: re.compile(rb"<(?:\w+:)?assessment(?:Item|Test)\b|imsqti_v2|imsqti_\w+_xmlv2"),
    1: re.compile(rb"<(?:\w+:)?questestinterop\b|ims_qtiasiv1p2|imsqti_xmlv1p2|x-bb-qti"),
}
LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
STREAMED = 0x08
"""The flag of a member whose size is only written behind it."""
GLANCE = 4096
"""Bytes of a member that are looked at to tell its version."""


def shows_package(head: bytes) -> bool:
    """Whether the first bytes of a zip show QTI: its manifest, or what its first members say."""
    return b"imsmanifest.xml" in head or qti_version(head) is not None


def qti_version(head: bytes) -> int | None:
    """The version that the first bytes of a package show. Only its first members are at hand, not its directory."""
    for text in _first_texts(head):
        for version, pattern in QTI_VERSIONS.items():
            if pattern.search(text):
                return version
    return None


def _first_texts(head: bytes) -> Iterator[bytes]:
    """How the members at the beginning of a zip begin."""
    at = 0
    while len(head) >= at + LOCAL_HEADER.size and head.startswith(b"PK\x03\x04", at):
        _, _, flags, method, *_, packed, _, name, extra = LOCAL_HEADER.unpack_from(head, at)
        start = at + LOCAL_HEADER.size + name + extra
        try:
            yield (
                head[start : start + GLANCE]
                if method == 0
                else zlib.decompressobj(-zlib.MAX_WBITS).decompress(head[start:], GLANCE)
            )
        except zlib.error:
            return
        if flags & STREAMED:
            return
        at = start + packed
