"""Answers that a capable reader gave to the prompts of a run over ten fresh items, with the habits of real models:
labels with their text, rules that do not exist, fields by name of the list. What became of each is what should have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.effects import Answer, Ask, Keep, ModelRequest, ModelRoles
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question

PLAYED = json.loads(Path(__file__).with_name("played.json").read_text(encoding="utf-8"))
UPHELD = ("Lorem ipsum", "wheelchair-bound", "Pushdown list")
"""What the readers uphold when they are asked about it."""
ENDS = {
    "astro-1": "attempt_1",
    "geo-2": "key_doubtful",
    "bio-3": "attempt_2",
    "chem-4": "attempt_2",
    "hist-5": "attempt_2",
    "phys-6": "attempt_2",
    "med-7": "judges_disagree",
    "cs-8": "options_equal",
    "econ-9": "attempt_2",
    "lit-10": "attempt_2",
}


def played(request: ModelRequest) -> dict[str, Any]:
    ask, text = request.ask, "\n".join(request.ask.untrusted.values())
    if ask.reply == "answer_reply":
        given = {"choice": "B. Stack", "also_right": ["C. Pushdown list"]} if "Pushdown list" in text else None
        choice = given or PLAYED["choices"].get(ask.unit, {"choice": "B", "also_right": []})
        return {"items": [{"id": ask.unit, "reasoning": "I know it.", **choice, "confidence": "high"}]}
    if ask.reply == "delta_reply":
        numbers = re.findall(r"^(\d+): ", text.partition("\ndifferences:\n")[2], re.MULTILINE)
        wanted = [{"id": number, "wanted": True} for number in numbers]
        return {"reasoning": "r", "passed": True, "confidence": "high", "differences": wanted, "newIssues": []}
    if ask.reply == "edit_reply":
        return {"reasoning": "r", "edits": PLAYED["edits"].get(ask.unit, []), "contested": []}
    claims = [
        {"claim": number, "upheld": any(words in claim for words in UPHELD), "quote": ""}
        for number, claim in re.findall(r"^claim (\d+): (.*)$", text, re.MULTILINE)
    ]
    said = [
        violation
        for one in PLAYED["objections"]
        if (one["unit"], one["model"]) == (ask.unit, request.model) and ask.prompt.endswith(":review")
        for violation in one["violations"]
        if violation["quote"].rpartition(". ")[2] in text
    ]
    return {"reasoning": "r", "items": [{"id": ask.unit, "claims": claims, "violations": said}]}


@pytest.mark.parametrize("raw", PLAYED["bank"], ids=lambda raw: raw["id"])
def test_every_sound_answer_came_to_something(raw: dict[str, Any]) -> None:
    source = Question.model_validate({**raw, "language": "en"})
    roles = ModelRoles(("claude", "gemini"), {CORRECTOR: "gpt"})
    env = Environment(select(KIND.checks), roles, context=BankContext(language="en"))
    row = UnitRow(source.id, "bank", 0, source.content_hash, KIND.states.initial)
    work = KIND.work(Task(source.id, (Item(row, source, source, ()),)), env)
    kept: list[Keep] = []
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            [unit] = end.value.units
            break
        sent = None
        if isinstance(effect, Keep):
            kept.append(effect)
            sent = len(kept)
        elif isinstance(effect, Ask):
            sent = tuple(
                Answer(one.model, REPLIES[one.ask.reply].model_validate(played(one))) for one in effect.requests
            )
    assert (unit.states[-1].reason, [one.failure for one in kept]) == (ENDS[source.id], [None] * len(kept))
