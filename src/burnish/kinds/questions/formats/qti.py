"""QTI files of any version: packages and cartridges (a zip with a manifest), single items, and whole tests of QTI 1.2.

Members of a package are read one by one, within limits; none is written to disk. Every member with items is read,
whatever its version.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path as FilePath
from typing import BinaryIO

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import qti1_items
from burnish.kinds.questions.formats.base import (
    Changed,
    Draft,
    Format,
    Losses,
    Part,
    Piece,
    Register,
    empty_bank,
    outcome_of,
    recomposed,
    revised,
)
from burnish.kinds.questions.formats.qti_items import QTI_2, QTI_3, Vocabulary, item_pieces, items, plain_name
from burnish.kinds.questions.formats.source import Source, family, open_xml
from burnish.kinds.questions.formats.xml_text import root_name
from burnish.kinds.questions.model import Question
from burnish.kinds.registry import extension
from burnish.text.packages import OLDEST, Package, is_zip

PACKAGES = (".zip", ".qti")
"""File extensions of packages."""
CARTRIDGES = (".imscc",)
MANIFEST = "imsmanifest.xml"
HOLDERS = (".xml", ".qti", ".dat")
"""Extensions of members that may hold items: Canvas writes `.xml.qti`, Blackboard `.dat`."""
CANVAS_COPY = "/assessment_qti.xml"
CANVAS_OWN = "non_cc_assessments/"


def is_qti_item(head: bytes) -> bool:
    return family(head) == "xml" and plain_name(root_name(head)) == "assessmentitem"


def is_qti_test(head: bytes) -> bool:
    """Whether it is QTI 1.2, which can hold any number of items."""
    return family(head) == "xml" and root_name(head) == "questestinterop"


QTI_VERSIONS = {
    3: re.compile(rb"<(?:\w+:)?qti-assessment-|imsqtiasi_v3p0|/qtiv3p0/|imsqti_\w+_xmlv3p0"),
    2: re.compile(rb"<(?:\w+:)?assessment(?:Item|Test)\b|imsqti_v2|imsqti_\w+_xmlv2"),
    1: re.compile(rb"<(?:\w+:)?questestinterop\b|ims_qtiasiv1p2|imsqti_xmlv1p2|x-bb-qti"),
}
LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
STREAMED = 0x08
"""The flag of a member whose size is written after it."""
GLANCE = 4096
"""The number of bytes of a member that are read to find its version."""


def shows_package(head: bytes) -> bool:
    """Whether the first bytes of a zip show QTI: by its manifest, or by its first members."""
    return b"imsmanifest.xml" in head or qti_version(head) is not None


def qti_version(head: bytes) -> int | None:
    """The version in the first bytes of a package. Only its first members are available, not its directory."""
    for text in _first_texts(head):
        for version, pattern in QTI_VERSIONS.items():
            if pattern.search(text):
                return version
    return None


def _first_texts(head: bytes) -> Iterator[bytes]:
    """The beginnings of the first members of a zip."""
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


def pieces_of(source: Source) -> Iterator[Piece]:
    """The items of one XML file of any version, and the bytes around them."""
    return qti1_items.item_pieces(source) if is_qti_test(source.bom + source.head) else item_pieces(source)


def read_package(stream: BinaryIO, path: str) -> Iterator[Part]:
    """The questions of all items, in the order of the package. Other members are only carried."""
    register = Register()
    for _, source in _members(_opened(stream, path), copies=False):
        for piece in pieces_of(source):
            yield from register.parts(piece)
    if register.empty:
        yield empty_bank(path)


def rewrite_package(stream: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
    """Copy the package with changed items."""
    register = Register()
    package = _opened(stream, path)
    rewritten: dict[int, bytes | None] = {}
    for info, source in _members(package, copies=False):
        rewritten[info.header_offset] = register.rewritten_member(source, pieces_of(source), changed)
    register.refuse_if_any()
    for info, source in _members(package, copies=True):
        parts = (_copied(piece, changed) for piece in pieces_of(source))
        rewritten[info.header_offset] = recomposed(source, parts)
    package.rewrite({place: content for place, content in rewritten.items() if content is not None}, target)


def _copied(piece: Piece, changed: Changed) -> bytes:
    """A question of Canvas's second copy, with the texts of its first copy."""
    if not isinstance(piece, Draft):
        return piece if isinstance(piece, bytes) else piece.raw
    id = piece.declared or ""
    after = changed(id) if id else None
    before = outcome_of(piece, id)[0] if after is not None else None
    if after is None or not isinstance(before, Question):
        return piece.raw
    held, wanted = before.texts(), before
    for field, text in after.texts().items():
        if field in held and held[field] != text:
            wanted = wanted.with_text(field, text)
    return revised(piece, id, wanted)


def _members(package: Package, *, copies: bool) -> Iterator[tuple[zipfile.ZipInfo, Source]]:
    """The members with items. A Canvas cartridge holds each test twice, in its own form and in the cartridge's: the
    second is a copy, so that questions are not judged twice."""
    names = {info.filename for info in package.members}
    wanted = [info for info in package.members if _may_hold(info) and _is_copy(info.filename, names) is copies]
    heads = ((info, package.head(info)) for info in wanted)
    holding = [info for info, head in heads if is_qti_item(head) or is_qti_test(head)]
    package.expect(holding)
    for info in holding:
        yield info, open_xml(io.BytesIO(package.content(info)), f"{package.path}/{info.filename}")


def _may_hold(info: zipfile.ZipInfo) -> bool:
    name = info.filename.lower()
    return name.endswith(HOLDERS) and name.rpartition("/")[2] != MANIFEST and not info.is_dir()


def _is_copy(name: str, names: set[str]) -> bool:
    return name.endswith(CANVAS_COPY) and f"{CANVAS_OWN}{name.removesuffix(CANVAS_COPY)}.xml.qti" in names


def _opened(stream: BinaryIO, path: str) -> Package:
    package = Package(stream, path)
    if not any(info.filename.rpartition("/")[2] == MANIFEST for info in package.members):
        raise InputError(
            f"The zip is not a package of questions: it has no {MANIFEST}.",
            path=path,
            code="no_manifest",
            hint="Unpack it and use the files in it that hold questions.",
        )
    return package


def write_package(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write a package with a manifest, for any number of questions."""
    losses = Losses()
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for question in questions:
            for item in items(question, losses, words):
                count += 1
                package.writestr(zipped(f"items/item{count:06}.xml"), item)
        package.writestr(zipfile.ZipInfo(MANIFEST, OLDEST), _manifest(count, words))
    return losses.sentences()


def write_item(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write one question as an item file. It cannot hold a second one."""
    losses = Losses()
    full = False
    for question in questions:
        if full:
            losses.add("An item file holds one question: all others are left out, a .zip would hold them", question.id)
            continue
        for item in items(question, losses, words):
            target.write(item)
            full = True
    return losses.sentences()


def zipped(name: str) -> zipfile.ZipInfo:
    """A compressed member. It needs a date, which is fixed so that the same questions give the same bytes."""
    info = zipfile.ZipInfo(name, OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _manifest(count: int, words: Vocabulary) -> bytes:
    schema, version = words.schema
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<manifest xmlns="{words.manifest}" identifier="BURNISH">']
    lines.append(f"  <metadata><schema>{schema}</schema><schemaversion>{version}</schemaversion></metadata>")
    lines.append("  <organizations/>\n  <resources>")
    for number in range(1, count + 1):
        href = f"items/item{number:06}.xml"
        lines.append(f'    <resource identifier="item{number:06}" type="{words.resource}" href="{href}">')
        lines.append(f'      <file href="{href}"/>\n    </resource>')
    return "\n".join((*lines, "  </resources>", "</manifest>", "")).encode()


class Qti(Format):
    """One version of QTI in one kind of file. Each reads any QTI and writes its own version."""

    version: int

    def __init__(self, name: str, version: int, *, package: bool) -> None:
        self.name = name if package else f"{name}_item"
        self.extensions = (PACKAGES + (CARTRIDGES if version == 1 else ())) if package else (".xml",)
        self.version = version
        self._package = package

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def recognise(self, path: str, head: bytes) -> bool:
        if family(head) == "zip":
            ending = extension(path)
            ours = ending in PACKAGES + CARTRIDGES or shows_package(head)
            version = qti_version(head) or (1 if ending in CARTRIDGES else 2)
            return self._package and ours and version == self.version
        if is_qti_test(head):
            return not self._package and self.version == 1
        version = 3 if root_name(head).startswith("qti-") else 2
        return not self._package and is_qti_item(head) and version == self.version

    def pieces(self, source: Source) -> Iterator[Piece]:
        return pieces_of(source)

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        if _is_package(stream):
            return read_package(stream, path)
        return super().read(stream, path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        if _is_package(source):
            rewrite_package(source, path, changed, target)
        else:
            super().rewrite(source, path, changed, target)

    def why_not_left_out(self, path: str) -> str | None:
        with FilePath(path).open("rb") as stream:
            is_package = _is_package(stream)
        if is_package or self.version != 1:
            return "It is part of a QTI package, whose tests refer to it: remove it where the package was made."
        return None

    head, tail = qti1_items.HEAD, qti1_items.TAIL

    def written(self, question: Question, losses: Losses) -> Iterator[str]:
        """The question as part of a QTI 1.2 test."""
        return qti1_items.items(question, losses)

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        if self.version > 1:
            write = write_package if self._package else write_item
            return write(questions, target, QTI_3 if self.version == 3 else QTI_2)
        if not self._package:
            return super().write(questions, target)
        # One test, as Canvas and others import it.
        name = "questions/questions.xml"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
            package.writestr(zipfile.ZipInfo(MANIFEST, OLDEST), TEST_MANIFEST.format(name=name))
            with package.open(zipped(name), "w", force_zip64=True) as member:
                return super().write(questions, member)  # type: ignore[arg-type]

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        found: set[str] = set()
        for part in self.read(stream, ""):
            if isinstance(part, Question):
                found |= {name for name in ("vignette", "rationale") if getattr(part, name)}
            if len(found) == 2:
                break
        return frozenset(found)


TEST_MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1" identifier="BURNISH">
  <metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion></metadata>
  <organizations/>
  <resources>
    <resource identifier="burnish_questions" type="imsqti_xmlv1p2"><file href="{name}"/></resource>
  </resources>
</manifest>
"""


def _is_package(stream: BinaryIO) -> bool:
    """Whether the file is a zip; packages need random access, so the stream must be seekable."""
    if not stream.seekable():
        return False
    at = stream.tell()
    start = stream.read(4)
    stream.seek(at)
    return is_zip(start)


QTI_FORMATS = tuple(
    Qti(name, version, package=package)
    for package in (True, False)
    for name, version in (("qti", 2), ("qti3", 3), ("qti1", 1))
)
