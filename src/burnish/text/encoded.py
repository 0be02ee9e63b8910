"""A text file of moderate size as text, and back to the very same bytes: encodings, byte order marks, limits."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import BinaryIO

from burnish.core.errors import InputError

BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
SAVE_AS_UTF_8 = "Save it again as UTF-8."


@dataclass(frozen=True, slots=True)
class Encoded:
    """The text of a file, with what is needed to write it back."""

    text: str
    bom: bytes = b""
    codec: str = "utf-8"

    def encode(self, text: str) -> bytes:
        """Another text in the file's own encoding; UnicodeEncodeError where that cannot hold it."""
        return self.bom + text.encode(self.codec)


def read_limited(stream: BinaryIO, path: str, largest: int) -> bytes:
    """The whole stream, or InputError as soon as it is longer than `largest`: no more than that is ever held."""
    data = stream.read(largest + 1)
    if len(data) > largest:
        raise too_large(path, largest)
    return data


def too_large(path: str, largest: int) -> InputError:
    return InputError(
        f"The file is larger than {largest >> 20} MB.",
        path=path,
        code="too_large",
        hint="Cut it into several files.",
    )


def decoded(data: bytes, path: str) -> Encoded:
    """The text of UTF-8, or of UTF-16 with a byte order mark; InputError for anything else."""
    if data.startswith(UTF_32):
        raise _wrong("The file is UTF-32.", path, 1)
    bom, codec = next(((bom, codec) for bom, codec in BOMS if data.startswith(bom)), (b"", "utf-8"))
    body = data[len(bom) :]
    try:
        text = body.decode(codec)
    except UnicodeDecodeError as error:
        raise _undecodable(body, codec, path, len(bom), error) from error
    if "\x00" in text:
        raise _with_nul(text, path)
    return Encoded(text, bom, codec)


def _undecodable(body: bytes, codec: str, path: str, skipped: int, error: UnicodeDecodeError) -> InputError:
    if looks_binary(body):
        return binary(path)
    line = body.count(b"\n", 0, error.start) + 1
    if codec != "utf-8":
        return _wrong(f"The file is not valid {codec} near byte {skipped + error.start}.", path, line)
    guess = "Windows-1252" if 0x80 <= body[error.start] <= 0x9F else "Windows-1252 or ISO-8859-1"
    message = f"Byte {skipped + error.start} (0x{body[error.start]:02x}) is not UTF-8; it looks like {guess}."
    return _wrong(message, path, line)


def _with_nul(text: str, path: str) -> InputError:
    start = text[:64]
    if start.count("\x00") * 3 > len(start):
        return _wrong("The file looks like UTF-16 or UTF-32 without a byte order mark.", path, 1)
    line = text.count("\n", 0, text.index("\x00")) + 1
    return InputError(
        "There is a NUL character in it, so it is not a text file.",
        path=path,
        line=line,
        code="binary",
        hint="Take the character out, or name the right file.",
    )


def _wrong(message: str, path: str, line: int) -> InputError:
    return InputError(message, path=path, line=line, code="wrong_encoding", hint=SAVE_AS_UTF_8)


def looks_binary(data: bytes) -> bool:
    """Whether the first bytes are those of no text: control characters that no text has."""
    head = data[:4096]
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return b"\x00" in head or odd * 10 > len(head)


def binary(path: str) -> InputError:
    return InputError(
        "This is not a text file.", path=path, code="binary", hint="Give text or Markdown; convert other files first."
    )
