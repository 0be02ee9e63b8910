"""Aiken."""

from __future__ import annotations

import io

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import aiken as module
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

AIKEN = format_named("aiken")
BANK = b"""Which organ makes bile?
A. Spleen
B) Liver
C.Kidney
ANSWER: B

  Which vessel carries blood
from the lungs?\r
\tA) Pulmonary vein\r

B) Aorta\r
ANSWER:A
"""


def test_a_whole_file() -> None:
    found, problems, _ = read(AIKEN, BANK)
    assert problems == []
    assert [(q.id, q.stem, q.correct_answer) for q in found] == [
        ("q1", "Which organ makes bile?", "B"),
        ("q2", "Which vessel carries blood\nfrom the lungs?", "A"),
    ]
    assert [option.text for option in found[0].options] == ["Spleen", "Liver", "Kidney"]
    assert rewrite(AIKEN, BANK) == BANK


def test_changes() -> None:
    first, second = read(AIKEN, BANK)[0]
    first = (
        first.with_text("options.C", "Kidneys").with_text("correct_answer", "C").with_text("stem", "What makes bile?")
    )
    second = second.with_text("stem", "Which vessel carries blood\nto the lungs?")
    expected = (
        BANK.replace(b"Which organ", b"What").replace(b"C.Kidney", b"C.Kidneys").replace(b"ANSWER: B", b"ANSWER: C")
    )
    assert rewrite(AIKEN, BANK, first, second) == expected.replace(b"from the", b"to the")


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("options.A", "two\nlines"),
        ("stem", "A. fumigatus is what?"),
        ("stem", "x"),
        ("rationale", "R"),
        ("stem", "a\nb"),
    ],
)
def test_what_aiken_cannot_hold_is_refused(field: str, text: str) -> None:
    with pytest.raises(InputError) as refused:
        rewrite(AIKEN, BANK, read(AIKEN, BANK)[0][0].with_text(field, text))
    assert refused.value.code == "cannot_write_back"


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"Title\n\nS?\nA. x\nB. y\nANSWER: A\n", "incomplete_question", 1),
        (b"S?\nA. x\nB. y\nANSWER: A\n\nT?\nA. x\nB. y\n", "incomplete_question", 6),
        (b"S?\nA. x\nB. y\nANSWER: A\nA. x\nANSWER: A\n", "incomplete_question", 5),
        (b"S?\nA. x\nB. y\nANSWER: A\nT?\nA. x\nANSWER: A\n", "incomplete_question", 5),
        (b"S?\nA. x\nB. y\nANSWER: A\nANSWER: A\n", "incomplete_question", 5),
        (b"S?\nA. x\nB. y\nANSWER: A\nT\xff?\nA. x\nB. y\nANSWER: A\n", "wrong_encoding", 5),
        (b"S?\nA. x\nB. y\nANSWER: A\n" + b"T?\n" + b"A. x\n" * 101 + b"ANSWER: A\n", "too_many_options", 5),
    ],
)
def test_faults_stay_by_themselves(data: bytes, code: str, line: int) -> None:
    found, problems, _ = read(AIKEN, data)
    assert [(problem.code, problem.line) for problem in problems] == [(code, line)]
    assert [question.stem for question in found] == ["S?"]
    assert rewrite(AIKEN, data) == data


def test_a_letter_that_names_nothing() -> None:
    assert codes(AIKEN, b"S?\nA. x\nB. y\nANSWER: E\n") == ["unknown_key"]


def test_letters_that_repeat_are_replaced_by_position() -> None:
    assert [option.key for option in only(AIKEN, b"S?\nA. x\nA. y\nANSWER: B\n").options] == ["A", "B"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEM_LINES", 4)
    data = b"line\n" * 20 + b"\nS?\nA. x\nB. y\nANSWER: A\n"
    found, problems, _ = read(AIKEN, data)
    assert [question.stem for question in found] == ["S?"]
    assert problems
    assert rewrite(AIKEN, data) == data
    monkeypatch.setattr(module, "ITEM_BYTES", 30)
    long = b"x" * 50 + b"\nS?\nA. x\nB. y\nANSWER: A\n"
    assert codes(AIKEN, long) == ["too_long"]
    assert rewrite(AIKEN, long) == long


def test_new_files() -> None:
    options = [{"key": "A", "text": "x\ny"}, {"key": "B", "text": "z"}]
    bank = [
        Question(id="1", stem="Which?\nNow.", options=options, correct_answer="B", rationale="R"),
        Question(id="2", stem="A. fumigatus?", options=options, correct_answer="B"),
        Question(id="3", stem="ANSWER: x", options=options, correct_answer="B"),
    ]
    data, losses = write(AIKEN, bank)
    assert data == b"Which? Now.\nA. x y\nB. z\nANSWER: B\n\n"
    assert len(losses) == 4
    assert AIKEN.carried(io.BytesIO(data)) == frozenset()
