"""`burnish legos migrate`: old records where they lie, whole or untouched."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from burnish.store.records import open_records
from tests.kinds.legos.course_samples import lego, old_translation, translation
from tests.surfaces.desk import Desk

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
    assert said.out == "2 records migrated, 1 with a first attempt for the LEGOs they had; 1 of today already\n"
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
    assert said.out == "1 record migrated; 0 of today already\n"
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_a_damaged_row_is_named_and_the_others_migrated(desk: Desk) -> None:
    course("sqlite")
    connection = sqlite3.connect("course/amino_acids.sqlite", isolation_level=None)
    connection.execute("UPDATE translations SET body = x'00' WHERE uuid = ?", [UUIDS[0]])
    connection.close()
    said = desk("legos", "migrate", "course", "--json")
    assert (said.code, said.json["migrated"]) == (2, 1)
    assert [one["code"] for one in said.json["left"]] == ["unreadable_record"]


def test_long_lists_are_cut(desk: Desk) -> None:
    Path("many").mkdir()
    for number in range(25):
        Path(f"many/{number}.json").write_text("{")
    assert "and 5 more; --json tells all" in desk("legos", "migrate", "many").err


def test_a_path_that_is_not_there_is_refused(desk: Desk) -> None:
    assert desk("legos", "migrate", "nowhere").code == 2
