"""The document of a run: a course as it stood when the run began, one SEED a line with its record and its LEGOs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import orjson

from burnish.core.errors import InputError
from burnish.kinds.legos.model import Lego, Seed, found_near

FORMAT = "course"
ENDING = ".jsonl"


def written(rows: Iterable[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]) -> Iterator[bytes]:
    """Translations and their LEGOs as lines."""
    for translation, legos in rows:
        yield orjson.dumps({"translation": translation, "legos": list(legos)}) + b"\n"


def seed_line(seed: Seed) -> bytes:
    """A SEED with the LEGOs that stand, as it is published."""
    return orjson.dumps({"seed": seed.as_record()}) + b"\n"


def read(stream: BinaryIO, path: str) -> Iterator[Seed]:
    """The SEEDs of such a document."""
    for number, line in enumerate(stream, start=1):
        try:
            row = orjson.loads(line)
            yield Seed.from_record(row["seed"]) if "seed" in row else seed_of_records(row["translation"], row["legos"])
        except (orjson.JSONDecodeError, KeyError, TypeError) as wrong:
            raise InputError(
                f"This is no line of a course: {wrong}.",
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
    """A LEGO of a record. Where that does not say where it stands, as older ones do not, it is looked for."""
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
