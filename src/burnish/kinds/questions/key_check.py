"""Checks of the key: repairs that put it in doubt, and the blind check.

In a blind check, judges solve the question without seeing the key. It is the only check of whether the key is true:
the rules judge form.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from burnish.core.documents import Field
from burnish.core.effects import Answer, Request
from burnish.core.findings import Finding, Severity
from burnish.core.together import ITEMS
from burnish.kinds.questions.bank import wording
from burnish.kinds.questions.labels import entry_about, read_choice
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.option_overlap import normal_form
from burnish.kinds.questions.policy import KEY_DOUBTFUL, OPTIONS_EQUAL, Part, parts
from burnish.kinds.questions.right_options import keeps_words
from burnish.kinds.questions.solvers import KeyStanding, Vote, standing_of

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
DOUBTING_RULES = WIDE_RULES | {"nbme_stem_clarity", "nbme_true_false"}
"""The key is checked after their repair. A repaired unclear stem may ask something that the key does not answer."""

_TURNING = sorted(word.replace("*", r"\w*") for words in wording()["turning"].values() for word in words.split())
TURNING = re.compile(
    rf"(?<!\w)(?:{'|'.join(_TURNING)}|\w+n't|\d[\d.,]*)(?!\w)|[不非没無无未除错誤误正对]|ない|ません|않|아닌|틀린|옳은"
)
"""Words that reverse or change what is asked, in many languages, and numbers."""
BLIND_PROMPT = "burnish.kinds.questions.prompts:solve"
BLIND_TOKENS = 500
USUAL_TOKENS = 100
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
    if not keeps_words(old.stem, new.stem) and not keeps_words(new.stem, old.stem):
        return True
    return any(_turns(one) != _turns(other) for one, other in ((old.stem, new.stem), (old.vignette, new.vignette)))


def _turns(text: str | None) -> list[str]:
    """The TURNING words and numbers of a text, in order: if one changes, another answer may be right."""
    return TURNING.findall((text or "").lower().replace("’", "'"))


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
            usual=USUAL_TOKENS,
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

    @property
    def is_key_alone(self) -> bool:
        return self.is_key and not self.also

    @property
    def vote(self) -> Vote:
        return Vote(self.model, self.chosen, self.also, self.is_sure)


@dataclass(frozen=True, slots=True)
class BlindCheck:
    """The choices of the judges that were not shown the key."""

    question: Question
    solutions: tuple[Solution, ...] = ()
    was_asked: bool = False

    @classmethod
    def of(cls, question: Question, answers: Sequence[Answer]) -> BlindCheck:
        """From the answers to `blind_asks`, judge by judge. Unreadable answers are skipped."""
        items = list(_solvable(question))
        solved = (_solution(items[place % len(items)], answer) for place, answer in enumerate(answers))
        return cls(question, tuple(filter(None, solved)), was_asked=bool(answers))

    def standing(self, part: Part, seats_left: int = 0, enough: int | None = None) -> KeyStanding:
        """What the solutions say about the key of one item."""
        key = part.question.key
        votes = [solution.vote for solution in self._of(part)]
        return standing_of(votes, key.key if key is not None else "", seats_left, enough)

    def is_settled(self, seats_left: int, enough: int) -> bool:
        """Whether nobody else needs to be asked: no item is left, or one of them waits for a person anyway."""
        standings = [self.standing(part, seats_left, enough) for part in _solvable(self.question)]
        return "objected" in standings or "keep_asking" not in standings

    def _of(self, part: Part) -> list[Solution]:
        return [solution for solution in self.solutions if solution.part.place("stem") == part.place("stem")]

    @property
    def score(self) -> float | None:
        """The share of choices that are the key alone, for sure; None if an item has no solution."""
        items = list(parts(self.question))
        if not items or not all(self._of(part) for part in items):
            return None
        # A solver that is unsure and takes the key alone confirms nothing, and objects to nothing.
        counted = [one for one in self.solutions if one.is_sure or not one.is_key_alone]
        confirmed = all(any(one.is_sure and one.is_key_alone for one in self._of(part)) for part in items)
        return sum(one.is_key_alone for one in counted) / len(counted) if counted and confirmed else 0.0

    def findings(self, *, in_doubt: bool) -> list[Finding]:
        """The findings of the check. `in_doubt`: a repair put the key in doubt, so the question waits in any case."""
        found = [finding for part in _solvable(self.question) for finding in self._about(part, in_doubt=in_doubt)]
        if in_doubt and self.score is None:
            message = "The repair can change which option is right, and no other model has solved the question since."
            advice = "Compare both versions, and solve the new one yourself."
            found.append(Finding(KEY_DOUBTFUL, "warning", self.question.id, "correct_answer", message, advice))
        return [finding for finding in found if finding.rule not in self.question.burnish_ignore]

    def _about(self, part: Part, *, in_doubt: bool) -> Iterator[Finding]:
        """What is against the key: an error if it puts the question before a person, else a doubt."""
        standing = self.standing(part)
        if self.was_asked and not self._of(part) and not in_doubt:
            message = "No judge's own answer to the question could be read, so nobody has checked the key."
            place = (self.question.id, part.place("correct_answer"), message, "Solve it yourself.")
            yield Finding(KEY_DOUBTFUL, "warning", *place, source="model", data={"standing": standing, "votes": []})
        severity: Severity = "error" if standing == "objected" and not in_doubt else "warning"
        against = sorted(
            (one for one in self._of(part) if not one.is_key_alone), key=lambda one: (not one.is_sure, one.is_key)
        )
        others = [one for one in against if not one.is_key]
        if others:
            yield self._doubt(part, others, severity, standing)
        several = next((one for one in against if one.also and (one.is_key or not others)), None)
        if several is not None:
            named = " and ".join(dict.fromkeys([*filter(None, [several.chosen]), *several.also]))
            message = f"A judge that was not shown the key calls more than one option right: {named}. {several.reason}"
            advice = "Narrow the stem, or change all but one of them."
            finding = self._finding(OPTIONS_EQUAL, severity, part.place("options"), message, advice, several)
            data = {"choices": [*filter(None, [several.chosen]), *several.also]}
            yield replace(finding, data={**data, **self._votes(part, standing)})

    def _doubt(self, part: Part, others: Sequence[Solution], severity: Severity, standing: KeyStanding) -> Finding:
        first = others[0]
        same = {one.model for one in others if one.chosen == first.chosen}
        who = "A judge that was not shown the key chooses"
        if len(same) > 1:
            who = f"{len(same)} judges that were not shown the key choose"
        choice = first.chosen or "none of the options"
        key = part.question.key.key if part.question.key is not None else part.question.correct_answer
        sure = "" if first.is_sure else ", without being sure"
        message = f"{who} {choice}{sure}; the key is {key}. {first.reason}"
        advice = "Check the key: no model changes it."
        finding = self._finding(KEY_DOUBTFUL, severity, part.place("correct_answer"), message, advice, first)
        return replace(finding, data={"choice": first.chosen, "key": key, **self._votes(part, standing)})

    def _votes(self, part: Part, standing: KeyStanding) -> dict[str, Any]:
        """For programs: what every solver said."""
        votes = [
            {"model": one.model, "choice": one.chosen, "also": list(one.also), "sure": one.is_sure}
            for one in self._of(part)
        ]
        return {"standing": standing, "votes": votes}

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


def moves_key(before: Question, after: Question) -> bool:
    """Whether another answer is keyed: its letter changed, or its text is another answer."""
    for old, new in zip(parts(before), parts(after), strict=True):
        was, now = [option.text for option in old.question.right], [option.text for option in new.question.right]
        if len(was) != len(now) or not all(keeps_words(*pair) for pair in zip(was, now, strict=True)):
            return True
    return False
