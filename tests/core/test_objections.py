"""The decision: what a panel's objections lead to, and that nothing raised is lost."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from burnish.core.findings import Finding, Severity
from burnish.core.objections import decide, objections, questions


def claim(
    seat: int,
    rule: str = "other",
    field: str | None = "stem",
    place: tuple[int, int] | None = (0, 5),
    severity: Severity = "error",
) -> Finding:
    start, end = place or (None, None)
    return Finding(rule, severity, "q", field, f"{seat} {rule}", None, "words", start, end, source=f"model:{seat}")


FIELDS = ("stem", "options.A", None)


def never(claim: Finding) -> bool:
    return False


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (claim(1, "a", "stem", (3, 9)), True),
        (claim(1, "a", "stem", (6, 9)), True),  # the same field
        (claim(1, "a", "options.B", (0, 5)), False),
        (claim(1, "other", "options.B", (0, 5)), True),  # the same rule
        (claim(1, "a", None, None), False),
        (claim(1, "other", None, None), True),
    ],
)
def test_claims_match_by_words_field_or_rule(other: Finding, match: bool) -> None:
    assert len(objections([[claim(0)], [other]])) == (1 if match else 2)


def test_two_claims_of_one_seat_are_two_objections() -> None:
    assert len(objections([[claim(0, "a"), claim(0, "b")], []])) == 2


@pytest.mark.parametrize("severity", ["critical", "error", "warning", "info"])
def test_what_a_majority_objects_to_is_an_error_whatever_its_severity(severity: Severity) -> None:
    ballots = [[claim(0, severity=severity)], [claim(1, severity=severity)], []]
    decision = decide(ballots, is_minor=never)
    assert [one.severity for one in decision.errors] == ["critical" if severity == "critical" else "error"]
    assert decision.errors[0].data == {"raised_by": ["model:0", "model:1"], "seats": 3}
    assert (decision.open, decision.doubts, decision.content) == ((), (), 1)


@pytest.mark.parametrize("seats", range(2, 8))
def test_one_objection_is_open_however_many_are_content(seats: int) -> None:
    decision = decide([[claim(0)], *([[]] * (seats - 1))], is_minor=never)
    assert [one.severity for one in decision.open] == ["warning"]
    assert decision.errors == ()


def test_a_minor_objection_of_one_is_a_doubt_and_takes_no_support() -> None:
    decision = decide([[claim(0)], []], is_minor=lambda one: True)
    assert [one.severity for one in decision.doubts] == ["warning"]
    assert decision.support == 1.0


def test_who_abstains_stays_in_the_denominator() -> None:
    assert decide([[claim(0)], None], is_minor=never).errors == ()
    assert decide([None, []], is_minor=never).support == 0.5
    assert decide([None, [claim(1)], [claim(2)]], is_minor=never).errors != ()


def test_nothing_raised_is_lost() -> None:
    random = Random(7)
    for _ in range(400):
        ballots = [
            None
            if random.random() < 0.2
            else [
                claim(seat, random.choice("abc"), random.choice(FIELDS), random.choice([(0, 5), None]))
                for _ in range(random.randrange(4))
            ]
            for seat in range(random.randrange(1, 5))
        ]
        decision = decide(ballots, is_minor=lambda one: one.rule == "c")
        told = [*decision.errors, *decision.open, *decision.doubts, *decision.repeated]
        raised = [one for claims in ballots for one in claims or ()]
        assert sorted(one.message for one in told) == sorted(one.message for one in raised)


@pytest.mark.parametrize(("seats", "asks"), [(1, False), (2, True), (3, True), (4, False), (5, False)])
def test_another_seat_is_asked_where_its_answer_makes_a_majority(seats: int, asks: bool) -> None:
    asked = questions([[claim(0)], *([[]] * (seats - 1))], is_minor=never)
    assert asked == ({1: (claim(0),)} if asks else {})


def test_nobody_is_asked_about_what_is_minor_or_by_abstainers() -> None:
    assert questions([[claim(0)], []], is_minor=lambda one: True) == {}
    assert questions([[claim(0)], None], is_minor=never) == {}
    assert questions([[claim(0)], None, []], is_minor=never) == {2: (claim(0),)}
    assert questions([[claim(0)], [claim(1)]], is_minor=never) == {}


def test_two_seats_that_object_to_different_things_are_both_open() -> None:
    for minor in product([True, False], repeat=2):
        ballots = [[claim(0, "a", "stem")], [claim(1, "b", "options.A")], []]
        decision = decide(ballots, is_minor=lambda one, minor=minor: minor["ab".index(one.rule)])
        assert len(decision.open) == 2 - sum(minor)
