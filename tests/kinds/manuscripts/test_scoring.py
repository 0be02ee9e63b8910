"""The formula of the rules' scores: by rule, not by finding; errors fail, warnings do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import CRASHED_RULE, SEVERITIES, Finding
from burnish.kinds.manuscripts.policy import CRITICAL, DIMENSIONS, HARD_FLOOR, RULES, THRESHOLDS, rule_scores


def found(rule: str, severity: str = "error") -> Finding:
    return Finding(rule, severity, "p_0001", None, "wrong")  # type: ignore[arg-type]


FINDINGS = st.lists(st.builds(found, st.sampled_from(sorted(RULES)), st.sampled_from(SEVERITIES)), max_size=30)


def test_a_paragraph_without_findings_is_flawless() -> None:
    assert rule_scores([]) == dict.fromkeys(DIMENSIONS, 1.0)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_an_error_fails_its_own_dimension_and_no_other(rule: str) -> None:
    scores, placed = rule_scores([found(rule)]), RULES[rule].dimension
    assert scores[placed] == 0.70 < THRESHOLDS[placed]
    assert all(scores[other] == 1.0 for other in DIMENSIONS if other != placed)


@pytest.mark.parametrize(
    ("findings", "grammar"),
    [
        ([found("spelling", "info")] * 9, 1.0),
        ([found("spelling", "warning")], 0.95),
        ([found("spelling", "warning")] * 2, 0.93),
        ([found("spelling", "warning")] * 40, 0.93),
        ([found("spelling", "warning"), found("agreement", "warning")], 0.90),
        ([found(rule, "warning") for rule in ("spelling", "agreement", "doubled_word", "sentence_case")], 0.85),
        ([found("spelling")] * 9, 0.70),
        ([found("spelling"), found("spelling", "warning")], 0.70),
        ([found("spelling"), found("agreement", "warning")], 0.65),
        ([found("spelling"), found("agreement"), found("doubled_word")], 0.60),
        ([found(rule) for rule, placed in RULES.items() if placed.dimension == "grammar"], 0.50),
        ([found("spelling", "critical"), found("agreement")], CRITICAL),
    ],
)
def test_the_formula(findings: list[Finding], grammar: float) -> None:
    assert rule_scores(findings)["grammar"] == grammar


@pytest.mark.parametrize("unjudged", [found(CRASHED_RULE), found("nobody_knows_it", "info"), found("spelling", "odd")])
def test_what_was_not_judged_has_no_score(unjudged: Finding) -> None:
    assert rule_scores([found("spelling", "warning"), unjudged]) == {}


@given(FINDINGS)
def test_errors_always_fail_and_warnings_never_do(findings: list[Finding]) -> None:
    for dimension, score in rule_scores(findings).items():
        severities = {f.severity for f in findings if RULES[f.rule].dimension == dimension}
        passes = score >= THRESHOLDS[dimension]  # type: ignore[index]
        assert passes == severities.isdisjoint({"critical", "error"})
        assert (score < HARD_FLOOR) == ("critical" in severities)


@given(FINDINGS, st.randoms())
def test_the_order_of_findings_does_not_matter(findings: list[Finding], random: object) -> None:
    shuffled = list(findings)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert rule_scores(shuffled) == rule_scores(findings)


@given(FINDINGS, FINDINGS)
def test_more_findings_never_raise_a_score(findings: list[Finding], more: list[Finding]) -> None:
    fewer, all_of_them = rule_scores(findings), rule_scores(findings + more)
    assert all(all_of_them[dimension] <= fewer[dimension] for dimension in DIMENSIONS)
