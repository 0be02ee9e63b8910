"""What a repair does to the right option, as far as code can tell from the logic of the item.

A negative item says of every distractor that it fits the positive question; "all of the above" says of its parts that
they are right; "A and C only" says it of A and C. A repair that keeps such options and asks for one right answer has
several. Whether an answer is true, only a solver can tell (`key_check`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from burnish.core.documents import Field
from burnish.core.errors import EditRefused
from burnish.kinds.questions.bank import topic
from burnish.kinds.questions.checks.nbme_all_of_the_above import all_of_the_above
from burnish.kinds.questions.checks.nbme_negation_detection import negation_detection
from burnish.kinds.questions.checks.nbme_none_of_the_above import none_of_the_above
from burnish.kinds.questions.model import Option, Question
from burnish.kinds.questions.option_overlap import combinations, normal_form
from burnish.kinds.questions.policy import Part, parts
from burnish.languages.words import content_stems, stem, word_set

POSITIVE = frozenset(map(stem, word_set("true correct most likely right accurate appropriate best always")))
"""Words that may replace a negation without changing anything else."""
SHARED = 0.5
"""Share of the words of a key or stem that must remain: with fewer it is another answer or question."""


def refuse_wrong_options(before: Question, after: Question, flagged: Collection[Field] = ()) -> None:
    """Raise EditRefused if a repair certainly leaves a wrong key, or several right options.

    `flagged` are the fields flagged for their own wording: a key among them may be reworded.
    """
    for old, new in zip(parts(before), parts(after), strict=True):
        _refuse_moved_key(old, new.question)
        if old.question.right and new.question.right:
            _refuse_replaced_key(old, new.question, flagged)
            _refuse_dropped_negation(old, new.question)
            _refuse_several(old, new.question)


def _refuse_moved_key(old: Part, new: Question) -> None:
    """A model never changes which option is keyed while the options stay."""
    was, now = [[option.key for option in side.right] for side in (old.question, new)]
    if was == now and old.question.correct_answer.strip() == new.correct_answer.strip():
        return
    texts = [[normal_form(option.text) for option in side.options] for side in (old.question, new)]
    if was and texts[0] == texts[1]:
        raise EditRefused("moves_key", f"{old.place('correct_answer')}: the key moves, and the options stay.")


def _refuse_replaced_key(old: Part, new: Question, flagged: Collection[Field]) -> None:
    if old.question.correct_answer.strip() != new.correct_answer.strip():
        return
    labels = Logic.of(old.question).labels
    for was, now in zip(old.question.right, new.right, strict=False):
        field = old.place(f"options.{was.key}")
        # "A and C only" is no answer: what replaces it is one.
        if field not in flagged and was.key not in labels and not keeps_words(was.text, now.text):
            raise EditRefused("replaces_key", f"{field}: the key would be another answer.")


def _refuse_dropped_negation(old: Part, new: Question) -> None:
    if not is_negative(old.question) or is_negative(new) or asks_anew(old.question, new):
        return
    if new.correct_answer.strip() == old.question.correct_answer.strip() and _same_texts(old.question.right, new.right):
        raise EditRefused("drops_negation", f"{old.place('stem')}: the key answers the negative question.")


def _refuse_several(old: Part, new: Question) -> None:
    """Refuse a repair that keeps an option that is right besides the key, or makes a wrong one the key."""
    if asks_anew(old.question, new) or is_negative(new):
        return
    logic = Logic.of(old.question)
    keys = {option.key for option in new.right}
    for option in new.options:
        is_right = logic.truths.get(normal_form(option.text))
        if is_right and option.key not in keys and len(keys) == 1:
            message = f"{old.place(f'options.{option.key}')}: it stays right by the logic of the old item."
            raise EditRefused("several_right", message)
        if is_right is False and option.key in keys:
            message = f"{old.place(f'options.{option.key}')}: the old item says that it is wrong."
            raise EditRefused("wrong_key", message)


@dataclass(frozen=True, slots=True)
class Logic:
    """What an item with this key says of its own options, asked without a denial."""

    truths: dict[str, bool]
    """Normal form of an option's text -> whether it is right. Options of which the item says nothing are not here."""
    labels: frozenset[str]
    """The keys of options that only name others: "All of the above", "A and C only"."""

    @classmethod
    def of(cls, question: Question) -> Logic:
        named = dict(_named(question))
        plain = [option for option in question.options if option.key not in named]
        right = {key for option in question.right for key in named.get(option.key, {option.key})}
        unsure = any(named.get(option.key) == UNKNOWN for option in question.right)
        turned = is_negative(question)
        truths = {} if unsure else {normal_form(option.text): (option.key in right) != turned for option in plain}
        return cls(truths, frozenset(named))


UNKNOWN = frozenset({"?"})
"""Statements of the stem, which are no options."""


def _named(question: Question) -> Iterator[tuple[str, frozenset[str]]]:
    """The options that name others: key -> the keys of those that are right if it is."""
    everything = frozenset(option.key for option in question.options)
    combined = combinations(question)
    for one in combined:
        by_letter = {option.key.upper(): option.key for option in question.options}
        held = frozenset(by_letter[label] for label in one.labels) if one.family == "letters" else UNKNOWN
        yield one.option.key, frozenset() if one.negative else held
    for finding in all_of_the_above.run(question):
        key = (finding.field or "").rpartition(".")[2]
        if key not in {one.option.key for one in combined}:
            yield key, everything - {key}
    for finding in none_of_the_above.run(question):
        key = (finding.field or "").rpartition(".")[2]
        if key not in {one.option.key for one in combined}:
            yield key, frozenset()


def is_negative(question: Question) -> bool:
    return next(iter(negation_detection.run(question)), None) is not None


def asks_anew(old: Question, new: Question) -> bool:
    """Whether the new stem asks something else: it has words of its own beyond the opposite of a negation."""
    return bool(topic([new.stem]) - topic([old.stem]) - POSITIVE)


def _same_texts(one: tuple[Option, ...], other: tuple[Option, ...]) -> bool:
    return [normal_form(option.text) for option in one] == [normal_form(option.text) for option in other]


def keeps_words(old: str, new: str) -> bool:
    if normal_form(old) == normal_form(new):
        return True
    words = content_stems(old)
    return bool(words) and len(words & content_stems(new)) >= SHARED * len(words)
