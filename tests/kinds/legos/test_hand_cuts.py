"""Cuts made by hand, read from tables and from JSON."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.legos.hand_cuts import Format, HandCut, read_cuts

PAIR = {"source": "I need coffee", "target": "Ми треба кафе"}
LEGO = {"source": "I need", "target": "Ми треба"}
ROW = "I need coffee\tМи треба кафе\tI need\tМи треба\n"


def read(data: str | bytes, format: Format = "tsv") -> list[HandCut | Problem]:
    return list(read_cuts(data.encode() if isinstance(data, str) else data, "cuts", format))


def cuts(data: str | bytes, format: Format = "tsv") -> list[HandCut]:
    found = read(data, format)
    assert all(isinstance(one, HandCut) for one in found), found
    return found  # type: ignore[return-value]


def problem(data: str, format: Format = "tsv") -> Problem:
    (found,) = [one for one in read(data, format) if isinstance(one, Problem)]
    return found


def halves(cut: HandCut) -> list[tuple[str, str]]:
    return [(lego.source, lego.target) for lego in cut.legos]


def test_rows_of_the_same_seed_belong_together_wherever_they_stand() -> None:
    other = "Good evening\tДобра вечер\tGood evening\tДобра вечер\n"
    first, second = cuts(ROW + other + "I need coffee\tМи треба кафе\tcoffee\tкафе\n")
    assert (first.source, first.target, first.line) == ("I need coffee", "Ми треба кафе", 1)
    assert halves(first) == [("I need", "Ми треба"), ("coffee", "кафе")]
    assert (second.source, second.line) == ("Good evening", 2)


def test_a_header_names_the_columns_in_any_order() -> None:
    header = "Lego_Source;lego_target;source;target;seed_id;course_code;remark\n"
    (cut,) = cuts(header + 'I need;Ми треба;"I need; coffee";Ми треба кафе;C0007;mkd_for_eng;mine\n', "csv")
    assert (cut.seed_id, cut.course_code, cut.source, cut.line) == ("C0007", "mkd_for_eng", "I need; coffee", 2)


def test_a_tsv_takes_quotation_marks_as_they_are_and_windows_lines() -> None:
    (cut,) = cuts(codecs.BOM_UTF8 + 'Say "yes\tКажи "да\t"yes\t"да\r\n\r\n'.encode())
    assert cut.source == 'Say "yes' and halves(cut) == [('"yes', '"да')]


def test_a_line_separator_inside_a_cell_ends_no_row() -> None:
    (cut,) = cuts("a\u2028b,c,a,c\n", "csv")
    assert cut.source == "a\u2028b"


@pytest.mark.parametrize(
    ("row", "code", "line"),
    [
        ("I need coffee\tМи треба кафе\tI need\n", "unequal_columns", 2),
        ("I need coffee\tМи треба кафе\t \tкафе\n", "empty_half", 2),
        ("\tМи треба кафе\tI need\tкафе\n", "empty_half", 2),
    ],
)
def test_a_bad_row_is_told_and_the_others_are_read(row: str, code: str, line: int) -> None:
    found = problem(ROW + row)
    assert (found.code, found.line) == (code, line)
    assert len(read(ROW + row)) == 2


@pytest.mark.parametrize(
    ("data", "format", "code"),
    [
        ("", "tsv", "empty"),
        ("\n \n", "csv", "empty"),
        ("a\tb\tc\n", "tsv", "bad_header"),
        ("source\ttarget\tlego_source\tlego_target\tsource\n", "tsv", "bad_header"),
        ('a,b,"c\n', "csv", "invalid_csv"),
        ("{", "json", "invalid_json"),
        ("3", "json", "no_list"),
        ("[" * 5000, "json", "invalid_json"),
        ("a\x00\tb\tc\td", "tsv", "binary"),
    ],
)
def test_a_file_of_which_nothing_can_be_used_is_refused(data: str, format: Format, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read(data, format)
    assert refused.value.code == code and refused.value.path == "cuts"


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        read(b"caf\xe9\ta\tb\tc\n")
    assert refused.value.code == "wrong_encoding"


def test_json_lines_are_read_one_by_one() -> None:
    good = json.dumps({**PAIR, "legos": [LEGO], "seed_id": "C0003", "note": "kept out"})
    found = read(f"{good}\n\n{{bad\n[]\n", "jsonl")
    assert isinstance(found[0], HandCut) and (found[0].seed_id, found[0].line) == ("C0003", 1)
    assert [(one.code, one.line) for one in found[1:] if isinstance(one, Problem)] == [
        ("invalid_json", 3),
        ("no_object", 4),
    ]


@pytest.mark.parametrize("wrapped", ["list", "object", "seeds"])
def test_json_is_a_list_an_object_or_an_object_with_seeds(wrapped: str) -> None:
    seed = {**PAIR, "legos": [LEGO]}
    value: Any = {"list": [seed], "object": seed, "seeds": {"course_code": "mkd_for_eng", "seeds": [seed]}}[wrapped]
    (cut,) = cuts(json.dumps(value), "json")
    assert halves(cut) == [("I need", "Ми треба")] and cut.line is None
    assert cut.course_code == ("mkd_for_eng" if wrapped == "seeds" else None)


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"source": " "}, "source", "is empty"),
        ({"legos": None}, "legos", "is missing"),
        ({"legos": [{"source": "I need"}]}, "legos[0].target", "is missing"),
        ({"legos": [{"source": "I need", "target": ""}]}, "legos[0].target", "is empty"),
        ({"target": 3}, "target", "must be a text"),
        ({"seed_id": "7"}, "seed_id", "must look like C0001"),
        ({"legos": [LEGO] * 1001}, "legos", "has more than 1,000 entries"),
    ],
)
def test_a_seed_that_is_not_as_it_should_be_is_told_by_its_field(change: dict[str, Any], field: str, said: str) -> None:
    found = problem(json.dumps([{**PAIR, "legos": [LEGO], **change}]), "json")
    assert found.field == field and found.message.startswith(f"[0]: {field}: {said}")


def test_an_id_that_is_given_twice_is_told() -> None:
    seed = {**PAIR, "legos": [LEGO], "seed_id": "C0001"}
    found = problem(json.dumps([seed, {**seed, "source": "I need tea"}]), "json")
    assert (found.code, found.message) == ("duplicate_id", "[1]: the id C0001 is already used by [0].")


def test_more_seeds_than_a_course_holds_are_refused() -> None:
    rows = "".join(f"s{number}\tt\ts{number}\tt\n" for number in range(10_001))
    with pytest.raises(InputError, match="more than 10,000"):
        read(rows)
    assert len(cuts(rows[: rows.index("s10000")])) == 10_000


@given(st.text(), st.sampled_from(["tsv", "csv", "jsonl", "json"]))
def test_any_text_is_read_or_refused(text: str, format: Format) -> None:
    try:
        found = read(text.encode("utf-8", "replace"), format)
    except InputError as refused:
        assert refused.code
    else:
        assert all(isinstance(one, HandCut | Problem) for one in found)
