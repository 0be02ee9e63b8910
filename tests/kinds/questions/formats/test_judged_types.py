"""True/false and multiple-response questions: read, judged and written back alike in every format."""

# ruff: noqa: E501

from __future__ import annotations

import io

import pytest

from burnish.core.checks import select
from burnish.core.errors import InputError
from burnish.kinds.questions.bank import BankContext, survey
from burnish.kinds.questions.duplicates import Contradictions
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.kind import KIND, QuestionsKind
from burnish.kinds.questions.model import Question, feedback_of
from tests.kinds.questions.formats.banks import only, read, rewrite, write

STATEMENT = "Insulin does not lower blood glucose."
ASKED = "Which of the following are NOT bones of the forearm?"
CONTEXT = BankContext(carried=frozenset({"rationale"}))


def canvas(type: str, stem: str, cardinality: str, labels: dict[str, str], condition: str) -> bytes:
    shown = "".join(
        f'<response_label ident="{ident}"><material><mattext>{text}</mattext></material></response_label>'
        for ident, text in labels.items()
    )
    return f"""<?xml version="1.0"?>
<questestinterop><assessment><section><item ident="q1"><itemmetadata><qtimetadata><qtimetadatafield>
<fieldlabel>question_type</fieldlabel><fieldentry>{type}</fieldentry></qtimetadatafield></qtimetadata></itemmetadata>
<presentation><material><mattext>{stem}</mattext></material><response_lid ident="r" rcardinality="{cardinality}"><render_choice>{shown}</render_choice></response_lid></presentation>
<resprocessing><respcondition continue="No"><conditionvar>{condition}</conditionvar><setvar action="Set" varname="SCORE">100</setvar></respcondition></resprocessing>
</item></section></assessment></questestinterop>
""".encode()


def equal(ident: str) -> str:
    return f'<varequal respident="r">{ident}</varequal>'


def qti2(stem: str, cardinality: str, most: int, labels: dict[str, str], *right: str) -> bytes:
    shown = "".join(f'<simpleChoice identifier="{name}">{text}</simpleChoice>' for name, text in labels.items())
    values = "".join(f"<value>{name}</value>" for name in right)
    return f"""<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="q1" title="q1">
<responseDeclaration identifier="R" cardinality="{cardinality}" baseType="identifier"><correctResponse>{values}</correctResponse></responseDeclaration>
<itemBody><choiceInteraction responseIdentifier="R" maxChoices="{most}"><prompt>{stem}</prompt>{shown}</choiceInteraction></itemBody>
</assessmentItem>
""".encode()


BONES = {"a": "radius", "b": "ulna", "c": "tibia", "d": "fibula"}
CHOICES = {"A": "radius", "B": "ulna", "C": "tibia", "D": "fibula"}
VERDICTS = {"t": "True", "f": "False"}
WRONG_TWO = f"<and><not>{equal('a')}</not><not>{equal('b')}</not>{equal('c')}{equal('d')}</and>"
TRUE_FALSE = {
    "gift": f"::q1::{STATEMENT} {{F}}\n".encode(),
    "aiken": f"{STATEMENT}\nA. True\nB. False\nANSWER: B\n".encode(),
    "moodle_xml": f"""<quiz><question type="truefalse"><name><text>q1</text></name>
<questiontext format="html"><text><![CDATA[<p>{STATEMENT}</p>]]></text></questiontext>
<answer fraction="0"><text>true</text><feedback><text></text></feedback></answer>
<answer fraction="100"><text>false</text><feedback><text></text></feedback></answer></question></quiz>
""".encode(),
    "qti1_item": canvas("true_false_question", STATEMENT, "Single", VERDICTS, equal("f")),
    "qti_item": qti2(STATEMENT, "single", 1, VERDICTS, "f"),
    "jsonl": f'{{"id":"q1","type":"true_false","stem":"{STATEMENT}","correct_answer":false}}\n'.encode(),
    "csv": f"id,type,stem,A,B,answer\nq1,true_false,{STATEMENT},,,FALSE\n".encode(),
}
SEVERAL = {
    "gift": f"::q1::{ASKED} {{~%-100%radius ~%-100%ulna ~%50%tibia ~%50%fibula}}\n".encode(),
    "moodle_xml": f"""<quiz><question type="multichoice"><name><text>q1</text></name>
<questiontext format="html"><text>{ASKED}</text></questiontext><single>false</single>
<answer fraction="-100"><text>radius</text></answer><answer fraction="-100"><text>ulna</text></answer>
<answer fraction="50"><text>tibia</text></answer><answer fraction="50"><text>fibula</text></answer></question></quiz>
""".encode(),
    "qti1_item": canvas("multiple_answers_question", ASKED, "Multiple", BONES, WRONG_TWO),
    "qti_item": qti2(ASKED, "multiple", 0, CHOICES, "C", "D"),
    "jsonl": f'{{"id":"q1","question":"{ASKED}","choices":["radius","ulna","tibia","fibula"],"answer":[2,3]}}\n'.encode(),
    "csv": f"id,type,stem,A,B,C,D,answer\nq1,multiple_response,{ASKED},radius,ulna,tibia,fibula,C;D\n".encode(),
}


def rules(question: Question) -> list[tuple[str, str]]:
    found = KIND.examine(question, select(QuestionsKind().checks), BankContext()).findings
    return [(finding.rule, finding.severity) for finding in found]


@pytest.mark.parametrize("name", TRUE_FALSE)
def test_a_true_false_question_is_judged_by_the_rules_that_fit(name: str) -> None:
    question = only(format_named(name), TRUE_FALSE[name])
    assert (question.type, question.stem, question.correct_answer) == ("true_false", STATEMENT, "B")
    assert [option.text.lower() for option in question.options] == ["true", "false"]
    assert rules(question) == [("nbme_negation_detection", "warning")]


@pytest.mark.parametrize("name", SEVERAL)
def test_a_multiple_response_is_judged_by_the_rules_that_fit(name: str) -> None:
    question = only(format_named(name), SEVERAL[name])
    assert (question.type, question.stem, question.correct_answer) == ("multiple_response", ASKED, "C, D")
    assert question.key is None and [option.text for option in question.right] == ["tibia", "fibula"]
    assert [option.text for option in question.distractors] == ["radius", "ulna"]
    assert rules(question) == [("nbme_negation_detection", "error")]


@pytest.mark.parametrize(("name", "data"), [*TRUE_FALSE.items(), *SEVERAL.items()])
def test_only_changed_words_change(name: str, data: bytes) -> None:
    format = format_named(name)
    assert rewrite(format, data) == data
    question = only(format, data)
    old, new = ("does not lower", "lowers") if question.type == "true_false" else ("are NOT bones", "are bones")
    changed = question.with_text("stem", question.stem.replace(old, new))
    assert rewrite(format, data, changed) == data.replace(old.encode(), new.encode())


@pytest.mark.parametrize("name", ["gift", "moodle_xml", "qti1_item", "qti_item"])
def test_what_several_options_score_is_left_alone(name: str) -> None:
    question = only(format_named(name), SEVERAL[name])
    with pytest.raises(InputError, match="several options can be right"):
        rewrite(format_named(name), SEVERAL[name], question.with_text("correct_answer", "A, B"))


@pytest.mark.parametrize("name", TRUE_FALSE)
def test_the_verdict_can_be_turned_and_its_words_not_changed(name: str) -> None:
    format, data = format_named(name), TRUE_FALSE[name]
    question = only(format, data)
    assert only(format, rewrite(format, data, question.with_text("correct_answer", "A"))).correct_answer == "A"
    with pytest.raises(InputError, match="True and False are not texts"):
        rewrite(format, data, question.with_text("options.A", "Sometimes"))


def test_answers_in_words_follow_their_options() -> None:
    data = b'{"id":"q1","stem":"Which are even?","options":["two","four","five"],"correct_answer":["two","four"]}\n'
    question = only(format_named("jsonl"), data)
    assert (question.type, question.correct_answer) == ("multiple_response", "A, B")
    changed = rewrite(format_named("jsonl"), data, question.with_text("options.B", "six"))
    assert changed == data.replace(b'"four","five"', b'"six","five"').replace(b'["two","four"]', b'["two", "six"]')


def test_feedback_in_gift_goes_first_to_the_wrong_verdict() -> None:
    data = b"::q1::The heart has four chambers. {T#Count them again.#Two atria and two ventricles.####A pump.}\n"
    question = only(format_named("gift"), data)
    assert list(map(feedback_of, question.options)) == ["Two atria and two ventricles.", "Count them again."]
    assert question.rationale == "A pump."
    with pytest.raises(InputError, match="read back"):
        rewrite(format_named("gift"), data, question.with_text("correct_answer", "B"))


def test_feedback_of_single_options_makes_a_bank_with_rationales() -> None:
    answers = b"{=liver#It makes bile from cholesterol. ~heart#It pumps blood, no more.}"
    data = b"::q1::Which organ makes bile? " + answers + b"\n\n::q2::Which organ pumps blood? {=heart ~liver ~spleen}\n"
    assert survey(format_named("gift"), io.BytesIO(data), "bank")["carried"] == ["rationale"]
    explained, bare = read(format_named("gift"), data)[0]
    selection = select(QuestionsKind().checks, enabled=["ext_rationale_completeness"])
    assert KIND.examine(explained, selection, CONTEXT).findings == ()
    assert [finding.message for finding in KIND.examine(bare, selection, CONTEXT).findings] == [
        "The rationale is empty."
    ]


def test_feedback_of_a_choice_in_qti_is_the_options() -> None:
    feedback = b'<modalFeedback outcomeIdentifier="F" identifier="A" showHide="show"><p>No.</p></modalFeedback>'
    data = SEVERAL["qti_item"].replace(b"</assessmentItem>", feedback + b"</assessmentItem>")
    question = only(format_named("qti_item"), data)
    assert (feedback_of(question.options[0]), question.rationale) == ("No.", None)
    assert rewrite(format_named("qti_item"), data) == data


def test_what_other_formats_cannot_hold_is_said() -> None:
    data, losses = write(format_named("aiken"), [only(format_named("gift"), SEVERAL["gift"])])
    assert data == b"" and "multiple_response are left out" in losses[0]


def test_the_same_statement_called_true_and_false_is_a_contradiction() -> None:
    bank = [
        only(format_named("gift"), f"::{name}::{STATEMENT} {{{verdict}}}\n".encode()) for name, verdict in ("aT", "bF")
    ]
    several = [only(format_named("gift"), SEVERAL["gift"].replace(b"q1", name)) for name in (b"c", b"d")]
    contradictions = Contradictions([*bank, *several])
    assert [contradictions.finding(question) is not None for question in (*bank, *several)] == [
        True,
        True,
        False,
        False,
    ]
    contradictions.close()
