"""Checks of the key during a repair: repairs that put it in doubt, edits that are refused, and the blind check.

In a blind check, judges solve the question without seeing the key. It is the only check of whether the key is true:
the rules judge form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from burnish.core.documents import Field
from burnish.core.effects import Answer, Request
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding, Severity
from burnish.core.together import ITEMS
from burnish.kinds.questions.bank import topic, wording
from burnish.kinds.questions.checks.nbme_negation_detection import negation_detection
from burnish.kinds.questions.labels import entry_about, read_choice
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.option_overlap import normal_form
from burnish.kinds.questions.policy import KEY_DOUBTFUL, OPTIONS_EQUAL, Part, parts
from burnish.languages.words import content_stems, stem, word_set

if TYPE_CHECKING:
    from burnish.core.replies import AnswerReply

WIDE_RULES = frozenset(
    {
        "nbme_negation_detection",
        "nbme_all_of_the_above",
        "nbme_none_of_the_above",
        "nbme_complex_k_type",
        "nbme_multiple_correct",
        "nbme_single_best_answer",
    }
)
"""Rules whose repair can change which answer is right: stem, options, key and rationale may change together."""
DOUBTING_RULES = WIDE_RULES | {"nbme_stem_clarity"}
"""The key is checked after their repair. A repaired unclear stem may ask something that the key does not answer."""

_TURNING = sorted(word.replace("*", r"\w*") for words in wording()["turning"].values() for word in words.split())
TURNING = re.compile(
    rf"(?<!\w)(?:{'|'.join(_TURNING)}|\w+n't|\d[\d.,]*)(?!\w)|[不非没無无未除错誤误正对]|ない|ません|않|아닌|틀린|옳은"
)
"""Words that reverse or change what is asked, in many languages, and numbers."""
POSITIVE = frozenset(map(stem, word_set("true correct most likely right accurate appropriate best always")))
"""Words that may replace a negation without changing anything else."""
SHARED = 0.5
"""Share of the words of a key or stem that must remain: with fewer it is another answer or question."""

BLIND_PROMPT = "burnish.kinds.questions.prompts:solve"
BLIND_TOKENS = 500
LONGEST_REASON = 300


def is_in_doubt(before: Question, after: Question, rules: Collection[str]) -> bool:
    """Whether the change from `before` to `after`, made for `rules`, can have changed the right answer."""
    if not DOUBTING_RULES.isdisjoint(rules):
        return True
    pairs = zip(parts(before), parts(after), strict=True)
    return any(_moves_key(old.question, new.question) for old, new in pairs)


def _moves_key(old: Question, new: Question) -> bool:
    if old.correct_answer.strip() != new.correct_answer.strip():
        return True
    if any(normal_form(one.text) != normal_form(other.text) for one, other in zip(old.right, new.right, strict=False)):
        return True
    if new.type == "true_false" and normal_form(old.stem) != normal_form(new.stem):
        return True  # the stem is the statement to judge
    if not _keeps_words(old.stem, new.stem) and not _keeps_words(new.stem, old.stem):
        return True
    return any(_turns(one) != _turns(other) for one, other in ((old.stem, new.stem), (old.vignette, new.vignette)))


def _turns(text: str | None) -> list[str]:
    """The TURNING words and numbers of a text, in order: if one changes, another answer may be right."""
    return TURNING.findall((text or "").lower().replace("’", "'"))


def refuse_key_damage(before: Question, after: Question, flagged: Collection[Field]) -> None:
    """Raise EditRefused if an edit certainly makes the key wrong: it only removes the negation, or replaces the key
    with another answer.

    `flagged` are the fields flagged for their own wording: a key among them may be reworded.
    """
    for old, new in zip(parts(before), parts(after), strict=True):
        one, other = old.question, new.question
        if not one.right or not other.right or one.correct_answer.strip() != other.correct_answer.strip():
            continue
        for was, now in zip(one.right, other.right, strict=False):
            field = old.place(f"options.{was.key}")
            if field not in flagged and not _keeps_words(was.text, now.text):
                raise EditRefused("replaces_key", f"{field}: the key would be another answer.")
        # If the new stem adds words beyond the opposite of the negation, it asks something else.
        asks_anew = topic([other.stem]) - topic([one.stem]) - POSITIVE
        if _is_negative(one) and not _is_negative(other) and not asks_anew:
            raise EditRefused("drops_negation", f"{old.place('stem')}: the key answers the negative question.")


def _keeps_words(old: str, new: str) -> bool:
    if normal_form(old) == normal_form(new):
        return True
    words = content_stems(old)
    return bool(words) and len(words & content_stems(new)) >= SHARED * len(words)


def _is_negative(question: Question) -> bool:
    return next(iter(negation_detection.run(question)), None) is not None


def blind_asks(question: Question) -> list[Request]:
    """The requests to solve the question, one for each item of a set, without key and rationale."""
    return [
        Request(
            role="reviewer",
            unit=question.id,
            prompt=BLIND_PROMPT,
            reply="answer_reply",
            trusted={},
            untrusted={ITEMS: "\n".join([f"id: {_id(part)}", *_shown(part.question)])},
            max_tokens=BLIND_TOKENS,
            item=_id(part),
        )
        for part in _solvable(question)
    ]


def _solvable(question: Question) -> Iterator[Part]:
    return (part for part in parts(question) if part.question.key is not None)


def _id(part: Part) -> str:
    """The id of an item in the request: that of the question, with its place in a set."""
    item = part.places.get("stem", "").removesuffix(".stem")
    return f"{part.question.id}/{item}" if item else part.question.id


def _shown(question: Question) -> Iterator[str]:
    yield from (text for text in (question.vignette, question.stem) if text and text.strip())
    yield from (f"{option.key}. {option.text}" for option in question.options)


@dataclass(frozen=True, slots=True)
class Solution:
    """The choice of one judge for one item, without knowing the key."""

    model: str
    part: Part
    chosen: str | None
    """None: none of the options."""
    also: tuple[str, ...]
    """Other options that the judge also calls right."""
    is_sure: bool
    reason: str

    @property
    def is_key(self) -> bool:
        key = self.part.question.key
        return key is not None and self.chosen == key.key


@dataclass(frozen=True, slots=True)
class BlindCheck:
    """The choices of the judges that were not shown the key."""

    question: Question
    solutions: tuple[Solution, ...] = ()

    @classmethod
    def of(cls, question: Question, answers: Sequence[Answer]) -> BlindCheck:
        """From the answers to `blind_asks`, judge by judge. Unreadable answers are skipped."""
        items = list(_solvable(question))
        solved = (_solution(items[place % len(items)], answer) for place, answer in enumerate(answers))
        return cls(question, tuple(filter(None, solved)))

    @property
    def score(self) -> float | None:
        """The share of choices that are the key alone; None if an item has no solution."""
        solved = {solution.part.place("stem") for solution in self.solutions}
        items = [part.place("stem") for part in parts(self.question)]
        if not items or not solved.issuperset(items):
            return None
        return sum(one.is_key and not one.also for one in self.solutions) / len(self.solutions)

    def findings(self, *, in_doubt: bool) -> list[Finding]:
        """The findings of the check. `in_doubt`: a repair put the key in doubt, so the question waits in any case."""
        found = [finding for part in parts(self.question) for finding in self._about(part, in_doubt=in_doubt)]
        if in_doubt and self.score is None:
            message = "The repair can change which option is right, and no other model has solved the question since."
            advice = "Compare both versions, and solve the new one yourself."
            found.append(Finding(KEY_DOUBTFUL, "warning", self.question.id, "correct_answer", message, advice))
        return [finding for finding in found if finding.rule not in self.question.burnish_ignore]

    def _about(self, part: Part, *, in_doubt: bool) -> Iterator[Finding]:
        here = [solution for solution in self.solutions if solution.part.place("stem") == part.place("stem")]
        others = [solution for solution in here if not solution.is_key]
        if others:
            by_choice: dict[str | None, list[Solution]] = {}
            for solution in others:
                by_choice.setdefault(solution.chosen, []).append(solution)
            chosen = max(by_choice.values(), key=lambda same: (sum(one.is_sure for one in same), len(same)))
            yield self._doubt(part, sorted(chosen, key=lambda one: not one.is_sure), in_doubt=in_doubt)
        several = next((solution for solution in here if solution.also), None)
        if several is not None:
            named = " and ".join(dict.fromkeys([*filter(None, [several.chosen]), *several.also]))
            message = f"A judge that was not shown the key calls more than one option right: {named}. {several.reason}"
            advice = "Narrow the stem, or change all but one of them."
            finding = self._finding(OPTIONS_EQUAL, "warning", part.place("options"), message, advice, several)
            yield replace(finding, data={"choices": [*filter(None, [several.chosen]), *several.also]})

    def _doubt(self, part: Part, others: Sequence[Solution], *, in_doubt: bool) -> Finding:
        """The finding on another choice: an error if two different models are sure of the same option."""
        first = others[0]
        agreed = first.chosen is not None and len({one.model for one in others if one.is_sure}) > 1
        severity: Severity = "error" if agreed and not in_doubt else "warning"
        judges = f"{len(others)} judges that were not shown the key choose" if agreed else "A judge that was not shown"
        choice = first.chosen or "none of the options"
        key = part.question.key.key if part.question.key is not None else part.question.correct_answer
        claim = f"{judges} {choice}" if agreed else f"{judges} the key chooses {choice}"
        message = f"{claim}; the key is {key}. {first.reason}"
        advice = "Check the key: no model changes it."
        finding = self._finding(KEY_DOUBTFUL, severity, part.place("correct_answer"), message, advice, first)
        return replace(finding, data={"choice": first.chosen, "key": key})

    def _finding(self, rule: str, severity: Severity, field: Field, message: str, advice: str, by: Solution) -> Finding:
        return Finding(rule, severity, self.question.id, field, message.strip(), advice, source=f"model:{by.model}")


def _solution(part: Part, answer: Answer) -> Solution | None:
    """The choice of a judge; None if it cannot be read: that is no vote, and never "none"."""
    reply = cast("AnswerReply | None", answer.reply)
    given = entry_about(_id(part), reply.items) if reply is not None else None
    choice = read_choice(part.question.options, given.choice) if given is not None else None
    if given is None or choice is None:
        return None
    also = [read_choice(part.question.options, label) for label in given.also_right]
    named = dict.fromkeys([*choice.keys, *(key for one in also if one is not None for key in one.keys)])
    chosen = next(iter(choice.keys), None)
    reason = " ".join(given.reasoning.split())
    shown = reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON].rsplit(' ', 1)[0]} …"
    others = tuple(key for key in named if key != chosen)
    return Solution(answer.model, part, chosen, others, given.confidence == "high", shown)
