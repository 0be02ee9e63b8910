"""QTI files: packages (a zip with a manifest) and single items.

Members of a package are read one by one under limits; none is ever written to disk.
"""

from __future__ import annotations

import io
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import Changed, Format, Losses, Part, Piece, Register, empty_bank
from burnish.kinds.questions.formats.qti_items import QTI_2, QTI_3, Vocabulary, item_pieces, items
from burnish.kinds.questions.formats.recognition import family, is_qti_item, root_name, shows_package, shows_qti_3
from burnish.kinds.questions.formats.source import (
    CHUNK,
    PACKAGE_BYTES,
    PACKAGE_MEMBERS,
    PACKAGE_RATIO,
    XML_ITEM_BYTES,
    Source,
    open_xml,
)
from burnish.kinds.questions.model import Question
from burnish.kinds.registry import extension

PACKAGES = (".zip", ".qti")
"""Endings under which packages go."""
OLDEST = (1980, 1, 1, 0, 0, 0)
"""Zip members need a date; a fixed one keeps the same questions the same bytes."""
MANIFEST = "imsmanifest.xml"
SMALL = 1 << 16
"""A member of this size is no bomb, however well it is packed."""
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


def read_package(stream: BinaryIO, path: str) -> Iterator[Part]:
    """The questions of all items, in the order of the package. Tests and metadata, XML too, are only carried."""
    register = Register()
    with _opened(stream, path) as package:
        for info, content in _items(package, path):
            for piece in item_pieces(_source(content, info, path)):
                yield from register.parts(piece)
    if register.empty:
        yield empty_bank(path)


def rewrite_package(stream: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
    """Copy the package with changed items. Without a change the bytes are the same; else every member's content is."""
    register = Register()
    rewritten: dict[int, bytes] = {}
    with _opened(stream, path) as package:
        for info, content in _items(package, path):
            source, buffer = _source(content, info, path), io.BytesIO()
            sink = source.sink(buffer)
            for piece in item_pieces(source):
                sink.write(register.rewritten(piece, changed))
            if buffer.getvalue() != content:
                rewritten[info.header_offset] = buffer.getvalue()
        register.refuse_if_any()
        if rewritten:
            _repack(package, rewritten, target)
            return
    stream.seek(0)
    shutil.copyfileobj(stream, target, CHUNK)


def _items(package: zipfile.ZipFile, path: str) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """The members that are items, with their content."""
    for info in package.infolist():
        name = info.filename.lower()
        if name.endswith(".xml") and name.rpartition("/")[2] != MANIFEST and not info.is_dir():
            content = _content(package, info, path)
            if is_qti_item(content[:CHUNK]):
                yield info, content


def _repack(package: zipfile.ZipFile, rewritten: dict[int, bytes], target: BinaryIO) -> None:
    with zipfile.ZipFile(target, "w") as copy:
        copy.comment = package.comment
        for info in package.infolist():
            content = rewritten.get(info.header_offset)
            fresh = zipfile.ZipInfo(info.filename, info.date_time)
            fresh.compress_type, fresh.comment, fresh.extra = info.compress_type, info.comment, info.extra
            fresh.external_attr, fresh.create_system = info.external_attr, info.create_system
            if content is not None or info.is_dir():
                copy.writestr(fresh, content or b"")
                continue
            with package.open(info) as member, copy.open(fresh, "w", force_zip64=info.file_size > 1 << 30) as held:
                shutil.copyfileobj(member, held, CHUNK)


def _opened(stream: BinaryIO, path: str) -> zipfile.ZipFile:
    try:
        package = zipfile.ZipFile(stream)
    except BROKEN as error:
        raise _refused(path, f"The package cannot be opened: {error}.", "broken_package") from error
    members = package.infolist()
    if len(members) > PACKAGE_MEMBERS or sum(info.file_size for info in members) > PACKAGE_BYTES:
        raise _refused(path, "The package is too large.", "package_too_large")
    for info in members:
        if info.file_size > SMALL and info.file_size > PACKAGE_RATIO * max(1, info.compress_size):
            raise _refused(
                path, f"{info.filename!r} unpacks to far more than a file of questions does.", "package_bomb"
            )
    if not any(info.filename.rpartition("/")[2] == MANIFEST for info in members):
        raise _refused(path, f"The package has no {MANIFEST}.", "no_manifest")
    return package


def _content(package: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> bytes:
    """One member. The size in its header is a claim: no more than the limit is ever unpacked."""
    try:
        with package.open(info) as member:
            content = member.read(XML_ITEM_BYTES + 1)
    except BROKEN as error:
        raise _refused(path, f"{info.filename!r} cannot be unpacked: {error}.", "broken_package") from error
    if len(content) > XML_ITEM_BYTES:
        raise _refused(path, f"{info.filename!r} is too large.", "package_too_large")
    return content


def _source(content: bytes, info: zipfile.ZipInfo, path: str) -> Source:
    return open_xml(io.BytesIO(content), f"{path}/{info.filename}")


def _refused(path: str, message: str, code: str) -> InputError:
    return InputError(
        message, path=path, code=code, hint="Unpack it and hand in the files, if you trust where it comes from."
    )


def write_package(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write a package with a manifest, however many questions there are."""
    losses = Losses()
    count = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for question in questions:
            for item in items(question, losses, words):
                count += 1
                package.writestr(_member(count), item)
        package.writestr(zipfile.ZipInfo("imsmanifest.xml", OLDEST), _manifest(count, words))
    return losses.sentences()


def write_item(questions: Iterable[Question], target: BinaryIO, words: Vocabulary) -> list[str]:
    """Write one question as an item file. It has no room for a second."""
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


def _member(number: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(f"items/item{number:06}.xml", OLDEST)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _manifest(count: int, words: Vocabulary) -> bytes:
    schema, version = words.schema
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<manifest xmlns="{words.manifest}" identifier="BURNISH">']
    lines.append(f"  <metadata><schema>{schema}</schema><schemaversion>{version}</schemaversion></metadata>")
    lines.append("  <organizations/>\n  <resources>")
    for number in range(1, count + 1):
        href = _member(number).filename
        lines.append(f'    <resource identifier="item{number:06}" type="{words.resource}" href="{href}">')
        lines.append(f'      <file href="{href}"/>\n    </resource>')
    return "\n".join((*lines, "  </resources>", "</manifest>", "")).encode()


class Qti(Format):
    """One version of QTI in one kind of file. All of them read any QTI; each writes its own."""

    def __init__(self, vocabulary: Vocabulary, *, package: bool) -> None:
        self.name = vocabulary.name if package else f"{vocabulary.name}_item"
        self.extensions = PACKAGES if package else (".xml",)
        self._vocabulary = vocabulary
        self._package = package

    def open(self, stream: BinaryIO, path: str) -> Source:
        return open_xml(stream, path)

    def recognise(self, path: str, head: bytes) -> bool:
        if family(head) == "zip":
            ours = extension(path) in PACKAGES or shows_package(head)
            return self._package and ours and shows_qti_3(head) == self._vocabulary.kebab
        return not self._package and is_qti_item(head) and root_name(head).startswith("qti-") == self._vocabulary.kebab

    def pieces(self, source: Source) -> Iterator[Piece]:
        return item_pieces(source)

    def read(self, stream: BinaryIO, path: str) -> Iterator[Part]:
        if _is_package(stream):
            return read_package(stream, path)
        return super().read(stream, path)

    def rewrite(self, source: BinaryIO, path: str, changed: Changed, target: BinaryIO) -> None:
        if _is_package(source):
            rewrite_package(source, path, changed, target)
        else:
            super().rewrite(source, path, changed, target)

    def write(self, questions: Iterable[Question], target: BinaryIO) -> list[str]:
        write = write_package if self._package else write_item
        return write(questions, target, self._vocabulary)

    def carried(self, stream: BinaryIO) -> frozenset[str]:
        found: set[str] = set()
        for part in self.read(stream, ""):
            if isinstance(part, Question):
                found |= {name for name in ("vignette", "rationale") if getattr(part, name)}
            if len(found) == 2:
                break
        return frozenset(found)


def _is_package(stream: BinaryIO) -> bool:
    """Whether the file is a zip; packages are read at random, so the stream must allow it."""
    if not stream.seekable():
        return False
    at = stream.tell()
    start = stream.read(4)
    stream.seek(at)
    return start in (b"PK\x03\x04", b"PK\x05\x06")


QTI_FORMATS = tuple(Qti(words, package=package) for package in (True, False) for words in (QTI_2, QTI_3))
