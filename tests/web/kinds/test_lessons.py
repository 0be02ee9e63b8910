"""Lessons in the workbench: their refinement at every moment, their judges, sections, queue and editor."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.kinds.lessons.kind import KIND
from burnish.web.kinds import parts_of
from burnish.web.kinds.lessons import SHOWN, chooser
from burnish.web.kinds.lessons.record import (
    LessonRecord,
    agreement_view,
    criteria_view,
    lesson_context,
    lesson_record,
    plain_title,
    score_chart,
    vote_views,
)
from burnish.web.kinds.lessons.refinement import iteration_rows, latest_events, limit_rows, plan_view, self_review_view
from tests.lessons_model import BOILS, VAGUE, Defect, World, lesson
from tests.web.kinds.making import lesson_world, make_lessons
from tests.web.paper import read
from tests.workbench import Workbench, workbench

HOSTILE = (
    "Rain falls, rivers run to the sea, and still the sea does not overflow\u202e. <script>alert(1)</script> This "
    "lesson follows a **drop** of water from the sea to the sky and back. At the end you can [name](javascript:x) its "
    "stages and say what drives them."
)
REMARK = {
    "type": "TONE",
    "severity": "INFO",
    "location": "conclusion",
    "description": "It ends a little suddenly.",
    "quote": "The next time it rains",
}
CLAIM = "Bernard Palissy explained springs in 1580."


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`water`: two iterations, an edit that is rolled back. `two`: one lesson that waits for a person, and one that is
    fine. `bare`: nobody judges. `alone`: one judge does."""
    home = tmp_path_factory.mktemp("lessons")
    assert make_lessons(home, "water", lesson_world()) == 0
    lessons = {"a.json": lesson(BOILS, VAGUE, intro=HOSTILE), "b.json": lesson()}
    wrong = Defect(BOILS.bad, BOILS.good, severity="critical", cost=0.9)
    hopeless = World(
        defects=(wrong, VAGUE),
        characters={"patcher": "disobedient"},
        review_issues=[REMARK],
        claims=[("precipitation", "in the year 1580", CLAIM)],
        verdicts={CLAIM: ("supported", None)},
    )
    assert make_lessons(home, "two", hopeless, lessons) == 3
    assert make_lessons(home, "bare", lesson_world(), judges=None) == 3
    assert make_lessons(home, "alone", lesson_world(), judges="openai:mistral-small-3.2") == 3
    return home / "runs"


@pytest.fixture(scope="module")
def water(index: RunIndex) -> RunReader:
    return index.open("water")


@pytest.fixture(scope="module")
def two(index: RunIndex) -> RunReader:
    return index.open("two")


@pytest.fixture(scope="module")
def story(water: RunReader) -> LessonRecord:
    return lesson_record(water, "water.json")


class TestRefinement:
    def test_score_by_iteration(self, story: LessonRecord) -> None:
        chart = score_chart(story)
        assert chart is not None and chart.soon is None
        assert [point.label for point in chart.judged] == ["first judging", "iteration 1", "iteration 2"]
        assert [point.x for point in chart.judged] == [9.0, 36.0, 63.0], "there is room for the third iteration"
        heights = [point.y for point in chart.judged]
        assert heights == sorted(heights, reverse=True), "higher scores stand higher"
        assert chart.accept.y < chart.good.y and (chart.accept.score, chart.good.score) == (0.90, 0.85)
        assert all(re.fullmatch(r"\.\d{3}", point.text) for point in chart.judged)
        assert all(8 <= level.y <= 228 for level in (*chart.grid, chart.accept, chart.good))

    def test_agreement(self, story: LessonRecord) -> None:
        view = agreement_view(story)
        assert view is not None and view.scale is not None and view.interval is not None
        assert view.judges == (("square", "mistral-small-3.2"), ("ring", "gemma-3-27b"))
        assert (view.level, view.near, len(view.criteria)) == ("high", 6, 6)
        first, second = view.criteria[0].points
        assert (first.score, second.score) == (0.9, 0.86) and first.at > second.at
        assert view.scale.interval_at is not None and view.scale.interval_at[0] < view.scale.at

    def test_iterations_newest_first_with_every_task(self, story: LessonRecord) -> None:
        second, first = iteration_rows(story, {"evaporation": "evaporation"})
        assert (second.shown.iteration, first.shown.iteration) == (1, 0)
        assert [batch.label for batch in first.batches] == ["Batch 1, major", "Batch 2, major"]
        tasks = [task for batch in first.batches for task in batch.tasks]
        assert [(task.title, task.state) for task in tasks] == [
            ("Evaporation", "done"),
            ("Condensation", "rolled_back"),
        ]
        assert tasks[1].text == "edit rolled back: engagement fell by .30, locked at .88"
        assert tasks[0].text == "edit, verified" and tasks[0].task.tokens_used
        assert second.decision == "every section is locked" and not second.running

    def test_criteria_plan_and_limits(self, story: LessonRecord) -> None:
        criteria = criteria_view(story)
        assert criteria is not None
        [clarity] = [row for row in criteria.rows if row.name == "Clarity"]
        assert clarity.before < clarity.now and clarity.before_at < criteria.line_at and clarity.locked
        plan = plan_view(story)
        assert plan is not None and (plan.by_several, plan.raised, plan.tasks) == (2, 2, 1)
        assert {issue.title for issue in plan.issues} == {"Evaporation", "Condensation"}
        iterations, tokens, time = limit_rows(story)
        assert (iterations.used, iterations.most, iterations.reached) == (2, 3, False)
        assert 0 < tokens.share < 100 and tokens.most == 15_000 and time.unit == "s"

    def test_judges_and_the_first_reading(self, story: LessonRecord) -> None:
        last, *_, first = vote_views(story)
        assert (first.label, last.label) == ("First judging", "After iteration 2")
        assert [one.role for one in first.vote.verdicts] == ["primary", "secondary"]
        assert first.issues[0] and set(first.vote.verdicts[0].criteria_scores) == set(first.criteria)
        review = self_review_view(story)
        assert review is not None and (review["status"], review["label"]) == ("PASS", "Passed")

    def test_what_the_first_reader_noticed_and_held_against_the_source(self, two: RunReader) -> None:
        review = self_review_view(lesson_record(two, "a.json"))
        assert review is not None and review["status"] == "PASS_WITH_FLAGS"
        [issue] = [one for one in review["issues"] if one["type"] == "Tone"]
        assert (issue["severity"], issue["title"], issue["quote"]) == ("info", "Conclusion", "The next time it rains")
        [claim] = review["claims"]
        assert tuple(claim[name] for name in ("claim", "verdict", "tone", "title")) == (
            CLAIM,
            "supported",
            "ok",
            "Precipitation",
        )

    def test_conflicts_and_what_is_set_aside(self, story: LessonRecord) -> None:
        planned = next(event for event in story.events if event.type == "arbiter_consolidation")
        first, second = planned.data["accepted"]
        lost = {**second, "criterion": "engagement_examples", "sectionId": first["sectionId"]}
        data = {
            **planned.data,
            "rejected": [lost],
            "rejections": [{"issueId": lost["id"], "reason": "too_few_judges"}],
            "accepted": [first],
            "conflicts": [{"issue1": first, "issue2": lost, "resolution": "clarity first"}],
        }
        events = [dataclasses.replace(one, data=data) if one is planned else one for one in story.events[:8]]
        plan = plan_view(dataclasses.replace(story, events=events))
        assert plan is not None and plan.aside == 1 and plan.issues[1].aside == "only one judge named it"
        [conflict] = plan.conflicts
        assert conflict.startswith("In Evaporation, clarity won over engagement. Engagement stays in the instructions")

    def test_it_is_a_picture_of_every_moment(self, story: LessonRecord) -> None:
        """While a run works, a page sees any beginning of its events."""
        running = []
        for until in range(len(story.events) + 1):
            now = dataclasses.replace(story, events=story.events[:until], at_work=True)
            chart, rows = score_chart(now), iteration_rows(now, {})
            assert (chart is None) == (not now.panels)
            for view in (agreement_view, criteria_view, plan_view, limit_rows, vote_views, self_review_view):
                view(now)
            assert len(latest_events(now, KIND)) == min(until, 8)
            running += [row.batches[-1].tasks[-1].text for row in rows[:1] if row.running and row.batches]
        assert {"waiting for its batch", "edit being written", "edit, being verified", "edit, verified"} <= set(running)
        soon = dataclasses.replace(story, events=story.events[:9], at_work=True)
        chart = score_chart(soon)
        assert chart is not None and chart.soon is not None and chart.soon.label == "1, running"

    def test_events_in_words(self, story: LessonRecord) -> None:
        said = {event.type: text for event, text in latest_events(story, KIND)}
        assert said["round_ended"] == "Accepted with open issues"
        assert said["section_locked"] == "Evaporation: edits used up"
        assert said["patch_applied"] == "Evaporation: 1 place edited"


class TestChoosing:
    def test_what_waits_for_a_person_comes_first(self, two: RunReader) -> None:
        found = chooser(two, None)
        assert (found.document, found.position, found.total, found.next) == ("a.json", 1, 2, "b.json")
        assert [(one.document, one.tone, one.label) for one in found.choices] == [
            ("a.json", "wait", "needs a person"),
            ("b.json", "done", "accepted"),
        ]

    def test_another_can_be_chosen_and_a_stranger_cannot(self, two: RunReader) -> None:
        assert chooser(two, "b.json").previous == "a.json"
        assert chooser(two, "../../etc/passwd").document == "a.json"

    def test_one_lesson_needs_no_choice(self, water: RunReader) -> None:
        assert chooser(water, None).choices == ()

    def test_of_very_many_only_the_neighbours_are_offered(self, two: RunReader) -> None:
        [first, *_] = two.view.plan.documents
        many = tuple(dataclasses.replace(first, name=f"{number:04}.json") for number in range(2_000))
        plan = dataclasses.replace(two.view.plan, documents=many)
        run = dataclasses.replace(two.view, plan=plan)
        found = chooser(_Looking(run), "1000.json")  # type: ignore[arg-type]
        assert len(found.choices) == SHOWN and found.position == 1001
        assert (found.choices[0].document, found.choices[-1].document) == ("0996.json", "1004.json")
        assert found.choices[0].label == "not started"


@dataclasses.dataclass
class _Looking:
    """As much of a catalogue as a chooser looks at."""

    view: object


def test_a_lesson_whose_file_is_gone_goes_by_its_ids(index: RunIndex, tmp_path: Path) -> None:
    run = index.open("water")
    [document] = run.view.plan.documents
    moved = dataclasses.replace(document, path=str(tmp_path / "gone.json"))
    plan = dataclasses.replace(run.view.plan, documents=(moved,), materials=())
    view = _Looking(dataclasses.replace(run.view, plan=plan))
    context = lesson_context(view, "water.json")  # type: ignore[arg-type]
    assert context.lesson.units == () and lesson_context(view, "other.json").lesson.units == ()  # type: ignore[arg-type]
    story = LessonRecord("water.json", (), "full-auto", context)
    assert (story.title_of("evaporation"), story.lang, story.score, story.thresholds.mode) == (
        "evaporation",
        None,
        None,
        "full-auto",
    )


def test_titles_of_sections_without_one() -> None:
    assert [plain_title(id) for id in ("exercises/0", "examples/11", "intro", "fronts", "examples/x")] == [
        "Exercise 1",
        "Example 12",
        "Introduction",
        "fronts",
        "examples/x",
    ]


class TestQueue:
    def test_the_reason_marks_the_words(self, two: RunReader) -> None:
        parts = parts_of("lessons").focus_parts(two, two.story("a.json/evaporation"))
        marked = [each.text for each in parts.reason if each.severity]
        assert marked == [BOILS.bad] and parts.severity == "critical" and parts.rule == "clarity_readability"
        assert any("accept at .90" in fact for fact in parts.facts)
        assert parts.proposed == (), "it stands as it came"

    def test_what_accepting_changes_is_shown(self, water: RunReader) -> None:
        parts = parts_of("lessons").focus_parts(water, water.story("evaporation"))
        [panel] = parts.proposed
        [(label, pieces)] = panel.context["changes"]
        assert label == "" and {piece.change for piece in pieces} == {"same", "ins", "del"}

    def test_the_editor_gives_back_what_the_kind_reads(self, two: RunReader) -> None:
        story = two.story("a.json/evaporation")
        editor = parts_of("lessons").editor(story)
        [field] = editor.fields
        assert BOILS.bad in field.value and field.label == "Evaporation"
        edited = KIND.from_person(story.source, editor.text_of({"text": field.value.replace(BOILS.bad, "it rises")}))
        assert "it rises" in edited.texts()[None]

    def test_of_an_exercise_the_solution_is_edited(self, two: RunReader) -> None:
        editor = parts_of("lessons").editor(two.story("a.json/exercises/0"))
        [field] = editor.fields
        assert field.label.startswith("Solution of “Why does the sea") and field.value.startswith("As much water")


@pytest.fixture(scope="module")
def bench(runs: Path) -> Iterator[Workbench]:
    with workbench(runs) as server:
        yield server


class TestPages:
    def test_the_refinement(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/water?tab=refinement")
        for heading in (
            "Score by iteration",
            "Agreement of the judges",
            "Iterations and batches",
            "Sections",
            "Limits",
        ):
            assert f">{heading}</h2>" in page
        assert "Accepted with open issues at 0.86 after 2 iterations" in said
        assert "English, beginner, 5 sections, 2 objectives" in said
        assert 'aria-label="Score by iteration: .838, .856, .864; accept at .90, good enough at .85"' in page
        assert " style=" not in page and "<script>" not in page

    @pytest.mark.parametrize("tab", ["refinement", "units", "self-review", "judges", "overview", "bogus"])
    @pytest.mark.parametrize("run", ["water", "two", "bare", "alone"])
    def test_every_tab_of_every_run(self, robin: httpx2.Client, run: str, tab: str) -> None:
        page, said = read(robin, f"/runs/{run}?tab={tab}")
        assert said and "aria-current" in page

    def test_nobody_judges(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs/bare?tab=refinement")
        assert "This run has no judges" in said and "Not judged" in said
        assert "Not judged yet" in read(robin, "/runs/bare?tab=judges")[1]

    def test_one_judge_alone(self, robin: httpx2.Client) -> None:
        _, said = read(robin, "/runs/alone?tab=refinement")
        assert "Only one judge, so there is no agreement to measure" in said and "Krippendorff" not in said
        assert "Check the issues that were set aside" in said

    def test_lessons_are_chosen_by_links(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/two?tab=refinement")
        assert "Lesson 1 of 2" in said and 'href="/runs/two?tab=refinement&amp;document=b.json"' in page
        _, said = read(robin, "/runs/two?document=b.json&tab=units")
        assert "Lesson 2 of 2" in said and "6 sections" in said

    def test_a_filter_may_be_about_the_whole_run(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/two?tab=units&state=escalated&document=a.json")
        assert "that match" in said and "Needs a person" in said and "b.json/intro" not in page
        assert "No section matches these filters" in read(robin, "/runs/two?tab=units&text=zebra")[1]
        _, said = read(robin, "/runs/two?tab=units&state=accepted")
        assert "b.json" in said

    def test_what_content_says_stays_text(self, robin: httpx2.Client) -> None:
        page, _ = read(robin, "/runs/two/units/a.json%2Fintro")
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script>alert" not in page
        assert "\u202e" not in page and "<strong>drop</strong>" in page
        assert 'href="javascript' not in page and "javascript:x" in page

    def test_the_section_as_a_learner_reads_it(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/two/units/a.json%2Fexercises%2F0")
        assert "As a learner reads it" in said and "<summary>Solution</summary>" in page
        assert re.search(r'<div class="text read" lang="en" dir="auto">', page)

    def test_the_queue_lists_what_is_marked(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/queue?run=two&unit=a.json%2Fevaporation")
        assert f'<mark class="critical" lang="en"><bdi>{BOILS.bad}</bdi></mark>' in page
        assert 'id="f1"' in page and "Say what really happens." in said
