"""Strict JSON with the place of every value, so that one value can be changed without changing other bytes."""

from __future__ import annotations

import codecs
import json
import math
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed does not list it
from typing import Any, BinaryIO

import jiter
import regex

from burnish.core.errors import InputError

BRACKETS = 200_000
"""The most objects and arrays in one lesson; more are a compression bomb or the like."""
COMMAS = 1_000_000
WHERE = regex.compile(r" at line (\d+) column (\d+)$")
TOKENS = regex.compile(r'"(?:[^"\\]++|\\.)*+(?:"|(?P<open>$))|[\[\]{},:]', regex.DOTALL)
"""Strings and punctuation; a string that never ends is `open`."""
LARGEST_NUMBER = 1 << 63


def parsed(text: str, path: str) -> Any:
    """Parse a JSON text: no NaN, no repeated key, no bombs. Raise InputError with the place where parsing stopped."""
    if text.count("{") + text.count("[") > BRACKETS or text.count(",") > COMMAS:
        raise InputError("It has too many parts to be a lesson.", path=path, code="too_complex")
    try:
        value = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        raise _parse_error(text, path, str(error)) from error
    return _plain(value)


def _plain(value: Any) -> Any:
    """Replace numbers that other programs cannot hold by their text."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LARGEST_NUMBER:
        return hex(value)
    return value


def _parse_error(text: str, path: str, complaint: str) -> InputError:
    if complaint.startswith("EOF while") or _ends_in_a_string(text, complaint):
        return _truncated(text, path)
    where = WHERE.search(complaint)
    reason = complaint[: where.start()] if where else complaint
    line = int(where.group(1)) if where else 1
    column = int(where.group(2)) if where else 1
    if reason.startswith("recursion limit"):
        return InputError("It is nested too deep.", path=path, line=line, code="too_deep")
    if reason.startswith("Detected duplicate key"):
        message, code = f"{reason} (column {column}).", "duplicate_key"
        return InputError(message, path=path, line=line, code=code, hint="Keep one of the two.")
    message = f"This is not valid JSON: {reason} (column {column})."
    return InputError(message, path=path, line=line, code="invalid_json")


def _ends_in_a_string(text: str, complaint: str) -> bool:
    """Return whether the control character is only the line end that was written after a cut text."""
    if not complaint.startswith("control character"):
        return False
    try:
        jiter.from_json(text.rstrip().encode())
    except ValueError as error:
        return str(error).startswith("EOF while")
    return False


def _truncated(text: str, path: str) -> InputError:
    """Return an error that names the place where the text stops, and the value it stops in."""
    end = len(text.rstrip())
    line = text.count("\n", 0, end) + 1
    column = end - (text.rfind("\n", 0, end) + 1) + 1
    field = open_path(text)
    inside = f", inside {field}" if field else ""
    return InputError(
        f"The JSON ends too early: at line {line}, column {column}{inside}.",
        path=path,
        line=line,
        field=field or None,
        code="truncated",
        hint="The lesson was cut off: write it again with a higher limit on tokens.",
    )


def open_path(text: str) -> str:
    """Return the path at which a cut JSON text stops: `content.exercises[1].solution`; empty at the top level."""
    steps: list[str | int | None] = []
    latest: str | None = None
    for match in TOKENS.finditer(text):
        token = match.group()
        if token[0] == '"':
            latest = None if match["open"] is not None else token
        elif token in "{[":
            steps.append(None if token == "{" else 0)
        elif token in "}]":
            if steps:
                steps.pop()
        elif steps and token == ":":
            steps[-1] = _name(latest)
        elif steps and token == ",":
            step = steps[-1]
            steps[-1] = step + 1 if isinstance(step, int) else None
    return "".join(
        (f"[{step}]" if isinstance(step, int) else f".{step}") for step in steps if step is not None
    ).removeprefix(".")


def _name(token: str | None) -> str | None:
    try:
        name = jiter.from_json(token.encode()) if token else None
    except ValueError:
        return None
    return name if isinstance(name, str) else None


PIECES = regex.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},:]|[^\s,:\[\]{}"]+', regex.DOTALL)
"""Strings, punctuation, and numbers and names."""
ESCAPES = regex.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.|[^\\]+", regex.DOTALL)
"""Parts of a string: an escape for one character, or a stretch without escapes."""
NON_ASCII_ESCAPE = regex.compile(r"\\u(?!00[0-7])")


@dataclass(slots=True)
class Node:
    """A value's place in the text."""

    start: int
    end: int = 0
    parts: dict[str | int, Node] = field(default_factory=dict)
    """Members by name, elements by index."""
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The places of the members' names, including quotes."""


def places_of(text: str) -> Node:
    """Return the places of all values in a valid JSON text."""
    whole = Node(-1)  # holds the top-level value, and is not an object itself
    holders, key = [whole], None
    for match in PIECES.finditer(text):
        piece, holder = match.group(), holders[-1]
        if piece in "]}":
            holders.pop().end = match.end()
        elif piece[0] == '"' and key is None and text[holder.start] == "{":
            key = str(scanstring(text, match.start() + 1, True)[0])
            holder.keys[key] = match.span()
        elif piece not in ",:":
            node = Node(*match.span())
            holder.parts[len(holder.parts) if key is None else key] = node
            key = None
            if piece in "{[":
                holders.append(node)
    return whole.parts[0]


def is_escaped(text: str) -> bool:
    """Return whether the author writes non-ASCII characters as escapes."""
    return text.isascii() and NON_ASCII_ESCAPE.search(text) is not None


def dumped(value: Any, ascii_only: bool) -> str:
    """Return a value in the author's style."""
    return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)


def with_member(text: str, node: Node, name: str, dumped: str) -> str:
    """Return the text with one more member at the end of the object, in the style of its neighbours."""
    if not node.keys:
        return f"{text[: node.start + 1]}{json.dumps(name)}: {dumped}{text[node.end - 1 :]}"
    last = list(node.keys)[-1]
    key_start, key_end = node.keys[last]
    value = node.parts[last]
    colon = text[key_end : value.start]
    blank = text[len(text[:key_start].rstrip(" \t\r\n")) : key_start]
    if len(node.keys) == 1 and not blank and colon.endswith(" "):
        blank = " "
    return f"{text[: value.end]},{blank}{json.dumps(name)}{colon}{dumped}{text[value.end :]}"


BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
SAVE_AS_UTF_8 = "Save it again as UTF-8."


@dataclass(frozen=True, slots=True)
class Encoded:
    """The text of a file, and what is needed to write it back."""

    text: str
    bom: bytes = b""
    codec: str = "utf-8"

    def encode(self, text: str) -> bytes:
        """Encode another text in the file's encoding. Raise UnicodeEncodeError if it cannot hold the text."""
        return self.bom + text.encode(self.codec)


def read_limited(stream: BinaryIO, path: str, largest: int) -> bytes:
    """Read the whole stream. Raise InputError if it is longer than `largest`, without reading more than that."""
    data = stream.read(largest + 1)
    if len(data) > largest:
        raise too_large(path, largest)
    return data


def too_large(path: str, largest: int) -> InputError:
    return InputError(
        f"The file is larger than {largest >> 20} MB.", path=path, code="too_large", hint="Cut it into several files."
    )


def decoded(data: bytes, path: str) -> Encoded:
    """Decode UTF-8, or UTF-16 with a byte order mark. Raise InputError for anything else."""
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
        hint="Remove the character, or name the right file.",
    )


def _wrong(message: str, path: str, line: int) -> InputError:
    return InputError(message, path=path, line=line, code="wrong_encoding", hint=SAVE_AS_UTF_8)


def looks_binary(data: bytes) -> bool:
    """Return whether the first bytes hold control characters that texts do not have."""
    head = data[:4096]
    odd = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return b"\x00" in head or odd * 10 > len(head)


def binary(path: str) -> InputError:
    return InputError(
        "This is not a text file.", path=path, code="binary", hint="Give text or Markdown; convert other files first."
    )
