"""How errors of question rules stand: proven by code, trusted or doubtful by labelled findings."""

from dataclasses import replace

import pytest

from burnish.core.checks import discover, select
from burnish.core.claims import contestable
from burnish.core.findings import Finding
from burnish.kinds.questions import checks
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.duplicates import duplicate_finding
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question

SOUND = {
    "id": "q1",
    "stem": "Which drug is given first?",
    "options": [{"key": key, "text": text} for key, text in zip("ABC", ("Aspirin", "Digoxin", "Heparin"), strict=True)],
    "correct_answer": "A",
    "language": "en",
}


CONTEXT = BankContext(language="en", carried=frozenset({"rationale"}))
RATIONALE = "Aspirin is given first; digoxin and heparin are given later, if they are given at all."


def errors(context=None, **changed) -> list[Finding]:
    question = Question.model_validate(SOUND | {"rationale": RATIONALE} | changed)
    found = KIND.examine(question, select(discover(checks)), context or CONTEXT).findings
    return [one for one in found if one.blocks]


def options(*texts):
    return [{"key": key, "text": text} for key, text in zip("ABCDEF", texts, strict=False)]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"correct_answer": "F"}, "correct_answer"),
        ({"correct_answer": ""}, "correct_answer"),
        ({"correct_answer": "A, B"}, "correct_answer"),
        ({"options": options("Aspirin", "Digoxin", "Digoxin")}, "options.C"),
        ({"options": options("Aspirin", "Digoxin", " ")}, "options.C"),
        ({"options": [*SOUND["options"][:2], {"key": "A", "text": "Heparin"}]}, "options"),
        ({"options": options("Aspirin")}, "options"),
        ({"rationale": ""}, "rationale"),
    ],
)
def test_what_code_can_show_is_proven(changed, field):
    found = [one for one in errors(**changed) if one.field == field]
    assert found
    assert {one.standing for one in found} == {"proven"}
    assert contestable(found) == ()


def test_metadata_that_an_institution_requires_are_missing_or_not():
    context = BankContext(language="en", required_metadata=("slo_ids",))
    assert [one.standing for one in errors(context)] == ["proven"]


def test_a_rule_that_labels_trust_is_trusted_in_their_language_alone():
    assert [(one.rule, one.standing) for one in errors(stem="Which drug is NOT given first?")] == [
        ("nbme_negation_detection", "trusted")
    ]
    combined = {"options": options("Aspirin", "Digoxin", "A and B", "1 and 2")}
    found = list(errors(BankContext(language="fr"), language="fr", **combined))
    assert {(one.rule, one.standing) for one in found} == {("nbme_complex_k_type", "doubtful")}


def test_a_rule_may_be_proven_in_some_findings_and_doubtful_in_others():
    six = options("Aspirin", "Digoxin", "Heparin", "Insulin", "Warfarin", "Quinine")
    assert [(one.rule, one.standing) for one in errors(options=six)] == [("nbme_single_best_answer", "doubtful")]
    assert [(claim.number, claim.finding.rule) for claim in contestable(errors(options=six))] == [
        (1, "nbme_single_best_answer")
    ]


def test_only_an_identical_copy_is_a_proven_duplicate():
    from burnish.kinds.questions.similarity import Match

    def standing(similarity):
        found = duplicate_finding("q1", [Match("q2", "", similarity)])
        return found.standing if found else None

    assert standing(1.0) == "proven"
    assert standing(0.96) == "doubtful"


def test_a_standing_survives_the_journal_and_stands_in_the_json_of_check():
    [found] = errors(stem="Which drug is NOT given first?")
    assert Finding.from_record(found.as_record()) == found
    assert found.as_wire()["standing"] == "trusted"
    assert replace(found, standing=None).as_wire()["standing"] is None
