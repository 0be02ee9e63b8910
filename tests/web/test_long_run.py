"""The first visitor of a long run is told all of it: no list is ever wrong."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.app.run_index.ledger import ledger
from tests.web.paper import words
from tests.workbench import workbench

UNITS = 781


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
