"""The bench of a golden run: a folder to work in, the doors, and a record of all that came of it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict, is_dataclass
from importlib.resources import files
from io import BytesIO, TextIOWrapper
from itertools import takewhile
from pathlib import Path
from typing import Any
from unittest import mock

from pydantic import BaseModel

from tests.golden.runs import seams, victims
from tests.golden.runs.names import EXPLAINED, PASSING, is_prose

LARGEST = 24_000
"""Characters of a text, or of JSON without its prose, that are kept as they are; of more, only the hash."""
TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
PORTS = re.compile(r"127\.0\.0\.1:\d+")
HASHES = re.compile(r"sha256:([0-9a-f]{16})[0-9a-f]{48}")
CODE = re.compile(r"[a-z0-9_.-]+")
NO_EXPORTS = ("journal.sqlite", "catalogue.sqlite", ".RUNNING", "RUNNING.")
"""Beginnings of names of files that are no exports."""
DOCUMENTS = ("out", "candidate", "final")
"""Folders of a run that hold the user's own documents: they are kept as they are."""
SETTINGS = "[limits]\nmax_tries = 1\n"
"""A model that is away is asked once: no case waits between tries."""


ENVIRONMENT = {"NO_COLOR": "1", "OPENAI_API_KEY": "not-a-key", "PYTHONPATH": f"{seams.ROOT}/src:{seams.ROOT}"}
"""Children of a case import these sources too, wherever it works."""


class Bench:
    """One golden run."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.step = 0
        self.recorded: dict[str, Any] = {"steps": []}
        self.write("burnish.toml", SETTINGS)

    # -- input

    def write(self, name: str, text: str) -> str:
        (self.home / name).write_text(text, encoding="utf-8", newline="")
        return name

    def write_json(self, name: str, value: object) -> str:
        return self.write(name, json.dumps(value, ensure_ascii=False, indent=1) + "\n")

    def sample(self, *names: str) -> None:
        """Take samples of the package into the folder."""
        for name in names:
            (self.home / name).write_bytes((files("burnish") / "samples" / name).read_bytes())

    # -- doors

    def __call__(self, *arguments: object, stdin: str = "") -> Any:
        """A command in this process. What it wrote is recorded where it is JSON. Returns that, or the text."""
        given = [str(argument) for argument in arguments]
        typed, out, err = (TextIOWrapper(BytesIO(text), "utf-8", newline="") for text in (stdin.encode(), b"", b""))
        with (
            self._at_work(given[0] == "decide"),
            redirect_stdout(out),
            redirect_stderr(err),
            mock.patch.object(sys, "stdin", typed),
        ):
            code = seams.main(given)
        text, failed = _written(out), _json_or_none(_written(err))
        told = _json_or_none(text)
        self._note(command=given, exit=code, out=told, error=failed)
        return text if told is None else told

    def killed(self, place: str, nth: int, *arguments: object) -> None:
        """A command in a process of its own that dies the nth time it comes to a place."""
        given = [str(argument) for argument in arguments]
        self.step += 1
        ended = victims.killed(given, self.home, place=place, nth=nth, step=self.step)
        assert ended == -9, f"{given} did not come to {place!r} for time {nth}: it ended with {ended}"
        self._note(command=given, exit=ended, killed_at=place)

    def python(self, name: str, call: Coroutine[Any, Any, Any] | Any) -> Any:
        """A call of the Python API, or the coroutine of one."""
        with self._at_work():
            result = asyncio.run(call) if asyncio.iscoroutine(call) else call()
        self._note(python=name, result=as_data(result))
        return result

    @contextmanager
    def http(self) -> Iterator[Http]:
        """The HTTP API over the runs of this folder."""
        with seams.api(self.home / "runs") as desk:
            yield Http(self, desk)

    @contextmanager
    def _at_work(self, deciding: bool = False) -> Iterator[None]:
        self.step += 1
        with seams.pinned(self.step, deciding=deciding):
            yield

    def _note(self, **facts: Any) -> None:
        self.recorded["steps"].append({name: value for name, value in facts.items() if value is not None})

    # -- what came of it

    def keep_run(self, id: str = "r") -> None:
        """Units, attempts, model calls and all files of a run."""
        root = self.home / "runs" / id
        attempts: dict[str, list[Any]] = {}
        for unit, *facts in seams.rows(root, seams.ATTEMPTS):
            attempts.setdefault(unit, []).append([codes_of(fact) for fact in facts])
        self.recorded[f"run {id}"] = {
            "units": [[codes_of(fact) for fact in row] for row in seams.rows(root, seams.UNITS)],
            "attempts": attempts,
            "calls": seams.rows(root, seams.CALLS),
            "files": files_of(root),
        }

    def keep_calls(self, asked: list[Any]) -> None:
        """The calls that a scripted model of the Python API was sent."""
        calls = [{"key": c.key, "model": c.model, "role": c.role, "unit": c.unit, "reply": c.reply_name} for c in asked]
        self.recorded["calls"] = sorted(calls, key=lambda call: json.dumps(call, sort_keys=True))

    def keep_file(self, name: str) -> None:
        self.recorded.setdefault("files", {})[name] = content_of(self.home / name)

    def keep_folder(self, name: str) -> None:
        self.recorded.setdefault("folders", {})[name] = files_of(self.home / name)

    def record(self) -> dict[str, Any]:
        """Everything that was kept, without what differs from run to run."""
        homes = sorted({str(self.home), str(self.home.resolve())}, key=len, reverse=True)
        return dict(settled(self.recorded, homes))


class Http:
    """The HTTP API as a program sees it."""

    def __init__(self, bench: Bench, desk: Any) -> None:
        self._bench, self._desk = bench, desk

    def get(self, path: str, **query: Any) -> Any:
        with self._bench._at_work(deciding=True):
            return self._noted("GET", path, self._desk.get(path, **query))

    def post(self, path: str, body: Any = None) -> Any:
        with self._bench._at_work(deciding=True):
            return self._noted("POST", path, self._desk.post(path, body))

    def wait(self, run: str) -> None:
        seams.rested(self._desk, run)

    def _noted(self, method: str, path: str, answer: Any) -> Any:
        told = _json_or_none(answer.text)
        self._bench._note(http=f"{method} {path}", status=answer.status_code, out=told)
        return told


def as_data(value: Any) -> Any:
    """A result of the Python API as JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return as_data(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): as_data(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        members = [as_data(one) for one in value]
        return members if isinstance(value, list | tuple) else sorted(members, key=str)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def files_of(folder: Path) -> dict[str, Any]:
    """Every file of a folder but journals and locks."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(NO_EXPORTS))
    names = {path: path.relative_to(folder) for path in found}
    return {name.as_posix(): content_of(path, name.parts[0] in DOCUMENTS) for path, name in names.items()}


def content_of(path: Path, is_document: bool = False) -> Any:
    """A file: JSON taken apart where Burnish reports in it, any other text as it is, all else by its hash."""
    data = path.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return _hash(data)
    if path.suffix == ".json" and not is_document:
        return {"json": _json_or_none(text)}
    if path.suffix == ".jsonl" and not is_document:
        return {"jsonl": [json.loads(line) for line in text.splitlines()]}
    return {"text": text}


def settled(value: Any, homes: list[str]) -> Any:
    """The same without prose, folders and times; large contents of files by their hash."""
    if isinstance(value, str):
        for home in homes:
            value = value.replace(home, "HOME")
        return HASHES.sub(r"sha256:\1", PORTS.sub("127.0.0.1:PORT", TIMES.sub("TIME", value)))
    if isinstance(value, list):
        return [settled(one, homes) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {
        settled(key, homes): settled(codes_of(one) if key in EXPLAINED else one, homes)
        for key, one in value.items()
        if key not in PASSING and not is_prose(key, value)
    }
    if kept and kept.keys() <= {"json", "jsonl", "text"}:
        content = json.dumps(kept, sort_keys=True, ensure_ascii=False)
        return kept if len(content) <= LARGEST else _hash(content.encode())
    return kept


def codes_of(explained: Any) -> Any:
    """An explanation without its sentence: `edit_refused: not_found: stem: the words ...` is three codes; a few words
    such as `accepted by Ada` stay."""
    if not isinstance(explained, str) or len(explained.split()) < 4:
        return explained
    return ": ".join(takewhile(CODE.fullmatch, explained.split(": "))) or "(a sentence)"


def _hash(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest()}


def _written(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def recording(case: Any, home: Path) -> dict[str, Any]:
    """Run a case in an empty folder, without the settings of whoever runs it."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BURNISH_")}
    before = Path.cwd()
    os.chdir(home)
    try:
        with mock.patch.dict(os.environ, {**environ, **ENVIRONMENT}, clear=True):
            bench = Bench(home)
            case(bench)
            return bench.record()
    finally:
        os.chdir(before)
