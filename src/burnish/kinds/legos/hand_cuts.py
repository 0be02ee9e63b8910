"""Reads and scores cuts made by hand: a table with a row per LEGO, or JSON with an object per SEED.

A table (.tsv, .csv) has the columns `source`, `target`, `lego_source`, `lego_target`, and may have `seed_id` and
`course_code`; rows with the same SEED belong together. Without a header line the four columns are in that order.
JSON (.jsonl, an object per line; .json, a list or one object) has `source`, `target` and `legos`, a list of objects
with `source` and `target`, and may have `seed_id` and `course_code` too.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import jiter
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.core.replies import LegoPart
from burnish.kinds.legos.evidence import CourseEvidence, HabitCounter, Habits, learn
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, MOST_SEEDS, Seed, words_of
from burnish.kinds.legos.placement import spans_of, with_uncovered
from burnish.kinds.legos.replies import Refused, located
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.rule_review import Decision, Review, decision, look
from burnish.kinds.legos.scoring import SCORING_VERSION, ScoringVersion, mean_or_none
from burnish.text.json_text import decoded

Format = Literal["tsv", "csv", "jsonl", "json"]
FORMATS: dict[str, Format] = {".tsv": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json"}
"""Extension of a file -> its format."""
COLUMNS = ("source", "target", "lego_source", "lego_target")
MORE_COLUMNS = ("seed_id", "course_code")
MOST_LEGOS = 1_000
"""LEGOs of one SEED."""
_HEADER_HINT = f"Columns: {', '.join(COLUMNS)}; also {' and '.join(MORE_COLUMNS)} if there is a header line."
_SAID = {
    "missing": "is missing",
    "string_too_short": "is empty",
    "string_too_long": "is too long",
    "string_type": "must be a text",
    "list_type": "must be a list",
    "too_long": f"has more than {MOST_LEGOS:,} entries",
    "string_pattern_mismatch": "must look like C0001",
    "model_type": "must be an object",
}
"""pydantic's name of a mistake -> our words for it."""
_WHERE = re.compile(r" at line (\d+) column (\d+)$")

Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100_000)]


class HandCut(BaseModel):
    """A SEED and the LEGOs that a person cut from it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    source: Sentence
    target: Sentence
    legos: Annotated[list[LegoPart], Field(max_length=MOST_LEGOS)]
    seed_id: Annotated[str, StringConstraints(pattern=r"^C[0-9]{4}$")] | None = None
    course_code: str | None = None
    line: Annotated[int, Field(ge=1)] | None = None
    """The line where it begins; None inside a JSON list."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """One SEED of the file before validation."""

    value: object
    line: int | None
    place: str
    """Its name in messages: `line 3`, `[2]`."""


def read_cuts(data: bytes, path: str, format: Format) -> Iterator[HandCut | Problem]:
    """Yield every SEED of a file in order, a Problem for each unusable one. Raise InputError if the whole file is."""
    text = decoded(data, path).text
    if format == "json":
        entries = _of_json(text, path)
    elif format == "jsonl":
        entries = _of_lines(text, path)
    else:
        entries = _of_table(text, path, format)
    taken: dict[str, str] = {}
    for number, entry in enumerate(entries, start=1):
        if number > MOST_SEEDS:
            message, hint = f"There are more than {MOST_SEEDS:,} SEEDs in it.", "Cut it into several files."
            raise InputError(message, path=path, code="too_many_seeds", hint=hint)
        yield _cut(entry, path, taken) if isinstance(entry, _Entry) else entry


def _cut(entry: _Entry, path: str, taken: dict[str, str]) -> HandCut | Problem:
    """The SEED of an entry. `taken`: the ids of earlier SEEDs, and their places."""
    if not isinstance(entry.value, Mapping):
        return Problem("no_object", f"{entry.place} is not an object with source, target and legos.", path, entry.line)
    known = {name: value for name, value in entry.value.items() if name in HandCut.model_fields and value is not None}
    try:
        cut = HandCut.model_validate({**known, "line": entry.line})
    except ValidationError as error:
        return _complaint(error, entry, path)
    first = taken.setdefault(cut.seed_id, entry.place) if cut.seed_id else entry.place
    if first == entry.place:
        return cut
    message = f"{entry.place}: the id {cut.seed_id} is already used by {first}."
    return Problem("duplicate_id", message, path, entry.line, "seed_id")


def _complaint(error: ValidationError, entry: _Entry, path: str) -> Problem:
    first = error.errors(include_url=False)[0]
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]).lstrip(".")
    said = _SAID.get(first["type"], first["msg"].removeprefix("Value error, "))
    return Problem("bad_seed", f"{entry.place}: {field}: {said}.", path, entry.line, field)


def _of_json(text: str, path: str) -> Iterator[_Entry | Problem]:
    value = _parsed(text, path, 1)
    if isinstance(value, Mapping) and isinstance(value.get("seeds"), list):
        shared = {"course_code": value["course_code"]} if value.get("course_code") else {}
        value = [{**shared, **one} if isinstance(one, Mapping) else one for one in value["seeds"]]
    elif isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        hint = "Write [{...}, ...]."
        raise InputError("The file holds no list of SEEDs.", path=path, line=1, code="no_list", hint=hint)
    for place, one in enumerate(value):
        yield _Entry(one, None, f"[{place}]")


def _of_lines(text: str, path: str) -> Iterator[_Entry | Problem]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _Entry(_parsed(line.strip(), path, number), number, f"line {number}")
        except InputError as error:
            yield Problem(error.code, error.message, path, number, hint=error.hint)


def _parsed(text: str, path: str, first_line: int) -> Any:
    """Parse a JSON text without NaN and repeated keys."""
    try:
        return jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    except ValueError as error:
        where = _WHERE.search(str(error))
        said = str(error)[: where.start()] if where else str(error)
        line = first_line + (int(where[1]) - 1 if where else 0)
        message = f"This is not valid JSON: {said}."
        raise InputError(message, path=path, line=line, code="invalid_json", hint="Correct it.") from error


def _of_table(text: str, path: str, format: Format) -> Iterator[_Entry | Problem]:
    """Group rows into SEEDs, each at the place of its first row."""
    seeds: dict[tuple[str, ...], tuple[dict[str, Any], int]] = {}
    problems: list[Problem] = []
    for row in _rows(text, path, format):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        cells, number = row
        seed = {name: cells[name].strip() for name in ("source", "target", *MORE_COLUMNS) if cells.get(name)}
        key = tuple(seed.get(name, "") for name in ("source", "target", *MORE_COLUMNS))
        found, _ = seeds.setdefault(key, ({**seed, "legos": []}, number))
        found["legos"].append({"source": cells["lego_source"], "target": cells["lego_target"]})
    yield from problems
    for found, number in seeds.values():
        yield _Entry(found, number, f"line {number}")


def _rows(text: str, path: str, format: Format) -> Iterator[tuple[dict[str, str], int] | Problem]:
    lines = _split(text, path, format)
    first = next(lines, None)
    if first is None:
        raise InputError("The file is empty.", path=path, code="empty", hint=_HEADER_HINT)
    names, is_header = _header(first[0], path)
    for cells, number in lines if is_header else _with(first, lines):
        if len(cells) != len(names):
            message = f"{len(cells)} columns, where {len(names)} are expected."
            yield Problem("unequal_columns", message, path, number, hint=_HEADER_HINT)
            continue
        row = dict(zip(names, cells, strict=True))
        empty = [name for name in COLUMNS if not row[name].strip()]
        if empty:
            yield Problem("empty_half", f"{empty[0]} is empty.", path, number, empty[0])
        else:
            yield row, number


def _with(first: tuple[list[str], int], more: Iterable[tuple[list[str], int]]) -> Iterator[tuple[list[str], int]]:
    yield first
    yield from more


def _header(cells: Sequence[str], path: str) -> tuple[list[str], bool]:
    """The names of the columns, and whether they come from the first line."""
    names = [cell.strip().lower() for cell in cells]
    if set(COLUMNS) <= set(names):
        if len(set(names)) < len(names):
            raise InputError("Two columns have the same name.", path=path, line=1, code="bad_header", hint=_HEADER_HINT)
        return names, True
    if len(cells) != len(COLUMNS):
        message = f"{len(cells)} columns and no header line: their meaning is unknown."
        raise InputError(message, path=path, line=1, code="bad_header", hint=_HEADER_HINT)
    return list(COLUMNS), False


def _split(text: str, path: str, format: Format) -> Iterator[tuple[list[str], int]]:
    """The cells of each non-empty line, with its number. In a TSV a quotation mark is an ordinary character."""
    if format == "tsv":
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield line.removesuffix("\r").split("\t"), number
        return
    head = text.split("\n", 1)[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield cells, rows.line_num
    except csv.Error as error:
        message = f"This is not CSV: {error}."
        raise InputError(message, path=path, line=rows.line_num, code="invalid_csv", hint="Correct it.") from error


@dataclass(frozen=True)
class Scored:
    """A SEED that was cut by hand, with its review."""

    cut: HandCut
    seed: Seed
    """With the LEGOs that were found in both sentences."""
    refused: tuple[Refused, ...]
    broken: tuple[str, ...]
    """The guarantees that the cut breaks, in words."""
    review: Review

    @property
    def status(self) -> Decision:
        """The decision by score, but not accepted with a refused LEGO, a broken guarantee or a critical concern."""
        found = decision(self.review.overall)
        critical = any(concern.severity == "critical" for concern in self.review.concerns)
        return "flagged" if found == "accepted" and (self.refused or self.broken or critical) else found

    def as_wire(self) -> dict[str, Any]:
        return {
            "seed_id": self.seed.id,
            "line": self.cut.line,
            "course_code": self.seed.course_code,
            "source": self.seed.source,
            "target": self.seed.target,
            "status": self.status,
            "overall_score": self.review.overall,
            "dimension_scores": {name: self.review.scores[name] for name in DIMENSIONS},
            "legos": [
                {"provenance": self.seed.provenance(place), "source": lego.source, "target": lego.target}
                for place, lego in enumerate(self.seed.legos, start=1)
            ],
            "refused": [
                {"source": one.part.source, "target": one.part.target, "reason": one.reason} for one in self.refused
            ],
            "broken_guarantees": list(self.broken),
            "uncovered": list(self.seed.uncovered),
            "concerns": [concern.as_record() for concern in self.review.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.review.suggestions],
            "review_notes": self.review.notes,
        }


@dataclass(frozen=True)
class _Found:
    """A SEED with its LEGOs located, before its review."""

    cut: HandCut
    seed: Seed
    refused: tuple[Refused, ...]


def score_cuts(
    cuts: Sequence[HandCut],
    course_code: str | None = None,
    rule: IronRule | None = None,
    scoring: ScoringVersion = SCORING_VERSION,
) -> list[Scored]:
    """Score every cut, in the order given. `course_code`: the course of those that do not name one.

    A SEED is compared with the other SEEDs of its course in the file: how consistently it is cut, which words are
    translations of each other, and how many SEEDs can use a LEGO. Raise UsageError if a course is not known.
    """
    terms = {
        code: Terms(course_code=code, rule=rule or IronRule(), scoring=scoring) for code in _codes(cuts, course_code)
    }
    seeds = [
        Seed(id, "", cut.source, cut.target, cut.course_code or course_code or "")
        for cut, id in zip(cuts, _ids(cuts), strict=True)
    ]
    known = {
        code: CourseEvidence(
            learn([seed for seed in seeds if seed.course_code == code], one.languages, one.rule), one.languages
        )
        for code, one in terms.items()
    }
    found = []
    for cut, seed in zip(cuts, seeds, strict=True):
        its = terms[seed.course_code]
        extracted = located(cut.legos, seed, known[seed.course_code].links(seed))
        settled = with_uncovered(extracted.seed, its.profile, its.rule)
        found.append(_Found(cut, settled, extracted.refused))
    habits = _habits(found)
    return [_scored(one, terms, habits, known) for one in found]


def _codes(cuts: Iterable[HandCut], course_code: str | None) -> dict[str, None]:
    codes = dict.fromkeys(cut.course_code or course_code for cut in cuts)
    if None in codes:
        raise UsageError(
            "The languages of the cuts are not given.",
            hint="Give the course with --course (mkd_for_eng), or each SEED a `course_code`.",
        )
    return {code: None for code in codes if code is not None}


def _ids(cuts: Sequence[HandCut]) -> list[str]:
    """The given ids; SEEDs without one get the lowest free ids."""
    taken = {cut.seed_id for cut in cuts}
    free = (id for number in (*range(1, MOST_SEEDS), 0) if (id := f"C{number:04d}") not in taken)
    return [cut.seed_id or next(free) for cut in cuts]


def _habits(found: Iterable[_Found]) -> Mapping[str, Habits]:
    counters: dict[str, HabitCounter] = {}
    for one in found:
        words = words_of(one.seed.source)
        counters.setdefault(one.seed.course_code, HabitCounter()).add(words, spans_of(words, one.seed.legos))
    return {code: counter.habits() for code, counter in counters.items()}


def _scored(
    found: _Found, terms: Mapping[str, Terms], habits: Mapping[str, Habits], known: Mapping[str, CourseEvidence]
) -> Scored:
    code = found.seed.course_code
    looked = look(found.seed, terms[code], habits[code], known[code])
    return Scored(found.cut, found.seed, found.refused, looked.broken, looked.review)


def summary(scored: Sequence[Scored], problems: Sequence[Problem] = ()) -> dict[str, Any]:
    """The figures of all SEEDs of a file."""
    statuses = Counter(one.status for one in scored)
    concerns = Counter(name for one in scored for name in {concern.concern_id for concern in one.review.concerns})
    return {
        "total_seeds": len(scored),
        "accepted": statuses["accepted"],
        "flagged": statuses["flagged"],
        "failed": statuses["failed"],
        "average_score": mean_or_none([one.review.overall for one in scored]),
        "dimension_averages": {name: mean_or_none([one.review.scores[name] for one in scored]) for name in DIMENSIONS},
        "concern_frequency": dict(sorted(concerns.items(), key=lambda one: (-one[1], one[0]))),
        "problems": len(problems),
    }
