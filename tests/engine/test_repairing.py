"""Safe fixes: each is tried on its own."""

from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.engine.repairing import apply_safe_fixes
from burnish.kinds.questions.model import Question
from tests.engine.questions_bench import sound

UNIT = Question.model_validate(sound(0))


def finding(find: str | None, replace: str = "") -> Finding:
    fix = Edit("q0", "stem", find, replace) if find is not None else None
    return Finding("r", "warning", "q0", "stem", "m", fix=fix)


def test_fixes_that_still_apply_are_applied() -> None:
    fixed, edits = apply_safe_fixes(UNIT, [finding("woman", "man"), finding(None), finding("two days", "a week")])
    assert "A man has had" in fixed.texts()["stem"]
    assert "for a week" in fixed.texts()["stem"]
    assert len(edits) == 2


def test_a_fix_whose_ground_another_took_away_is_passed_over() -> None:
    fixed, edits = apply_safe_fixes(UNIT, [finding("A woman", "A man"), finding("woman has", "lady has")])
    assert "A man has had" in fixed.texts()["stem"]
    assert len(edits) == 1
