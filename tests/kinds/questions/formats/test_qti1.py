"""QTI 1.2, in the shapes that Canvas, Blackboard, Common Cartridge and text2qti write."""

# ruff: noqa: E501

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named, format_of
from tests.kinds.questions.formats.banks import only, read, rewrite, write
from tests.kinds.questions.formats.test_qti_package import contents, package

QTI, PACKAGE = format_named("qti1_item"), format_named("qti1")


def item(ident: str = "q1", *, type: str = "multiple_choice_question", key: str = "b", more: str = "") -> str:
    field = f"<fieldlabel>question_type</fieldlabel><fieldentry>{type}</fieldentry>"
    return f"""<item ident="{ident}" title="Question"><itemmetadata><qtimetadata>
<qtimetadatafield>{field}</qtimetadatafield></qtimetadata></itemmetadata>
<presentation><material>
<mattext texttype="text/html">&lt;p&gt;Which &lt;em&gt;organ&lt;/em&gt; pumps&amp;nbsp;blood &amp;amp; air?&lt;/p&gt;</mattext>
</material><response_lid ident="r1" rcardinality="Single"><render_choice>
<response_label ident="a"><material><mattext texttype="text/plain">Liver &lt;1&gt;</mattext></material></response_label>
<response_label ident="b"><material><mattext texttype="text/html"><![CDATA[<p>Heart</p>]]></mattext></material></response_label>
<response_label ident="c"><material><mattext>Spleen</mattext></material></response_label>
</render_choice></response_lid></presentation>
<resprocessing>
<respcondition continue="Yes"><conditionvar><varequal respident="r1">a</varequal></conditionvar>
<displayfeedback feedbacktype="Response" linkrefid="a_fb"/></respcondition>
<respcondition continue="No"><conditionvar><varequal respident="r1">{key}</varequal></conditionvar>
<setvar action="Set" varname="SCORE">100</setvar></respcondition>{more}</resprocessing>
<itemfeedback ident="general_fb"><flow_mat><material><mattext texttype="text/html">&lt;p&gt;It is a pump.&lt;/p&gt;</mattext>
</material></flow_mat></itemfeedback>
<itemfeedback ident="a_fb"><flow_mat><material><mattext texttype="text/html">It makes bile.</mattext></material></flow_mat>
</itemfeedback></item>"""


def assessment_of(*items: str) -> bytes:
    inside = "\n".join(items)
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">'
    )
    return f"{head}\n<assessment ident='t' title='T'><section>\n{inside}\n</section></assessment></questestinterop>\n".encode()


ONE = assessment_of(item())
BLACKBOARD = assessment_of("""<item maxattempts="0"><itemmetadata><bbmd_asi_object_id>_7_1</bbmd_asi_object_id>
<bbmd_questiontype>Multiple Choice</bbmd_questiontype></itemmetadata><presentation><flow class="Block">
<flow class="QUESTION_BLOCK"><flow class="FORMATTED_TEXT_BLOCK"><material><mat_extension>
<mat_formattedtext type="HTML">&lt;p&gt;2 + 2 = ?&lt;/p&gt;</mat_formattedtext></mat_extension></material></flow>
<flow class="LINK_BLOCK"><material><mattext charset="us-ascii" texttype="text/plain" uri=""/></material></flow></flow>
<flow class="RESPONSE_BLOCK"><response_lid ident="response" rcardinality="Single"><render_choice>
<flow_label class="Block"><response_label ident="id1"><flow_mat><material><mat_extension>
<mat_formattedtext type="HTML">3</mat_formattedtext></mat_extension></material></flow_mat></response_label></flow_label>
<flow_label class="Block"><response_label ident="id2"><flow_mat><material><mat_extension>
<mat_formattedtext type="HTML">4</mat_formattedtext></mat_extension></material></flow_mat></response_label></flow_label>
</render_choice></response_lid></flow></flow></presentation><resprocessing scoremodel="SumOfScores">
<respcondition title="correct"><conditionvar><varequal respident="response" case="No">id2</varequal></conditionvar>
<setvar variablename="SCORE" action="Set">SCORE.max</setvar></respcondition>
<respcondition title="incorrect"><conditionvar><other/></conditionvar><setvar action="Set">0.0</setvar></respcondition>
<respcondition><conditionvar><varequal respident="id1" case="No"/></conditionvar>
<setvar variablename="SCORE" action="Set">0</setvar></respcondition>
<respcondition><conditionvar><varequal respident="id2" case="No"/></conditionvar>
<setvar variablename="SCORE" action="Set">100</setvar></respcondition></resprocessing></item>""")


def test_an_item_as_canvas_writes_it() -> None:
    question = only(QTI, ONE)
    assert (question.id, question.stem) == ("q1", "Which organ pumps\u00a0blood & air?")
    assert [option.text for option in question.options] == ["Liver <1>", "Heart", "Spleen"]
    assert (question.correct_answer, question.rationale) == ("B", "It is a pump.")
    assert question.options[0].model_extra == {"feedback": "It makes bile."} and question.model_extra == {}
    assert rewrite(QTI, ONE) == ONE
    found = format_of("export.xml", ONE)
    assert found is not None and found.name == "qti1_item"


@pytest.mark.parametrize(
    ("field", "old", "new", "before", "after"),
    [
        ("stem", "organ", "part", b"&lt;em&gt;organ&lt;", b"&lt;em&gt;part&lt;"),
        ("stem", "air?", "<air>?", b"&amp;amp; air?", b"&amp;amp; &amp;lt;air&amp;gt;?"),
        ("options.A", "<1>", "<2>", b"Liver &lt;1&gt;", b"Liver &lt;2&gt;"),
        ("options.B", "Heart", "A heart", b"<p>Heart</p>", b"<p>A heart</p>"),
        ("rationale", "a pump", "one pump", b"It is a pump", b"It is one pump"),
        ("correct_answer", "B", "C", b'"r1">b</varequal>', b'"r1">c</varequal>'),
    ],
)
def test_words_change_and_everything_else_stays(field: str, old: str, new: str, before: bytes, after: bytes) -> None:
    question = only(QTI, ONE)
    changed = question.with_text(field, question.texts()[field].replace(old, new))
    assert ONE.count(before) == 1
    assert rewrite(QTI, ONE, changed) == ONE.replace(before, after)


def test_blackboard_names_the_key_twice() -> None:
    question = only(QTI, BLACKBOARD)
    assert (question.id, question.stem, question.correct_answer) == ("_7_1", "2 + 2 = ?", "B")
    changed = rewrite(QTI, BLACKBOARD, question.with_text("correct_answer", "A"))
    expected = BLACKBOARD.replace(b'case="No">id2<', b'case="No">id1<')
    expected = expected.replace(b'"Set">100<', b'"Set">@<').replace(b'"Set">0<', b'"Set">100<').replace(b">@<", b">0<")
    assert changed == expected and only(QTI, changed).correct_answer == "A"


@pytest.mark.parametrize(
    ("data", "type"),
    [
        (assessment_of(item(type="essay_question")), "essay_question"),
        (assessment_of(item(type="matching_question")), "matching_question"),
        (ONE.replace(b"response_lid", b"response_grp"), "response_grp"),
    ],
)
def test_other_types_pass_through(data: bytes, type: str) -> None:
    questions, problems, passed = read(QTI, data)
    assert (questions, problems, [part.type for part in passed]) == ([], [], [type])
    assert rewrite(QTI, data) == data


def test_what_cannot_be_used_is_named_and_the_rest_is_read() -> None:
    no_stem = item("lost").replace("mattext", "nothing")
    questions, problems, _ = read(QTI, assessment_of(item("one"), no_stem, item("two")))
    assert [question.id for question in questions] == ["one", "two"]
    assert [(problem.code, problem.field) for problem in problems] == [("missing_field", "stem")]


def test_pictures_between_texts_are_tokens() -> None:
    picture = '</mattext><matimage imagtype="image/png" uri="files/heart.png"/><mattext texttype="text/html">'
    data = ONE.replace(b"blood", f"&lt;/p&gt;{picture}&lt;p&gt;blood".encode())
    data = data.replace(b"<mattext>Spleen</mattext>", b'<matimage uri="files/spleen.png"/>')
    question = only(QTI, data)
    assert question.stem == "Which organ pumps\u00a0\n⟦picture: heart.png⟧\nblood & air?"
    assert question.options[2].text == "⟦picture: spleen.png⟧"
    changed = question.with_text("stem", question.stem.replace("blood", "water"))
    assert rewrite(QTI, data, changed) == data.replace(b"p&gt;blood", b"p&gt;water")
    with pytest.raises(InputError, match="picture"):
        rewrite(QTI, data, question.with_text("options.C", "Spleen"))


OWN, COPY = "non_cc_assessments/g1.xml.qti", "g1/assessment_qti.xml"
CANVAS = package(
    **{
        "imsmanifest.xml": b"<manifest/>",
        COPY: assessment_of(item("g2"), item("g3")).replace(b"question_type", b"cc_profile"),
        "web_resources/heart.png": b"\x89PNG" * 9,
        OWN: assessment_of(item("g2"), item("g3")),
        "g1/assessment_meta.xml": b"<quiz><title>T</title></quiz>",
    }
)


def test_a_cartridge_of_canvas_holds_each_question_twice() -> None:
    found = format_of("course.imscc", CANVAS)
    assert found is not None and found.name == "qti1"
    questions, problems, _ = read(PACKAGE, CANVAS)
    assert [question.id for question in questions] == ["g2", "g3"] and problems == []
    assert rewrite(PACKAGE, CANVAS) == CANVAS
    changed = rewrite(PACKAGE, CANVAS, questions[1].with_text("options.C", "Kidney"))
    before, after = contents(CANVAS), contents(changed)
    assert {name for name in before if before[name] != after[name]} == {OWN, COPY}
    for name in (OWN, COPY):
        head, tail = before[name].rsplit(b"Spleen", 1)
        assert after[name] == head + b"Kidney" + tail


def test_other_members_keep_their_packed_bytes() -> None:
    changed = rewrite(PACKAGE, CANVAS, read(PACKAGE, CANVAS)[0][0].with_text("options.C", "Kidney"))
    for name in ("imsmanifest.xml", "web_resources/heart.png", "g1/assessment_meta.xml"):
        assert packed(CANVAS, name) == packed(changed, name)
    old, new = (zipfile.ZipFile(io.BytesIO(data)) for data in (CANVAS, changed))
    assert new.testzip() is None and new.comment == old.comment and new.namelist() == old.namelist()


def packed(data: bytes, name: str) -> bytes:
    """A member as it lies in the zip, header and all."""
    info = zipfile.ZipFile(io.BytesIO(data)).getinfo(name)
    return data[info.header_offset : info.header_offset + 30 + len(name) + info.compress_size]


QUIZ = """Quiz title: Organs

1.  Which organ makes *bile*, $x^2 < 3$?
... The liver makes it.
*a) Liver
... Right.
b)  Heart
c)  Spleen

2.  Write.
___
"""


def test_a_package_of_text2qti(tmp_path: Path) -> None:
    (tmp_path / "quiz.txt").write_text(QUIZ)
    subprocess.run([Path(sys.executable).with_name("text2qti"), "quiz.txt"], cwd=tmp_path, check=True)
    data = (tmp_path / "quiz.zip").read_bytes()
    found = format_of("quiz.zip", data[: 1 << 16])
    assert found is not None and found.name == "qti1"
    [question], problems, [essay] = read(PACKAGE, data)
    assert (question.stem, problems) == ("Which organ makes bile, ⟦formula: x^2 < 3⟧?", [])
    assert (question.correct_answer, question.rationale, essay.type) == ("A", "The liver makes it.", "essay_question")
    assert rewrite(PACKAGE, data) == data
    changed = rewrite(PACKAGE, data, question.with_text("stem", question.stem.replace("makes", "produces")))
    differing = [name for name, held in contents(data).items() if contents(changed)[name] != held]
    assert len(differing) == 1
    assert contents(changed)[differing[0]] == contents(data)[differing[0]].replace(b"organ makes", b"organ produces")


def test_new_packages_are_read_back() -> None:
    questions = read(PACKAGE, CANVAS)[0]
    data, losses = write(PACKAGE, questions)
    assert losses == [] and list(contents(data)) == ["imsmanifest.xml", "questions/questions.xml"]
    again = read(PACKAGE, data)[0]
    assert [q.model_dump() for q in again] == [q.model_dump() for q in questions]
    found = format_of("new.zip", data)
    assert found is not None and found.name == "qti1"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<!DOCTYPE questestinterop [<!ENTITY a 'b'>]>" + ONE.split(b"?>", 1)[1], "entities_refused"),
        (ONE.replace(b"<section>", b"<section>" * 80), "too_deep"),
    ],
)
def test_hostile_documents_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read(QTI, data)
    assert refused.value.code == code


def test_members_that_are_not_needed_are_not_unpacked() -> None:
    """A course holds gigabytes of video; only what holds items is looked at, and that under limits."""
    members = {"imsmanifest.xml": b"", "q.xml": ONE, "big.dat": b"<CONTENT>" + b" " * (1 << 20)}
    assert [q.id for q in read(PACKAGE, package(**members))[0]] == ["q1"]
    with pytest.raises(InputError) as refused:
        read(PACKAGE, package(**members | {"bomb.dat": ONE[:100] + b" " * (1 << 20)}))
    assert refused.value.code == "package_bomb"
