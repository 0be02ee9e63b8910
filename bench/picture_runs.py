"""Runs to take pictures of: the demo's, those of the guides, two banks about which people decided, and one at work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from burnish.app.reviews import ReviewService
from tests.docs.guides import run_guide
from tests.engine.questions_bench import TOPICS, WHICH, biased, edit, objection, script, sound, write_bank
from tests.mixed_queue import RIVERS, bank_of
from tests.workbench import Workbench

GUIDES = Path(__file__).parents[1] / "docs" / "guides"
FROM_GUIDES = {"manuscripts": ("tfng",), "lessons": ("tides",)}
"""Guide -> runs that its commands make."""
WHO = "Ann Ortiz"
"""Who decided."""
DECIDED = 30
"""Rivers that people have decided about."""
SOUND = 4
"""Questions of the run at work that need nothing."""
LATENCY = 2.5
"""Seconds that its model takes to answer."""
READY = 5
"""Questions that are ready when the first picture is taken."""
PATIENCE = 120
"""Seconds until then at most."""
SLOW = "slow.json"
PRICE = "input = 0.6\noutput = 2.4\n"


def made(home: Path) -> Path:
    """The folder of the runs."""
    runs = home / "runs"
    _name_prices(home)
    _burnish(home, "demo", "--keep", ".")
    _cut_anew(home)
    _from_guides(home, runs)
    bank_of(home / "rivers.json", len(RIVERS))
    _burnish(home, "polish", "rivers.json", "--run-id", "rivers")
    _judged(home)
    return runs


def _name_prices(home: Path) -> None:
    """So that money is seen: every script costs as much as a small model."""
    scripts = sorted(one.name for one in (files("burnish") / "samples").iterdir() if one.name.endswith(".json"))
    scripts += ["kabyle_model.json", "model.json", "judge_a.json", "judge_b.json", *READERS]
    tables = (f'[prices."scripted:{name}"]\n{PRICE}' for name in scripts)
    (home / "burnish.toml").write_text("\n".join(tables), encoding="utf-8")


def _cut_anew(home: Path) -> None:
    """A language course of which a model cuts three sentences anew: well, by an edit, and not at all."""
    model = "neighbours_model.json"
    (home / model).write_bytes((files("burnish") / "samples" / model).read_bytes())
    again = ("--again", "C0012,C0014,C0019", "--model", f"scripted:{model}")
    _burnish(home, "legos", "extract", "neighbours", "--run-id", "anew", *again)


def _from_guides(home: Path, runs: Path) -> None:
    for guide, names in FROM_GUIDES.items():
        folder = home / guide
        folder.mkdir()
        for _ in run_guide((GUIDES / f"{guide}.md").read_text(encoding="utf-8"), folder):
            pass
        for name in names:
            shutil.copytree(folder / "runs" / name, runs / name)


READERS = ("reader_1.json", "reader_2.json")


def _judged(home: Path) -> None:
    """A bank to whose questions two readers object; the corrector finds nothing to mend, so people decide."""
    write_bank(home, [sound(number) for number in range(len(TOPICS))], "knowledge.json")
    for reader, objects in zip(READERS, (len(TOPICS), 9), strict=True):
        rules: list[dict[str, object]] = [
            {"reply_name": "question_review_reply", "unit": f"q{number}", "reply": objection(WHICH)}
            for number in range(objects)
        ]
        rules.append({"reply_name": "question_review_reply", "reply": {"reasoning": "Sound.", "violations": []}})
        rules += [{"unit": f"q{number}", "reply": edit(f"q{number}", "no such words", "")} for number in range(12)]
        (home / reader).write_text(json.dumps({"rules": rules}), encoding="utf-8")
    judges = ",".join(f"scripted:{reader}" for reader in READERS)
    models = ("--model", f"scripted:{READERS[0]}", "--judges", judges)
    _burnish(home, "polish", "knowledge.json", "--run-id", "knowledge", *models)


def _burnish(home: Path, *arguments: str) -> None:
    """In the folder, as somebody would type it. Runs that wait end with a code of their own."""
    command = [sys.executable, "-m", "burnish.cli.main", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"burnish {' '.join(arguments)}: {done.stderr}")


# -- what happens while the server is there


def decide(reviews: ReviewService) -> None:
    """What people decided: most findings about rivers were right, fewer of those of the readers."""
    for number, river in enumerate(RIVERS[:DECIDED]):
        stem = f"A barge leaves the mouth of the {river}. Which of the following towns is far from it?"
        _decide(reviews, "rivers", f"river-{number:02}", stem if number % 9 != 4 else None)
    for number, (stem, _) in enumerate(TOPICS[:9]):
        _decide(reviews, "knowledge", f"q{number}", stem.replace(WHICH, "Which one of these") if number % 3 else None)


def _decide(reviews: ReviewService, run: str, unit: str, stem: str | None) -> None:
    """Accept with another stem, or as it stands."""
    if stem is None:
        reviews.record(run, unit, "accept", by=WHO, note="It is meant so.")
    else:
        reviews.record(run, unit, "edit", by=WHO, text=json.dumps({"stem": stem}))


def start(bench: Workbench) -> None:
    """A run that works slowly, and has come some way."""
    questions = [sound(number) if number < SOUND else biased(number) for number in range(len(TOPICS))]
    order = {"run_id": "evening", "name": "evening_school.json", "content": json.dumps(questions)}
    with bench.program() as program:
        program.post("/api/v1/polish", json=order).raise_for_status()
        until = time.monotonic() + PATIENCE
        while program.get("/api/v1/runs/evening").json()["ready"] < READY:
            if time.monotonic() > until:
                raise RuntimeError("The run at work does not get on.")
            time.sleep(0.2)


@contextmanager
def settings_of_the_server(home: Path) -> Iterator[None]:
    """As an operator would have them: a model that is slow, and what it costs."""
    slow = script(home / SLOW, *(f"q{number}" for number in range(len(TOPICS))), latency=LATENCY)
    text = f'[models]\nmodel = "scripted:{slow}"\n\n[limits]\nworkers = 1\n\n[prices."scripted:{slow}"]\n{PRICE}'
    settings = home / "server.toml"
    settings.write_text(text, encoding="utf-8")
    before = dict(os.environ)
    os.environ["BURNISH_SETTINGS"] = str(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
