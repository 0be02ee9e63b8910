"""QTI packages: a zip with a manifest. Members are read one by one under limits; none is ever written to disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from burnish.core.errors import InputError
from burnish.kinds.questions.formats.base import Changed, Part, Piece, Register, empty_bank
from burnish.kinds.questions.formats.limits import PACKAGE_BYTES, PACKAGE_MEMBERS, PACKAGE_RATIO, XML_ITEM_BYTES
from burnish.kinds.questions.formats.recognition import is_qti_item
from burnish.kinds.questions.formats.source import CHUNK, Source, open_xml

MANIFEST = "imsmanifest.xml"
SMALL = 1 << 16
"""A member of this size is no bomb, however well it is packed."""
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
Pieces = Callable[[Source], Iterator[Piece]]


def read_package(stream: BinaryIO, path: str, pieces: Pieces) -> Iterator[Part]:
    """The questions of all items, in the order of the package. Tests and metadata, XML too, are only carried."""
    register = Register()
    with _opened(stream, path) as package:
        for info in package.infolist():
            if _is_item(info):
                content = _content(package, info, path)
                for piece in pieces(_source(content, info, path)) if is_qti_item(content[:CHUNK]) else ():
                    yield from register.parts(piece)
    if register.empty:
        yield empty_bank(path)


def rewrite_package(stream: BinaryIO, path: str, pieces: Pieces, changed: Changed, target: BinaryIO) -> None:
    """Copy the package with changed items. Without a change the bytes are the same; else every member's content is."""
    register = Register()
    rewritten: dict[int, bytes] = {}
    with _opened(stream, path) as package:
        for info in package.infolist():
            if _is_item(info):
                content = _content(package, info, path)
                if is_qti_item(content[:CHUNK]):
                    new = _rewritten(_source(content, info, path), pieces, register, changed)
                    if new != content:
                        rewritten[info.header_offset] = new
        register.refuse_if_any()
        if rewritten:
            _repack(package, rewritten, path, target)
            return
    stream.seek(0)
    while chunk := stream.read(CHUNK):
        target.write(chunk)


def _rewritten(source: Source, pieces: Pieces, register: Register, changed: Changed) -> bytes:
    buffer = io.BytesIO()
    sink = source.sink(buffer)
    for piece in pieces(source):
        sink.write(register.rewritten(piece, changed))
    return buffer.getvalue()


def _repack(package: zipfile.ZipFile, rewritten: dict[int, bytes], path: str, target: BinaryIO) -> None:
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
                while chunk := member.read(CHUNK):
                    held.write(chunk)


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


def _is_item(info: zipfile.ZipInfo) -> bool:
    name = info.filename.lower()
    return name.endswith(".xml") and name.rpartition("/")[2] != MANIFEST and not info.is_dir()


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
