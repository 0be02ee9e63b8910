"""Reading each format, beside a parser that only parses and checks nothing."""

from __future__ import annotations

import csv
import io
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree import ElementTree

from bench.lines import Line, beside
from bench.questions_corpus import generate
from burnish.core.json_bytes import loads
from burnish.kinds.questions.formats import FORMATS, Format
from burnish.kinds.questions.model import Question

TITLE = "Reading each format into questions"
QUESTIONS, FULL_QUESTIONS = 1_000, 20_000
ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Peer:
    """A bare parser of the same bytes."""

    name: str
    parse: Callable[[bytes], object]


def _lines(data: bytes) -> object:
    return [loads(line) for line in data.splitlines()]


def _rows(data: bytes, delimiter: str) -> object:
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


def _package(data: bytes) -> object:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return [ElementTree.fromstring(package.read(name)) for name in package.namelist() if name.endswith(".xml")]


JSON = Peer("pydantic_core", loads)
XML = Peer("ElementTree", ElementTree.fromstring)
ZIP = Peer("zipfile and ElementTree", _package)
TEXT = Peer("split into lines", lambda data: data.decode().splitlines())
PEERS = {
    "jsonl": Peer("pydantic_core", _lines),
    "json": JSON,
    "csv": Peer("csv", lambda data: _rows(data, ",")),
    "tsv": Peer("csv", lambda data: _rows(data, "\t")),
    "moodle_xml": XML,
    "qti_item": XML,
    "qti3_item": XML,
}


def run(full: bool, questions: int | None = None) -> list[Line]:
    count = questions or (FULL_QUESTIONS if full else QUESTIONS)
    bank = [Question.model_validate(record) for record in generate(count, 5)]
    return [_read(name, bank) for name in (known.name for known in FORMATS)]


def _read(name: str, bank: list[Question]) -> Line:
    format = next(known for known in FORMATS if known.name == name)
    files = [_written(format, questions) for questions in _in_files(name, bank)]

    def read() -> None:
        path = f"bank{format.extensions[0]}"
        parts = (part for data in files for part in format.read(io.BytesIO(data), path))
        found = sum(isinstance(part, Question) for part in parts)
        if found != len(bank):
            raise RuntimeError(f"{name}: {found} of {len(bank)} questions were read back")

    peer = ZIP if files[0].startswith(b"PK") else PEERS.get(name, TEXT)
    ours, theirs = _best(read), _best(lambda: [peer.parse(data) for data in files])
    return beside(name, len(bank) / ours, "q/s", peer.name, len(bank) / theirs)


def _in_files(name: str, bank: list[Question]) -> list[list[Question]]:
    """The file of an item holds one question; every other file holds the bank."""
    return [[question] for question in bank] if name.endswith("_item") else [bank]


def _written(format: Format, questions: list[Question]) -> bytes:
    target = io.BytesIO()
    format.write(iter(questions), target)
    return target.getvalue()


def _best(work: Callable[[], object]) -> float:
    """Processor seconds, the best of a few rounds."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return max(min(seconds), 1e-6)
