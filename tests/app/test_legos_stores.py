"""`burnish legos export` and `burnish legos archive`: the same records in another store, and nothing lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burnish.core.json_bytes import loads
from tests.app.desk import Desk

PAIRS = "I want to go home now.\tСакам да одам дома сега.\nCan you come back?\tМожеш ли да се вратиш?\n"


@pytest.fixture
def course(desk: Desk) -> Path:
    """A course with LEGOs, of which one SEED has two attempts."""
    Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
    desk("legos", "import", "pairs.tsv", "--course", "mkd_for_eng", "--dir", "course")
    assert desk("legos", "extract", "course").code == 0
    assert desk("legos", "extract", "course", "--again", "C0001", "--run-id", "again").code == 0
    return Path("course")


def files(folder: str) -> dict[str, Any]:
    found = sorted(Path(folder, "amino_acids").rglob("*.json"))
    return {str(path.relative_to(folder)): loads(path.read_bytes()) for path in found}


def test_a_course_goes_into_a_database_and_back(desk: Desk, course: Path) -> None:
    before = files("course")
    said = desk("legos", "export", "course", "--to", "copy", "--into", "sqlite")
    assert said.code == 0 and said.out.startswith("2 SEEDs and ")
    assert desk("legos", "export", "copy", "--to", "back").code == 0
    assert files("back") == before


def test_old_attempts_are_archived_and_brought_back(desk: Desk, course: Path) -> None:
    before = files("course")
    assert desk("legos", "archive", "course").out == "1 attempt in the archive\n"
    assert any(name.startswith("amino_acids/archive/") for name in files("course"))
    assert desk("legos", "validate", "course").code == 0
    assert desk("legos", "archive", "course", "--restore", "--json").json == {"restored": 1}
    assert files("course") == before


def test_a_copy_may_be_compressed_and_keep_few_attempts(desk: Desk, course: Path) -> None:
    said = desk("legos", "export", "course", "--to", "small", "--gzip", "--keep", "1", "--json")
    assert said.json["seeds"] == 2 and said.json["archived"] == 1 and said.json["left"] == []
    assert files("small") == {}
    assert desk("legos", "export", "small", "--to", "whole", "--keep", "9").code == 0
    assert files("whole") == files("course")


def test_what_the_prompt_has_learnt_goes_with_the_course(desk: Desk, course: Path) -> None:
    learnt = {"prompts/overlay.json": b'{"any": 1}', "prompts/ledger.jsonl": b'{"cut o'}
    Path("course/prompts").mkdir()
    for name, data in learnt.items():
        Path("course", name).write_bytes(data)
    said = desk("legos", "export", "course", "--to", "copy", "--into", "sqlite")
    assert said.code == 0 and said.out.endswith("copy, with prompts/overlay.json and prompts/ledger.jsonl\n")
    assert {name: Path("copy", name).read_bytes() for name in learnt} == learnt
    Path("other/prompts").mkdir(parents=True)
    Path("other/prompts/overlay.json").write_bytes(b"mine")
    refused = desk("legos", "export", "course", "--to", "other")
    assert refused.code == 2 and "There is a prompts/overlay.json in other already." in refused.err
    assert [path.name for path in Path("other").iterdir()] == ["prompts"]


def test_what_cannot_be_read_is_named(desk: Desk, course: Path) -> None:
    Path("course/amino_acids/legos", f"{'0' * 32}.json").write_text('{"uuid": "00')
    said = desk("legos", "export", "course", "--to", "copy")
    assert said.code == 2 and "left out" in said.out and "2 SEEDs" in said.out


def test_a_store_that_is_not_there_is_not_made(desk: Desk, course: Path) -> None:
    for order in (("archive", "course"), ("export", "course", "--to", "copy")):
        said = desk("legos", *order, "--store", "sqlite")
        assert said.code == 2 and "There is no course/amino_acids.sqlite" in said.err
    assert not Path("course/amino_acids.sqlite").exists() and not Path("copy").exists()


@pytest.mark.parametrize("into", ["files", "sqlite"])
def test_a_copy_is_not_put_beside_another_course(desk: Desk, course: Path, into: str) -> None:
    other = "sqlite" if into == "files" else "files"
    assert desk("legos", "export", "course", "--to", "copy", "--into", other).code == 0
    said = desk("legos", "export", "course", "--to", "copy", "--into", into)
    assert said.code == 2 and "There is a course in copy already" in said.err


def test_an_archive_that_does_not_fit_its_record_is_named(desk: Desk, course: Path) -> None:
    [path] = [path for path in Path("course/amino_acids/translations").iterdir() if b'"C0001"' in path.read_bytes()]
    before = path.read_bytes()
    desk("legos", "archive", "course")
    path.write_bytes(before)
    archives = list(Path("course/amino_acids/archive").iterdir())
    said = desk("legos", "export", "course", "--to", "copy")
    assert said.code == 2 and "archived_attempts of their record says 0" in " ".join(said.out.split())
    assert desk("legos", "archive", "course", "--restore").out == "0 attempts brought back\n"
    assert archives == list(Path("course/amino_acids/archive").iterdir()) and path.read_bytes() == before


def test_bad_orders_are_refused(desk: Desk, course: Path) -> None:
    assert desk("legos", "export", "course", "--to", "course").code == 2
    assert desk("legos", "export", "course", "--to", "x", "--into", "sqlite", "--gzip").code == 2
    assert desk("legos", "archive", "course", "--keep", "1", "--restore").code == 2
    assert desk("legos", "archive", "nowhere").code == 2
