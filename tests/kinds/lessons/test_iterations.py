"""Stages 3 to 5: what is planned, what stands, what is rolled back, and why it stops."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from burnish.core.effects import ModelRequest
from burnish.core.presentation import Remark
from burnish.core.records import Usage
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.policy import RefinementLimits
from burnish.kinds.lessons.views import describe
from tests.kinds.lessons.work_driver import ROLES, THREE, Performance, Stage
from tests.lessons_model import (
    BOILS,
    CONDENSATION,
    DRY,
    DULL,
    EVAPORATION,
    PRECIPITATION,
    SOUND,
    VAGUE,
    WRONG_YEAR,
    Character,
    Defect,
    Question,
    World,
    edits,
    issue,
    lesson,
)


def world(**changes: Any) -> World:
    """Judges whose lesson without a defect stands exactly on the line of `semi-auto`."""
    return World(**{"base": 0.9, **changes})


def test_a_good_lesson_is_accepted_at_once_and_nothing_is_repaired() -> None:
    done = Stage().perform(lesson())
    assert done.ending.status == "accepted"
    assert done.types == ["self_reviewed", "judged", "refinement_start", "refinement_complete"]
    assert {request.ask.role for request in done.requests} == {"judge"}
    assert done.waiting == []


def test_a_minor_revision_takes_one_edit_and_judges_only_what_changed() -> None:
    done = Stage(world()).perform(lesson(BOILS))
    assert done.data("refinement_start")["recommendation"] == "ACCEPT_WITH_MINOR_REVISION"
    assert done.ending.status == "accepted"
    assert done.text("evaporation") == EVAPORATION.format(**SOUND)
    judged = [request.ask.reply for request in done.asked("judge")]
    assert judged.count("judge_reply") == 4, "two judges, one window, twice"
    assert judged.count("lesson_judge_reply") == 4, "at first, and once more before it is accepted"
    assert done.data("patch_applied")["edits"] == [{"find": BOILS.bad, "replace": BOILS.good, "field": None}]


def test_an_edit_in_one_section_has_one_window_judged_again() -> None:
    long = {name: "\n\n".join([text.format(**SOUND)] * 8) for name, text in LONG.items()}
    bad = long["evaporation"].replace(BOILS.good, BOILS.bad, 1)
    done = Stage(world(base=0.89)).perform(lesson(**{**long, "evaporation": bad}))
    shown = [
        request.ask.untrusted["text"] for request in done.asked("judge", "judge-a") if "beside" in request.ask.untrusted
    ]
    first, again = shown[: len(set(shown)) - 1], shown[len(set(shown)) - 1 :]
    assert len(first) > 1 and len(again) == 1
    assert "unit: evaporation" in again[0] and BOILS.bad not in again[0]
    wholes = [request for request in done.asked("judge") if request.ask.reply == "lesson_judge_reply"]
    assert done.ending.status == "accepted_warning"
    assert len(wholes) == 4, "clarity is no matter of the whole: it is read again only before it is accepted"


LONG = {"evaporation": EVAPORATION, "condensation": CONDENSATION, "precipitation": PRECIPITATION}


def test_a_lesson_that_its_judges_think_less_of_as_a_whole_after_its_repair_stays_as_it_was() -> None:
    def sours(question: Question) -> object:
        if question.reply != "lesson_judge_reply" or BOILS.bad in question.parts["text"]:
            return None
        said = World(base=0.9)._judge_whole(question, "honest")
        return {**said, "criteria": dict.fromkeys(said["criteria"], 0.76)}

    done = Stage(world(override=sours)).perform(lesson(BOILS))
    assert done.data("iteration_complete")["endScore"] < 0.85
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad}), (
        "the earlier version is best"
    )
    assert done.ending.status == "accepted_warning"


def test_the_score_after_an_iteration_is_the_judges_not_an_estimate() -> None:
    done = Stage(world()).perform(lesson(BOILS))
    over = done.data("iteration_complete")
    assert over["startScore"] < 0.9 == over["endScore"]
    assert over["clevResult"]["aggregatedScore"] == over["endScore"]


def test_what_was_paid_is_told_once() -> None:
    done = Stage(world(), sources=True).perform(lesson(BOILS, VAGUE, WRONG_YEAR, DRY))
    repairs = [a for r, a in zip(done.requests, done.answers, strict=True) if r.ask.role in ("patcher", "delta_judge")]
    assert done.refinement["tokensUsed"] == sum(a.usage.total_tokens for a in repairs), "judging is not in it"
    drafts = [draft for drafts in done.drafts.values() for draft in drafts]
    seams = [r for r in done.asked("delta_judge") if "follow on the first" in r.ask.untrusted["issues"]]
    assert sum(draft.usage.total_tokens for draft in drafts) == 120 * (len(repairs) - len(seams))


def test_a_regression_is_rolled_back_byte_for_byte_and_the_section_locked() -> None:
    done = Stage(world(characters={"patcher": "spoiling"}), mode="full-auto").perform(lesson(BOILS, DRY))
    # full-auto accepts this at once: the line is lower
    assert done.ending.status == "accepted"
    done = Stage(world(characters={"patcher": "spoiling"})).perform(lesson(BOILS))
    triggered = done.data("quality_lock_triggered")
    assert (triggered["criterion"], triggered["sectionId"]) == ("engagement_examples", "evaporation")
    assert triggered["lockedScore"] == 0.9
    assert [(event.unit, event.data["reason"]) for event in done.of("section_locked")] == [
        ("evaporation", "regression")
    ]
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})
    source = done.drafts["evaporation"][0].unit
    stands = done.drafts["evaporation"][done.rests["evaporation"].attempt - 1].unit
    assert stands.content_hash == source.content_hash
    spoilt = [draft for draft in done.drafts["evaporation"] if DULL in _text(draft.unit)]
    assert spoilt, "what was tried is kept in the history"
    assert done.refinement["stopReason"] == "stop_all_sections_locked"


def _text(unit: object) -> str:
    assert isinstance(unit, LessonUnit)
    return unit.text


def test_an_edit_that_spoils_the_whole_is_rolled_back_too() -> None:
    """A criterion of the whole is locked like any other."""
    complaint = {**issue(BOILS, "evaporation"), "criterion": "learning_objective_alignment", "severity": "minor"}

    def whole(question: Question) -> object:
        if question.reply != "lesson_judge_reply":
            return None
        mended = BOILS.bad not in question.parts["text"]
        scores = dict.fromkeys(("learning_objective_alignment", "pedagogical_structure", "completeness"), 0.86)
        scores["pedagogical_structure"] = 0.78 if mended else 0.86
        issues = [] if mended else [complaint]
        return _whole(question, scores, issues)

    shown = "Where it is warm enough, {boils}. " + EVAPORATION.replace("Where it is warm enough, {boils}. ", "")
    text = shown.format(boils=BOILS.bad)
    done = Stage(world(defects=(BOILS,), base=0.9, override=whole)).perform(lesson(evaporation=text))
    assert done.data("quality_lock_triggered")["criterion"] == "pedagogical_structure"
    assert done.text("evaporation") == text
    assert done.refinement["lockedSections"] == {"evaporation": "regression"}


def _whole(question: Question, scores: Mapping[str, float], issues: list[Any]) -> dict[str, Any]:
    said = World()._judge_whole(question, "honest")
    return {**said, "criteria": dict(scores), "issues": issues}


UP = Defect("a first weak example", "a second weak example", "engagement_examples", "minor", 0.45)
DOWN = Defect("a second weak example", "a third weak example", "engagement_examples", "minor", 0.35)
LOW = Defect("a third weak example", "a fourth weak example", "engagement_examples", "minor", 0.40)


def test_a_section_that_goes_up_and_down_is_locked_for_oscillation() -> None:
    text = EVAPORATION.format(**SOUND).replace("the same thing", UP.bad)
    done = Stage(world(defects=(UP, DOWN, LOW))).perform(lesson(evaporation=text))
    assert [(event.unit, event.data["reason"]) for event in done.of("section_locked")] == [
        ("evaporation", "oscillation")
    ]
    assert done.refinement["stopReason"] == "stop_all_sections_locked"
    assert DOWN.bad in done.text("evaporation"), "the best version is delivered, not the last"
    assert done.refinement["iteration"] == 0


def test_no_progress_twice_in_a_row_is_convergence() -> None:
    done = Stage(world(base=0.86, characters={"patcher": "disobedient"})).perform(lesson(BOILS))
    assert done.refinement["stopReason"] == "stop_converged"
    assert done.refinement["iterations"] == 2
    assert done.types.count("convergence_detected") == 1
    assert done.ending.status == "escalated"
    assert done.waiting == ["evaporation"]


def test_whoever_tries_again_is_told_why_the_last_answer_was_not_used() -> None:
    done = Stage(world(base=0.86, characters={"patcher": "disobedient"})).perform(lesson(BOILS))
    asks = [request.ask.trusted["history"] for request in done.asked("patcher")]
    assert asks[0] == ""
    assert all("are not in this field" in history for history in asks[1:])


def test_the_same_question_is_on_no_bill_twice() -> None:
    done = Stage(world(base=0.86, characters={"patcher": "disobedient"})).perform(lesson(BOILS))
    asked = [answer.calls for request, answer in zip(done.requests, done.answers, strict=True)]
    unique = set(asked)
    repairs = {a.calls for r, a in zip(done.requests, done.answers, strict=True) if r.ask.role != "judge"}
    assert len(asked) > len(unique), "the second iteration asks what the first asked last"
    assert done.refinement["tokensUsed"] == 120 * len(repairs)


def test_the_token_budget_stops_between_iterations_and_is_named() -> None:
    def dear(request: ModelRequest) -> Usage:
        return Usage(4000, 500, 0.0) if request.ask.role != "judge" else Usage(100, 20, 0.0)

    useless = world(base=0.86, characters={"patcher": "useless"})
    done = Stage(useless, usage=dear).perform(lesson(BOILS, DRY))
    assert done.refinement["stopReason"] == "stop_token_budget"
    assert done.refinement["iterations"] == 1
    assert done.refinement["tokensUsed"] >= 15_000


def test_tasks_that_the_budget_cannot_pay_are_deferred_and_named() -> None:
    tight = RefinementLimits(max_total_tokens=1_500)
    done = Stage(world(), limits=tight).perform(lesson(BOILS, VAGUE))
    plan = done.of("arbiter_consolidation")[0].data
    assert [task["sectionId"] for task in plan["tasks"]] == ["evaporation"]
    assert [task["sectionId"] for task in plan["deferred"]] == ["condensation"]
    nothing = Stage(world(), limits=RefinementLimits(max_total_tokens=900)).perform(lesson(BOILS))
    assert nothing.refinement["stopReason"] == "stop_token_budget"
    assert nothing.asked("patcher") == []


def test_the_time_is_the_recorded_time_of_the_models() -> None:
    useless = world(base=0.86, characters={"patcher": "useless"})
    done = Stage(useless, seconds=150.0).perform(lesson(BOILS))
    assert done.refinement["stopReason"] == "stop_timeout"
    assert done.refinement["iterations"] == 1
    assert done.refinement["durationMs"] >= 300_000


def test_three_iterations_are_the_most() -> None:
    first = Defect("the very first slip", "the very next slip", severity="minor", cost=0.45)
    second = Defect("the very next slip", "the very last slip", severity="minor", cost=0.40)
    late = Defect("a slip nobody mends", "a slip that came late", severity="minor", cost=0.45)
    third = Defect("a slip that came late", "a slip that remains", severity="minor", cost=0.40)
    rest = Defect("a slip that remains", "nothing", severity="minor", cost=0.35)
    left = Defect("the very last slip", "nothing", severity="minor", cost=0.3)

    def stubborn(question: Question) -> object:
        told = question.parts.get("issues", "")
        if question.reply == "edit_reply" and late.bad in told and "not used" not in question.user:
            return edits("precipitation", ("no such words", "x"))
        return None

    texts = {
        "evaporation": EVAPORATION.format(**SOUND) + f" This is {first.bad}.",
        "precipitation": PRECIPITATION.format(**SOUND) + f" Here is {late.bad}.",
    }
    defects = (first, second, late, third, rest, left)
    done = Stage(world(base=0.9, defects=defects, override=stubborn)).perform(lesson(**texts))
    assert done.refinement["iterations"] <= 3
    assert done.refinement["stopReason"] in ("stop_max_iterations", "stop_all_sections_locked")
    one = Stage(world(base=0.86, defects=defects), limits=RefinementLimits(max_iterations=1)).perform(lesson(**texts))
    assert one.refinement["stopReason"] == "stop_max_iterations"
    assert one.refinement["iterations"] == 1


def test_all_sections_locked_after_two_edits_that_settle_nothing() -> None:
    useless = world(base=0.86, characters={"patcher": "useless"})
    done = Stage(useless).perform(lesson(BOILS))
    assert done.refinement["stopReason"] == "stop_all_sections_locked"
    assert done.refinement["lockedSections"] == {"evaporation": "max_edits"}
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})


def test_an_issue_of_the_whole_lesson_is_mended_in_the_unit_that_speaks_of_it() -> None:
    complaint = {**issue(BOILS, "lesson"), "quotedText": None, "severity": "minor", "criterion": "completeness"}
    complaint["description"] = "Nothing is said about springs, rivers and the ground."

    def wordy(question: Question) -> object:
        if question.reply != "edit_reply":
            return None
        return edits(question.unit, ("Some of the water", "A part of the water"))

    done = Stage(world(base=0.86, outline_issues=[complaint], override=wordy)).perform(lesson())
    assert {event.unit for event in done.of("patch_applied")} == {None}, "the task is the lesson's"
    assert [unit for unit, drafts in done.drafts.items() if any(draft.edits for draft in drafts)] == ["precipitation"]
    judged = [request.ask.reply for request in done.asked("judge")]
    assert judged.count("lesson_judge_reply") == 4, "it was about the whole, so that is read again"


def test_a_section_written_anew_has_its_transition_looked_at() -> None:
    def breaks(question: Question) -> object:
        if question.reply == "delta_reply" and "follow on the first" in question.parts["issues"]:
            return {"reasoning": "A jump.", "passed": False, "confidence": "high", "newIssues": []}
        if question.reply == "edit_reply" and "no longer follows" in question.parts["issues"]:
            unit = question.passages[0][0]
            return edits(unit, ("Why does the sea", "So why does the sea"), field="question")
        return None

    done = Stage(world(override=breaks, base=0.9), sources=True).perform(lesson(WRONG_YEAR, VAGUE))
    assert [event.unit for event in done.of("transition_broken")] == ["exercises/0"]
    assert [event.unit for event in done.of("section_regenerated")] == ["precipitation"]
    # the iteration reaches the line, so what is left is only told
    assert done.ending.status == "accepted"
    left = Stage(world(override=breaks, base=0.88), sources=True).perform(lesson(WRONG_YEAR, VAGUE))
    plans = left.of("arbiter_consolidation")
    assert "exercises/0" in [task["sectionId"] for task in plans[1].data["tasks"]]
    [mended] = [draft for draft in left.drafts["exercises/0"] if draft.edits]
    assert mended.passed
    assert mended.unit.texts()["question"].startswith("So why does the sea")
    assert len(left.of("transition_broken")) == 1


def test_factual_issues_are_written_anew_with_the_source_at_hand() -> None:
    done = Stage(world(), sources=True).perform(lesson(WRONG_YEAR))
    [request] = [one for one in done.asked("patcher") if one.ask.reply == "section_reply"]
    assert "1580" in request.ask.untrusted["passages"]
    assert done.text("precipitation") == PRECIPITATION.format(**SOUND)


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_structure_that_fails_is_written_again_as_a_whole(mode: str) -> None:
    done = Stage(world(outline={"pedagogical_structure": 0.5}), mode=mode).perform(lesson())
    assert done.ending.status == "regenerate"
    assert "structure scores 0.50" in done.ending.reason
    assert set(done.waiting) == set(done.rests)
    assert done.asked("patcher") == []
    assert done.data("arbiter_consolidation")["fullRegenerate"] is not None


def critical_at(score: float, criterion: str = "clarity_readability") -> Callable[[Question], object]:
    """Judges that give `evaporation` this score, and call something in it critical as long as it stands there."""

    def answer(question: Question) -> object:
        if question.reply != "judge_reply" or BOILS.bad not in question.parts["text"]:
            return None
        said = World(base=score, defects=())._judge(question, "honest")
        wrong = {**issue(BOILS, "evaporation"), "severity": "critical", "criterion": criterion}
        return {**said, "issues": [wrong]}

    return answer


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_what_is_critical_is_repaired_though_the_score_is_over_the_line(mode: str) -> None:
    done = Stage(world(base=0.96, override=critical_at(0.96)), mode=mode).perform(lesson(BOILS))
    assert done.data("judged")["clevResult"]["aggregatedScore"] == 0.96
    assert done.text("evaporation") == EVAPORATION.format(**SOUND), "no better score, and yet the better text"
    assert done.ending.status == "accepted"


@pytest.mark.parametrize(("mode", "status"), [("semi-auto", "escalated"), ("full-auto", "best_effort")])
@pytest.mark.parametrize("patcher", ["disobedient", "nobody"])
def test_what_stays_critical_is_never_accepted_and_is_named(mode: str, status: str, patcher: str) -> None:
    stage = Stage(world(base=0.96, override=critical_at(0.96)), mode=mode, roles=ROLES if patcher != "nobody" else {})
    stage.world.characters["patcher"] = "disobedient"
    done = stage.perform(lesson(BOILS))
    assert done.ending.status == status
    assert "1 critical issue is open" in done.ending.reason
    assert [line.split(":")[0] for line in done.ending.result["open_critical"]] == ["evaporation"]
    told = describe(done.ending.result)
    assert any(remark.label == "open" and "critical" in remark.text for remark in told if isinstance(remark, Remark))


@pytest.mark.parametrize(("mode", "status"), [("semi-auto", "escalated"), ("full-auto", "best_effort")])
def test_a_critical_issue_quoted_across_a_hard_line_break_is_heard(mode: str, status: str) -> None:
    """Both judges quote with a blank where the lesson has a line break: it was accepted at .93."""
    wrapped = EVAPORATION.format(**{**SOUND, "boils": BOILS.bad.replace(" boils ", "\nboils ")})

    def judges(question: Question) -> object:
        if question.reply != "judge_reply" or "boils away" not in question.parts["text"]:
            return None
        said = World(base=0.96, defects=())._judge(question, "honest")
        return {**said, "issues": [{**issue(BOILS, "evaporation"), "severity": "critical"}]}

    done = Stage(world(base=0.96, override=judges), mode=mode, roles={}).perform(lesson(evaporation=wrapped))
    assert done.ending.status == status
    assert [line.split(":")[0] for line in done.ending.result["open_critical"]] == ["evaporation"]
    assert len(done.asked("judge")) == 2 * 2, "nobody is asked once more for the words"
    told = [one["issues"][0]["quotedText"] for one in done.data("judged")["clevResult"]["verdicts"]]
    assert told == [BOILS.bad.replace(" boils ", "\nboils ")] * 2


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_structure_that_fails_is_written_again_whatever_the_score(mode: str) -> None:
    weak = Stage(world(base=1.0, outline={"pedagogical_structure": 0.58}), mode=mode).perform(lesson())
    assert weak.data("judged")["clevResult"]["aggregatedScore"] > 0.9
    assert weak.ending.status == "regenerate"
    complaint = {**issue(BOILS, "lesson"), "criterion": "pedagogical_structure", "severity": "critical"}
    complaint |= {"quotedText": None, "description": "The order is wrong throughout."}
    wrong = Stage(world(base=0.96, outline_issues=[complaint]), mode=mode).perform(lesson())
    assert (wrong.ending.status, wrong.ending.reason) == ("regenerate", "critical and structural")
    assert wrong.ending.result["open_critical"] == ["lesson: The order is wrong throughout."]
    assert [remark.text for remark in describe(wrong.ending.result) if isinstance(remark, Remark)][-1].startswith(
        "lesson"
    )


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_the_budget_is_no_way_around_writing_it_again(mode: str) -> None:
    nothing = RefinementLimits(max_total_tokens=0)
    done = Stage(world(base=1.0, outline={"pedagogical_structure": 0.3}), mode=mode, limits=nothing).perform(lesson())
    assert done.ending.status == "regenerate"


def quarrel(question: Question) -> object:
    """Judges that agree on the whole score and on nothing else, and both call the same words a major fault."""
    if question.reply == "lesson_judge_reply":
        names = ("learning_objective_alignment", "pedagogical_structure", "completeness")
        high, low = (0.80, 1.0) if question.model == "judge-a" else (1.0, 0.80)
        return _whole(question, dict(zip(names, (high, low, high), strict=True)), [])
    if question.reply != "judge_reply":
        return None
    high, low = (1.0, 0.82) if question.model == "judge-a" else (0.82, 1.0)
    said = World()._judge(question, "honest")
    criteria = {"clarity_readability": high, "engagement_examples": low}
    units = [{"unit": one["unit"], "criteria": criteria} for one in said["units"]]
    return {**said, "units": units, "issues": [issue(BOILS, "evaporation")]}


@pytest.mark.parametrize(("mode", "status"), [("semi-auto", "accepted_warning"), ("full-auto", "accepted_warning")])
def test_what_is_set_aside_for_want_of_agreement_stays_visible(mode: str, status: str) -> None:
    done = Stage(world(override=quarrel), mode=mode).perform(lesson(BOILS))
    plan = done.data("arbiter_consolidation")
    assert (plan["agreementLevel"], plan["needsReview"], plan["tasks"]) == ("low", True, [])
    assert [one["reason"] for one in plan["rejections"]] == ["low_agreement"]
    assert done.ending.status == status
    assert done.refinement["needsReview"] is True
    assert [one["sectionId"] for one in done.refinement["rejectedIssues"]] == ["evaporation"]
    assert "set aside" in done.ending.reason
    assert any("set aside" in hint for hint in done.refinement["improvementHints"])


def test_units_with_issues_that_were_set_aside_wait_for_a_person() -> None:
    def low(question: Question) -> object:
        said = quarrel(question)
        for scored in [said, *said.get("units", [])] if isinstance(said, dict) else []:
            scores = scored.get("criteria", {})
            scored["criteria"] = {name: round(score - 0.1, 2) for name, score in scores.items()}
        return said

    done = Stage(world(override=low)).perform(lesson(BOILS))
    assert (done.ending.status, done.waiting) == ("escalated", ["evaporation"])
    assert "nothing is left to repair" in done.ending.reason


def test_without_a_patcher_issues_are_told_and_nobody_is_asked() -> None:
    done = Stage(world(base=0.86), roles={}).perform(lesson(BOILS))
    assert done.ending.status == "escalated"
    assert done.waiting == ["evaporation"]
    assert {request.ask.role for request in done.requests} == {"judge"}


@pytest.mark.parametrize("character", ["garbled", "down"])
def test_judges_that_are_lost_while_judging_again_lose_nothing(character: Character) -> None:
    """The repairs do not count, and a later round may try again."""
    stage = Stage(world(base=0.9))

    def falls_silent(question: Question) -> object:
        if question.reply == "judge_reply" and BOILS.good in question.parts["text"]:
            return "nothing that could be read"
        return None

    stage.world.override = falls_silent
    done = stage.perform(lesson(BOILS))
    assert done.ending.status == "judges_failed"
    assert [rest.reason for rest in done.rests.values() if not rest.ready] == ["judges_silent"]
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})
    assert done.of("quality_lock_triggered") == []


def test_the_third_judge_takes_a_seat_that_is_lost_while_judging_again() -> None:
    def falls_silent(question: Question) -> object:
        if question.reply == "judge_reply" and question.model == "judge-b" and BOILS.good in question.parts["text"]:
            return "nothing that could be read"
        return None

    done = Stage(world(override=falls_silent), judges=THREE).perform(lesson(BOILS))
    assert done.data("third_judge_asked") == {"judge": "openai:judge-c", "reason": "seat_failed"}
    assert done.ending.status == "accepted"
    alone = Stage(world(override=falls_silent)).perform(lesson(BOILS))
    assert alone.ending.status != "accepted", "one judge alone never accepts"


def test_a_doubt_of_the_delta_judge_is_no_success() -> None:
    def doubts(question: Question) -> object:
        if question.reply != "delta_reply":
            return None
        return {"reasoning": "Hm.", "passed": True, "confidence": "low", "newIssues": []}

    done = Stage(world(base=0.86, override=doubts)).perform(lesson(BOILS))
    assert {reason for event in done.of("verification_result") for reason in event.data["reasons"]} == {
        "low_confidence"
    }
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})


def test_a_delta_judge_that_cannot_be_understood_gives_its_seat_to_the_next() -> None:
    def mumbles(question: Question) -> object:
        return "hm" if question.reply == "delta_reply" and question.model == "judge-a" else None

    done = Stage(world(override=mumbles)).perform(lesson(BOILS, VAGUE))
    assert done.ending.status == "accepted"
    asked = [request.model for request in done.asked("delta_judge")]
    assert asked.count("openai:judge-a") == 1
    assert asked.count("openai:judge-b") == 2
    nobody = Stage(world(override=lambda q: "hm" if q.reply == "delta_reply" else None)).perform(lesson(BOILS))
    assert nobody.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})


def everything_ends_somewhere(done: Performance) -> bool:
    plan = done.of("arbiter_consolidation")[0].data
    named = {one["id"] for one in plan["accepted"]} | {one["id"] for one in plan["rejected"]}
    worked_on = {name for event in done.of("task_started") for name in event.data["issues"]}
    left = {one["id"] for one in done.refinement["remainingIssues"]}
    rejected = {one["issueId"] for one in plan["rejections"]}
    return named <= worked_on | left | rejected


def test_every_issue_ends_somewhere() -> None:
    alone = Defect("A wet shirt", "A damp shirt", severity="minor", cost=0.1, seen_by=("judge-b",))
    defects = (BOILS, VAGUE, WRONG_YEAR, DRY, alone)
    for character in ("honest", "disobedient", "useless", "spoiling"):
        stage = Stage(world(defects=defects, characters={"patcher": character}), sources=True)
        assert everything_ends_somewhere(stage.perform(lesson(BOILS, VAGUE, WRONG_YEAR, DRY)))
