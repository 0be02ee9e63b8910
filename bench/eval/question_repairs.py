"""Repairs that destroy the key: a scripted model damages real questions, and none may be validated unchecked.

Each question with an error that a model may repair gets four corrections, one after the other: the negation only
dropped, another answer in the key's place, another key, another question's stem. The judge is nobody, the corrector
itself (which calls everything right), or another model that chooses another option than the damaged key.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench.eval.figures import note
from burnish.core.checks import Selection
from burnish.core.effects import Answer, Ask, Keep, ModelRoles, Request
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question

KIND = QuestionsKind()
SEED, ITEMS = 13, 240
Edits = list[dict[str, str]]


def _edit(question: Question, field: str, text: str) -> dict[str, str]:
    return {"unit": question.id, "field": field, "find": question.texts()[field], "replace": text}


def dropped_negation(question: Question, other: Question) -> Edits:
    stem = question.stem
    for words, instead in ((" NOT ", " "), (" not ", " "), ("EXCEPT", "including"), ("except", "including")):
        stem = stem.replace(words, instead)
    return [_edit(question, "stem", stem)] if stem != question.stem else []


def replaced_key(question: Question, other: Question) -> Edits:
    assert question.key is not None and other.key is not None
    return [_edit(question, f"options.{question.key.key}", other.key.text)]


def another_key(question: Question, other: Question) -> Edits:
    return [_edit(question, "correct_answer", question.distractors[0].key)] if question.distractors else []


def another_stem(question: Question, other: Question) -> Edits:
    return [_edit(question, "stem", other.stem)]


DAMAGES: dict[str, Callable[[Question, Question], Edits]] = {
    "negation dropped": dropped_negation,
    "key's text replaced": replaced_key,
    "another key": another_key,
    "another stem": another_stem,
}
JUDGES = {"no judge": (), "the corrector judges": ("m",), "another judge": ("j",)}


def repaired(question: Question, edits: Edits, judges: tuple[str, ...], selection: Selection) -> tuple[str, bool, bool]:
    """The state it ends in, whether the draft that stands was changed, and whether another model solved it blind."""
    row = UnitRow(question.id, "bank", 0, question.content_hash, KIND.states.initial)
    env = Environment(selection, ModelRoles(judges, {CORRECTOR: "m"}), context=BankContext(language="en"))
    work = KIND.work(Task(question.id, (Item(row, question, question, ()),)), env)
    kept: list[Keep] = []
    solved = False
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            [unit] = end.value.units
            stands = kept[(unit.best or 1) - 1]
            return unit.states[-1].state, stands.unit.content_hash != question.content_hash, solved
        sent = None
        if isinstance(effect, Keep):
            kept.append(effect)
            sent = len(kept)
        elif isinstance(effect, Ask):
            solved = solved or any(r.ask.reply == "answer_reply" and r.model != "m" for r in effect.requests)
            sent = tuple(Answer(r.model, _reply(r.ask, edits)) for r in effect.requests)


def _reply(ask: Request, edits: Edits) -> object:
    said: dict[str, Any] = {"reasoning": "scripted"}
    if ask.reply == "edit_reply":
        said |= {"edits": edits}
    elif ask.reply == "answer_reply":
        said |= {"choice": "none", "also_right": [], "confidence": "high"}
    elif ask.reply == "delta_reply":
        said |= {"passed": True, "confidence": "high", "differences": [], "newIssues": []}
    else:
        said |= {"violations": []}
    return REPLIES[ask.reply].model_validate(said)


def cases(flawed: Sequence[Question]) -> Iterator[tuple[str, Question, Edits]]:
    """The seeded sample, with every damage that can be done to each question."""
    dice = random.Random(SEED)
    keyed = [question for question in flawed if question.key is not None and len(question.options) > 2]
    for question in dice.sample(keyed, min(ITEMS, len(keyed))):
        other = dice.choice(keyed)
        for name, damage in DAMAGES.items():
            if other is not question and (edits := damage(question, other)):
                yield name, question, edits


def report(flawed: Sequence[Question], selection: Selection) -> tuple[list[str], bool]:
    """The table, and whether no damage was validated unchecked."""
    ends: Counter[tuple[str, str, str]] = Counter()
    tried: Counter[str] = Counter()
    for name, question, edits in cases(flawed):
        tried[name] += 1
        for judge, judges in JUDGES.items():
            state, changed, solved = repaired(question, edits, judges, selection)
            if state == KIND.states.ready and changed:
                ends[name, judge, "checked" if solved else "unchecked"] += 1
    lost = sum(count for (_, _, how), count in ends.items() if how == "unchecked")
    lines = [
        f"Key-destroying repairs of {min(ITEMS, len(flawed))} questions (seed {SEED}): validated, by judge",
        f"  {'damage':<22} {'tried':>6}" + "".join(f" {judge:>22}" for judge in JUDGES),
    ]
    for name in DAMAGES:
        shown = (sum(ends[name, judge, how] for how in ("checked", "unchecked")) for judge in JUDGES)
        lines.append(f"  {name:<22} {tried[name]:>6}" + "".join(f" {count:>22}" for count in shown))
    lines.append(f"  validated without a key check: {lost} (goal: 0)")
    tries = sum(tried.values()) * len(JUDGES)
    note("key-destroying repairs validated without a key check", lost, tries, 0.0, at_most=True)
    return lines, lost == 0
