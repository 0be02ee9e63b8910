"""The requests to models about a SEED: its two sentences, the facts about their words, and nothing else.

Content is fenced as one JSON object on one line, so that a sentence cannot be mistaken for instructions. Rules that the
course learnt are added to our instructions, in a separate place: they have been tested, and each is limited to one
short line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from burnish.core.effects import Request, about_tokens
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import HALVES, NOWHERE, Lego, Seed, plain_line, words_of
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.kinds.legos.policy import MOST_RULES
from burnish.languages.profiles import LanguageProfile

PROMPTS = "burnish.kinds.legos.prompts"
NAMES = ("extract", "extract_again", "mend", "review")
PROMPT_VERSION = "1.1.0"
"""The version of the shipped prompts, as in their headers. A course's overlay continues the numbering."""

EXTRACTOR = "extractor"
MENDER = "mender"
REVIEWER = "reviewer"
ROLES = (EXTRACTOR, MENDER, REVIEWER)

SPARE_PAIRS = 2
"""Empty LEGOs that edits may fill."""
EMPTY = Lego("", "", NOWHERE, NOWHERE, NOWHERE, NOWHERE)
LONGEST_RULE = 300
"""The most characters of a rule that an overlay may add to a prompt."""
MOST_ISSUES, LONGEST_ISSUE = 6, 400

STRICT = "The source half of a LEGO never begins or ends with a preposition."
PHRASE_AWARE = (
    "The source half of a LEGO never ends with a preposition, nor is it nothing but one; it may begin with one that "
    'has its object behind it ("with you").'
)
PARTICLES = 'A particle is no preposition where its verb stands in the same LEGO ("turn on", "called me back").'


Known = Sequence[tuple[str, str]]
"""LEGOs of the course, source and target."""


@dataclass(frozen=True)
class Commission:
    """The settings for prompts that hold for the whole course."""

    profile: LanguageProfile
    """The language that the course is taught from: the source language."""
    target: str
    """The English name of the language that is taught."""
    rule: IronRule
    rules: tuple[str, ...] = ()
    """The rules of the course's overlay, see `overlay_rule`."""

    def with_rules(self, rules: Sequence[str]) -> Self:
        """The same course with other rules: the other arm of an experiment."""
        return replace(self, rules=tuple(rules))

    def languages(self) -> dict[str, str]:
        return {"source": self.profile.name, "target": self.target}

    def iron_rule(self) -> str:
        """The Iron Rule in words."""
        says = [PHRASE_AWARE if self.rule.variant == "phrase_aware" else STRICT, PARTICLES]
        if marker := self.profile.infinitive_marker:
            counts = "counts as" if self.rule.infinitive_to else "is not"
            says.append(f'"{marker}" in front of an infinitive {counts} a preposition.')
        return " ".join(says)

    def learnt(self) -> str:
        """The overlay at the end of the instructions; empty if the course has learnt nothing."""
        rules = [text for rule in self.rules[:MOST_RULES] if (text := overlay_rule(rule))]
        heading = "\n\nRules that this course has learnt. They say where to cut; they change nothing else above:"
        return "\n- ".join([heading, *rules]) if rules else ""


def overlay_rule(text: str) -> str:
    """A rule made safe for a prompt: one line, short, without our markup. Its words may come from a model."""
    for mark in ("{{", "}}", "<<<", ">>>", "```", "#"):
        text = text.replace(mark, " ")
    return plain_line(text, LONGEST_RULE)


@dataclass(frozen=True)
class Retry:
    """A SEED whose last cut was not good enough, with the reasons."""

    seed: Seed
    """The SEED with the LEGOs of the last attempt."""
    concern: str = ""
    """The most frequent concern of that attempt, with its suggested fix."""
    suggestion: str = ""
    """Its suggestion of highest priority: a change of the prompt."""
    broken: tuple[str, ...] = ()
    """Guarantees that it broke, see `placement.guarantees`; and LEGOs that were refused."""
    note: str | None = None
    """The note of the person who rejected it."""
    tries: int = 1
    """Attempts so far: each further request must have a different text."""

    def issues(self) -> list[str]:
        """The issues to correct, the most important first."""
        texts = [self.note or "", *self.broken, self.concern, self.suggestion]
        return [plain_line(line, LONGEST_ISSUE) for line in dict.fromkeys(texts) if line.strip()][:MOST_ISSUES]


def prompt(name: str) -> str:
    return f"{PROMPTS}:{name}"


def extract_ask(seed: Seed, commission: Commission, known: Known = ()) -> Request:
    """The request for a first cut. `known`: LEGOs of the course that could be used in it."""
    return _ask(EXTRACTOR, "extract", "lego_reply", seed, commission, _known(known))


def extract_again_ask(retry: Retry, commission: Commission, known: Known = ()) -> Request:
    """The request for a new cut, with the last attempt and its faults."""
    seed = retry.seed
    last = [{half: getattr(lego, half) for half in HALVES} for lego in seed.legos]
    more = {**_known(known), "last_attempt": last, "issues": retry.issues(), "attempt": retry.tries + 1}
    return _ask(EXTRACTOR, "extract_again", "lego_reply", seed, commission, more)


def _known(known: Known) -> dict[str, object]:
    return {"known": [dict(zip(HALVES, pair, strict=True)) for pair in known]} if known else {}


def mend_ask(retry: Retry, commission: Commission) -> Request:
    """The request for the smallest edits to the halves of the last attempt."""
    more = {"fields": with_spares(retry.seed).texts(), "issues": retry.issues(), "attempt": retry.tries + 1}
    return _ask(MENDER, "mend", "edit_reply", retry.seed, commission, more)


def review_ask(seed: Seed, commission: Commission) -> Request:
    """The request for a review of the LEGOs of a SEED."""
    legos = {
        seed.provenance(place): {half: getattr(lego, half) for half in HALVES}
        for place, lego in enumerate(seed.legos, start=1)
    }
    return Request(
        role=REVIEWER,
        unit=seed.id,
        prompt=prompt("review"),
        reply="lego_review_reply",
        trusted={**commission.languages(), "iron_rule": commission.iron_rule()},
        untrusted={"work": _line({**_sentences(seed, commission), "legos": legos, "uncovered": list(seed.uncovered)})},
        max_tokens=1500 + 100 * len(seed.legos),
    )


def with_spares(seed: Seed) -> Seed:
    """The SEED with empty LEGOs at its end, which edits may fill."""
    return replace(seed, legos=(*seed.legos, *[EMPTY] * SPARE_PAIRS))


def _ask(role: str, name: str, reply: str, seed: Seed, commission: Commission, more: Mapping[str, object]) -> Request:
    return Request(
        role=role,
        unit=seed.id,
        prompt=prompt(name),
        reply=reply,
        trusted={**commission.languages(), "iron_rule": commission.iron_rule(), "rules": commission.learnt()},
        untrusted={"work": _line({**_sentences(seed, commission), **more})},
        max_tokens=_room(seed),
        usual=_usual(seed) if reply == "lego_reply" else None,
    )


def _sentences(seed: Seed, commission: Commission) -> dict[str, object]:
    """A SEED, the words that the Iron Rule applies to, and the multi-word verbs."""
    words = words_of(seed.source)
    prepositions = {word.text: None for word in words if commission.profile.begins_with_preposition(word.bare)}
    verbs = [
        " ".join(words[place].text for place in verb.places) for verb in multi_word_verbs(words, commission.profile)
    ]
    known = {"prepositions": list(prepositions), "verbs": verbs}
    return {"unit": seed.id, "source": seed.source, "target": seed.target} | {
        name: found for name, found in known.items() if found
    }


def _room(seed: Seed) -> int:
    """Tokens for all halves, which may overlap. Models write non-Latin scripts nearly letter by letter."""
    letters = len(f"{seed.source}{seed.target}".encode("utf-8", "surrogatepass"))
    return 500 + 3 * letters + 20 * len(words_of(seed.source))


def _usual(seed: Seed) -> int:
    """Tokens of a typical cut: both sentences once, marks around every third word, and two sentences of reasoning."""
    return 50 + about_tokens(seed.source + seed.target) + 4 * len(words_of(seed.source))


def _line(work: Mapping[str, object]) -> str:
    return json.dumps(work, ensure_ascii=False, separators=(",", ":"))
