"""Runs over lessons from the command line, over HTTP: how they end, what they leave behind, what people do to them."""

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.receipt import Manifest, Receipt, RunReport
from burnish.core.presentation import Remark
from burnish.kinds.lessons.display import CLEVVotingResult, LessonInspectorDataRefinementExtension
from burnish.kinds.lessons.views import JudgementRow, LessonDocument, LessonSpec, RefinementRow, describe
from tests.app.desk import Desk, Said
from tests.app.lesson_desk import CLEAN, DIRTY, put, serving
from tests.lessons_model import BOILS, DRY, SOUND, SPEC, VAGUE, WRONG_YEAR, Defect, Question, World, as_text, lesson

DEFECTS = tuple(Defect(d.bad, d.good, d.criterion, d.severity, cost=0.9) for d in (BOILS, VAGUE, WRONG_YEAR, DRY))
BROKEN = lesson(BOILS, VAGUE, WRONG_YEAR, DRY)
JUDGES = "openai:judge-a,ollama:judge-b,deepseek:judge-c"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OLLAMA_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, "not-a-key")


def polish(desk: Desk, world: World, *more: object, given: dict[str, Any] | None = None, id: str = "r") -> Said:
    """`burnish polish` with every seat taken, against the world."""
    path = put(desk.home, given or BROKEN)
    (desk.home / "burnish.toml").write_text("[limits]\nmax_tries = 1\n")
    seats = ("--model", "openai:reader", "--patcher", "openai:patcher", "--judges", JUDGES)
    beside = ("--spec", "spec.json", "--source", "source.md")
    with serving(world) as server:
        return desk("polish", path, *beside, *seats, "--base-url", server.base_url, "--run-id", id, *more)


def world(**given: Any) -> World:
    return World(defects=DEFECTS, **given)


def stubborn(**given: Any) -> World:
    """A world in which no repair succeeds."""
    return world(base=0.8, characters={"patcher": "disobedient"}, **given)


def exported(desk: Desk, name: str, id: str = "r") -> Any:
    return json.loads((desk.run(id).root / name).read_text(encoding="utf-8"))


def lines(desk: Desk, name: str) -> list[Any]:
    return [json.loads(line) for line in (desk.run().root / name).read_text(encoding="utf-8").splitlines()]


class TestAccepted:
    def test_it_is_mended_published_and_told(self, desk: Desk) -> None:
        said = polish(desk, world())
        assert said.code == 0, said.out + said.err
        assert (desk.run().out / "water.json").read_text(encoding="utf-8") == as_text(lesson())
        assert "6 units: 6 accepted, 3 of them changed" in said.out
        assert "accepted at 0.96 after 1 iteration: meets the threshold" in " ".join(said.out.split())
        assert "iteration 1: 3 repairs planned" in said.err
        assert "left" not in said.err, "a bar would say nothing here"

    def test_the_receipt(self, desk: Desk) -> None:
        polish(desk, world())
        receipt = Receipt.model_validate(exported(desk, "receipt.json"))
        [document] = receipt.documents
        assert (document.status, document.rounds) == ("accepted", 1)
        assert document.reason is not None and "stop_score_threshold_met" in document.reason
        assert set(document.untouched) == {"intro", "exercises/0", "conclusion"}
        assert all(hash.startswith("sha256:") for hash in document.untouched.values())
        assert receipt.models["patcher"] == "openai:patcher"
        assert receipt.totals.total_tokens > 0
        edits = {unit.unit: attempt for unit in receipt.units for attempt in unit.attempts if attempt.edits}
        assert set(edits) == {"evaporation", "condensation", "precipitation"}
        edit = edits["evaporation"]
        assert edit.receipt is not None and edit.receipt.verification is not None
        assert edit.receipt.action == "SURGICAL_EDIT"
        assert edit.receipt.issues[0]["quotedText"] == BOILS.bad
        assert edit.receipt.verification.passed
        assert edit.receipt.verification.delta_judge is not None
        assert f"+The sun warms the surface of seas and lakes. Where it is warm enough, {SOUND['boils']}" in edit.diff
        assert edit.usage.total_tokens > 0

    def test_what_was_rolled_back_is_told_so(self, desk: Desk) -> None:
        polish(desk, world(base=0.86, characters={"patcher": "spoiling"}))
        receipt = Receipt.model_validate(exported(desk, "receipt.json"))
        edits = {unit.unit: attempt for unit in receipt.units for attempt in unit.attempts if attempt.edits}
        gone = {unit for unit, edit in edits.items() if edit.rolled_back}
        published = json.loads((desk.run().candidate / "water.json").read_text())["content"]["sections"]
        kept = {one["id"] for one, old in zip(published, BROKEN["content"]["sections"], strict=True) if one == old}
        assert gone and gone == kept & set(edits)
        assert not any(edits[unit].passed for unit in gone)
        rows = [RefinementRow.model_validate(row) for row in lines(desk, "refinements.jsonl")]
        assert {row.unit for row in rows if row.repairs[0].rolled_back and not row.repairs[0].stands} == gone

    def test_safe_fixes_stand_in_the_receipt_with_what_they_settled(self, desk: Desk) -> None:
        polish(desk, World(), given=lesson(evaporation=DIRTY))
        receipt = Receipt.model_validate(exported(desk, "receipt.json"))
        [unit] = receipt.units
        fix = unit.attempts[0]
        assert fix.cause == "safe_fix" and fix.receipt is not None
        assert fix.receipt.action == "SAFE_FIX"
        assert {finding.rule for finding in fix.receipt.findings} == {
            "broken_link",
            "chatbot_phrase",
            "unclosed_emphasis",
        }
        assert "+Wind carries the vapour away" in fix.diff
        assert CLEAN in json.loads((desk.run().out / "water.json").read_text())["content"]["sections"][0]["content"]

    def test_the_displays(self, desk: Desk) -> None:
        polish(desk, world())
        shown = exported(desk, "refinement_display.json")
        display = LessonInspectorDataRefinementExtension.model_validate(shown["water.json"])
        assert display.refinement_plan is not None
        assert display.refinement_plan.status == "COMPLETED"
        assert display.active_refinement is None
        [iteration] = display.refinement_plan.iterations
        tokens = {task.section_id: task.tokens_used for task in iteration.tasks}
        receipt = Receipt.model_validate(exported(desk, "receipt.json"))
        assert tokens == {unit.unit: unit.usage.total_tokens for unit in receipt.units}, "each token is told once"
        votes = [CLEVVotingResult.model_validate(vote) for vote in exported(desk, "panel_votes.json")["water.json"]]
        assert [vote.iteration for vote in votes] == [None, 0]
        assert votes[1].aggregated_score > votes[0].aggregated_score

    def test_the_other_files_keep_to_their_contracts(self, desk: Desk) -> None:
        polish(desk, world())
        Manifest.model_validate(exported(desk, "manifest.json"))
        report = RunReport.model_validate(exported(desk, "report.json"))
        history = report.documents[0]["refinement_history"]
        assert len(history) == 1 and set(history[0]) == {"feedback", "score"}
        assert len([JudgementRow.model_validate(row) for row in lines(desk, "judgements.jsonl")]) == 6
        assert len([RefinementRow.model_validate(row) for row in lines(desk, "refinements.jsonl")]) == 3
        LessonDocument.model_validate(BROKEN)
        LessonSpec.model_validate(SPEC)

    def test_exports_can_be_made_again(self, desk: Desk) -> None:
        polish(desk, world())
        before = {path.name: path.read_bytes() for path in desk.run().root.glob("*.json*")}
        for name in before:
            (desk.run().root / name).unlink()
        assert desk("export", "r").code == 0
        assert {path.name: path.read_bytes() for path in desk.run().root.glob("*.json*")} == before

    def test_best_effort_is_published_and_exits_with_3(self, desk: Desk) -> None:
        said = polish(desk, world(base=0.72, characters={"patcher": "disobedient"}), "--mode", "full-auto")
        assert said.code == 3, said.out
        assert "Published as best effort: " in said.out
        assert "6 units: 6 delivered as best effort, not accepted" in said.out
        assert (desk.run().out / "water.json").is_file()


class TestNeedsAPerson:
    def test_what_is_escalated_reads_well(self, desk: Desk) -> None:
        said = polish(desk, stubborn())
        assert said.code == 3
        flat = " ".join(said.out.split())
        assert "escalated at 0.7" in flat and "repairs no longer move the score" in flat
        assert "person evaporation the lesson is not accepted, and this unit has open issues" in flat
        assert "burnish decide r UNIT" in said.out
        status = " ".join(desk("status", "r").out.split())
        assert "escalated at 0.7" in status
        assert "person condensation" in status

    def test_show_tells_attempts_with_their_reasons(self, desk: Desk) -> None:
        polish(desk, stubborn())
        said = desk("show", "r", "evaporation").out
        assert "Original:" in said
        assert "not used: the text: the words to replace are not in this field" in said
        assert "passed; ;" not in said and "; ," not in said
        listed = desk("show", "r").out
        assert "evaporation  needs a person  the lesson is not accepted" in listed
        record = desk("show", "r", "evaporation", "--json").json
        assert record["attempts"][0]["scores"]["clarity_readability"] < 0.5

    def test_show_tells_what_a_repair_was_for_and_what_was_not_counted(self, desk: Desk) -> None:
        invented = {
            "criterion": "clarity_readability",
            "severity": "minor",
            "unit": "intro",
            "quotedText": "words that nobody wrote",
            "description": "This is hard to follow.",
        }

        def answer(question: Question) -> object:
            if question.reply != "judge_reply":
                return None
            said = world()._judge(question, "honest")
            return {**said, "issues": [*said["issues"], invented]}

        polish(desk, world(override=answer))
        said = desk("show", "r", "evaporation").out
        assert "small edit" in said
        assert f"because: The words “{BOILS.bad}” are not right." in said
        assert "compared: settled, confidence high: Both texts read." in said
        assert said.count("turns into vapour and rises") == 1, "a text that was only judged again is not told twice"
        about_intro = desk("show", "r", "intro").out
        assert "not counted, the quote is not in the text: This is hard to follow." in about_intro
        dropped = desk("show", "r", "intro", "--json").json["dropped"]
        assert {each["reason"] for each in dropped} == {"quote_not_found"}

    def test_a_person_edits_and_accepts_and_it_is_published(self, desk: Desk) -> None:
        polish(desk, stubborn())
        text = desk.home / "edited.md"
        text.write_text(lesson()["content"]["sections"][0]["content"], encoding="utf-8")
        said = desk("decide", "r", "evaporation", "edit", "--by", "Ann", "--text-file", text)
        assert said.code == 0, said.out + said.err
        for unit in [part["unit"] for part in desk("status", "r", "--json").json["blockers"]]:
            assert desk("decide", "r", unit, "accept", "--by", "Ann").code == 0
        with serving(stubborn()) as server:
            said = desk("resume", "r", "--base-url", server.base_url)
        assert said.code == 0, said.out + said.err
        assert not server.requests, "nobody is asked about what a person has settled"
        published = json.loads((desk.run().out / "water.json").read_text(encoding="utf-8"))
        assert published["content"]["sections"][0] == lesson()["content"]["sections"][0]
        assert published["content"]["sections"][1] == BROKEN["content"]["sections"][1]

    @pytest.mark.parametrize(
        ("text", "code", "words"), [("The sun warms the", 1, "truncation"), ("  \n", 2, "empty")], ids=["cut", "empty"]
    )
    def test_an_edit_that_breaks_rules_keeps_waiting(self, desk: Desk, text: str, code: int, words: str) -> None:
        polish(desk, stubborn())
        (desk.home / "edited.md").write_text(text)
        said = desk("decide", "r", "evaporation", "edit", "--by", "Ann", "--text-file", "edited.md")
        assert said.code == code
        assert words in said.out + said.err

    def test_what_is_sent_back_is_tried_again_with_the_note(self, desk: Desk) -> None:
        polish(desk, stubborn())
        note = f"Not “{BOILS.bad}”: say what really happens."
        assert desk("decide", "r", "evaporation", "reject", "--by", "Ann", "--note", note).code == 0
        with serving(world()) as server:
            desk("resume", "r", "--base-url", server.base_url)
        assert any(note in request.user for request in server.requests)

    @pytest.mark.parametrize(
        ("characters", "words"),
        [
            ({"judge-a": "garbled", "judge-b": "garbled", "judge-c": "garbled"}, "when the model answers again"),
            ({"judge-a": "harsh", "judge-b": "harsh", "judge-c": "harsh"}, "has to be regenerated"),
        ],
        ids=["silent", "harsh"],
    )
    def test_other_endings(self, desk: Desk, characters: Any, words: str) -> None:
        said = polish(desk, world(characters=characters))
        assert said.code == (1 if "regenerated" in words else 6)
        assert words in said.out
        assert "Published" not in said.out

    def test_nobody_judges(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        said = desk("polish", path, "--spec", "spec.json", "--run-id", "r")
        assert said.code == 3
        assert "no judges were given" in said.out
        assert "--judges" in said.out
        assert "No model was called." in said.out


def test_a_folder_of_lessons(desk: Desk) -> None:
    place = desk.home / "course"
    place.mkdir()
    for name in ("one", "two"):
        put(place, {**lesson(), "lesson_id": name}, f"{name}.json")
    (place / "spec.json").unlink()
    (place / "source.md").unlink()
    with serving(World()) as server:
        said = desk(
            "polish",
            "course",
            "--judges",
            "openai:judge-a,ollama:judge-b",
            "--base-url",
            server.base_url,
            "--run-id",
            "r",
        )
    assert said.code == 0, said.out + said.err
    assert sorted(path.name for path in desk.run().out.iterdir()) == ["one.json", "two.json"]
    assert set(exported(desk, "refinement_display.json")) == {"one.json", "two.json"}
    receipt = Receipt.model_validate(exported(desk, "receipt.json"))
    assert [document.document for document in receipt.documents] == ["one.json", "two.json"]
    assert set(receipt.documents[0].untouched) >= {"one.json/intro", "one.json/evaporation"}


def test_kindred_judges_are_refused_unless_allowed(desk: Desk) -> None:
    path = put(desk.home, lesson())
    panel = ("--judges", "openai:gpt-5,openai:gpt-4o", "--run-id", "r")
    said = desk("polish", path, *panel)
    assert said.code == 2
    assert "same family" in said.err
    assert desk("polish", path, *panel, "--allow-same-family", "--estimate").code == 0
    noted = desk("models", *panel[:2], "--no-ask").out
    assert "note: lessons: openai:gpt-4o is of the same family" in noted


def test_models_knows_the_seats_of_lessons(desk: Desk) -> None:
    seats = ("--model", "openai:m", "--judges", "openai:a,ollama:b", "--patcher", "openai:p", "--generator", "x:g")
    said = desk("models", *seats, "--no-ask", "--json").json["roles"]
    assert [(seat["role"], seat["model"]) for seat in said] == [
        ("corrector", "openai:m"),
        ("judge 1", "openai:a"),
        ("judge 2", "ollama:b"),
        ("reviewer", "openai:m"),
        ("patcher", "openai:p"),
        ("generator", "x:g"),
    ]
    assert [seat["set_by"] for seat in said][-2:] == ["--patcher", "--generator"]


class TestRulesAndSchemas:
    def test_rules_of_whole_lessons_show_what_they_are_held_against(self, desk: Desk) -> None:
        said = desk("rules", "objective_coverage").out
        assert "objective: LO1 Explain how volcanoes erupt" in said
        assert "The lesson does not cover the objective LO1" in said
        assert "source: The Treaty of Utrecht" in desk("rules", "source_numbers").out

    def test_no_example_of_a_rule_is_empty_or_crashes(self, desk: Desk) -> None:
        for line in desk("rules", "--json").out.splitlines():
            rule = json.loads(line)
            if rule["kind"] == "lessons":
                assert all(example["lines"] for example in (*rule["bad"], *rule["good"])), rule["id"]
                assert all(example["message"] and "crashed" not in example["message"] for example in rule["bad"])
                assert all(example["message"] is None for example in rule["good"]), rule["id"]

    @pytest.mark.parametrize(
        "name",
        [
            "SelfReviewResponse",
            "RefinementResult",
            "LessonInspectorDataRefinementExtension",
            "CLEVVotingResult",
            "lesson",
        ],
    )
    def test_schemas_by_either_name(self, desk: Desk, name: str) -> None:
        assert desk("schema", name).json["type"] == "object"


def test_an_unreadable_lesson_is_refused_before_anything_is_spent(desk: Desk, tmp_path: Path) -> None:
    path = put(desk.home, lesson())
    path.write_text(path.read_text()[:500])
    said = desk("polish", path, "--spec", "spec.json")
    assert said.code == 2
    assert "The JSON ends too early" in said.err


def test_one_unit_is_counted_as_one() -> None:
    [size] = describe({"words": 5, "parts": 1, "language": "en"})
    assert isinstance(size, Remark) and size.text == "5 words in 1 unit, language en"
