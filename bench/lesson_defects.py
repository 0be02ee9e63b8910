"""Lessons of any number of sections with the same eight defects, and a model that knows the right answer to each.

The sections with defects are the same in every size, byte for byte; a larger lesson has more sound ones between them.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.core.json_bytes import dumps
from burnish.core.records import CallRecord
from burnish.engine.session import Watcher
from burnish.models.budget import MESSAGE_OVERHEAD
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.loopback import Answer, Asked, LoopbackModel

JUDGES = ("openai:gpt-loopback", "openai:claude-loopback")
PATCHER = "openai:qwen-loopback"
READER = "openai:mistral-loopback"
PARTS = (
    *("spring", "well", "pump", "filter", "tank", "tower", "main", "valve", "meter", "tap", "drain", "sewer"),
    *("screen", "basin", "digester", "outfall", "river", "lake", "dam", "canal", "lock", "weir", "ditch", "pond"),
    *("cistern", "gutter", "spout", "barrel", "hose", "sprinkler", "trough", "fountain", "boiler", "radiator"),
    *("kettle", "bath", "shower", "sink", "trap", "vent", "manhole", "culvert", "sluice", "mill", "turbine"),
    *("aqueduct", "reservoir", "hydrant"),
)
WORK = ("keeps", "cleans", "lifts", "slows", "measures", "spreads", "holds", "guides")
REASONS = ("frost", "sand", "heat", "leaves", "pressure", "rust", "drought", "noise", "age", "weight", "lime")


@dataclass(frozen=True, slots=True)
class Defect:
    """Words that are wrong, and the words that are right in their place."""

    part: str
    wrong: str
    right: str
    criterion: str
    description: str

    @property
    def issue(self) -> dict[str, Any]:
        return {
            "criterion": self.criterion,
            "severity": "minor",
            "unit": self.part,
            "quotedText": self.wrong,
            "description": self.description,
            "suggestedFix": f"Write “{self.right}”.",
        }


CLARITY, ENGAGEMENT = "clarity_readability", "engagement_examples"
SOUND = 0.905
"""What the judges give to a part without a defect: a single defect among 48 parts keeps the lesson from being ready."""
WHOLE = ("learning_objective_alignment", "pedagogical_structure", "completeness")
DEFECTS = (
    Defect("spring", "the the water", "the water", CLARITY, "A word is doubled."),
    Defect("well", "Nobody did not check", "Somebody did check", CLARITY, "Two negations turn the sense around."),
    Defect("filter", "sand and it are coarse", "sand in it is coarse", CLARITY, "The sentence has lost its sense."),
    Defect("tank", "is more fuller", "is fuller", CLARITY, "A comparative is doubled."),
    Defect("main", "some liquid or other", "drinking water", ENGAGEMENT, "The example is too vague to help."),
    Defect("meter", "it turns them", "the flow turns the wheel", CLARITY, "Two pronouns without a noun to stand for."),
    Defect("tap", "utilise the aperture", "open it", CLARITY, "Words that are too hard for the level."),
    Defect("sewer", "As we saw below", "As we shall see below", CLARITY, "The tense contradicts the place."),
)
SENTENCES = {
    "spring": "On a dry day the the water still comes out of the hill.",
    "well": "Nobody did not check the depth before the summer began.",
    "filter": "After a year the sand and it are coarse enough for a rinse.",
    "tank": "At night the store is more fuller than it is at noon.",
    "main": "Think of a street in which some liquid or other has to reach forty houses.",
    "meter": "When a bath is filled, it turns them faster than a glass would.",
    "tap": "To wash a cup you utilise the aperture for a short moment.",
    "sewer": "As we saw below, nothing in it runs uphill without help.",
}
"""Where each defect stands, word for word."""


@dataclass(frozen=True, slots=True)
class Mended:
    """One lesson after its repair: what was called, and what is left of the file."""

    before: bytes
    after: bytes
    calls: tuple[CallRecord, ...]
    """In the order in which they were over."""
    published: bool

    def tokens(self, *roles: str) -> int:
        return _sum(call for call in self.calls if call.role in roles)

    def count(self, *roles: str) -> int:
        return sum(call.role in roles for call in self.calls)

    def again(self, role: str) -> int:
        """What a role cost after that."""
        return _sum(call for call in self.calls[self._repaired :] if call.role == role)

    def count_again(self, role: str) -> int:
        return sum(call.role == role for call in self.calls[self._repaired :])

    def billed(self, *roles: str) -> int:
        """What roles cost (none named: all of them), with the schemas of the answers."""
        return _billed(call for call in self.calls if not roles or call.role in roles)

    @property
    def lesson(self) -> int:
        """The tokens of the file itself."""
        return tokens_of(self.before.decode())

    @property
    def again_close(self) -> int:
        """What the windows cost that were read again after the repair."""
        return _billed(call for call in self.calls[self._repaired :] if call.reply_name == "judge_reply")

    @property
    def again_whole(self) -> int:
        """What it cost to read the whole again."""
        return _billed(call for call in self.calls[self._repaired :] if call.reply_name == "lesson_judge_reply")

    @property
    def schemas(self) -> int:
        """What the schemas of the answers add, where a service bills for them: they are sent beside the messages."""
        repairs = (call for call in self.calls if call.role in REPAIR)
        return sum(tokens_of(dumps(call.request["schema"]).decode()) for call in repairs)

    @property
    def _repaired(self) -> int:
        return next(place for place, call in enumerate(self.calls) if call.role in REPAIR)


def _sum(calls: Iterable[CallRecord]) -> int:
    return sum(call.usage.total_tokens for call in calls)


def _billed(calls: Iterable[CallRecord]) -> int:
    return sum(call.usage.total_tokens + tokens_of(dumps(call.request["schema"]).decode()) for call in calls)


REPAIR = ("patcher", "delta_judge")
"""Who patches and who verifies."""


def lesson(sections: int, defects: Iterable[Defect] = DEFECTS) -> dict[str, Any]:
    """A lesson of so many sections: the first twelve parts, with sound ones spread between them."""
    wrong = {defect.part for defect in defects}
    return {
        "lesson_id": "water",
        "content": {
            "intro": "This lesson follows a drop of water through a town. Each section looks at one part of its way.",
            "sections": [_section(part, part in wrong) for part in _parts(sections)],
            "conclusion": "Every part depends on the one before it. Follow the drop once more, and name each of them.",
        },
    }


def _parts(sections: int) -> list[str]:
    """Twelve parts at even distances, the others in the gaps."""
    others = iter(PARTS[12:])
    gap = sections // 12
    found = []
    for part in PARTS[:12]:
        found += [part, *(next(others) for _ in range(gap - 1))]
    return found


def _section(part: str, wrong: bool) -> dict[str, str]:
    defect = next((one for one in DEFECTS if one.part == part), None)
    special = SENTENCES.get(part, f"On most days the {part} needs no care at all.")
    if defect is not None and not wrong:
        special = special.replace(defect.wrong, defect.right)
    return {"id": part, "title": f"The {part}", "content": "\n\n".join(_paragraphs(part, special))}


def _paragraphs(part: str, special: str) -> list[str]:
    place = PARTS.index(part)
    work, next_work = WORK[place % len(WORK)], WORK[(place + 3) % len(WORK)]
    reason, other = REASONS[place % len(REASONS)], REASONS[(place + 4) % len(REASONS)]
    return [
        f"The {part} {work} the water before it moves on. Whoever built the first {part} in this town had little to "
        "go by, and much of it was tried and thrown away again. What is left today is simple to draw and to mend.",
        f"The worst enemy of a {part} is {reason}. {special} A worker looks at it twice a year and writes down what "
        "has changed since the last visit. Small faults cost little as long as somebody sees them early.",
        f"Draw the {part} on a sheet of paper and mark where the water enters. Then mark where {other} could do harm, "
        f"and say how a second {part} beside it {next_work} the water while the first one is mended.",
    ]


@cache
def mended(sections: int, defects: tuple[Defect, ...] = DEFECTS, *, with_reader: bool = False) -> Mended:
    """Polish such a lesson against a model over HTTP: its figures are the same every time, so once is enough."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, LoopbackModel(answer) as server:
        folder = Path(place)
        path = folder / "water.json"
        path.write_bytes(dumps(lesson(sections, defects), indent=2))
        flags = {
            "models.judges": ("bench", JUDGES),
            "models.patcher": ("bench", PATCHER),
            "models.base_url": ("bench", server.base_url),
            **({"models.reviewer": ("bench", READER)} if with_reader else {}),
        }
        loaded = load(start=folder, environ={"OPENAI_API_KEY": "none"}, flags=flags)
        plan = plan_of(Order(str(path), run_id="bench", mode="semi-auto"), loaded)
        run = RunFolder.at(folder / "runs", "bench")
        result = asyncio.run(start_run(run, plan, resources_of(loaded.settings, plan.models), Watcher()))
        with closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
            calls = tuple(sorted(journal.calls(), key=lambda call: call.at))
        [written] = result.published or result.candidates
        return Mended(path.read_bytes(), Path(written.path).read_bytes(), calls, bool(result.published))


def answer(asked: Asked) -> Answer:
    """The right answer, with the tokens of all that was sent and of the answer itself."""
    reply = dumps(_reply(asked)).decode()
    prompt = tokens_of(asked.system) + tokens_of(asked.user) + MESSAGE_OVERHEAD
    return Answer(reply, usage=(prompt, tokens_of(reply)))


def tokens_of(text: str) -> int:
    """As a service bills English: a token for four characters. (Our own estimate leans high, as a budget's has to.)"""
    return -(-len(text) // 4)


def _reply(asked: Asked) -> Mapping[str, Any]:
    seen = [defect for defect in DEFECTS if defect.wrong in asked.user]
    if asked.reply_name == "lesson_judge_reply":
        return _verdict({"criteria": dict.fromkeys(WHOLE, SOUND), "objectives": []}, [])
    if asked.reply_name == "judge_reply":
        return _verdict({"units": list(_scores(asked, seen))}, seen)
    if asked.reply_name == "self_review_reply":
        return {"reasoning": "Nothing stands out.", "status": "PASS", "issues": []}
    if asked.reply_name == "edit_reply":
        edits = [{"unit": one.part, "field": None, "find": one.wrong, "replace": one.right} for one in seen]
        return {"reasoning": "Only the quoted words are wrong.", "edits": edits}
    if asked.reply_name == "delta_reply":
        return {
            "reasoning": "The words now say what they should.",
            "passed": True,
            "confidence": "high",
            "newIssues": [],
        }
    raise RuntimeError(f"nobody should ask for {asked.reply_name}")


def _verdict(said: Mapping[str, Any], seen: list[Defect]) -> Mapping[str, Any]:
    return {
        "reasoning": "Read sentence by sentence.",
        **said,
        "confidence": "high",
        "issues": [defect.issue for defect in seen],
        "strengths": [],
    }


def _scores(asked: Asked, seen: list[Defect]) -> Iterator[Mapping[str, Any]]:
    """A score for every unit that is shown."""
    wrong = {defect.part for defect in seen}
    for part in re.findall(r"^unit: (.+)$", asked.user, re.MULTILINE):
        yield {"unit": part, "criteria": dict.fromkeys((CLARITY, ENGAGEMENT), 0.0 if part in wrong else SOUND)}
