"""GIFT, read as Moodle reads it."""

from __future__ import annotations

import io

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats import gift as module
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

GIFT = format_named("gift")
BANK = rb"""// Anatomy, first term
$CATEGORY: $course$/Anatomy

// [id:nerve-1] [tag:nerves] [tag:arm]
::Wrist drop::[html]<p>A man cannot <b>extend</b> his wrist.</p>
<p>Which nerve is hurt &amp; how?</p> {
    // the usual distractors
    ~%50%median nerve#Close, but no.
    =radial nerve
    ~ulnar nerve \~ C8 \{T1\}
    ####The radial nerve <i>extends</i>
    the wrist.
}

::Wrist drop:: Fibres of the vagus slow the heart \: true or false? {T}

The heart has {~three =four ~five} chambers.

// ---- other types ----

Name a cranial nerve. {=vagus =facial}

How many pairs of spinal nerves? {#31:0}

Match. {=C5 -> deltoid =C6 -> biceps}

Discuss the brachial plexus. {}

Which two? {~%50%radius ~%50%ulna ~%-100%tibia}

Two right. {=a =b ~c}

Read the next three questions.

Broken { ~a =b

Odd {first ~a =b}
"""


def test_a_whole_file() -> None:
    found, problems, passed = read(GIFT, BANK)
    first, verdict, missing_word, weighted, two = found
    assert (verdict.id, verdict.type, verdict.correct_answer) == ("Wrist drop", "true_false", "A")
    assert [(one.id, one.type, one.correct_answer) for one in (weighted, two)] == [
        ("q8", "multiple_response", "A, B"),
        ("q9", "multiple_response", "A, B"),
    ]
    assert (first.id, first.correct_answer) == ("nerve-1", "B")
    assert first.stem == "A man cannot extend his wrist.\nWhich nerve is hurt & how?"
    assert first.rationale == "The radial nerve extends the wrist."
    assert [option.text for option in first.options] == ["median nerve", "radial nerve", "ulnar nerve ~ C8 {T1}"]
    assert first.options[0].model_extra == {"feedback": "Close, but no."}
    assert first.model_extra == {"name": "Wrist drop", "category": "$course$/Anatomy", "tags": ["nerves", "arm"]}
    assert missing_word.stem == "The heart has _____ chambers."
    assert missing_word.rationale is None
    assert [(part.id, part.type) for part in passed] == [
        ("q4", "shortanswer"),
        ("q5", "numerical"),
        ("q6", "matching"),
        ("q7", "essay"),
        ("q10", "description"),
        ("q12", "multichoice with text before the first answer"),
    ]
    assert [(problem.code, problem.line) for problem in problems] == [("unbalanced_braces", 35)]
    assert rewrite(GIFT, BANK) == BANK


@pytest.mark.parametrize(
    ("field", "old", "new", "before", "after"),
    [
        ("stem", "extend", "lift", b"<b>extend</b>", b"<b>lift</b>"),
        ("stem", "hurt & how", "hurt {badly} = <now>", b"hurt &amp; how", b"hurt \\{badly\\} \\= &lt;now&gt;"),
        ("options.A", "median", "middle", b"%50%median nerve#Close", b"%50%middle nerve#Close"),
        ("options.C", "~ C8", "~ T1\nC7", b"\\~ C8", b"\\~ T1<br>C7"),
        ("rationale", "the wrist", "it: all", b"the wrist.\n}", b"it\\: all.\n}"),
    ],
)
def test_a_change_of_words(field: str, old: str, new: str, before: bytes, after: bytes) -> None:
    question = read(GIFT, BANK)[0][0]
    changed = question.with_text(field, question.texts()[field].replace(old, new))
    assert rewrite(GIFT, BANK, changed) == BANK.replace(before, after)


def test_the_word_around_the_gap_and_the_key() -> None:
    question = read(GIFT, BANK)[0][2]
    changed = question.with_text("stem", "A heart has _____ rooms.").with_text("correct_answer", "A")
    assert b"\nA heart has {=three ~four ~five} rooms.\n" in rewrite(GIFT, BANK, changed)


def test_a_stem_without_the_gap_stands_before_the_answers() -> None:
    question = read(GIFT, BANK)[0][1]
    rewritten = rewrite(GIFT, BANK, question.with_text("stem", "How many chambers?"))
    assert only(GIFT, rewritten[rewritten.index(b"How many ch") :].partition(b"\n")[0]).stem == "How many chambers?"
    assert b"{~three =four ~five}" in rewritten


def test_marks_move_with_their_weights() -> None:
    question = read(GIFT, BANK)[0][0]
    rewritten = rewrite(GIFT, BANK, question.with_text("correct_answer", "A"))
    assert b"    =median nerve#Close, but no.\n    ~%50%radial nerve\n" in rewritten
    with pytest.raises(InputError, match="no answer has the key"):
        rewrite(GIFT, BANK, question.with_text("correct_answer", "Q"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"S {=a ~b}\n", b"S {=a ~b####Why \\= so}\n"),
        (b"S {\r\n=a\r\n~b\r\n}\r\n", b"S {\r\n=a\r\n~b\r\n\t####Why \\= so\r\n}\r\n"),
    ],
)
def test_a_missing_rationale_is_added(data: bytes, expected: bytes) -> None:
    assert rewrite(GIFT, data, only(GIFT, data).with_text("rationale", "Why = so")) == expected


def test_a_change_that_gift_has_no_place_for() -> None:
    question = only(GIFT, b"S {=a ~b}\n")
    with pytest.raises(InputError, match="no place"):
        rewrite(GIFT, b"S {=a ~b}\n", question.with_text("vignette", "V"))


@pytest.mark.parametrize(("field", "text"), [("options.B", "[html]x"), ("options.B", "%50%x")])
def test_a_text_that_begins_like_a_mark_is_refused(field: str, text: str) -> None:
    question = only(GIFT, b"S {=a ~b}\n")
    with pytest.raises(InputError) as refused:
        rewrite(GIFT, b"S {=a ~b}\n", question.with_text(field, text))
    assert (refused.value.code, refused.value.field) == ("cannot_write_back", field)


def test_what_passes_through_cannot_be_changed() -> None:
    other = Question(id="q1", stem="S", options=[{"key": "A", "text": "x"}], correct_answer="A")
    with pytest.raises(InputError, match="not a question that can be changed"):
        rewrite(GIFT, b"Essay {}\n", other)


@pytest.mark.parametrize(
    ("data", "stem"),
    [
        (rb"a \\ b \: \n c {=x ~y}", "a \\ b : \n c"),
        (b"a <b>c</b> <d {=x ~y}", "a c <d"),
        (b"[plain]a <b>c</b> &lt; {=x ~y}", "a <b>c</b> &lt;"),
        (b"[markdown]**a** {=x ~y}", "**a**"),
        (b"[moodle]a {=x ~y}", "a"),
        (b"[other]a {=x ~y}", "[other]a"),
        (b"  two \n  lines  {=x ~y}  ", "two\nlines"),
        (b"::open title {=x ~y}", "::open title"),
        (b"a\r// note\rb {=x ~y}", "a\nb"),
    ],
)
def test_stems(data: bytes, stem: str) -> None:
    assert only(GIFT, data).stem == stem


def test_weights_and_marks() -> None:
    question = only(GIFT, b"S {~%100%a ~%-50%b ~=c#f}".replace(b"~=c", b"~c"))
    assert (question.correct_answer, [option.text for option in question.options]) == ("A", ["a", "b", "c"])
    assert only(GIFT, b"S {~a ~=b}").correct_answer == "B"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"S } x", "unbalanced_braces"),
        (b"S } {", "unbalanced_braces"),
        (b"\xff {=a ~b}", "wrong_encoding"),
        (b"// only\n", "empty"),
    ],
)
def test_faults(data: bytes, code: str) -> None:
    assert codes(GIFT, data) == [code]


def test_long_questions_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEM_LINES", 3)
    data = b"a\n" * 9 + b"\nS {=a ~b}\n"
    found, problems, _ = read(GIFT, data)
    assert "too_long" in [problem.code for problem in problems]
    assert found[-1].stem == "S"
    assert rewrite(GIFT, data) == data


def test_new_files_keep_what_looks_like_gift_as_text() -> None:
    options = [
        {"key": "A", "text": "%50%x", "feedback": "f#1"},
        {"key": "B", "text": "=y"},
        {"key": "C", "text": "[html]z"},
    ]
    question = Question(id="a::b", vignette="V", stem="{S}", options=options, correct_answer="B", rationale="R <b>")
    data, losses = write(GIFT, [question])
    again = only(GIFT, data)
    assert (again.id, again.stem, again.rationale) == ("a::b", "V\n\n{S}", "R <b>")
    assert [option.text for option in again.options] == ["%50%x", "=y", "[html]z"]
    assert again.options[0].model_extra == {"feedback": "f#1"}
    assert losses == ["The vignette is put before the stem, in one text (1 question, first 'a::b')."]


def test_what_gift_cannot_hold_is_left_out_and_said() -> None:
    options = [{"key": "A", "text": "x", "feedback": 5}, {"key": "B", "text": " "}]
    data, losses = write(GIFT, [Question(id="1", stem="S", options=options, correct_answer="A")])
    assert data == b""
    assert losses == [
        "The field options.feedback is not carried (1 question, first '1').",
        "Questions with an empty option are left out (1 question, first '1').",
    ]


def test_what_a_file_carries() -> None:
    assert GIFT.carried(io.BytesIO(BANK)) == {"rationale"}
    assert GIFT.carried(io.BytesIO(b"S {=a ~b}")) == frozenset()


def test_two_questions_without_a_blank_line_between_them_are_bad_input() -> None:
    text = b"::A:: True? {T}\n::B:: Which organ makes bile? {=Liver ~Heart ~Lung}\n\n::C:: Which one? {=a ~b ~c}\n"
    from io import BytesIO

    from burnish.core.documents import Problem
    from burnish.kinds.questions.formats import format_named

    parts = list(format_named("gift").read(BytesIO(text), "two.gift"))
    assert [part.code for part in parts if isinstance(part, Problem)] == ["no_blank_line"]
    assert sum(not isinstance(part, Problem) for part in parts) == 1


def test_only_what_moodle_trims_may_stand_before_a_format() -> None:
    options = [{"key": "A", "text": "x"}, {"key": "B", "text": "y"}]
    question = Question(id="q", stem="S", options=options, correct_answer="A", rationale="\u2028[html]")
    data, _ = write(GIFT, [question])
    assert only(GIFT, data).rationale == "\u2028[html]"
