"""A small world for tests of LEGOs: the SEEDs of a course, good cuts of them, and models that know both.

    world = LegoWorld()
    world.slips[MARKET] = Slip(TORN)                 # cut badly at first, mended by edits
    world.reply("lego_reply", prompt)                # what a model answers to a rendered prompt

Every answer depends on nothing but the rendered prompt, so a run that asks again hears the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

FENCED = re.compile(r"<<<([0-9a-f]{12}) (\w+)\n(.*?)\n\1>>>", re.DOTALL)
DIMENSIONS = ("iron_rule_compliance", "naturalness", "pedagogical_value", "consistency", "edge_case_handling")
COURSE = "mkd_for_eng_8seeds"

Cut = tuple[tuple[str, str], ...]
"""Both halves of every LEGO."""

SPEAK = "I want to speak with you now."
LEARN = "I want to learn the language."
HELP = "Can you help me tomorrow?"
CALL = "She called me back yesterday."
SAY = "I don't know what to say."
MARKET = "We are going to the market."
HOUSE = "They want to see the house."
LIGHT = "I have to turn on the light."

SEEDS = {
    SPEAK: "Сакам да зборувам со тебе сега.",
    LEARN: "Сакам да го учам јазикот.",
    HELP: "Можеш ли да ми помогнеш утре?",
    CALL: "Таа ми се јави вчера.",
    SAY: "Не знам што да кажам.",
    MARKET: "Ние одиме на пазар.",
    HOUSE: "Тие сакаат да ја видат куќата.",
    LIGHT: "Морам да ја вклучам светилката.",
}
"""C0001 to C0008, in this order."""
CUTS: dict[str, Cut] = {
    SPEAK: (("I want to speak", "Сакам да зборувам"), ("speak with you now", "зборувам со тебе сега")),
    LEARN: (("I want to learn", "Сакам да го учам"), ("learn the language", "го учам јазикот")),
    HELP: (("Can you help me", "Можеш ли да ми помогнеш"), ("help me tomorrow", "ми помогнеш утре")),
    CALL: (("She called me back", "Таа ми се јави"), ("called me back yesterday", "ми се јави вчера")),
    SAY: (("I don't know", "Не знам"), ("know what to say", "знам што да кажам")),
    MARKET: (("We are going", "Ние одиме"), ("going to the market", "одиме на пазар")),
    HOUSE: (("They want to see", "Тие сакаат да ја видат"), ("see the house", "ја видат куќата")),
    LIGHT: (("I have to turn on", "Морам да ја вклучам"), ("turn on the light", "ја вклучам светилката")),
}
"""Each of them passes the rules at once."""
TORN: Cut = (("We are going", "Ние одиме"), ("to the market", "на пазар"))
"""The second LEGO begins with a preposition."""
CRUMBS: Cut = tuple((word, "одиме") for word in ("We", "are", "going", "market"))
"""Single words, and two of the sentence's are missing."""
LOOSE: Cut = (("We are going", "Ние одиме"), ("market", "пазар"))
"""Two words stand in no LEGO; the score is high all the same."""
FOREIGN: Cut = (("We are going", "Ние одиме"), ("going to the market", "одиме на пазарот"))
"""The last half stands nowhere in the target."""

SafeFixes = Literal["edits", "idle", "refused", "foreign", "whole"]


@dataclass(frozen=True)
class Slip:
    """What a model cuts wrong the first time."""

    cut: Cut
    mending: SafeFixes = "edits"
    """`edits`: what the model edits is right; `idle`: it edits nothing; `refused`: its edit does not fit; `foreign`: it
    edits in what does not stand in the sentence; `whole`: like idle, and the second cut is right."""
    again: Cut | None = None
    """What it cuts when all is to be cut once more; None: the good cut."""
    heeds: str = ""
    """Words in the issues that bring the good cut, whatever else is said here: a person's."""


@dataclass
class LegoWorld:
    """What every model of this world knows."""

    seeds: dict[str, str] = field(default_factory=lambda: dict(SEEDS))
    cuts: dict[str, Cut] = field(default_factory=lambda: dict(CUTS))
    slips: dict[str, Slip] = field(default_factory=dict)
    reviewers: Literal["honest", "flattering", "harsh", "garbled"] = "honest"

    def reply(self, name: str, prompt: str) -> object:
        work = work_of(prompt)
        answers: Mapping[str, Callable[[], object]] = {
            "lego_reply": lambda: _legos(self._cut(work)),
            "edit_reply": lambda: {"reasoning": "Moved an edge.", "edits": self._edits(work)},
            "lego_review_reply": lambda: self._review(work),
        }
        return answers[name]()

    def good(self, source: str) -> Cut:
        """Unknown sentences are one LEGO, without the mark at their end."""
        return self.cuts.get(source) or ((source.rstrip("."), self.seeds.get(source, source).rstrip(".")),)

    def _cut(self, work: Mapping[str, Any]) -> Cut:
        source = work["source"]
        slip = self.slips.get(source)
        if slip is None or _is_heeded(slip, work):
            return self.good(source)
        if "last_attempt" not in work:
            return slip.cut
        return self.good(source) if slip.again is None else slip.again

    def _edits(self, work: Mapping[str, Any]) -> list[dict[str, Any]]:
        slip = self.slips.get(work["source"])
        mending = "edits" if slip is None or _is_heeded(slip, work) else slip.mending
        if mending in ("idle", "whole"):
            return []
        if mending == "refused":
            return [_edit(work, "L1.source", "no such words", "x")]
        if mending == "foreign":
            return [_edit(work, "L1.target", work["fields"]["L1.target"], "нешто сосема друго")]
        return edits_towards(self.good(work["source"]), work)

    def _review(self, work: Mapping[str, Any]) -> object:
        if self.reviewers == "garbled":
            return "this is no JSON"
        legos = tuple((one["source"], one["target"]) for one in work["legos"].values())
        bad = self.reviewers == "harsh" or (self.reviewers == "honest" and legos != self.good(work["source"]))
        scores: dict[str, float] = dict.fromkeys(DIMENSIONS, 9.5)
        if not bad:
            return {"reasoning": "Sound.", "dimension_scores": scores, "concerns": [], "suggestions": []}
        concern = {
            "concern_id": "c_meaning_mismatch",
            "severity": "high",
            "category": "naturalness",
            "description": "The halves do not mean the same.",
            "affected_legos": [next(iter(work["legos"]))],
            "suggested_fix": "Take the other half.",
            "auto_fixable": False,
        }
        return {
            "reasoning": "Not sound.",
            "dimension_scores": {**scores, "naturalness": 1.0, "pedagogical_value": 3.0},
            "concerns": [concern],
            "suggestions": [],
        }


def _is_heeded(slip: Slip, work: Mapping[str, Any]) -> bool:
    return bool(slip.heeds) and any(slip.heeds in issue for issue in work.get("issues", ()))


def edits_towards(wanted: Cut, work: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The edits that make the LEGOs of the work those that are wanted."""
    fields: Mapping[str, str] = work["fields"]
    edits = []
    for place in range(1, len(fields) // 2 + 1):
        halves = wanted[place - 1] if place <= len(wanted) else ("", "")
        for name, text in zip((f"L{place}.source", f"L{place}.target"), halves, strict=True):
            if fields[name] != text:
                edits.append(_edit(work, name, fields[name], text))
    return edits


def _edit(work: Mapping[str, Any], field: str, find: str, replace: str) -> dict[str, Any]:
    return {"unit": work["unit"], "field": field, "find": find, "replace": replace}


def _legos(cut: Cut) -> dict[str, Any]:
    return {"reasoning": "Cut.", "legos": [{"source": source, "target": target} for source, target in cut]}


def work_of(prompt: str) -> dict[str, Any]:
    """The JSON object in the fence of a rendered prompt."""
    [text] = [text for _, name, text in FENCED.findall(prompt) if name == "work"]
    return dict(json.loads(text))


def tsv(seeds: Mapping[str, str] | Sequence[tuple[str, str]] = SEEDS) -> str:
    """Sentence pairs as a file to import."""
    pairs = seeds.items() if isinstance(seeds, Mapping) else seeds
    return "".join(f"{source}\t{target}\n" for source, target in pairs)
