"""Files made to cost much more than their size, streamed so that the generator itself costs nothing.

Run as a program it feeds every bomb to its loader and prints one JSON line for each: what came of it and the process's
peak memory so far.
"""

from __future__ import annotations

import io
import json
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named

ITEM = b'{"id":"a","stem":"S","options":["x","y"],"answer":0}'
ANSWERS = '<answer fraction="100"><text>a</text></answer><answer fraction="0"><text>b</text></answer>'
CHOICE = (
    '<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="t" adaptive="false" '
    'timeDependent="false"><responseDeclaration identifier="R" cardinality="single" baseType="identifier">'
    "<correctResponse><value>A</value></correctResponse></responseDeclaration><itemBody>{body}"
    '<choiceInteraction responseIdentifier="R" shuffle="false" maxChoices="1"><prompt>p</prompt>'
    '<simpleChoice identifier="A">a</simpleChoice>{more}</choiceInteraction></itemBody></assessmentItem>'
)


class Streamed(io.RawIOBase):
    """`before`, then `again` so many times, then `after`."""

    def __init__(self, before: bytes, again: bytes, times: int, after: bytes = b"") -> None:
        super().__init__()
        block = max(1, (1 << 20) // max(1, len(again)))
        self._parts = self._cut(before, again, times, after, block)

    @staticmethod
    def _cut(before: bytes, again: bytes, times: int, after: bytes, block: int) -> Iterator[bytes]:
        yield before
        for _ in range(times // block):
            yield again * block
        yield again * (times % block)
        yield after

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return next((part for part in self._parts if part), b"")


MOODLE_END = f"<single>true</single>{ANSWERS}</question></quiz>".encode()


def _in_text(before: bytes, again: bytes, times: int, after: bytes = b"") -> Streamed:
    """A Moodle question whose text is the bomb."""
    start = b'<quiz><question type="multichoice"><questiontext format="html"><text>' + before
    return Streamed(start, again, times, after + b"</text></questiontext>" + MOODLE_END)


def _in_html(again: bytes, times: int) -> Streamed:
    return _in_text(b"<![CDATA[", again, times, b"]]>")


def _package(content: bytes, name: str = "items/a.xml") -> io.BytesIO:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("imsmanifest.xml", "<manifest/>")
        package.writestr(name, content)
    target.seek(0)
    return target


def _laughs(root: str) -> bytes:
    entities = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 20))
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY l0 "ha">{entities}]><{root}>&l19;</{root}>'.encode()


def bombs(scale: int) -> dict[str, tuple[str, Callable[[], object]]]:
    """Name -> format and stream. `scale` is in megabytes, for bombs whose size is their point."""
    big, many = scale << 20, min(1_000_000, scale * 12_000)
    options, choice = b'{"stem":"s","options":["a"', CHOICE.replace("{body}", "").split("{more}")
    return {
        "a very long line": ("jsonl", lambda: Streamed(ITEM + b"\n", b"x", big, b"\n" + ITEM)),
        "a very long line in quotes": ("jsonl", lambda: Streamed(b'{"a":"', b"\\n", big // 2, b'"}\n' + ITEM)),
        "blank lines": ("jsonl", lambda: Streamed(ITEM, b"\n", many)),
        "deep JSON line": ("jsonl", lambda: Streamed(b"", b"[", 200_000, b"\n" + ITEM)),
        "a million keys": ("jsonl", lambda: Streamed(b'{"a":1', b',"aaaaa":1', 700_000, b"}\n" + ITEM)),
        "empty lists in a line": ("jsonl", lambda: Streamed(b"[[]", b",[]", 2_000_000, b"]\n" + ITEM)),
        "a long integer": ("jsonl", lambda: Streamed(b'{"stem":', b"9", 5_000_000, b"}\n" + ITEM)),
        "options without end": ("jsonl", lambda: Streamed(options, b',"a"', 450_000, b"]}\n" + ITEM)),
        "deep JSON": ("json", lambda: Streamed(b"[" + ITEM + b",", b"[", 200_000)),
        "blanks in JSON": ("json", lambda: Streamed(b"[" + ITEM, b" ", big)),
        "a long string in JSON": ("json", lambda: Streamed(b"[" + ITEM + b',{"stem":"', b"x", big)),
        "brackets in JSON": ("json", lambda: Streamed(b"[" + ITEM + b",[", b"{},", big // 3)),
        "members before the list": ("json", lambda: Streamed(b'{"a":[1', b',"a"', big // 4, b"]}")),
        "one wide row": ("csv", lambda: Streamed(b"stem,A,B,answer\n", b",", big)),
        "an open quote": ("csv", lambda: Streamed(b'stem,A,B,answer\n"', b"x\n", big // 2)),
        "a wide header": ("csv", lambda: Streamed(b"stem,A,B,answer", b",", 1 << 20)),
        "blanks in a block": ("gift", lambda: Streamed(b"::a::s", b" ", 4 << 20, b"{=a ~b}\n\n")),
        "answers without end": ("gift", lambda: Streamed(b"s {=a", b"~b", many, b"}\n\n")),
        "escapes without end": ("gift", lambda: Streamed(b"s", b"\\n", 2 * many, b"{=a ~b}\n\n")),
        "options lines without end": ("aiken", lambda: Streamed(b"Stem\n", b"A.\n", many, b"ANSWER: A\n")),
        "stem lines without end": ("aiken", lambda: Streamed(b"", b"Stem\n", many, b"A. x\nB. y\nANSWER: A\n")),
        "laughs in Moodle XML": ("moodle_xml", lambda: io.BytesIO(_laughs("quiz"))),
        "laughs in QTI": ("qti", lambda: io.BytesIO(_laughs("assessmentItem"))),
        "deep XML": ("moodle_xml", lambda: Streamed(b"<quiz>", b"<a>", 200_000)),
        "a long tag": ("moodle_xml", lambda: Streamed(b'<quiz a="', b"x", max(big, 40 << 20))),
        "elements without end": ("moodle_xml", lambda: _in_text(b"</text><text>", b"<a/>", many)),
        "empty questions": ("moodle_xml", lambda: Streamed(b"<quiz>", b"<question/>", 10_000, b"</quiz>")),
        "brackets in HTML": ("moodle_xml", lambda: _in_html(b"<", 2 * many)),
        "open tags in HTML": ("moodle_xml", lambda: _in_html(b'<a "', many)),
        "open sections in HTML": ("moodle_xml", lambda: _in_html(b"<![CDATA[>", 200_000)),
        "open comments in HTML": ("moodle_xml", lambda: _in_html(b"<!-- ", 200_000)),
        "open entities in HTML": ("moodle_xml", lambda: _in_html(b"&#99", 200_000)),
        "references without end": ("moodle_xml", lambda: _in_text(b"", b"&amp;", 2 * many)),
        "choices without end": (
            "qti", lambda: Streamed(choice[0].encode(), b'<simpleChoice identifier="B"/>', 30_000, choice[1].encode())
        ),
        "zip 1:1000": ("qti", lambda: _package(CHOICE.format(body=" " * (16 << 20), more="").encode())),
    }  # fmt: skip


def outcome(format: str, stream: object) -> dict[str, object]:
    """What came of reading a bomb: how many questions, which problems, or which refusal."""
    questions, codes = 0, []
    try:
        for part in format_named(format).read(stream, "bomb"):  # type: ignore[arg-type]
            if isinstance(part, Problem):
                codes.append(part.code)
            else:
                questions += 1
    except InputError as refusal:
        codes.append(refusal.code)
    return {"questions": questions, "codes": sorted(set(codes))}


class Counted(io.RawIOBase):
    """Passes a stream on and counts its bytes; as a target it only counts."""

    def __init__(self, stream: object = None) -> None:
        super().__init__()
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read(size)  # type: ignore[attr-defined]
        self.count += len(data)
        return data

    def write(self, data: object) -> int:
        self.count += len(data)  # type: ignore[arg-type]
        return len(data)  # type: ignore[arg-type]


def copied(format: str, stream: object) -> bool | None:
    """Whether a rewrite without changes gives as many bytes as it got; None where the file is refused."""
    # A package is read at random, which only a real file or its bytes allow.
    packed = len(stream.getvalue()) if isinstance(stream, io.BytesIO) else None
    source, target = stream if packed is not None else Counted(stream), Counted()
    try:
        format_named(format).rewrite(source, "bomb", lambda _id: None, target)  # type: ignore[arg-type]
    except InputError:
        return None
    return target.count == (source.count if isinstance(source, Counted) else packed)


def peak_mb() -> int:
    """The most memory this program has had. (`ru_maxrss` would count the process that started it, before the exec.)"""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1024


def main(scale: int) -> None:
    for name, (format, stream) in bombs(scale).items():
        started = time.process_time()
        result = outcome(format, stream())
        seconds = round(time.process_time() - started, 2)
        result["copied"] = copied(format, stream())
        print(json.dumps({"bomb": name, **result, "seconds": seconds, "peak_mb": peak_mb()}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
