"""Generated question banks on disk. Making a million takes minutes, so they are kept in bench/results/banks."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

from bench import questions_corpus, questions_words
from bench.questions_corpus import generate
from burnish.core.json_bytes import dumps

RESULTS = Path(__file__).parent / "results"
FOLDER = RESULTS / "banks"
SEED = 1


def bank(questions: int) -> Path:
    """A JSON Lines file with so many questions. A smaller bank is the beginning of a larger one."""
    path = FOLDER / f"{_version()}-{questions}.jsonl"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        larger = _larger(questions)
        if larger is not None:
            _cut(larger, questions, unfinished)
        else:
            _generate(questions, unfinished)
        unfinished.replace(path)
    return path


def _generate(questions: int, target: Path) -> None:
    with target.open("wb") as file:
        for record in generate(questions, SEED):
            file.write(dumps(record) + b"\n")


def _cut(larger: Path, questions: int, target: Path) -> None:
    with larger.open("rb") as source, target.open("wb") as file:
        file.writelines(itertools.islice(source, questions))


def _larger(questions: int) -> Path | None:
    sizes = {int(path.stem.partition("-")[2]): path for path in FOLDER.glob(f"{_version()}-*.jsonl")}
    return next((sizes[size] for size in sorted(sizes) if size >= questions), None)


def _version() -> str:
    """Changes with the code that makes the questions, so that no stale bank is measured."""
    sources = (Path(str(module.__file__)).read_bytes() for module in (questions_corpus, questions_words))
    return hashlib.sha256(b"".join(sources)).hexdigest()[:12]
