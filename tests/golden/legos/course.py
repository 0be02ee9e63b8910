"""The golden course: a SEED of every standing, and the exact reports over it, for people and for programs.

`python -m tests.golden.legos.course` writes the reports again after a change that was meant; read the diff before you
commit it.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from burnish.app.course_delivery import report_on, write_reports
from burnish.app.course_text import show_course
from burnish.app.terminal import Screen
from burnish.store.records import DATABASE, FileRecords, SqliteRecords
from tests.kinds.legos.reports.sample_course import LEGOS, RECORDS

HERE = Path(__file__).parent / "reports"
WIDTHS = (80, 120)
STORES = ("files", "sqlite")


def fill(folder: Path, store: str = "files") -> None:
    """The course's records in a folder."""
    with FileRecords(folder) if store == "files" else SqliteRecords(folder / DATABASE) as records, records.batch():
        for seed in RECORDS:
            records.put_translation(seed)
            own = [lego for lego in LEGOS if lego["source_translation_uuid"] == seed["uuid"]]
            if own:
                records.put_legos(seed["uuid"], own)


def reports(folder: Path, store: str) -> dict[str, str]:
    """Name -> content of every report: the files, and what a terminal of each width shows."""
    fill(folder, store)
    with FileRecords(folder) if store == "files" else SqliteRecords(folder / DATABASE) as records:
        made = report_on(folder, records)
    texts = {path.name: path.read_text(encoding="utf-8") for path in write_reports(folder, made)}
    for width in WIDTHS:
        screen = Screen(io.StringIO(), no_color=True)
        screen.width = width
        show_course(screen, made, "course")
        assert isinstance(screen.stream, io.StringIO)
        texts[f"terminal_{width}.txt"] = screen.stream.getvalue()
    return texts


def write_again() -> None:
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in reports(Path(folder), "files").items():
            (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_again()
