"""JSON Lines: every line for itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats import json_files as module
from burnish.kinds.questions.formats import source as sources
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

JSONL = format_named("jsonl")
SOUND = (
    '{"id": "a", "stem": "S?", "options": [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}], '
    '"correct_answer": "B"}'
)


def line(**fields: object) -> bytes:
    return json.dumps({"id": "a", "stem": "S?", "options": ["x", "y"], "answer": "B"} | fields).encode()


def test_the_contract_of_a_question() -> None:
    draft = {
        "id": "d-1",
        "type": "single_best_answer",
        "vignette": "A patient has chest pain.",
        "stem": "What is best?",
        "options": [{"key": "A", "text": "Aspirin", "note": 1}, {"key": "B", "text": "Rest"}],
        "correct_answer": "A",
        "rationale": "",
        "metadata": {"course_id": "c", "slo_ids": ["s"], "bloom_level": "Apply", "own": [1, 2]},
        "burnish_ignore": ["nbme_lead_in"],
        "reviewed": {"by": "N", "on": None},
    }
    question = only(JSONL, json.dumps(draft).encode())
    assert question.model_dump(mode="json", exclude_unset=True) == draft


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"options": ["x", "y"], "answer": 1}, "B"),
        ({"options": ["x", "y"], "answer": "1"}, "B"),
        ({"options": ["x", "y"], "answer": "y"}, "B"),
        ({"options": {"A": "x", "B": "y"}, "answer": "B"}, "B"),
        ({"options": [{"text": "x"}, {"text": "y"}], "answer": 1}, "B"),
        ({"options": [{"label": "I", "text": "x"}, {"label": "II", "text": "y"}], "answer": "II"}, "II"),
        ({"options": [{"key": "1", "text": "x"}, {"key": "2", "text": "y"}], "answer": 2}, "2"),
    ],
)
def test_shapes_of_options_and_answers(fields: dict[str, object], key: str) -> None:
    question = only(JSONL, line(**fields))
    assert question.correct_answer == key
    assert question.key is not None and question.key.text == "y"
    assert "answer" not in (question.model_extra or {})


def test_rows_of_mmlu() -> None:
    row = {
        "subject": "s",
        "question": "Q?",
        "choices": ["x", "y"],
        "answer": "0",
        "error_type": "ok",
        "correct_answer": "1",
    }
    [question], problems, _ = read(JSONL, json.dumps(row).encode())
    assert [problem.code for problem in problems] == ["missing_id", "answers_disagree"]
    assert (question.id, question.stem, question.correct_answer) == ("q1", "Q?", "A")
    assert question.model_extra == {"subject": "s", "error_type": "ok"}
    after = question.with_text("stem", "Q!").with_text("correct_answer", "B")
    assert json.loads(rewrite(JSONL, json.dumps(row).encode(), after)) == row | {"question": "Q!", "answer": "1"}


def test_rows_of_medqa_keep_the_answer_in_words_in_step() -> None:
    row = {"question": "Q?", "options": {"A": "x", "B": "y"}, "answer": "y", "answer_idx": "B", "meta_info": "step1"}
    question = only(JSONL, json.dumps(row).encode())
    assert (question.correct_answer, question.model_extra) == ("B", {"meta_info": "step1"})
    after = question.with_text("options.B", "why")
    assert json.loads(rewrite(JSONL, json.dumps(row).encode(), after)) == row | {
        "options": {"A": "x", "B": "why"},
        "answer": "why",
    }


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"correct_answer": "A", "answer": "B"}, "correct_answer names 'A' as the right answer, answer 'B'."),
        ({"correct_answer": "A", "answer": 1}, "correct_answer names 'A' as the right answer, answer 'B'."),
        ({"answer_idx": "B", "answer": "x"}, "answer_idx names 'B' as the right answer, answer 'A'."),
        ({"correct_answer": "neither", "answer": "B"}, None),
        ({"correct_answer": "A", "answer": "Because it is so."}, None),
        ({"correct_answer": "B", "answer": "y"}, None),
        ({"correct_answer": "B", "answer": 1}, None),
    ],
)
def test_two_right_answers_are_told(fields: dict[str, Any], said: str | None) -> None:
    row = {"id": "a", "stem": "S?", "options": ["x", "y"], **fields}
    _, problems, _ = read(JSONL, json.dumps(row).encode())
    told = [(problem.message.removesuffix(" The first was taken."), problem.unit) for problem in problems]
    assert told == ([(said, "a")] if said else [])


def test_two_right_answers_of_an_item_are_told() -> None:
    item = {"stem": "s", "options": ["x", "y"], "answer": "A", "correct_answer": "B"}
    _, problems, _ = read(JSONL, line(items=[item], type="sequential_set"))
    assert [(problem.code, problem.field) for problem in problems] == [("answers_disagree", "items.0.correct_answer")]


def test_fields_that_agree_stay_in_step() -> None:
    row = {"id": "a", "stem": "S?", "options": ["x", "y"], "correct_answer": "A", "answer": 0, "correct": "x"}
    question = only(JSONL, json.dumps(row).encode())
    rewritten = json.loads(rewrite(JSONL, json.dumps(row).encode(), question.with_text("correct_answer", "B")))
    assert rewritten == row | {"correct_answer": "B", "answer": 1, "correct": "y"}


def test_an_answer_in_words_follows_its_option() -> None:
    data = line(answer="y")
    after = only(JSONL, data).with_text("options.B", "why")
    assert json.loads(rewrite(JSONL, data, after))["answer"] == "why"


def test_sets_of_items() -> None:
    row = {
        "id": "s",
        "type": "extended_matching",
        "stem": "For each case, which drug?",
        "options": ["x", "y", "z"],
        "items": [
            {"stem": "Case 1", "answer": "C", "explanation": "because"},
            {"question": "Case 2", "correct_answer": "z", "options": ["y", "z"]},
        ],
    }
    data = json.dumps(row).encode()
    question = only(JSONL, data)
    assert question.items is not None
    assert [item.correct_answer for item in question.items] == ["C", "B"]
    after = question.with_text("items.0.stem", "Case one").with_text("items.1.options.B", "zed")
    after = after.with_text("items.0.correct_answer", "A").with_text("items.0.rationale", "so")
    changed = json.loads(rewrite(JSONL, data, after))
    assert changed["items"] == [
        {"stem": "Case one", "answer": "A", "explanation": "so"},
        {"question": "Case 2", "correct_answer": "zed", "options": ["y", "zed"]},
    ]


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"stem": 5}, "wrong_type", "stem"),
        ({"stem": None}, "missing_field", "stem"),
        ({"options": None}, "missing_field", "options"),
        ({"options": "x"}, "wrong_type", "options"),
        ({"options": ["x", 5]}, "wrong_type", "options.1"),
        ({"options": [{"key": "A"}]}, "missing_field", "options.0.text"),
        ({"options": {"A": 1}}, "wrong_type", "options.0.text"),
        ({"answer": True}, "wrong_type", "correct_answer"),
        ({"metadata": {"bloom_level": 3}}, "wrong_type", "metadata.bloom_level"),
        ({"metadata": []}, "wrong_type", "metadata"),
        ({"type": 7}, "wrong_type", "type"),
        ({"items": [1]}, "wrong_type", "items.0"),
        ({"burnish_ignore": "all"}, "wrong_type", "burnish_ignore"),
        ({"options": ["x"] * 101}, "too_many_options", "options"),
        ({"items": [{"stem": "s"}] * 1001}, "too_many_items", "items"),
        ({"stem": "x" * 300_000}, "field_too_long", "stem"),
        ({"options": ["x" * 300_000, "y"]}, "field_too_long", "options.A"),
        ({"size": 10**30}, "invalid_json", "size"),
        ({"deep": {"list": [1, -(10**30)]}}, "invalid_json", "deep"),
    ],
)
def test_wrong_fields_are_named_and_the_rest_is_read(fields: dict[str, object], code: str, field: str) -> None:
    found, problems, _ = read(JSONL, line(id="ok") + b"\n" + line(**fields) + b"\n" + line(id="z"))
    assert [question.id for question in found] == ["ok", "z"]
    assert (problems[0].code, problems[0].field, problems[0].line) == (code, field, 2)


def test_a_set_whose_item_has_too_many_options_is_refused() -> None:
    assert codes(JSONL, line(items=[{"stem": "s", "options": ["x"] * 101, "answer": 0}])) == ["too_many_options"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{bad}", "invalid_json"),
        (b'{"stem": NaN}', "invalid_json"),
        (b'{"id": "n", "n": 1e999, "stem": "s", "options": ["x"], "answer": 0}', "invalid_json"),
        (b'{"stem": "a", "stem": "b"}', "duplicate_key"),
        (b'{"stem": "a"', "truncated"),
        (b'{"stem": "a"} {}', "invalid_json"),
        (b"[1]", "wrong_type"),
        (b"5", "wrong_type"),
        (b'{"stem": "\xe9"}', "wrong_encoding"),
        (b'{"stem": "\\ud800"}', "invalid_json"),
        (b"[" * 300, "too_deep"),
    ],
)
def test_a_bad_line_does_not_touch_the_others(raw: bytes, code: str) -> None:
    data = SOUND.encode() + b"\r\n\n" + raw + b"\r\n" + SOUND.replace('"a"', '"b"', 1).encode()
    found, problems, _ = read(JSONL, data)
    assert [question.id for question in found] == ["a", "b"]
    assert [(problem.code, problem.line) for problem in problems] == [(code, 3)]
    assert rewrite(JSONL, data) == data


def test_a_wrong_byte_is_named() -> None:
    _, problems, _ = read(JSONL, b"\n" + b'{"stem": "caf\xe9"}')
    assert "Byte 14" in problems[0].message
    assert "Windows-1252" in (problems[0].hint or "")


@pytest.mark.parametrize("key", ["Q", "", None])
def test_a_key_that_names_no_option_is_told_and_the_question_kept(key: str | None) -> None:
    found, problems, _ = read(JSONL, line(answer=key))
    assert len(found) == 1
    assert [(p.code, p.field, p.unit) for p in problems] == [("unknown_key", "correct_answer", "a")]


def test_what_we_do_not_judge_passes_through() -> None:
    data = line(type="essay") + b"\n" + line(id="b", answer=["A", "B"]) + b"\n" + line(id="c", type="multiple_choice")
    found, problems, passed = read(JSONL, data)
    assert [(part.id, part.type, part.line) for part in passed] == [("a", "essay", 1)]
    assert [(one.id, one.type) for one in found] == [("b", "multiple_response"), ("c", "single_best_answer")]
    assert problems == []


@pytest.mark.parametrize(("id", "expected"), [(17, "17"), ("  ", "q1"), (True, "q1"), (["x"], "q1"), ("x" * 600, "q1")])
def test_unusual_ids(id: object, expected: str) -> None:
    found, problems, _ = read(JSONL, line(id=id))
    assert [question.id for question in found] == [expected]
    assert ("wrong_type" in [problem.code for problem in problems]) == (id not in (17, "  "))


def test_lone_carriage_returns_end_lines_too() -> None:
    found, problems, _ = read(JSONL, line(id="a") + b"\r" + line(id="b") + b"\r\r{x}")
    assert [question.id for question in found] == ["a", "b"]
    assert [problem.line for problem in problems] == [4]


def test_a_line_over_the_limit_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEM_BYTES", 200)
    monkeypatch.setattr(sources, "CHUNK", 64)
    data = SOUND.encode() + b"\n" + b'{"stem": "' + b"x" * 900 + b'"}\n' + SOUND.replace('"a"', '"b"', 1).encode()
    found, problems, _ = read(JSONL, data)
    assert [question.id for question in found] == ["a", "b"]
    assert [(problem.code, problem.line) for problem in problems] == [("too_long", 2)]
    assert rewrite(JSONL, data) == data


def test_only_the_words_that_change_are_touched() -> None:
    data = b'  {"id":"a" , "stem" :"caf\\u00e9 \\/ old \\u0022x\\"", "n": 1.50e+1,\t"options":["x","y"],'
    data += b' "answer":"B"}  \r\n'
    after = only(JSONL, data).with_text("stem", 'café / new é "x"')
    assert rewrite(JSONL, data, after) == data.replace(b"old", b"new \\u00e9")


def test_characters_are_written_as_the_author_writes_them() -> None:
    data = '{"id":"a","stem":"é old","options":["x","y"],"answer":"B"}'.encode()
    assert "é néw".encode() in rewrite(JSONL, data, only(JSONL, data).with_text("stem", "é néw"))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ('{"id":"a","stem":"S","options":["x","y"],"answer":"B"}', ',"rationale":"R"}'),
        ('{"id": "a", "stem": "S", "options": ["x", "y"], "answer": "B"}', ', "rationale": "R"}'),
        ('{"id": "a", "stem": "S", "rationale": null, "options": ["x", "y"], "answer": "B"}', '"rationale": "R", "opt'),
        (
            '{"id": "a", "stem": "S", "explanation": "", "options": ["x", "y"], "answer": "B"}',
            '"explanation": "R", "opt',
        ),
    ],
)
def test_a_missing_field_is_added_in_the_style_of_its_neighbours(raw: str, expected: str) -> None:
    after = only(JSONL, raw.encode()).with_text("rationale", "R")
    assert expected in rewrite(JSONL, raw.encode(), after).decode()


def test_metadata_is_added_inside_and_lists_are_exchanged() -> None:
    data = line(metadata={"course_id": "c", "keywords": ["k"]})
    question = only(JSONL, data)
    after = Question.model_validate(
        question.model_dump(exclude_unset=True)
        | {"metadata": {"course_id": "c", "keywords": ["l", "m"], "difficulty": "easy"}}
    )
    assert json.loads(rewrite(JSONL, data, after))["metadata"] == {
        "course_id": "c",
        "keywords": ["l", "m"],
        "difficulty": "easy",
    }
    bare = line()
    after = Question.model_validate(
        only(JSONL, bare).model_dump(exclude_unset=True) | {"metadata": {"difficulty": "easy"}}
    )
    assert json.loads(rewrite(JSONL, bare, after))["metadata"] == {"difficulty": "easy"}


def test_new_lines_hold_what_was_given_and_nothing_else() -> None:
    question = only(JSONL, SOUND.encode())
    data, losses = write(JSONL, [question])
    assert json.loads(data) == json.loads(SOUND)
    assert losses == []
