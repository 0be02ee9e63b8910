"""The guard of meaning for a repair of a question: what each field says before and after, and what allows the change.

The guard itself is `text.meaning`. Here stands what a question adds: an option that has to change may become another
answer, and a rationale that explains it may follow. What code cannot show to be right, a reader of both versions
confirms; what nothing asks for is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.core.documents import Field
from burnish.core.edits import changed_fields
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.kinds.questions.key_check import WIDE_RULES
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.option_overlap import normal_form
from burnish.kinds.questions.policy import parts
from burnish.kinds.questions.right_options import Logic, keeps_words
from burnish.languages.sentences import sentences
from burnish.languages.words import content_stems
from burnish.text.meaning import Difference, Family, Ruling, guard
from burnish.text.meaning.differences import became

NEVER: frozenset[Family] = frozenset({"letters", "language", "link", "code", "formula", "placeholder", "tag", "length"})
"""Families that no claim about an item's content allows."""
WHOLE: frozenset[Family] = frozenset({"sentence_lost", "sentence_added", "words", "kind"})
"""Families of a text that is written anew."""
ASKS_ANEW = frozenset(
    {
        "nbme_negation_detection",
        "nbme_all_of_the_above",
        "nbme_none_of_the_above",
        "nbme_complex_k_type",
        "nbme_true_false",
        "nbme_stem_clarity",
        "nbme_single_best_answer",
        "stem_broken",
    }
)
"""Rules whose repair may ask another question in the stem."""
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
LABEL = re.compile(r"\b[A-Z]\b")
CLAUSE_END = re.compile(r"[,;:.!?](?!\d)|\b(?:and|or|but|while|y|o|et|ou|und|oder|e)\b")
LABELS_ONLY = frozenset({"nbme_all_of_the_above", "nbme_none_of_the_above", "nbme_complex_k_type"})
"""Rules on options that only name others."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference of two versions of a question."""

    field: Field
    ruling: Ruling

    @property
    def message(self) -> str:
        return f"{self.field}: {self.ruling.difference.message}"

    @property
    def needs_reader(self) -> bool:
        return self.ruling.answer in ("replaced", "declared")


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences of two versions, numbered from 1 in their order."""

    changes: tuple[Change, ...]

    @property
    def refusals(self) -> tuple[str, ...]:
        return tuple(f"{one.field}: {one.ruling.reason}" for one in self.changes if one.ruling.answer == "refused")

    @property
    def needs_reader(self) -> bool:
        return any(change.needs_reader for change in self.changes)

    def as_record(self) -> list[dict[str, Any]]:
        return [{"field": change.field, **change.ruling.as_record()} for change in self.changes]


def compare(before: Question, after: Question, claims: Sequence[Finding], changes: Sequence[str] = ()) -> Comparison:
    """The guard's rulings on a repair of `claims`. `changes`: what the repair says that it alters."""
    return Comparison(tuple(_changes(before, after, claims, changes)))


def _changes(before: Question, after: Question, claims: Sequence[Finding], changes: Sequence[str]) -> Iterator[Change]:
    free = free_options(before, claims)
    language = before.language_shown or ""
    fields = changed_fields(before, after)
    for field in fields:
        old, new = before.texts()[field], after.texts()[field]
        if str(field).endswith("correct_answer"):
            continue  # the logic of the item and a solver judge it (`right_options`, `key_check`)
        is_rationale = _is_explanation(field)
        context = _others(after if is_rationale else before, field)
        may_add = is_rationale and any(claim.rule == "ext_rationale_completeness" for claim in claims)
        # Words that a claim quotes elsewhere are no words of this field.
        here = [one if is_rationale or _is_about(one, field) else replace(one, quote=None) for one in claims]
        verdict = guard(old, new, language=language, claims=here, context=context, changes=changes, may_add=may_add)
        allow = _allowance(field, before, after, claims, free, fields)
        if field in free and not keeps_words(old, new):
            yield Change(field, Ruling(_whole(old, new), "replaced", "The option becomes another answer."))
            yield from (Change(field, one) for one in verdict.rulings if one.difference.family in NEVER)
            continue
        is_asked = _asks_for_words(field, before, claims)
        for one in verdict.rulings:
            ruling = one
            if one.answer == "refused" and one.difference.family not in NEVER and allow(one.difference):
                ruling = replace(one, answer="replaced", reason="A reader confirms it.")
            elif (
                one.answer == "noted"
                and field not in free
                and not is_asked(one.difference)
                and not _is_declared(one.difference, changes)
            ):
                ruling = replace(one, answer="refused", reason=f"{one.difference.message} {UNASKED}")
            yield Change(field, ruling)


def _whole(old: str, new: str) -> Difference:
    return Difference("words", old, new, became(old, new), new)


def _others(question: Question, field: Field) -> str:
    return "\n".join(text for name, text in question.texts().items() if name != field and text)


def _is_explanation(field: Field) -> bool:
    name = str(field)
    return name.endswith("rationale") or ".feedback" in name


def free_options(before: Question, claims: Iterable[Finding]) -> frozenset[Field]:
    """The options that a repair may replace by another answer: those that a claim is about, labels, and those that are
    right besides the key by the logic of the item."""
    listed = list(claims)
    flagged = {claim.field for claim in listed if "options." in str(claim.field)}
    is_wide = any(claim.rule in ASKS_ANEW | WIDE_RULES for claim in listed)
    # Statements become answers to one question: each of them is written in another form.
    restated = any(claim.rule == "nbme_true_false" for claim in listed)
    free = set(flagged) | {field for field in before.texts() if restated and "options." in str(field)}
    for part in parts(before) if is_wide else ():
        logic = Logic.of(part.question)
        keys = {option.key for option in part.question.right}
        for option in part.question.options:
            is_right_too = logic.truths.get(normal_form(option.text)) and option.key not in keys
            # A claim about several right answers that names no option is about any distractor.
            unnamed = not flagged and option.key not in keys
            if option.key in logic.labels or is_right_too or unnamed:
                free.add(part.place(f"options.{option.key}"))
    return frozenset(free)


def _allowance(
    field: Field,
    before: Question,
    after: Question,
    claims: Sequence[Finding],
    free: frozenset[Field],
    fields: Sequence[Field],
) -> Callable[[Difference], bool]:
    """What else may change in a field, if a reader of both versions confirms it."""
    rules = {claim.rule for claim in claims}
    if field in free or any(claim.source.startswith("person:") for claim in claims):
        return lambda found: True
    if _is_explanation(field):
        words, new_text = _changed_words(before, after, fields), after.texts()[field]
        fills = "ext_rationale_completeness" in rules

        def explains(found: Difference) -> bool:
            # A figure that is replaced must stand with an option that changed; a new one needs the same sentence.
            said = _clause(new_text, found) if found.before and found.family not in WHOLE else found.sentence
            near = not words.isdisjoint(_words(f"{said} {found.after if found.family in WHOLE else ''} {lost(found)}"))
            return near or (fills and not found.before)

        def lost(found: Difference) -> str:
            return found.before if found.family in WHOLE else ""

        return explains
    if str(field).rpartition(".")[2] == "stem" and any(_opens_stem(claim, before) for claim in claims):
        asked = _lead_in_start(before, field)
        families = {*WHOLE, "name", "opposite", *(("denial",) if "nbme_negation_detection" in rules else ())}
        return lambda found: found.family in families and (found.span or (asked, 0))[0] >= asked
    return lambda found: False


def _lead_in_start(question: Question, field: Field) -> int:
    """Where the question begins in a stem that tells a case first: its repair leaves the case alone."""
    part = next((part for part in parts(question) if part.place("stem") == field), None)
    return part.question.lead_in.start if part is not None else 0


UNASKED = "Nothing asks for it: keep the old words, or name the change in `changes`."


def _asks_for_words(field: Field, before: Question, claims: Sequence[Finding]) -> Callable[[Difference], bool]:
    """Whether other content words in a field, which may be synonyms or another thing, are what the claims are about."""
    name = str(field).rpartition(".")[2]
    if _is_explanation(field) or any(claim.source.startswith("person:") for claim in claims):
        return lambda found: True
    if name == "stem" and any(_opens_stem(claim, before) for claim in claims):
        asked = _lead_in_start(before, field)
        return lambda found: (found.span or (asked, 0))[0] >= asked
    here = [claim for claim in claims if _is_about(claim, field)]
    if any(not claim.quote or claim.source != "rule" for claim in here):
        return lambda found: True
    said = {word for one in here for word in _words(f"{one.quote} {one.message} {one.suggestion or ''}")}
    # A rule of wording quotes what it means: other words are not its affair, but what replaces its own may be long.
    return lambda found: bool(here) and (not found.before or not _words(found.before).isdisjoint(said))


def _is_about(claim: Finding, field: Field) -> bool:
    """Whether a claim is about a field, or about the list or the question that holds it."""
    return claim.field is None or str(field) == claim.field or str(field).startswith(f"{claim.field}.")


def _opens_stem(claim: Finding, before: Question) -> bool:
    """Whether the repair of a claim may need another stem. An option that only names others, and is not the key, can be
    replaced without one."""
    if claim.rule in LABELS_ONLY and "options." in str(claim.field):
        keys = {f"options.{option.key}" for part in parts(before) for option in part.question.right}
        return any(str(claim.field).endswith(key) for key in keys)
    return claim.rule in ASKS_ANEW | WIDE_RULES


def _is_declared(found: Difference, changes: Sequence[str]) -> bool:
    """Whether the repair names a change of words: what went, and what came."""
    return any(
        all(_words(words) <= _words(change) for words in (found.before, found.after) if words) for change in changes
    )


def _changed_words(before: Question, after: Question, fields: Sequence[Field]) -> set[str]:
    """The words and figures of the stem and of the options that came or went."""
    pairs = ((before.texts()[field], after.texts()[field]) for field in fields if not _is_explanation(field))
    return {word for old, new in pairs for word in _words(old) ^ _words(new)}


def _words(text: str) -> set[str]:
    return {*content_stems(text), *FIGURE.findall(text)}


def _clause(text: str, found: Difference) -> str:
    """The words around what came, up to the next comma or joining word."""
    start, end = found.new_span or (0, 0)
    head, tail = CLAUSE_END.split(text[:start]), CLAUSE_END.split(text[end:])
    return f"{head[-1]} {text[start:end]} {tail[0]}"


def refuse_other_rationale(before: Question, after: Question, claims: Sequence[Finding]) -> None:
    """Raise EditRefused if the rationale changes in a sentence that explains no option that changed.

    A claim about the rationale itself, or one whose repair may need a new one, opens the whole rationale.
    """
    if any(claim.rule in WIDE_RULES | ASKS_ANEW or _is_explanation(claim.field) for claim in claims):
        return
    fields = changed_fields(before, after)
    options = {str(field).rpartition(".")[2] for field in fields if "options." in str(field)}
    words = _changed_words(before, after, fields)
    for field in filter(_is_explanation, fields):
        kept = {sentence.text for sentence in sentences(after.texts()[field])}
        for sentence in sentences(before.texts()[field]):
            named = options.isdisjoint(LABEL.findall(sentence.text)) and words.isdisjoint(_words(sentence.text))
            if sentence.text not in kept and named:
                raise EditRefused(
                    "other_rationale", f"{field}: {sentence.text[:80]!r} explains no option that changed."
                )
