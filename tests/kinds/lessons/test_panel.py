"""Stage 2: who is asked, who takes whose seat, and what a panel may not do."""

import pytest

from tests.kinds.lessons.work_driver import JUDGES, THREE, Stage
from tests.lessons_model import (
    BOILS,
    CONDENSATION,
    EVAPORATION,
    SOUND,
    UNITS,
    Character,
    Override,
    Question,
    World,
    issue,
    lesson,
)

SILENT: tuple[Character, ...] = ("garbled", "down")


def test_two_judges_that_agree_are_enough() -> None:
    done = Stage(judges=THREE).perform(lesson())
    assert len(done.asked("judge")) == 2 * 2, "each reads the whole, and one window that holds all units"
    assert done.asked(model="judge-c") == []
    assert done.data("judged")["clevResult"]["votingMethod"] == "unanimous"


def test_a_third_judge_settles_a_disagreement() -> None:
    done = Stage(World(leniency={"judge-a": -0.2}), judges=THREE).perform(lesson())
    assert done.data("third_judge_asked")["reason"] == "disagreement"
    assert done.data("judged")["clevResult"]["votingMethod"] == "majority"
    assert done.ending.status == "accepted"


@pytest.mark.parametrize(("mode", "status"), [("semi-auto", "escalated"), ("full-auto", "accepted")])
@pytest.mark.parametrize("apart", [-0.105, -0.2])
def test_where_nobody_settles_it_the_lower_score_counts_and_a_person_is_asked(
    mode: str, status: str, apart: float
) -> None:
    done = Stage(World(leniency={"judge-a": apart}), mode=mode).perform(lesson())
    assert done.data("judged")["clevResult"]["aggregatedScore"] == pytest.approx(0.96 + apart)
    expected = status if mode == "semi-auto" or apart > -0.2 else "accepted_warning"
    assert done.ending.status == expected
    assert "The two judges disagree" in done.ending.reason


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


@pytest.mark.parametrize("reply", ["judge_reply", "lesson_judge_reply"])
def test_a_slip_of_one_answer_costs_no_judge_its_seat(reply: str) -> None:
    """It is asked for once more, with more room."""
    slips: list[str] = []

    def slip(question: Question) -> object:
        if question.model == "judge-b" and question.reply == reply and not slips:
            slips.append(question.user)
            return '{"reasoning": "I was cut o'
        return None

    done = Stage(World(override=slip)).perform(lesson())
    assert done.ending.status == "accepted"
    asked = [r.ask.max_tokens for r in done.asked("judge", "judge-b") if r.ask.reply == reply]
    assert len(asked) == 2
    assert asked[1] > asked[0]
    assert done.of("model_degraded") == []


def test_a_judge_that_slips_twice_in_the_same_place_abstains() -> None:
    def slip(question: Question) -> object:
        return "{" if question.model == "judge-b" and question.reply == "judge_reply" else None

    done = Stage(World(override=slip)).perform(lesson())
    assert len(done.of("model_degraded")) == 1
    assert done.ending.status == "escalated"


def test_a_panel_that_answers_nonsense_is_found_out_by_its_first_call() -> None:
    long = "\n\n".join(EVAPORATION.format(**SOUND) for _ in range(40))
    done = Stage(World(override=lambda question: "{")).perform(lesson(evaporation=long))
    assert done.ending.status == "judges_failed"
    assert [r.ask.reply for r in done.asked("judge")] == ["lesson_judge_reply"] * 4, "two judges, once more each"


def forgetful(unit: str, left_out: str, asked: list[str], most: int = 99) -> Override:
    """A second judge that leaves out a score, of a unit or of the whole."""

    def forgets(question: Question) -> object:
        reply = "lesson_judge_reply" if unit == "lesson" else "judge_reply"
        if (question.model, question.reply) != ("judge-b", reply) or len(asked) >= most:
            return None
        asked.append(question.user)
        if unit == "lesson":
            said = World()._judge_whole(question, "honest")
            del said["criteria"][left_out]
            return said
        said = World()._judge(question, "honest")
        scored = next(one for one in said["units"] if one["unit"] == unit)
        del scored["criteria"][left_out]
        return said

    return forgets


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
    asked: list[str] = []
    once = Stage(World(override=forgetful(unit, left_out, asked, 1)), sources=True).perform(lesson())
    assert once.ending.status == "accepted"
    assert once.of("model_degraded") == []
    asked = []
    done = Stage(World(override=forgetful(unit, left_out, asked)), sources=True).perform(lesson())
    assert len(asked) == 2
    assert "could not be used: no score for" in asked[1]
    assert done.ending.status == "escalated", "one judge is left, and it never accepts"
    assert left_out in done.data("model_degraded")["silent"][0]


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_judges_that_score_one_unit_and_leave_out_the_rest_accept_nothing(mode: str) -> None:
    def lazy(question: Question) -> object:
        if question.reply != "judge_reply":
            return None
        said = World()._judge(question, "honest")
        return {**said, "units": said["units"][:1], "issues": []}

    done = Stage(World(override=lazy), judges=THREE, mode=mode).perform(lesson(BOILS))
    assert done.ending.status == "judges_failed"


def test_scores_of_one_unit_count_though_its_id_is_missing() -> None:
    """What can be told from the request does not make a reply unreadable."""
    section = {"id": "s", "title": "Rain", "content": EVAPORATION.format(**SOUND)}
    alone = {"lesson_id": "water", "title": "Rain", "content": {"sections": [section]}}

    def nameless(question: Question) -> object:
        if question.reply != "judge_reply":
            return None
        said = World()._judge(question, "honest")
        return {**said, "units": [{"criteria": one["criteria"]} for one in said["units"]]}

    done = Stage(World(override=nameless)).perform(alone)
    assert done.of("model_degraded") == []
    assert done.data("judged")


def test_every_window_of_a_long_section_has_to_be_scored() -> None:
    paragraph = EVAPORATION.format(**SOUND).split("\n\n")[0]
    long = "\n\n".join(f"Part {number} of this. {paragraph}" for number in range(60))

    def lazy(question: Question) -> object:
        if question.reply != "judge_reply" or question.units != ["evaporation"] or "piece 1 of" in question.user:
            return None
        return {**World()._judge(question, "honest"), "units": []}

    done = Stage(World(override=lazy), judges=THREE).perform(lesson(evaporation=long))
    assert done.ending.status == "judges_failed"


def inventing(severity: str, most: int = 99) -> Override:
    """A first judge that complains of words that stand nowhere."""
    asked: list[str] = []

    def invents(question: Question) -> object:
        if question.model != "judge-a" or question.reply != "judge_reply" or len(asked) >= most:
            return None
        asked.append(question.user)
        said = World()._judge(question, "honest")
        complaint = {**issue(BOILS, "intro"), "quotedText": "words that stand nowhere", "severity": severity}
        return {**said, "issues": [complaint]}

    return invents


def test_a_trifle_whose_quote_stands_nowhere_is_dropped_and_told() -> None:
    done = Stage(World(override=inventing("minor"))).perform(lesson())
    dropped = done.data("finding_dropped")
    assert (dropped["reason"], dropped["source"]) == ("quote_not_found", "model:openai:judge-a")
    assert done.ending.status == "accepted"


@pytest.mark.parametrize("severity", ["critical", "major"])
def test_something_serious_whose_quote_stands_nowhere_is_asked_for_once_more_and_then_waits(severity: str) -> None:
    once = Stage(World(override=inventing(severity, 1))).perform(lesson())
    again = [r for r in once.asked("judge", "judge-a") if "copy them letter for letter" in r.ask.trusted["again"]]
    assert len(again) == 1 and once.ending.status == "accepted"
    done = Stage(World(override=inventing(severity)), roles={}).perform(lesson())
    assert done.ending.status == "escalated"
    assert "words that are not in the text (intro)" in done.ending.reason
    assert done.waiting == ["intro"]
    assert done.of("finding_dropped") == [], "nothing of it is lost in silence"


def untreated(most: int) -> tuple[Override, list[str]]:
    """A judge that says of every objective that it is treated, and quotes words that stand nowhere."""
    asked: list[str] = []

    def boasts(question: Question) -> object:
        if question.reply != "lesson_judge_reply" or question.model != "judge-a" or len(asked) >= most:
            return None
        asked.append(question.user)
        said = World()._judge_whole(question, "honest")
        covered = [
            {"id": id, "covered": "yes", "unit": "intro", "quote": "no such words"} for id in question.objectives
        ]
        return {**said, "objectives": covered}

    return boasts, asked


def test_an_objective_whose_quote_stands_nowhere_is_not_treated_after_one_more_ask() -> None:
    boasts, asked = untreated(1)
    once = Stage(World(override=boasts)).perform(lesson())
    assert once.ending.status == "accepted"
    boasts, asked = untreated(99)
    done = Stage(World(override=boasts), judges=THREE).perform(lesson())
    assert len(asked) == 2 and "no words of the lesson are quoted for LO1, LO2" in asked[1]
    [verdict] = [one for one in done.data("judged")["clevResult"]["verdicts"] if one["judgeModel"].endswith("judge-a")]
    assert verdict["criteriaScores"]["learning_objective_alignment"] == 0.6
    assert [one["description"][:24] for one in verdict["issues"]] == [
        "The objective LO1 is not",
        "The objective LO2 is not",
    ]


def test_a_gutted_section_lowers_the_score_and_its_repair_raises_it() -> None:
    """The judges see the text: the outline would have been the same."""

    def score(**parts: str) -> float:
        judged = Stage(World(base=0.92)).perform(lesson(**parts)).of("judged")[0].data
        return float(judged["clevResult"]["aggregatedScore"])

    sound = score()
    gutted = score(condensation="Clouds form up there.")
    assert gutted < sound - 0.03
    assert score(conclusion="That is all there is.") < sound - 0.1, "no objective is shown to be treated any more"
    fixed = World(base=0.92, override=rewriting("condensation"))
    done = Stage(fixed).perform(lesson(condensation="Clouds form up there."))
    history = [entry["score"] for entry in done.ending.result["refinement_history"]]
    assert history and history[-1] == pytest.approx(sound)
    assert done.text("condensation") == CONDENSATION.format(**SOUND)


def rewriting(unit: str) -> Override:
    """A patcher that knows the section by heart."""
    return lambda question: (
        {"reasoning": "Written anew.", "unit": unit, "text": CONDENSATION.format(**SOUND)}
        if question.reply == "section_reply"
        else None
    )


def test_a_long_section_is_read_in_pieces_and_a_judge_has_to_read_them_all() -> None:
    paragraph = EVAPORATION.format(**SOUND).split("\n\n")[0]
    long = "\n\n".join(f"Part {number} of this. {paragraph}" for number in range(60))
    done = Stage().perform(lesson(evaporation=long))
    shown = [r.ask for r in done.asked("judge", "judge-a") if r.ask.unit == "evaporation"]
    assert len(shown) > 1
    assert all(f"piece {number} of {len(shown)}" in ask.trusted["window"] for number, ask in enumerate(shown, start=1))
    assert all(len(ask.untrusted["text"]) < 8_000 for ask in shown)


def test_a_lesson_that_no_model_holds_is_read_in_parts_that_know_it() -> None:
    contexts = dict.fromkeys(JUDGES, 900)
    done = Stage(contexts=contexts).perform(lesson())
    asks = [r.ask for r in done.asked("judge", "judge-a") if r.ask.reply == "lesson_judge_reply"]
    *parts, structure = asks
    assert len(parts) > 1
    assert [ask.trusted["part"].split(":")[0] for ask in parts] == [
        f" This is part {number} of {len(parts)}" for number in range(1, len(parts) + 1)
    ]
    assert all(ask.scores == ("learning_objective_alignment", "completeness") for ask in parts)
    assert structure.scores == ("pedagogical_structure",) and "ends:" in structure.untrusted["text"]
    assert done.ending.status == "accepted", "an objective is covered if one part covers it"


def test_flags_of_the_reader_travel_to_the_judge_of_their_criterion() -> None:
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
    whole, window = (r.ask.untrusted for r in done.asked("judge", "judge-a"))
    assert "LO2 is about the sun" in whole["flags"], "alignment is judged by who reads the whole"
    assert "LO2 is about the sun" not in window["beside"]


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
    whole, window = (r.ask.untrusted for r in done.asked("judge", "judge-b"))
    assert "condensation: LOGIC: It contradicts the section before." in window["beside"]
    assert whole["flags"] == "(none)"


def test_settings_without_judges_judge_nothing() -> None:
    done = Stage(judges=()).perform(lesson())
    assert done.ending.status == "not_judged"
    assert [rest.reason for rest in done.rests.values() if not rest.ready] == ["no_judges"]
    assert done.requests == []


def test_no_text_is_judged_twice_by_the_same_judge() -> None:
    done = Stage(World(base=0.9), judges=JUDGES).perform(lesson(BOILS))
    seen = [(r.model, r.ask.reply, r.ask.untrusted["text"]) for r in done.asked("judge")]
    assert len(seen) == len(set(seen))
