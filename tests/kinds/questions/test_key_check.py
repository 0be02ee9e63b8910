"""The key through a repair: what is refused, what puts it in doubt, and what blind judges settle."""

from __future__ import annotations

import json
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.effects import Answer, Ask, Keep, ModelRoles, Outcome
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.key_check import blind_asks, is_in_doubt
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question

KIND = QuestionsKind()
LIVER: dict[str, Any] = {
    "id": "q",
    "stem": "Which of the following is NOT a function of the liver?",
    "options": [
        {"key": "A", "text": "Making bile"},
        {"key": "B", "text": "Storing glycogen"},
        {"key": "C", "text": "Pumping blood"},
        {"key": "D", "text": "Breaking down ammonia"},
    ],
    "correct_answer": "C",
}
HEART = "Which of the following is a function of the heart rather than of the liver?"


def changed(question: dict[str, Any], **texts: str) -> Question:
    made = Question.model_validate(question)
    for field, text in texts.items():
        made = made.with_text(field.replace("__", "."), text)
    return made


@pytest.mark.parametrize(
    ("texts", "rules", "doubt"),
    [
        ({"stem": HEART}, {"nbme_negation_detection"}, True),
        ({"stem": "Which of the following is NOT a task of the liver?"}, {"ext_bias_detection"}, False),
        ({"stem": "Which of the following is a function of the liver?"}, {"ext_bias_detection"}, True),
        ({"stem": "Which of the following is NOT a function of the 2 kidneys?"}, {"ext_bias_detection"}, True),
        ({"stem": "What does the spleen NOT do?"}, {"ext_bias_detection"}, True),
        ({"correct_answer": "A"}, {"ext_bias_detection"}, True),
        ({"options__A": "Making red cells"}, {"nbme_distractor_plausibility"}, False),
        ({"rationale": "Because."}, {"ext_rationale_completeness"}, False),
        ({"stem": "Which of the following does the liver NOT do?"}, {"nbme_stem_clarity"}, True),
    ],
)
def test_what_puts_the_key_in_doubt(texts: dict[str, str], rules: set[str], doubt: bool) -> None:
    assert is_in_doubt(changed(LIVER), changed(LIVER, **texts), rules) is doubt


def test_a_blind_judge_sees_neither_the_key_nor_the_rationale() -> None:
    question = changed(LIVER, vignette="A lesson on organs.", rationale="The heart pumps.")
    [ask] = blind_asks(question)
    shown = ask.untrusted["items"]
    assert shown.startswith("id: q\nA lesson on organs.\nWhich of")
    assert "C. Pumping blood" in shown
    assert "heart" not in shown and "correct" not in shown
    assert ask.reply == "answer_reply" and not ask.trusted


def test_each_item_of_a_set_is_solved_for_itself() -> None:
    item = {name: LIVER[name] for name in ("stem", "options", "correct_answer")}
    question = Question.model_validate(
        {"id": "s", "type": "sequential_set", "vignette": "A case.", "items": [item] * 2}
    )
    assert len(blind_asks(question)) == 2


# -- the work on a question, with models that are functions

Says = dict[str, Any]
CLEAN = {"reasoning": "fine", "violations": []}
SAME = {"reasoning": "It tests the same.", "passed": True, "confidence": "high", "differences": [], "newIssues": []}


def solved(choice: str, *also: str, confidence: str = "high", reasoning: str = "I know it.") -> Says:
    return {"reasoning": reasoning, "choice": choice, "also_right": list(also), "confidence": confidence}


def edits(**texts: str) -> Says:
    old = Question.model_validate(LIVER).texts()
    made = [
        {"unit": "q", "field": field.replace("__", "."), "find": old[field.replace("__", ".")], "replace": text}
        for field, text in texts.items()
    ]
    return {"reasoning": "r", "edits": made}


def worked(
    question: dict[str, Any],
    correction: Says | None = None,
    judges: tuple[str, ...] = (),
    review: Says = CLEAN,
    **answers: Says,
) -> tuple[Outcome, list[Keep], list[tuple[str, str]]]:
    """The outcome, every attempt that was kept, and who was asked for what. `m` corrects; a judge reviews cleanly and
    gives the blind answer under its name."""
    source = Question.model_validate(question)
    row = UnitRow("q", "bank", 0, source.content_hash, "draft")
    roles = ModelRoles(judges, {CORRECTOR: "m"} if correction is not None else {})
    env = Environment(select(KIND.checks), roles, context=BankContext(language="en"))
    work = KIND.work(Task("q", (Item(row, source, source, ()),)), env)
    kept: list[Keep] = []
    asked: list[tuple[str, str]] = []
    sent: Any = None
    while True:
        try:
            effect = work.send(sent)
        except StopIteration as end:
            return end.value, kept, asked
        sent = None
        if isinstance(effect, Keep):
            kept.append(effect)
            sent = len(kept)
        elif isinstance(effect, Ask):
            asked += [(request.model, request.ask.reply) for request in effect.requests]
            replies = {"edit_reply": correction, "question_review_reply": review, "delta_reply": SAME}
            sent = tuple(
                Answer(
                    request.model,
                    REPLIES[request.ask.reply].model_validate_json(
                        json.dumps(replies.get(request.ask.reply, answers.get(request.model)))
                    ),
                )
                for request in effect.requests
            )


def state(outcome: Outcome) -> tuple[str, str | None]:
    [unit] = outcome.units
    return unit.states[-1].state, unit.states[-1].reason


DROPPED = edits(stem="Which of the following is a function of the liver?")
ASKED_ANEW = edits(stem=HEART)


@pytest.mark.parametrize("judges", [(), ("m",), ("j",)])
def test_a_dropped_negation_is_never_validated(judges: tuple[str, ...]) -> None:
    outcome, kept, _ = worked(LIVER, DROPPED, judges, j=solved("C"))
    assert state(outcome)[0] == "needs_manual_review"
    assert all("drops_negation" in (attempt.failure or "") for attempt in kept[1:])
    assert outcome.units[0].best == 1


def test_a_repair_that_can_change_the_right_answer_is_a_proposal_where_no_other_model_solves_it() -> None:
    for judges in ((), ("m",)):
        outcome, kept, asked = worked(LIVER, ASKED_ANEW, judges)
        assert state(outcome) == ("needs_manual_review", "key_unchecked")
        assert outcome.units[0].best == 2, "the proposal is what people are shown, beside the original"
        assert [finding.rule for finding in kept[1].findings] == ["key_doubtful"]
        assert not kept[1].passed
        assert ("m", "answer_reply") not in asked, "who has written it is no witness for its key"


def test_a_repair_is_validated_where_another_model_chooses_the_key() -> None:
    outcome, kept, asked = worked(LIVER, ASKED_ANEW, ("j",), j=solved("C"))
    assert state(outcome) == ("validated", "attempt_2")
    assert kept[1].scores["key"] == 1.0
    asked_for = ["edit_reply", "delta_reply", "question_review_reply", "answer_reply"]
    assert asked == list(zip("mjjj", asked_for, strict=True))


@pytest.mark.parametrize("answer", [solved("A"), solved("none"), solved("C", "D")])
def test_a_repair_waits_where_another_model_does_not_choose_the_key_alone(answer: Says) -> None:
    outcome, kept, asked = worked(LIVER, ASKED_ANEW, ("j",), j=answer)
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    assert outcome.units[0].best == 2
    assert kept[1].scores["key"] == 0.0
    assert [name for _, name in asked].count("edit_reply") == 1, "no model repairs a doubtful key"


def test_a_repair_of_a_question_with_several_keys_waits_for_a_person() -> None:
    several = {**LIVER, "type": "multiple_response", "correct_answer": "C, D"}
    outcome, kept, asked = worked(several, ASKED_ANEW, ("j",), j=solved("C", "D"))
    assert state(outcome) == ("needs_manual_review", "key_unchecked")
    assert outcome.units[0].best == 2 and not kept[1].passed
    assert ("j", "answer_reply") not in asked


VERDICT: dict[str, Any] = {
    "id": "q",
    "type": "true_false",
    "stem": "A crippled man with gout is given allopurinol to lower his uric acid.",
    "options": [{"key": "A", "text": "True"}, {"key": "B", "text": "False"}],
    "correct_answer": "A",
}


def test_a_reworded_statement_waits_for_a_person_whatever_a_judge_calls_it() -> None:
    correction = {"reasoning": "r", "edits": [{"unit": "q", "field": "stem", "find": "crippled man", "replace": "man"}]}
    outcome, kept, asked = worked(VERDICT, correction, ("j",), j=solved("A"))
    assert [finding.rule for finding in kept[0].findings] == ["ext_bias_detection"]
    assert state(outcome) == ("needs_manual_review", "key_unchecked")
    edited = asked.index(("m", "edit_reply"))
    assert ("j", "answer_reply") not in asked[edited:]


def test_a_verdict_that_nobody_repaired_is_solved_blind() -> None:
    sound = {**VERDICT, "stem": "Allopurinol lowers the uric acid of a man with gout."}
    outcome, kept, _ = worked(sound, None, ("j",), j=solved("B"))
    assert [finding.rule for finding in kept[0].findings] == ["key_doubtful"]
    assert state(outcome) == ("needs_manual_review", "key_doubtful")


def test_one_of_two_judges_that_chooses_otherwise_makes_a_repair_wait() -> None:
    outcome, kept, _ = worked(LIVER, ASKED_ANEW, ("j", "k"), j=solved("C"), k=solved("A"))
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    assert kept[1].scores["key"] == 0.5


SOUND = {**LIVER, "stem": HEART}


AGAINST = [
    solved("A"),
    solved("none"),
    solved("C", "D"),
]


@pytest.mark.parametrize("judges", [("j",), ("j", "k"), ("k", "j"), ("k", "l", "j")])
@pytest.mark.parametrize("answer", AGAINST, ids=["another", "none", "several"])
def test_one_sure_judge_against_the_key_puts_the_question_before_a_person(
    judges: tuple[str, ...], answer: Says
) -> None:
    """With one judge it was accepted without a word, and with three it was outvoted."""
    others = {name: solved("C", confidence="medium") for name in "kl"}
    outcome, [kept], asked = worked(SOUND, edits(), judges, j=answer, **others)
    rule = "options_equal" if answer["also_right"] else "key_doubtful"
    assert state(outcome) == ("needs_manual_review", rule)
    [found] = kept.findings
    assert (found.rule, found.severity) == (rule, "error")
    assert found.data["standing"] == "objected"
    assert {"model": "j", "choice": found.data["votes"][-1]["choice"], "sure": True}.items() <= found.data["votes"][
        -1
    ].items()
    assert "edit_reply" not in {name for _, name in asked}, "no model repairs a key"


def test_two_solvers_sure_of_the_key_are_enough_and_a_sure_objection_ends_the_asking() -> None:
    _, _, asked = worked(SOUND, None, ("j", "k", "l"), j=solved("C"), k=solved("C"), l=solved("A"))
    assert [name for name, reply in asked if reply == "answer_reply"] == ["j", "k"]
    _, _, asked = worked(SOUND, None, ("j", "k", "l"), j=solved("A"), k=solved("C"), l=solved("A"))
    assert [name for name, reply in asked if reply == "answer_reply"] == ["j"]


@pytest.mark.parametrize(
    "said", ["C. Pumping blood", "**C**", "C)", "options.C", "C: Pumping blood", "option c", "(C)"]
)
def test_a_choice_is_read_as_people_write_it(said: str) -> None:
    outcome, [kept], _ = worked(SOUND, None, ("j",), j=solved(said))
    assert state(outcome)[0] == "validated"
    assert kept.findings == ()


def test_an_unsure_objection_is_a_doubt_that_stays_with_its_reason() -> None:
    unsure = solved("A", confidence="medium", reasoning="Bile drives the blood.")
    outcome, [kept], _ = worked(SOUND, None, ("j",), j=unsure)
    assert state(outcome)[0] == "validated"
    [found] = kept.findings
    assert (found.rule, found.severity, found.field) == ("key_doubtful", "warning", "correct_answer")
    assert found.message == (
        "A judge that was not shown the key chooses A, without being sure; the key is C. Bile drives the blood."
    )
    assert found.data["standing"] == "doubtful"


def test_two_models_that_are_unsure_of_the_same_object_together() -> None:
    unsure = solved("A", confidence="low")
    outcome, [kept], _ = worked(SOUND, edits(), ("j", "k"), j=unsure, k=unsure)
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    assert kept.findings[0].message.startswith("2 judges that were not shown the key choose A")


def test_two_models_that_are_unsure_of_different_options_leave_a_doubt() -> None:
    outcome, [kept], _ = worked(
        SOUND, None, ("j", "k"), j=solved("A", confidence="low"), k=solved("B", confidence="low")
    )
    assert state(outcome)[0] == "validated"
    assert [(found.rule, found.severity) for found in kept.findings] == [("key_doubtful", "warning")]


def test_an_answer_that_cannot_be_read_is_no_vote_and_leaves_a_doubt() -> None:
    outcome, [kept], _ = worked(SOUND, None, ("j",), j=solved("E"))
    assert state(outcome)[0] == "validated"
    [found] = kept.findings
    assert (found.rule, found.severity) == ("key_doubtful", "warning")
    assert "could be read" in found.message


# -- one judge believes a wrong answer (the key is A)

CAPITAL: dict[str, Any] = {
    "id": "q",
    "stem": "Which of the following cities is the capital of Australia?",
    "options": [
        {"key": "A", "text": "Canberra"},
        {"key": "B", "text": "Sydney"},
        {"key": "C", "text": "Melbourne"},
        {"key": "D", "text": "Perth"},
    ],
    "correct_answer": "A",
}
BELIEVES = {
    "reasoning": "It is Sydney.",
    "violations": [
        {
            "ruleId": "nbme_multiple_correct",
            "field": "options.B",
            "quote": "Sydney",
            "message": "Sydney is right, not Canberra.",
            "suggestion": "Set the key to B.",
        }
    ],
}


def edits_to(question: dict[str, Any], **texts: str) -> Says:
    old = Question.model_validate(question).texts()
    named = {field.replace("__", "."): text for field, text in texts.items()}
    made = [{"unit": "q", "field": field, "find": old[field], "replace": text} for field, text in named.items()]
    return {"reasoning": "r", "edits": made}


@pytest.mark.parametrize(
    "texts",
    [
        {"correct_answer": "B"},
        {"correct_answer": "B", "options__A": "Brisbane"},
        {"correct_answer": "B", "options__D": "Hobart"},
        {"options__A": "Sydney harbour", "options__B": "Canberra"},
    ],
)
@pytest.mark.parametrize("judges", [("j",), ("m", "j"), ("j", "k")])
def test_who_raised_the_doubt_never_confirms_the_key_that_it_wanted(
    judges: tuple[str, ...], texts: dict[str, str]
) -> None:
    outcome, kept, _ = worked(
        CAPITAL, edits_to(CAPITAL, **texts), judges, review=BELIEVES, j=solved("B"), k=solved("B"), m=solved("B")
    )
    assert state(outcome)[0] == "needs_manual_review"
    assert not any(attempt.passed for attempt in kept)


def test_a_judge_that_reports_the_key_itself_sends_the_question_to_a_person() -> None:
    said = {**BELIEVES["violations"][0], "field": "correct_answer", "quote": "A"}
    outcome, _, asked = worked(
        CAPITAL, edits_to(CAPITAL, correct_answer="B"), ("j",), review={"violations": [said]}, j=solved("A")
    )
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    assert "edit_reply" not in {name for _, name in asked}
