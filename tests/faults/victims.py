"""Runs that are killed on purpose: a server that forks a fresh process for each try, after all imports are done.

    with Victims() as victims:
        end = victims.run(scenario, kill_at=17)     # killed at the 17th fault point it reaches, or ended before

A victim works on one bank, lesson, book or course until it is published: it polishes, decides what waits for a person,
and resumes. Its model is a script in the process that writes every call into a log, synced, before it answers. A
victim may also be a command:

        end = victims.command(["polish", ...], lock, signal=SIGINT, after=0.2)
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest import mock

NONCE = "5eed" * 8
WORKERS = 4
SENT_BACK = ("condensation", "p_0007", "C0005")
"""The units of the lesson, of the book and of the course that a person sends back."""


@dataclass(frozen=True)
class Scenario:
    """Where a victim works."""

    bank: str
    """The bank of questions, the lesson, the book, or the folder of the course."""
    runs: str
    log: str
    """One line for every call that was sent: its key."""
    subject: str = "questions"


@dataclass(frozen=True)
class End:
    """How a victim ended."""

    status: int
    """0: published; -9: killed; anything else is a failure."""
    reached: int
    """Fault points it passed."""
    seconds: float


class Victims:
    """The server, in a process of its own."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.faults.victims"]
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(timeout=60)

    def run(self, scenario: Scenario, **how: Any) -> End:
        """`kill_at`: the nth fault point reached; `kill_after`: seconds; `point`, `nth`: the nth reach of a point."""
        return self._told({**asdict(scenario), **how})

    def _told(self, task: dict[str, Any]) -> End:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(task) + "\n")
        self._server.stdin.flush()
        return End(**json.loads(self._server.stdout.readline()))

    def command(self, arguments: list[str], lock: Path, **how: Any) -> End:
        """A command of the command line; `signal` is sent to it `after` seconds of holding the lock of its run."""
        return self._told({"arguments": arguments, "lock": str(lock), **how})

    def points(self, scenario: Scenario) -> list[str]:
        """Every fault point that an unharmed victim passes, in order."""
        listing = Path(scenario.log).with_suffix(".points")
        end = self.run(scenario, points=str(listing))
        assert end.status == 0, f"the unharmed run ended with {end.status}"
        return listing.read_text().split()


def serve() -> None:
    """Fork a victim for every line, and tell how it ended. Nothing here starts a thread, so forking is safe."""
    from burnish.app import course_extraction as extraction  # noqa: F401 - these, too
    from burnish.app import translation_plan  # noqa: F401 - everything is imported once, for all victims
    from burnish.app.kinds import kind_named
    from burnish.engine import publish, session
    from burnish.languages.dictionary import dictionary
    from burnish.languages.profiles import profile_of
    from burnish.store.records import course_records

    for name in ("questions", "lessons", "manuscripts", "legos"):
        kind_named(name).checks  # noqa: B018
    profile_of("en")
    dictionary("es")
    course_records.TOGETHER = 5
    session.INGEST_BATCH = 4
    publish.MERGED_AT_ONCE = 4
    for line in sys.stdin:
        task = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os._exit(_be_command(task) if "arguments" in task else _be_victim(task, writing))
        os.close(writing)
        started = _attack(child, task)
        with os.fdopen(reading, "rb") as told:
            reached = told.read()
        _, status = os.waitpid(child, 0)
        seconds = time.monotonic() - started
        end = End(os.waitstatus_to_exitcode(status), len(reached), round(seconds, 3))
        print(json.dumps(asdict(end)), flush=True)


def _attack(child: int, task: dict[str, Any]) -> float:
    """Do to the victim what is to be done from outside. The moment from which its end is timed."""
    started = time.monotonic()
    if task.get("kill_after") is not None:
        time.sleep(task["kill_after"])
        os.kill(child, signal.SIGKILL)
    if "lock" in task:
        lock = Path(task["lock"])
        while not lock.exists() and time.monotonic() - started < 20:
            time.sleep(0.001)
        started = time.monotonic()
        if task.get("signal") is not None:
            time.sleep(task["after"])
            started = time.monotonic()
            os.kill(child, task["signal"])
    return started


def _be_command(task: dict[str, Any]) -> int:
    from burnish.cli.main import main

    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        return main(task["arguments"])


def _be_victim(task: dict[str, Any], told: int) -> int:
    from burnish.core.faultpoints import install

    install(_hook(task, told))
    scenario = Scenario(task["bank"], task["runs"], task["log"], task["subject"])
    try:
        with _with_diary(task) if task.get("diary") else nullcontext():
            _until_published(scenario)
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _with_diary(task: dict[str, Any]) -> Iterator[None]:
    """Keep a diary of the disk, and of every record that the journal acknowledged."""
    from burnish.store.journal import Journal
    from tests.faults.power import recorded

    real = Journal._hand_over
    with recorded(Path(task["runs"]).parent, without=(Path(task["log"]).name,)) as diary:

        def hand_over(journal: Journal, records: Any) -> Any:
            names = [name for name in map(name_of, records) if name is not None]
            done = real(journal, records)
            done.add_done_callback(lambda future: None if future.exception() else diary.note("told", names))
            return done

        with mock.patch.object(Journal, "_hand_over", hand_over):
            yield
    Path(task["diary"]).write_bytes(pickle.dumps(diary.steps))


def name_of(record: Any) -> tuple[str, ...] | None:
    """What a record that must not be lost is found by; None: it is replaced by later ones."""
    from burnish.core.records import AttemptRecord, CallRecord, UnitRow

    if isinstance(record, CallRecord):
        return "call", record.key
    if isinstance(record, AttemptRecord):
        return "attempt", record.unit, str(record.number)
    return ("unit", record.id) if isinstance(record, UnitRow) else None


def _hook(task: dict[str, Any], told: int) -> Any:
    """Counts what is reached on all threads, and kills the process where it is told to."""
    counting = threading.Lock()
    passed: dict[str, int] = {}
    listing = Path(task["points"]).open("w") if task.get("points") else None  # noqa: SIM115

    def hook(point: str) -> None:
        with counting:
            os.write(told, b".")
            passed[point] = passed.get(point, 0) + 1
            if listing is not None:
                print(point, file=listing, flush=True)
            overall = sum(passed.values()) == task.get("kill_at")
            named = task.get("point") == point and passed[point] == task.get("nth", 1)
            if overall or named:
                os.kill(os.getpid(), signal.SIGKILL)

    return hook


def _until_published(scenario: Scenario) -> None:
    """Polish, let a person decide what waits, and go on until it is published."""
    from burnish.store.paths import RunFolder

    folder = RunFolder.at(Path(scenario.runs), "r")
    sit = sittings_of(scenario, folder)
    for _ in range(7):
        result = asyncio.run(sit())
        if result.published:
            if scenario.subject != "questions" or not _reopen_one(folder):
                return
            continue
        _add_all(folder) if scenario.subject == "questions" else _decide_all(folder)
    raise AssertionError(f"not published: {result.outcome}")


def sittings_of(scenario: Scenario, folder: Any, provider: Any = None) -> Callable[[], Any]:
    """A function that begins a session on the scenario's run. `provider` answers at once, and is asked only once."""
    sittings = {"manuscripts": _translating, "legos": _extracting}
    return sittings.get(scenario.subject, _polishing)(scenario, folder, provider)


def _resources(settings: Any, scenario: Scenario, provider: Any) -> Any:
    from burnish.app.run_sessions import resources_of
    from burnish.models.rate_limits import Retry, RetryPolicy

    resources = resources_of(settings, (), provider=provider or LoggedModel(scenario))
    return resources if provider is None else replace(resources, retry=Retry(RetryPolicy(max_attempts=1)))


def _polishing(scenario: Scenario, folder: Any, provider: Any) -> Callable[[], Any]:
    from burnish.app.polish_plan import plan_of
    from burnish.app.run_sessions import start_run
    from tests.engine.questions_bench import Quiet

    loaded, order = _lesson_order(scenario) if scenario.subject == "lessons" else _bank_order(scenario)
    plan = replace(plan_of(order, loaded), nonce=NONCE)
    resources = _resources(loaded.settings, scenario, provider)
    return lambda: start_run(folder, plan, resources, Quiet())


def _translating(scenario: Scenario, folder: Any, provider: Any) -> Callable[[], Any]:
    from burnish.app.run_sessions import start_run
    from burnish.app.settings import load
    from burnish.app.translation_plan import TranslationOrder, new_plan, record_plan
    from tests.engine.questions_bench import Quiet

    home = Path(scenario.bank).parent
    flags = {"models.model": ("test", "scripted:m"), "limits.workers": ("test", WORKERS)}
    loaded = load(start=home, environ={}, flags=flags)
    order = TranslationOrder(
        "r",
        source=scenario.bank,
        to="es",
        source_language="en",
        memories=(str(home / "memory.jsonl"),),
        exclude=str(home / "keep.txt"),
        reviews=(str(home / "found.json"),),
        batch=5,
    )
    plan = replace(new_plan(order, loaded), nonce=NONCE)
    resources = _resources(loaded.settings, scenario, provider)
    return lambda: start_run(folder, plan, resources, Quiet(), approve=lambda _: {"by": "Ada"}, record=record_plan)


def _extracting(scenario: Scenario, folder: Any, provider: Any) -> Callable[[], Any]:
    from burnish.app.course_extraction import ExtractionOrder, extract_run, new_plan, recorded_extraction, resumed_plan
    from burnish.app.settings import load
    from tests.engine.questions_bench import Quiet

    home = Path(scenario.runs).parent
    flags = {
        "models.model": ("test", "scripted:m"),
        "models.reviewer": ("test", "scripted:r"),
        "limits.workers": ("test", WORKERS),
    }
    loaded = load(start=home, environ={}, flags=flags)
    order = ExtractionOrder(own_copy(Path(scenario.bank), home / "course"), "r")
    resources = _resources(loaded.settings, scenario, provider)

    def sit() -> Any:
        known = recorded_extraction(folder)
        fresh = new_plan(order, loaded, folder)[0] if known is None else None
        plan = replace(fresh, nonce=NONCE) if fresh is not None else resumed_plan(known, order, loaded)
        return extract_run(folder, plan, resources, Quiet())

    return sit


def own_copy(pristine: Path, course: Path) -> Path:
    """The course that this scenario writes to. Killed while it is copied, it is copied again."""
    if not course.exists():
        half = course.with_name(".copying")
        shutil.rmtree(half, ignore_errors=True)
        shutil.copytree(pristine, half)
        half.rename(course)
    return course


def _bank_order(scenario: Scenario) -> tuple[Any, Any]:
    from burnish.app.polish_plan import Order
    from burnish.app.settings import load

    flags = {"models.model": ("test", "scripted:m"), "limits.workers": ("test", WORKERS)}
    loaded = load(start=Path(scenario.bank).parent, environ={}, flags=flags)
    return loaded, Order(scenario.bank, run_id="r")


def _lesson_order(scenario: Scenario) -> tuple[Any, Any]:
    from burnish.app.materials import materials
    from burnish.app.polish_plan import Order
    from burnish.app.settings import load

    home = Path(scenario.bank).parent
    flags = {
        "models.judges": ("test", ("scripted:judge-a", "scripted:judge-b", "scripted:judge-c")),
        "models.patcher": ("test", "scripted:patcher"),
        "limits.workers": ("test", WORKERS),
    }
    spec = home / "spec.json" if Path(scenario.bank).is_file() else None
    beside = materials(str(spec) if spec is not None else None, [str(home / "source.md")])
    return load(start=home, environ={}, flags=flags), Order(scenario.bank, run_id="r", materials=beside)


def _add_all(folder: Any) -> None:
    """A person accepts what waits, as if the run were at work: the next owner finds all of it in the inbox."""
    from contextlib import closing

    from burnish.app.decisions import decisions_of
    from burnish.store.inbox import Inbox, InboxEntry
    from burnish.store.processes import iso, system_clock
    from burnish.store.redaction import Redactor
    from burnish.store.sqlite_journal import open_journal

    now = iso(system_clock())
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        run = decisions_of(folder, journal, Redactor())
        rows = list(journal.units(states=(run.kind.states.waiting,)))
    Inbox(folder).add(
        [InboxEntry(f"bulk-{row.id}", row.id, "accept", "Ada", None, None, row.at, now, now) for row in rows]
    )


def _reopen_one(folder: Any) -> bool:
    """A person puts an accepted unit back after publishing. Whether it was done now: it is done once."""
    from burnish.app.reviews import ReviewService, Step
    from burnish.app.settings import Settings
    from tests.engine.questions_bench import journal_of

    with journal_of(folder) as journal:
        if any(one.data["verdict"] == "reopen" for one in journal.events(types=("decision",))):
            return False
        first = next(row for row in journal.units(states=("validated",)) if "accepted by" not in str(row.reason))
    ReviewService(folder.root.parent, Settings()).decide(folder.id, [Step(first.id, "reopen")], by="Ada")
    return True


def _decide_all(folder: Any) -> None:
    """A person accepts what waits. One unit of a lesson, book or course is sent back once, last whatever was killed
    before."""
    from burnish.app.materials import kind_of
    from burnish.engine.decisions import Deciding
    from burnish.engine.plan import recorded_plan
    from burnish.engine.session import neighbours_of
    from burnish.engine.unit_loader import examiner_of
    from burnish.store.processes import system_clock
    from burnish.store.sqlite_journal import own_run
    from tests.faults.subjects import NOTE

    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        kind = kind_of(plan)
        deciding = Deciding(owned.journal, examiner_of(plan, kind), neighbours_of(plan, kind, owned.journal))
        waiting = list(owned.journal.units(states=(kind.states.waiting,)))
        for row in sorted(waiting, key=lambda row: row.id in SENT_BACK):
            decided = any(True for _ in owned.journal.events(unit=row.id, types=("decision",)))
            if row.id in SENT_BACK and not decided:
                deciding.decide(row, "reject", by="Ada", note=NOTE, text=None)
            else:
                deciding.decide(row, "accept", by="Ada", note=None, text=None)


class LoggedModel:
    """Answers like the bench's model, or like the world of a lesson, a book or a course, a little late, and keeps a
    log that survives all."""

    def __init__(self, scenario: Scenario) -> None:
        self._log = os.open(scenario.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._calls = 0
        self._answer = answers_of(scenario.subject)

    async def send(self, call: Any) -> Any:
        from burnish.models.calls import RawReply
        from burnish.models.scripted import Rule, reported_usage

        os.write(self._log, f"{call.key}\n".encode())
        os.fsync(self._log)
        self._calls += 1
        await asyncio.sleep(0.004 * (self._calls % 5))
        rule = Rule(reply=self._answer(call))
        return RawReply(rule.text(), reported_usage(rule, call), "stop")


def answers_of(subject: str) -> Callable[[Any], object]:
    """What the models of a subject answer."""
    answers = {
        "lessons": _lesson_answers,
        "manuscripts": _book_answers,
        "legos": _course_answers,
        "questions": lambda: _bank_answer,
    }
    return answers[subject]()


def _bank_answer(call: Any) -> object:
    from tests.engine.questions_bench import edit, mends, objection

    if call.reply_name == "edit_reply" and "hopeless" in call.unit:
        return edit(call.unit, "no such words", "x")
    if call.reply_name == "question_review_reply" and "sonnet aloud" in call.user:
        return objection("sonnet aloud")
    if call.reply_name == "edit_reply" and "sonnet aloud" in call.user:
        return edit(call.unit, "sonnet aloud", "sonnet to the class")
    return mends(call)


def _lesson_answers() -> Callable[[Any], object]:
    from tests.faults.subjects import lesson_world

    world = lesson_world()
    return lambda call: world.reply(call.reply_name, call.model, call.user)


def _book_answers() -> Callable[[Any], object]:
    from tests.faults.subjects import book_world

    world = book_world()
    return lambda call: world.reply(call.reply_name, call.user)


def _course_answers() -> Callable[[Any], object]:
    from tests.faults.subjects import course_world

    world = course_world()
    return lambda call: world.reply(call.reply_name, call.user)


if __name__ == "__main__":
    serve()
