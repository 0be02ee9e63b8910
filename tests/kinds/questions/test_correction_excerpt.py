"""What a correction shows to a model: stem, options, key and what is flagged; of a set only the items concerned."""

from typing import Any

from burnish.core.findings import Finding
from burnish.core.kinds import RepairNotes
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.requests import correction_ask, editable


def sequential() -> Question:
    def item(number: int) -> dict[str, Any]:
        return {
            "stem": f"Which step comes at place {number}?",
            "options": [{"key": "A", "text": f"first of {number}"}, {"key": "B", "text": f"second of {number}"}],
            "correct_answer": "A",
            "rationale": f"The reason for {number}.",
        }

    return Question.model_validate(
        {"id": "s1", "type": "sequential_set", "vignette": "A case.", "items": [item(1), item(2)]}
    )


def matching() -> Question:
    return Question.model_validate(
        {
            "id": "m1",
            "type": "extended_matching",
            "stem": "Which organism is it?",
            "options": [{"key": "A", "text": "Virus"}, {"key": "B", "text": "Yeast"}],
            "items": [
                {"stem": "A boy coughs.", "correct_answer": "A"},
                {"stem": "A girl itches.", "correct_answer": "B"},
            ],
        }
    )


def excerpt(question: Question, *fields: str | None) -> str:
    findings = [Finding("nbme_x", "error", question.id, field, "wrong") for field in fields]
    return correction_ask(question, findings, RepairNotes(1, 2)).untrusted["question"]


def test_only_the_flagged_item_of_a_set_is_shown() -> None:
    shown = excerpt(sequential(), "items.1.stem")

    assert "items.1.stem: Which step comes at place 2?" in shown
    assert "items.1.options.B: second of 2" in shown
    assert "items.0" not in shown
    assert "reason" not in shown, "a rationale that is not flagged stays at home"
    assert "A case." not in shown


def test_a_flagged_rationale_is_shown_with_its_item() -> None:
    shown = excerpt(sequential(), "items.0.rationale")

    assert "items.0.rationale: The reason for 1." in shown
    assert "items.0.stem" in shown
    assert "reason for 2" not in shown


def test_what_the_items_share_brings_all_of_them() -> None:
    shown = excerpt(matching(), "options")

    assert "items.0.stem: A boy coughs." in shown
    assert "items.1.correct_answer: B" in shown


def test_a_flagged_item_of_a_matching_set_comes_with_the_shared_options() -> None:
    shown = excerpt(matching(), "items.0.stem")

    assert "options.B: Yeast" in shown
    assert "stem: Which organism is it?" in shown
    assert "A girl itches." not in shown


def test_a_finding_about_the_whole_opens_stems_options_and_keys_only() -> None:
    question = sequential()
    finding = Finding("nbme_x", "error", question.id, None, "wrong")

    opened = editable(question, [finding])

    assert "items.0.options.A" in opened
    assert not {field for field in opened if str(field).endswith(("rationale", "vignette"))}
