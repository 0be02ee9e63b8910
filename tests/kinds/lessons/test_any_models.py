"""Whatever models say, a procedure ends, tells its story in order, and accepts nothing that a rule forbids."""

import random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from burnish.kinds.lessons.model import LessonUnit
from tests.kinds.lessons.work_driver import THREE, Performance, Stage
from tests.lessons_model import (
    BOILS,
    CONCLUSION,
    DRY,
    RUSSIAN,
    UNITS,
    VAGUE,
    WRONG_YEAR,
    Down,
    Question,
    World,
    edits,
    lesson,
)

CRITERIA = (
    "learning_objective_alignment",
    "pedagogical_structure",
    "factual_accuracy",
    "clarity_readability",
    "engagement_examples",
    "completeness",
)
PLACES = (*UNITS, "lesson", "the introduction", "nowhere", "", "condensation: second paragraph")
QUOTES = (None, BOILS.bad, VAGUE.bad, "Water", "no such words", "", "the", "Why does the sea")
TEXTS = ("", "Done.", RUSSIAN, CONCLUSION, "# A heading\n\nA line and the", "```\ncode", "x" * 400)


class Dice:
    """A model that says anything of the right shape, and sometimes of no shape at all."""

    def __init__(self, seed: int, trouble: float) -> None:
        self._seed = seed
        self._trouble = trouble

    def __call__(self, question: Question) -> object:
        dice = random.Random(f"{self._seed} {question.reply} {question.model} {question.user}")
        if dice.random() < self._trouble:
            if dice.random() < 0.5:
                raise Down("down")
            return dice.choice(["", "{}", "[]", '{"reasoning": "x"}', "NaN", '{"edits": []}'])
        return getattr(self, question.reply)(question, dice)

    def judge_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        # Judges see the same text and nearly agree: else nothing would ever be repaired.
        shared = random.Random(f"{self._seed} {question.parts.get('text', 'outline')}")
        level = shared.choice([0.6, 0.7, 0.8, 0.85, 0.95])
        units = [{"unit": unit, "criteria": self._scores(level, dice)} for unit in question.units]
        return {"units": units if dice.random() < 0.99 else units[1:], **self._rest(dice)}

    def lesson_judge_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        shared = random.Random(f"{self._seed} whole")
        level = shared.choice([0.6, 0.7, 0.8, 0.85, 0.95])
        covered = dice.choice(["yes"] * 8 + ["partly", "no"])
        objectives = [{"id": id, "covered": covered, "quote": dice.choice(QUOTES)} for id in question.objectives]
        return {"criteria": self._scores(level, dice), "objectives": objectives, **self._rest(dice)}

    def _scores(self, level: float, dice: random.Random) -> dict[str, float]:
        scores = {name: round(min(1.0, max(0.0, level + dice.uniform(-0.06, 0.06))), 2) for name in CRITERIA}
        return {name: score for name, score in scores.items() if dice.random() < 0.99}

    def _rest(self, dice: random.Random) -> dict[str, Any]:
        return {
            "reasoning": "",
            "confidence": dice.choice(["high"] * 8 + ["medium", "low"]),
            "issues": [self._issue(dice) for _ in range(dice.choice([0, 0, 1, 2, 5]))],
            "strengths": [],
        }

    def _issue(self, dice: random.Random) -> dict[str, Any]:
        return {
            "criterion": dice.choice(CRITERIA),
            "severity": dice.choice(["critical", "major", "minor", "minor"]),
            "unit": dice.choice(PLACES),
            "quotedText": dice.choice(QUOTES),
            "description": dice.choice(["Not clear.", "Rivers and springs are missing.", "This is actually fine."]),
            "suggestedFix": dice.choice([None, "", "Say it better."]),
        }

    def delta_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        issues = [self._issue(dice)] if dice.random() < 0.2 else []
        confidence = dice.choice(["high", "medium", "low"])
        return {"reasoning": "", "passed": dice.random() < 0.7, "confidence": confidence, "newIssues": issues}

    def edit_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        made = []
        for unit, text in question.passages:
            words = text.split()
            if dice.random() < 0.5 and BOILS.bad in text:
                made += edits(unit, (BOILS.bad, BOILS.good))["edits"]
                continue
            find = dice.choice([*words, " ".join(words[:4]), "no such words", text, ""]) if words else ""
            pair = (find, dice.choice([find.upper(), "", f"{find} {find}", RUSSIAN, "better"]))
            made += edits(unit, pair, field=dice.choice([None, None, None, "question", "title"]))["edits"]
        return {"reasoning": "", "edits": made}

    def section_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        text = dice.choice([question.body, question.body + " And so on.", *TEXTS])
        return {"reasoning": "", "unit": dice.choice([question.unit] * 4 + ["another"]), "text": text}

    def self_review_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        issue = {
            "type": dice.choice(["LOGIC", "TONE", "HALLUCINATION"]),
            "severity": dice.choice(["CRITICAL", "FIXABLE", "COMPLEX", "INFO"]),
            "location": dice.choice(PLACES),
            "quote": dice.choice(QUOTES),
            "description": "Something.",
        }
        return {"reasoning": "", "status": dice.choice(["PASS", "REGENERATE", "FIXED"]), "issues": [issue]}

    def claims_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        claim = {"unit": dice.choice(UNITS), "quote": dice.choice(["Water", "in the year 1550"]), "claim": "In 1550."}
        return {"reasoning": "", "claims": [claim]}

    def claim_verdict_reply(self, question: Question, dice: random.Random) -> dict[str, Any]:
        verdict = dice.choice(["supported", "contradicted", "not_found"])
        return {"reasoning": "", "verdicts": [{"claim": "In 1550.", "verdict": verdict, "passage": "source.md#p0001"}]}


def assert_sound(done: Performance) -> None:
    """What is true of every performance."""
    assert set(done.rests) == set(UNITS)
    for id, rest in done.rests.items():
        stands = done.drafts[id][rest.attempt - 1]
        assert isinstance(stands.unit, LessonUnit)
        assert stands.failure is None, "what was refused never stands"
        assert stands.unit.content_hash == done.final[id].content_hash
    if done.ending.status in ("accepted", "accepted_warning"):
        assert done.ending.result["rules"] is None
        assert done.waiting == []
        assert done.refinement["status"] == done.ending.status
        assert all(one["severity"] != "critical" for one in done.refinement["remainingIssues"])
        assert done.ending.result["open_critical"] == []
        assert len(done.ending.result["clevResult"]["verdicts"]) > 1
    if done.ending.status in ("escalated", "regenerate", "not_judged", "judges_failed"):
        assert done.waiting
    assert done.ending.result["rewrites"] <= 2
    plans = [event.data["iteration"] for event in done.of("arbiter_consolidation")]
    assert max(plans, default=0) <= 2
    assert {event.data["task"] for event in done.of("task_started")} == {
        event.data["task"] for event in done.of("verification_result")
    }


@settings(max_examples=20)
@example(seed=65, trouble=0.03, mode="semi-auto", generator=False, sources=True, cut=False)  # a judge that came later
@given(
    seed=st.integers(0, 1 << 32),
    trouble=st.sampled_from([0.0, 0.03, 0.2]),
    mode=st.sampled_from(["semi-auto", "full-auto"]),
    generator=st.booleans(),
    sources=st.booleans(),
    cut=st.booleans(),
)
def test_whatever_models_say(seed: int, trouble: float, mode: str, generator: bool, sources: bool, cut: bool) -> None:
    roles = {"patcher": "openai:patcher", "reviewer": "openai:reader"}
    roles |= {"generator": "openai:generator"} if generator else {}
    parts = {"conclusion": CONCLUSION + " It is as old as the"} if cut else {}
    stage = Stage(World(override=Dice(seed, trouble)), mode=mode, judges=THREE, roles=roles, sources=sources)
    assert_sound(stage.perform(lesson(BOILS, VAGUE, WRONG_YEAR, DRY, **parts)))
