"""A1 over the HTTP API: hostile names in every place of a request. Nothing outside the workspace is touched or told."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from burnish.cli.main import main
from tests.abuse.test_a1_paths import PAYLOADS, snapshot
from tests.api.api_desk import ApiDesk, api_desk
from tests.mixed_queue import bank_of, question

BANK = [question(0)]
DECISION = {"verdict": "accept", "by": "Ada"}
LESSON = {"name": "a.md", "content": "# A\n", "kind": "lessons"}
SECRET = "what lies outside"


def encoded(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def twice(text: str) -> str:
    return encoded(encoded(text))


def plain(text: str) -> str:
    """JSON has no lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def given(name: str) -> dict[str, Any]:
    return {"name": plain(name), "content": BANK}


Ask = Callable[[ApiDesk, str], Any]
ENTRIES: dict[str, Ask] = {
    "run": lambda desk, text: desk.get(f"runs/{encoded(text)}"),
    "run, encoded twice": lambda desk, text: desk.get(f"runs/{twice(text)}/units"),
    "unit": lambda desk, text: desk.get(f"runs/good/units/{encoded(text)}"),
    "decision": lambda desk, text: desk.post(f"runs/good/units/{encoded(text)}/decision", DECISION),
    "export": lambda desk, text: desk.get(f"runs/good/exports/{encoded(text)}"),
    "export, encoded twice": lambda desk, text: desk.get(f"runs/good/exports/{twice(text)}"),
    "continue": lambda desk, text: desk.post(f"runs/{encoded(text)}/continue"),
    "course": lambda desk, text: desk.get(f"courses/{encoded(text)}/quality"),
    "schema": lambda desk, text: desk.get(f"schema/{encoded(text)}"),
    "checked file": lambda desk, text: desk.post("check", given(text)),
    "spec": lambda desk, text: desk.post("check", {**LESSON, "spec": given(text)}),
    "polished file": lambda desk, text: desk.post("polish", {**given(text), "run_id": "polished"}),
    "new run": lambda desk, text: desk.post("polish", {**given("a.json"), "run_id": plain(text)}),
}


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiDesk]:
    """A workspace full of links that lead out of it. The server starts no process: names are refused before that."""
    sandbox = tmp_path_factory.mktemp("a1")
    outside, workspace = sandbox / "outside", sandbox / "workspace"
    outside.mkdir()
    workspace.mkdir()
    (outside / "secret.txt").write_text(SECRET, encoding="utf-8")
    runs = workspace / "runs"
    bank = bank_of(workspace / "bank.json", 2)
    assert main(["polish", str(bank), "--rules-only", "--run-id", "good", "--runs", str(runs), "--no-color"]) == 3
    (runs / "good" / "out").mkdir(exist_ok=True)
    for place in (runs, runs / "good", runs / "good" / "out"):
        (place / "trap").symlink_to(outside)
        (place / "chain").symlink_to(place / "trap")
        (place / "circle").symlink_to(place / "circle")
        (place / "dangling").symlink_to(outside / "not-there-yet")
    with api_desk(runs) as desk:
        desk.here.jobs.close()
        yield desk


def cases(entry: str) -> list[str]:
    """A third of the names for each place, another third for the next; `A1_ALL=1`: all of them everywhere."""
    step = 1 if os.environ.get("A1_ALL") else 3
    return PAYLOADS[list(ENTRIES).index(entry) % step :: step]


def test_there_are_enough_cases() -> None:
    assert sum(len(set(cases(entry))) for entry in ENTRIES) >= 300


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_name_leads_out(trapped: ApiDesk, entry: str) -> None:
    runs = trapped.here.runs
    sandbox = runs.parent.parent
    before, inside = snapshot(sandbox), sorted(path.name for path in runs.iterdir())
    for payload in cases(entry):
        text = payload.replace("OUTSIDE", str(sandbox / "outside"))
        answer = ENTRIES[entry](trapped, text)
        assert answer.status_code < 500, f"{entry}: {text[:80]!r}: {answer.text}"
        assert SECRET not in answer.text
        assert snapshot(sandbox) == before, f"{entry} touched something outside for {text[:80]!r}"
        assert sorted(path.name for path in runs.iterdir()) == inside, f"{entry} left something for {text[:80]!r}"
    assert not Path("/tmp/burnish-led-out").exists()
    assert trapped.json("runs/good")["waiting"] == 2
