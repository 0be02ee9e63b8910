"""Files of pairs: good rows are taken as they are, the others are told by line."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import Pair, PairFormat, format_of, free_ids, read_pairs, record_of, uuid_of
from burnish.kinds.legos.validation import validate


def read(data: bytes | str, format: PairFormat = "tsv") -> list[tuple[str, ...]]:
    """Pairs as their texts (with their id), problems as their line and code."""
    found = read_pairs(data.encode() if isinstance(data, str) else data, "pairs", format)
    return [
        (str(row.line), row.code)
        if isinstance(row, Problem)
        else (row.source, row.target, *((row.seed_id,) if row.seed_id else ()))
        for row in found
    ]


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("tsv", "a\tb\nc d\te\n"),
        ("tsv", "\ufeffa\tb\r\nc d\te\r\n"),
        ("tsv", "Source\tTarget\na\tb\n\nc d\te"),
        ("tsv", "target\tsource\nb\ta\ne\tc d"),
        ("tsv", "a\tb\t\t\nc d\te\t \t\n"),
        ("tsv", " a \t\tb\nx\nc d\t\te\n".replace("\t\t", "\t").replace("x\n", "")),
        ("csv", 'a,b\n"c d",e\n'),
        ("csv", "a;b\nc d;e\n"),
        ("csv", '"source"|"target"\na|b\n"c d"|e\n'),
        ("jsonl", '{"source": "a", "target": "b"}\n\n{"target": "e", "source": "c d", "more": 1}\n'),
    ],
)
def test_pairs_are_read(format: PairFormat, data: str) -> None:
    assert read(data, format) == [("a", "b"), ("c d", "e")]


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("tsv", "C0003\ta\tb\nC0001\tc\td\n"),
        ("tsv", "source\tid\ttarget\na\tC0003\tb\nc\tC0001\td\n"),
        ("csv", "seed_id,source,target\nC0003,a,b\nC0001,c,d\n"),
        ("jsonl", '{"seed_id":"C0003","source":"a","target":"b"}\n{"source":"c","target":"d","seed_id":"C0001"}'),
    ],
)
def test_ids_of_the_file_are_kept(format: PairFormat, data: str) -> None:
    assert read(data, format) == [("a", "b", "C0003"), ("c", "d", "C0001")]


@pytest.mark.parametrize("rows", [["C1", "a", "b"], ["a", "C1", "b"], ["a", "b", "c1"]])
def test_a_column_of_ids_needs_no_header(rows: list[str]) -> None:
    assert read("\t".join(rows) + "\n") == [("a", "b", "C0001")]


@pytest.mark.parametrize(
    ("format", "data", "words"),
    [
        ("tsv", "greeting\tHello.\tHola.\n", '3 columns, and .*: 1 "greeting", 2 "Hello.", 3 "Hola."'),
        ("tsv", "C1\tHello.\tHola.\tnote\n", "4 columns"),
        ("tsv", "C1\tC2\tHola.\n", "3 columns"),
        ("tsv", "C0001\tHello.\nC0002\tBye.\n", "2 columns"),
        ("csv", f"Yes, {'x' * 40}.,Sí.\nNo, no.,No.\n", '3 columns, .*x…"'),
        ("tsv", "source\tsource\ttarget\na\tb\tc", "Two columns of the header may be the source"),
        ("tsv", "English\tspa\tes-MX\na\tb\tc", "Two columns of the header may be the target"),
        ("tsv", "English\tFrench\na\tb", "names English and French, but the course spa_for_eng is of English and Span"),
    ],
)
def test_columns_that_nobody_can_tell_apart_are_refused(format: PairFormat, data: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        list(read_pairs(data.encode(), "pairs", format, Course.of("spa_for_eng")))
    assert refused.value.path == "pairs" and refused.value.hint


@pytest.mark.parametrize(
    "data",
    [
        "English\tSpanish\nHello.\tHola.",
        "Spanish\tEnglish\nHola.\tHello.",
        "eng\tspa\nHello.\tHola.",
        "es-MX\ten_GB\nHola.\tHello.",
        "Español (México)\tEnglish\tnotes\nHola.\tHello.\tpolite",
        "English\ttarget\nHello.\tHola.",
        "English lesson\tSpanish\nHello.\tHola.",
    ],
)
def test_the_languages_of_a_course_are_a_header(data: str) -> None:
    found = list(read_pairs(data.encode(), "pairs", "tsv", Course.of("spa_for_eng")))
    pairs = [(row.source, row.target) for row in found if isinstance(row, Pair)]
    assert pairs[-1] == ("Hello.", "Hola.")
    assert len(pairs) == (2 if data.startswith("English lesson") else 1)


@pytest.mark.parametrize(
    ("course", "source", "target", "told"),
    [
        ("spa_for_eng", "Hello.", "مرحبا", "The target is in Arabic letters; Spanish is not written in them."),
        ("mkd_for_eng", "Здраво.", "Hello.", "The source is in Cyrillic letters; English is not written in them."),
        ("spa_for_eng", "Здраво.", "你好。", "The source is in Cyrillic letters; English is not written in them. The"),
        ("mkd_for_eng", "Hello.", "Zdravo.", None),
        ("spa_for_eng", "What is π?", "¿Qué es π?", None),
        ("spa_for_eng", "The word щука", "La palabra щука", None),
        ("srp_for_eng", "Hello.", "Здраво.", None),
        ("kur_for_eng", "Hello.", "سڵاو", None),
    ],
)
def test_letters_of_another_language_are_refused(course: str, source: str, target: str, told: str | None) -> None:
    data = f"{source}\t{target}\n".encode()
    [row] = read_pairs(data, "pairs", "tsv", Course.of(course))
    if told is None:
        assert isinstance(row, Pair)
    else:
        assert isinstance(row, Problem) and row.code == "other_script" and row.message.startswith(told)


def test_utf_16_is_read_by_its_mark() -> None:
    assert read("a\tñ\n".encode("utf-16")) == [("a", "ñ")]


@pytest.mark.parametrize(
    ("format", "data", "told"),
    [
        ("tsv", "a\tb\nalone\n f\tg\n", [("a", "b"), ("2", "unequal_columns"), ("f", "g")]),
        ("tsv", "a\tb\nc\td\te\n f\tg\n", [("a", "b"), ("2", "unequal_columns"), ("f", "g")]),
        ("tsv", "a\tb\tx\nc\td\ne\tf\n", [("1", "unequal_columns"), ("c", "d"), ("e", "f")]),
        ("tsv", "a\t \n\tb\nc\td", [("1", "empty_half"), ("2", "empty_half"), ("c", "d")]),
        ("tsv", b"a\xff\tb\nc\td\n", [("1", "wrong_encoding"), ("c", "d")]),
        ("tsv", "a\x00\tb\nc\td\n", [("1", "nul"), ("c", "d")]),
        ("tsv", "a\tb\nc\td\na \tb\na\tz\n", [("a", "b"), ("c", "d"), ("3", "duplicate"), ("a", "z")]),
        ("tsv", "C0001\ta\tb\nC0001\tc\td\n\tg\th", [("a", "b", "C0001"), ("2", "duplicate_id"), ("g", "h")]),
        ("tsv", "C0001\ta\tb\nX1\te\tf\nC2\tc\td", [("a", "b", "C0001"), ("2", "bad_seed_id"), ("c", "d", "C0002")]),
        ("tsv", f"{'x' * 100_001}\tb\nc\td", [("1", "too_long"), ("c", "d")]),
        ("csv", 'a,b\n"open,c\nd,e\n', [("a", "b"), ("2", "bad_csv"), ("d", "e")]),
        ("csv", 'a,b\n"x"y,c\nd,5" pipe\n', [("a", "b"), ("2", "bad_csv"), ("d", '5" pipe')]),
        ("csv", b'a,b\n\xff,c\n"d\n\nd",e\n', [("a", "b"), ("2", "wrong_encoding"), ("d\n\nd", "e")]),
        ("jsonl", '{"source": "a"', [("1", "invalid_json")]),
        ("jsonl", '{"source": "a", "source": "b", "target": "c"}', [("1", "invalid_json")]),
        ("jsonl", b'\xff\n{"source": "a", "target": "b"}', [("1", "wrong_encoding"), ("a", "b")]),
        ("jsonl", '["a", "b"]', [("1", "no_object")]),
        ("jsonl", '{"source": "a"}\n{"source": 1, "target": "b"}', [("1", "no_text"), ("2", "no_text")]),
        ("jsonl", '{"source": "a", "target": "b", "seed_id": 1}', [("1", "bad_seed_id")]),
        ("jsonl", '{"source": "a\\u0000", "target": "b"}', [("1", "nul")]),
        ("tsv", "", []),
        ("csv", "\n\n", []),
    ],
)  # fmt: skip
def test_bad_rows_are_told_and_the_others_taken(
    format: PairFormat, data: str | bytes, told: list[tuple[str, ...]]
) -> None:
    assert read(data, format) == told


def test_a_quote_that_is_never_closed_costs_its_row_only() -> None:
    rows = [f"row {number},target {number}" for number in range(200)]
    found = read("\n".join(['"open,x', *rows]), "csv")
    assert found[0] == ("1", "bad_csv")
    assert len(found) == 201


LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12).map(str.strip)
PAIRS = st.lists(st.tuples(LINES, LINES).filter(all), max_size=6, unique=True)


@settings(max_examples=80)
@given(pairs=PAIRS)
def test_any_text_comes_through_every_format_as_it_is(pairs: list[tuple[str, str]]) -> None:
    table = [("source", "target"), *pairs]
    written = io.StringIO()
    csv.writer(written).writerows(table)
    lines = "".join(json.dumps({"source": source, "target": target}) + "\n" for source, target in pairs)
    assert read("".join(f"{source}\t{target}\n" for source, target in table)) == pairs
    assert read(written.getvalue(), "csv") == pairs
    assert read(lines, "jsonl") == pairs


def test_right_to_left_combining_and_long_sentences_are_kept() -> None:
    pairs = [("\u200fשלום לך\u200e", "e\u0301te\u0301"), (" ".join(["word"] * 500), " ".join(["збор"] * 500))]
    assert read("".join(f"{source}\t{target}\n" for source, target in pairs)) == pairs


def test_a_course_has_room_for_ten_thousand() -> None:
    rows = [f"s{number}\tt{number}" for number in range(10_001)]
    assert len(read("\n".join(rows[:-1]))) == 10_000
    with pytest.raises(InputError, match="10,001 SEEDs; a course holds at most 10,000") as refused:
        read("\n".join(rows))
    assert (refused.value.code, refused.value.path) == ("too_many_seeds", "pairs")


def test_uuids_depend_on_course_and_pair_alone() -> None:
    names = {uuid_of(*parts) for parts in [("a", "b", "c"), ("a", "bc", ""), ("a", "c", "b"), ("x", "b", "c")]}
    assert len(names) == 4
    first = record_of(Pair("b", "c", 1), "C0001", "a", "2026-01-01T00:00:00Z")
    later = record_of(Pair("b", "c", 9), "C0009", "a", "2026-01-02T00:00:00Z")
    assert first["uuid"] == later["uuid"] == uuid_of("a", "b", "c")


def test_a_new_record_is_valid() -> None:
    record = record_of(Pair("Come.", "Дојди.", 3), "C0042", "mkd_for_eng", "2026-01-01T00:00:00Z")
    assert validate(record) == []
    assert (record["seed_id"], record["metadata"]["course_code"]) == ("C0042", "mkd_for_eng")


@pytest.mark.parametrize(
    ("used", "wanted", "ids"),
    [
        ([], 3, ["C0001", "C0002", "C0003"]),
        (["C0002"], 2, ["C0003", "C0004"]),
        (["C9998"], 4, ["C9999", "C0001", "C0002", "C0003"]),
        ([f"C{number:04d}" for number in range(1, 9999)], 2, ["C9999", "C0000"]),
        (["C0001"], 0, []),
        (["C0001", "no id", "C12345", "c0009"], 1, ["C0002"]),
    ],
)
def test_new_ids_stand_behind_those_in_use(used: list[str], wanted: int, ids: list[str]) -> None:
    assert free_ids(used, wanted) == ids


def test_a_full_course_takes_no_more() -> None:
    with pytest.raises(InputError, match="would have over 10,000"):
        free_ids([f"C{number:04d}" for number in range(10_000)], 1)


@pytest.mark.parametrize(
    ("path", "format"), [("a.TSV", "tsv"), ("a.csv", "csv"), ("x/a.jsonl", "jsonl"), ("a.txt", None), ("tsv", None)]
)
def test_names_say_what_is_in_them(path: str, format: PairFormat | None) -> None:
    assert format_of(path) == format
