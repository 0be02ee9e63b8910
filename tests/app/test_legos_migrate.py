"""`burnish legos migrate`: old records where they lie, whole or untouched."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from burnish.store.records import open_records
from tests.app.desk import Desk
from tests.kinds.legos.course_samples import lego, old_translation, translation

UUIDS = [f"{number:032x}" for number in range(1, 5)]


def old(number: int, **more: Any) -> dict[str, Any]:
    return {**old_translation(), "uuid": UUIDS[number], "seed_id": f"C000{number}", "mine": [1.0], **more}


def lego_of(number: int, place: int) -> dict[str, Any]:
    return lego(
        uuid=f"{number}{place}".rjust(32, "a"),
        source_translation_uuid=UUIDS[number],
        source_seed_id=f"C000{number}",
        provenance=f"S{number}L{place}",
    )


def course(store: str) -> None:
    with open_records(Path("course"), "sqlite" if store == "sqlite" else "files") as records:
        records.put_translation(old(0))
        records.put_translation(old(1))
        records.put_translation(translation(1, uuid=UUIDS[2], seed_id="C0002"))
        records.put_legos(UUIDS[1], [lego_of(1, 1), lego_of(1, 2)])


def attempts() -> dict[str, list[int]]:
    """SEED -> the LEGOs of its attempts."""
    with open_records(Path("course")) as records:
        return {
            record["seed_id"]: [one["legos_extracted"] for one in record["lego_extraction_attempts"]]
            for record in records.translations()
        }


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_a_course_is_migrated_and_then_valid(desk: Desk, store: str) -> None:
    course(store)
    assert desk("legos", "validate", "course").code == 1
    said = desk("legos", "migrate", "course")
    assert (said.code, said.err) == (0, "")
    assert said.out == "2 records migrated, 1 with a first attempt for the LEGOs they had; 1 SEED needed no change\n"
    assert attempts() == {"C0000": [], "C0001": [2], "C0002": [2]}
    assert desk("legos", "validate", "course").code == 0
    again = desk("legos", "migrate", "course", "--json").json
    assert (again["migrated"], again["current"], again["left"]) == (0, 3, [])


def test_one_file_knows_the_legos_beside_it(desk: Desk) -> None:
    course("files")
    said = desk("legos", "migrate", f"course/amino_acids/translations/{UUIDS[1]}.json", "--json").json
    assert (said["migrated"], said["synthetic_attempts"]) == (1, 1)
    record = json.loads(Path(f"course/amino_acids/translations/{UUIDS[1]}.json").read_text())
    assert [one["legos_extracted"] for one in record["lego_extraction_attempts"]] == [2]


def test_loose_files_keep_their_form_and_all_that_is_in_them(desk: Desk) -> None:
    folder = Path("loose")
    folder.mkdir()
    (folder / "a.json.gz").write_bytes(gzip.compress(json.dumps(old(1)).encode()))
    (folder / "b.json").write_text(json.dumps(lego_of(1, 1)))
    before = (folder / "b.json").read_bytes()
    assert desk("legos", "migrate", "loose").code == 0
    new = json.loads(gzip.decompress((folder / "a.json.gz").read_bytes()))
    assert list(new.items())[:7] == list(old(1).items())
    assert [attempt["legos_extracted"] for attempt in new["lego_extraction_attempts"]] == [1]
    assert (folder / "b.json").read_bytes() == before


def test_what_cannot_be_migrated_is_named_and_left(desk: Desk) -> None:
    folder = Path("loose")
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(old(0, schema_version="2.0")))
    (folder / "b.json").write_text('{"half')
    (folder / "c.json").write_text(json.dumps(old(1)))
    (folder / "d.json").write_text("[]")
    before = {name: (folder / name).read_bytes() for name in ("a.json", "b.json", "d.json")}
    said = desk("legos", "migrate", "loose")
    assert said.code == 2
    assert "loose/a.json: left as it is  This record is from a newer Burnish (schema 2.0)." in said.err
    assert "hint: Update Burnish." in said.err
    assert "loose/b.json: left as it is  This cannot be read as a record" in said.err
    assert said.out == "1 record migrated\n"
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_a_damaged_row_is_named_and_the_others_migrated(desk: Desk) -> None:
    course("sqlite")
    connection = sqlite3.connect("course/amino_acids.sqlite", isolation_level=None)
    connection.execute("UPDATE translations SET body = x'00' WHERE uuid = ?", [UUIDS[0]])
    connection.close()
    said = desk("legos", "migrate", "course", "--json")
    assert (said.code, said.json["migrated"]) == (2, 1)
    assert [one["code"] for one in said.json["left"]] == ["unreadable_record"]


def without_place(number: int, place: int, **more: Any) -> dict[str, Any]:
    """A LEGO from before LEGOs said where they stand."""
    record = {**lego_of(number, place), **more}
    return {name: value for name, value in record.items() if name not in ("provenance", "source_seed_id", "metadata")}


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_legos_that_do_not_say_where_they_stand_are_looked_up(desk: Desk, store: str) -> None:
    with open_records(Path("course"), "sqlite" if store == "sqlite" else "files") as records:
        records.put_translation(old(1))
        behind = without_place(1, 1, source="with you now", target="со тебе сега", mine=True)
        wrong = without_place(1, 3, source="nowhere at all")
        records.put_legos(UUIDS[1], [behind, without_place(1, 2), wrong])
    said = desk("legos", "migrate", "course")
    assert said.code == 2 and "The source half of this LEGO is not in the source sentence" in said.err
    assert said.out == "3 records migrated, 2 LEGOs among them, 1 with a first attempt for the LEGOs they had\n"
    with open_records(Path("course")) as records:
        legos = {lego["source"]: lego for lego in records.all_legos()}
    assert legos["nowhere at all"] == wrong
    first, second = legos["I want to speak"], legos["with you now"]
    assert (first["provenance"], second["provenance"], second["source_seed_id"]) == ("S1L1", "S1L2", "C0001")
    assert (second["metadata"]["start_index"], second["metadata"]["iron_rule_compliant"]) == (16, False)
    assert (first["metadata"]["iron_rule_compliant"], second["mine"]) == (True, True)
    again = desk("legos", "migrate", "course", "--json").json
    assert (again["migrated"], again["legos"], len(again["left"])) == (0, 0, 1)


def test_a_lego_alone_takes_the_place_that_its_neighbours_leave(desk: Desk) -> None:
    course("files")
    alone = without_place(1, 3, source="with you", target="со тебе")
    path = Path(f"course/amino_acids/legos/{alone['uuid']}.json")
    path.write_text(json.dumps(alone))
    said = desk("legos", "migrate", path, "--json").json
    assert (said["migrated"], said["legos"], said["left"]) == (1, 1, [])
    assert json.loads(path.read_text())["provenance"] == "S1L3"
    Path("loose").mkdir()
    Path("loose/x.json").write_text(json.dumps(alone))
    Path("loose/y.json").write_text(json.dumps(lego_of(1, 1)))
    [left] = desk("legos", "migrate", "loose", "--json").json["left"]
    assert (left["path"], left["code"]) == ("loose/x.json", "orphan")


def test_a_record_that_would_not_be_valid_is_told_and_left(desk: Desk) -> None:
    folder = Path("loose")
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(old(1, seed_id="no id")))
    (folder / "b.json").write_text(json.dumps({**translation(1), "total_attempts": 9}))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = desk("legos", "migrate", "loose", "--json")
    assert (said.code, said.json["migrated"], said.json["current"]) == (2, 0, 0)
    assert [(one["code"], one["message"].partition(": ")[2][:14]) for one in said.json["left"]] == [
        ("still_invalid", "seed_id: must "),
        ("still_invalid", "total_attempts"),
    ]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_no_lego_is_lost_beside_one_that_cannot_be_read(desk: Desk) -> None:
    with open_records(Path("course"), "sqlite") as records:
        records.put_translation(old(1))
        records.put_legos(UUIDS[1], [without_place(1, 1), without_place(1, 2, source="with you", target="со тебе")])
    connection = sqlite3.connect("course/amino_acids.sqlite", isolation_level=None)
    connection.execute("UPDATE legos SET body = x'00' WHERE uuid = ?", [without_place(1, 1)["uuid"]])
    said = desk("legos", "migrate", "course", "--json").json
    assert (said["legos"], said["migrated"], len(said["left"])) == (0, 1, 1)
    assert connection.execute("SELECT count(*) FROM legos").fetchone() == (2,)
    connection.close()


def test_long_lists_are_cut(desk: Desk) -> None:
    Path("many").mkdir()
    for number in range(25):
        Path(f"many/{number}.json").write_text("{")
    assert "and 5 more; --json lists all" in desk("legos", "migrate", "many").err


def test_a_path_that_is_not_there_is_refused(desk: Desk) -> None:
    assert desk("legos", "migrate", "nowhere").code == 2
