"""Migration of LEGOs that do not say where they stand: their halves are looked up in the sentences of their SEED."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from burnish.core.errors import InputError
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.locating import Half, Sentence, placed
from burnish.kinds.legos.model import HALVES, Lego, Seed
from burnish.kinds.legos.scoring import Extraction
from burnish.kinds.legos.validation import is_valid, validate
from burnish.kinds.legos.words import words_of
from burnish.languages.profiles import tongue_of

PHASE = "phase_3"
UNKNOWN_CONFIDENCE = 0.5
"""Of LEGOs that somebody cut and nothing aligned: neither sure nor doubtful."""
_PROVENANCE = re.compile(r"S[0-9]{1,9}L([0-9]{1,9})")
_HINT = "Give it halves that stand in the sentences of its SEED, or move it away."

Outcome = dict[str, Any] | InputError
"""The LEGO of today, or why there is none."""


def migrated_legos(legos: Sequence[Mapping[str, Any]], translation: Mapping[str, Any]) -> list[Outcome]:
    """The LEGOs of one SEED in their order, with everything that records of today have. Valid ones stay as they are;
    what an old one says of itself is kept."""
    outcomes: list[Outcome | None] = [
        dict(lego) if is_valid(validate(lego, translation=translation)) else None for lego in legos
    ]
    old = [place for place, outcome in enumerate(outcomes) if outcome is None]
    found = _located([legos[place] for place in old], translation)
    positions = _free_positions(legos)
    for place, lego in sorted(zip(old, found, strict=True), key=_by_start):
        if isinstance(lego, InputError):
            outcomes[place] = lego
            continue
        position = _position(legos[place]) or next(positions)
        outcomes[place] = _filled(legos[place], lego, position, translation)
    return [outcome for outcome in outcomes if outcome is not None]


def _by_start(found: tuple[int, Lego | InputError]) -> tuple[int, int]:
    place, lego = found
    return (lego.start if isinstance(lego, Lego) else -1), place


def _position(lego: Mapping[str, Any]) -> int | None:
    match = _PROVENANCE.fullmatch(str(lego.get("provenance")))
    return int(match[1]) if match else None


def _free_positions(legos: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    taken = {_position(lego) for lego in legos}
    return (number for number in range(1, 2 * len(legos) + 1) if number not in taken)


def _located(legos: Sequence[Mapping[str, Any]], translation: Mapping[str, Any]) -> list[Lego | InputError]:
    sentences = {half: Sentence(str(translation.get(half, ""))) for half in HALVES}
    halves = [{half: _half(lego.get(half), sentences[half]) for half in HALVES} for lego in legos]
    whole = [place for place, found in enumerate(halves) if None not in found.values()]
    starts = {half: dict(zip(whole, _places([halves[place][half] for place in whole]), strict=True)) for half in HALVES}
    return [
        _lego(lego, starts["source"][place], starts["target"][place])
        if place in starts["source"]
        else _missing(halves[place]["source"])
        for place, lego in enumerate(legos)
    ]


def _half(text: object, sentence: Sentence) -> Half | None:
    """None where it does not stand there letter for letter."""
    half = sentence.half(text) if isinstance(text, str) else None
    return half if half is not None and half.text == text else None


def _places(halves: Sequence[Half | None]) -> list[int]:
    return placed([half for half in halves if half is not None])


def _lego(lego: Mapping[str, Any], start: int, target_start: int) -> Lego:
    source, target = lego["source"], lego["target"]
    return Lego(
        source, target, start, start + len(source), target_start, target_start + len(target), UNKNOWN_CONFIDENCE
    )


def _missing(source: Half | None) -> InputError:
    half = "source" if source is None else "target"
    told = f"The {half} half of this LEGO does not stand in the {half} sentence of its SEED."
    return InputError(told, field=half, code="not_verbatim", hint=_HINT)


def _filled(old: Mapping[str, Any], lego: Lego, position: int, translation: Mapping[str, Any]) -> Outcome:
    theirs, own = _part(translation, "metadata"), _part(old, "metadata")
    id, uuid, source, target = (str(translation.get(name)) for name in ("seed_id", "uuid", "source", "target"))
    seed = Seed(id, uuid, source, target, str(theirs.get("course_code")), (lego,))
    compliant = _is_compliant(seed)
    if compliant is None:
        told = f"Nothing is known of the source language of the course {seed.course_code[:64]!r}."
        return InputError(told, field="metadata.iron_rule_compliant", hint="Say there whether it keeps the Iron Rule.")
    added: dict[str, Any] = {
        "course_code": seed.course_code,
        "phase": PHASE,
        "word_count": len(words_of(lego.source)),
        "start_index": lego.start,
        "end_index": lego.end,
        "target_start_index": lego.target_start,
        "target_end_index": lego.target_end,
        "alignment_confidence": lego.confidence,
        "iron_rule_compliant": compliant,
        "created_at": theirs.get("created_at"),
    }
    said = {name: value for name, value in own.items() if value is not None}
    new = {
        **old,
        "provenance": old.get("provenance") or f"S{seed.id[1:].lstrip('0') or '0'}L{position}",
        "source_seed_id": old.get("source_seed_id") or seed.id,
        "metadata": {**added, **said},
    }
    return _refusal(new, translation) or new


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _is_compliant(seed: Seed) -> bool | None:
    """Whether its LEGO keeps the strict Iron Rule; None where nothing is known of the language."""
    tongue = tongue_of(seed.course_code.partition("_for_")[2].partition("_")[0])
    if tongue is None:
        return None
    [piece] = Extraction.of(seed, tongue).pieces
    return piece.violation(tongue, IronRule()) is None


def _refusal(new: Mapping[str, Any], translation: Mapping[str, Any]) -> InputError | None:
    """What is still wrong with a LEGO, and is not ours to change."""
    worst = next((slip for slip in validate(new, translation=translation) if slip.level == "error"), None)
    if worst is None:
        return None
    said = f"{worst.field}: {worst.message}" if worst.field else worst.message
    return InputError(f"It would not be valid after migration: {said}", code="still_invalid", hint=_HINT)
