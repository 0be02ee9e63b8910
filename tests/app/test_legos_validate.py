"""`burnish legos validate`: every file by name and field, errors and warnings apart."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from burnish.store.records import FileRecords, open_records
from tests.app.desk import Desk
from tests.kinds.legos.course_samples import attempt, lego, old_translation, translation


def put(name: str, value: Any) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return name


def course(store: str = "files") -> None:
    with open_records(Path("course"), "sqlite" if store == "sqlite" else "files") as records:
        records.put_translation(translation(3))
        records.put_legos(translation()["uuid"], [lego()])


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_a_sound_course_is_valid(desk: Desk, store: str) -> None:
    course(store)
    said = desk("legos", "validate", "course")
    assert (said.code, said.out, said.err) == (0, "2 records valid\n", "")


def test_reports_overlay_ledger_and_archive_are_looked_at_too(desk: Desk) -> None:
    course()
    FileRecords(Path("course")).archive(keep=1)
    assert desk("legos", "report", "course").code == 0
    assert desk("legos", "validate", "course", "--json").json["records"] == 9
    put("course/quality_reports/quality_report.json", {"course_codes": 7})
    put("course/prompts/overlay.json", {"version": "x"})
    put("course/prompts/ledger.jsonl", b'{"trial": 1}\n{"tri')
    put(f"course/amino_acids/archive/{'0' * 32}.json", {"uuid": "0"})
    said = desk("legos", "validate", "course", "--json")
    assert said.code == 1
    assert {Path(slip["path"]).name for slip in said.json["slips"]} == {
        *("quality_report.json", "overlay.json", "ledger.jsonl:1", "ledger.jsonl:2", f"{'0' * 32}.json")
    }


def test_errors_and_warnings_are_told_apart(desk: Desk) -> None:
    put("a.json", translation(2, quality_status="flagged", total_attempts=5))
    said = desk("legos", "validate", "a.json")
    assert said.code == 1
    assert said.out == (
        "a.json\n"
        "  error    total_attempts: is 5, but the attempts are 2  (rule_1)\n"
        '  warning  quality_status: a score of 8.4 should have the status "accepted"  (rule_5)\n'
        "\n"
        "1 of 1 record not valid; 0 valid\n"
    )


def test_warnings_alone_are_valid(desk: Desk) -> None:
    put("a.json.gz", translation(1, quality_status="flagged"))
    put("b.json", translation(0, uuid="1" * 32, seed_id="C0001"))
    said = desk("legos", "validate", "a.json.gz", "b.json")
    assert said.code == 0
    assert said.out.endswith("\n\n2 records valid, 1 of them with warnings\n")
    counts = desk("legos", "validate", ".", "--json").json
    assert (counts["valid"], counts["errors"], counts["warnings"]) == (2, 0, 1)


BROKEN: dict[str, tuple[Any, str, str]] = {
    "a.json": (b'{"uuid": ', "json", ""),
    "b.json": (b'{"a": 1, "a": 2}', "json", ""),
    "c.json.gz": (translation(1, source=""), "schema", "source"),
    "d.json": ([translation(1)], "schema", ""),
    "e.json": ({"type": ["lego"]}, "schema", "type"),
    "f.jsonl": (json.dumps(translation(1)).encode() + b"\n\n7\n", "schema", ""),
    "g.json": (translation(1, schema_version="3.1"), "newer_schema", "schema_version"),
    "h.json": (old_translation(), "schema", "lego_extraction_attempts"),
    f"{'e' * 32}.json": (translation(1), "file_name", "uuid"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_whatever_lies_there_is_told(desk: Desk, name: str) -> None:
    value, rule, field = BROKEN[name]
    put(f"folder/{name}", value)
    said = desk("legos", "validate", "folder", "--json")
    assert said.code == 1
    [slip] = said.json["slips"]
    assert (slip["level"], slip["rule"], slip["field"]) == ("error", rule, field)
    assert slip["path"].startswith(f"folder/{name}")


def test_files_that_are_no_gzip_or_too_large_are_told(desk: Desk) -> None:
    Path("a.json.gz").write_bytes(b"{}")
    with Path("b.json").open("wb") as stream:
        stream.truncate(17 << 20)
    messages = [slip["message"] for slip in desk("legos", "validate", "a.json.gz", "b.json", "--json").json["slips"]]
    assert "no whole gzip" in messages[0]
    assert "larger than 16 MB" in messages[1]


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_records_of_a_course_are_compared_with_each_other(desk: Desk, store: str) -> None:
    other = "1" * 32
    with open_records(Path("course"), "sqlite" if store == "sqlite" else "files") as records:
        records.put_translation(translation(1))
        records.put_translation(translation(1, uuid=other))
        moved = lego(uuid="2" * 32, source="You want")
        records.put_legos(translation()["uuid"], [lego(), moved])
        records.put_legos("3" * 32, [lego(uuid="4" * 32, source_translation_uuid="3" * 32, provenance="S7L3")])
    slips = desk("legos", "validate", "course", "--json").json["slips"]
    found = {(slip["level"], slip["rule"], slip["field"]) for slip in slips}
    assert found >= {
        ("error", "unique_names", "seed_id"),
        ("error", "unique_names", "provenance"),
        ("error", "verbatim", "source"),
        ("warning", "orphan", "source_translation_uuid"),
    }


def test_a_lego_is_compared_with_its_translation_alone_too(desk: Desk) -> None:
    with open_records(Path("course"), "files") as records:
        records.put_translation(translation(1))
        records.put_legos(translation()["uuid"], [lego(source="I want to SPEAK")])
    path = next(Path("course/amino_acids/legos").iterdir())
    said = desk("legos", "validate", path, "--json")
    assert [slip["rule"] for slip in said.json["slips"]] == ["verbatim"]
    put(str(path), lego(source_translation_uuid="../../elsewhere"))
    assert "orphan" in {slip["rule"] for slip in desk("legos", "validate", path, "--json").json["slips"]}


def test_a_damaged_row_is_told(desk: Desk) -> None:
    course("sqlite")
    connection = sqlite3.connect("course/amino_acids.sqlite", isolation_level=None)
    connection.execute("UPDATE legos SET body = x'00'")
    connection.close()
    said = desk("legos", "validate", "course/amino_acids.sqlite", "--json")
    assert (said.code, said.json["invalid"]) == (1, 1)


def test_a_database_that_is_none_is_told_beside_the_others(desk: Desk) -> None:
    put("course/amino_acids.sqlite", b"nothing of the sort " * 100)
    put("good.json", translation(1))
    said = desk("legos", "validate", "course", "good.json", "--json")
    assert (said.code, said.json["valid"], said.json["invalid"]) == (1, 1, 1)
    assert said.json["slips"][0]["rule"] == "database"
    left = desk("legos", "migrate", "course", "good.json", "--json")
    assert (left.code, left.json["current"], left.json["left"][0]["code"]) == (2, 1, "state_corrupt")


def test_hostile_content_moves_no_cursor(desk: Desk) -> None:
    hostile = attempt(1, status="\x1b[2J\u202e")
    put("a.json", translation(1, lego_extraction_attempts=[{**hostile, "\x1b]0;x\x07": 1}]))
    said = desk("legos", "validate", "a.json")
    assert said.code == 1
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out


def test_long_lists_are_cut(desk: Desk) -> None:
    for number in range(105):
        put(f"many/{number:03d}.json", 7)
    assert "and 5 more; --json lists all" in desk("legos", "validate", "many").out


@pytest.mark.parametrize("arguments", [("missing.json",), (), ("--nonsense", ".")])
def test_bad_calls_are_refused(desk: Desk, arguments: tuple[str, ...]) -> None:
    assert desk("legos", "validate", *arguments).code == 2


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_an_archive_is_compared_with_its_translation(desk: Desk, ending: str) -> None:
    with FileRecords(Path("course"), gzip=bool(ending)) as records:
        records.put_translation(translation(3))
        records.archive(keep=1)
    assert desk("legos", "validate", "course").code == 0
    uuid = translation()["uuid"]
    put(f"course/amino_acids/translations/{uuid}.json{ending}", translation(3))
    [slip] = [one for one in desk("legos", "validate", "course", "--json").json["slips"] if one["rule"] == "archive"]
    assert "archived_attempts of their record says 0" in slip["message"]


def test_a_batch_that_was_not_finished_is_an_error(desk: Desk) -> None:
    course()
    put("course/amino_acids/.pending.json", {"changes": {}})
    said = desk("legos", "validate", "course")
    assert said.code == 1 and "not finished" in said.out


def test_a_folder_without_anything_is_refused(desk: Desk) -> None:
    Path("empty").mkdir()
    said = desk("legos", "validate", "empty")
    assert said.code == 2 and "nothing of a course" in said.err


def test_a_number_that_nobody_can_write_is_told(desk: Desk) -> None:
    put("course/quality_reports/quality_report.json", b'{"a": 123456789012345678901234567890}')
    said = desk("legos", "validate", "course")
    assert said.code == 1 and "a number is too large" in said.out
