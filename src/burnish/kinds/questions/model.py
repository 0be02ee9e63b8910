"""The question: the wire contract, and the derived values that checks read.

Field names are those of the exam writers' contract. `Question` is immutable; everything derived from its text is
computed once and cached, because thirty checks use the same sentences. A bank gives the right answer as a key (`B`,
`b.`, `Option B`), as a position, or as the text of the option.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic import Field as Described

from burnish.core.documents import Field, Unit, digest
from burnish.core.edits import Edit
from burnish.core.findings import Finding, Severity, Standing
from burnish.kinds.questions.labels import read_choice
from burnish.languages.detection import language_of, primary_tag
from burnish.languages.sentences import CLOSING, Sentence, sentences
from burnish.languages.words import word_list, word_set

QuestionType = Literal["single_best_answer", "extended_matching", "sequential_set", "true_false", "multiple_response"]
Findings = Iterator[Finding]
"""The result of a check."""
M = TypeVar("M", bound=BaseModel)
LONGEST_STEM = 100_000
"""Characters of a stem that are split into sentences, from the end: a bound for hostile input."""

NOTES = 12
"""Sentences from the end to search for the question: notes, numbered statements or a table may follow it."""

WHICH = "hich of the following"
"""Marks a question even if the author forgot the question mark."""

OPEN_ENDS = word_set(
    """
    is are was were be been has have a an the to of by in on for with from at as that because than and or when if except
    """
)
"""A sentence that ends in one of these is completed by the options."""

DEMANDS = word_set(
    "select choose identify find determine calculate compute evaluate name match solve pick indicate state give list"
)
"""Verbs that ask without a question mark."""


class Option(BaseModel):
    """An answer option."""

    model_config = ConfigDict(frozen=True, extra="allow")

    key: str
    text: str


def feedback_of(option: Option) -> str:
    """The feedback for a learner who chooses the option."""
    feedback = (option.model_extra or {}).get("feedback")
    return feedback.strip() if isinstance(feedback, str) else ""


class Metadata(BaseModel):
    """The metadata of a question. Every field is optional; unknown fields are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    course_id: str | None = None
    slo_ids: tuple[str, ...] | None = None
    concept_ids: tuple[str, ...] | None = None
    bloom_level: str | None = None
    difficulty: str | None = None
    usmle_system: str | None = None
    usmle_discipline: str | None = None
    keywords: tuple[str, ...] | None = None


class Item(BaseModel):
    """One item of a set: it shares the set's options in extended matching and has its own in a sequential set."""

    model_config = ConfigDict(frozen=True, extra="allow")

    stem: str
    options: tuple[Option, ...] | None = None
    correct_answer: str = ""
    rationale: str | None = None


class Question(BaseModel):
    """A question as its author wrote it (the contract's `QuestionDraft`)."""

    model_config = ConfigDict(frozen=True, extra="allow", title="QuestionDraft")

    id: str
    type: QuestionType = "single_best_answer"
    vignette: str | None = None
    stem: str = ""
    options: tuple[Option, ...] = ()
    correct_answer: str = ""
    rationale: str | None = None
    metadata: Metadata | None = None
    items: tuple[Item, ...] | None = Described(default=None, description="The items of a set; None otherwise.")
    language: str | None = Described(default=None, description="As declared by the bank, such as `en` or `es`.")
    burnish_ignore: tuple[str, ...] = Described(default=(), description="Rule ids to ignore, counted in the report.")

    @cached_property
    def line(self) -> int | None:
        """The line on which it begins in its file: set by the reader, not part of the content."""
        return None

    @cached_property
    def content_hash(self) -> str:
        return digest(self.model_dump(mode="json"))

    def texts(self) -> Mapping[Field, str]:
        return self._texts

    @cached_property
    def _texts(self) -> dict[Field, str]:
        return dict(_text_fields(self))

    def with_text(self, field: Field, text: str) -> Self:
        if field not in self._texts:
            raise KeyError(field)
        return _rebuilt(self, str(field), text)

    def finding(
        self,
        place: Field | Option,
        message: str,
        suggestion: str,
        span: tuple[int, int] | None = None,
        *,
        severity: Severity = "error",
        fix: Edit | None = None,
        data: Mapping[str, Any] | None = None,
        standing: Standing | None = None,
    ) -> Finding:
        """A finding in a field or an option; for an option without a span it quotes the whole option."""
        if isinstance(place, Option):
            span = (0, len(place.text)) if span is None and place.text else span
            place = f"options.{place.key}"
        return Finding.at(
            self,
            field=place,
            span=span,
            message=message,
            suggestion=suggestion,
            severity=severity,
            fix=fix,
            data=data,
            standing=standing,
        )

    @cached_property
    def key(self) -> Option | None:
        """The one option that `correct_answer` names; None if it names no option or may name several."""
        if self.type == "multiple_response":
            return None
        given = self.correct_answer.strip()
        for option in self.options:
            if option.key == given:
                return option
        return None

    @cached_property
    def right(self) -> tuple[Option, ...]:
        """All right options: the key, or all keys of a multiple response ("A, C")."""
        if self.type != "multiple_response":
            return () if self.key is None else (self.key,)
        named = {part.strip() for part in self.correct_answer.split(",")}
        if not named.issubset(option.key for option in self.options):
            named = set(meant_keys(self.options, self.correct_answer))
        return tuple(option for option in self.options if option.key in named)

    @cached_property
    def distractors(self) -> tuple[Option, ...]:
        """All wrong options."""
        return tuple(option for option in self.options if not any(option is right for right in self.right))

    @cached_property
    def language_shown(self) -> str | None:
        """The language that the bank declares, or the one detected in the text.

        A text that is too short for detection is taken to be in the language of its bank: `policy.alike` sets this,
        because it knows the bank.
        """
        return primary_tag(self.language) or language_of(self.words_shown)

    @property
    def words_shown(self) -> str:
        """All text that is used to detect the language."""
        items = (item.stem for item in self.items or ())
        return "\n".join((self.stem, self.vignette or "", self.options_text, *items))

    @cached_property
    def options_text(self) -> str:
        """The texts of all options, one per line."""
        return "\n".join(option.text for option in self.options)

    @cached_property
    def options_words(self) -> frozenset[str]:
        """The words of all options in lower case: a quick test whether a check has anything to search."""
        return frozenset(word_list(self.options_text))

    @cached_property
    def stem_words(self) -> frozenset[str]:
        """The words of the stem in lower case, with straight apostrophes."""
        return frozenset(word_list(self.stem.replace("’", "'")))

    @cached_property
    def stem_sentences(self) -> tuple[Sentence, ...]:
        return tuple(sentences(self.stem, max(0, len(self.stem) - LONGEST_STEM)))

    @cached_property
    def lead_in(self) -> Sentence:
        """The sentence near the end of the stem that asks or that the options complete; empty if there is no stem."""
        if not self.stem_sentences:
            return Sentence("", 0)
        last = self.stem_sentences[-1]
        if last.text.rstrip(CLOSING + ":").endswith("?") or _is_completed_by_options(last.text):
            return last
        # A note ("Assume no friction.") may follow the question, so the search goes further back.
        near = self.stem_sentences[: -NOTES - 1 : -1]
        asking = (s for s in near if s.text.endswith(("?", "?:")) or WHICH in s.text)
        demanding = (s for s in near if s.text.partition(" ")[0].lower() in DEMANDS)
        return next(asking, next(demanding, last))


def _is_completed_by_options(text: str) -> bool:
    if text.endswith((":", "...", "…", "_", "-", "—", "–")):
        return True
    bare = text.rstrip(" ._:")
    return bare != text.rstrip(" .") or bare.rpartition(" ")[2].lower() in OPEN_ENDS


P = TypeVar("P", bound=Question | Item)


def _text_fields(question: Question) -> Iterator[tuple[Field, str]]:
    """The text fields. Absent ones are listed as empty text, so that an edit with an empty `find` can fill them."""
    yield "vignette", question.vignette or ""
    yield "stem", question.stem
    for option in question.options:
        yield f"options.{option.key}", option.text
    yield "correct_answer", question.correct_answer
    yield "rationale", question.rationale or ""
    for index, item in enumerate(question.items or ()):
        yield f"items.{index}.stem", item.stem
        for option in item.options or ():
            yield f"items.{index}.options.{option.key}", option.text
        yield f"items.{index}.correct_answer", item.correct_answer
        yield f"items.{index}.rationale", item.rationale or ""
    # Only metadata that is or could be text: lists are not edited by find and replace.
    metadata = question.metadata
    if metadata is None:
        return
    for name in ("course_id", "bloom_level", "difficulty", "usmle_system", "usmle_discipline"):
        yield f"metadata.{name}", getattr(metadata, name) or ""


def _rebuilt(part: P, field: str, text: str) -> P:
    """A question or an item of a set with one text replaced."""
    head, _, rest = field.partition(".")
    if head == "options":
        options = list(part.options or ())
        # Of two options with one letter, the later one is shown under it: only that one changes.
        place = max(place for place, option in enumerate(options) if option.key == rest)
        options[place] = revised(options[place], text=text)
        return revised(part, options=tuple(options))
    if isinstance(part, Question) and head == "metadata":
        return revised(part, metadata=revised(part.metadata or Metadata(), **{rest: text}))
    if isinstance(part, Question) and head == "items":
        position, _, inner = rest.partition(".")
        items = list(part.items or ())
        items[int(position)] = _rebuilt(items[int(position)], inner, text)
        return revised(part, items=tuple(items))
    return revised(part, **{field: text})


def revised(model: M, /, **changes: Any) -> M:
    """A validated copy with changes. (`model_copy` would keep values cached from the old text.)"""
    # Only the fields that were set, and the extra ones: absent fields stay absent.
    return type(model).model_validate(
        {**{name: getattr(model, name) for name in model.model_fields_set} | (model.model_extra or {}), **changes}
    )


def meant_keys(options: Sequence[Option], given: str) -> list[str]:
    """The keys that the answer names; empty if that is not certain, or if it says that none is right."""
    choice = read_choice(options, given)
    return [] if choice is None else list(choice.keys)


def counted_position(question: Question) -> int | None:
    """The answer as a position that counts from zero; None if it is none, or if "0" is the key of an option."""
    given = question.correct_answer.strip()
    if not (given.isascii() and given.isdecimal() and len(given) < 4) or any(
        o.key.strip() == "0" for o in question.options
    ):
        return None
    return int(given)


VERDICTS = ("True", "False")


def are_verdicts(texts: Iterable[str]) -> bool:
    """Whether the options are exactly True and False."""
    return sorted(text.strip().casefold() for text in texts) == ["false", "true"]


Form = Literal["key", "lower_key", "number_key", "index", "index_text", "text", "verdict", "boolean"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The key that a bank's answer names, and the form in which the bank wrote it."""

    key: str
    form: Form
    known: bool
    """Whether it names an existing option."""


def read_answer(
    value: Any, options: Sequence[tuple[str, str]], *, keyed: bool, words_first: bool = False
) -> Answer | None:
    """The answer that `value` gives for options as (key, text) pairs; None if it is not an answer.

    If the options have no keys of their own (`keyed` is false), a number is a position, counted from 0. With
    `words_first`, a text equal to that of one option is that option, even if it looks like a number.
    """
    if (
        len(options) == 2
        and are_verdicts(text for _, text in options)
        and (verdict := _verdict(value, options)) is not None
    ):
        return verdict
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return _numbered(value, options, keyed)
    if not isinstance(value, str):
        return None
    meant = [key for key, text in options if text.strip() == value.strip() and value.strip()]
    if words_first and not keyed and len(meant) == 1:
        return Answer(meant[0], "text", True)
    return _worded(value, options, keyed)


def _verdict(value: Any, options: Sequence[tuple[str, str]]) -> Answer | None:
    """An answer given as a verdict: `true`, "TRUE", "f". A letter that is the key of an option names that option."""
    word = str(value).strip().casefold() if isinstance(value, bool | str) else ""
    if not word or any(key == word.upper() for key, _ in options):
        return None
    key = next((key for key, text in options if text.strip().casefold() in (word, f"{word}rue", f"{word}alse")), None)
    return None if key is None else Answer(key, "boolean" if isinstance(value, bool) else "verdict", True)


def _numbered(value: int, options: Sequence[tuple[str, str]], keyed: bool) -> Answer:
    if not keyed and 0 <= value < len(options):
        return Answer(options[value][0], "index", True)
    return Answer(str(value), "number_key", any(key == str(value) for key, _ in options))


def _worded(value: str, options: Sequence[tuple[str, str]], keyed: bool) -> Answer:
    words, keys = value.strip(), [key for key, _ in options]
    if words in keys:
        return Answer(words, "key", True)
    if not keyed and words.isascii() and words.isdigit() and len(words) < 4 and int(words) < len(options):
        return Answer(keys[int(words)], "index_text", True)
    if not keyed and words.upper() in keys:
        return Answer(words.upper(), "lower_key", True)
    meant = [key for key, text in options if text.strip() == words and words]
    return Answer(meant[0], "text", True) if len(meant) == 1 else Answer(value, "key", False)


def write_answer(form: Form, key: str, options: Sequence[Option]) -> str | int | None:
    """The key in the form that the bank uses; None if that form needs an option and no option has the key."""
    position = next((index for index, option in enumerate(options) if option.key == key.strip()), None)
    if form == "key" or (form == "lower_key" and position is None):
        return key
    if form == "lower_key":
        return key.lower()
    if form == "number_key":
        return int(key) if key.isascii() and key.isdigit() else key
    if position is None:
        return None
    if form in ("boolean", "verdict"):
        words = options[position].text.strip()
        return words.casefold() == "true" if form == "boolean" else words
    if form == "text":
        words = options[position].text
        # If two options have the same text, only the key names one of them.
        return words if [option.text.strip() for option in options].count(words.strip()) == 1 else key
    return position if form == "index" else str(position)


def question_of(unit: Unit) -> Question:
    """The unit as a question. Another unit is a mistake of the caller, not of the content."""
    assert isinstance(unit, Question), f"not a question: {unit!r}"
    return unit
