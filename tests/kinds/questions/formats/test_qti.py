"""QTI 2.1 and 3.0, in the shape of 1EdTech's examples."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import codes, only, read, rewrite, write

QTI, QTI3 = format_named("qti_item"), format_named("qti3_item")
TWO = b"""<?xml version="1.0" encoding="UTF-8"?>
<!-- A sign on a door -->
<?burnish keep this?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://www.imsglobal.org/xsd/imsqti_v2p1 imsqti_v2p1.xsd"
    identifier="sign-1" title="The sign" adaptive="false" timeDependent="false" xml:lang="en-GB">
  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="identifier">
    <correctResponse>
      <value>ChoiceB</value>
    </correctResponse>
  </responseDeclaration>
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float">
    <defaultValue><value>0</value></defaultValue>
  </outcomeDeclaration>
  <itemBody>
    <p>Look at the <em>text</em> on the
       door.</p>
    <p><img src="images/sign.png" alt="KEEP CLEAR"/></p>
    <rubricBlock view="scorer"><p>Only B scores.</p></rubricBlock>
    <choiceInteraction responseIdentifier="RESPONSE" shuffle="true" maxChoices="1">
      <prompt>What does it <strong>not</strong> say?</prompt>
      <simpleChoice identifier="ChoiceA" fixed="true">Keep &amp; clear</simpleChoice>
      <simpleChoice identifier="ChoiceB">Come <![CDATA[<in>]]><feedbackInline outcomeIdentifier="F" identifier="ChoiceB"
        showHide="show">Right!</feedbackInline></simpleChoice>
      <simpleChoice identifier="ChoiceC"><p>Stay</p><p>out</p></simpleChoice>
    </choiceInteraction>
    <p>Thank you.</p>
  </itemBody>
  <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>
  <modalFeedback outcomeIdentifier="F" identifier="why" showHide="show">It is a <b>closed</b> door.</modalFeedback>
</assessmentItem>
"""
THREE = b"""<?xml version="1.0" encoding="UTF-8"?>
<qti-assessment-item xmlns="http://www.imsglobal.org/xsd/imsqtiasi_v3p0" identifier="pres" title="pres"
    adaptive="false" time-dependent="false">
  <qti-response-declaration identifier="RESPONSE" cardinality="single" base-type="identifier">
    <qti-correct-response><qti-value>A</qti-value></qti-correct-response>
  </qti-response-declaration>
  <qti-item-body>
    <div class="qti-layout-row"><p>Water boils at sea level.</p>
    <p>At what temperature?</p>
    <qti-choice-interaction response-identifier="RESPONSE">
      <qti-simple-choice identifier="A">100 &#176;C</qti-simple-choice>
      <qti-simple-choice identifier="C">90 &#176;C</qti-simple-choice>
    </qti-choice-interaction></div>
  </qti-item-body>
</qti-assessment-item>
"""


def test_an_item_of_qti_2() -> None:
    question = only(QTI, TWO)
    assert (question.id, question.vignette) == ("sign-1", "Look at the text on the door.\n⟦picture: KEEP CLEAR⟧")
    assert (question.stem, question.correct_answer) == ("What does it not say?", "B")
    assert [(option.key, option.text) for option in question.options] == [
        ("A", "Keep & clear"),
        ("B", "Come <in>"),
        ("C", "Stay\nout"),
    ]
    assert question.options[0].model_extra == {"identifier": "ChoiceA"}
    assert (question.rationale, question.language) == ("It is a closed door.", "en")
    assert question.model_extra == {"title": "The sign"}
    assert rewrite(QTI, TWO) == TWO


def test_an_item_of_qti_3_without_prompt() -> None:
    question = only(QTI, THREE)
    assert (question.vignette, question.stem) == (None, "Water boils at sea level.\nAt what temperature?")
    assert [(option.key, option.text) for option in question.options] == [("A", "100 °C"), ("C", "90 °C")]
    assert (question.correct_answer, question.rationale, question.model_extra) == ("A", None, {})
    changed = question.with_text("stem", question.stem.replace("sea", "high")).with_text("correct_answer", "C")
    expected = THREE.replace(b"at sea", b"at high").replace(b"<qti-value>A", b"<qti-value>C")
    assert rewrite(QTI, THREE, changed) == expected


@pytest.mark.parametrize(
    ("field", "old", "new", "before", "after"),
    [
        ("stem", "does it not say", "does it say", b"it <strong>not</strong> say", b"it <strong></strong>say"),
        ("vignette", "door", "<gate> & wall", b"door.</p>", b"&lt;gate&gt; &amp; wall.</p>"),
        ("options.A", "clear", "tidy", b"Keep &amp; clear", b"Keep &amp; tidy"),
        ("options.C", "out", "in", b"<p>out</p>", b"<p>in</p>"),
        ("rationale", "closed", "shut", b"<b>closed</b>", b"<b>shut</b>"),
        ("correct_answer", "B", "A", b"<value>ChoiceB</value>", b"<value>ChoiceA</value>"),
    ],
)
def test_words_change_and_everything_else_stays(field: str, old: str, new: str, before: bytes, after: bytes) -> None:
    question = only(QTI, TWO)
    changed = question.with_text(field, question.texts()[field].replace(old, new))
    assert rewrite(QTI, TWO, changed) == TWO.replace(before, after)


def test_text_in_a_section_is_changed() -> None:
    changed = only(QTI, TWO).with_text("options.B", "Come <out>")
    assert only(QTI, rewrite(QTI, TWO, changed)).options[1].text == "Come <out>"


def test_a_vignette_is_added_before_the_interaction() -> None:
    bare = TWO.replace(b"Look at the <em>text</em> on the\n       door.", b"").replace(
        b'<img src="images/sign.png" alt="KEEP CLEAR"/>', b""
    )
    rewritten = rewrite(QTI, bare, only(QTI, bare).with_text("vignette", "See <this>"))
    assert b"<p>See &lt;this&gt;</p><choiceInteraction" in rewritten
    prefixed = bare.replace(b"xmlns=", b"xmlns:q=").replace(b"</", b"</q:").replace(b"<", b"<q:")
    for name in (b"q:/q:", b"q:?", b"q:!"):
        prefixed = prefixed.replace(b"<" + name, b"<" + name[2:])
    assert b"<q:p>See</q:p>" in rewrite(QTI, prefixed, only(QTI, prefixed).with_text("vignette", "See"))


@pytest.mark.parametrize(("field", "new"), [("rationale", "R"), ("correct_answer", "Q"), ("stem", "a\x01")])
def test_what_has_no_place_is_refused(field: str, new: str) -> None:
    with pytest.raises(InputError) as refused:
        rewrite(QTI, THREE, only(QTI, THREE).with_text(field, new))
    assert refused.value.code == "cannot_write_back"


@pytest.mark.parametrize(
    ("old", "new", "type"),
    [
        (b'maxChoices="1"', b'maxChoices="2"', "choiceInteraction without a response that fits it"),
        (b"choiceInteraction", b"orderInteraction", "orderInteraction"),
        (b"<p>Thank you.</p>", b"<p><textEntryInteraction responseIdentifier='T'/></p>", "several interactions"),
        (b"choiceInteraction", b"section", "no interaction"),
        (
            b'responseIdentifier="RESPONSE"',
            b'responseIdentifier="OTHER"',
            "choiceInteraction without a response that fits it",
        ),
    ],
)
def test_other_items_pass_through(old: bytes, new: bytes, type: str) -> None:
    found, problems, passed = read(QTI, TWO.replace(old, new))
    assert (found, problems) == ([], [])
    assert [(part.id, part.type, part.line) for part in passed] == [("sign-1", type, 4)]


def test_two_feedbacks_are_no_rationale_and_a_rubric_may_be_one() -> None:
    feedback = TWO[TWO.index(b"  <modalFeedback") : TWO.index(b"</assessmentItem>")]
    assert only(QTI, TWO.replace(feedback, feedback * 2)).rationale is None
    assert only(QTI, TWO.replace(feedback, b"")).rationale == "Only B scores."


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (TWO.replace(b"<value>ChoiceB</value>", b"<value>Nobody</value>"), ["unknown_key"]),
        (TWO.replace(b"<value>ChoiceB</value>", b""), ["unknown_key"]),
        (TWO.replace(b'identifier="sign-1"', b'identifier=" "'), ["missing_id"]),
        (TWO[:-40], ["truncated"]),
        (TWO.replace(b"</prompt>", b""), ["invalid_xml"]),
        (
            TWO.replace(
                b"</choiceInteraction>",
                b'<simpleChoice identifier="x">y</simpleChoice>' * 101 + b"</choiceInteraction>",
            ),
            ["too_complex"],
        ),
        (TWO.replace(b"<p>Thank you.</p>", b"<p/>" * 100_001), ["too_complex"]),
    ],
)
def test_faults(data: bytes, expected: list[str]) -> None:
    assert codes(QTI, data) == expected
    assert rewrite(QTI, data) == data


def test_a_file_without_an_item() -> None:
    with pytest.raises(InputError, match="no QTI item"):
        read(QTI, b"<assessmentTest/>")


@pytest.mark.parametrize(("format", "root"), [(QTI, "assessmentItem"), (QTI3, "qti-assessment-item")])
def test_a_new_item(format: object, root: str) -> None:
    question = Question(
        id='i"&\n1',
        vignette="V <1>",
        stem="S & T\nU",
        options=[{"key": "A", "text": "x\x02"}, {"key": "B", "text": "y  z"}],
        correct_answer="B",
        rationale="R",
        language="es",
        metadata={"difficulty": "easy"},
        title="T",
    )
    data, losses = write(format, [question])  # type: ignore[arg-type]
    tree = ElementTree.fromstring(data)
    assert tree.tag.rpartition("}")[2] == root
    names = [element.tag.rpartition("}")[2].removeprefix("qti-").replace("-", "").lower() for element in tree]
    assert names == [
        "responsedeclaration",
        "outcomedeclaration",
        "outcomedeclaration",
        "itembody",
        "responseprocessing",
        "modalfeedback",
    ]
    again = only(QTI, data)
    assert (again.vignette, again.stem, again.rationale, again.language) == ("V <1>", "S & T\nU", "R", "es")
    assert [option.text for option in again.options] == ["x\ufffd", "y  z"]
    assert (again.correct_answer, again.model_extra) == ("B", {"title": "T"})
    assert len(losses) == 2


def test_keys_that_are_no_identifiers() -> None:
    options = [{"key": "1", "text": "x"}, {"key": "2", "text": "y"}]
    data, losses = write(QTI, [Question(id="1", stem="S", options=options, correct_answer="2", title=5)])
    assert b'identifier="Choice1"' in data
    assert only(QTI, data).correct_answer == "B"
    assert len(losses) == 2


def test_what_an_item_carries() -> None:
    assert QTI.carried(io.BytesIO(TWO)) == {"vignette", "rationale"}
    assert QTI.carried(io.BytesIO(THREE)) == frozenset()
