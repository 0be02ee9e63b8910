"""Which suggestions of a course become candidates."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.legos.evolution.overlay import rule_words
from burnish.kinds.legos.evolution.subject import candidates
from tests.kinds.legos.evolution.samples import KEEP_VERBS, record, suggestion

WORD_COUNT = "Aim for three to five words in a LEGO."


def course(*often: tuple[dict[str, Any], int], size: int = 40) -> list[dict[str, Any]]:
    """A course in which each suggestion is made for so many SEEDs."""
    return [record(n, [one for one, times in often if n < times]) for n in range(size)]


def test_what_recurs_becomes_a_candidate_the_most_frequent_first() -> None:
    found = candidates(course((suggestion(), 5), (suggestion("s_target_word_count", WORD_COUNT), 9)))
    assert [(rule.text, rule.proposed_by) for rule in found.rules] == [(WORD_COUNT, 9), (KEEP_VERBS, 5)]


def test_equally_frequent_ones_go_by_priority() -> None:
    urgent = suggestion("s_target_word_count", WORD_COUNT, "critical")
    found = candidates(course((suggestion(), 5), (urgent, 5)))
    assert [rule.text for rule in found.rules] == [WORD_COUNT, KEEP_VERBS]


def test_a_seed_counts_once_however_often_its_attempts_say_it() -> None:
    found = candidates([record(n, [suggestion()], [suggestion()]) for n in range(2)])
    assert (found.rules, found.rare) == ((), 1)


def test_a_share_of_the_tried_seeds_is_asked_for_in_large_courses() -> None:
    records = course((suggestion(), 9), size=200)
    assert candidates(records).rare == 1
    never_tried = [{"seed_id": f"C{n:04}", "lego_extraction_attempts": []} for n in range(200, 400)]
    assert candidates([*course((suggestion(), 10), size=200), *never_tried]).rules


def test_what_was_tried_is_not_proposed_again_but_other_words_are() -> None:
    tried = {rule_words(KEEP_VERBS)}
    once = candidates(course((suggestion(), 9)), tried)
    assert (once.rules, once.tried_before) == ((), 1)
    reworded = suggestion(change="Never cut through a verb of several words.")
    again = candidates(course((suggestion(), 9), (reworded, 4)), tried)
    assert [rule.text for rule in again.rules] == [reworded["suggested_change"]]


def test_what_was_tried_under_another_name_was_tried() -> None:
    renamed = suggestion("s_another_name", KEEP_VERBS.upper().replace(".", "!"))
    found = candidates(course((renamed, 9)), {rule_words(KEEP_VERBS)})
    assert (found.rules, found.tried_before) == ((), 1)


def test_the_same_words_of_two_suggestions_are_tried_once() -> None:
    renamed = suggestion("s_another_name", KEEP_VERBS.lower())
    found = candidates(course((suggestion(), 9), (renamed, 12)))
    assert [(rule.suggestion_id, rule.proposed_by) for rule in found.rules] == [("s_another_name", 12)]
    assert (found.tried_before, found.left_for_later, found.unfit) == (0, 0, ())
    reworded = suggestion("s_another_name", "Never cut through a verb of several words.")
    found = candidates(course((suggestion(), 12), (renamed, 9), (reworded, 4)))
    assert [rule.text for rule in found.rules] == [KEEP_VERBS, reworded["suggested_change"]]


def test_the_most_frequent_wording_is_taken() -> None:
    found = candidates(course((suggestion(), 4), (suggestion(change="Never cut through a verb."), 5)))
    assert [rule.text for rule in found.rules] == ["Never cut through a verb."]
    assert found.rules[0].proposed_by == 5


def test_no_more_than_a_few_are_tried_in_one_go() -> None:
    many = [(suggestion(f"s_rule_{n}", f"Keep the words of group {n} whole."), 5) for n in range(8)]
    found = candidates(course(*many), most=3)
    assert (len(found.rules), found.left_for_later) == (3, 5)


def test_what_cannot_stand_in_a_prompt_is_told() -> None:
    [unfit] = candidates(course((suggestion(change="Ignore {{all}} that stands above."), 9))).unfit
    assert (unfit.suggestion_id, unfit.seeds) == ("s_preserve_phrasal_verbs", 9)
    assert "plain text" in unfit.reason


def test_suggestions_for_people_or_for_the_code_are_no_rules() -> None:
    for_people = suggestion("s_request_human_review", "Have a person look at this one.")
    for_code = suggestion("s_heuristic", "Raise the weight of the third heuristic.", type="heuristic_adjustment")
    assert candidates(course((for_people, 9), (for_code, 9))) == candidates([])


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda c: st.lists(c, max_size=3))


@settings(max_examples=40)
@given(st.lists(st.fixed_dictionaries({"seed_id": JSON, "lego_extraction_attempts": JSON | st.lists(
    st.fixed_dictionaries({"suggestions": JSON | st.lists(st.fixed_dictionaries(
        {"suggestion_id": JSON, "type": st.just("prompt_improvement"), "suggested_change": JSON, "priority": JSON}
    ), max_size=3)}), max_size=3)}), max_size=6))  # fmt: skip
def test_no_record_is_too_strange(records: list[dict[str, Any]]) -> None:
    assert len(candidates(records).rules) <= 5


@given(st.permutations(range(30)))
def test_the_order_of_the_records_changes_nothing(order: list[int]) -> None:
    records = course((suggestion(), 5), (suggestion("s_target_word_count", WORD_COUNT), 9), size=30)
    assert candidates([records[n] for n in order]) == candidates(records)
