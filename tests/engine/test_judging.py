"""Judges: what a panel settles, and what it cannot."""

from pathlib import Path

import pytest

from burnish.models.calls import Call
from burnish.models.scripted import Fault
from tests.engine.questions_bench import (
    CLEAN,
    SOLVED,
    causes,
    edit,
    journal_of,
    objection,
    questions_in,
    resume,
    run,
    scripted,
    sound,
    states,
    untidy,
    write_bank,
)

PANEL = ("scripted:one", "scripted:two", "scripted:three")
STEM_WORDS = "sore throat and fever"
NARROWER = "sore throat, fever and no cough"


def panel(**says: object):  # type: ignore[no-untyped-def]
    """A model for every seat: each judge says what it is told, the corrector narrows the stem."""

    def answer(call: Call) -> object:
        if call.reply_name == "edit_reply":
            return edit(call.unit, STEM_WORDS, NARROWER)
        if call.reply_name == "answer_reply":
            return SOLVED
        said = says.get(call.model.partition(":")[2], CLEAN)
        return CLEAN if said is not CLEAN and NARROWER in call.user else said

    return scripted(answer)


def judging(said: object):  # type: ignore[no-untyped-def]
    """A model that says the same of every question, and solves them all."""
    return scripted(lambda call: SOLVED if call.reply_name == "answer_reply" else said)


def taken_back() -> dict[str, object]:
    """A finding that refutes itself."""
    said = objection(STEM_WORDS)
    said["violations"][0]["message"] = "Two answers may hold. On reflection, this is fine."
    return said


MULTIPLE = "nbme_distractor_plausibility"
AMBIGUOUS = "nbme_ambiguous_information"
OTHER_RULE = objection("Throat biopsy", "options.D", "nbme_multiple_correct")


@pytest.mark.parametrize(
    ("says", "state"),
    [
        ({}, ("validated", "attempt_1")),
        ({"one": objection(STEM_WORDS)}, ("validated", "attempt_1")),
        ({"one": objection(STEM_WORDS), "two": objection(STEM_WORDS)}, ("validated", "attempt_2")),
        ({"one": "no JSON at all"}, ("validated", "attempt_1")),
        ({"one": "no JSON at all", "two": "{}"}, ("needs_manual_review", "judges_silent")),
        ({"one": "no JSON at all", "two": objection(STEM_WORDS)}, ("needs_manual_review", "judges_silent")),
        ({"one": objection("words that are not there")}, ("validated", "attempt_1")),
        (
            {"one": objection("words that are not there"), "two": objection(STEM_WORDS)},
            ("needs_manual_review", "claims_unplaced"),
        ),
        ({"one": objection(STEM_WORDS), "two": OTHER_RULE}, ("needs_manual_review", "judges_disagree")),
        ({"one": taken_back(), "two": objection(STEM_WORDS)}, ("needs_manual_review", "judges_disagree")),
        ({"one": taken_back()}, ("validated", "attempt_1")),
        (
            {name: objection(STEM_WORDS, rule=AMBIGUOUS) for name in ("one", "two", "three")},
            ("validated", "attempt_1"),
        ),
    ],
    ids=[
        "all agree",
        "one objects: no majority",
        "two object: upheld and mended",
        "one abstains: two are enough",
        "two abstain: nothing is settled",
        "one abstains, one objects: unsettled",
        "one objects without ground: two are enough",
        "two object, one of them in words that are nowhere: a person sees it",
        "two object to different things: one content seat is no majority",
        "one takes its finding back, one objects: one content seat is no majority",
        "one takes its finding back: two are enough",
        "a warning blocks nothing",
    ],
)
def test_a_panel_of_three(tmp_path: Path, says: dict[str, object], state: tuple[str, str]) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert states(folder) == {"q0": state}


def test_an_upheld_objection_is_mended_in_the_field_that_it_names(tmp_path: Path) -> None:
    says = {"one": objection(STEM_WORDS), "three": objection(STEM_WORDS)}
    folder, result = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert causes(folder, "q0") == ["source", "model"]
    assert NARROWER in questions_in(Path(result.published[0].path))["q0"]["stem"]
    with journal_of(folder) as journal:
        first, second = journal.attempts("q0")
    assert first.scores == {"rules": 32 / 33, "panel": 1 / 3}
    assert [finding["source"] for finding in first.findings] == ["model:scripted:one"]
    assert second.scores == {"rules": 1.0, "panel": 1.0, "key": 1.0}, "another word of negation: the key was checked"
    assert len(first.calls) == 6
    assert len(second.calls) == 7


def test_an_error_in_words_that_are_nowhere_is_asked_for_once_more_and_then_shown(tmp_path: Path) -> None:
    model = judging(objection("words that are not there"))
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=("scripted:one",))
    assert [call.reply_name for call in model.asked].count("question_review_reply") == 2
    assert states(folder) == {"q0": ("needs_manual_review", "claims_unplaced")}
    with journal_of(folder) as journal:
        [attempt] = journal.attempts("q0")
        assert list(journal.events(types=("finding_dropped",))) == []
    [shown] = attempt.findings
    assert (shown["severity"], shown["field"]) == ("error", None)
    assert shown["message"] == (
        "Two answers hold. (The judge quotes words that are not in the question: 'words that are not there'.)"
    )
    assert len(attempt.calls) == 3, "two reviews and a blind answer"


def test_a_judge_that_quotes_rightly_when_asked_again_is_heard(tmp_path: Path) -> None:
    said: list[object] = [objection("words that are not there"), objection(STEM_WORDS)]
    model = scripted(lambda call: SOLVED if call.reply_name == "answer_reply" else said.pop(0) if said else CLEAN)
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=("scripted:one",))
    with journal_of(folder) as journal:
        [shown] = journal.attempts("q0")[0].findings
    assert (shown["field"], shown["quote"]) == ("stem", STEM_WORDS)


def test_an_outvoted_error_in_words_that_are_nowhere_is_told_like_any_other(tmp_path: Path) -> None:
    says = {"one": objection("words that are not there")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    with journal_of(folder) as journal:
        [dropped] = journal.events(types=("finding_dropped",))
    assert dropped.data["reason"] == "outvoted"
    assert dropped.data["source"] == "model:scripted:one"


def test_what_a_judge_says_under_a_rule_that_it_made_up_is_kept_with_the_reason(tmp_path: Path) -> None:
    says = {"one": objection(STEM_WORDS, rule="made_up")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    with journal_of(folder) as journal:
        [dropped] = journal.events(types=("finding_dropped",))
    assert (dropped.data["reason"], dropped.data["source"]) == ("outvoted", "model:scripted:one")
    assert dropped.data["finding"]["rule"] == "other"


def test_three_judges_with_an_objection_each_pass_nothing_and_all_are_kept(tmp_path: Path) -> None:
    """No rule has a majority, and no seat is content either."""
    says = {"one": objection(STEM_WORDS), "two": OTHER_RULE, "three": objection(STEM_WORDS, rule=AMBIGUOUS)}
    check = {"severity": {AMBIGUOUS: "error"}}
    bank = write_bank(tmp_path, [sound(0)])
    folder, _ = run(bank, tmp_path / "runs", panel(**says), judges=PANEL, check=check)
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}
    with journal_of(folder) as journal:
        [first] = journal.attempts("q0")
        outvoted = list(journal.events(unit="q0", types=("finding_dropped",)))
    assert first.scores["panel"] == 0.0
    assert first.findings == ()
    assert [(event.data["reason"], event.data["attempt"]) for event in outvoted] == [("outvoted", 1)] * 3
    assert {event.data["source"] for event in outvoted} == {f"model:{judge}" for judge in PANEL}
    assert outvoted[0].data["finding"]["message"] == "Two answers hold."


def test_an_outvoted_objection_is_kept_although_the_draft_passes(tmp_path: Path) -> None:
    says = {"two": objection(STEM_WORDS)}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert states(folder) == {"q0": ("validated", "attempt_1")}
    with journal_of(folder) as journal:
        [outvoted] = journal.events(types=("finding_dropped",))
    assert (outvoted.data["reason"], outvoted.data["source"]) == ("outvoted", "model:scripted:two")


def test_the_words_of_other_judges_for_what_is_upheld_are_kept_too(tmp_path: Path) -> None:
    says = {"one": objection(STEM_WORDS), "two": objection("Throat biopsy", "options.D")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    with journal_of(folder) as journal:
        [other] = journal.events(types=("finding_dropped",))
    assert (other.data["reason"], other.data["source"]) == ("duplicate", "model:scripted:two")


def test_a_lone_judge_that_takes_its_finding_back_lets_nothing_pass(tmp_path: Path) -> None:
    model = judging(taken_back())
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=("scripted:one",))
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}


@pytest.mark.parametrize(
    ("field", "quote", "rule", "reason"),
    [
        ("stem", "words that are not there", MULTIPLE, "claims_unplaced"),
        ("stem", "", MULTIPLE, "claims_unplaced"),
        ("options.B", "chest radiograph", MULTIPLE, "claims_unplaced"),
        ("no such field", "a", MULTIPLE, "claims_unplaced"),
        ("stem", "words that are not there", AMBIGUOUS, "judges_disagree"),
    ],
)
def test_judges_whose_objections_do_not_hold_pass_nothing(
    tmp_path: Path, field: str, quote: str, rule: str, reason: str
) -> None:
    """They said that something is wrong. That it cannot be used does not make them content."""
    model = judging(objection(quote, field, rule))
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=PANEL)
    assert states(folder) == {"q0": ("needs_manual_review", reason)}
    with journal_of(folder) as journal:
        assert [attempt.scores["panel"] for attempt in journal.attempts("q0")] == [0.0]


@pytest.mark.parametrize("field", ["options", None, "B", "options.B", "stem"])
def test_an_objection_is_upheld_however_its_field_is_called(tmp_path: Path, field: str | None) -> None:
    def answer(call: Call) -> object:
        if call.reply_name == "edit_reply":
            return edit(call.unit, "Chest radiograph", "Barium swallow", "options.B")
        if call.reply_name == "answer_reply":
            return SOLVED
        return objection("Chest radiograph", field) if "Chest radiograph" in call.user else CLEAN

    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(answer), judges=PANEL)
    assert states(folder) == {"q0": ("validated", "attempt_2")}
    with journal_of(folder) as journal:
        [found] = journal.attempts("q0")[0].findings
    assert (found["field"], found["start"]) == ("options.B", 0)


def test_a_list_may_be_what_is_wrong(tmp_path: Path) -> None:
    """Words that stand in several options: the finding is about all of them."""

    def answer(call: Call) -> object:
        if call.reply_name == "answer_reply":
            return SOLVED
        return {"reasoning": "", "edits": []} if call.reply_name == "edit_reply" else objection("t", "options")

    model = scripted(answer)
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=PANEL)
    with journal_of(folder) as journal:
        [found] = journal.attempts("q0")[0].findings
    assert (found["field"], found["quote"], found["start"]) == ("options", "t", None)


def test_a_held_warning_does_not_make_a_lost_error_good(tmp_path: Path) -> None:
    said = objection(STEM_WORDS, rule=AMBIGUOUS)
    said["violations"] += objection("words that are not there")["violations"]
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", judging(said), judges=PANEL)
    assert states(folder) == {"q0": ("needs_manual_review", "claims_unplaced")}


def test_an_ignored_rule_is_not_heard(tmp_path: Path) -> None:
    says = {name: objection(STEM_WORDS) for name in ("one", "two", "three")}
    bank = write_bank(tmp_path, [sound(0, burnish_ignore=["nbme_distractor_plausibility"])])
    model = panel(**says)
    folder, _ = run(bank, tmp_path / "runs", model, judges=PANEL)
    assert states(folder) == {"q0": ("validated", "attempt_1")}


def test_judges_that_were_away_are_asked_again_by_resume(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1)])
    folder, first = run(bank, tmp_path / "runs", scripted(lambda call: Fault(status=503)))
    assert first.outcome.stopped == "model_away"
    assert set(states(folder).values()) == {("draft", None)}
    result = resume(folder, scripted())
    assert result.outcome.stopped == "done"
    assert causes(folder, "q0") == ["source"]
    assert Path(result.published[0].path).read_bytes() == bank.read_bytes()
    assert result.published[0].changed == ()


def test_a_safe_fix_is_judged_like_every_draft(tmp_path: Path) -> None:
    model = panel()
    folder, _ = run(write_bank(tmp_path, [untidy(0)]), tmp_path / "runs", model, judges=PANEL)
    assert causes(folder, "q0") == ["source", "safe_fix"]
    assert sorted(call.reply_name for call in model.asked) == ["answer_reply"] * 3 + ["question_review_reply"] * 3
    assert all("A woman" in call.user for call in model.asked), "only the fixed draft is judged, not what it replaces"
    with journal_of(folder) as journal:
        source, fixed = journal.attempts("q0")
    assert (source.passed, source.calls, "panel" in source.scores) == (False, (), False)
    assert fixed.passed


def test_what_judges_find_in_a_fixed_draft_is_repaired_from_there(tmp_path: Path) -> None:
    says = {name: objection(STEM_WORDS) for name in ("one", "two", "three")}
    folder, result = run(write_bank(tmp_path, [untidy(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert causes(folder, "q0") == ["source", "safe_fix", "model"]
    assert states(folder) == {"q0": ("validated", "attempt_3")}
    stem = questions_in(Path(result.published[0].path))["q0"]["stem"]
    assert NARROWER in stem and "  " not in stem


def test_a_judge_that_slips_once_is_asked_once_more(tmp_path: Path) -> None:
    said: list[Call] = []

    def answer(call: Call) -> object:
        said.append(call)
        if call.reply_name == "answer_reply":
            return SOLVED
        reviews = sum(call.reply_name == "question_review_reply" for call in said)
        return "no JSON at all" if reviews == 1 else CLEAN

    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(answer), judges=PANEL[:1])
    assert states(folder) == {"q0": ("validated", "attempt_1")}
    with journal_of(folder) as journal:
        [attempt] = journal.attempts("q0")
        assert set(attempt.calls) == {call.key for call in said}
        assert attempt.usage.total_tokens == sum(call.usage.total_tokens for call in journal.calls())
    assert len(said) == 3
