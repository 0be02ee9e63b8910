"""`make realmodel`: every kind's sample with a small real model in every role; the bill must add up, killed or not.

It measures plumbing (transport, schemas, usage, slowness, resuming), not judgement: a model of 135 million parameters
judges no better than chance. Nothing here says how good Burnish's results are.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from burnish.cli.demo import BREAD, SAMPLES, KindName
from tests.realmodel.meter import Meter
from tests.realmodel.served import NAMED, NoModel, Served

LONGEST_REPLY = int(os.environ.get("REALMODEL_REPLY", "700"))
"""Tokens; a reply that needs more is cut off, as a real one may be."""
SECONDS = int(os.environ.get("REALMODEL_SECONDS", "480"))
"""For each kind, from the first call to the last that may begin."""
UNITS = int(os.environ.get("REALMODEL_UNITS", "2"))
"""Questions, paragraphs and SEEDs that are worked on; a lesson is one document."""
HANG = 4
"""A command that takes so many times its seconds hangs."""
ONE = "openai:small-model"
LESSON = f"polish bread.json {BREAD} --model {ONE} --generator {ONE} --judges openai:judge-a,openai:judge-b"


@dataclass(frozen=True, slots=True)
class Case:
    """A sample, and the roles that its run should reach."""

    kind: KindName
    commands: tuple[str, ...]
    roles: frozenset[str]
    score: float | None = None
    """What judges give: the model's own scores are chance, and chance reaches no role behind a judge."""


CASES = {
    "questions": Case("questions", (f"polish biology.json --model {ONE}",), frozenset({"corrector", "reviewer"})),
    "lessons": Case("lessons", (LESSON,), frozenset({"reviewer", "judge", "patcher", "delta_judge"}), 0.85),
    "rewriting": Case("lessons", (LESSON,), frozenset({"judge", "generator"}), 0.2),
    "manuscripts": Case(
        "manuscripts",
        (
            "translate --source lighthouse.md --to es --glossary lighthouse_terms.csv --style lighthouse_style.md"
            f" --model {ONE}",
        ),
        frozenset({"translator", "reviewer", "critic", "reworker"}),
        0.6,
    ),
    "legos": Case(
        "legos",
        (
            "legos import neighbours.tsv --course spa_for_eng_40seeds --dir neighbours",
            f"legos extract neighbours --again C0012,C0014,C0019 --model {ONE}",
        ),
        frozenset({"extractor", "mender"}),
        5.0,
    ),
}
EXPECTED = (0, 1, 3, 6)
"""Done; a gate that blocks; a person is needed; time is over, resumable. Anything else is a crash."""
ACCEPTED = ("validated", "accepted", "approved", "published", "merged", "final")


def run_case(name: str, meter: Meter, home: Path) -> tuple[str, bool]:
    """Run a sample, kill it in the middle, resume it, and compare the bills: the line that is printed, and whether
    there was a middle to kill it in."""
    case = CASES[name]
    kind = case.kind
    _write_samples(kind, home)
    meter.reset()
    meter.score = case.score
    killed, code, began = False, -1, time.monotonic()
    for command in case.commands:
        words = [
            str(home / word) if (home / word).exists() or word == "neighbours" else word for word in command.split()
        ]
        asks = "--model" in words
        code, killed = _run(words + (_options(home, meter) if asks else []), meter, kill_at=2 if asks else None)
    if killed:
        code, _ = _run(["resume", "run", "--runs", str(home / "runs"), "--max-seconds", str(SECONDS)], meter, None)
    assert code in EXPECTED, f"{kind} ended with {code}"
    how = "killed and resumed" if killed else "not killed"
    told, reached = _checked(kind, meter, home, killed)
    missing = ", ".join(sorted(case.roles - reached))
    why = "time was over, or the judges could not be read, before" if code == 6 else "the run ended before"
    silent = f"; not reached: {missing} ({why})" if missing else ""
    return f"{name:12} {told}{silent}, {how}, exit {code}, {time.monotonic() - began:.0f} s", killed


def _write_samples(kind: KindName, home: Path) -> None:
    for name in SAMPLES[kind].files:
        with as_file(files("burnish") / "samples" / name) as source:
            shutil.copyfile(source, home / name)
    bank = home / "biology.json"
    if bank.exists():
        held: Any = json.loads(bank.read_text(encoding="utf-8"))
        questions = held if isinstance(held, list) else held["questions"]
        del questions[UNITS:]
        bank.write_text(json.dumps(held), encoding="utf-8")
    lesson = home / "bread.json"
    if lesson.exists():
        told = json.loads(lesson.read_text(encoding="utf-8"))
        del told["content"]["sections"][UNITS:]
        lesson.write_text(json.dumps(told), encoding="utf-8")
    book = home / "lighthouse.md"
    if book.exists():
        paragraphs = book.read_text(encoding="utf-8").split("\n\n")
        book.write_text("\n\n".join(paragraphs[: UNITS + 1]) + "\n", encoding="utf-8")


def _options(home: Path, meter: Meter) -> list[str]:
    return [
        *("--base-url", meter.base_url, "--run-id", "run", "--runs", str(home / "runs")),
        *("--workers", "1", "--max-seconds", str(SECONDS)),
    ]


def _run(words: list[str], meter: Meter | None, kill_at: int | None) -> tuple[int, bool]:
    """The exit code, and whether it was killed: while the model answers the call of that number."""
    child = subprocess.Popen(
        [sys.executable, "-m", "burnish.cli.main", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    began = time.monotonic()
    try:
        while child.poll() is None:
            time.sleep(0.05)
            if meter is not None and kill_at is not None and meter.begun >= kill_at:
                child.send_signal(signal.SIGKILL)
                child.wait()
                return -signal.SIGKILL, True
            assert time.monotonic() - began < HANG * SECONDS, f"{words[:2]} hangs"
    finally:
        child.kill()
    said = child.communicate()[0]
    assert "Traceback" not in said, said
    if child.returncode not in EXPECTED:
        print(said)
    return child.returncode, False


def _checked(kind: str, meter: Meter, home: Path, killed: bool) -> tuple[str, set[str]]:
    """The figures of a run, after everything about them was compared, and the roles that were asked."""
    meter.wait_until_idle()
    folder = home / "runs/run"
    receipt = json.loads((folder / "receipt.json").read_text(encoding="utf-8"))
    totals = receipt["totals"]
    with contextlib.closing(sqlite3.connect(folder / "journal.sqlite")) as journal:
        calls, failed, prompt, completion = journal.execute(
            "SELECT COUNT(*), SUM(status = 'failed'), SUM(prompt_tokens), SUM(completion_tokens) FROM calls"
        ).fetchone()
        cut = journal.execute("SELECT COUNT(*) FROM calls WHERE error LIKE 'truncated%'").fetchone()[0]
        answered = journal.execute(
            "SELECT prompt_tokens, completion_tokens FROM calls"
            " WHERE tries = 1 AND (status = 'ok' OR error LIKE 'truncated%')"
        ).fetchall()
        # Not answered in time, so asked again: on the bill with what the first try can have cost.
        slow, tries = journal.execute("SELECT COUNT(*), COALESCE(SUM(tries), 0) FROM calls WHERE tries > 1").fetchone()
        # Ended by us when time was over: billed as the most that it can have cost.
        ended = journal.execute("SELECT COUNT(*) FROM calls WHERE error LIKE 'limit%'").fetchone()[0]
        lost = journal.execute("SELECT COUNT(*) FROM intents").fetchone()[0]
        # The very same once more, on purpose: the first answer could not be read.
        again = journal.execute("SELECT COUNT(*) FROM calls WHERE json_extract(request, '$.sample') > 0").fetchone()[0]
        roles = [role for (role,) in journal.execute("SELECT DISTINCT role FROM calls ORDER BY role")]
        states = dict(journal.execute("SELECT state, COUNT(*) FROM units GROUP BY state"))
        marks = ", ".join("?" * len(ACCEPTED))
        wrong = journal.execute(
            f"SELECT id FROM units WHERE open_errors > 0 AND state IN ({marks})", ACCEPTED
        ).fetchall()
    journalled = (prompt or 0, completion or 0)
    assert (totals["prompt_tokens"], totals["completion_tokens"]) == journalled, f"{kind}: receipt {totals}"
    assert totals["calls"] == calls, f"{kind}: {calls} calls in the journal, receipt {totals}"
    beyond = meter.used - Counter(answered)
    missing = Counter(answered) - meter.used
    assert not missing, f"{kind}: billed otherwise than the server counted: {missing}"
    assert lost <= int(killed), f"{kind}: {lost} calls were lost, one was under way at the kill"
    assert beyond.total() <= lost + ended + tries, f"{kind}: answered and not on the bill: {beyond}"
    twice = len(meter.bodies) - len(set(meter.bodies))
    assert twice <= lost + ended + cut + again + tries - slow, f"{kind}: {twice} requests were paid twice"
    assert not wrong, f"{kind}: accepted with errors of rules: {wrong}"
    _check_published(kind, home, receipt["published"])
    speed = meter.completion / meter.seconds if meter.seconds else 0.0
    told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    line = (
        f"{calls} calls ({failed or 0} failed, {cut} cut off, {slow} tried again, {lost} perhaps paid, "
        f"{ended} ended by us), {sum(journalled):,} tokens, {speed:.0f} tokens/s, roles {'+'.join(roles) or 'none'}; "
        f"{told}; published {len(receipt['published'])}"
    )
    return line, set(roles)


def _check_published(kind: str, home: Path, published: list[Any]) -> None:
    """What was published passes the rules that can be run over it alone."""
    if kind != "questions":
        return
    for one in published:
        path = one["path"] if isinstance(one, dict) else str(one)
        code, _ = _run(["check", path, "--jobs", "1"], None, None)
        assert code == 0, f"{path} was published, and `burnish check` says {code}"


def main() -> int:
    print("A small real model in every role. This measures plumbing, not judgement.")
    try:
        served = Served()
    except NoModel as reason:
        print(f"There is no model to try: {reason}")
        print(f"Name a GGUF file or the address of an OpenAI-compatible server in {NAMED}.")
        return 1
    meter = Meter(served.address, LONGEST_REPLY)
    print(f"{served.model}; replies of at most {LONGEST_REPLY} tokens, {UNITS} units, {SECONDS} s a kind")
    print("Quotes are words of the prompt, and scores are given, so that every role is reached.")
    names, kills = sys.argv[1:] or list(CASES), 0
    try:
        for name in names:
            with tempfile.TemporaryDirectory() as home:
                line, killed = run_case(name, meter, Path(home))
            print(line, flush=True)
            kills += killed
    finally:
        meter.close()
        served.close()
    print(f"Every run ended in order and its bill adds up; {kills} of {len(names)} were killed and resumed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
