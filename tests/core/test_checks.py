"""Checks: chosen by id, run without a hole, graded by their rule."""

from collections.abc import Iterator

import pytest

from burnish.core.checks import Check, check, run_checks, select
from burnish.core.errors import UsageError
from burnish.core.findings import CRASHED_RULE, Finding
from tests.core.units import PlainUnit

UNIT = PlainUnit.of(stem="Some text.")


def rule(id: str, severity: str = "error", said: str = "error", languages: tuple[str, ...] = ()) -> Check:
    @check(id=id, severity=severity, languages=languages, bad=[{}], good=[{}])  # type: ignore[arg-type]
    def speaks(unit: PlainUnit) -> Iterator[Finding]:
        yield Finding.at(unit, field="stem", span=(0, 4), message="m", severity=said)  # type: ignore[arg-type]

    return speaks


def crashing() -> Check:
    @check(id="crashes", severity="warning", bad=[{}], good=[{}])
    def crashes(unit: PlainUnit, context: object) -> Iterator[Finding]:
        raise ZeroDivisionError("oh")
        yield

    return crashes


@pytest.mark.parametrize(
    ("severity", "said", "heard"),
    [
        ("error", "error", "error"),
        ("error", "warning", "warning"),
        ("warning", "error", "warning"),
        ("warning", "info", "info"),
        ("info", "warning", "info"),
        ("critical", "error", "error"),
    ],
)
def test_a_rule_may_speak_more_softly_but_never_more_loudly(severity: str, said: str, heard: str) -> None:
    selection = select([rule("r", severity, said)])
    [found] = run_checks(selection, selection.checks, UNIT)
    assert (found.rule, found.severity, found.quote) == ("r", heard, "Some")


def test_a_crash_is_a_finding_and_hides_no_other_rule() -> None:
    selection = select([crashing(), rule("r")])
    found = run_checks(selection, selection.checks, UNIT, context=None)
    assert [f.rule for f in found] == [CRASHED_RULE, "r"]
    assert found[0].blocks and "crashes" in found[0].message


def test_choosing() -> None:
    rules = [rule("a"), rule("b"), rule("c")]
    assert [c.id for c in select(rules).checks] == ["a", "b", "c"]
    assert [c.id for c in select(rules, enabled=["c", "a"], disabled=["a"]).checks] == ["c"]
    graded = select(rules, severities={"a": "info"})
    assert [graded.severity(c) for c in graded.checks] == ["info", "error", "error"]
    with pytest.raises(UsageError, match="no rule 'x'"):
        select(rules, enabled=["x"])


def test_a_language_that_a_rule_cannot_judge_is_named() -> None:
    selection = select([rule("any"), rule("english", languages=("en",))])
    for _ in range(2):
        able, skipped = selection.for_language("fr")
        assert ([c.id for c in able], skipped) == (["any"], ("english",))
    assert len(selection.for_language("en")[0]) == 2
    assert selection.for_language(None)[1] == ("english",)
