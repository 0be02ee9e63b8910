"""`--estimate` beside what the same run really uses, for each kind, over HTTP, on inputs that are not the samples.

The server counts tokens as tokenisers do (`tokens_of`), not as the estimate does. Without thinking, an estimate is held
against the run that follows. With a model that thinks, the first estimate is a range that has to hold the truth; after
the calls of that run, the estimate for another input of the same kind is held against its run.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import lego_corpus, lesson_defects, manuscripts_corpus, questions_corpus
from bench.lines import Line
from burnish.cli.main import main
from burnish.legos import open_records
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.legos_model import Cut, LegoWorld
from tests.loopback import Answer, AnswerFunction, Asked, LoopbackModel, by_item, thinking
from tests.manuscripts_model import BookWorld

TITLE = "--estimate over what the run used: within 25 %, or a range that holds it"
WITHIN = 0.25
PLAIN, THINKER, MEDIAN = "openai:plain", "openai:gpt-5-mini", 1_500
"""A model that does not think, one that does, and about how many tokens."""
REASONING = (
    "The text was read as a whole and then word by word. What it says is right, it can be understood at the first "
    "reading, and nothing in it stands in the way of whoever learns from it."
)
PIECES = re.compile(r" ?[^\W\d_]+|\d{1,3}| ?[^\w\s]+|_+|\s+(?=\S)|\s+")


def tokens_of(text: str) -> int:
    """As tokenisers cut: short words whole, long ones in pieces, marks in threes. Within a tenth of o200k on English
    books, lessons and exam questions, and on pairs of English with Spanish and with Macedonian."""
    return sum(_tokens_of_piece(piece.strip()) for piece in PIECES.findall(text) if piece != " ")


def _tokens_of_piece(piece: str) -> int:
    size = len(piece.encode())
    if piece[:1].isalpha():
        return 1 if size <= 8 else math.ceil(size / 7)
    return 1 if not piece or piece[0].isdigit() else math.ceil(size / 3)


Setting = Callable[[Path, int, str], tuple[Sequence[str], AnswerFunction]]
"""Folder, number of the input and model -> the command, and whoever answers."""


def questions(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    bank = folder / f"bank{number}.json"
    bank.write_text(json.dumps(list(questions_corpus.generate(30, seed=100 + number))))

    def answer(asked: Asked) -> Mapping[str, Any]:
        if asked.reply_name == "answer_reply":
            return {"reasoning": REASONING, "choice": "A", "also_right": [], "confidence": "low"}
        if asked.reply_name == "question_review_reply":
            return {"reasoning": REASONING, "violations": []}
        return {"reasoning": REASONING, "edits": []}

    return ("polish", str(bank), "--model", model), answer


def lessons(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    path = folder / f"lesson{number}.json"
    path.write_text(json.dumps(lesson_defects.lesson(12 * min(1 + number, 4), ())))
    judges = f"{model},{model}-other"
    command = ("polish", str(path), "--judges", judges, "--patcher", model, "--allow-same-family")
    return command, lambda asked: json.loads(str(lesson_defects.answer(asked).reply))


def manuscripts(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    pairs = list(islice(manuscripts_corpus.generate((1, 5), seed=100 + number), 60))
    book = folder / f"book{number}.md"
    book.write_text("\n\n".join(pair.source for pair in pairs) + "\n", encoding="utf-8")
    world = BookWorld({pair.source: pair.target for pair in pairs})
    command = ("translate", "--source", str(book), "--from", "en", "--to", "es", "--auto-merge", "--model", model)
    return command, lambda asked: world.reply(asked.reply_name, asked.user)  # type: ignore[return-value]


def legos(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    file = folder / f"pairs{number}.tsv"
    course, pattern = folder / f"course{number}", folder / f"pattern{number}"
    lego_corpus.write_pairs(file, 40, 100 + number)
    for where in (course, pattern):
        said("legos", "import", str(file), "--course", "mkd_for_eng", "--dir", str(where))
    said("legos", "extract", str(pattern), "--runs", str(pattern / "runs"))
    world = LegoWorld(dict(lego_corpus.pairs(40, 100 + number)), _cuts(pattern))
    command = ("legos", "extract", str(course), "--extractor", "model", "--model", model)
    return command, lambda asked: world.reply(asked.reply_name, asked.user)  # type: ignore[return-value]


def _cuts(course: Path) -> dict[str, Cut]:
    """Source sentence -> the cut that rules made of it: a model that cuts well is asked once a SEED."""
    with open_records(course) as records:
        return {
            one["source"]: tuple((lego["source"], lego["target"]) for lego in records.legos(of=one["uuid"]))
            for one in records.translations()
        }


KINDS: Mapping[str, Setting] = {
    "questions": questions,
    "lessons": lessons,
    "manuscripts": manuscripts,
    "legos": legos,
}


@dataclass(frozen=True, slots=True)
class Held:
    """An estimate beside the truth, in tokens."""

    fewest: int
    most: int
    truth: int
    calls: int
    foreseen: int
    """Calls of the estimate."""

    @property
    def is_range(self) -> bool:
        return self.fewest != self.most


def run(full: bool) -> list[Line]:
    return [line for name, setting in KINDS.items() for line in _lines(name, setting)]


def _lines(name: str, setting: Setting) -> list[Line]:
    with folder_of_runs() as folder:
        plain = _held(setting, PLAIN, folder, 0)
    with folder_of_runs() as folder:
        first = known = _held(setting, THINKER, folder, 0, MEDIAN)
        calls = number = 0
        while known.is_range:
            calls, number = calls + known.calls, number + 1
            known = _held(setting, THINKER, folder, number, MEDIAN)
    if plain.is_range or not first.is_range:
        raise RuntimeError(f"{name}: a range is for a model that thinks, and nobody knows how long: {plain}, {first}")
    outside = max(first.fewest / first.truth, first.truth / first.most)
    against = f"estimate {first.fewest:,} to {first.most:,}"
    return [
        _line(f"{name}: without thinking", plain),
        Line(f"{name}: thinks, at first", first.truth, "tokens", against, outside, at_most=1.0),
        _line(f"{name}: thinks, after {calls} calls", known),
    ]


def _line(what: str, held: Held) -> Line:
    against = f"estimate {held.fewest:,} ({held.foreseen} calls for {held.calls})"
    return Line(what, held.truth, "tokens", against, held.fewest / held.truth, at_most=1 + WITHIN, at_least=1 - WITHIN)


@contextmanager
def folder_of_runs() -> Iterator[Path]:
    """A folder of runs of its own: what is known of models lies there."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, patch.dict(os.environ, {"OPENAI_API_KEY": "k"}):
        yield Path(place)


def _held(setting: Setting, model: str, folder: Path, number: int, median: int = 0) -> Held:
    """An estimate, and the run that follows it."""
    command, answer = setting(folder, number, model)
    model_answer = counted(answer)
    run = RunFolder.at(folder / "runs", f"r{number}")
    with LoopbackModel(thinking(model_answer, median) if median else model_answer) as server:
        where = ("--base-url", server.base_url, "--runs", str(folder / "runs"), "--run-id", run.id)
        told = json.loads(said(*command, *where, "--estimate", "--json"))
        said(*command, *where)
    with closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
        totals = journal.totals()
    likely, up_to = told["likely"], told["likely_up_to"]
    return Held(likely["tokens"], up_to["tokens"], totals.usage.total_tokens, totals.calls, likely["calls"])


def counted(answer: AnswerFunction) -> AnswerFunction:
    """The same with usage as a service would count it: all that was sent, the schema too, and the answer."""

    def reasoned(asked: Asked) -> Mapping[str, Any]:
        given = answer(asked)
        assert isinstance(given, Mapping), "every model of these worlds answers with an object"
        return {**given, "reasoning": REASONING} if "reasoning" in given else given

    def count(asked: Asked) -> Answer:
        given = by_item(reasoned)(asked)
        reply = json.dumps(given, ensure_ascii=False)
        schema = json.dumps(asked.body.get("response_format", {}))
        return Answer(reply, usage=(tokens_of(asked.system + asked.user + schema), tokens_of(reply)))

    return count


def said(*arguments: str) -> str:
    """What a command prints."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        code = main(arguments)
    if code not in (0, 1, 3):
        raise RuntimeError(f"{' '.join(arguments)}: exit code {code}. {errors.getvalue()}")
    return out.getvalue()
