"""Moodle XML in the shape of Moodle's own exports."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats import source as sources
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

MOODLE = format_named("moodle_xml")
BANK = b"""<?xml version="1.0" encoding="UTF-8"?>
<quiz>
<!-- question: 0  -->
  <question type="category">
    <category>
      <text>$course$/top/Cardiology</text>
    </category>
    <info format="moodle_auto_format"><text>The heart &amp; more</text></info>
    <idnumber></idnumber>
  </question>

<!-- question: 4711  -->
  <question type="multichoice">
    <name>
      <text>Chest pain &lt;1&gt;</text>
    </name>
    <questiontext format="html">
      <text><![CDATA[<p dir="ltr">A <strong>58-year-old</strong> man has chest pain for 2&nbsp;hours.<br></p>
<p>Which drug is <em>not</em> given first?</p><p><img src="@@PLUGINFILE@@/ecg.png" alt="ECG > normal"></p>]]></text>
<file name="ecg.png" path="/" encoding="base64">iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk</file>
    </questiontext>
    <generalfeedback format="html">
      <text><![CDATA[<p>Aspirin comes first.</p>]]></text>
    </generalfeedback>
    <defaultgrade>1.0000000</defaultgrade>
    <penalty>0.3333333</penalty>
    <hidden>0</hidden>
    <idnumber>card-17</idnumber>
    <single>true</single>
    <shuffleanswers>true</shuffleanswers>
    <answernumbering>abc</answernumbering>
    <correctfeedback format="html"><text>Your answer is correct.</text></correctfeedback>
    <answer fraction="0" format="html">
      <text><![CDATA[<p>Aspirin</p>]]></text>
      <feedback format="html"><text><![CDATA[<p>This is first.</p>]]></text></feedback>
    </answer>
    <answer fraction="100" format="html">
      <text>&lt;p&gt;Warfarin &amp;amp; others&lt;/p&gt;</text>
      <feedback format="html"><text></text></feedback>
    </answer>
    <answer fraction="-33.33333" format="plain_text">
      <text> x &lt; y </text>
      <feedback format="html"><text/></feedback>
    </answer>
    <tags>
      <tag><text>heart</text></tag>
      <tag><text>drugs</text></tag>
    </tags>
  </question>

  <question type="truefalse"><name><text>TF</text></name><questiontext><text>T?</text></questiontext></question>
  <question type="cloze"><name><text>TF</text></name><questiontext><text>{1:MC:a~=b}</text></questiontext></question>
  <question type="multichoice"><name><text>Many</text></name><questiontext><text>q</text></questiontext>
    <single>false</single><answer fraction="50"><text>a</text></answer></question>
  <question type="multichoice"><name><text>Two</text></name><questiontext><text>q</text></questiontext>
    <answer fraction="100"><text>a</text></answer><answer fraction="100.0"><text>b</text></answer></question>
</quiz>
"""


def test_a_whole_export() -> None:
    found, problems, passed = read(MOODLE, BANK)
    assert problems == []
    question = found[0]
    assert question.id == "card-17"
    stem = "A 58-year-old man has chest pain for 2\u00a0hours.\nWhich drug is not given first?"
    assert question.stem == f"{stem}\n⟦picture: ECG > normal⟧"
    assert [option.text for option in question.options] == ["Aspirin", "Warfarin & others", "x < y"]
    assert question.options[0].model_extra == {"feedback": "This is first."}
    assert (question.correct_answer, question.rationale) == ("B", "Aspirin comes first.")
    assert question.model_extra == {
        "name": "Chest pain <1>",
        "category": "$course$/top/Cardiology",
        "tags": ["heart", "drugs"],
    }
    assert [(part.id, part.type, part.line) for part in passed] == [
        ("TF", "truefalse", 51),
        ("TF#3", "cloze", 52),
    ]
    assert [(one.id, one.type, one.correct_answer) for one in found[1:]] == [
        ("Many", "multiple_response", "A"),
        ("Two", "multiple_response", "A, B"),
    ]
    assert rewrite(MOODLE, BANK) == BANK


@pytest.mark.parametrize("chunk", [13, 1000])
def test_chunks_do_not_show(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    expected = read(MOODLE, BANK)
    monkeypatch.setattr(sources, "CHUNK", chunk)
    assert read(MOODLE, BANK) == expected
    assert rewrite(MOODLE, BANK) == BANK


@pytest.mark.parametrize(
    ("field", "old", "new", "before", "after"),
    [
        ("stem", "not given", "given", b"is <em>not</em> given", b"is <em></em>given"),
        ("stem", "58-year-old", "60-year-old", b"<strong>58-year", b"<strong>60-year"),
        ("stem", "first?", "<b> & first?", b"given first?", b"given &lt;b&gt; &amp; first?"),
        ("options.A", "Aspirin", "Heparin", b"[<p>Aspirin</p>]", b"[<p>Heparin</p>]"),
        ("options.B", "others", "<more>", b"amp;amp; others", b"amp;amp; &amp;lt;more&amp;gt;"),
        ("options.C", "x < y", "x > z", b" x &lt; y ", b" x &gt; z "),
        ("rationale", "first.", "first.\nThen rest.", b"comes first.<", b"comes first.<br>Then rest.<"),
    ],
)
def test_words_change_and_everything_else_stays(field: str, old: str, new: str, before: bytes, after: bytes) -> None:
    question = read(MOODLE, BANK)[0][0]
    changed = question.with_text(field, question.texts()[field].replace(old, new))
    assert rewrite(MOODLE, BANK, changed) == BANK.replace(before, after)


def test_the_key_takes_the_worth_of_the_old_one() -> None:
    question = read(MOODLE, BANK)[0][0]
    rewritten = rewrite(MOODLE, BANK, question.with_text("correct_answer", "C"))
    assert b'<answer fraction="-33.33333" format="html">' in rewritten
    assert b'<answer fraction="100" format="plain_text">' in rewritten
    with pytest.raises(InputError, match="no answer can become the key"):
        rewrite(MOODLE, BANK, question.with_text("correct_answer", "Q"))


def question_xml(inside: str, attributes: str = 'type="multichoice"') -> bytes:
    return f"<quiz><question {attributes}>{inside}</question></quiz>".encode()


ANSWERS = '<answer fraction="100"><text>a</text></answer><answer fraction="0"><text>b</text></answer>'


def test_a_tag_without_inside_is_opened() -> None:
    data = question_xml(f"<questiontext><text/></questiontext><generalfeedback><text /></generalfeedback>{ANSWERS}")
    changed = read(MOODLE, data)[0][0].with_text("rationale", "R & S").with_text("stem", "S")
    assert b"<questiontext><text>S</text></questiontext>" in rewrite(MOODLE, data, changed)
    assert b"<text >R &amp;amp; S</text></generalfeedback>" in rewrite(MOODLE, data, changed)


def test_a_missing_rationale_is_added() -> None:
    data = question_xml(f"\r\n  <questiontext format='plain_text'><text>S</text></questiontext>\r\n{ANSWERS}")
    rewritten = rewrite(MOODLE, data, read(MOODLE, data)[0][0].with_text("rationale", "R"))
    assert b'\r\n  <generalfeedback format="html">\r\n    <text>R</text>\r\n  </generalfeedback>\r\n' in rewritten


def test_what_has_no_place_is_refused() -> None:
    question = read(MOODLE, BANK)[0][0]
    for changed in (question.with_text("vignette", "V"), question.with_text("stem", "a\x00b")):
        with pytest.raises(InputError) as refused:
            rewrite(MOODLE, BANK, changed)
        assert refused.value.code == "cannot_write_back"
        assert refused.value.line == 13


@pytest.mark.parametrize(
    ("format", "text", "seen"),
    [
        ("html", "<![CDATA[a\n <b>b</b>]]>", "a b"),
        ("moodle_auto_format", "<![CDATA[a\n<b>b</b> c]]>", "a\nb c"),
        ("markdown", "<![CDATA[ **a** <b> ]]>", "**a** <b>"),
        ("plain_text", "a &lt;b&gt; &#38; c<!-- x -->d", "a <b> & cd"),
        ("wiki_like", "a", "a"),
        ("unheard_of", "&lt;i&gt;a&lt;/i&gt;", "a"),
    ],
)
def test_formats_of_texts(format: str, text: str, seen: str) -> None:
    data = question_xml(
        f'<name><text>n</text></name><questiontext format="{format}"><text>{text}</text></questiontext>{ANSWERS}'
    )
    question = only(MOODLE, data)
    assert question.stem == seen
    changed = question.with_text("stem", f"{seen} new <x>")
    assert only(MOODLE, rewrite(MOODLE, data, changed)).stem == f"{seen} new <x>"


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        (f"<name><text>n</text></name>{ANSWERS}", "missing_field"),
        ("<questiontext><text>S</text></questiontext><answer><text>a</text></answer>", "unknown_key"),
        ("<questiontext><text>S</text></questiontext><answer fraction='x'><text>a</text></answer>", "unknown_key"),
        (f"<questiontext><text>S</text></questiontext>{ANSWERS * 51}".replace("100", "1"), "too_complex"),
    ],
)
def test_faults_of_a_question(inside: str, code: str) -> None:
    assert codes(MOODLE, question_xml(inside)) == [code]


def test_a_cut_file_gives_what_it_has() -> None:
    cut = BANK[: BANK.index(b"</quiz>") - 200]
    found, problems, _ = read(MOODLE, cut)
    assert [question.id for question in found] == ["card-17", "Many"]
    assert [problem.code for problem in problems] == ["truncated"]
    assert rewrite(MOODLE, cut) == cut


def test_repeated_idnumbers_are_told_and_repeated_names_are_not() -> None:
    one = f"<idnumber>i</idnumber><questiontext><text>S</text></questiontext>{ANSWERS}"
    data = f'<quiz>{f"""<question type="multichoice">{one}</question>""" * 2}</quiz>'.encode()
    assert codes(MOODLE, data) == ["duplicate_id"]
    named = data.replace(b"<idnumber>i</idnumber>", b"<name><text>i</text></name>")
    assert (codes(MOODLE, named), [q.id for q in read(MOODLE, named)[0]]) == ([], ["i", "i#2"])


def test_latin_1_stays_latin_1() -> None:
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>'
        + question_xml(f"<questiontext><text>é</text></questiontext>{ANSWERS}").decode()
    )
    data = text.encode("latin-1")
    changed = read(MOODLE, data)[0][0].with_text("stem", "é → ü")
    assert rewrite(MOODLE, data, changed) == text.replace("é", "é &#8594; ü").encode("latin-1")


def test_new_files_are_well_formed_and_complete() -> None:
    question = Question(
        id="a&b",
        vignette="V\nW",
        stem="<S> & ]]>",
        options=[{"key": "A", "text": "x  y", "feedback": "f"}, {"key": "B", "text": "ctrl \x01"}],
        correct_answer="A",
        rationale="R",
        name="<n>",
        tags=["t&u"],
        metadata={"bloom_level": "Apply"},
    )
    data, losses = write(MOODLE, [question, question.model_copy(update={"id": "c"})])
    root = ElementTree.fromstring(data)
    assert [q.get("type") for q in root] == ["multichoice", "multichoice"]
    assert [answer.get("fraction") for answer in root[0].iter("answer")] == ["100", "0"]
    first = read(MOODLE, data)[0][0]
    assert (first.id, first.stem, first.rationale) == ("a&b", "V\nW\n\n<S> & ]]>", "R")
    assert [option.text for option in first.options] == ["x  y", "ctrl \ufffd"]
    assert first.model_extra == {"name": "<n>", "tags": ["t&u"]}
    assert [loss.split(" (")[0] for loss in losses] == [
        "Characters that XML cannot hold become U+FFFD",
        "The field metadata.bloom_level is not carried",
        "The vignette is put before the stem, in one text",
    ]


def test_foreign_fields_of_other_types_are_not_taken_for_moodles() -> None:
    options = [{"key": "A", "text": "x", "feedback": 1}, {"key": "B", "text": "y"}]
    data, losses = write(MOODLE, [Question(id="1", stem="S", options=options, correct_answer="A", name=5, tags="t")])
    assert len(losses) == 3
    assert only(MOODLE, data).id == "1"


@pytest.mark.parametrize(
    ("feedback", "carried"),
    [
        ("<text></text>", set()),
        ("<text/>", set()),
        ("<text><![CDATA[<p></p>]]></text>", set()),
        ("<text>R</text>", {"rationale"}),
    ],
)
@pytest.mark.parametrize("chunk", [20, 1 << 20])
def test_what_a_file_carries(monkeypatch: pytest.MonkeyPatch, feedback: str, carried: set[str], chunk: int) -> None:
    monkeypatch.setattr(sources, "CHUNK", chunk)
    one = f"<generalfeedback format='html'>\n{feedback}</generalfeedback>"
    empty = "<generalfeedback><text></text></generalfeedback>"
    assert MOODLE.carried(io.BytesIO(question_xml(empty + one + empty))) == carried
    assert MOODLE.carried(io.BytesIO(b"<quiz><generalfeedback><text>open")) == frozenset()
