"""Repairs that change what a question says: how many are validated, and how many sound repairs are refused.

Alone: `python -m bench.eval.repair_meaning [--data DIR]`. A sound question of a public bank gets one flaw (an option
that only names others, words that nobody needs), so that its repair is known: the text as it was. A change of meaning
is then planted inside that repair: a figure, a denial, an opposite, a letter of another script, a sentence, a noun.
Judges that sleep accept everything; honest ones see a planted change. Nothing is tuned to single rows.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.eval.figures import interval, note
from burnish.core.checks import Selection, discover, select
from burnish.core.effects import Answer, Ask, Keep, ModelRequest, ModelRoles
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions import checks, requests
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question

SEED, CHANGES, SOUND_REPAIRS = 25, 500, 300
BIASED = ", says a wheelchair-bound clerk,"
WHICH = "Which of the following"
Rewrite = Callable[[str, random.Random, str], str | None]
"""A text, chance, and a text of another question; gives the changed text, or None where it does not apply."""


@dataclass(frozen=True)
class Flawed:
    """A sound question with one flaw."""

    question: Question
    flaw: str
    field: str
    find: str
    replace: str

    @property
    def repair(self) -> dict[str, Any]:
        return {"unit": self.question.id, "field": self.field, "find": self.find, "replace": self.replace}


def flawed(question: Question, dice: random.Random) -> Flawed | None:
    """The question with one flaw, and what it was before."""
    if question.key is None or len(question.options) < 4:
        return None
    place = next(option for option in reversed(question.options) if option.key != question.key.key)
    others = [option.key for option in question.options if option.key != place.key][:2]
    texts = {
        "none of the above": "None of the above",
        "all of the above": "All of the above",
        "combined options": f"Both {others[0]} and {others[1]}",
        "filler": "Lorem ipsum dolor",
        "biased words": "",
    }
    flaw = dice.choice(list(texts))
    if flaw == "biased words":
        if question.stem.count(WHICH) != 1:
            return None
        made = question.with_text("stem", question.stem.replace(WHICH, WHICH + BIASED))
        return Flawed(made, flaw, "stem", BIASED, "")
    field = f"options.{place.key}"
    return Flawed(question.with_text(field, texts[flaw]), flaw, field, texts[flaw], place.text)


# -- changes of meaning

OPPOSITES = "increased/decreased increases/decreases high/low left/right before/after anterior/posterior man/woman"
OPPOSITES += " boy/girl elevated/reduced acute/chronic upper/lower positive/negative maximum/minimum more/less"
OPPOSITES += " above/below inside/outside father/mother present/absent northern/southern rise/fall hot/cold"
UNITS = {"mg": "g", "mm": "cm", "mL": "L", "kg": "g", "cm": "m", "hours": "days", "weeks": "months", "days": "weeks"}
QUANTIFIERS = {"all": "some", "some": "all", "every": "some", "most": "few", "only": "often", "each": "some"}
MODALS = {"must": "may", "may": "must", "should": "may", "can": "must", "will": "may"}
LOOK_ALIKE = {"a": "\u0430", "e": "\u0435", "o": "\u043e", "p": "\u0440", "c": "\u0441"}
GERMAN = ("und danach wird das Ergebnis noch einmal geprüft", "weil der Patient sonst keine Beschwerden hat")


def _swapped(text: str, pairs: dict[str, str], dice: random.Random) -> str | None:
    found = [match for match in re.finditer(r"[^\W\d_]+", text) if match.group() in pairs]
    if not found:
        return None
    match = dice.choice(found)
    return text[: match.start()] + pairs[match.group()] + text[match.end() :]


def figure(text: str, dice: random.Random, other: str) -> str | None:
    found = list(re.finditer(r"\d+(?:\.\d+)?", text))
    if not found:
        return None
    match = dice.choice(found)
    new = dice.choice([f"{match.group()}0", str(float(match.group()) / 10), str(int(float(match.group())) + 3)])
    return text[: match.start()] + new + text[match.end() :]


def unit(text: str, dice: random.Random, other: str) -> str | None:
    return _swapped(text, UNITS, dice)


def denial(text: str, dice: random.Random, other: str) -> str | None:
    found = list(re.finditer(r"\b(?:is|are|was|were|has|does|can|should)\b", text))
    if not found:
        return None
    match = dice.choice(found)
    return f"{text[: match.end()]} not{text[match.end() :]}"


def denial_dropped(text: str, dice: random.Random, other: str) -> str | None:
    changed = re.sub(r"\b(?:not|no|denies|without) ", "", text, count=1)
    return changed if changed != text else None


def opposite(text: str, dice: random.Random, other: str) -> str | None:
    pairs = dict(pair.split("/") for pair in OPPOSITES.split())
    return _swapped(text, pairs | {new: old for old, new in pairs.items()}, dice)


def quantifier(text: str, dice: random.Random, other: str) -> str | None:
    return _swapped(text, QUANTIFIERS, dice)


def modal(text: str, dice: random.Random, other: str) -> str | None:
    return _swapped(text, MODALS, dice)


def look_alike(text: str, dice: random.Random, other: str) -> str | None:
    found = [place for place, letter in enumerate(text) if letter in LOOK_ALIKE]
    if not found:
        return None
    place = dice.choice(found)
    return text[:place] + LOOK_ALIKE[text[place]] + text[place + 1 :]


def language(text: str, dice: random.Random, other: str) -> str | None:
    words = text.rstrip(" ?.:")
    return f"{words}, {dice.choice(GERMAN)}{text[len(words) :]}" if len(words) > 20 else None


def sentence_dropped(text: str, dice: random.Random, other: str) -> str | None:
    sentences = re.split(r"(?<=[.?!]) ", text)
    if len(sentences) < 3:
        return None
    del sentences[dice.randrange(len(sentences) - 1)]
    return " ".join(sentences)


def sentence_added(text: str, dice: random.Random, other: str) -> str | None:
    sentences = [one for one in re.split(r"(?<=[.?!]) ", other) if len(one.split()) > 5 and one.endswith(".")]
    return f"{dice.choice(sentences)} {text}" if sentences and len(text) > 40 else None


def noun(text: str, dice: random.Random, other: str) -> str | None:
    mine = list(re.finditer(r"\b[a-z]{6,}\b", text))
    theirs = [word for word in re.findall(r"\b[a-z]{6,}\b", other) if word not in text]
    if not mine or not theirs:
        return None
    match = dice.choice(mine)
    return text[: match.start()] + dice.choice(theirs) + text[match.end() :]


MEANINGS: dict[str, Rewrite] = {
    "figure": figure,
    "unit": unit,
    "denial added": denial,
    "denial dropped": denial_dropped,
    "opposite": opposite,
    "quantifier": quantifier,
    "modal verb": modal,
    "letter of another script": look_alike,
    "another language": language,
    "sentence dropped": sentence_dropped,
    "sentence added": sentence_added,
    "another noun": noun,
}


# -- the work on one question, with judges that sleep or are honest


def ended(case: Flawed, edits: Sequence[dict[str, Any]], selection: Selection, *, passes: bool) -> tuple[str, bool]:
    """The state in which it ends, and whether the repair stands. `passes`: what a reader says of both versions."""
    question = case.question
    env = Environment(selection, ModelRoles(("j", "k"), {CORRECTOR: "m"}), context=BankContext(language="en"))
    row = UnitRow(question.id, "bank", 0, question.content_hash, KIND.states.initial)
    work = KIND.work(Task(question.id, (Item(row, question, question, ()),)), env)
    kept: list[Keep] = []
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            [unit] = end.value.units
            stands = kept[(unit.best or 1) - 1]
            return unit.states[-1].state, stands.unit.content_hash != question.content_hash
        sent = None
        if isinstance(effect, Keep):
            kept.append(effect)
            sent = len(kept)
        elif isinstance(effect, Ask):
            sent = tuple(Answer(one.model, _reply(one, case, edits, passes=passes)) for one in effect.requests)


def _reply(request: ModelRequest, case: Flawed, edits: Sequence[dict[str, Any]], *, passes: bool) -> object:
    """What a model says. Readers uphold the claims about the flaw, and deny all others."""
    said: dict[str, Any] = {"reasoning": "scripted"}
    if request.ask.reply == "edit_reply":
        said |= {"edits": [_as_shown(edit, request.ask.untrusted["question"]) for edit in edits]}
    elif request.ask.reply == "answer_reply":
        said |= {"choice": case.question.correct_answer, "also_right": [], "confidence": "high"}
    elif request.ask.reply == "delta_reply":
        said |= {"passed": passes, "confidence": "high", "differences": [], "newIssues": []}
    else:
        shown = request.ask.untrusted[requests.ITEMS]
        is_flawed = case.find in shown
        claims = re.findall(r"^claim (\d+): (.*)$", shown, re.MULTILINE)
        upheld = [
            {"claim": number, "upheld": is_flawed and f"field: {case.field} " in words} for number, words in claims
        ]
        said |= {"claims": upheld, "violations": []}
    return REPLIES[request.ask.reply].model_validate(said)


def _as_shown(edit: dict[str, Any], shown: str) -> dict[str, Any]:
    """The edit of a whole field, with the words that the corrector is shown: a safe fix may have changed them."""
    field = re.search(rf"^{re.escape(edit['field'])}: (.*)$", shown, re.MULTILINE)
    is_whole = edit["field"].startswith("options.")
    return {**edit, "find": field[1]} if field is not None and is_whole else edit


def planted(case: Flawed, name: str, other: Question, dice: random.Random) -> list[dict[str, Any]] | None:
    """The sound repair with a change of meaning in one of the fields that it may touch."""
    claims = [one for one in KIND.examine(case.question, SELECTION, BankContext(language="en")).findings if one.blocks]
    texts = case.question.texts()
    fields = [str(field) for field in requests.editable(case.question, claims) if field != "correct_answer"]
    fields = [field for field in sorted(fields) if field == "stem" or field != case.field]
    for field in sorted(fields, key=lambda one: (one != "stem", dice.random())):
        old = texts[field]
        text = old.replace(case.find, case.replace) if field == case.field else old
        new = MEANINGS[name](text, dice, other.stem)
        if new is not None and new != text:
            change = {"unit": case.question.id, "field": field, "find": old, "replace": new}
            return [change] if field == case.field else [case.repair, change]
    return None


SELECTION = select(discover(checks))


def cases(sound: Sequence[Question], dice: random.Random) -> Iterator[tuple[Flawed, Question]]:
    while True:
        question, other = dice.choice(sound), dice.choice(sound)
        case = flawed(question, dice)
        if case is None or other is question:
            continue
        found = KIND.examine(case.question, SELECTION, BankContext(language="en")).findings
        fixed = KIND.examine(question, SELECTION, BankContext(language="en")).findings
        if any(one.blocks for one in found) and not any(one.blocks for one in fixed):
            yield case, other


def report(sound: Sequence[Question]) -> tuple[list[str], bool]:
    """The tables, and whether the goals are reached."""
    dice = random.Random(SEED)
    tried: Counter[str] = Counter()
    passed: dict[str, Counter[str]] = {"asleep": Counter(), "honest": Counter()}
    stream = cases(sound, dice)
    names = list(MEANINGS)
    while sum(tried.values()) < CHANGES:
        case, other = next(stream)
        name = names[sum(tried.values()) % len(names)]
        edits = planted(case, name, other, dice) if case.flaw != "filler" else None
        if edits is None:
            names = names[1:] + names[:1]
            continue
        tried[name] += 1
        for judges in passed:
            state, stands = ended(case, edits, SELECTION, passes=judges == "asleep")
            passed[judges][name] += state == KIND.states.ready and stands
    refused = Counter(
        case.flaw
        for case, _ in (next(stream) for _ in range(SOUND_REPAIRS))
        if ended(case, [case.repair], SELECTION, passes=True)[0] != KIND.states.ready
    )
    return _lines(tried, passed, refused), _goals(tried, passed, refused)


def _lines(tried: Counter[str], passed: dict[str, Counter[str]], refused: Counter[str]) -> list[str]:
    lines = [
        f"Changes of meaning inside a repair (seed {SEED}): validated, by judges",
        f"  {'change':<26} {'tried':>6} {'asleep':>8} {'honest':>8}",
    ]
    for name in MEANINGS:
        lines.append(f"  {name:<26} {tried[name]:>6} {passed['asleep'][name]:>8} {passed['honest'][name]:>8}")
    total = sum(tried.values())
    for judges, counts in passed.items():
        lines.append(f"  all, judges {judges}: {interval(counts.total(), total)}")
    lines.append(f"Sound repairs refused: {interval(refused.total(), SOUND_REPAIRS)} {dict(refused)}")
    return lines


def _goals(tried: Counter[str], passed: dict[str, Counter[str]], refused: Counter[str]) -> bool:
    total = sum(tried.values())
    note("changes of meaning validated, judges asleep", passed["asleep"].total(), total, 0.05, at_most=True)
    note("changes of meaning validated, judges honest", passed["honest"].total(), total, 0.02, at_most=True)
    note("sound repairs refused", refused.total(), SOUND_REPAIRS, 0.03, at_most=True)
    is_good = passed["asleep"].total() <= 0.05 * total and passed["honest"].total() <= 0.02 * total
    return is_good and refused.total() <= 0.03 * SOUND_REPAIRS


def main() -> int:
    from bench.eval.questions import labelled_questions, sound_questions

    parser = argparse.ArgumentParser(prog="python -m bench.eval.repair_meaning", description=__doc__)
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="the folder with questions/")
    data: Path = parser.parse_args().data
    sound = [question for question, _ in sound_questions(data)]
    sound += [question for question, label in labelled_questions(data) if label == "ok"]
    lines, good = report(sound)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
