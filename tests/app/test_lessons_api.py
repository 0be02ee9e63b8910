"""`burnish.lessons`: the stages from Python, with typed results and a stream of events."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

import burnish
from burnish import lessons
from burnish.core.errors import InputError, ModelFailed, UsageError
from burnish.kinds.lessons.events import REFINEMENT_EVENTS
from burnish.lessons import (
    ArbiterOutput,
    JudgeAggregatedResult,
    RefinementEvent,
    RefinementLimits,
    RefinementResult,
    SelfReviewResponse,
    arbitrate,
    judge,
    refine,
    refine_events,
    review,
)
from burnish.models.scripted import ScriptedModel
from tests.app.lesson_desk import DIRTY, put, scripted, serving
from tests.lessons_model import BOILS, DRY, SOURCE, SPEC, VAGUE, WRONG_YEAR, Defect, World, lesson

DEFECTS = tuple(Defect(d.bad, d.good, d.criterion, d.severity, cost=0.9) for d in (BOILS, VAGUE, WRONG_YEAR, DRY))
BROKEN = lesson(BOILS, VAGUE, WRONG_YEAR, DRY)
SOURCES = {"source.md": SOURCE}


def world(**given: Any) -> World:
    return World(defects=DEFECTS, **given)


def panel(w: World, seats: int = 2) -> list[ScriptedModel]:
    """Judges of one world, each an object of its own."""
    return [scripted(w) for _ in range(seats)]


async def everything(given: dict[str, Any], w: World, **terms: Any) -> list[RefinementEvent]:
    model = scripted(w)
    terms = {"model": model, "judges": panel(w), **terms}
    return [event async for event in refine_events(given, SPEC, SOURCES, **terms)]


def refined(given: dict[str, Any], w: World, **terms: Any) -> RefinementResult:
    result = asyncio.run(everything(given, w, **terms))[-1].result
    assert result is not None
    return result


def test_the_public_face() -> None:
    assert lessons.__all__ == sorted(lessons.__all__)
    assert all(hasattr(lessons, name) for name in lessons.__all__)
    assert {"review", "judge", "arbitrate", "refine", "refine_events"} <= set(lessons.__all__)
    assert burnish.lessons is lessons
    assert "lessons" in burnish.__all__


class TestReview:
    def test_without_a_model_the_rules_decide(self) -> None:
        response = asyncio.run(review(lesson(evaporation=DIRTY), SPEC))
        assert isinstance(response, SelfReviewResponse)
        assert (response.status, response.degraded) == ("FIXED", False)

    def test_with_a_model(self) -> None:
        flag = {
            "type": "TONE",
            "severity": "COMPLEX",
            "location": "intro",
            "quote": "Rain falls",
            "description": "Too dry.",
        }
        response = asyncio.run(review(lesson(), SPEC, SOURCES, model=scripted(world(review_issues=[flag]))))
        assert response.status == "FLAG_TO_JUDGE"

    def test_a_model_by_its_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        with serving(world()) as server:
            response = asyncio.run(review(lesson(), SPEC, model="openai:reader", base_url=server.base_url))
        assert (response.status, len(server.requests)) == ("PASS", 1)

    def test_paths_and_lessons_are_read_alike(self, tmp_path: Path) -> None:
        path = put(tmp_path, lesson(evaporation=DIRTY))
        by_path = asyncio.run(review(path, tmp_path / "spec.json", [tmp_path / "source.md"]))
        by_mapping = asyncio.run(review(lesson(evaporation=DIRTY), SPEC, SOURCES))
        assert by_path == by_mapping

    def test_json_that_breaks_off(self, tmp_path: Path) -> None:
        path = put(tmp_path, lesson())
        path.write_text(path.read_text()[:700])
        response = asyncio.run(review(path, tmp_path / "spec.json"))
        assert response.status == "REGENERATE"
        assert response.issues[0].location.startswith("content.sections")

    def test_the_profile(self) -> None:
        linked = lesson(evaporation=f"{BROKEN['content']['sections'][0]['content']} See [the tables]().")
        assert asyncio.run(review(linked, SPEC, profile="strict")).status in ("FLAG_TO_JUDGE", "FIXED")
        with pytest.raises(UsageError, match="profile cannot be 'lax'"):
            asyncio.run(review(linked, SPEC, profile="lax"))

    @pytest.mark.parametrize("given", [{"content": {"sections": [{"id": {1}}]}}, {"sections": float("nan")}, {"a": 1}])
    def test_what_is_no_lesson(self, given: dict[str, Any]) -> None:
        with pytest.raises(InputError):
            asyncio.run(review(given, SPEC))

    def test_one_path_is_no_list_of_sources(self) -> None:
        with pytest.raises(UsageError, match="list of paths"):
            asyncio.run(review(lesson(), SPEC, "source.md"))

    def test_the_spec_of_another_lesson(self) -> None:
        with pytest.raises(InputError, match="'fire'"):
            asyncio.run(review(lesson(), {**SPEC, "lesson_id": "fire"}))


class TestJudge:
    def test_two_judges_that_agree(self) -> None:
        result = asyncio.run(judge(BROKEN, SPEC, SOURCES, judges=panel(world(), 3)))
        assert isinstance(result, JudgeAggregatedResult)
        assert result.voting_method == "unanimous"
        assert [verdict.judge_model for verdict in result.verdicts] == ["given:judge-1", "given:judge-2"]
        assert {issue.location for issue in result.verdicts[0].issues} == {
            "evaporation",
            "condensation",
            "precipitation",
        }

    def test_the_third_is_asked_where_they_disagree(self) -> None:
        result = asyncio.run(judge(BROKEN, SPEC, SOURCES, judges=panel(world(leniency={"judge-2": -0.4}), 3)))
        assert len(result.verdicts) == 3
        assert result.voting_method == "majority"

    def test_what_the_review_flagged_is_shown_to_them(self) -> None:
        model = scripted(world())
        seen: list[str] = []
        answer = model.send

        async def send(call: Any) -> Any:
            seen.append(call.user)
            return await answer(call)

        model.send = send  # type: ignore[method-assign]
        stage_1 = asyncio.run(review(BROKEN, SPEC, SOURCES))
        asyncio.run(judge(BROKEN, SPEC, SOURCES, judges=[model], review=stage_1))
        assert any("1580" in user and "HALLUCINATION" in user for user in seen)

    def test_nobody_answers(self) -> None:
        silent = world(characters={"judge-1": "garbled", "judge-2": "down"})
        with pytest.raises(ModelFailed, match="could not be read"):
            asyncio.run(judge(BROKEN, SPEC, judges=panel(silent)))

    @pytest.mark.parametrize(
        ("judges", "words"),
        [
            ([], "one to three judges"),
            ("openai:gpt-5", "one to three judges"),
            (["openai:gpt-5", "openai:gpt-4o"], "same family"),
            (["openai:gpt-5", "openai:gpt-5"], "twice"),
        ],
    )
    def test_panels_that_are_refused(self, judges: Any, words: str) -> None:
        with pytest.raises(UsageError, match=words):
            asyncio.run(judge(BROKEN, SPEC, judges=judges))

    def test_one_object_takes_one_seat_only(self) -> None:
        model, other = panel(world())
        for judges in ([model, model], [model, other, model]):
            with pytest.raises(UsageError, match="twice"):
                asyncio.run(judge(BROKEN, SPEC, judges=judges, allow_same_family=True))


class TestArbitrate:
    def test_a_plan_from_the_verdicts(self) -> None:
        verdict = asyncio.run(judge(BROKEN, SPEC, SOURCES, judges=panel(world())))
        output = arbitrate(BROKEN, verdict, mode="full-auto")
        assert isinstance(output, ArbiterOutput)
        assert output.agreement_level == "high"
        assert {task.section_id for task in output.plan.tasks} == {"evaporation", "condensation", "precipitation"}
        stored = json.loads(json.dumps(verdict.as_wire()))
        assert arbitrate(BROKEN, stored, mode="full-auto") == output

    def test_what_is_no_verdict(self) -> None:
        with pytest.raises(InputError) as wrong:
            arbitrate(BROKEN, {"verdicts": []})
        assert wrong.value.field == "verdicts"

    def test_two_verdicts_of_one_judge_are_no_panel(self) -> None:
        judged = asyncio.run(judge(BROKEN, SPEC, SOURCES, judges=panel(world()))).as_wire()
        judged["verdicts"][1]["judgeModel"] = judged["verdicts"][0]["judgeModel"]
        with pytest.raises(InputError, match="twice") as wrong:
            arbitrate(BROKEN, judged)
        assert wrong.value.field == "verdicts"


class TestRefine:
    def test_a_lesson_is_mended_where_it_is_broken_and_nowhere_else(self) -> None:
        result = refined(BROKEN, world())
        assert (result.status, result.stop_reason) == ("accepted", "stop_score_threshold_met")
        assert result.content == lesson()["content"]
        assert result.score > 0.9

    def test_refine_gives_the_last_events_result(self) -> None:
        model = scripted(world())
        result = asyncio.run(refine(BROKEN, SPEC, SOURCES, model=model, judges=panel(world())))
        assert result.status == "accepted"

    def test_events_come_in_order_and_the_last_carries_the_result(self) -> None:
        events = asyncio.run(everything(BROKEN, world()))
        types = [event.type for event in events]
        assert types[0] == "self_reviewed"
        assert types[-1] == "ended"
        assert [event.result is not None for event in events] == [False] * (len(events) - 1) + [True]
        told = [name for name in types if name in REFINEMENT_EVENTS]
        assert told[0] == "refinement_start" and told[-1] == "refinement_complete"
        assert {"arbiter_consolidation", "batch_started", "task_started", "verification_result"} <= set(told)
        assert {event.phase for event in events} >= {None, "stage_6_judge", "stage_6_arbiter", "stage_6_patcher"}
        assert all(event.data.get("node", event.node) == event.node for event in events)

    def test_full_auto_delivers_the_best_there_is(self) -> None:
        worse = world(base=0.8, characters={"patcher": "disobedient"})
        result = refined(BROKEN, worse, mode="full-auto", patcher=scripted(worse))
        assert result.status == "best_effort"
        assert result.content == BROKEN["content"], "nothing held, so it is as it came"
        assert result.best_effort is not None and result.best_effort.content == result.content
        assert result.improvement_hints

    def test_semi_auto_asks_a_person(self) -> None:
        worse = world(base=0.8, characters={"patcher": "disobedient"})
        result = refined(BROKEN, worse, patcher=scripted(worse))
        assert result.status == "escalated"

    def test_limits(self) -> None:
        result = refined(BROKEN, world(base=0.88), limits=RefinementLimits(max_total_tokens=0))
        assert result.stop_reason == "stop_token_budget"

    def test_a_lesson_that_has_to_be_written_again_says_so(self) -> None:
        empty = lesson(evaporation="TODO", condensation="...", precipitation="[Insert text here]")
        result = refined(empty, world(), judges=[scripted(world())])
        assert result.status == "escalated"
        assert result.blocked is not None and "written again" in result.blocked
        assert result.score == 0.0

    def test_the_generator_writes_it_again(self) -> None:
        empty = lesson(evaporation="TODO", condensation="...", precipitation="[Insert text here]")
        result = refined(empty, world(), generator=scripted(world()))
        assert result.status == "accepted"
        assert result.content["sections"] == lesson()["content"]["sections"]

    def test_nobody_answers(self) -> None:
        silent = world(characters={"judge-1": "garbled", "judge-2": "garbled"})
        with pytest.raises(ModelFailed, match="could not be read"):
            refined(BROKEN, silent)

    def test_half_a_lesson_is_not_refined(self) -> None:
        broken = copy.deepcopy(BROKEN)
        broken["content"]["sections"][0] = 7
        with pytest.raises(InputError):
            refined(broken, world())

    def test_the_generators_own_family_may_not_judge(self) -> None:
        with pytest.raises(UsageError, match="the generator openai:gpt-5"):
            refined(BROKEN, world(), generator="openai:gpt-5", judges=["openai:gpt-4o", "ollama:qwen3"])

    def test_a_generator_as_an_object_may_not_judge_its_own_work_either(self) -> None:
        judges = panel(world())
        with pytest.raises(UsageError, match="the generator"):
            refined(BROKEN, world(), generator=judges[1], judges=judges)
        allowed = refined(BROKEN, world(), generator=judges[1], judges=judges, allow_same_family=True)
        assert allowed.status == "accepted"


def test_check_and_polish_take_what_lies_beside_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = put(tmp_path, lesson(evaporation=DIRTY))
    report = burnish.check(path, spec="spec.json", sources=["source.md"])
    assert report["summary"]["by_rule"] == {"broken_link": 1, "chatbot_phrase": 1, "unclosed_emphasis": 1}
    names = ["given:judge-a", "given:judge-b"]
    model = scripted(world())
    terms: dict[str, Any] = {"spec": "spec.json", "sources": ["source.md"], "mode": "full-auto", "run_id": "r"}
    result = asyncio.run(burnish.polish(path, model=model, judges=names, **terms))
    assert result.outcome.stopped == "done"
    assert [Path(proof.path).name for proof in result.published] == ["water.json"]


def test_half_a_character_is_refused_as_in_a_file() -> None:
    with pytest.raises(InputError, match="not valid JSON"):
        asyncio.run(review(lesson(evaporation="Half \ud800 a character."), SPEC))


class TestTextInPlaceOfAPath:
    def test_a_text_of_several_lines_is_the_lesson_itself(self) -> None:
        text = "\n\n".join(f"## {part['title']}\n\n{part['content']}" for part in lesson()["content"]["sections"])
        assert asyncio.run(review(f"# Water\n\n{text}\n", SPEC)).status == "PASS"
        assert asyncio.run(review(json.dumps(lesson(), indent=1), json.dumps(SPEC, indent=1))).status == "PASS"

    def test_text_that_breaks_off_is_no_path_either(self) -> None:
        cut = asyncio.run(review(json.dumps(BROKEN, indent=1)[:700], SPEC))
        assert (cut.status, cut.issues[0].type) == ("REGENERATE", "TRUNCATION")

    @pytest.mark.parametrize("given", [("x " * 5000, None), (lesson(), "x " * 5000)])
    def test_what_is_no_file_name_is_not_said_again_in_full(self, given: Any) -> None:
        with pytest.raises(InputError) as wrong:
            asyncio.run(review(*given))
        assert len(str(wrong.value)) < 300 and wrong.value.hint
