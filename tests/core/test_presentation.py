"""What is told to people is quiet, whole and plain unless a kind says otherwise."""

from burnish.core.presentation import DocumentRule, KindWords, Pictured, Remark, RunFacts, Table


def test_a_remark_does_not_alarm_unless_it_says_so() -> None:
    assert not Remark("Key balance", "even").alarming


def test_a_table_has_one_column_of_names() -> None:
    assert Table("t", ("rule", "count"), (("a", "1"),)).names == 1


def test_what_is_pictured_is_part_of_the_example() -> None:
    assert Pictured("words").is_said and Pictured("words").label == "" and Pictured("words").field is None


def test_a_rule_of_a_document_compares_with_no_earlier_one() -> None:
    assert not DocumentRule("r", "R", "error", "s", {}).compares


def test_a_kind_names_only_what_differs() -> None:
    words = KindWords("Cards")
    assert (words.document, words.doing, words.done, words.ready, words.repaired) == (
        "document", "Polishing", "polished", "ready", "Repaired",
    )  # fmt: skip
    assert words.causes == {} and words.highest_score == 1.0


def test_facts_of_a_run_have_no_trouble_unless_it_is_told() -> None:
    facts = RunFacts("r", "published", {}, {}, (), None, {}, {})
    assert (facts.trouble, facts.judges, facts.details, facts.beside) == (None, (), {}, {})
