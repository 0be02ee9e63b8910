"""No list of a run is ever wrong: neither for the first visitor of a long run, nor while a run starts and fills."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from burnish.core.faultpoints import installed
from burnish.store.paths import RunFolder
from tests.api.api_desk import ApiDesk, api_desk
from tests.app.run_index.ledger import ledger
from tests.engine.questions_bench import run
from tests.web.paper import words
from tests.workbench import workbench

UNITS, FILLED = 781, 250
RULE, WAITS = "ext_bias_detection", "needs_manual_review"


def test_every_list_is_complete_at_once(tmp_path: Path) -> None:
    with ledger(tmp_path, "long", sizes=(UNITS,)) as book, book.together():
        for unit in book.units:
            book.rests(unit, ("nbme_vague_terms", "error"))
        book.ends()
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as robin:
        first = robin.get("/api/v1/runs/long/units").json()
        assert first["total"] == UNITS and len(first["units"]) > 0
        said = words(robin.get("/queue").text)
        assert "Nothing waits" not in said and "the best answer to question 0" in said
        assert robin.get("/api/v1/runs/long").json()["findings"][0]["open"] == UNITS


class Visitor:
    """Looks at the API and at the queue in the moment after a commit, before the process that made it does anything
    else, and compares them with the bare rows of the journal."""

    def __init__(self, desk: ApiDesk) -> None:
        self.desk = desk
        self.commits = self.looks = 0
        self.seen: set[int] = set()
        """How many units waited when somebody looked."""

    def __call__(self, point: str) -> None:
        if point != "journal.committed":
            return
        self.commits += 1
        if self.commits % 5 == 0:
            self.look()

    def look(self) -> None:
        truth = _truth(RunFolder.at(self.desk.here.runs, "r1").journal)
        if not truth["planned"]:
            return
        self.looks += 1
        self.seen.add(truth["waiting"])
        assert self._told() == {name: truth[name] for name in ("units", "waiting", "broken", "found", "texts", "queue")}

    def _told(self) -> dict[str, int]:
        def total(**filter: Any) -> int:
            page = self.desk.json("runs/r1/units", limit=5, **filter)
            assert len(page["units"]) == min(5, page["total"]), "a page is as full as its sum says"
            return int(page["total"])

        findings = self.desk.json("runs/r1")["findings"]
        queue = words(self.desk.client.get("/queue").text)
        waiting = re.search(r"Queue ([0-9,]+)", queue)
        assert ("Nothing waits" in queue or "Nothing to review" in queue) == (waiting is None)
        return {
            "units": total(),
            "waiting": total(waiting=True),
            "broken": total(rule=RULE),
            "found": sum(one["open"] for one in findings if one["rule"] == RULE),
            "texts": total(text="barge leaves the mouth"),
            "queue": int(waiting[1].replace(",", "")) if waiting else 0,
        }


def _truth(journal: Path) -> dict[str, int]:
    """What the rows of units, attempts and sources say, without anything that was made for lists."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as rows:
        waiting = rows.execute("SELECT COUNT(*) FROM units WHERE state = ?", (WAITS,)).fetchone()[0]
        best = "SELECT a.findings FROM units u JOIN attempts a ON a.unit = u.id AND a.number = u.best_attempt"
        texts = (text for (text,) in rows.execute(best))
        broken = [sum(one["rule"] == RULE for one in _findings(text)) for text in texts]
        return {
            "planned": rows.execute("SELECT COUNT(*) FROM meta WHERE key = 'plan'").fetchone()[0],
            "units": rows.execute("SELECT COUNT(*) FROM units").fetchone()[0],
            "waiting": waiting,
            "queue": waiting,
            "broken": sum(number > 0 for number in broken),
            "found": sum(broken),
            "texts": rows.execute("SELECT COUNT(*) FROM sources").fetchone()[0],
        }


def _findings(text: str) -> list[dict[str, Any]]:
    found = json.loads(text)
    return list(found["findings"] if isinstance(found, dict) else found)


def test_no_list_is_wrong_while_a_run_starts_and_fills(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    bank = tmp_path / "bank.json"
    bank.write_text(json.dumps([_question(number) for number in range(FILLED)]))
    with api_desk(tmp_path / "runs") as desk:
        visitor = Visitor(desk)
        with installed(visitor):
            _, result = run(bank, tmp_path / "runs", workers=4)
        visitor.look()
    assert result.outcome.counts == {WAITS: FILLED}
    assert visitor.looks >= 5 and {0, FILLED} < visitor.seen, "before, in between, and after"


def _question(number: int) -> dict[str, object]:
    """One that waits without a model."""
    return {
        "id": f"river-{number:03}",
        "stem": f"A barge leaves the mouth of river {number}. Which of the following towns is NOT near it?",
        "options": [f"Town {number * 4 + option}" for option in range(4)],
        "answer": number % 4,
    }
