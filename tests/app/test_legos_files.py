"""Courses in and out: Anki decks, spreadsheets, tables, with the columns that came with the pairs."""

from __future__ import annotations

import copy
import csv
import io
import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import genanki
import pytest
from openpyxl import Workbook, load_workbook

from burnish.core.errors import InputError
from burnish.kinds.legos import decks
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import Pair, read_pairs
from burnish.text.packages import Package
from tests.app.desk import Desk

COURSE = "spa_for_eng_3seeds"
PAIRS = (
    ("I want to go home", "quiero ir a casa"),
    ("I want to drink water", "quiero beber agua"),
    ("=SUM(A1) is no formula", "<b>no es</b> una fórmula"),
)


@pytest.fixture
def course(desk: Desk) -> Path:
    rows = ["Front\tBack\taudio\tnotes"]
    rows += [f"{source}\t{target}\tsound_{n}.mp3\tnote {n}" for n, (source, target) in enumerate(PAIRS)]
    Path("pairs.tsv").write_text("\n".join(rows))
    assert desk("legos", "import", "pairs.tsv", "--course", COURSE, "--dir", "course").code == 0
    desk("legos", "extract", "course", "--extractor", "built-in", "--run-id", "x")
    return Path("course")


def read(path: str, data: bytes, code: str = COURSE) -> list[Any]:
    return list(read_pairs(data, path, path.rpartition(".")[2], Course.of(code)))  # type: ignore[arg-type]


def test_columns_beside_the_pairs_stay_with_the_seed(course: Path) -> None:
    records = [json.loads(path.read_bytes()) for path in (course / "amino_acids/translations").iterdir()]
    brought = {record["source"]: record["metadata"]["columns"] for record in records}
    assert brought["I want to go home"] == {"audio": "sound_0.mp3", "notes": "note 0"}


def test_a_table_of_seeds_has_them_again(desk: Desk, course: Path) -> None:
    assert desk("legos", "export", "course", "--to", "seeds.csv", "--what", "seeds").code == 0
    rows = list(csv.DictReader(io.StringIO(Path("seeds.csv").read_text("utf-8-sig"))))
    assert {row["source"].removeprefix("'"): row["audio"] for row in rows}.items() <= {
        s: f"sound_{n}.mp3" for n, (s, _) in enumerate(PAIRS)
    }.items()
    assert rows


def test_a_spreadsheet_holds_text_and_no_formula(desk: Desk, course: Path) -> None:
    assert desk("legos", "export", "course", "--to", "seeds.xlsx", "--what", "seeds").code == 0
    sheet = load_workbook("seeds.xlsx").active
    assert sheet is not None
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    assert any(str(cell.value).startswith("=SUM") for cell in cells)


def test_a_deck_can_be_imported_again(desk: Desk, course: Path) -> None:
    said = desk("legos", "export", "course", "--to", "course.apkg", "--what", "seeds", "--json")
    assert (said.code, said.json["rows"]) == (0, len(PAIRS))
    found = read("course.apkg", Path("course.apkg").read_bytes())
    assert {(pair.source, pair.target) for pair in found} == set(PAIRS), "markup in a sentence is text"
    assert {pair.columns["audio"] for pair in found} == {f"sound_{n}.mp3" for n in range(len(PAIRS))}
    deck = zipfile.ZipFile("course.apkg")
    collection = sqlite3.connect(":memory:")
    collection.deserialize(deck.read("collection.anki2"))
    notes = collection.execute("SELECT flds, tags FROM notes").fetchall()
    assert all("<b>" not in fields and COURSE in tags for fields, tags in notes)


def test_practice_is_no_deck(desk: Desk, course: Path) -> None:
    assert desk("legos", "export", "course", "--to", "plan.apkg", "--what", "practice").code == 2
    assert desk("legos", "export", "course", "--to", "plan.csv", "--what", "practice").code == 0
    assert Path("plan.csv").read_text("utf-8-sig").startswith("step,seed,action,from,source,target\n")


def test_the_order_that_was_asked_for_stays(desk: Desk, course: Path) -> None:
    assert json.loads((course / "teaching_order.json").read_bytes())["order"] == "fewest_new"
    desk("legos", "report", "course", "--order", "course")
    desk("legos", "report", "course")
    assert json.loads((course / "teaching_order.json").read_bytes())["order"] == "course"


def test_the_side_that_reads_like_the_source_is_the_source() -> None:
    rows = ["Front,Back", *(f"{target},{source}" for source, target in PAIRS[:2])]
    found = read("cards.csv", "\n".join(rows).encode())
    assert [(pair.source, pair.target) for pair in found] == list(PAIRS[:2])


def test_an_xlsx_file_is_read_by_its_header() -> None:
    book = Workbook()
    assert book.active is not None
    for row in (("notes", "target", "source"), (7, *reversed(PAIRS[0])), ("b", *reversed(PAIRS[1]))):
        book.active.append(row)
    data = io.BytesIO()
    book.save(data)
    found = read("pairs.xlsx", data.getvalue())
    assert [(pair.source, pair.target, pair.columns) for pair in found] == [
        (*PAIRS[0], {"notes": "7"}),
        (*PAIRS[1], {"notes": "b"}),
    ]


def packed(**files: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return data.getvalue()


@pytest.mark.parametrize(
    ("path", "data", "code"),
    [
        ("a.apkg", b"no zip", "bad_zip"),
        ("a.apkg", packed(readme_txt=b"x"), "new_apkg"),
        ("a.apkg", packed(collection_anki21b=b"x", collection_anki2=b"x"), "new_apkg"),
        ("a.apkg", packed(collection_anki2=b"no database"), "bad_apkg"),
        ("a.xlsx", b"no zip", "bad_zip"),
        ("a.xlsx", packed(readme_txt=b"x"), "bad_xlsx"),
    ],
)
def test_what_is_no_deck_and_no_spreadsheet_is_refused(path: str, data: bytes, code: str) -> None:
    with pytest.raises(InputError) as refused:
        read(path, data)
    assert refused.value.code == code


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decks, "LARGEST_UNPACKED", 1000)
    with pytest.raises(InputError) as refused:
        read("a.apkg", packed(collection_anki2=b"\x00" * 2000))
    assert refused.value.code == "too_large"


def test_a_deck_that_counts_for_ever_is_refused() -> None:
    endless = sqlite3.connect(":memory:")
    endless.executescript(
        "CREATE TABLE col (models TEXT); INSERT INTO col VALUES ('{}'); CREATE VIEW notes AS WITH RECURSIVE n(x) AS"
        " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id, x AS mid, 'a' AS flds, '' AS tags FROM n;"
    )
    with pytest.raises(InputError) as refused:
        read("a.apkg", packed(collection_anki2=endless.serialize()))
    assert refused.value.code == "bad_apkg"


def test_a_cell_at_the_end_of_the_world_is_refused() -> None:
    book = Workbook()
    assert book.active is not None
    book.active.append(("source", "target"))
    book.active["XFD1048576"] = "far"
    data = io.BytesIO()
    book.save(data)
    with pytest.raises(InputError) as refused:
        read("pairs.xlsx", data.getvalue())
    assert refused.value.code == "too_large"


def test_members_in_one_place_are_refused() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a", b"x" * 100)
        twin = copy.copy(archive.filelist[0])
        twin.filename = "b"
        archive.filelist.append(twin)
        archive._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(InputError) as refused:
        Package(io.BytesIO(data.getvalue()), "x.zip")
    assert refused.value.code == "package_bomb"


def test_a_deck_of_two_types_of_notes_is_refused(tmp_path: Path) -> None:
    deck = genanki.Deck(1 << 30, "two")
    for number, name in enumerate(("one", "two"), start=1):
        model = genanki.Model(
            number,
            name,
            fields=[{"name": "Front"}, {"name": "Back"}],
            templates=[{"name": "c", "qfmt": "{{Front}}", "afmt": "{{Back}}"}],
        )
        deck.add_note(genanki.Note(model=model, fields=["a", "b"]))
    genanki.Package(deck).write_to_file(str(tmp_path / "two.apkg"))
    with pytest.raises(InputError) as refused:
        read("two.apkg", (tmp_path / "two.apkg").read_bytes())
    assert refused.value.code == "several_note_types"


def test_jsonl_carries_its_other_texts() -> None:
    line = json.dumps({"source": "a b", "target": "c d", "audio": "x.mp3", "level": 3})
    assert read("a.jsonl", line.encode()) == [Pair("a b", "c d", 1, None, {"audio": "x.mp3"})]


def test_a_course_without_blanks_says_what_is_missing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pairs.tsv").write_text("I drink tea\t我喝茶\nI drink water\t我喝水\n")
    assert desk("legos", "import", "pairs.tsv", "--course", "zho_for_eng", "--dir", "course").code == 0
    monkeypatch.setattr("burnish.cli.legos.runs.word_breaker", lambda: None)
    said = desk("legos", "extract", "course", "--extractor", "built-in", "--run-id", "x")
    assert "burnish[words]" in said.err
