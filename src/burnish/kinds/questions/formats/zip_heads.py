"""First looks at a zip: whether its beginning shows a QTI package, and of which version."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

QTI_3 = re.compile(rb"<(?:\w+:)?qti-assessment-|imsqtiasi_v3p0|/qtiv3p0/|imsqti_\w+_xmlv3p0")
QTI_2 = re.compile(rb"<(?:\w+:)?assessment(?:Item|Test)\b|imsqti_v2|imsqti_\w+_xmlv2")
LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
STREAMED = 0x08
"""The flag of a member whose size is only written behind it."""
GLANCE = 4096
"""Bytes of a member that are looked at to tell its version."""


def shows_package(head: bytes) -> bool:
    """Whether the first bytes of a zip show QTI: its manifest, or what its first members say."""
    return b"imsmanifest.xml" in head or any(QTI_3.search(text) or QTI_2.search(text) for text in _first_texts(head))


def shows_qti_3(head: bytes) -> bool:
    """Whether the first bytes of a package show version 3. Only its first members are at hand, not its directory."""
    for text in _first_texts(head):
        if QTI_3.search(text):
            return True
        if QTI_2.search(text):
            return False
    return False


def _first_texts(head: bytes) -> Iterator[bytes]:
    """How the members at the beginning of a zip begin."""
    at = 0
    while len(head) >= at + LOCAL_HEADER.size and head.startswith(b"PK\x03\x04", at):
        _, _, flags, method, *_, packed, _, name, extra = LOCAL_HEADER.unpack_from(head, at)
        start = at + LOCAL_HEADER.size + name + extra
        try:
            yield head[start : start + GLANCE] if method == 0 else _inflated(head[start:])
        except zlib.error:
            return
        if flags & STREAMED:
            return
        at = start + packed


def _inflated(packed: bytes) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, GLANCE)
