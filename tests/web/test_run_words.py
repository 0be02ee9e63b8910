"""What is said of runs that rest where they should not, of events, and of plans."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from burnish.app.kinds import kind_named
from burnish.app.rulebook import Line, PrecisionLine, rule_named
from burnish.app.run_card import RunCard
from burnish.app.run_reader import RuleCount, ScoreSpread, Spent
from burnish.core.records import EventRecord, Totals, Usage
from burnish.engine.plan import DocumentPlan, MaterialPlan, Plan
from burnish.store.redaction import Redactor
from burnish.web.labels import gate_words, run_look
from burnish.web.pages.reference import marked_line, measured
from burnish.web.pages.run_overview import curve_of, notice_of, rule_bars, score_picture
from burnish.web.pages.run_tabs import LONGEST_RECORD, event_text, plan_parts
from burnish.web.pages.runs import facts_of, progress_of, sums_of

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
CARD = RunCard(
    id="r",
    title="Winter",
    subtitle="English to Kabyle",
    kind="manuscripts",
    noun="paragraph",
    task="",
    state="waiting_for_people",
    text="Waiting for people",
    detail="",
    counts={},
    parts=(),
    ready=61,
    requested=82,
    waiting=4,
    totals=Totals(3, 0, Usage(200_000, 14_380, 0.91), 0),
    tokens=214_380,
    cost=0.91,
    started_at="2026-11-16T11:42:00Z",
    active_at="2026-11-16T12:00:00Z",
    event=1318,
    session="0-1318",
    host=None,
    heartbeat_at=None,
    ceilings={},
    models=(),
    documents=("winter.md",),
    stop=None,
    trials=0,
)


def said(**changes: Any) -> str:
    notice = notice_of(replace(CARD, **changes), NOW)
    return notice.words if notice else ""


class TestNotices:
    def test_a_ceiling(self) -> None:
        words = said(state="at_its_ceiling", ceilings={"max_cost": 2.0, "max_tokens": 900_000}, cost=2.0, waiting=0)
        assert words == (
            "Stopped at the ceiling of $2.00. 21 paragraphs are left. "
            "Raise the ceiling to resume; nothing is paid twice."
        )
        assert "at the ceiling of 300,000 tokens" in said(state="at_its_ceiling", ceilings={"max_tokens": 300_000.0})
        words = said(state="at_its_ceiling", ceilings={"max_seconds": 60.0})
        assert words.startswith("Stopped at its ceiling.") and "--max-seconds" in words

    def test_one_that_rests_is_called_as_the_button_was(self) -> None:
        for rest in ("Paused", "Stopped"):
            notice = notice_of(replace(CARD, state="interrupted"), NOW, rest)
            assert notice is not None and notice.words.startswith(f"{rest}. Resume it here;")
            assert run_look("interrupted", "Interrupted", rest).words == rest
        assert run_look("published", "Published", "Paused").words == "Published", "it went on elsewhere"
        assert run_look("interrupted", "Interrupted").words == "Interrupted"

    def test_no_sign_of_life(self) -> None:
        heard = (NOW - timedelta(minutes=6)).isoformat()
        assert said(state="silent", host="build-02", heartbeat_at=heard).startswith(
            "Last heartbeat 6 min ago on build-02. If that machine is gone, resume here;"
        )
        assert said(state="silent").startswith("No heartbeat.")

    def test_calls_that_are_with_the_provider(self) -> None:
        words = said(state="submitted", detail="Still working: 0 of 2 calls in a batch are done")
        assert words.startswith("Still working: 0 of 2 calls in a batch are done. Resume the run to collect")

    def test_stopped_in_the_middle(self) -> None:
        assert "Resume it here" in said(state="interrupted")
        assert said(state="failed", detail="A model does not answer").startswith("A model does not answer. Correct")
        assert said() == said(state="published") == ""

    def test_the_gate(self) -> None:
        assert gate_words(CARD) == "21 of 82 required paragraphs are not ready; 4 of them wait for you"
        assert (
            gate_words(replace(CARD, waiting=1))
            == "21 of 82 required paragraphs are not ready; 1 of them waits for you"
        )
        assert gate_words(replace(CARD, waiting=0)) == "21 of 82 required paragraphs are not ready"
        assert gate_words(replace(CARD, ready=81, waiting=1)).endswith(
            "1 of 82 required paragraphs is not ready; it waits for you"
        )
        done = replace(CARD, ready=82, waiting=0)
        assert gate_words(done) == "Nothing blocks publishing"
        assert gate_words(replace(done, state="waiting_for_approval")) == "Waiting for approval"
        assert gate_words(done, problems=1) == "Parts of the input cannot be read"
        assert "that belongs to no paragraph waits" in gate_words(replace(done, waiting=1))
        assert gate_words(replace(done, waiting=2), who="a person").endswith("belong to no paragraph wait for a person")


class TestFigures:
    def test_facts_name_what_they_are_measured_against(self) -> None:
        facts = facts_of(replace(CARD, ceilings={"max_tokens": 300_000.0, "max_cost": 2.0}))
        assert [fact.text for fact in facts] == ["61 of 82", "214,380 of 300,000", "$0.91 of $2.00"]
        free = replace(CARD, totals=Totals(0, 0, Usage(), 0), tokens=0)
        assert [fact.label for fact in facts_of(free)] == ["Ready", "Tokens"]

    def test_progress_and_sums(self) -> None:
        assert progress_of(CARD) == "61 of 82 ready"
        assert progress_of(replace(CARD, task="evolve", trials=1)) == "1 trial"
        old = replace(CARD, started_at="2026-11-01T00:00:00Z", state="waiting_for_approval", waiting=0)
        sums = sums_of([CARD, old, replace(CARD, state="working", waiting=0, cost=None)], NOW)
        assert (sums.working, sums.waiting, sums.waiting_runs, sums.for_approval) == (1, 4, 1, 1)
        assert (sums.tokens, sums.cost) == (2 * 214_380, 0.91)

    def test_tokens_over_time(self) -> None:
        spending = [Spent("2026-11-16T11:51:00Z", 100_000, 0.4, 2), Spent("2026-11-16T12:00:00Z", 214_380, 0.91, 3)]
        made = curve_of(replace(CARD, ceilings={"max_tokens": 300_000.0}), spending)
        assert made is not None and made.label == "Tokens over time: 214,380 after 18 min, ceiling 300,000"
        assert [tick.words for tick in made.ticks] == ["0", "9 min", "18 min"]
        assert curve_of(CARD, []) is None and curve_of(replace(CARD, started_at=""), spending) is None

    def test_rules_and_scores(self) -> None:
        bars = rule_bars([RuleCount("a", "error", 3, 2, 1, 2), RuleCount("b", "info", 0, 0, 2, 0)], 1)
        assert (bars.open, bars.accepted, bars.settled, bars.more, len(bars.bars)) == (3, 2, 3, 1, 1)
        picture = score_picture(
            ScoreSpread("semantic_fidelity", 0.85, 0.0, 1.0, (0,) * 18 + (1, 3), 1, 4), "manuscripts"
        )
        assert (picture.name, picture.said) == ("Semantic fidelity", "1 below .85")
        informs = score_picture(ScoreSpread("flow", None, 0.0, 10.0, (0, 1), 0, 1), "legos")
        assert informs.said == "1 score"

    def test_under_twenty_cases_the_count_comes_first(self) -> None:
        lines = [PrecisionLine.counted("few", "questions", 2, 3), PrecisionLine.counted("model:o:m", "lessons", 48, 50)]
        many, few = measured(lines)
        assert many.name == "m" and many.said.replace("\u00a0", " ") == "48 of 50 (96 %, 87 to 99 %)" and not many.few
        assert few.said.replace("\u00a0", " ") == "3 cases, right in 2 (67 %, 21 to 94 %)" and few.few


def told(type: str, kind: str = "questions", **data: Any) -> str:
    return event_text(EventRecord(type, "u", data, None, 7, "2026-11-16T12:00:00Z"), kind_named(kind)).words


class TestHappenings:
    @pytest.mark.parametrize(
        ("type", "data", "words"),
        [
            ("run_started", {"corrector": "openai:gpt-4o", "judges": ["a:b", "openai:gpt-4o"]}, "With gpt-4o and b"),
            ("run_started", {"corrector": None, "judges": []}, "Without models"),
            ("state_changed", {"from": None, "to": "draft"}, "Not checked yet"),
            (
                "state_changed",
                {"from": "draft", "to": "correcting", "reason": "no_model"},
                "From not checked yet to being corrected: a model is needed",
            ),
            ("decision", {"verdict": "reject", "by": "Ana", "note": "No."}, "Reject by Ana: No."),
            ("run_stopped", {"reason": "limit", "message": "the money"}, "Stopped at a limit: the money"),
            ("run_stopped", {"reason": "done", "message": None}, "Done"),
            (
                "publish_blocked",
                {"states": {"draft": 2}, "unreadable_parts": 1},
                "2 not checked yet and 1 part of the input cannot",
            ),
            ("published", {"documents": [{"document": "a.json"}]}, "Wrote a.json"),
            (
                "edit_applied",
                {"attempt": 2, "receipt": {"changed_fields": ["options.D", None]}},
                "Attempt 2: option D changed",
            ),
            ("edit_refused", {"reason": "edit_refused: not_found: stem: the words"}, "The words to replace"),
            ("finding_dropped", {"reason": "no_quote", "source": "model:a:b"}, "No quote (b)"),
            ("batch_formed", {"stage": "review", "number": 3, "units": ["a"]}, "Review 3: 1 question"),
            ("batch_settled", {"number": 3}, "Batch 3"),
            ("ingested", {"document": "a.json"}, "Read a.json"),
            ("input_problem", {"message": "Broken."}, "Broken."),
            ("approved", {"by": "Ana"}, "By Ana"),
            ("blocker_raised", {"reason": "mapping_error"}, "Mapping error"),
            ("round_started", {"round": 1, "document": "a"}, "Round 1 of a"),
            ("round_ended", {"round": 1, "document": "a", "reason": "done"}, "Round 1 of a: done"),
            ("trial_settled", {"decision": "adopted", "text": "Say so."}, "Adopted: Say so."),
            ("compared", {}, ""),
            ("published", {}, ""),
        ],
    )
    def test_one_line_each(self, type: str, data: dict[str, Any], words: str) -> None:
        assert told(type, **data).startswith(words)
        assert bool(told(type, **data)) == bool(words)

    def test_a_kind_that_speaks_for_itself(self) -> None:
        assert told("self_reviewed", "lessons", status="FIXED") == "First reading: FIXED"

    def test_records_are_shown_but_not_without_end(self) -> None:
        kind = kind_named("questions")
        long = event_text(EventRecord("x", None, {"text": "a" * 10 * LONGEST_RECORD}), kind)
        assert len(long.record) < LONGEST_RECORD + 10 and long.record.endswith("…")
        assert event_text(EventRecord("x", None, {}), kind).record == ""


KEY = "sk-a-key-0123456789abcdef"
PLAN = Plan(
    run_id="r",
    kind="questions",
    documents=(DocumentPlan("a.json", "/home/x/a.json", "json", "sha256:" + "ab" * 32),),
    nonce="secret-nonce",
    arguments={
        "profile": "strict",
        "institution": None,
        "base_url": "http://models.example/v1",
        "limits": {"max_cost": 2.0, "max_tokens": 5000, "max_seconds": None},
        "options": {
            "mode": "semi-auto",
            "hold": True,
            "again": [],
            "names": ["x", KEY],
            "more": {"a_b": 1},
            "none": None,
        },
        "task": "evolve",
    },
    rules=("rule_a", "rule_b"),
    severities={},
    demands={"metadata": ["bloom"]},
    corrector="scripted:/home/x/model.json",
    judges=("openai:gpt-4o",),
    prompts={"burnish.kinds.questions.prompts:review": "3"},
    version="0.1.0",
    out="/home/x/out",
    roles={"reviewer": "ollama:gemma"},
    materials=(MaterialPlan("against", "old.json", "/home/x/old.json", "sha256:" + "cd" * 32),),
    off=("rule_c",),
)


def test_a_plan_part_by_part() -> None:
    parts = {part.title: {line.label: line.texts for line in part.lines} for part in plan_parts(PLAN, Redactor([KEY]))}
    assert parts["Input"]["Documents"] == ("a.json, json, sha256:abab…abab",)
    assert parts["Input"]["Against"] == ("old.json, sha256:cdcd…cdcd",)
    assert parts["Models"]["Corrector"] == ("scripted:model.json",)
    assert KEY not in str(parts) and "secret-nonce" not in str(parts)
    assert parts["Rules"] == {
        "Profile": ("strict",),
        "Demands": ("metadata: bloom",),
        "Off": ("rule_c",),
        "On": ("rule_a", "rule_b"),
    }
    assert parts["Options"]["Ceilings"] == ("$2.00", "5,000 tokens")
    assert parts["Options"]["Hold"] == ("yes",) and parts["Options"]["More"] == ("a b: 1",)
    assert "Again" not in parts["Options"] and parts["Options"]["Task"] == ("evolve",)
    assert parts["Prompts"] == {"Versions": ("review 3",)}


class TestExamples:
    RULE = rule_named("potential_duplicate")

    def test_a_mark_is_found_by_columns(self) -> None:
        pieces = marked_line(Line("水 is wet", (3, 2)), self.RULE)
        assert [piece.text for piece in pieces] == ["水 ", "is", " wet"]
        assert [bool(piece.marks) for piece in pieces] == [False, True, False]

    def test_a_mark_at_the_end_or_none(self) -> None:
        assert [piece.text for piece in marked_line(Line("ends here", (5, 4)), self.RULE)] == ["ends ", "here"]
        assert [piece.text for piece in marked_line(Line("no end", (6, 1)), self.RULE)] == ["no end", ""]
        assert [piece.text for piece in marked_line(Line("nothing"), self.RULE)] == ["nothing"]


def test_what_is_spent_in_the_first_second_is_drawn_inside_the_chart() -> None:
    """Spending is summed by whole seconds, and a run begins within one."""
    card = replace(CARD, started_at="2026-11-16T11:42:00.700Z")
    spending = [Spent("2026-11-16T11:42:00Z", 400, 0.1, 2), Spent("2026-11-16T11:42:01Z", 900, 0.2, 4)]
    drawn = curve_of(card, spending, {"judge": [(0, 0), (2, 400)], "patcher": [(0, 0), (4, 500)]})
    assert drawn is not None
    for line in (drawn.line, *(part.line for part in drawn.parts)):
        places = [float(point.split(",")[0]) for point in line.split()]
        assert min(places) >= 0 and places == sorted(places)
    at_once = curve_of(card, spending[:1])
    assert at_once is not None and (at_once.end_x, at_once.anchor) == (0, "start"), "its number stands inside, too"
