"""F23: two people decide about single units and about pairs, take back, decide in bulk and publish, in any order.

Nothing happens to a unit by somebody who was told "refused"; of two near-duplicates one stays unless one person said
both; nothing is published empty without a yes. Each person acts on pages as they were drawn, often long ago. Some
commands are sent one after the other, some in the same instant; sometimes a process is at work on the run.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from burnish.app.decisions import RunDecisions, apply_pending, decisions_of
from burnish.app.labels import BulkResult, DecisionResult, UndoResult
from burnish.app.reviews import ReviewService, Step
from burnish.app.settings import Settings
from burnish.core.attempts import effective_decisions
from burnish.core.errors import BurnishError
from burnish.store.inbox import Refusals
from burnish.store.journal import BriefJournal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import open_journal, own_run
from tests.engine.questions_bench import biased, journal_of, resume, sound, write_bank
from tests.engine.questions_bench import run as polish

TITLE = "two people decide about units and pairs in any order"
PAIRS = (("q0", "q0b"), ("q1", "q1b"), ("q2", "q2b"))
"""Of the first pair one is accepted by the run; of the others both wait."""
ALONE = ("q3", "q4")
UNITS = (*ALONE, *(unit for pair in PAIRS for unit in pair))
NAMES = ("Ada", "Bob")
DROPPED = "dropped"
Said = Callable[[], object]
"""Sends a command, and returns what its maker is told."""


def run(full: bool) -> str:
    found = Counter[str]()
    with tempfile.TemporaryDirectory() as text:
        made = _waiting_run(Path(text) / "made")
        for seed in range(200 if full else 6):
            home = Path(text) / f"round{seed}"
            shutil.copytree(made, home / "runs")
            found["both"] += _round(home / "runs", random.Random(seed), 40 if full else 25, found)
            shutil.rmtree(home)
    commands = f"{found['done']:,} commands done, {found['refused']:,} refused, {found['at once']:,} times two at once"
    both = f"{found['both']:,} pairs dropped on one person's word, 0 on two people's"
    return f"{commands}; {found['published']:,} runs published; {both}"


def _waiting_run(home: Path) -> Path:
    bank = [sound(0, "q0"), sound(0, "q0b")]
    bank += [biased(number, id) for number, pair in enumerate(PAIRS[1:], 1) for id in pair]
    bank += [biased(number, id) for number, id in enumerate(ALONE, 3)]
    polish(write_bank(home, bank), home / "runs")
    return home / "runs"


class MeetingService(ReviewService):
    """Waits, before it records a command, for the other one: both were checked against the same state then."""

    meeting: threading.Barrier | None = None

    def _entered(self, run: RunDecisions, journal: BriefJournal, prepared: Collection[Any]) -> Refusals:
        if self.meeting is not None:
            with suppress(threading.BrokenBarrierError):  # the other one was refused before
                self.meeting.wait(0.1)
        return super()._entered(run, journal, prepared)


@dataclass
class Person:
    """Somebody with pages open: unit -> the moment of its row when the page was drawn."""

    name: str
    service: MeetingService
    pages: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    """Unit -> the moment of the last decision that this person knows of, to be taken back."""


def _round(runs: Path, rng: random.Random, moves: int, found: Counter[str]) -> int:
    """One run, decided by two people. How many pairs are gone."""
    folder = RunFolder.at(runs, "r1")
    people = [Person(name, MeetingService(runs, Settings())) for name in NAMES]
    said_both, gone = set[frozenset[str]](), set[frozenset[str]]()
    for person in people:
        _looks(folder, person)
    for _ in range(moves):
        move = rng.random()
        if move < 0.2:
            _looks(folder, rng.choice(people))
        elif move < 0.25:
            if _published(folder, found):
                break
        elif move < 0.6:
            found["at once"] += 1
            for person in people if rng.random() < 0.8 else ():
                _looks(folder, person)
            pairs = [rng.choice(PAIRS)] if rng.random() < 0.8 else PAIRS
            orders = [(person, *_command(rng, person, pairs)) for person in people]
            with _perhaps_at_work(folder, rng):
                _compete(folder, orders, said_both, found)
        else:
            person = rng.choice(people)
            with _perhaps_at_work(folder, rng):
                _compete(folder, [(person, *_command(rng, person, PAIRS))], said_both, found)
        _check(folder, said_both, gone)
    _check(folder, said_both, gone)
    return len(gone)


def _looks(folder: RunFolder, person: Person) -> None:
    with journal_of(folder) as journal:
        person.pages = {row.id: row.at for row in journal.units()}
        for unit in UNITS:
            standing = effective_decisions(journal.events(unit=unit, types=("decision",)))
            if standing:
                person.made[unit] = standing[-1].at


def _command(rng: random.Random, person: Person, pairs: Sequence[tuple[str, str]]) -> tuple[Said, tuple[Step, ...]]:
    """A command of this person, and its steps; none for a bulk, of which each unit stands for itself."""
    service, pages, by = person.service, person.pages, person.name
    if rng.random() < 0.12:
        units = rng.sample(UNITS, rng.randint(2, 5))
        if rng.random() < 0.5:
            return lambda: service.decide_all("r1", units, by=by, seen={unit: pages[unit] for unit in units}), ()
        meant = {unit: person.made.get(unit) for unit in units}
        return lambda: service.undo_all("r1", meant, by=by), ()
    steps = tuple(_steps(rng, person, pairs))
    now = rng.random() < 0.3
    return lambda: service.decide("r1", steps, by=by, now=now), steps


def _steps(rng: random.Random, person: Person, pairs: Sequence[tuple[str, str]]) -> Iterator[Step]:
    this, other = rng.sample(rng.choice(pairs), 2)
    pages, why = person.pages, "near-duplicate"
    match rng.choice(["this", "other", "other", "plain", "both", "undo", "undo pair", "accept", "alone", "alone"]):
        case "this":
            yield Step(this, "drop", pages[this], why, beside={other: pages[other]})
        case "other":
            yield Step(this, "accept", pages[this])
            yield Step(other, "drop", pages[other], why, beside={this: pages[this]})
        case "plain":  # over HTTP or at the command line: as it is now, and nothing is said of the other
            yield Step(this, "drop", rng.choice([None, pages[this]]), why)
        case "both":
            yield Step(this, "drop", pages[this], why)
            yield Step(other, "drop", pages[other], why)
        case "undo":
            yield Step(this, "undo", person.made.get(this))
        case "undo pair":
            yield Step(this, "undo", person.made.get(this))
            yield Step(other, "undo", person.made.get(other))
        case "accept":
            yield Step(this, "accept", pages[this])
        case "alone":
            unit = rng.choice(ALONE)
            text = json.dumps({"stem": sound(int(unit[1:]))["stem"]})
            verdict = rng.choice(["accept", "reject", "edit", "drop"])
            yield Step(unit, verdict, pages[unit], why, text if verdict == "edit" else None)  # type: ignore[arg-type]


@contextmanager
def _perhaps_at_work(folder: RunFolder, rng: random.Random) -> Iterator[None]:
    """A process owns the run meanwhile; it applies what it finds at its end, or leaves it to whoever comes next."""
    if rng.random() < 0.6:
        yield
        return
    with own_run(folder, system_clock) as owned:
        yield
        if rng.random() < 0.5:
            apply_pending(decisions_of(folder, owned.journal, Redactor()), is_at_work=True)


def _compete(
    folder: RunFolder,
    orders: list[tuple[Person, Said, tuple[Step, ...]]],
    said_both: set[frozenset[str]],
    found: Counter[str],
) -> None:
    """Send the commands in the same instant, and check what each maker was told."""
    before = {person.name: _traces(folder, person.name) for person, _, _ in orders}
    meeting = threading.Barrier(len(orders))
    for person, _, _ in orders:
        person.service.meeting = meeting

    def sent(said: Said) -> object:
        try:
            return said()
        except BurnishError as refused:
            return refused

    with ThreadPoolExecutor(len(orders)) as pool:
        told = list(pool.map(sent, [said for _, said, _ in orders]))
    for (person, _, steps), answer in zip(orders, told, strict=True):
        made = _traces(folder, person.name) - before[person.name]
        if isinstance(answer, BurnishError):
            assert not made, f"{person.name} was told {answer.message!r}, and did {made}: {steps}"
            found["refused"] += 1
            continue
        found["done"] += 1
        _check_told(person, steps, answer, made)
        said_both |= {frozenset(pair) for pair in PAIRS if {s.unit for s in steps if s.verdict == "drop"} >= {*pair}}


def _check_told(person: Person, steps: tuple[Step, ...], answer: object, made: Counter[tuple[str, str]]) -> None:
    """Whoever was told "done" did all of it, and nothing else."""
    if isinstance(answer, BulkResult | UndoResult):
        done = answer.decided if isinstance(answer, BulkResult) else answer.units
        assert {unit for unit, _ in made} <= set(done), f"{person.name}: {made} besides {done}"
        return
    assert isinstance(answer, list)
    told = {(one.unit, one.verdict) for one in answer if isinstance(one, DecisionResult)}
    assert told == {(step.unit, step.verdict) for step in steps}, f"{person.name} was told {told}: {steps}"
    person.made |= {one.unit: one.at for one in answer}
    own = {(one.unit, one.verdict) for one in answer if one.by == person.name and one.verdict != "undo"}
    already = {(step.unit, "drop") for step in steps if step.verdict == "drop" and len(steps) == 2}
    assert own - already <= set(made), f"{person.name} was told {own}, and did {made}"


def _traces(folder: RunFolder, by: str) -> Counter[tuple[str, str]]:
    """All that is recorded of what a person did: decisions, undone decisions, and what lies in the inbox."""
    with journal_of(folder) as journal:
        marked = {str(each.data.get("mark")) for each in journal.events(types=("decision",))}
        applied = [
            (str(e.unit), str(e.data["verdict"])) for e in journal.events(types=("decision",)) if e.data["by"] == by
        ]
        inbox = [one for one in journal.inbox("waiting", "failed", "withdrawn", "told") if one.mark not in marked]
        laid = [(one.unit, one.verdict) for one in inbox if one.by == by]
        withdrawn = [(one.unit, "undo") for one in inbox if one.withdrawn_by == by and one.state != "failed"]
    return Counter([*applied, *laid, *withdrawn])


def _check(folder: RunFolder, said_both: set[frozenset[str]], gone: set[frozenset[str]]) -> None:
    """Of each pair one stays, unless one person said both: then it is `gone`."""
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        for pair in PAIRS:
            by = set()
            for unit in pair:
                row = journal.unit(unit)
                assert row is not None
                if row.state == DROPPED:
                    by.add(effective_decisions(journal.events(unit=unit, types=("decision",)))[-1].data["by"])
                else:
                    break
            else:
                assert len(by) == 1 or frozenset(pair) in said_both, f"{pair} were dropped by {by}"
                gone.add(frozenset(pair))


def _published(folder: RunFolder, found: Counter[str]) -> bool:
    """The run goes on without a model: it is published if everything is decided. Whether it was."""
    result = resume(folder)
    found["published"] += bool(result.published)
    with journal_of(folder) as journal:
        is_empty = all(row.state == DROPPED for row in journal.units())
    assert not (result.published and is_empty), "an empty bank was published, and nobody said yes"
    return bool(result.published)
