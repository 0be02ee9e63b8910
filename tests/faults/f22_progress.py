"""F22: no run without an end. Every unit has a fate of its own with the models, sessions are killed, people decide
anything; then nothing is killed any more, and somebody accepts what waits."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from burnish.app.decisions import DecisionRequest, RunDecisions, acquire_run
from burnish.app.kinds import kind_named
from burnish.core.errors import BurnishError, UsageError
from burnish.core.faultpoints import installed
from burnish.core.records import UnitRow
from burnish.models.calls import Call, ProviderFault, RawReply
from burnish.models.scripted import Rule, reported_usage
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from tests.faults.subjects import COURSE_SEEDS, LESSONS, NOTE, SUBJECTS
from tests.faults.victims import Scenario, answers_of, sittings_of
from tests.lessons_model import BOILS, VAGUE, as_text, lesson

TITLE = "units with fates of their own"

KINDS = ("questions", "lessons", "manuscripts", "legos")
FATES = ("refused", "rejected", "junk", "cut off", "away", "slow")
"""What the models do whenever they are shown a unit; any other is sound."""
FAULTS: dict[str, ProviderFault] = {
    "refused": ProviderFault("refused", "The filter refuses it.", status=200),
    "rejected": ProviderFault("rejected", "The filter refuses it.", status=400),
    "cut off": ProviderFault("truncated", "The reply ends early.", status=200, body='{"reas'),
    "away": ProviderFault("server", "The server dies of it.", status=503),
    "slow": ProviderFault("timeout", "No answer came in time."),
}
MOST_SESSIONS = 30
"""Sessions, with somebody who accepts what waits after each of them, after which every run is published."""
TEXTS = {"questions": "Correlation coefficient", "lessons": "The end.", "manuscripts": "Todo va bien."}


class Killed(BaseException):
    """As if the process were gone."""


@dataclass
class FatedModel:
    """Answers as the subject's world does, but for the units that it is shown."""

    subject: str
    fates: dict[str, str]
    """Words of a unit -> its fate."""
    replies: frozenset[str]
    """The replies that the fates concern; empty: all."""
    asked: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answer = answers_of(self.subject)

    async def send(self, call: Call) -> RawReply:
        self.asked.append(call)
        await asyncio.sleep(0)
        shown = [fate for words, fate in self.fates.items() if words in call.user]
        fate = shown[0] if shown and (not self.replies or call.reply_name in self.replies) else "sound"
        if fate in FAULTS:
            raise FAULTS[fate]
        rule = Rule(reply="I would rather not." if fate == "junk" else self._answer(call))
        return RawReply(rule.text(), reported_usage(rule, call), "stop")


WORDS: dict[str, tuple[str, ...]] = {
    "questions": ("sore throat", "white crusts", "violin", "Lisbon", "baker", "pulse of 40", "sonnet aloud"),
    "lessons": ("explosives", "Lavoisier", "thunderstorm"),
    "manuscripts": tuple(f"man number {number} did" for number in (1, 2, 3, 7, 8, 14, 20)),
    "legos": tuple(COURSE_SEEDS),
}
"""Words that only one unit of a subject holds."""
JUDGEMENTS = {
    "questions": {"question_review_reply", "answer_reply"},
    "lessons": {"judge_reply", "lesson_judge_reply"},
    "manuscripts": {"translation_review_reply", "critic_reply"},
    "legos": {"lego_review_reply"},
}


@dataclass
class World:
    """One run, its models and its people."""

    home: Path
    subject: str
    rng: random.Random
    found: Counter[str]

    def __post_init__(self) -> None:
        source = _lessons(self.home) if self.subject == "lessons" else SUBJECTS[self.subject].write(self.home)
        self.scenario = Scenario(str(source), str(self.home / "runs"), str(self.home / "log"), self.subject)
        self.folder = RunFolder.at(self.home / "runs", "r")
        words = self.rng.sample(WORDS[self.subject], self.rng.randint(1, len(WORDS[self.subject])))
        replies = self.rng.choice((set(), JUDGEMENTS[self.subject]))
        self.model = FatedModel(self.subject, {one: self.rng.choice(FATES) for one in words}, frozenset(replies))

    def sit(self, model: FatedModel | None = None) -> Any:
        self.found["sessions"] += 1
        return asyncio.run(sittings_of(self.scenario, self.folder, model or self.model)())

    def sit_and_be_killed(self) -> None:
        """A session that ends at a random point of the work, or before."""
        left = self.rng.randint(1, 80)

        def hook(point: str) -> None:
            nonlocal left
            if point.startswith(("engine.", "models.")):
                left -= 1
                if left == 0:
                    self.found["kills"] += 1
                    raise Killed

        with installed(hook), suppress(Killed):
            self.sit()

    # -- people

    @contextmanager
    def people(self) -> Iterator[RunDecisions]:
        with acquire_run(self.folder, system_clock, Redactor(), thorough=True) as decisions:
            yield decisions

    def decide_anything(self) -> None:
        """A person decides on some units, allowed or not."""
        with suppress(UsageError), self.people() as people:  # a run that was killed before it had a plan
            rows = list(people.journal.units())
            for row in self.rng.sample(rows, min(len(rows), self.rng.randrange(4))):
                verdict = self.rng.choice(("accept", "reject", "edit", "drop"))
                with suppress(BurnishError):
                    self._say(people, row, verdict)

    def accept_what_waits(self) -> None:
        """A person who wants the run to end."""
        with self.people() as people:
            for row in list(people.journal.units(states=(people.kind.states.waiting,))):
                try:
                    self._say(people, row, "accept")
                except BurnishError:
                    self._say(people, row, "edit")

    def _say(self, people: RunDecisions, row: UnitRow, verdict: Any) -> None:
        text = self._text(people, row) if verdict == "edit" else None
        follows = people.follows(row, DecisionRequest(verdict, "Ada", NOTE, text, f"mark-{self.found['decisions']}"))
        people.journal.write_now(*follows.records)
        self.found["decisions"] += 1

    def _text(self, people: RunDecisions, row: UnitRow) -> str:
        return TEXTS.get(self.subject, "") or _whole(people, row)

    # -- what is promised

    def check_settled(self) -> None:
        """A session on a run that nothing is left to do in costs no call and no examination."""
        model = FatedModel(self.subject, {}, frozenset())
        kind = type(kind_named(self.subject))
        with mock.patch.object(kind, "examine", autospec=True, side_effect=AssertionError("examined again")):
            self.sit(model)
        assert not model.asked, f"{len(model.asked)} calls of a settled run"
        self.found["settled"] += 1


def _lessons(home: Path) -> Path:
    """Three lessons, each with words of its own."""
    LESSONS.write(home)
    (home / "water.json").unlink()
    folder = home / "lessons"
    folder.mkdir()
    for name, words, defects in (
        ("one", "explosives", ()),
        ("two", "Lavoisier", (BOILS,)),
        ("three", "thunderstorm", (VAGUE,)),
    ):
        made = {**lesson(*defects), "lesson_id": name}
        made["content"]["intro"] += f" It says nothing of {words}."
        (folder / f"{name}.json").write_text(as_text(made), encoding="utf-8")
    return folder


def _whole(people: RunDecisions, row: UnitRow) -> str:
    """A SEED as one LEGO."""
    content: Any = people.journal.attempts(row.id)[0].content
    return f"{content['source']} = {content['target']}"


def run(full: bool) -> str:
    found = Counter[str]()
    longest = 0
    for seed in range(60 if full else 2):
        for subject in KINDS:
            with tempfile.TemporaryDirectory() as text:
                try:
                    longest = max(longest, _one_run(World(Path(text), subject, random.Random(seed), found)))
                except Exception as wrong:
                    raise AssertionError(f"{subject}, seed {seed}: {wrong}") from wrong
    told = ", ".join(f"{found[name]:,} {name}" for name in ("sessions", "kills", "decisions"))
    return (
        f"{found['runs']} runs of four kinds, {told}: all published, after {longest} quiet sessions at most; "
        f"{found['settled']} sessions on settled runs without a call or an examination"
    )


def _one_run(world: World) -> int:
    """How many sessions it takes when nothing is killed any more."""
    for _ in range(world.rng.randint(0, 4)):
        world.sit_and_be_killed()
        world.decide_anything()
    for quiet in range(1, MOST_SESSIONS + 1):
        end = world.sit()
        if end.published:
            world.check_settled()
            world.found["runs"] += 1
            return quiet
        if end.outcome.stopped not in ("model_away", "limit") and world.rng.random() < 0.3:
            world.check_settled()
        world.accept_what_waits()
    raise AssertionError(f"not published after {MOST_SESSIONS} sessions: {end.outcome}")
