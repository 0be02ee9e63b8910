"""JSON: lists, banks, single questions, cut while they stream by."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats import json_files as module
from burnish.kinds.questions.formats import source as sources
from tests.kinds.questions.formats.banks import codes, read, rewrite, spans, write

JSON = format_named("json")


def item(id: str = "a", **fields: object) -> dict[str, object]:
    return {"id": id, "stem": "S?", "options": ["x", "y"], "answer": "B"} | fields


def ids(data: bytes) -> list[str]:
    return [question.id for question in read(JSON, data)[0]]


@pytest.mark.parametrize(
    "bank",
    [
        [item("a"), item("b")],
        {"questions": [item("a"), item("b")]},
        {"title": '{["', "n": [1, {"a": "]"}], "questions": [item("a"), item("b")], "end": {"x": None}},
        {"items": [item("a"), item("b")]},
        {"count": 2, "questions": 5, "items": [item("a"), item("b")]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [5, 1 << 20])
def test_banks(monkeypatch: pytest.MonkeyPatch, bank: object, indent: int | None, chunk: int) -> None:
    monkeypatch.setattr(sources, "CHUNK", chunk)
    data = json.dumps(bank, indent=indent).encode()
    found, problems, _ = read(JSON, data)
    assert [question.id for question in found] == ["a", "b"]
    assert problems == []
    assert rewrite(JSON, data) == data


def test_a_single_question() -> None:
    data = b" \n" + json.dumps(item("a", items=None), indent=1).encode() + b"\n\n"
    assert ids(data) == ["a"]
    after = read(JSON, data)[0][0].with_text("stem", "T?")
    assert rewrite(JSON, data, after) == data.replace(b"S?", b"T?")


def test_a_set_is_one_question_although_it_has_items() -> None:
    value = {"id": "s", "type": "extended_matching", "options": ["x", "y"], "items": [{"stem": "c", "answer": "A"}]}
    assert ids(json.dumps(value).encode()) == ["s"]


def test_the_position_of_a_problem() -> None:
    data = b'[\n {"id": "a",\n  "stem": "S",\n  "options": ["x",\n   7], "answer": "A"},\n'
    data += b' {"id": "b", "stem": "S", "answer": "A",\n "options": ["x", "y"],\n "stem": "T"}]'
    _, problems, _ = read(JSON, data)
    assert [(problem.code, problem.line) for problem in problems] == [("wrong_type", 5), ("duplicate_key", 8)]


@pytest.mark.parametrize(
    ("data", "expected", "read_ids"),
    [
        (b'[%a,{"id":"b","stem":"S","opt', ["truncated"], ["a"]),
        (b"[%a,", ["truncated"], ["a"]),
        (b"[%a", ["truncated"], ["a"]),
        (b'{"questions":[%a]', ["truncated"], ["a"]),
        (b"[%a] x", ["invalid_json"], ["a"]),
        (b"[%a,]", ["invalid_json"], ["a"]),
        (b"[,%a]", ["invalid_json"], ["a"]),
        (b"[%a%b]", ["invalid_json"], ["a", "b"]),
        (b'[NaN, 1, "x", %a]', ["invalid_json", "wrong_type", "wrong_type"], ["a"]),
        (b'{"a":1,"questions":[],"a":2}', ["duplicate_key"], []),
        (b'{"questions":[%a],"x":Infinity}', ["invalid_json"], ["a"]),
        (b"hello", ["invalid_json"], []),
        (b"{", ["truncated"], []),
        (b"[", ["truncated"], []),
        (b'["open', ["truncated"], []),
        (b"[1", ["wrong_type", "truncated"], []),
        (b"[:]", ["invalid_json"], []),
        (b"", ["empty"], []),
        (b" \n ", ["empty"], []),
        (b"[]", ["empty"], []),
    ],
)
def test_what_can_be_read_is_read(data: bytes, expected: list[str], read_ids: list[str]) -> None:
    data = data.replace(b"%a", json.dumps(item("a")).encode()).replace(b"%b", json.dumps(item("b")).encode())
    assert codes(JSON, data)[: len(expected)] == expected
    assert ids(data) == read_ids
    assert rewrite(JSON, data) == data


def test_problems_of_the_frame_stand_on_their_line() -> None:
    data = b'{"questions": [\n' + json.dumps(item(), indent=1).encode() + b'\n],\n"a": 1,\n"a": 2}'
    _, problems, _ = read(JSON, data)
    assert [(problem.code, problem.line) for problem in problems] == [("duplicate_key", data.count(b"\n") + 1)]
    assert "Around the list" in problems[0].message


def test_lines_of_old_macs_are_counted() -> None:
    _, problems, _ = read(JSON, b'[\r\r{"id": 1, "stem": 2, "options": ["x"], "answer": 0}\r]')
    assert problems[0].line == 3


def test_limits_end_the_reading_and_keep_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEM_BYTES", 120)
    monkeypatch.setattr(sources, "CHUNK", 40)
    first = json.dumps(item("a")).encode()
    for rest in (b'{"stem": "' + b"x" * 300 + b'"}]', b'"' + b"x" * 300 + b'"]', b" " * 300 + b"]"):
        data = b"[" + first + b"," + rest
        assert codes(JSON, data) == ["too_long"]
        assert ids(data) == ["a"]
        assert rewrite(JSON, data) == data
    single = b'{"stem": "' + b"x" * 300 + b'"}'
    assert codes(JSON, single) == ["too_long"]
    assert rewrite(JSON, single) == single


def test_brackets_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BRACKETS", 20)
    data = b"[" + json.dumps(item("a")).encode() + b"," + b"[" * 50 + b"]" * 50 + b"]"
    assert codes(JSON, data) == ["too_complex"]
    assert codes(JSON, b'{"a":' + b"[" * 50 + b"]" * 50 + b', "questions": []}') != []


def test_a_long_tail_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEM_BYTES", 200)
    monkeypatch.setattr(sources, "CHUNK", 40)
    data = b"[" + json.dumps(item("a")).encode() + b"]" + b" " * 400
    assert ids(data) == ["a"]
    assert rewrite(JSON, data) == data


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\[]{},:é', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abq", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 0, 3]), st.integers(3, 30))
def test_items_are_cut_where_json_ends_them(values: list[object], indent: int | None, chunk: int) -> None:
    data = json.dumps(values, indent=indent, ensure_ascii=False).encode()
    source = sources.Source(io.BytesIO(data[chunk:]), "x", b"", "utf-8", data[:chunk])
    pieces = list(module.JsonArray().pieces(source))
    items = [json.loads(piece.raw) for piece in pieces if not isinstance(piece, bytes) and piece.raw]
    assert items == values
    assert b"".join(piece if isinstance(piece, bytes) else piece.raw for piece in pieces) == data


def test_new_files() -> None:
    found, _, _ = read(JSON, json.dumps([item("a"), item("b")]).encode())
    data, _ = write(JSON, found)
    assert [value["id"] for value in json.loads(data)] == ["a", "b"]
    assert len(spans(module.JsonArray(), data)) == 2
    assert write(JSON, [])[0] == b"[]\n"


@pytest.mark.parametrize(
    ("bank", "carried"),
    [
        ([item()], set()),
        ([item(rationale=None), item(rationale="")], {"rationale"}),
        ([item(explanation="x")], {"rationale"}),
        (
            [item(vignette="v", metadata={"bloom_level": "Apply", "difficulty": None})],
            {"vignette", "metadata.bloom_level"},
        ),
        ([item(difficulty="hard")], set()),
        ([item(stem='say "rationale": x', note="vignette")], set()),
    ],
)
def test_what_a_bank_carries(bank: list[object], carried: set[str]) -> None:
    assert JSON.carried(io.BytesIO(json.dumps(bank).encode())) == carried


def test_the_survey_sees_over_the_borders_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CHUNK", 11)
    data = json.dumps([item(vignette="v", rationale="r", metadata={"keywords": ["k"]})], indent=1).encode()
    assert JSON.carried(io.BytesIO(data)) == {"vignette", "rationale", "metadata.keywords"}
    every: dict[str, object] = dict.fromkeys(
        ("course_id", "bloom_level", "difficulty", "usmle_system", "usmle_discipline"), "x"
    )
    every |= {"slo_ids": ["s"], "concept_ids": ["c"], "keywords": ["k"]}
    full = json.dumps([item(vignette="v", rationale="r", metadata=every)] * 50).encode()
    assert len(JSON.carried(io.BytesIO(full))) == 10
