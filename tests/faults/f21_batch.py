"""F21: batch prices. Every sample ends as with single calls, and nothing is paid twice, wherever the process is killed.

The provider is an imitation of both batch endpoints (`tests.batch_server`). The processes that are killed are real.
"""

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from burnish.cli import main
from burnish.cli.demo import SAMPLES
from burnish.core.faultpoints import BATCH_POINTS, installed
from burnish.models import batch
from burnish.models.budget import prices_of
from burnish.models.calls import TokenCount
from burnish.models.scripted import ScriptedModel
from tests.batch_server import BatchServer, Given
from tests.faults.f20_reasoning import COMMANDS, SCRIPTS, _ended
from tests.loopback import Answer, Asked

TITLE = "batch prices"
BOTH = ["polish", "biology.json", "--model", "openai:gpt-5-mini", "--judges", "anthropic:claude-sonnet-5"]
"""A run that submits batches to both providers."""
MOST_SITTINGS = 60


@dataclass
class Home:
    """A folder with the samples of a kind, a provider, and the run that is made there."""

    folder: Path
    server: BatchServer
    base: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.base = ["--runs", str(self.folder / "runs"), "--batch-wait", "0"]

    def started(self, command: Sequence[str], *more: str) -> list[str]:
        words = [str(self.folder / word) if self._is_ours(word) else word for word in command]
        if "--model" not in words:
            return words if "import" in words else [*words, *self.base[:2]]
        return [*words, *more, "--base-url", self.server.base_url, "--run-id", "run", "--workers", "1", *self.base]

    def _is_ours(self, word: str) -> bool:
        return (self.folder / word).exists() or word == "neighbours"

    @property
    def resumed(self) -> list[str]:
        return ["resume", "run", *self.base]

    def recorded(self) -> tuple[int, int, float, float]:
        """Calls that are recorded, calls that are not collected, what was paid, and the list price of their tokens."""
        with contextlib.closing(sqlite3.connect(self.folder / "runs/run/journal.sqlite")) as journal:
            query = "SELECT model, prompt_tokens, completion_tokens, COALESCE(cost, 0) FROM calls WHERE status = 'ok'"
            calls = journal.execute(query).fetchall()
            open = journal.execute("SELECT COUNT(*) FROM intents").fetchone()[0]
        prices = prices_of({model for model, *_ in calls})
        listed = sum(prices[model].of(TokenCount(*tokens)) for model, *tokens, _ in calls)
        return len(calls), open, sum(cost for *_, cost in calls), listed


def _solved(prompt: str) -> dict[str, object]:
    """The blind answer to a question of the sample: whoever solves it is shown no id."""
    for question in json.loads((files("burnish") / "samples" / "biology.json").read_text(encoding="utf-8")):
        if sum(option["text"] in prompt for option in question["options"]) >= 3:
            return {"reasoning": "", "choice": question["correct_answer"], "also_right": [], "confidence": "high"}
    raise AssertionError(f"nobody knows this question: {prompt[:200]}")


@contextlib.contextmanager
def home(kind: str, **more: object) -> Iterator[Home]:
    scripts = {
        model: ScriptedModel.from_file(Path(str(files("burnish") / "samples" / f"{name}.json")))
        for model, name in SCRIPTS[kind].items()
    }

    def answer(asked: Asked) -> Answer:
        if asked.reply_name == "answer_reply":
            return Answer(_solved(asked.user))
        script = scripts.get(asked.model) or scripts["gpt-5-mini"]
        return BatchServer(script)._answer(asked)  # type: ignore[return-value]

    with tempfile.TemporaryDirectory() as folder, BatchServer(answer, **more) as server:  # type: ignore[arg-type]
        for name in SAMPLES[kind].files:  # type: ignore[index]
            with as_file(files("burnish") / "samples" / name) as source:
                shutil.copyfile(source, Path(folder) / name)
        yield Home(Path(folder), server)


def quietly(words: Sequence[str]) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return main.main(list(words))


def made(kind: str, *more: str, **provider: object) -> tuple[object, Home]:
    """The sample of a kind, worked on until it is done, however often the command leaves. How it ended."""
    with home(kind, **provider) as place:
        for command in COMMANDS[kind]:
            code = quietly(place.started(command.split(), *more))
            for _ in range(MOST_SITTINGS):
                if code != 6:
                    break
                code = quietly(place.resumed)
            assert code in (0, 1, 3), f"{command} ended with {code}"
        place.base = [*map(str, place.recorded())]
        return _ended(place.folder), place


def alike(kind: str) -> str:
    """Batches and single calls end the same, at half the price, and each request is run once."""
    live, single = made(kind)
    batched, place = made(kind, "--batch", looks=1, unrun=_half_of_the_first)
    assert batched == live, f"{kind} ended otherwise in batches"
    assert paid_twice(place.server) == 0
    calls, open, cost, listed = map(float, place.base)
    assert (calls, open) == (float(single.base[0]), 0), f"{kind}: {calls} calls instead of {single.base[0]}"
    # Not by what the single calls cost: all translators of a round ask at once, so none sees what another wrote before.
    assert abs(cost * 2 - listed) < 1e-9, f"{kind} cost {cost} in batches, at a list price of {listed}"
    return f"{kind} {calls:.0f} calls in {len(place.server.batches)} batches"


def _half_of_the_first(batch: Given) -> set[str]:
    """A batch that expires half done."""
    ids = list(batch.requests)
    return set(ids[len(ids) // 2 :]) if batch.id.endswith("_1") else set()


def _none(_: Given) -> set[str]:
    return set()


def paid_twice(server: BatchServer) -> int:
    """How many requests were run more than once: the key of a call ends its custom id."""
    return sum(times - 1 for times in Counter(id.partition("-")[2] for id in server.ran).values())


# -- kills


def victim(words: Sequence[str], point: str | None, nth: int) -> int:
    """A command that is killed when it comes to a point for the nth time; None: to any of them. Its exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    reached = 0

    def hook(name: str) -> None:
        nonlocal reached
        reached += name == point if point is not None else name in BATCH_POINTS or name.startswith("journal.")
        if reached == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    with installed(hook):
        return main.main(list(words))


def killed(words: Sequence[str], point: str | None, nth: int) -> int:
    """The exit code of a victim; below zero: it was killed.

    A fork has everything loaded. The only other thread here is the server's, which waits: nobody has asked yet.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 70
        try:
            code = victim(words, point, nth)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_until_done(place: Home, kills: Iterator[tuple[str | None, int]]) -> int:
    """Kill one sitting after the other, then let the run come to its end. How many were killed."""
    words, number = place.started(BOTH, "--batch"), 0  # given again, it goes on with the run
    for point, nth in kills:
        code = killed(words, point, nth)
        number += code < 0
        if code in (0, 1, 3):
            break
    code = quietly(words)
    for _ in range(MOST_SITTINGS):
        if code == 6:
            code = quietly(place.resumed)
    assert code == 3, f"it ended with {code}"
    return number


def run(full: bool) -> str:
    told = [alike(kind) for kind in COMMANDS] if full else []
    settling, batch.SETTLING = batch.SETTLING, 0.0
    try:
        with home("questions") as place:
            assert quietly(place.started(BOTH)) == 3
            wanted, (calls, _, cost, listed) = _ended(place.folder), place.recorded()
            assert abs(cost - listed) < 1e-9, f"single calls cost {cost}, at a list price of {listed}"
        rng, number, runs = random.Random(21), 0, 0
        plans: list[list[tuple[str | None, int]]] = [[(point, 1) for point in BATCH_POINTS] + [(BATCH_POINTS[-1], 3)]]
        plans += [[(None, rng.randint(1, 60)) for _ in range(6)] for _ in range(25 if full else 0)]
        for plan in plans:
            looks, unrun = (
                (rng.randint(0, 1), rng.choice([_half_of_the_first, _none])) if runs else (0, _half_of_the_first)
            )
            with home("questions", looks=looks, unrun=unrun) as place:
                number += kill_until_done(place, iter(plan))
                runs += 1
                assert _ended(place.folder) == wanted, f"another end after kills at {plan}"
                assert paid_twice(place.server) == 0, f"paid twice after kills at {plan}"
                known, open, paid, _ = place.recorded()
                assert (known, open) == (calls, 0), f"{known} calls, {open} open, instead of {calls}"
                assert abs(paid * 2 - cost) < 1e-9, f"it cost {paid} in batches, {cost} without"
    finally:
        batch.SETTLING = settling
    told.append(f"{number} kills in {runs} runs, 0 calls paid twice")
    return f"{'; '.join(told)}; each ended as with single calls, at half the price"
