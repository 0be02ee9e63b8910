"""Claims of models are verified before anyone acts on them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.text.quotes import refutes_itself, verify
from tests.core.units import PlainUnit, finding

UNIT = PlainUnit.of(stem="The first drug is given at once.")


def verdict(**claim: object) -> str | None:
    values: dict[str, object] = {"rule": "r", "quote": "first drug", **claim}
    message = values.pop("message", "Two options can be right.")
    _, dropped = verify(UNIT, [replace(finding(**values), message=str(message))], rules={"r"})  # type: ignore[arg-type]
    return dropped[0].reason if dropped else None


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({}, None),
        ({"rule": "other"}, "unknown_rule"),
        ({"field": "rationale"}, None),
        ({"field": "rationale", "quote": "second drug"}, "unknown_field"),
        ({"quote": None}, "no_quote"),
        ({"quote": "  "}, "no_quote"),
        ({"quote": "second drug"}, "quote_not_found"),
        ({"message": "Option A may be right. On reflection this is actually fine."}, "self_refuting"),
        ({"message": "No violation found in this field."}, "self_refuting"),
        ({"message": "This does not violate the rule."}, "self_refuting"),
        ({"message": "Option B is correct as well, so there are two keys."}, None),
        ({"message": "Two options are right: A, and B, which is correct in the foetus."}, None),
    ],
)
def test_why_a_claim_is_dropped(claim: dict[str, object], reason: str | None) -> None:
    assert verdict(**claim) == reason


def test_a_claim_that_holds_gets_its_place_and_doubles_are_merged() -> None:
    claims = [finding("r", quote="first drug"), finding("r", quote="given")]
    held, dropped = verify(UNIT, claims, rules={"r"})
    assert [(f.quote, f.start, f.end) for f in held] == [("first drug", 4, 14)]
    assert [d.reason for d in dropped] == ["duplicate"]


LISTS = PlainUnit.of(
    **{"stem": "Which drug?", "options.A": "Heparin now", "options.B": "Warfarin now", "items.0.options.B": "Aspirin"}
)


@pytest.mark.parametrize(
    ("named", "quote", "field"),
    [
        ("options.B", "Warfarin", "options.B"),
        ("options", "Warfarin", "options.B"),
        ("B", "Warfarin", "options.B"),
        (None, "Warfarin", "options.B"),
        ("stem", "Warfarin", "options.B"),
        ("no such field", "Warfarin", "options.B"),
        ("options", "now", "options"),
        ("A", "now", "options.A"),
        (None, "now", None),
        ("items.0.options", "Aspirin", "items.0.options.B"),
    ],
)
def test_the_quote_decides_which_field_a_claim_is_about(named: str | None, quote: str, field: str | None) -> None:
    [held], dropped = verify(LISTS, [finding("r", field=named, quote=quote)], rules={"r"})
    assert (held.field, held.quote, dropped) == (field, quote, [])
    assert (held.start is None) == (field not in LISTS.texts())


@pytest.mark.parametrize(
    ("named", "quote", "reason"),
    [
        ("option B", "now", "unknown_field"),
        ("stem", "now", "quote_not_found"),
        ("options", "warfarin", "quote_not_found"),
        ("options", "drug?\nHeparin", "quote_not_found"),
        (None, "warfarin", "quote_not_found"),
    ],
)
def test_a_quote_that_settles_no_field_leaves_no_claim(named: str | None, quote: str, reason: str) -> None:
    held, [dropped] = verify(LISTS, [finding("r", field=named, quote=quote)], rules={"r"})
    assert (held, dropped.reason, dropped.finding.field) == ([], reason, named)


def test_two_names_of_one_field_are_one_issue() -> None:
    claims = [finding("r", field=named, quote="Warfarin") for named in ("options.B", "B")]
    held, dropped = verify(LISTS, claims, rules={"r"})
    assert ([one.field for one in held], [one.reason for one in dropped]) == (["options.B"], ["duplicate"])


TAKEN_BACK = [
    "No violation found in this field.",
    "This does not violate the rule.",
    "This is a false positive.",
    "There is no issue here.",
    "It isn’t a violation.",
    "No issues.",
    "No problem was found with this question.",
    "This is probably a false alarm",
    "On second thought, it is okay!",
    "However, this is not a violation.",
    "no action required",
    "so it is fine",
    "therefore it complies.",
    "Conclusion: no violation.",
    "On reflection: this is fine.",
    "(This is fine.)",
]


@pytest.mark.parametrize("clause", TAKEN_BACK)
@pytest.mark.parametrize("before", ["", "Option A may be right. ", "Both may hold; ", "It looks odd - "])
def test_a_message_that_ends_by_taking_itself_back_refutes_itself(before: str, clause: str) -> None:
    assert refutes_itself(before + clause)


@pytest.mark.parametrize(
    "message",
    [
        "Option B describes a false positive.",
        "The stem asks for the chance of a false positive",
        "The result in C is a false positive, so two answers hold.",
        "No changes needed is what option B says, and that is the key.",
        'Option B reads: "No changes needed."',
        "Option B states: no action required.",
        "Option B: no action required.",
        "Two options can be right: A and D, which says: no correction.",
        "Option B says - no action required.",
        "Option B says, it is fine.",
        "Two keys hold, A and B (no action required).",
        "The note in option C reads — no problem found.",
        "B says there is no problem with the kidney",
        "It is fine in adults but not in children.",
        "No issue of consent arises in B, so it can be right as well.",
        "This does not break down the choices clearly, so two keys are possible.",
        "On second thought B is right too.",
        "Taking ten of them at once is dangerous, no correction needed",
        "The statement is false, there is no error.",
        "The dose in B is wrong - no changes.",
        "The year contradicts the source, as everyone knows, no fix needed.",
    ],
)
def test_words_that_are_about_the_question_refute_nothing(message: str) -> None:
    assert not refutes_itself(message)


@pytest.mark.parametrize(
    "message",
    [
        "The statement is correct, no correction needed.",
        "The statement is not wrong, there is no error.",
        "It may be misleading, no change is needed.",
        "The claim looks false at first, this is fine.",
        "The statement is false, but there is no error.",
        "The statement is false, actually there is no error.",
        "The statement is false. On reflection, there is no error.",
        "The wording is a little stiff, no action required.",
    ],
)
def test_a_fault_that_is_doubted_or_taken_back_with_a_turn_is_none(message: str) -> None:
    assert refutes_itself(message)


@given(st.sampled_from(TAKEN_BACK), st.sampled_from(["Option B is right too.", "Two keys hold.", "A and C overlap."]))
def test_only_the_last_clause_counts(clause: str, claim: str) -> None:
    assert not refutes_itself(f"{clause.rstrip('.')}. {claim}")
    assert refutes_itself(f"{claim} {clause}")


@given(st.text(max_size=400))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert not refutes_itself(text + " x")
