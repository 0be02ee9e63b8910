"""Key balance and blueprint."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.questions import bank
from burnish.kinds.questions.bank import BankFacts, chi_square, chi_square_p
from burnish.kinds.questions.model import Question

OPTIONS = [{"key": key, "text": f"Answer {key}"} for key in "ABCDE"]


def question(key: str, options: int = 4, **fields: object) -> Question:
    record = {"id": "q", "stem": "Which?", "options": OPTIONS[:options], "correct_answer": key, **fields}
    return Question.model_validate(record)


def facts(keys: str, options: int = 4) -> BankFacts:
    tally = BankFacts()
    for key in keys:
        tally.add(question(key, options))
    return tally


@pytest.mark.parametrize(
    ("statistic", "degrees", "p"),
    [(3.841, 1, 0.05), (5.991, 2, 0.05), (7.815, 3, 0.05), (9.488, 4, 0.05), (13.277, 4, 0.01), (37.652, 25, 0.05)],
)
def test_p_values_are_those_of_the_tables(statistic: float, degrees: int, p: float) -> None:
    assert chi_square_p(statistic, degrees) == pytest.approx(p, rel=2e-3)


@given(st.floats(0, 1e6), st.integers(1, 25))
def test_p_values_are_probabilities_and_fall(statistic: float, degrees: int) -> None:
    p = chi_square_p(statistic, degrees)
    assert 0 <= p <= 1 and math.isfinite(p)
    assert chi_square_p(statistic + 1, degrees) <= p


def test_equal_counts_have_no_chi_square() -> None:
    assert chi_square([7, 7, 7]) == 0 and chi_square_p(0, 2) == 1


def test_keys_that_favour_one_position_are_out_of_balance() -> None:
    (group,) = facts("A" * 40 + "BCD" * 20).key_balance()
    assert group.positions == (40, 20, 20, 20) and group.balanced is False
    assert group.p_value == pytest.approx(0.0074, rel=0.01)
    assert "out of balance" in group.message


def test_even_keys_are_balanced() -> None:
    (group,) = facts("ABCD" * 25).key_balance()
    assert group.balanced is True and group.p_value == 1 and "balanced" in group.message


def test_a_small_bank_is_not_judged() -> None:
    (group,) = facts("A" * 19).key_balance()
    assert group.balanced is None and group.p_value is None and "too few" in group.message


def test_a_tiny_difference_in_a_large_bank_is_not_worth_a_word() -> None:
    (group,) = facts("A" * 1070 + "BCD" * 1000).key_balance()
    assert group.p_value is not None and group.balanced is True
    (uneven,) = facts("A" * 1150 + "BCD" * 1000).key_balance()
    assert uneven.p_value is not None and uneven.p_value < bank.SIGNIFICANT
    assert uneven.balanced is True and "slightly uneven" in uneven.message


def test_chance_is_seldom_called_imbalance() -> None:
    chance = Random(7)
    judged = [facts("".join(chance.choices("ABCD", k=100))).key_balance()[0].balanced for _ in range(200)]
    assert judged.count(False) <= 8


def test_groups_by_number_of_options_and_leaves_out_what_has_no_key() -> None:
    tally = facts("ABC", options=3)
    tally.add(question("E", options=5))
    tally.add(question("Z"))
    assert [(group.options, group.questions) for group in tally.key_balance()] == [(3, 3), (5, 1)]


def test_items_of_a_sequential_set_count_and_those_of_extended_matching_do_not() -> None:
    item = {"stem": "Which?", "options": OPTIONS[:3], "correct_answer": "B"}
    tally = BankFacts()
    tally.add(question("", type="sequential_set", options=0, items=[item, item]))
    tally.add(question("", type="extended_matching", items=[{"stem": "Case", "correct_answer": "A"}]))
    assert [group.positions for group in tally.key_balance()] == [(0, 2, 0)]


def test_blueprint_counts_each_objective() -> None:
    tally = BankFacts()
    for level in ("Apply", "Apply", "Analyze"):
        tally.add(question("A", metadata={"slo_ids": ["s1", "s2"], "bloom_level": level, "difficulty": "easy"}))
    tally.add(question("A", metadata={"difficulty": " "}))
    cells = [(c.objective, c.bloom_level, c.difficulty, c.questions) for c in tally.blueprint()]
    assert cells == [
        (None, None, None, 1),
        ("s1", "Analyze", "easy", 1),
        ("s1", "Apply", "easy", 2),
        ("s2", "Analyze", "easy", 1),
        ("s2", "Apply", "easy", 2),
    ]


def test_a_bank_without_metadata_has_no_blueprint_and_an_empty_one_no_result() -> None:
    assert facts("ABCD").blueprint() == ()
    assert BankFacts().result() == {}


def test_the_blueprint_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bank, "MOST_CELLS", 3)
    tally = BankFacts()
    for number in range(10):
        tally.add(question("A", metadata={"slo_ids": [f"s{number}"]}))
    cells = {cell.objective: cell.questions for cell in tally.blueprint()}
    assert cells == {"s0": 1, "s1": 1, "s2": 1, bank.OTHER: 7}
