"""First looks at a file: what its beginning shows, and what its name suggests."""

from __future__ import annotations

from pathlib import PurePath

from burnish.kinds.questions.formats.source import BOMS


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


def extension(path: str) -> str:
    """The ending of the file's name in lower case, with the dot."""
    return PurePath(path).suffix.lower()
