"""The bench itself: its sound questions are sound, and each flaw is the one it is meant to be."""

import pytest

from burnish.questions import validate
from tests.engine.questions_bench import TOPICS, biased, filled, sound, untidy


@pytest.mark.parametrize("number", range(len(TOPICS)))
def test_each_question_has_the_flaw_that_it_should_have(number: int) -> None:
    assert validate(sound(number), profile="strict").violations == ()
    for spoilt, rule in ((biased, "ext_bias_detection"), (filled, "nbme_distractor_plausibility")):
        result = validate(spoilt(number))
        assert [v.ruleId for v in result.violations if v.severity == "error"] == [rule]
    [found] = validate(untidy(number)).violations
    assert (found.ruleId, found.severity) == ("ext_formatting", "warning")
