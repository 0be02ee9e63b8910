"""A small world for tests of manuscripts: a book, its translation, and models that know both.

    world = BookWorld({"The sea is calm.": "El mar está en calma."})
    world.slips["The sea is calm."] = Slip("El mar no está en calma.", "negation", "no está", "está")
    world.reply("translation_reply", prompt)        # what a model answers to a rendered prompt

Every answer depends on nothing but the rendered prompt, so a run that asks again hears the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FENCED = re.compile(r"<<<([0-9a-f]{12}) (\w+)\n(.*?)\n\1>>>", re.DOTALL)
DIMENSIONS = ("grammar", "vocabulary", "style", "voice", "semantic_fidelity")
NUMBERED = re.compile(r"^(\d+): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Slip:
    """What a translator gets wrong the first time."""

    text: str
    """The bad translation."""
    category: str = "grammar"
    find: str = ""
    """The words that are wrong, for an edit; empty: only the paragraph as a whole can be mended."""
    replace: str = ""
    severity: str = "critical"
    score: float = 0.6
    """Of the dimension that a reviewer gives."""
    dimension: str = "grammar"
    stubborn: bool = False
    """It is never mended: every rework brings it back."""
    shown: str = ""
    """As reviewers see it, where readers get another script."""


@dataclass
class BookWorld:
    """What every model of this world knows."""

    translations: dict[str, str]
    slips: dict[str, Slip] = field(default_factory=dict)
    skips: frozenset[str] = frozenset()
    """Sources that a batch answer leaves out."""
    loses: frozenset[str] = frozenset()
    """Sources that no answer ever holds."""
    critics: Callable[[str], list[dict[str, Any]]] = lambda lines: []
    """The numbered lines of a window's translation (`12: text`) -> issues."""
    reviewers: Literal["honest", "flattering", "garbled"] = "honest"

    def reply(self, name: str, prompt: str) -> object:
        work = list(_objects(prompt))
        answers: Mapping[str, Callable[[], object]] = {
            "translation_reply": lambda: self._translated(work),
            "edit_reply": lambda: self._edited(work),
            "translation_review_reply": lambda: self._reviewed(work),
            "critic_reply": lambda: {"reasoning": "", "issues": self.critics(numbered(work)), "scores": {}},
        }
        return answers[name]()

    def _translated(self, work: list[dict[str, Any]]) -> object:
        asked = [one for one in work if "paragraph_id" in one]
        found = []
        for one in asked:
            source = one["text"]
            if source in self.loses or (source in self.skips and len(asked) > 1):
                continue
            found.append({"paragraph_id": one["paragraph_id"], "text": self._text(source, again="draft" in one)})
        return {"translations": found}

    def _text(self, source: str, *, again: bool) -> str:
        slip = self.slips.get(source)
        if slip is not None and (not again or slip.stubborn):
            return slip.text
        return self.translations.get(source, f"{source} (traducido)")

    def _edited(self, work: list[dict[str, Any]]) -> object:
        edits = []
        for one in work:
            slip = next((slip for slip in self.slips.values() if slip.text == one["draft"]), None)
            if slip is not None and slip.find and not slip.stubborn:
                edits.append({"unit": one["unit"], "field": None, "find": slip.find, "replace": slip.replace})
        return {"reasoning": "", "edits": edits}

    def _reviewed(self, work: list[dict[str, Any]]) -> object:
        if self.reviewers == "garbled":
            return "this is no JSON"
        return {"reasoning": "", "paragraphs": [self._judged(one) for one in work if is_asked_about(one)]}

    def _judged(self, one: Mapping[str, Any]) -> dict[str, Any]:
        slip = self.slips.get(one["source"])
        bad = slip is not None and one["translation"] in (slip.text, slip.shown) and self.reviewers == "honest"
        scores = dict.fromkeys(DIMENSIONS, 0.95)
        issues = []
        if bad and slip is not None:
            scores[slip.dimension] = slip.score
            issues.append(
                {
                    "category": slip.category,
                    "severity": slip.severity,
                    "quote": slip.find or None,
                    "description": "It is wrong.",
                    "suggested_fix": slip.replace or None,
                }
            )
        return {"paragraph_id": one["paragraph_id"], "scores": scores, "issues": issues}


def is_asked_about(one: Mapping[str, Any]) -> bool:
    """Whether a line of the work is a paragraph, and not only shown beside one."""
    return "paragraph_id" in one and "context" not in one


def numbered(work: list[dict[str, Any]]) -> str:
    """The lines of a window's translation with their numbers."""
    lines = [
        f"{number}: {line}"
        for one in work
        if "translation" in one
        for number, line in enumerate(one["translation"].split("\n"), one.get("line") or one["start_line"])
    ]
    return "\n".join(lines)


def _fence(prompt: str, name: str) -> str:
    return next((text for _, named, text in FENCED.findall(prompt) if named == name), "")


def _objects(prompt: str) -> Iterator[dict[str, Any]]:
    for line in _fence(prompt, "work").split("\n"):
        if line.strip():
            yield json.loads(line)
