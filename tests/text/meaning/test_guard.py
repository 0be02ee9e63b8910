"""The rulings of the guard: what a claim, a source, the unit or the repair itself allows."""

import json

import pytest

from burnish.core.findings import Finding
from burnish.text.meaning import Verdict, Words, guard, has_denial

BEFORE, AFTER = "Give 500 ml of saline slowly.", "Give 250 ml of saline slowly."


def answers(verdict: Verdict) -> list[str]:
    return [ruling.answer for ruling in verdict.rulings if ruling.difference.is_grave]


def test_what_nothing_asks_for_is_refused_with_a_reason() -> None:
    verdict = guard(BEFORE, AFTER, language="en")
    assert verdict.is_refused and not verdict.needs_reader
    assert verdict.reasons == (
        '"500 ml" became "250 ml". Nothing asks for it: keep the old words, or name the change in `changes`.',
    )


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        (Words("The volume is wrong for a child.", "Write 250 ml.", "500 ml"), "claimed"),
        (Words("It should be 250 ml.", None, None), "claimed"),
        (Words("The volume is wrong for a child.", None, "500 ml"), "replaced"),
        (Words("The sentence is hard to read.", None, BEFORE), "refused"),
    ],
)
def test_a_claim_allows_what_its_words_hold(claim: Words, answer: str) -> None:
    assert answers(guard(BEFORE, AFTER, language="en", claims=[claim])) == [answer]


def test_the_source_allows_what_it_says_unless_it_says_the_old_words_too() -> None:
    assert answers(guard(BEFORE, AFTER, language="en", source="Children get 250 ml.")) == ["sourced"]
    both = "Adults get 500 ml, children 250 ml."
    assert answers(guard(BEFORE, AFTER, language="en", source=both)) == ["refused"]


def test_the_rest_of_the_unit_supports_an_addition_and_no_exchange() -> None:
    context = "Option B: 250 ml of glucose"
    added = guard("Give saline slowly.", "Give saline or 250 ml slowly.", language="en", context=context)
    assert answers(added) == ["known"]
    assert answers(guard(BEFORE, AFTER, language="en", context=context)) == ["refused"]


def test_a_declared_change_needs_a_reader() -> None:
    verdict = guard(BEFORE, AFTER, language="en", changes=["500 ml becomes 250 ml, the dose for a child"])
    assert not verdict.is_refused and verdict.needs_reader
    assert verdict.to_confirm == ('"500 ml" became "250 ml".',)
    other = guard(BEFORE, AFTER, language="en", changes=["a comma was added"])
    assert other.is_refused


def test_a_message_that_happens_to_say_not_allows_no_denial_to_go() -> None:
    before, after = "The rationale is not complete here.", "The rationale is complete here."
    loose = Words("The option does not fit the stem.", "Write it anew.", None)
    assert answers(guard(before, after, language="en", claims=[loose])) == ["refused"]
    quoted = Words("The lead-in asks for the exception ('not').", None, "not")
    assert answers(guard(before, after, language="en", claims=[quoted])) == ["claimed"]


def test_what_was_missing_may_come_but_its_figures_need_support() -> None:
    after = "Vitamin K activates the clotting factors in 12 hours, as the trial by Hansen showed."
    verdict = guard(
        "", after, language="en", may_add=True, context="Which vitamin activates clotting factors? Vitamin K"
    )
    refused = {ruling.difference.after for ruling in verdict.rulings if ruling.answer == "refused"}
    assert refused == {"12 hours", "Hansen"}
    assert verdict.needs_reader
    assert guard("", after, language="en").is_refused


def test_look_alike_letters_are_refused_whatever_the_repair_declares() -> None:
    verdict = guard("Which is NOT true?", "Which is N\u041eT true?", language="en", changes=["NOT became N\u041eT"])
    assert "refused" in answers(verdict)


def test_other_words_are_listed_and_refuse_nothing() -> None:
    verdict = guard("The doctor examined the boy's knee.", "The physician examined the boy's knee.", language="en")
    assert not verdict.is_refused and not verdict.needs_reader
    assert verdict.listed == ('"doctor" became "physician".',)


def test_findings_are_claims_and_verdicts_are_json() -> None:
    finding = Finding("r", "error", "q1", "stem", "Wrong volume.", "Write 250 ml.", "500 ml")
    verdict = guard(BEFORE, AFTER, language="en", claims=[finding])
    record = json.loads(json.dumps(verdict.as_record()))
    assert record["refused"] is False and record["rulings"][0]["answer"] == "claimed"
    assert record["rulings"][0]["before"] == "500 ml"


def test_a_language_without_tables_is_named_as_not_judged() -> None:
    verdict = guard("Abc 5 def.", "Abc 50 def.", language="xx")
    assert "denials" in verdict.not_judged
    assert verdict.is_refused  # digits are read in every language
    assert guard("It is 5.", "It is 5!", language="en").not_judged == ()


@pytest.mark.parametrize(
    ("text", "language", "denies"),
    [
        ("Which is NOT TRUE?", "en", True),
        ("Which is true?", "en", False),
        ("Il n'est pas là.", "fr", True),
        ("这不是我的。", "zh", True),
        ("Anything at all", "xx", False),
    ],
)
def test_a_denial_in_a_sentence(text: str, language: str, denies: bool) -> None:
    assert has_denial(text, language) is denies
