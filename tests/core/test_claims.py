"""Claims: which are open, dismissed, contestable; what is told once; when a rule only informs."""

from dataclasses import replace

import pytest

from burnish.core.claims import (
    Dismissal,
    Dismissals,
    Evidence,
    Standings,
    answered,
    claim_id,
    claims_of,
    contestable,
    informed,
    rules_that_inform,
    wilson,
    witness,
)
from burnish.core.findings import CRASHED_RULE, Finding

TEXT = "A dose that is never given twice."
NEVER = (15, 20)


def finding(rule="negation", *, span=NEVER, **other):
    place = {"quote": TEXT[span[0] : span[1]], "start": span[0], "end": span[1]} if span else {}
    return Finding(rule, other.pop("severity", "error"), "q1", "stem", "What people read.", **place, **other)


def test_a_rule_is_trusted_from_fifty_labels_of_which_95_percent_are_true():
    assert Evidence(50, 52).standing == "trusted"
    assert Evidence(48, 50).standing == "trusted"
    assert Evidence(47, 50).standing == "doubtful"
    assert Evidence(49, 49).standing == "doubtful"
    assert Evidence(0, 0).standing == "doubtful"


def test_precision_is_corrected_for_the_size_of_its_evidence():
    assert Evidence(3, 3).low < Evidence(15, 15).low < Evidence(52, 52).low < 1
    assert Evidence(0, 0).low == 0
    assert wilson(95, 100) == pytest.approx((0.888, 0.978), abs=0.001)


def test_a_standing_holds_for_one_language_and_is_not_given_to_what_no_rule_says():
    table = Standings({("negation", "en"): Evidence(52, 52)})
    proven, judge = finding(standing="proven"), finding(source="model:m")
    assert [one.standing for one in table.placed([finding(), proven, judge], "en")] == ["trusted", "proven", None]
    assert [one.standing for one in table.placed([finding()], "fr")] == ["doubtful"]
    assert [one.standing for one in table.placed([finding()], None)] == ["doubtful"]


def test_a_claim_keeps_its_id_when_words_before_it_change_and_when_its_message_does():
    first = finding()
    assert claim_id(replace(first, start=30, end=35, message="Other words.", severity="warning")) == claim_id(first)
    for other in (
        finding("absolute"),
        finding(span=(2, 6)),
        replace(first, field="options.A"),
        finding(related=("q2",)),
    ):
        assert claim_id(other) != claim_id(first)


def test_the_witness_is_the_rule_or_whoever_spoke():
    assert witness(finding()) == witness(finding(source="document")) == "negation"
    assert witness(finding(source="model:m")) == "model:m"


def test_one_fault_is_told_once():
    warning = finding("absolute", severity="warning", span=(12, 20))
    [claim] = claims_of([warning, finding()])
    assert claim.finding.rule == "negation", "the error speaks for both"
    assert [one.rule for one in claim.others] == ["absolute"]


def test_a_word_and_the_sentence_around_it_are_two_faults():
    assert len(claims_of([finding(), finding("stem_clarity", span=(0, len(TEXT)))])) == 2
    assert len(claims_of([finding(), finding(span=(20, 26))])) == 2, "neighbours do not overlap"
    assert len(claims_of([finding(), replace(finding(), field="rationale")])) == 2
    assert len(claims_of([finding(span=None), finding("empty", span=None)])) == 2, "nothing is quoted"


def test_only_errors_of_rules_that_code_cannot_show_are_asked_about():
    asked = finding("a", span=(0, 1)), finding("b", span=(2, 6), standing="trusted", source="document")
    never = (
        finding(standing="proven", span=(7, 11)),
        finding(severity="warning", span=(12, 14)),
        finding(source="model:m", span=(21, 26)),
        finding(source="person:p", span=(21, 26)),
        finding(CRASHED_RULE, span=None),
        finding("duplicate", span=None, source="document", related=("q2",)),
    )
    assert [(claim.number, claim.finding.rule) for claim in contestable([*never, *asked])] == [(1, "a"), (2, "b")]


def test_dismissed_claims_are_not_asked_again():
    one, other = finding(span=(2, 6)), finding()
    dismissed = Dismissals.of([Dismissal("negation", "person:p", "q1", claim_id(one))])
    assert [claim.finding for claim in contestable([one, other], dismissed)] == [other]
    assert contestable([one, other], Dismissals.of([Dismissal("negation", "person:p")])) == ()


def test_a_dismissal_settles_one_claim_or_all_of_a_rule_and_only_those_of_rules():
    judge = finding(source="model:m")
    crash, elsewhere, proven = (
        finding(CRASHED_RULE, span=None),
        replace(finding(), unit="q2"),
        finding(standing="proven"),
    )
    every = [finding(), judge, elsewhere, crash]
    one = Dismissals.of([Dismissal("negation", "person:p", "q1", claim_id(finding()))])
    assert one.split(every) == ((judge, elsewhere, crash), (finding(),))
    rule = Dismissals.of([Dismissal("negation", "person:p"), Dismissal(CRASHED_RULE, "person:p")])
    assert rule.split(every) == ((judge, crash), (finding(), elsewhere))
    assert rule.cover(proven), "a person overrules what code shows, too"


def test_a_dismissal_of_a_fault_counts_against_each_of_its_witnesses():
    [claim] = claims_of([finding(), finding("absolute", severity="warning", span=(12, 20))])
    recorded = claim.dismissals("person:p", "fine")
    assert [one.rule for one in recorded] == ["negation", "absolute"]
    assert Dismissals.of(recorded).split(claim.findings) == ((), claim.findings)


def test_a_claim_falls_only_if_every_reader_who_answers_denies_it():
    claims = contestable([finding(name, span=(at, at + 1)) for at, name in enumerate("abcd")])
    upheld, dismissed = answered(claims, [{1: True, 2: False, 3: False}, {1: False, 2: False}])
    assert [claim.finding.rule for claim in upheld] == ["a"]
    assert [claim.finding.rule for claim in dismissed] == ["b", "c"]


def test_a_rule_only_informs_after_three_dismissals_without_an_upheld_claim():
    assert rules_that_inform(["a", "a", "b"], []) == frozenset()
    assert rules_that_inform(["a", "a", "a", "b"], []) == {"a"}
    assert rules_that_inform(["a", "a", "a"], ["a"]) == frozenset()


def test_what_is_proven_or_said_by_a_reader_keeps_its_severity():
    kept = finding(standing="proven"), finding(source="model:m"), finding("other")
    lowered, *rest = informed([finding(), *kept], frozenset({"negation"}))
    assert lowered.severity == "info"
    assert tuple(rest) == kept
