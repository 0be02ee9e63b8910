"""Stage 2: who is asked, who takes whose seat, and what a panel may not do."""

import pytest

from burnish.kinds.lessons.panel import windows_of
from tests.kinds.lessons.work_driver import JUDGES, THREE, Stage
from tests.lessons_model import BOILS, EVAPORATION, SOUND, UNITS, Character, Question, World, lesson

SILENT: tuple[Character, ...] = ("garbled", "down")


def test_two_judges_that_agree_are_enough() -> None:
    done = Stage(judges=THREE).perform(lesson())
    assert len(done.asked("judge")) == 2 * (len(UNITS) + 1)
    assert done.asked(model="judge-c") == []
    assert done.data("judged")["clevResult"]["votingMethod"] == "unanimous"


def test_a_third_judge_settles_a_disagreement() -> None:
    done = Stage(World(leniency={"judge-a": -0.2}), judges=THREE).perform(lesson())
    assert done.data("third_judge_asked")["reason"] == "disagreement"
    assert done.data("judged")["clevResult"]["votingMethod"] == "majority"
    assert done.ending.status == "accepted"


def test_where_nobody_settles_it_the_lower_score_counts() -> None:
    done = Stage(World(leniency={"judge-a": -0.2})).perform(lesson())
    assert done.data("judged")["clevResult"]["aggregatedScore"] == pytest.approx(0.76)
    assert done.ending.status == "escalated"


@pytest.mark.parametrize("character", SILENT)
def test_the_third_judge_takes_the_seat_of_one_that_failed(character: Character) -> None:
    done = Stage(World(characters={"judge-a": character}), judges=THREE).perform(lesson())
    assert done.data("third_judge_asked")["reason"] == "seat_failed"
    assert done.ending.status == "accepted"
    assert done.data("model_degraded")["silent"][0].startswith("openai:judge-a")


@pytest.mark.parametrize("character", SILENT)
@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_a_lone_verdict_never_accepts(character: Character, mode: str) -> None:
    down: dict[str, Character] = {"judge-a": character, "judge-b": character}
    done = Stage(World(characters=down), judges=THREE, mode=mode).perform(lesson())
    assert done.data("judged")["clevResult"]["finalRecommendation"] == "ESCALATE"
    assert done.ending.status == ("escalated" if mode == "semi-auto" else "best_effort")
    assert done.refinement["status"] != "accepted"
    assert "one judge's alone" in done.refinement["blocked"]


@pytest.mark.parametrize("character", SILENT)
@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_when_all_judges_fail_nothing_is_decided_and_nothing_lost(character: Character, mode: str) -> None:
    down: dict[str, Character] = dict.fromkeys(("judge-a", "judge-b", "judge-c"), character)
    done = Stage(World(characters=down), judges=THREE, mode=mode).perform(lesson(BOILS))
    assert done.ending.status == "judges_failed"
    assert [(id, rest.reason) for id, rest in done.rests.items() if not rest.ready] == [("intro", "judges_silent")]
    assert all(done.text(id) for id in UNITS)
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})


@pytest.mark.parametrize(("mode", "status"), [("semi-auto", "escalated"), ("full-auto", "best_effort")])
def test_judges_without_confidence_send_it_to_a_person_and_nothing_is_repaired(mode: str, status: str) -> None:
    doubt: dict[str, Character] = dict.fromkeys(("judge-a", "judge-b", "judge-c"), "doubtful")
    done = Stage(World(characters=doubt), judges=THREE, mode=mode).perform(lesson(BOILS))
    assert done.data("third_judge_asked")["reason"] == "low_confidence"
    assert done.ending.status == status
    assert done.asked("patcher") == []


def test_a_slip_of_one_answer_costs_no_judge_its_seat() -> None:
    """It is asked once more, with more room; only a judge that cannot be read at all abstains."""
    slips: list[str] = []

    def slip(question: Question) -> object:
        if question.model == "judge-b" and question.unit == "condensation" and not slips:
            slips.append(question.user)
            return '{"reasoning": "I was cut o'
        return None

    done = Stage(World(override=slip)).perform(lesson())
    assert done.ending.status == "accepted"
    asked = [r.ask.max_tokens for r in done.asked("judge", "judge-b") if r.ask.unit == "condensation"]
    assert len(asked) == 2
    assert asked[1] > asked[0]
    assert done.of("model_degraded") == []


def test_a_judge_that_slips_twice_in_the_same_place_abstains() -> None:
    def slip(question: Question) -> object:
        return "{" if question.model == "judge-b" and question.unit == "condensation" else None

    done = Stage(World(override=slip)).perform(lesson())
    assert len(done.of("model_degraded")) == 1
    assert done.ending.status == "escalated"


@pytest.mark.parametrize(
    ("unit", "left_out"),
    [
        ("condensation", "clarity_readability"),
        ("condensation", "engagement_examples"),
        ("condensation", "factual_accuracy"),
        ("lesson", "pedagogical_structure"),
        ("lesson", "completeness"),
    ],
)
def test_a_judgement_without_a_score_is_asked_for_again_and_then_the_judge_abstains(unit: str, left_out: str) -> None:
    def forgets(question: Question, most: int = 99) -> object:
        if (question.model, question.reply, question.unit) != ("judge-b", "judge_reply", unit) or len(asked) >= most:
            return None
        asked.append(question.user)
        said = World()._judge(question, "honest")
        del said["criteria"][left_out]
        return said

    asked: list[str] = []
    once = Stage(World(override=lambda question: forgets(question, 1)), sources=True).perform(lesson())
    assert once.ending.status == "accepted"
    assert once.of("model_degraded") == []
    asked = []
    done = Stage(World(override=forgets), sources=True).perform(lesson())
    assert len(asked) == 2
    assert done.ending.status == "escalated", "one judge is left, and it never accepts"
    assert left_out in done.data("model_degraded")["silent"][0]


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_judges_that_score_one_unit_and_leave_out_the_rest_accept_nothing(mode: str) -> None:
    def lazy(question: Question) -> object:
        if question.reply != "judge_reply" or question.unit in ("lesson", "exercises/0"):
            return None
        return {**World()._judge(question, "honest"), "criteria": {}, "issues": []}

    done = Stage(World(override=lazy), judges=THREE, mode=mode).perform(lesson(BOILS))
    assert done.ending.status == "judges_failed"


def test_every_window_of_a_long_section_has_to_be_scored() -> None:
    paragraph = EVAPORATION.format(**SOUND).split("\n\n")[0]
    long = "\n\n".join(f"Part {number} of this. {paragraph}" for number in range(60))

    def lazy(question: Question) -> object:
        if question.unit != "evaporation" or "piece 1 of" in question.user:
            return None
        return {**World()._judge(question, "honest"), "criteria": {}}

    done = Stage(World(override=lazy), judges=THREE).perform(lesson(evaporation=long))
    assert done.ending.status == "judges_failed"


def test_quotes_that_stand_nowhere_are_dropped_and_told() -> None:
    def invents(question: Question) -> object:
        if question.model != "judge-a" or question.unit != "intro":
            return None
        said = World()._judge(question, "honest")
        said["issues"] = [
            {
                "criterion": "clarity_readability",
                "severity": "critical",
                "location": "intro",
                "quotedText": "words that stand nowhere",
                "description": "Terrible.",
                "suggestedFix": "",
            }
        ]
        return said

    done = Stage(World(override=invents)).perform(lesson())
    dropped = done.data("finding_dropped")
    assert (dropped["reason"], dropped["source"]) == ("quote_not_found", "model:openai:judge-a")
    assert done.ending.status == "accepted"


def test_a_long_section_is_read_in_windows_and_a_judge_has_to_read_them_all() -> None:
    paragraph = EVAPORATION.format(**SOUND).split("\n\n")[0]
    long = "\n\n".join(f"Part {number} of this. {paragraph}" for number in range(60))
    done = Stage().perform(lesson(evaporation=long))
    shown = [r.ask for r in done.asked("judge", "judge-a") if r.ask.unit == "evaporation"]
    assert len(shown) > 1
    assert all(f"piece {number} of {len(shown)}" in ask.trusted["window"] for number, ask in enumerate(shown, start=1))
    assert "".join(windows_of(long)) == long
    assert all(len(ask.untrusted["text"]) < 8_000 for ask in shown)


def test_flags_of_the_reader_travel_into_the_judges_prompt() -> None:
    flag = {
        "type": "ALIGNMENT",
        "severity": "COMPLEX",
        "location": "condensation",
        "quote": "Billions of these drops",
        "description": "LO2 is about the sun, this is about dust.",
    }
    roles = {"patcher": "openai:patcher", "reviewer": "openai:reader"}
    done = Stage(World(review_issues=[flag]), roles=roles).perform(lesson())
    assert done.data("self_reviewed")["status"] == "FLAG_TO_JUDGE"
    flags = {r.ask.unit: r.ask.untrusted["flags"] for r in done.asked("judge", "judge-a")}
    assert "LO2 is about the sun" in flags["condensation"]
    assert flags["intro"] == "(none)"


def test_what_the_reader_calls_unusable_reaches_the_judges_too() -> None:
    flag = {
        "type": "LOGIC",
        "severity": "CRITICAL",
        "location": "condensation",
        "quote": "Billions of these drops",
        "description": "It contradicts the section before.",
    }
    roles = {"patcher": "openai:patcher", "reviewer": "openai:reader"}
    done = Stage(World(review_issues=[flag]), roles=roles).perform(lesson())
    flags = {r.ask.unit: r.ask.untrusted["flags"] for r in done.asked("judge", "judge-b")}
    assert "contradicts the section before" in flags["condensation"]


def test_settings_without_judges_judge_nothing() -> None:
    done = Stage(judges=()).perform(lesson())
    assert done.ending.status == "not_judged"
    assert [rest.reason for rest in done.rests.values() if not rest.ready] == ["no_judges"]
    assert done.requests == []


def test_no_text_is_judged_twice_by_the_same_judge() -> None:
    done = Stage(World(base=0.9), judges=JUDGES).perform(lesson(BOILS))
    seen = [(r.model, r.ask.unit, r.ask.untrusted.get("text")) for r in done.asked("judge")]
    assert len(seen) == len(set(seen))
