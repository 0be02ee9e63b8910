"""CSV and TSV."""

from __future__ import annotations

import csv
import io

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats import table_cells as cell_module
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

CSV, TSV = format_named("csv"), format_named("tsv")
HEAD = b"id,stem,A,B,C,correct_answer,rationale,bloom_level,Source\n"


@pytest.mark.parametrize(
    ("header", "row", "key"),
    [
        ("id,stem,A,B,answer", "1,S,x,y,B", "B"),
        ("ID;Question;Option A;Option B;Key", "1;S;x;y;b", "B"),
        ("qid\tquestion text\toption_1\toption_2\tcorrect", "1\tS\tx\ty\t2", "B"),
        ("question_id,question,choice a,choice-b,correct option", "1,S,x,y,y", "B"),
        ('"id","stem","optionA","optionB","Correct Answer"', '"1","S","x","y","B"', "B"),
    ],
)
def test_headers_in_many_spellings(header: str, row: str, key: str) -> None:
    question = only(CSV, f"{header}\n{row}\n".encode())
    assert (question.id, question.stem, question.correct_answer) == ("1", "S", key)
    assert [option.text for option in question.options] == ["x", "y"]


def test_everything_a_row_may_hold() -> None:
    head = (
        "id,type,vignette,stem,A,B,answer,explanation,keywords,slo_ids,difficulty,language,burnish_ignore,Source,items"
    )
    row = "1,mcq,V,S,x,y,A,R,k|l,s;t,easy,en,nbme_lead_in|nbme_true_false,p. 4,zz"
    question = only(CSV, f"{head}\n{row}".encode())
    assert question.model_dump(mode="json", exclude_unset=True) == {
        "id": "1",
        "vignette": "V",
        "stem": "S",
        "options": [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}],
        "correct_answer": "A",
        "rationale": "R",
        "metadata": {"keywords": ["k", "l"], "slo_ids": ["s", "t"], "difficulty": "easy"},
        "language": "en",
        "burnish_ignore": ["nbme_lead_in", "nbme_true_false"],
        "Source": "p. 4",
    }


def test_quoted_cells_over_several_lines_and_the_lines_after_them() -> None:
    data = HEAD + b'1,"a ""q""\n\nb, c",x,"y\r\nz",,A\r\n\n2,S,x,y,,Q\n'
    found, problems, _ = read(CSV, data)
    assert found[0].stem == 'a "q"\n\nb, c'
    assert found[0].options[1].text == "y\r\nz"
    assert [(problem.code, problem.line, problem.unit) for problem in problems] == [("unknown_key", 7, "2")]


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        (b"1,S,x,y,,A,,,,more\n2,S,x,y,,A\n", "too_many_cells", 2),
        (b"2,S,x,y,,A\n1,S,\xff,y,,A\n", "wrong_encoding", 3),
        (b'2,S,x,y,,A\n1,"open,x,y,,A\n3,S,x,y,,A\n', "unclosed_quote", 3),
        (b"1,S,x,y,,A\n1,S,x,y,,A\n", "duplicate_id", 3),
        (b"2,S,x,y,,A\n,S,x,y,,A\n", "missing_id", 3),
    ],
)
def test_faults_are_told_by_line(rows: bytes, code: str, line: int) -> None:
    found, problems, _ = read(CSV, HEAD + rows)
    assert [(problem.code, problem.line) for problem in problems] == [(code, line)]
    assert len(found) >= 1
    assert rewrite(CSV, HEAD + rows) == HEAD + rows


def test_blank_rows_and_other_types() -> None:
    found, problems, passed = read(CSV, b"stem,A,B,answer,type\n,,,,\n \nS,x,y,A,essay\nS,x,y,A,sba\n")
    assert (len(found), [p.type for p in passed], [p.code for p in problems]) == (1, ["essay"], ["missing_id"])


@pytest.mark.parametrize("data", [b"a,b,c\n1,2,3\n", b"stem,answer\nS,A\n", b"," * 20_000, b"\xff\xff\n"])
def test_without_the_columns_there_is_no_bank(data: bytes) -> None:
    with pytest.raises(InputError) as refused:
        read(CSV, data)
    assert refused.value.code == "no_columns"
    assert "stem" in (refused.value.hint or "")


def test_sentence_pairs_are_sent_to_the_courses() -> None:
    with pytest.raises(InputError, match="does not name the columns") as refused:
        read(TSV, b"I want\tquiero\nto go\tir\n")
    assert "`burnish legos import`" in (refused.value.hint or "")


def test_an_empty_file() -> None:
    assert codes(CSV, b"") == ["empty"]
    assert codes(CSV, b"stem,A,B,answer\n") == ["empty"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_module, "ITEM_LINES", 3)
    data = b'stem,A,B,answer\nS,x,y,A\n"' + b"x\n" * 10 + b'",x,y,A\nS,x,y,A\n'
    found, problems, _ = read(CSV, data)
    assert (len(found), [problem.code for problem in problems]) == (1, ["missing_id", "too_long"])
    assert rewrite(CSV, data) == data
    wide = b"stem,A,B,answer\n" + b"," * 10_001 + b"\nS,x,y,A\n"
    assert codes(CSV, wide) == ["too_complex", "missing_id"]


def change(data: bytes, field: str, text: str) -> bytes:
    found, _, _ = read(CSV, data)
    return rewrite(CSV, data, found[0].with_text(field, text))


@pytest.mark.parametrize(
    ("row", "field", "new", "expected"),
    [
        (b"1,S,x,y,,A,R,Apply,p\r\n", "stem", "T", b"1,T,x,y,,A,R,Apply,p\r\n"),
        (b"1, S ,x,y,,A,R,,\r\n", "options.B", "z, w", b'1, S ,x,"z, w",,A,R,,\r\n'),
        (b'1,"a ""b"" c",x,y,,A\n', "stem", 'a "b" "d"', b'1,"a ""b"" ""d""",x,y,,A\n'),
        (b'1,"S",x,y,,A\n', "stem", "T\nU", b'1,"T\nU",x,y,,A\n'),
        (b"1,S,x,y,,A", "rationale", "R", b"1,S,x,y,,A,R"),
        (b"1,S,x,y,,a\n", "correct_answer", "B", b"1,S,x,y,,b\n"),
        (b"1,S,x,y,,y\n", "options.B", "z", b"1,S,x,z,,z\n"),
        (b"1,S,x,y,, A \n", "stem", "T", b"1,T,x,y,, A \n"),
        (b"1,=S(),x,y,,A\n", "options.A", "z", b"1,=S(),z,y,,A\n"),
        (b"1,S,x,y,,A\n", "stem", "=T()", b"1,'=T(),x,y,,A\n"),
        (b'1,"S",x,y,,A\n', "stem", "=T,()", b'1,"\'=T,()",x,y,,A\n'),
        (b"1,'=S(),x,y,,A\n", "stem", "T", b"1,T,x,y,,A\n"),
        (b"1,S,x,y,,A,,Apply,\n", "metadata.bloom_level", "Recall", b"1,S,x,y,,A,,Recall,\n"),
    ],
)
def test_only_the_changed_cell_is_written(row: bytes, field: str, new: str, expected: bytes) -> None:
    assert change(HEAD + row, field, new) == HEAD + expected


def test_numbered_options_are_named_by_number() -> None:
    data = b"stem,option 1,option 2,answer\nS,x,y,1\n"
    assert change(data, "correct_answer", "B") == b"stem,option 1,option 2,answer\nS,x,y,2\n"
    assert change(data, "correct_answer", "A") == data


def test_lists_are_written_into_one_cell() -> None:
    data = b"stem,A,B,answer,keywords\nS,x,y,A,k|l\n"
    question = only(CSV, data)
    after = Question.model_validate(question.model_dump(exclude_unset=True) | {"metadata": {"keywords": ["m", "n"]}})
    assert rewrite(CSV, data, after) == b"stem,A,B,answer,keywords\nS,x,y,A,m|n\n"


@pytest.mark.parametrize("field", ["rationale", "vignette"])
def test_without_a_column_a_change_cannot_be_written(field: str) -> None:
    with pytest.raises(InputError, match="no column") as refused:
        change(b"stem,A,B,answer\nS,x,y,A\n", field, "new")
    assert (refused.value.code, refused.value.line, refused.value.field) == ("cannot_write_back", 2, field)


def test_new_tables_are_ordinary_csv_and_hold_no_formula() -> None:
    question = Question(
        id="-1",
        vignette="V",
        stem='=HYPERLINK("x")',
        options=[{"key": "A", "text": "@x"}, {"key": "B", "text": "'+1"}, {"key": "C", "text": "a,b"}],
        correct_answer="C",
        rationale="two\nlines",
        metadata={"keywords": ["a;b"], "slo_ids": ["s", "t"], "difficulty": "easy", "own": 1},
        burnish_ignore=("nbme_lead_in",),
        Source="p",
        size=5,
    )
    data, losses = write(CSV, [question])
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert (rows[0]["id"], rows[0]["stem"], rows[0]["A"], rows[0]["B"]) == ("'-1", '\'=HYPERLINK("x")', "'@x", "''+1")
    again = only(CSV, data)
    assert again.id == "-1" and again.options == question.options
    assert again.metadata is not None and again.metadata.keywords == ("a;b",)
    assert losses == [
        "The field metadata.own is not carried (1 question, first '-1').",
        "The field size is not carried (1 question, first '-1').",
    ]


def test_what_a_table_leaves_out_is_said() -> None:
    options = [{"key": "A", "text": "x"}, {"key": "B", "text": ""}]
    bank = [
        Question(id="1", stem="S", options=options, correct_answer="A"),
        Question(id="2", stem="S", options=[{"key": "x", "text": "x"}, {"key": "y", "text": "y"}], correct_answer="y"),
        Question(id="3", type="extended_matching", items=[{"stem": "s"}]),
        Question(id="4", stem="S", options=options, correct_answer="Q"),
        Question(id="5", stem="S", options=options[:1] * 2, correct_answer="A", metadata={"keywords": ["a|b"]}),
    ]
    data, losses = write(TSV, bank)
    assert [question.id for question in read(TSV, data)[0]] == ["2", "5"]
    assert len(losses) == 5
    assert write(CSV, [])[0] == b"id,stem,A,B,correct_answer\r\n"


def test_what_a_table_carries() -> None:
    assert CSV.carried(io.BytesIO(HEAD)) == {"rationale", "metadata.bloom_level"}
    assert CSV.carried(io.BytesIO(b"")) == frozenset()
