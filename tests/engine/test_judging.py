"""Judges: what a panel settles, and what it cannot."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnish.models.calls import Call
from burnish.models.scripted import Fault
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import (
    CLEAN,
    SAME,
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
NARROWER = "sore throat and sudden fever"


def panel(**says: object):  # type: ignore[no-untyped-def]
    """A model for every seat: each judge says what it is told, the corrector narrows the stem."""

    def answer(call: Call) -> object:
        if call.reply_name == "edit_reply":
            return edit(call.unit, STEM_WORDS, NARROWER)
        if call.reply_name == "answer_reply":
            return SOLVED
        if call.reply_name == "delta_reply":
            return SAME
        said = says.get(call.model.partition(":")[2], CLEAN)
        return CLEAN if said is not CLEAN and NARROWER in call.user else said

    return scripted(answer)


def judging(said: object):  # type: ignore[no-untyped-def]
    """A model that says the same of every question, and solves them all."""
    return scripted(lambda call: {"answer_reply": SOLVED, "delta_reply": SAME}.get(call.reply_name, said))


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
        ({"one": objection(STEM_WORDS)}, ("needs_manual_review", "judges_disagree")),
        ({"one": objection(STEM_WORDS), "two": objection(STEM_WORDS)}, ("validated", "attempt_2")),
        ({"one": "no JSON at all"}, ("validated", "attempt_1")),
        ({"one": "no JSON at all", "two": "{}"}, ("needs_manual_review", "judges_silent")),
        ({"one": "no JSON at all", "two": objection(STEM_WORDS)}, ("needs_manual_review", "judges_silent")),
        ({"one": objection("words that are not there")}, ("needs_manual_review", "judges_disagree")),
        (
            {"one": objection("words that are not there"), "two": objection(STEM_WORDS)},
            ("validated", "attempt_2"),
        ),
        ({"one": objection(STEM_WORDS), "two": OTHER_RULE}, ("needs_manual_review", "judges_disagree")),
        ({"one": taken_back(), "two": objection(STEM_WORDS)}, ("needs_manual_review", "judges_disagree")),
        ({"one": taken_back()}, ("validated", "attempt_1")),
        (
            {name: objection(STEM_WORDS, rule=AMBIGUOUS) for name in ("one", "two", "three")},
            ("validated", "attempt_2"),
        ),
        ({"one": objection(STEM_WORDS, rule="nbme_lead_in")}, ("validated", "attempt_1")),
    ],
    ids=[
        "all agree",
        "one objects: a person looks, nobody is outvoted",
        "two object: upheld and mended",
        "one abstains: two are enough",
        "two abstain: nothing is settled",
        "one abstains, one objects: unsettled",
        "one objects in words that are nowhere: a person looks",
        "two object, one of them in words that are nowhere: the other's place counts",
        "two object to different things: one content seat is no majority",
        "one takes its finding back, one objects: one content seat is no majority",
        "one takes its finding back: two are enough",
        "what all object to is an error, whatever the rule's severity",
        "a rule of style, raised by one, is a doubt",
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
    assert first.findings[0]["data"]["raised_by"] == ["model:scripted:one", "model:scripted:three"]
    assert second.scores == {"rules": 1.0, "panel": 1.0}
    assert len(first.calls) == 5, "three readers, two solvers"
    assert len(second.calls) == 7, "an edit, a reader of both versions, three readers, two solvers"


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


def test_an_open_objection_in_words_that_are_nowhere_is_shown_like_any_other(tmp_path: Path) -> None:
    says = {"one": objection("words that are not there")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    [shown] = findings(folder)
    assert shown["source"] == "model:scripted:one"
    assert "quotes words that are not in the question" in shown["message"]


def findings(folder: RunFolder) -> list[Mapping[str, Any]]:
    with journal_of(folder) as journal:
        return list(journal.attempts("q0")[0].findings)


def test_what_a_judge_says_under_a_rule_that_it_made_up_is_heard_as_other(tmp_path: Path) -> None:
    """It was set aside, and still cost the question half of its score."""
    says = {"one": objection(STEM_WORDS, rule="made_up")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    [shown] = findings(folder)
    assert (shown["rule"], shown["quote"], shown["severity"]) == ("other", STEM_WORDS, "warning")
    assert shown["message"] == "Two answers hold. (The judge calls it 'made_up'.)"
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}


@pytest.mark.parametrize("rule", ["made_up", "other", "stem_broken"])
def test_what_every_judge_says_without_a_rule_is_repaired(tmp_path: Path, rule: str) -> None:
    says = {name: objection(STEM_WORDS, rule=rule) for name in ("one", "two", "three")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert states(folder) == {"q0": ("validated", "attempt_2")}


def test_three_judges_with_an_objection_each_pass_nothing_and_all_are_shown(tmp_path: Path) -> None:
    """No objection has a majority, and no seat is content either."""
    says = {"one": objection(STEM_WORDS), "two": OTHER_RULE, "three": objection("Chest", "options.B", rule="other")}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", panel(**says), judges=PANEL)
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}
    with journal_of(folder) as journal:
        [first] = journal.attempts("q0")
    assert first.scores["panel"] == 0.0
    assert [(one["source"], one["severity"]) for one in first.findings] == [(f"model:{j}", "warning") for j in PANEL]
    assert all(one["data"]["held"] and one["data"]["seats"] == 3 for one in first.findings)


@pytest.mark.parametrize(("upheld", "state"), [(True, "validated"), (False, "needs_manual_review")])
def test_what_one_judge_objects_to_is_put_to_another(tmp_path: Path, upheld: bool, state: str) -> None:
    """Upheld, it is a majority and is repaired. Denied, it is not outvoted: a person sees both."""
    model = panel(one=objection(STEM_WORDS))
    asked: list[Call] = []

    def answer(call: Call) -> object:
        if call.reply_name == "question_review_reply" and "claim 1: " in call.user:
            asked.append(call)
            return {"reasoning": "r", "items": [{"id": "q0", "claims": [said], "violations": []}]}
        return model.answer(call)

    said = {"claim": "1", "upheld": upheld, "quote": STEM_WORDS}
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(answer), judges=PANEL)
    assert states(folder)["q0"][0] == state
    assert [call.model for call in asked] == ["scripted:two"]
    [shown] = findings(folder)
    if upheld:
        assert (shown["severity"], shown["data"]["raised_by"]) == ("error", [f"model:{one}" for one in PANEL[:2]])
    else:
        assert (shown["severity"], shown["data"]["denied_by"]) == ("warning", ["scripted:two"])


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
        ("stem", "words that are not there", AMBIGUOUS, "claims_unplaced"),
        ("stem", "words that are not there", "nbme_lead_in", "judges_disagree"),
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
        if call.reply_name == "delta_reply":
            return SAME
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
        if call.reply_name == "delta_reply":
            return SAME
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
    assert sorted(call.reply_name for call in model.asked) == ["answer_reply"] * 2 + ["question_review_reply"] * 3
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
        if call.reply_name == "delta_reply":
            return SAME
        reviews = sum(call.reply_name == "question_review_reply" for call in said)
        return "no JSON at all" if reviews == 1 else CLEAN

    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(answer), judges=PANEL[:1])
    assert states(folder) == {"q0": ("validated", "attempt_1")}
    with journal_of(folder) as journal:
        [attempt] = journal.attempts("q0")
        assert set(attempt.calls) == {call.key for call in said}
        assert attempt.usage.total_tokens == sum(call.usage.total_tokens for call in journal.calls())
    assert len(said) == 3
