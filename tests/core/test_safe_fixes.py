"""Safe fixes of one unit: together where that works, else one by one, and never one that makes anything worse."""

from collections.abc import Callable

from burnish.core.checks import MOST_FIXES, Examination, SafeFixes, apply_safe_fixes
from burnish.core.documents import Unit
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from tests.core.units import PlainUnit

Rule = tuple[str, str, str | None, str]
"""Word -> rule, replacement (None: no fix) and severity: a unit that holds the word has the finding."""


def examiner(*rules: Rule) -> Callable[[Unit], Examination]:
    def examine(unit: Unit) -> Examination:
        text = unit.texts()["stem"]
        return Examination(tuple(_found(rule, unit) for rule in rules if rule[0] in text))

    return examine


def _found(rule: Rule, unit: Unit) -> Finding:
    word, name, replacement, severity = rule
    fix = None if replacement is None else Edit(unit.id, "stem", word, replacement)
    return Finding(name, severity, unit.id, "stem", f"It says {word}.", fix=fix)  # type: ignore[arg-type]


def mended(text: str, *rules: Rule) -> tuple[SafeFixes, int]:
    """What became of a text, and how often it was examined after the first time."""
    looks: list[Unit] = []
    examine = examiner(*rules)

    def counted(unit: Unit) -> Examination:
        looks.append(unit)
        return examine(unit)

    unit = PlainUnit.of(stem=text)
    return apply_safe_fixes(unit, examine(unit), counted), len(looks)


TEH, ADN = ("teh", "spelling_the", "the", "error"), ("adn", "spelling_and", "and", "warning")


def test_several_fixes_are_made_at_once() -> None:
    fixes, looks = mended("teh cat adn the dog", TEH, ADN)
    assert fixes.unit.texts()["stem"] == "the cat and the dog"
    assert [finding.rule for finding in fixes.settled] == ["spelling_the", "spelling_and"]
    assert [edit.find for edit in fixes.edits] == ["teh", "adn"]
    assert (looks, fixes.examination.findings, fixes.refused) == (1, (), {})


def test_fixes_are_made_from_the_end_so_that_one_does_not_move_the_words_of_another() -> None:
    fixes, looks = mended("x y w, and more", ("x y", "first", "x z", "error"), ("y w", "second", "y v", "error"))
    assert fixes.unit.texts()["stem"] == "x z v, and more"
    assert (len(fixes.settled), looks) == (2, 1)


def test_where_one_of_them_settles_nothing_only_the_others_are_made() -> None:
    fixes, _ = mended("teh endless loop", TEH, ("loop", "useless", "loop ", "info"))
    assert fixes.unit.texts()["stem"] == "the endless loop"
    assert [finding.rule for finding in fixes.settled] == ["spelling_the"]
    [(finding, why)] = fixes.refused.values()
    assert (finding.rule, why) == ("useless", "It would settle nothing.")


def test_a_fix_that_raises_another_finding_is_refused_though_it_settles_two() -> None:
    rules = (("quiet now", "hushed", "LOUD", "error"), ("quiet", "quiet", None, "warning"))
    fixes, _ = mended("be quiet now please", *rules, ("LOUD", "shout", None, "info"))
    assert fixes.unit.texts()["stem"] == "be quiet now please" and not fixes.settled
    [(_, why)] = fixes.refused.values()
    assert why == "It would raise shout in stem."


def test_a_fix_that_makes_an_error_of_a_warning_is_refused() -> None:
    soft = ("soft word", "tone", "hard word", "warning")
    fixes, _ = mended("a soft word here", soft, ("soft", "mild", None, "info"), ("hard", "tone", None, "error"))
    [(_, why)] = fixes.refused.values()
    assert (why, fixes.settled) == ("It would raise a warning to an error.", [])


def test_a_fix_that_the_edit_refuses_is_told_with_the_reason() -> None:
    fixes, looks = mended("teh cat and teh dog", TEH)
    [(finding, why)] = fixes.refused.values()
    assert finding.rule == "spelling_the" and "occur more than once" in why
    assert (looks, fixes.settled) == (0, [])


def test_what_code_takes_away_may_be_nearly_all_but_not_all() -> None:
    fixes, _ = mended("x" * 90 + " end", ("x" * 90, "padding", "", "error"))
    assert fixes.unit.texts()["stem"] == " end"
    fixes, _ = mended("x" * 90, ("x" * 90, "padding", "", "error"))
    assert fixes.unit.texts()["stem"] == "x" * 90 and fixes.refused


def test_fixes_that_never_end_are_ended() -> None:
    def examine(unit: Unit) -> Examination:
        """A fix makes the text longer by one; each settles one of many findings."""
        text = unit.texts()["stem"]
        fix = Edit(unit.id, "stem", text, f"{text}x")
        left = range(len(text), 3 * MOST_FIXES)
        return Examination(tuple(Finding(f"r{n}", "info", unit.id, "stem", "Odd.", fix=fix) for n in left))

    unit = PlainUnit.of(stem="x")
    assert len(apply_safe_fixes(unit, examine(unit), examine).settled) == MOST_FIXES
