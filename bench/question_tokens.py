"""Tokens an item that a bank of sound questions costs, with one judge and with two, over HTTP: questions asked about
singly, and up to ten a request.

The server counts tokens as tokenisers do, the schema of each request too. The model finds no fault, in two sentences of
reasoning an item, and solves each question for the key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench import questions_corpus
from bench.estimates import PLAIN, REASONING, counted, folder_of_runs, said
from bench.lines import Line, beside
from burnish.core.checks import select
from burnish.kinds.questions.kind import KIND, QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.loopback import Asked, LoopbackModel

TITLE = "tokens of a question, by judges: singly, and up to ten a request"
ITEMS = 60
JUDGES: Mapping[str, Sequence[str]] = {
    "one judge": (),
    "two judges": ("--judges", "openai:other,openai:third"),
}
GOAL = 1_000
"""The most tokens an item for two judges."""
MOST_OF_GOAL = 1.25
"""The goal is not met for items as long as these: their text alone is some 350 tokens for each judge, who reads it with
the key and without."""


def run(full: bool) -> list[Line]:
    lines = []
    for name, judges in JUDGES.items():
        together, calls = _tokens(judges)
        with patch.object(QuestionsKind, "most_together", 1):
            singly, single_calls = _tokens(judges)
        what = f"{name}: {calls / ITEMS:.2f} calls an item, singly {single_calls / ITEMS:.2f}"
        lines.append(beside(what, together, "tokens an item", "singly", singly))
        if judges:
            ratio = together / GOAL
            lines.append(Line(f"{name}: of the goal", ratio, "", f"goal {GOAL:,} tokens", ratio, at_most=MOST_OF_GOAL))
    return lines


def _tokens(judges: Sequence[str]) -> tuple[float, int]:
    """Tokens an item, and calls."""
    with folder_of_runs() as folder:
        bank, run = folder / "bank.json", RunFolder.at(folder / "runs", "r")
        bank.write_text(json.dumps(sound(ITEMS)))
        with LoopbackModel(counted(_answer(bank))) as server:
            where = ("--base-url", server.base_url, "--runs", str(folder / "runs"), "--run-id", run.id)
            said("polish", str(bank), "--model", PLAIN, *judges, *where)
        with closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
            totals = journal.totals()
    return totals.usage.total_tokens / ITEMS, totals.calls


def sound(number: int) -> list[dict[str, Any]]:
    """Questions of the corpus to which no rule objects."""
    selection, context = select(KIND.checks), KIND.context([], {})
    found: list[dict[str, Any]] = []
    for record in questions_corpus.generate(10 * number, seed=7):
        question = Question.model_validate(record)
        examination = KIND.examine(question, selection, context)
        if len(found) < number and not any(one.blocks for one in examination.findings):
            found.append(record)
    return found


def _answer(bank: Path) -> Any:
    keys = {record["id"]: record["correct_answer"] for record in json.loads(bank.read_text())}

    def answer(asked: Asked) -> Mapping[str, Any]:
        if asked.reply_name == "answer_reply":
            key = next((key for id, key in keys.items() if f"id: {id}\n" in asked.user), "A")
            return {"reasoning": REASONING, "choice": key, "also_right": [], "confidence": "high"}
        return {"reasoning": REASONING, "violations": []}

    return answer
