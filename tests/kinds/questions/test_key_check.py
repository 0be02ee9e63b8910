"""The key through a repair: what is refused, what puts it in doubt, and what blind judges settle."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

import pytest

from burnish.core.checks import select
from burnish.core.effects import Answer, Ask, Keep, ModelRoles, Outcome
from burnish.core.errors import EditRefused
from burnish.core.records import UnitRow
from burnish.core.replies import REPLIES
from burnish.core.tasks import CORRECTOR, Environment, Item, Task
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.key_check import blind_asks, is_in_doubt, refuse_key_damage
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.schemas import CorrectionPromptInput
from burnish.questions import correction_prompt

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
ABOVE: dict[str, Any] = {
    "id": "q",
    "stem": "A man has eaten spoilt fish at noon. Which of the following signs is seen by the evening?",
    "options": [
        {"key": "A", "text": "Vomiting"},
        {"key": "B", "text": "Watery stools"},
        {"key": "C", "text": "Cramps of the belly"},
        {"key": "D", "text": "All of the above"},
    ],
    "correct_answer": "D",
}


def changed(question: dict[str, Any], **texts: str) -> Question:
    made = Question.model_validate(question)
    for field, text in texts.items():
        made = made.with_text(field.replace("__", "."), text)
    return made


@pytest.mark.parametrize(
    ("stem", "refused"),
    [
        ("Which of the following is a function of the liver?", True),
        ("Which one of these is a true function of the liver?", True),
        ("Which of the following is most likely a function of the liver?", True),
        (HEART, False),
        ("Which of these is NOT what the liver does?", False),
    ],
)
def test_an_edit_that_only_takes_the_negation_away_is_refused(stem: str, refused: bool) -> None:
    before, after = changed(LIVER), changed(LIVER, stem=stem)
    with pytest.raises(EditRefused, match="negative question") if refused else nullcontext():
        refuse_key_damage(before, after, ())


def test_a_negation_may_go_where_the_key_goes_with_it() -> None:
    after = changed(LIVER, stem="Which of the following is a function of the liver?", correct_answer="A")
    refuse_key_damage(changed(LIVER), after, ())
    assert is_in_doubt(changed(LIVER), after, {"nbme_negation_detection"})


def test_another_answer_in_the_keys_place_is_refused_while_the_key_stays() -> None:
    with pytest.raises(EditRefused, match="another answer"):
        refuse_key_damage(changed(ABOVE), changed(ABOVE, options__D="Fever above 40 degrees"), ())
    refuse_key_damage(changed(ABOVE), changed(ABOVE, options__D="Fever", correct_answer="A"), ())
    refuse_key_damage(changed(ABOVE), changed(ABOVE, options__A="Vomiting of blood"), ())
    refuse_key_damage(changed(LIVER), changed(LIVER, options__C="Pumping of blood"), ())


def test_a_key_whose_own_words_are_the_fault_may_be_reworded() -> None:
    refuse_key_damage(changed(LIVER), changed(LIVER, options__C="Moving plasma"), {"options.C"})
    assert is_in_doubt(changed(LIVER), changed(LIVER, options__C="Moving plasma"), {"ext_bias_detection"})


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
    question: dict[str, Any], correction: Says | None = None, judges: tuple[str, ...] = (), **answers: Says
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
            replies = {"edit_reply": correction, "question_review_reply": CLEAN}
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
    assert asked == [("m", "edit_reply"), ("j", "question_review_reply"), ("j", "answer_reply")]


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
    with pytest.raises(EditRefused, match="another answer"):
        refuse_key_damage(changed(several), changed(several, options__D="Fever above 40 degrees"), ())


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
    assert ("j", "answer_reply") not in asked


def test_a_verdict_that_nobody_repaired_is_solved_blind() -> None:
    sound = {**VERDICT, "stem": "Allopurinol lowers the uric acid of a man with gout."}
    outcome, kept, _ = worked(sound, None, ("j",), j=solved("B"))
    assert [finding.rule for finding in kept[0].findings] == ["key_doubtful"]
    assert state(outcome)[0] == "validated"


def test_one_of_two_judges_that_chooses_otherwise_makes_a_repair_wait() -> None:
    outcome, kept, _ = worked(LIVER, ASKED_ANEW, ("j", "k"), j=solved("C"), k=solved("A"))
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    assert kept[1].scores["key"] == 0.5


SOUND = {**LIVER, "stem": HEART}


def test_one_judge_that_chooses_another_option_is_a_warning_with_its_reason() -> None:
    outcome, [kept], _ = worked(SOUND, None, ("j",), j=solved("A", reasoning="Bile drives the blood."))
    assert state(outcome)[0] == "validated"
    [found] = kept.findings
    assert (found.rule, found.severity, found.field) == ("key_doubtful", "warning", "correct_answer")
    assert found.message == ("A judge that was not shown the key chooses A; the key is C. Bile drives the blood.")


def test_two_judges_that_are_sure_of_the_same_other_option_make_it_an_error_that_no_model_repairs() -> None:
    outcome, [kept], asked = worked(SOUND, edits(), ("j", "k"), j=solved("A"), k=solved("a."))
    assert state(outcome) == ("needs_manual_review", "key_doubtful")
    [found] = kept.findings
    assert found.severity == "error"
    assert found.message.startswith("2 judges that were not shown the key choose A; the key is C.")
    assert "edit_reply" not in {name for _, name in asked}


@pytest.mark.parametrize(
    "other", [solved("B"), solved("A", confidence="medium"), solved("C")], ids=["another", "unsure", "the key"]
)
def test_two_judges_that_do_not_agree_for_sure_are_a_warning(other: Says) -> None:
    outcome, [kept], _ = worked(SOUND, None, ("j", "k"), j=solved("A"), k=other)
    assert state(outcome)[0] == "validated"
    assert [(found.rule, found.severity) for found in kept.findings] == [("key_doubtful", "warning")]


def test_two_right_options_are_a_warning() -> None:
    outcome, [kept], _ = worked(SOUND, None, ("j",), j=solved("C", "D"))
    assert state(outcome)[0] == "validated"
    [found] = kept.findings
    assert (found.rule, found.severity, found.field) == ("options_equal", "warning", "options")
    assert "C and D" in found.message


def test_earlier_corrections_are_told_as_what_they_are() -> None:
    question = Question.model_validate(LIVER)
    given = CorrectionPromptInput(
        original_draft=question,
        violations=(),
        attempt_number=2,
        previous_corrections=("The stem was turned into a positive question.",),
    )
    shown = correction_prompt(given)
    assert "An earlier correction left the violations below: The stem was turned into a positive question." in shown
    assert "was not the JSON object" not in shown


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The kidney does all of these apart from one. Which?", "The kidney does which one of these?"),
        ("Which drug is contraindicated in asthma?", "Which drug is indicated in asthma?"),
        ("Which organ lacks the ability to filter?", "Which organ has the ability to filter?"),
        ("Which drug raises the pulse?", "Which drug lowers the pulse?"),
        ("Which hormone is released before the meal?", "Which hormone is released after the meal?"),
        ("¿Cuál de estas es incorrecta?", "¿Cuál de estas es correcta?"),
        ("Was ist keine Aufgabe der Niere?", "Was ist eine Aufgabe der Niere?"),
        ("Laquelle n'est pas une fonction du rein ?", "Laquelle est une fonction du rein ?"),
        ("Что не является функцией почки?", "Что является функцией почки?"),
        ("Qual das seguintes NÃO é função do rim?", "Qual das seguintes é função do rim?"),
        ("Hangisi böbreğin görevi değildir?", "Hangisi böbreğin görevidir?"),
        ("下列哪项不是肾脏的功能？", "下列哪项是肾脏的功能？"),
    ],
)
def test_a_word_that_turns_what_is_asked_puts_the_key_in_doubt_in_many_languages(before: str, after: str) -> None:
    one, other = changed(LIVER, stem=before), changed(LIVER, stem=after)
    assert is_in_doubt(one, other, {"ext_bias_detection"})


def test_findings_of_a_case_that_change_places_put_the_key_in_doubt() -> None:
    one = changed({**LIVER, "vignette": "A man has high sodium and low potassium."})
    other = changed({**LIVER, "vignette": "A man has low sodium and high potassium."})
    assert is_in_doubt(one, other, {"ext_bias_detection"})
