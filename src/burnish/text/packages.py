"""Zip packages under limits: members are read one by one, never unpacked to disk, and copied byte for byte.

QTI packages, cartridges, XLSX and DOCX are zips of small XML files, pictures and media. Only the requested members are
unpacked; a package that is written back keeps the packed bytes of all unchanged members.
"""

from __future__ import annotations

import copy
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import BinaryIO

from burnish.core.errors import InputError

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The time of members that we write, so that the bytes are always the same."""
MEMBERS = 100_000
MEMBER_BYTES = 32 << 20
"""The largest member that is read."""
READ_BYTES = 256 << 20
"""The most unpacked bytes of all members that are read."""
RATIO = 200
"""The most unpacked bytes per packed byte: text shrinks to a tenth, a bomb to a thousandth."""
SMALL = 1 << 16
"""Members of up to this size are not checked for RATIO."""
CHUNK = 1 << 20
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The packing methods of all formats that are read here; others only cost memory."""
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError),
    OverflowError,
)
UNPACK = "Unpack it and hand in the files, if you trust where it comes from."
MARKS = (b"PK\x03\x04", b"PK\x05\x06")


def is_zip(head: bytes) -> bool:
    return head.startswith(MARKS)


class Package:
    """An opened zip. The sizes in its directory are not trusted."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self.path = path
        self._stream = stream
        try:
            self._zip = zipfile.ZipFile(stream)
        except BROKEN as error:
            raise self._refused(f"The package cannot be opened: {error}.", "broken_package") from error
        self.members = self._zip.infolist()
        if len(self.members) > MEMBERS:
            raise self._refused("The package is too large.", "package_too_large")
        if len({info.header_offset for info in self.members}) < len(self.members):
            raise self._refused("Several members of the package lie in the same place.", "package_bomb")

    def expect(self, wanted: Iterable[zipfile.ZipInfo]) -> None:
        """Refuse the package before unpacking if these members are too large, or unpack to too much."""
        total = 0
        for info in wanted:
            total += info.file_size
            if info.file_size > SMALL and info.file_size > RATIO * max(1, info.compress_size):
                message = f"{info.filename!r} unpacks to far more than such a file does."
                raise self._refused(message, "package_bomb")
        if total > READ_BYTES:
            raise self._refused("The package is too large.", "package_too_large")

    def named(self, name: str) -> zipfile.ZipInfo | None:
        return next((info for info in self.members if info.filename == name), None)

    def head(self, info: zipfile.ZipInfo) -> bytes:
        """Return the first bytes of a member."""
        return self._read(info, SMALL)

    def content(self, info: zipfile.ZipInfo, limit: int | None = None) -> bytes:
        """Return one member. Its header may lie about the size, so never more than the limit is unpacked."""
        most = MEMBER_BYTES if limit is None else limit
        content = self._read(info, most + 1)
        if len(content) > most:
            raise self._refused(f"{info.filename!r} is too large.", "package_too_large")
        return content

    def _read(self, info: zipfile.ZipInfo, size: int) -> bytes:
        if info.compress_type not in PACKED:
            raise self._refused(f"{info.filename!r} is packed in a way that is not read.", "broken_package")
        try:
            with self._zip.open(info) as member:
                return member.read(size)
        except BROKEN as error:
            message = f"{info.filename!r} cannot be unpacked: {error}."
            raise self._refused(message, "broken_package") from error

    def rewrite(self, changed: Mapping[int, bytes], target: BinaryIO) -> None:
        """Copy the package; `changed` has the new content of members by their offset.

        Without a change the bytes are the same. With one, the packed bytes of all other members are the same, and so is
        their data in the directory, except for their offsets.
        """
        if not changed:
            self._stream.seek(0)
            shutil.copyfileobj(self._stream, target, CHUNK)
            return
        starts = sorted({info.header_offset for info in self.members})
        ends = dict(zip(starts, (*starts[1:], self._zip.start_dir), strict=True))
        with zipfile.ZipFile(target, "w") as written:
            written.comment = self._zip.comment
            order = {id(info): place for place, info in enumerate(self.members)}
            places: list[int] = []
            for info in sorted(self.members, key=lambda info: info.header_offset):
                if info.header_offset in changed:
                    written.writestr(_fresh(info), changed[info.header_offset])
                else:
                    self._copy(info, ends[info.header_offset], written)
                places.append(order[id(info)])
            # The directory keeps its order, which may differ from that of the members.
            written.filelist = [
                held for _, held in sorted(zip(places, written.filelist, strict=True), key=itemgetter(0))
            ]

    def _copy(self, info: zipfile.ZipInfo, end: int, written: zipfile.ZipFile) -> None:
        """Copy a member with its header, still packed."""
        output = written.fp
        assert output is not None, "the target was opened above"
        held = copy.copy(info)
        held.header_offset = output.tell()
        self._stream.seek(info.header_offset)
        left = end - info.header_offset
        while left > 0 and (chunk := self._stream.read(min(CHUNK, left))):
            output.write(chunk)
            left -= len(chunk)
        written.filelist.append(held)
        written.NameToInfo[held.filename] = held
        written.start_dir = output.tell()
        written._didModify = True  # type: ignore[attr-defined]

    def _refused(self, message: str, code: str) -> InputError:
        return InputError(message, path=self.path, code=code, hint=UNPACK)


def _fresh(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return a header for new content with the metadata of the old one."""
    fresh = zipfile.ZipInfo(info.filename, info.date_time)
    fresh.compress_type, fresh.comment, fresh.extra = info.compress_type, info.comment, info.extra
    fresh.external_attr, fresh.create_system = info.external_attr, info.create_system
    return fresh
