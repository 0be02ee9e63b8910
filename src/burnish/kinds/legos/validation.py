"""Validation of records against their schema and further rules. Never raises, whatever the JSON.

Translations have eight rules, `rule_1` to `rule_8`; a slip is an error or a warning. LEGOs have further rules: their
places must match their sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath
from typing import Any, Literal, TypeGuard

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from burnish.kinds.legos.model import HALVES, words_of
from burnish.kinds.legos.policy import ACCEPT, FLAG
from burnish.kinds.legos.records import LegoAminoAcid, TranslationAminoAcid, instant, newer_version

Level = Literal["error", "warning"]

MOST_SLIPS = 200
"""The most slips of one record that are reported."""

LARGEST = 1 << 53
"""Whole numbers beyond it differ between programs, and are not used."""

REVIEW_FIELDS = (
    *("lego_extraction_attempts", "quality_status", "current_quality_score", "total_attempts"),
    *("flagged_for_review", "human_review_requested", "last_reviewed_at"),
)
"""Fields that records from before the self-review lack."""

_MODELS: dict[object, type[BaseModel]] = {"translation": TranslationAminoAcid, "lego": LegoAminoAcid}
_FILE_NAME = re.compile(r"([a-f0-9]{32})\.json(?:\.gz)?")
_WORDS = {
    "missing": "is missing",
    "string_type": "must be a text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long",
    "extra_forbidden": "is not a known field",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_attributes_type": "must be an object",
    "int_from_float": "must be a whole number",
}
"""pydantic's error types -> messages."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One thing wrong with a record."""

    level: Level
    field: str
    """The field: `lego_extraction_attempts[1].quality_score.overall_score`; empty for the record as a whole."""
    message: str
    rule: str
    """`schema`, `rule_1` to `rule_8`, or the name of another rule."""

    def as_record(self) -> dict[str, str]:
        return {"level": self.level, "field": self.field, "message": self.message, "rule": self.rule}


def validate(record: object, path: str | None = None, translation: Mapping[str, Any] | None = None) -> list[Slip]:
    """All slips of a record, schema first. `translation`: that of a LEGO, if known."""
    if not isinstance(record, Mapping):
        return [Slip("error", "", "A record is a JSON object.", "schema")]
    newer = newer_version(record)
    if newer is not None:
        return [Slip("error", "schema_version", f"Written by a newer Burnish (schema {newer[:20]}).", "newer_schema")]
    slips = [*_schema_slips(record), *_file_slips(record, path)]
    if record.get("type") == "translation":
        slips += _translation_slips(record)
    elif record.get("type") == "lego":
        slips += _lego_slips(record, translation)
    return slips[:MOST_SLIPS]


def is_valid(slips: Sequence[Slip]) -> bool:
    """Whether there is no error; warnings are allowed."""
    return all(slip.level != "error" for slip in slips)


def _schema_slips(record: Mapping[str, Any]) -> Iterator[Slip]:
    kind = record.get("type")
    model = _MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        yield Slip("error", "type", 'must be "translation" or "lego"', "schema")
        return
    old = kind == "translation" and "lego_extraction_attempts" not in record
    if old:
        missing = ", ".join(name for name in REVIEW_FIELDS if name not in record)
        message = f"an old record without {missing}: `burnish legos migrate` adds them"
        yield Slip("error", "lego_extraction_attempts", message, "schema")
    try:
        model.model_validate(record)
    except ValidationError as error:
        yield from schema_slips(error, old=old)


def schema_slips(error: ValidationError, *, old: bool = False) -> Iterator[Slip]:
    """Each mistake once. `old`: the missing review fields of an old record were reported already; one that is present
    but empty is still reported."""
    seen: set[tuple[str, str]] = set()
    for detail in error.errors(include_url=False, include_context=True):
        # The path of the field. For unions, pydantic appends the names of the types.
        union = {"int", "float", "nullable", "function-after[_date_time(), str]"}
        steps = [step for step in detail["loc"] if step not in union]
        if old and len(steps) == 1 and steps[0] in REVIEW_FIELDS and detail["type"] == "missing":
            continue
        slip = Slip("error", _place(steps), _said(detail), _rule(steps, detail["type"]))
        if (slip.field, slip.message) not in seen:
            seen.add((slip.field, slip.message))
            yield slip


def _place(steps: Sequence[str | int]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _rule(steps: Sequence[str | int], mistake: str) -> str:
    """Rules 7 and 8 are patterns of the schema: reported under their own names."""
    if mistake != "string_pattern_mismatch":
        return "schema"
    return {"concern_id": "rule_7", "suggestion_id": "rule_8"}.get(str(steps[-1]), "schema")


def _said(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "string_pattern_mismatch":
            return f"must look like {context['pattern']}"
        case "literal_error":
            return f"must be {context['expected']}"
        case "greater_than_equal":
            return f"must be at least {context['ge']}"
        case "less_than_equal":
            return f"must be at most {context['le']}"
        case "value_error":
            return str(context["error"])
    return _WORDS.get(detail["type"], detail["msg"].removeprefix("Value error, "))


def _file_slips(record: Mapping[str, Any], path: str | None) -> Iterator[Slip]:
    """A record in the file of another record would be found under the wrong name."""
    match = _FILE_NAME.fullmatch(PurePath(path).name) if path else None
    if match is not None and record.get("uuid") != match[1]:
        yield Slip("error", "uuid", f"is not that of the file's name, {match[1]}", "file_name")


def _translation_slips(record: Mapping[str, Any]) -> Iterator[Slip]:
    listed = record.get("lego_extraction_attempts")
    if not isinstance(listed, list):
        return
    attempts = [attempt if isinstance(attempt, Mapping) else {} for attempt in listed]
    archived = record.get("archived_attempts")
    before = archived if _is_number(archived) and archived > 0 else 0
    yield from _counts(record, attempts, before)
    yield from _scores(record, attempts)
    yield from _order(attempts)
    yield from _status(record)
    yield from _comparisons(attempts, before)


def _counts(record: Mapping[str, Any], attempts: Sequence[Mapping[str, Any]], before: float) -> Iterator[Slip]:
    """Rules 1 and 2: attempts are counted, and numbered from 1. Archived attempts come before those in the record."""
    total, number = record.get("total_attempts"), len(attempts) + before
    if _is_number(total) and total != number:
        yield Slip("error", "total_attempts", f"is {_shown(total)}, but the attempts are {_shown(number)}", "rule_1")
    for place, attempt in enumerate(attempts):
        said = attempt.get("attempt_number")
        if _is_number(said) and said != place + before + 1:
            field = f"lego_extraction_attempts[{place}].attempt_number"
            message = f"is {_shown(said)}, but attempts are numbered from 1: {_shown(place + before + 1)}"
            yield Slip("error", field, message, "rule_2")


def _scores(record: Mapping[str, Any], attempts: Sequence[Mapping[str, Any]]) -> Iterator[Slip]:
    """Rule 3: the current score is the last attempt's."""
    score = attempts[-1].get("quality_score") if attempts else None
    last = score.get("overall_score") if isinstance(score, Mapping) else None
    current = record.get("current_quality_score")
    if _is_number(current) and _is_number(last) and current != last:
        yield Slip(
            "error", "current_quality_score", f"is {_shown(current)}, but the last attempt has {_shown(last)}", "rule_3"
        )


def _order(attempts: Sequence[Mapping[str, Any]]) -> Iterator[Slip]:
    """Rule 4: every attempt is later than the one before."""
    stamps = [attempt.get("timestamp") for attempt in attempts]
    moments = [instant(stamp) if isinstance(stamp, str) else None for stamp in stamps]
    for place, (earlier, later) in enumerate(pairwise(moments), start=1):
        if earlier is not None and later is not None and later <= earlier:
            field = f"lego_extraction_attempts[{place}].timestamp"
            yield Slip("error", field, f"is not later than attempt {place}'s", "rule_4")


def _status(record: Mapping[str, Any]) -> Iterator[Slip]:
    """Rule 5: status and score agree."""
    score, status = record.get("current_quality_score"), record.get("quality_status")
    if not _is_number(score) or not isinstance(status, str):
        return
    if score >= ACCEPT and status != "accepted":
        yield Slip(
            "warning", "quality_status", f'a score of {_shown(score)} should have the status "accepted"', "rule_5"
        )
    if score < FLAG and status == "accepted":
        yield Slip("error", "quality_status", f'a score of {_shown(score)} cannot have the status "accepted"', "rule_5")


def _comparisons(attempts: Sequence[Mapping[str, Any]], before: float) -> Iterator[Slip]:
    """Rule 6: an attempt is compared with the one before; the first is not. With a single attempt it is a warning."""
    for place, attempt in enumerate(attempts):
        compared, is_first = "compared_to_previous" in attempt, place + before == 0
        field = f"lego_extraction_attempts[{place}].compared_to_previous"
        if is_first and compared:
            level: Level = "error" if len(attempts) > 1 else "warning"
            yield Slip(level, field, "the first attempt has nothing to be compared to", "rule_6")
        elif not is_first and not compared:
            yield Slip("warning", field, f"attempt {_shown(place + before + 1)} should have it", "rule_6")


def _lego_slips(record: Mapping[str, Any], translation: Mapping[str, Any] | None) -> Iterator[Slip]:
    metadata = record.get("metadata")
    known = metadata if isinstance(metadata, Mapping) else {}
    yield from _provenance(record)
    source, counted = record.get("source"), known.get("word_count")
    if isinstance(source, str) and _is_number(counted) and counted != len(words_of(source)):
        message = f"is {_shown(counted)}, but the phrase has {len(words_of(source))} words"
        yield Slip("warning", "metadata.word_count", message, "word_count")
    for half, opening in zip(HALVES, ("", "target_"), strict=True):
        yield from _span(record.get(half), known, opening)
    if translation is not None:
        yield from _verbatim(record, known, translation)


def _provenance(record: Mapping[str, Any]) -> Iterator[Slip]:
    provenance, seed = record.get("provenance"), record.get("source_seed_id")
    if not isinstance(provenance, str) or not isinstance(seed, str):
        return
    named, numbered = re.fullmatch(r"S([0-9]{1,9})L([0-9]{1,9})", provenance), re.fullmatch(r"C([0-9]{4})", seed)
    if named and numbered and (int(named[1]) != int(numbered[1]) or int(named[2]) < 1):
        expected = f"S{int(numbered[1])}L1, S{int(numbered[1])}L2, ..."
        yield Slip("error", "provenance", f"does not belong to {seed}, whose LEGOs are {expected}", "provenance")


def _span(text: object, known: Mapping[str, Any], opening: str) -> Iterator[Slip]:
    start, end = known.get(f"{opening}start_index"), known.get(f"{opening}end_index")
    if isinstance(text, str) and _is_number(start) and _is_number(end) and end - start != len(text):
        message = (
            f"is {_shown(end)}, but {len(text)} characters from {_shown(start)} on end at {_shown(start + len(text))}"
        )
        yield Slip("error", f"metadata.{opening}end_index", message, "span")


def _verbatim(record: Mapping[str, Any], known: Mapping[str, Any], translation: Mapping[str, Any]) -> Iterator[Slip]:
    """Both halves are in the sentences of their SEED, at the recorded places."""
    for field, theirs in (("source_translation_uuid", "uuid"), ("source_seed_id", "seed_id")):
        if record.get(field) != translation.get(theirs):
            yield Slip("error", field, f"is not the translation's {theirs}", "provenance")
    for half, opening in zip(HALVES, ("", "target_"), strict=True):
        sentence, text, start = translation.get(half), record.get(half), known.get(f"{opening}start_index")
        if not isinstance(sentence, str) or not isinstance(text, str) or not _is_number(start):
            continue
        if not 0 <= start < LARGEST or not sentence.startswith(text, int(start)):
            message = "is not at that place of its sentence" if text in sentence else "is not part of its sentence"
            yield Slip("error", half, message, "verbatim")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(number: float) -> str:
    """A number in a message. Python refuses to print numbers of thousands of digits."""
    return str(number) if abs(number) < LARGEST else "too large"
