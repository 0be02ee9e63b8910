"""The text formats of a SEED: a line of a run's document, and the lines in which people read and edit LEGOs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from burnish.core.errors import InputError
from burnish.core.json_bytes import dumps, loads
from burnish.core.replies import LegoPart
from burnish.kinds.legos.model import Lego, Seed, found_near
from burnish.kinds.legos.placement import with_uncovered
from burnish.kinds.legos.replies import located
from burnish.kinds.legos.resources import Terms

BAR = " | "
NOTE = "(in no LEGO:"
HINT = 'Write one LEGO per line: "I want to speak | Сакам да зборувам", each half copied from its sentence.'


def shown(seed: Seed) -> str:
    """The SEED and its LEGOs."""
    lines = [seed.source, seed.target, *(f"{lego.source}{BAR}{lego.target}" for lego in seed.legos)]
    return "\n".join(lines) + (f"\n{NOTE} {', '.join(seed.uncovered)})" if seed.uncovered else "")


def cut_by_person(seed: Seed, text: str, terms: Terms) -> Seed:
    """The SEED as a person cut it. The two sentences above the LEGOs are ignored, as they are displayed there."""
    above = {line.strip() for sentence in (seed.source, seed.target) for line in sentence.splitlines()}
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    rows = [(number, line) for number, line in lines if line and line not in above]
    parts = [_part(number, line, seed) for number, line in rows if not line.startswith(NOTE)]
    if not parts:
        raise InputError("The edited text has no LEGO.", hint=HINT)
    found = located(parts, seed)
    if found.refused:
        raise InputError(found.refused[0].message, hint=HINT)
    return with_uncovered(found.seed, terms.profile, terms.rule)


def _part(number: int, line: str, seed: Seed) -> LegoPart:
    """The two halves of a line. If the halves contain bars too, the separator is the bar with a half of each sentence
    on its sides."""
    mark = "\t" if "\t" in line else "|"
    bars = [place for place, letter in enumerate(line) if letter == mark]
    halves = [(line[:place].strip(), line[place + 1 :].strip()) for place in bars]
    whole = [(source, target) for source, target in halves if source and target]
    if not whole:
        raise InputError("A LEGO has two halves.", line=number, hint=HINT)
    source, target = next((one for one in whole if one[0] in seed.source and one[1] in seed.target), whole[0])
    # The length limit of model answers does not apply: both halves only have to be in their sentences.
    return LegoPart.model_construct(source=source, target=target)


FORMAT = "course"
ENDING = ".jsonl"


def written(rows: Iterable[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> Iterator[bytes]:
    """Translations and their LEGOs as JSON lines."""
    for translation, legos in rows:
        yield dumps({"translation": translation, "legos": list(legos)}) + b"\n"


def seed_line(seed: Seed) -> bytes:
    """A SEED with its current LEGOs, as it is published."""
    return dumps({"seed": seed.as_record()}) + b"\n"


def read(stream: BinaryIO, path: str) -> Iterator[Seed]:
    """Yield the SEEDs of such a document."""
    for number, line in enumerate(stream, start=1):
        try:
            row = loads(line)
            yield Seed.from_record(row["seed"]) if "seed" in row else seed_of_records(row["translation"], row["legos"])
        except (ValueError, KeyError, TypeError) as wrong:
            raise InputError(
                f"This is not a line of a course: {wrong}.",
                path=path,
                line=number,
                code="not_a_course",
                hint="Start with a course folder: `burnish legos extract DIR`.",
            ) from None


def seed_of_records(translation: Mapping[str, Any], legos: Sequence[Mapping[str, Any]]) -> Seed:
    """A SEED from the records of the course."""
    source, target = translation["source"], translation["target"]
    return Seed(
        id=translation["seed_id"],
        uuid=translation["uuid"],
        source=source,
        target=target,
        course_code=translation["metadata"]["course_code"],
        legos=tuple(_lego(record, source, target) for record in legos),
        uncovered=tuple(translation.get("uncovered", ())),
        record=translation,
    )


def _lego(record: Mapping[str, Any], source: str, target: str) -> Lego:
    """A LEGO of a record. If an older record does not contain its places, they are located."""
    metadata = record.get("metadata", {})
    halves = str(record["source"]), str(record["target"])
    start = found_near(source, halves[0], int(metadata.get("start_index", 0)))
    target_start = found_near(target, halves[1], int(metadata.get("target_start_index", 0)))
    return Lego(
        *halves,
        start,
        start + len(halves[0]) if start >= 0 else start,
        target_start,
        target_start + len(halves[1]) if target_start >= 0 else target_start,
        float(metadata.get("alignment_confidence", 1.0)),
    )
