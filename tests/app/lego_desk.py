"""A desk with a course on it, and a server behind which the models of a small world answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.app.desk import Desk, Said, SharedDesk
from tests.app.desk import sitting_in as sitting_in
from tests.legos_model import COURSE, SEEDS, LegoWorld, tsv, work_of
from tests.loopback import Answer, Asked, LoopbackModel

AnyDesk = Desk | SharedDesk
TIMES = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z")
Interference = Callable[[Asked], Answer | None]
"""What the server does in place of the world's answer; None: nothing."""
Pairs = Mapping[str, str] | Sequence[tuple[str, str]]


def nothing(asked: Asked) -> None:
    """The world answers by itself."""


def away(*replies: str) -> Interference:
    """The model does not answer these."""
    return lambda asked: Answer(status=401) if asked.reply_name in replies else None


def refusing(source: str, status: int = 400) -> Interference:
    """The endpoint refuses whatever is about this sentence."""
    return lambda asked: Answer(status=status) if work_of(asked.user)["source"] == source else None


@contextmanager
def serving(world: LegoWorld, interfere: Interference = nothing) -> Iterator[LoopbackModel]:
    """The world over HTTP."""

    def answer(asked: Asked) -> Any:
        instead = interfere(asked)
        return Answer(world.reply(asked.reply_name, asked.user)) if instead is None else instead

    with LoopbackModel(answer) as server:
        yield server


def course(desk: AnyDesk, pairs: Pairs = SEEDS, *more: object, code: str = COURSE, name: str = "course") -> Path:
    """A course that was imported from these pairs."""
    file = desk.home / "pairs.tsv"
    file.write_text(tsv(pairs), encoding="utf-8")
    said = desk("legos", "import", file, "--course", code, "--dir", name, *more)
    assert said.code in (0, 1), said.err
    return desk.home / name


def extract(
    desk: AnyDesk,
    world: LegoWorld | None,
    *more: object,
    folder: object = "course",
    id: str = "x",
    interfere: Interference = nothing,
    asked: list[Asked] | None = None,
) -> Said:
    """`burnish legos extract` against the world; None: the built-in extractor.

    The cuts of the world were made up for the seed's own rule and its score, which look at one SEED alone.
    """
    command = ("legos", "extract", folder, "--run-id", id)
    if world is None:
        return desk(*command, *more)
    seeds_own = () if "--iron-rule" in more else ("--iron-rule", "strict", "--scoring", "1.0")
    with serving(world, interfere) as server:
        said = desk(*command, "--model", "openai:m", "--base-url", server.base_url, *seeds_own, *more)
        if asked is not None:
            asked += server.requests
    return said


def go_on(
    desk: AnyDesk,
    world: LegoWorld,
    *more: object,
    id: str = "x",
    interfere: Interference = nothing,
    asked: list[Asked] | None = None,
) -> Said:
    """`burnish resume`."""
    with serving(world, interfere) as server:
        said = desk("resume", id, "--base-url", server.base_url, *more)
        if asked is not None:
            asked += server.requests
    return said


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def records(folder: Path) -> dict[str, Any]:
    """SEED -> its translation record."""
    found = [read(path) for path in (folder / "amino_acids/translations").glob("*.json")]
    return {record["seed_id"]: record for record in sorted(found, key=lambda record: record["seed_id"])}


def legos(folder: Path, seed: str) -> list[tuple[str, str]]:
    """Both halves of a SEED's LEGOs, in order."""
    found = [read(path) for path in (folder / "amino_acids/legos").glob("*.json")]
    mine = sorted((one for one in found if one["source_seed_id"] == seed), key=lambda one: one["provenance"])
    return [(one["source"], one["target"]) for one in mine]


def attempts(record: Mapping[str, Any]) -> list[Any]:
    return list(record["lego_extraction_attempts"])


def reports(folder: Path, name: str) -> Any:
    return read(folder / "quality_reports" / f"{name}.json")


def files(folder: Path) -> dict[str, bytes]:
    """Every file of the course with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def without_times(found: Any) -> Any:
    """The same with every moment made the same."""
    return json.loads(TIMES.sub("2026-01-01T00:00:00Z", json.dumps(found, sort_keys=True)))
