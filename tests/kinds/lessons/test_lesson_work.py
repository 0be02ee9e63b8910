"""From the free rules to an ending: what is mended before judging, what is written again, what a person said."""

from dataclasses import replace
from typing import Any

import pytest

from burnish.core.effects import ModelRequest
from burnish.core.records import EventRecord, Usage
from burnish.kinds.lessons.display import inspector_extension
from burnish.kinds.lessons.model import LessonUnit
from tests.kinds.lessons.work_driver import ROLES, THREE, Performance, Round, Stage
from tests.lessons_model import (
    BOILS,
    CONCLUSION,
    CONDENSATION,
    EVAPORATION,
    INTRO,
    PRECIPITATION,
    RUSSIAN,
    SOUND,
    SPEC,
    WRITTEN,
    WRONG_YEAR,
    Character,
    Question,
    World,
    edits,
    lesson,
)


def cut(text: str) -> str:
    """A text that breaks off."""
    return text[: text.rindex(". ")] + " and the"


CUT = cut(EVAPORATION.format(**SOUND))
GENERATOR = {**ROLES, "generator": "openai:generator"}
READER = {**ROLES, "reviewer": "openai:reader"}
HARSH: dict[str, Character] = dict.fromkeys(("judge-a", "judge-b", "judge-c"), "harsh")


def completes(question: Question) -> object:
    """A patcher that finishes what breaks off."""
    if question.reply != "edit_reply":
        return None
    last = question.body[-30:]
    return edits(question.unit, (last, last + " air dries it within an hour."))


# -- rules before judges


def test_a_broken_unit_is_mended_by_an_edit_before_anyone_judges() -> None:
    done = Stage(World(override=completes)).perform(lesson(evaporation=CUT))
    assert done.ending.status == "accepted"
    assert done.text("evaporation") == CUT + " air dries it within an hour."
    roles = [request.ask.role for request in done.requests]
    assert roles[0] == "patcher"
    assert "delta_judge" not in roles, "the rule itself says whether it is settled"
    assert [event.unit for event in done.of("edit_applied")] == ["evaporation"]


def test_an_edit_that_does_not_help_is_followed_by_the_section_anew() -> None:
    def anew(question: Question) -> object:
        if question.reply == "section_reply":
            text = WRITTEN[question.unit]
            return {"reasoning": "Anew.", "unit": question.unit, "text": text}
        return edits(question.unit, ("no such words", "x")) if question.reply == "edit_reply" else None

    done = Stage(World(override=anew)).perform(lesson(evaporation=CUT))
    assert done.ending.status == "accepted"
    assert done.text("evaporation") == WRITTEN["evaporation"]
    assert [request.ask.reply for request in done.asked("patcher")] == ["edit_reply", "edit_reply", "section_reply"]


@pytest.mark.parametrize("reply", ["edit_reply", "section_reply"])
def test_an_answer_about_one_unit_need_not_name_it(reply: str) -> None:
    last = CUT[-30:]
    answers = {
        "edit_reply": edits("", (last, last + " air dries it within an hour.")),
        "section_reply": {"reasoning": "Anew.", "text": WRITTEN["evaporation"]},
    }
    useless = edits("evaporation", ("no such words", "x"))

    def nameless(question: Question) -> object:
        return answers[reply] if question.reply == reply else useless if question.reply == "edit_reply" else None

    done = Stage(World(override=nameless)).perform(lesson(evaporation=CUT))
    assert done.ending.status == "accepted"
    assert done.text("evaporation") != CUT


def test_what_repairs_do_not_mend_has_to_be_written_again_and_is_named() -> None:
    done = Stage(World(characters={"patcher": "disobedient"})).perform(lesson(evaporation=CUT))
    assert done.ending.status == "regenerate"
    assert done.waiting == ["evaporation"]
    assert done.text("evaporation") == CUT
    assert done.asked("judge") == []


def test_half_of_the_units_broken_means_that_nothing_is_spent() -> None:
    broken = {"intro": cut(INTRO), "evaporation": CUT, "condensation": cut(CONDENSATION.format(**SOUND))}
    done = Stage(roles={**READER}).perform(lesson(**broken))
    assert done.ending.status == "regenerate"
    assert done.requests == []
    assert set(done.waiting) == set(broken)
    assert "3 of 6" in done.ending.reason


def test_what_a_rule_holds_against_other_units_is_not_forgotten_beside_broken_ones() -> None:
    texts = {"intro": cut(INTRO), "evaporation": CUT, "condensation": cut(CONDENSATION.format(**SOUND))}
    done = Stage(severities={"source_numbers": "error"}, sources=True).perform(lesson(WRONG_YEAR, **texts))
    assert done.ending.status == "regenerate"
    assert set(done.waiting) == {*texts, "precipitation"}


def test_the_reader_reads_what_was_mended() -> None:
    done = Stage(World(override=completes), roles=READER).perform(lesson(evaporation=CUT))
    statuses = [event.data["status"] for event in done.of("self_reviewed")]
    assert statuses == ["REGENERATE", "PASS"]
    assert [request.ask.role for request in done.requests][:2] == ["patcher", "reviewer"]


def test_the_report_keeps_the_fixes_of_the_first_reading_when_it_reads_again() -> None:
    said = lesson(intro=f"Sure! Here is the lesson:\n\n{INTRO}", evaporation=CUT)
    done = Stage(World(override=completes), roles=READER).perform(said)
    reviews = [event.data for event in done.of("self_reviewed")]
    assert [review["status"] for review in reviews] == ["REGENERATE", "FIXED"]
    assert [part["path"] for part in reviews[-1]["patch"]] == ["/intro"]
    assert any(issue["severity"] == "FIXABLE" for issue in reviews[-1]["issues"])


def test_a_reader_that_answers_nonsense_three_times_leaves_the_rules_alone() -> None:
    done = Stage(World(characters={"reader": "garbled"}), roles=READER).perform(lesson())
    assert len(done.asked("reviewer")) == 3
    assert done.data("self_reviewed")["degraded"] is True
    assert done.ending.status == "accepted"


def test_hygiene_is_mended_by_code_and_costs_nothing() -> None:
    done = Stage().perform(lesson(intro=f"Sure! Here is the lesson:\n\n{INTRO}"))
    assert done.data("self_reviewed")["status"] == "FIXED"
    assert done.text("intro") == INTRO
    assert [draft.cause for draft in done.drafts["intro"]] == ["source", "safe_fix", "review"]
    assert done.asked("patcher") == []


def test_a_contradiction_counts_with_its_passage_and_is_told() -> None:
    claim = "Palissy explained springs in the year 1550."
    world = World(
        claims=[("precipitation", "in the year 1550", claim)], verdicts={claim: ("contradicted", "source.md#p0001")}
    )
    done = Stage(world, roles=READER, sources=True).perform(lesson(WRONG_YEAR))
    told = done.data("claim_verified")
    assert (told["verdict"], told["passage"]) == ("contradicted", "source.md#p0001")
    flags = [r.ask.untrusted["beside"] for r in done.asked("judge", "judge-a") if r.ask.reply == "judge_reply"]
    assert "precipitation: HALLUCINATION" in flags[0] and "source.md#p0001 says otherwise" in flags[0]


# -- writing again


def test_a_lesson_under_the_line_is_named_where_nobody_can_write() -> None:
    done = Stage(World(characters=HARSH)).perform(lesson())
    assert done.ending.status == "regenerate"
    assert set(done.waiting) == set(done.rests)
    assert done.text("intro") == INTRO


def test_a_generator_writes_broken_units_again_with_what_was_wrong() -> None:
    broken = {"intro": cut(INTRO), "evaporation": CUT, "condensation": cut(CONDENSATION.format(**SOUND))}
    done = Stage(roles=GENERATOR).perform(lesson(**broken))
    assert done.ending.status == "accepted"
    asked = done.asked("generator")
    assert [request.ask.unit for request in asked] == list(broken)
    assert all("(none)" not in request.ask.untrusted["issues"] for request in asked)
    assert all(done.text(unit) == WRITTEN[unit] for unit in broken)
    kept = done.drafts["intro"][0].unit
    assert isinstance(kept, LessonUnit)
    assert kept.text == cut(INTRO), "the original is kept"


@pytest.mark.parametrize("writer", ["edit_reply", "section_reply"])
def test_no_model_switches_a_rule_off(writer: str) -> None:
    ignore = "<!-- burnish-ignore: truncation -->"

    def silences(question: Question) -> object:
        if question.reply == "edit_reply" == writer:
            last = question.body[-30:]
            return edits(question.unit, (last, f"{last} {ignore}"))
        if question.reply == "section_reply" == writer:
            return {"reasoning": "", "unit": question.unit, "text": f"{CUT}\n\n{ignore}"}
        return None if question.reply not in ("edit_reply", "section_reply") else {"reasoning": "", "edits": []}

    done = Stage(World(override=silences), roles=GENERATOR).perform(lesson(evaporation=CUT))
    assert done.ending.status == "regenerate" and done.text("evaporation") == CUT
    granted = Stage(World(override=silences)).perform(lesson(evaporation=f"{CUT}\n\n{ignore}"))
    assert granted.ending.status == "accepted", "who hands a lesson in may"


def test_a_lesson_is_written_again_at_most_twice_and_then_named() -> None:
    done = Stage(World(characters=HARSH), roles=GENERATOR, judges=THREE).perform(lesson())
    assert done.ending.status == "regenerate"
    assert [event.data["attempt"] for event in done.of("writing_again")] == [1, 2]
    assert done.ending.result["rewrites"] == 2
    rooms = [request.ask.max_tokens for request in done.asked("generator")]
    assert rooms[-1] > rooms[0], "the second time there is more room"


def test_a_generator_that_does_not_obey_changes_nothing() -> None:
    for character in ("disobedient", "deleting", "garbled", "down"):
        characters: dict[str, Character] = {**HARSH, "generator": character}
        done = Stage(World(characters=characters), roles=GENERATOR).perform(lesson())
        assert done.ending.status == "regenerate"
        assert done.text("evaporation") == EVAPORATION.format(**SOUND)
        assert done.of("unit_written") == []
        assert len(done.of("unit_not_written")) == 5, "one for every running text"


def test_structure_that_fails_goes_to_the_generator() -> None:
    world = World(outline={"pedagogical_structure": 0.5}, base=0.88)
    done = Stage(world, roles=GENERATOR).perform(lesson())
    assert done.ending.status == "regenerate", "the world's outline never gets better"
    assert len(done.of("writing_again")) == 2
    assert len(done.of("refinement_start")) == 3
    plan = inspector_extension(EventRecord(event.type, event.unit, event.data) for event in done.events).refinement_plan
    assert plan is not None
    assert [iteration.iteration for iteration in plan.iterations] == [0], "only the last refinement is shown"


# -- a person


def second_round(before: Performance, **given: Any) -> Round:
    """The round after one that ended: every unit as it stands."""
    units = []
    for unit in before.context.lesson.units:
        rest = before.rests[unit.id]
        units.append(before.drafts[unit.id][rest.attempt - 1].unit)
    attempts = {id: len(drafts) for id, drafts in before.drafts.items()}
    return Round(2, tuple(units), attempts, given.get("notes", {}), frozenset(given.get("settled", ())))


def heeds(question: Question) -> object:
    if question.reply == "edit_reply" and "Name the wind" in question.parts["issues"]:
        return edits("evaporation", ("Wind carries", "The dry wind of the land carries"))
    if question.reply == "delta_reply" and "Name the wind" in question.parts["issues"]:
        passed = "dry wind of the land" in question.parts["after"]
        return {"reasoning": "Looked.", "passed": passed, "confidence": "high", "newIssues": []}
    return None


def escalated() -> Performance:
    return Stage(World(base=0.8), roles={}).perform(lesson())


def test_a_note_is_done_before_the_judges_see_the_lesson_again() -> None:
    first = escalated()
    assert first.ending.status == "escalated"
    round = second_round(first, notes={"evaporation": "Name the wind."})
    done = Stage(World(base=0.95, override=heeds)).perform(lesson(), round)
    assert done.ending.status == "accepted"
    assert "The dry wind of the land carries" in done.text("evaporation")
    assert done.drafts["evaporation"][0].cause == "review", "the file is not read again"


def test_nobody_verifies_his_own_work() -> None:
    sits = {"patcher": "openai:judge-a", "reviewer": "openai:judge-a"}
    first = Stage(World(defects=(replace(BOILS, cost=0.9),), base=0.86), roles=sits).perform(lesson(BOILS))
    assert {request.model for request in first.asked("delta_judge")} == {"openai:judge-b"}
    same = {"patcher": "openai:patcher", "reviewer": "openai:patcher"}
    round = second_round(escalated(), notes={"evaporation": "Name the wind."})
    alone = Stage(World(override=heeds), roles=same, judges=()).perform(lesson(), round)
    assert alone.asked("delta_judge") == [] and "evaporation" in alone.waiting
    failures = [draft.failure for draft in alone.drafts["evaporation"] if draft.failure]
    assert failures and any("own_work" in failure for failure in failures)
    other = Stage(World(override=heeds), roles={**same, "reviewer": "openai:reader"}, judges=())
    assert {request.model for request in other.perform(lesson(), round).asked("delta_judge")} == {"openai:reader"}


def test_a_note_that_is_not_heeded_keeps_the_unit_waiting() -> None:
    round = second_round(escalated(), notes={"evaporation": "Name the wind."})
    world = World(base=0.95, override=heeds, characters={"patcher": "disobedient"})
    world.override = lambda question: None if question.reply == "edit_reply" else heeds(question)
    done = Stage(world).perform(lesson(), round)
    assert done.ending.status == "escalated"
    assert done.waiting == ["evaporation"]


def test_a_person_may_ask_for_more_than_a_tenth() -> None:
    more = " Steam over a pan, a drying road, a shrinking puddle: all of them show the same thing in a day or less."

    def longer(question: Question) -> object:
        if question.reply == "edit_reply":
            return edits("conclusion", ("no drop of it is ever lost.", "no drop of it is ever lost." + more * 2))
        return (
            {"reasoning": ".", "passed": True, "confidence": "high", "newIssues": []}
            if "delta" in question.reply
            else None
        )

    round = second_round(escalated(), notes={"conclusion": "Give more examples."})
    done = Stage(World(base=0.95, override=longer)).perform(lesson(), round)
    assert done.ending.status == "accepted"
    assert more in done.text("conclusion")


def test_settled_units_are_touched_by_nothing() -> None:
    """Not by fixes, not by repairs, not by the generator; they are judged with the rest and rest where they rested."""
    spoilt = lesson(BOILS, conclusion=CONCLUSION + " **Never")
    first = Stage(World(base=0.8), roles={}).perform(spoilt)
    round = second_round(first, settled=["evaporation", "conclusion"])
    units = {unit.id: unit for unit in round.units}
    units["conclusion"] = units["conclusion"].with_text(None, CONCLUSION + " **Never")
    round = Round(2, tuple(units.values()), round.attempts, {"intro": "Shorter."}, round.settled)
    for roles, characters in ((ROLES, {}), (GENERATOR, HARSH)):
        done = Stage(World(base=0.86, characters=dict(characters)), roles=roles).perform(spoilt, round)
        assert set(done.rests) == {"intro", "condensation", "precipitation", "exercises/0"}
        assert {"evaporation", "conclusion"}.isdisjoint(done.drafts)
        assert {"evaporation", "conclusion"}.isdisjoint(request.ask.unit for request in done.asked("patcher"))
        assert {"evaporation", "conclusion"}.isdisjoint(request.ask.unit for request in done.asked("generator"))
        assert all(BOILS.bad in r.ask.untrusted["text"] for r in done.asked("judge"))
        assert all(r.ask.untrusted["text"].endswith("**Never") for r in done.asked("judge"))


def test_an_issue_in_a_settled_unit_is_nobodys_task() -> None:
    round = second_round(Stage(World(base=0.8), roles={}).perform(lesson(BOILS)), settled=["evaporation"])
    done = Stage(World(base=0.86)).perform(lesson(BOILS), round)
    assert done.refinement["stopReason"] == "stop_all_sections_locked"
    assert done.asked("patcher") == []
    assert "evaporation" not in done.waiting


# -- what no model can talk its way around

FLATTERED: dict[str, Character] = dict.fromkeys(("judge-a", "judge-b", "judge-c", "reader"), "flattering")
BROKEN = {
    "cut off": {"precipitation": cut(PRECIPITATION.format(**SOUND))},
    "another language": {"condensation": RUSSIAN * 2},
    "placeholder": {"condensation": "[Insert the text of this section here]"},
    "a table of errors": {"conclusion": CONCLUSION + "\n\n```python\nprint(1)\n"},
}


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("patcher", ["disobedient", "useless", "deleting", "foreign", "garbled", "down"])
def test_ten_out_of_ten_never_accepts_what_a_rule_forbids(mode: str, broken: str, patcher: Character) -> None:
    world = World(characters={**FLATTERED, "patcher": patcher})
    done = Stage(world, mode=mode, roles=READER).perform(lesson(**BROKEN[broken]))
    assert done.ending.status in ("regenerate", "escalated")
    [unit] = BROKEN[broken]
    assert unit in done.waiting
    assert done.text(unit) == BROKEN[broken][unit]


@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_a_rule_of_the_whole_shuts_the_gate_too(mode: str) -> None:
    spec = {**SPEC, "required_parts": ["examples"]}
    done = Stage(World(characters=dict(FLATTERED)), mode=mode, spec=spec).perform(lesson())
    assert done.ending.status == "escalated"
    assert "required_parts" in done.ending.reason


@pytest.mark.parametrize("patcher", ["disobedient", "foreign", "deleting"])
@pytest.mark.parametrize("mode", ["semi-auto", "full-auto"])
def test_a_bad_patcher_leaves_the_original_as_it_was(patcher: Character, mode: str) -> None:
    """Even the delta judge may be on its side."""
    world = World(base=0.8, characters={"patcher": patcher})
    world.override = lambda question: (
        {"reasoning": "Fine.", "passed": True, "confidence": "high", "newIssues": []}
        if question.reply == "delta_reply"
        else None
    )
    done = Stage(world, mode=mode, sources=True).perform(lesson(BOILS))
    assert done.ending.status == ("escalated" if mode == "semi-auto" else "accepted_warning")
    assert done.text("evaporation") == EVAPORATION.format(**{**SOUND, "boils": BOILS.bad})


def test_what_is_spent_before_judging_counts() -> None:
    def dear(request: ModelRequest) -> Usage:
        return Usage(16_000, 0, 0.0) if request.ask.role == "patcher" else Usage(10, 10, 0.0)

    done = Stage(World(base=0.8, override=completes), usage=dear).perform(lesson(BOILS, conclusion=cut(CONCLUSION)))
    assert done.refinement["stopReason"] == "stop_token_budget"
    assert done.refinement["iterations"] == 0


MANY = {"evaporation": CUT, "conclusion": cut(CONCLUSION)}


def test_the_limit_is_looked_at_before_every_batch_of_repairs() -> None:
    def dear(request: ModelRequest) -> Usage:
        return Usage(8_000, 0, 0.0) if request.ask.role == "patcher" else Usage(10, 10, 0.0)

    useless = World(characters={"patcher": "useless"})
    done = Stage(useless, usage=dear).perform(lesson(**MANY))
    assert done.ending.status == "regenerate" and "stop_token_budget" in done.ending.reason
    assert len(done.asked("patcher")) <= 3, "one for both, and then each alone: no section anew"
    assert done.text("evaporation") == CUT


def test_notes_that_nobody_pays_for_stay_open() -> None:
    def dear(request: ModelRequest) -> Usage:
        return Usage(20_000, 0, 0.0) if request.ask.role == "patcher" else Usage(10, 10, 0.0)

    notes = {"evaporation": "Shorter, please.", "precipitation": "Shorter, please."}
    useless = World(override=lambda q: edits(q.unit, ("no such words", "x")) if q.reply == "edit_reply" else None)
    done = Stage(useless, usage=dear).perform(lesson(), second_round(escalated(), notes=notes))
    assert len(done.asked("patcher")) == 1
    assert not done.rests["evaporation"].ready and not done.rests["precipitation"].ready
