"""A small world for tests of lessons: a lesson, what is wrong with it, and models of every character that know it.

    world = World(defects=(BOILS, VAGUE))
    world.reply("judge_reply", "judge-a", prompt)       # what the model `judge-a` answers to a rendered prompt
    world.characters["patcher"] = "disobedient"         # from now on

Every answer depends on nothing but the rendered prompt and the model's name, so a run that asks again hears the same.
A model of which nobody says anything is honest: as a judge it finds every defect that stands in the text, as a patcher
it mends what it is told, as a delta judge it looks whether that is gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Character = Literal[
    "honest",
    "flattering",  # 10/10 to everything, as judge, delta judge and reader
    "harsh",  # a tenth of every score, and no reason
    "disobedient",  # its edits never apply, its sections are about another unit
    "useless",  # its edits apply and settle nothing
    "foreign",  # writes in Russian
    "deleting",  # takes away nearly all of the section
    "spoiling",  # mends what it is told and makes the section duller
    "doubtful",  # low confidence
    "garbled",  # no JSON
    "down",  # no answer
]

FENCED = re.compile(r"<<<([0-9a-f]{12}) (\w+)\n(.*?)\n\1>>>", re.DOTALL)
RUSSIAN = (
    "Вода поднимается с поверхности морей и озёр, потому что солнце её согревает. Высоко над землёй пар остывает и "
    "становится облаком. Так продолжается круговорот, без которого не было бы ни рек, ни дождя."
)
DULL = "in the usual dull way"
"""What a spoiling patcher adds: no judge of the change minds, but every judge of the section does."""
DULLNESS = 0.3


@dataclass(frozen=True)
class Defect:
    """One thing wrong, by the words that show it."""

    bad: str
    good: str
    criterion: str = "clarity_readability"
    severity: str = "major"
    cost: float = 0.4
    """What it takes from its criterion where it stands."""
    seen_by: tuple[str, ...] = ()
    """The judges that notice it; none: all."""


BOILS = Defect("the water boils away into the sky", "the water turns into vapour and rises")
VAGUE = Defect("for some reason or other it does", "because it has cooled down it does", severity="minor", cost=0.2)
WRONG_YEAR = Defect("in the year 1550", "in the year 1580", "factual_accuracy", "major", 0.5)
DRY = Defect(
    "as the tables of the office show", "as every puddle after rain shows", "engagement_examples", "minor", 0.3
)

INTRO = (
    "Rain falls, rivers run to the sea, and still the sea does not overflow. This lesson follows a drop of water on "
    "its way from the sea to the sky and back again. At the end you can name the stages and say what drives them."
)
EVAPORATION = (
    "The sun warms the surface of seas and lakes. Where it is warm enough, {boils}. Plants give off water as well, "
    "through small openings in their leaves.\n\nWind carries the vapour away, so that dry air takes its place and the "
    "water goes on rising. A wet shirt on a line shows the same thing within an hour."
)
CONDENSATION = (
    "High above the ground the air is cold. The vapour cannot stay what it is there: {vague} turn into tiny drops that "
    "cling to specks of dust.\n\nBillions of these drops make a cloud. You can watch a small cloud of your own when "
    "you breathe out on a cold morning, {dry}."
)
PRECIPITATION = (
    "Drops that meet become larger drops. When they are too heavy for the rising air they fall as rain, and in cold "
    "air they fall as snow or hail.\n\nSome of the water runs into rivers, and some of it seeps into the ground. "
    "Bernard Palissy explained {year} that springs are fed by rain alone."
)
CONCLUSION = (
    "Water rises as vapour, gathers in clouds and falls again. The sun drives the whole cycle, and no drop of it is "
    "ever lost. The next time it rains, think of the sea that this rain has left."
)
SOUND = {"boils": BOILS.good, "vague": VAGUE.good, "dry": DRY.good, "year": WRONG_YEAR.good}
SOURCE = (
    "# The water cycle\n\nWater evaporates from seas and lakes because the sun warms them. Plants release water vapour "
    "through small openings in their leaves.\n\nVapour condenses around specks of dust when the air is cold, and the "
    "drops form clouds.\n\nBernard Palissy explained in the year 1580 that springs are fed by rain alone. Drops that "
    "become too heavy fall as rain, snow or hail.\n"
)
SPEC = {
    "lesson_id": "water",
    "title": "The water cycle",
    "language": "en",
    "difficulty": "beginner",
    "learning_objectives": [
        {"id": "LO1", "text": "Name the stages of the water cycle: evaporation, condensation, precipitation."},
        {"id": "LO2", "text": "Explain how the sun drives the water cycle."},
    ],
}


def lesson(*defects: Defect, **parts: str) -> dict[str, Any]:
    """The lesson with these of its defects; a part given by its id takes the place of the usual text."""
    words = {name: SOUND[name] for name in SOUND}
    for name, defect in {"boils": BOILS, "vague": VAGUE, "dry": DRY, "year": WRONG_YEAR}.items():
        if defect in defects:
            words[name] = defect.bad
    texts = {
        "intro": INTRO,
        "evaporation": EVAPORATION,
        "condensation": CONDENSATION,
        "precipitation": PRECIPITATION,
        "conclusion": CONCLUSION,
    }
    said = {name: parts.get(name, text.format(**words)) for name, text in texts.items()}
    sections = ("evaporation", "condensation", "precipitation")
    return {
        "lesson_id": "water",
        "title": "The water cycle",
        "content": {
            "intro": said["intro"],
            "sections": [{"id": id, "title": id.capitalize(), "content": said[id]} for id in sections],
            "examples": [],
            "exercises": [
                {
                    "question": "Why does the sea not overflow, although all rivers run into it?",
                    "hints": ["Think of what the sun does."],
                    "solution": "As much water rises from it as vapour as the rivers bring back.",
                }
            ],
            "conclusion": said["conclusion"],
        },
    }


OF_WHOLE = ("learning_objective_alignment", "pedagogical_structure", "completeness")
TREATED = {"LO1": "gathers in clouds and falls again", "LO2": "The sun drives the whole cycle"}
"""Objective -> words of the lesson that show it."""
GUTTED = 40
"""A part with fewer characters says next to nothing."""
UNITS = ("intro", "evaporation", "condensation", "precipitation", "exercises/0", "conclusion")


@dataclass(frozen=True)
class Question:
    """A rendered prompt, taken apart."""

    reply: str
    model: str
    """Without its provider."""
    user: str
    parts: Mapping[str, str]
    """What stands between fences, by name."""

    @classmethod
    def of(cls, reply: str, model: str, user: str) -> Question:
        parts = {match[2]: match[3] for match in FENCED.finditer(user)}
        return cls(reply, model.rpartition(":")[2], user, parts)

    @property
    def units(self) -> list[str]:
        """All units that the prompt shows to be judged."""
        return re.findall(r"^unit: (.+)$", self.parts.get("text", ""), re.MULTILINE)

    @property
    def objectives(self) -> list[str]:
        return re.findall(r"^objective: (.+)$", self.parts.get("objectives", ""), re.MULTILINE)

    @property
    def unit(self) -> str:
        """The unit that the prompt is about."""
        shown = self.parts.get("text") or self.parts.get("part") or ""
        found = re.match(r"unit: (.+)", shown)
        return found[1] if found else "lesson"

    @property
    def passages(self) -> list[tuple[str, str]]:
        """Units and their texts, where the prompt shows several."""
        pieces = re.split(r"^unit: (.+)$", self.parts.get("text", ""), flags=re.MULTILINE)[1:]
        shown = zip(pieces[::2], pieces[1::2], strict=True)
        return [(unit, re.sub(r"\Atitle: .+\n", "", text.strip("\n")).strip("\n")) for unit, text in shown]

    @property
    def body(self) -> str:
        """The text of the unit, without its id and its title."""
        return re.sub(r"\Aunit: .+\n(title: .+\n)?\n?", "", self.parts.get("text", ""))


Override = Callable[[Question], object]
"""An answer, or None where the world itself shall answer."""


class Down(Exception):
    """The model does not answer."""


@dataclass
class World:
    """What is true, and who says what about it."""

    defects: Sequence[Defect] = (BOILS, VAGUE, WRONG_YEAR, DRY)
    base: float = 0.96
    """The score of a section without a defect."""
    outline: Mapping[str, float] = field(default_factory=dict)
    """Scores of the whole that differ from `base`."""
    outline_issues: Sequence[Mapping[str, Any]] = ()
    leniency: Mapping[str, float] = field(default_factory=dict)
    """Judge -> what it adds to every score."""
    characters: dict[str, Character] = field(default_factory=dict)
    """Model -> what it is like; `judge-a`, `judge-b`, `judge-c`, `patcher`, `reader`, `generator` by custom."""
    override: Override | None = None
    review_issues: Sequence[Mapping[str, Any]] = ()
    claims: Sequence[tuple[str, str, str]] = ()
    """Unit, quote, statement."""
    verdicts: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)
    """Statement -> verdict and passage."""

    def reply(self, reply: str, model: str, user: str) -> object:
        """What the model answers: a JSON object, or text that is none. Down where it does not answer."""
        question = Question.of(reply, model, user)
        character = self.characters.get(question.model, "honest")
        if character == "down":
            raise Down(f"{question.model} is down")
        if character == "garbled":
            return "I would rather not say it in JSON."
        if self.override is not None and (said := self.override(question)) is not None:
            return said
        return {
            "judge_reply": self._judge,
            "lesson_judge_reply": self._judge_whole,
            "delta_reply": self._delta,
            "edit_reply": self._edit,
            "section_reply": self._section,
            "self_review_reply": self._review,
            "claims_reply": self._claims,
            "claim_verdict_reply": self._verdicts,
        }[reply](question, character)

    # -- judges

    def _judge(self, question: Question, character: Character) -> dict[str, Any]:
        """A window: each unit is scored by what stands in it."""
        units, issues = [], []
        for unit, text in question.passages:
            scores, said = self._of_unit(unit, text, question)
            units.append({"unit": unit, "criteria": self._in_character(scores, question, character)})
            issues += said
        return self._verdict({"units": units}, issues, character)

    def _judge_whole(self, question: Question, character: Character) -> dict[str, Any]:
        """The whole: it loses completeness with each section that says next to nothing, and an objective whose words
        stand nowhere is not treated."""
        text = question.parts["text"]
        issues = list(self.outline_issues)
        scores = {name: self.outline.get(name, self.base) for name in OF_WHOLE}
        if "only its outline" in question.user:
            scores = {"pedagogical_structure": scores["pedagogical_structure"]}
        for unit, body in question.passages:
            if len(body) < GUTTED and "completeness" in scores:
                scores["completeness"] -= 0.4
                issues.append(gutted_issue(unit))
        of_water = "water cycle" in question.parts["objectives"]
        shown = [(id, TREATED[id] if of_water else text.rpartition("\n")[2][:30]) for id in question.objectives]
        objectives = [
            {"id": id, "covered": covered, "unit": None, "quote": words if covered == "yes" else None}
            for id, words in shown
            for covered in ("yes" if words in text else "no",)
        ]
        criteria = self._in_character(scores, question, character)
        return self._verdict({"criteria": criteria, "objectives": objectives}, issues, character)

    def _in_character(self, scores: Mapping[str, float], question: Question, character: Character) -> dict[str, float]:
        lenient = self.leniency.get(question.model, 0.0)
        if character == "flattering":
            return dict.fromkeys(scores, 1.0)
        if character == "harsh":
            return {name: round(score / 10, 4) for name, score in scores.items()}
        return {name: round(min(1.0, max(0.0, score + lenient)), 4) for name, score in scores.items()}

    def _verdict(
        self, said: Mapping[str, Any], issues: Sequence[Mapping[str, Any]], character: Character
    ) -> dict[str, Any]:
        return {
            "reasoning": "Read word by word.",
            **said,
            "confidence": "low" if character == "doubtful" else "high",
            "issues": [] if character in ("flattering", "harsh") else list(issues),
            "strengths": [],
        }

    def _of_unit(self, unit: str, text: str, question: Question) -> tuple[dict[str, float], list[Mapping[str, Any]]]:
        names = ["clarity_readability", "engagement_examples"]
        if "Passages of the source:" in question.parts.get("beside", ""):
            names.append("factual_accuracy")
        scores = dict.fromkeys(names, self.base)
        issues: list[Mapping[str, Any]] = []
        for defect in self._found(text, question.model):
            if defect.criterion in scores:
                scores[defect.criterion] -= defect.cost
                issues.append(issue(defect, unit))
        if DULL in text:
            scores["engagement_examples"] -= DULLNESS
        return scores, issues

    def _found(self, text: str, judge: str | None = None) -> list[Defect]:
        return [d for d in self.defects if d.bad in text and (judge is None or not d.seen_by or judge in d.seen_by)]

    def _delta(self, question: Question, character: Character) -> dict[str, Any]:
        left = [d for d in self._found(question.parts["issues"]) if d.bad in question.parts["after"]]
        changed = question.parts["before"] != question.parts["after"]
        passed = character == "flattering" or (changed and not left)
        confidence = "low" if character == "doubtful" else "high"
        return {"reasoning": "Both texts read.", "passed": passed, "confidence": confidence, "newIssues": []}

    # -- patcher and generator

    def _edit(self, question: Question, character: Character) -> dict[str, Any]:
        made = [pair for unit, text in question.passages for pair in self._edits_of(unit, text, question, character)]
        return {"reasoning": "The smallest change.", "edits": made}

    def _edits_of(self, unit: str, text: str, question: Question, character: Character) -> list[dict[str, Any]]:
        told = [d for d in self._found(question.parts["issues"]) if d.bad in text]
        if character == "disobedient":
            return changes(unit, ("words that stand nowhere", "others"))
        if character == "deleting":
            return changes(unit, (text, "Done."))
        if character == "foreign":
            return changes(unit, (text[: len(RUSSIAN)], RUSSIAN))
        if character == "useless":
            last = text.rsplit(" ", 1)[-1]
            return changes(unit, (f" {last}", f" indeed {last}"))
        spoilt = f" {DULL}" if character == "spoiling" else ""
        return changes(unit, *((d.bad, d.good + spoilt) for d in told))

    def _section(self, question: Question, character: Character) -> dict[str, Any]:
        is_new = "part" in question.parts
        text = WRITTEN.get(question.unit, INTRO) if is_new else question.body
        for defect in self._found(text):
            text = text.replace(defect.bad, defect.good)
        unit = "another" if character == "disobedient" else question.unit
        text = {"deleting": "Done.", "foreign": RUSSIAN, "useless": question.body or "Water is wet and"}.get(
            character, text
        )
        if character == "spoiling":
            text = text.rstrip(".") + f", {DULL}."
        return {"reasoning": "Written with care.", "unit": unit, "text": text}

    # -- the reader of stage 1

    def _review(self, question: Question, character: Character) -> dict[str, Any]:
        issues = [] if character == "flattering" else list(self.review_issues)
        worst = {part["severity"] for part in issues}
        status = "FLAG_TO_JUDGE" if "COMPLEX" in worst else "PASS_WITH_FLAGS" if issues else "PASS"
        return {"reasoning": "Read once.", "status": status, "issues": issues}

    def _claims(self, question: Question, character: Character) -> dict[str, Any]:
        found = [
            {"unit": unit, "quote": quote, "claim": claim}
            for unit, quote, claim in self.claims
            if quote in question.parts["lesson"]
        ]
        return {"reasoning": "Facts only.", "claims": found}

    def _verdicts(self, question: Question, character: Character) -> dict[str, Any]:
        asked = re.findall(r"^statement: (.+)$", question.parts["claims"], re.MULTILINE)
        given = []
        for claim in asked:
            verdict, passage = self.verdicts.get(claim, ("not_found", None))
            named = re.findall(r"^\[(.+)\]$", question.parts["claims"], re.MULTILINE)
            given.append({"claim": claim, "verdict": verdict, "passage": passage or (named[0] if named else None)})
        return {"reasoning": "Passages read.", "verdicts": given}


WRITTEN = {
    "intro": INTRO,
    "evaporation": EVAPORATION.format(**SOUND),
    "condensation": CONDENSATION.format(**SOUND),
    "precipitation": PRECIPITATION.format(**SOUND),
    "conclusion": CONCLUSION,
}
"""What an honest generator writes."""


def issue(defect: Defect, unit: str) -> dict[str, Any]:
    return {
        "criterion": defect.criterion,
        "severity": defect.severity,
        "unit": unit,
        "quotedText": defect.bad,
        "description": f"The words “{defect.bad}” are not right.",
        "suggestedFix": "Say what really happens.",
    }


def gutted_issue(unit: str) -> dict[str, Any]:
    return {
        "criterion": "completeness",
        "severity": "major",
        "unit": unit,
        "quotedText": None,
        "description": f"The unit {unit} says next to nothing.",
        "suggestedFix": "Write it again.",
    }


def edits(unit: str, *pairs: tuple[str, str], field: str | None = None) -> dict[str, Any]:
    return {"reasoning": "The smallest change.", "edits": changes(unit, *pairs, field=field)}


def changes(unit: str, *pairs: tuple[str, str], field: str | None = None) -> list[dict[str, Any]]:
    return [{"unit": unit, "field": field, "find": find, "replace": replace} for find, replace in pairs]


def as_text(lesson: Mapping[str, Any]) -> str:
    return json.dumps(lesson, ensure_ascii=False, indent=2) + "\n"
