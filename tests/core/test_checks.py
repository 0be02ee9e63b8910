"""Checks: chosen by id, run without a hole, graded by their rule."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from burnish.core.checks import (
    HEADINGS,
    Check,
    Examination,
    check,
    discover,
    in_words,
    run_checks,
    run_checks_on_all,
    select,
    unknown_ignore,
)
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


def documented(doc: str) -> Check:
    return Check("r", "Title", "error", (), False, (), (), lambda unit: [], False, doc)


DOC = """r: finds: what nobody wants.

Nothing of this is shown.

What it looks for: one thing
  and another, Fix: not this.

Why it matters: it does.
Fix: safe: it is removed.

    Fix this too.
"""


def test_the_summary_is_the_first_line_behind_the_id() -> None:
    assert documented(DOC).summary == "finds: what nobody wants."
    assert documented("no id").summary == ""


def test_each_section_of_the_documentation_ends_where_the_next_begins() -> None:
    sections = [documented(DOC).section(heading) for heading in HEADINGS]
    assert sections == [
        "one thing and another, Fix: not this.",
        "it does.",
        "safe: it is removed. Fix this too.",
    ]
    assert documented("r: no more.").section("Fix") == ""


def test_a_rule_has_the_title_that_it_was_given_or_its_id_in_words() -> None:
    named = check(id="broken_link", title="A link", severity="info", bad=[], good=[])(lambda unit: [])
    unnamed = check(id="broken_link", severity="info", bad=[], good=[])(lambda unit: [])
    assert (named.title, unnamed.title, in_words("broken_link")) == ("A link", "Broken link", "Broken link")
    assert not named.fatal and named.scope == "unit" and not named.wants_context


def test_a_rule_that_nobody_knows_is_named_in_short_with_its_neighbour() -> None:
    known = ["broken_link", "heading_jump"]
    message, hint = unknown_ignore("broken_lnk", known)
    assert "'broken_lnk'" in message and "`broken_link`" in hint
    message, hint = unknown_ignore("x" * 5000, known)
    assert len(message) < 200 and "burnish rules" in hint


def test_a_crash_in_one_unit_hides_neither_the_next_unit_nor_the_next_rule() -> None:
    @check(id="long_only", severity="error", bad=[], good=[])
    def long_only(unit: PlainUnit) -> Iterator[Finding]:
        if unit.id == "bad":
            raise ValueError("oh")
        yield Finding.at(unit, message="m")

    units = [PlainUnit.of("good", stem="Some"), PlainUnit.of("bad", stem="Some"), PlainUnit.of("fine", stem="Some")]
    selection = select([long_only, rule("r")])
    found = run_checks_on_all(selection, selection.checks, units)
    assert [[(f.unit, f.rule) for f in each] for each in found] == [
        [("good", "long_only"), ("good", "r")],
        [("bad", CRASHED_RULE), ("bad", "r")],
        [("fine", "long_only"), ("fine", "r")],
    ]


def test_a_rule_that_wants_the_context_gets_it_and_no_other_does() -> None:
    @check(id="wants", severity="error", bad=[], good=[])
    def wants(unit: PlainUnit, context: object) -> Iterator[Finding]:
        yield Finding.at(unit, message=f"of {context}")

    selection = select([wants, rule("r")])
    assert [f.message for f in run_checks(selection, selection.checks, UNIT, context="bank")] == ["m", "of bank"]


def test_settings_raise_a_rule_but_not_what_it_says_softly() -> None:
    for said, heard in (("warning", "error"), ("info", "info")):
        selection = select([rule("r", "warning", said)], severities={"r": "error"})
        assert [f.severity for f in run_checks(selection, selection.checks, UNIT)] == [heard]


def test_an_examination_records_all_but_its_findings_and_nothing_that_it_does_not_have() -> None:
    [ignored] = run_checks(select([rule("r")]), [rule("r")], UNIT)
    bare = Examination(()).as_record()
    assert bare == {"ignored": [], "skipped": [], "applied": 0, "escalated_fields": [], "language": None}
    full = Examination(
        (), (ignored,), ("s",), 3, ("stem",), "fr", unjudged={"clarity": "no rule"}, measured={"fit": 2}
    ).as_record()
    assert full == {
        "ignored": [ignored.as_record()],
        "skipped": ["s"],
        "applied": 3,
        "escalated_fields": ["stem"],
        "language": "fr",
        "unjudged": {"clarity": "no rule"},
        "measured": {"fit": 2},
    }


def test_a_folder_of_rules_has_one_rule_for_each_file_in_the_order_of_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from tests.core.test_checks import rule\n"
    monkeypatch.syspath_prepend(tmp_path)

    def package(name: str, **files: str) -> ModuleType:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        for file, text in files.items():
            (tmp_path / name / f"{file}.py").write_text(code + text)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    assert [one.id for one in discover(package("sound_rules", x="r = rule('b')", y="r = rule('a')"))] == ["a", "b"]
    for name, second in (("none_rules", ""), ("two_rules", "r = rule('b'); s = rule('c')"), ("same", "r = rule('a')")):
        with pytest.raises(UsageError, match="exactly one check"):
            discover(package(name, x="r = rule('a')", y=second))


def test_languages_that_were_looked_up_make_no_other_selection() -> None:
    rules = [rule("a")]
    known, fresh = select(rules), select(rules)
    known.for_language("en")
    assert known == fresh
