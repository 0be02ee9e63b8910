"""`burnish legos import`: pairs become records once, and nothing that is there is touched."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from burnish.app.course_exchange import import_pairs
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import uuid_of
from burnish.store.records import open_records
from tests.app.desk import Desk
from tests.kinds.legos.reports.sample_course import attempt, lego, translation

COURSE = "mkd_for_eng_574seeds"
PAIRS = "I want to go.\tСакам да одам.\nCome here.\tДојди овде.\n"


def given(text: str, name: str = "pairs.tsv") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def tree(folder: str = COURSE) -> dict[str, tuple[bytes, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in Path(folder).rglob("*") if path.is_file()
    }


def seeds(folder: str = COURSE) -> dict[str, str]:
    with open_records(Path(folder)) as records:
        return {record["seed_id"]: record["source"] for record in records.translations()}


def test_pairs_become_records(desk: Desk) -> None:
    said = desk("legos", "import", given(PAIRS), "--course", COURSE)
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        f"{COURSE}  2 new SEEDs (C0001 to C0002), 0 already there\nnext: burnish legos extract {COURSE}\n"
    )
    assert seeds() == {"C0001": "I want to go.", "C0002": "Come here."}
    assert desk("legos", "validate", COURSE).code == 0


def test_importing_again_changes_nothing_and_a_longer_file_adds(desk: Desk) -> None:
    desk("legos", "import", given(PAIRS), "--course", COURSE)
    before = tree()
    said = desk("legos", "import", "pairs.tsv", "--course", COURSE, "--json")
    assert (said.code, said.json["added"], said.json["unchanged"]) == (0, 0, 2)
    assert tree() == before
    longer = given(f"Before.\tПред.\n{PAIRS}After.\tПотоа.\n")
    assert desk("legos", "import", longer, "--course", COURSE, "--json").json["seed_ids"] == ["C0003", "C0004"]
    assert tree().items() > before.items()
    assert seeds() == {"C0001": "I want to go.", "C0002": "Come here.", "C0003": "Before.", "C0004": "After."}


def test_bad_rows_are_named_and_the_others_imported(desk: Desk) -> None:
    said = desk("legos", "import", given(f"{PAIRS}alone\n\tx\nCome here.\tДојди овде.\n"), "--course", COURSE)
    assert said.code == 2
    assert said.err.splitlines() == [
        "pairs.tsv:3: unequal_columns  Columns in this row: 1; expected: 2.",
        "pairs.tsv:4: empty_half  The source is empty.",
        "pairs.tsv:5: duplicate  The same pair is in line 2.",
    ]
    assert len(seeds()) == 2


def test_duplicates_alone_are_no_failure_and_long_lists_are_cut(desk: Desk) -> None:
    said = desk("legos", "import", given(PAIRS * 20), "--course", COURSE)
    assert (said.code, len(seeds())) == (0, 2)
    assert said.err.splitlines()[-1] == "and 18 more; --json lists all"


def test_ids_of_the_file_are_used_and_those_of_the_course_kept(desk: Desk) -> None:
    given("seed_id,source,target\nC0007,a,b\n,c,d\n", "pairs.csv")
    assert desk("legos", "import", "pairs.csv", "--course", COURSE).code == 0
    assert seeds() == {"C0007": "a", "C0008": "c"}
    given("seed_id,source,target\nC0009,a,b\nC0008,e,f\nC0010,g,h\n", "more.csv")
    said = desk("legos", "import", "more.csv", "--course", COURSE, "--json")
    assert (said.code, said.json["seed_ids"]) == (2, ["C0010"])
    assert [problem["code"] for problem in said.json["problems"]] == ["other_id", "duplicate_id"]
    assert seeds() == {"C0007": "a", "C0008": "c", "C0010": "g"}


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_a_course_may_lie_anywhere_in_either_store(desk: Desk, store: str) -> None:
    lines = "".join(json.dumps({"source": f"s{n}", "target": f"t{n}"}) + "\n" for n in range(3))
    given(lines, "pairs.data")
    options = ("--course", COURSE, "--dir", "deep/er", "--store", store, "--format", "jsonl")
    assert desk("legos", "import", "pairs.data", *options).code == 0
    assert desk("legos", "import", "pairs.data", *options[:4], "--format", "jsonl", "--json").json["unchanged"] == 3
    assert len(seeds("deep/er")) == 3
    assert Path("deep/er/amino_acids.sqlite").exists() == (store == "sqlite")


def test_half_written_files_are_named_and_left(desk: Desk) -> None:
    desk("legos", "import", given(PAIRS), "--course", COURSE)
    path = next(Path(COURSE).rglob("*.json"))
    path.write_bytes(b'{"uuid": "0')
    said = desk("legos", "import", given(f"{PAIRS}New.\tНово.\n"), "--course", COURSE, "--json")
    assert said.code == 2
    assert {(one["code"], Path(one["path"]).name) for one in said.json["problems"]} == {
        ("unreadable_record", path.name)
    }
    assert path.read_bytes() == b'{"uuid": "0'
    assert said.json["added"] == 1


def test_one_new_seed_is_named(desk: Desk) -> None:
    out = desk("legos", "import", given("C1\tHello.\tHola.\n"), "--course", "spa_for_eng", "--dir", "my course").out
    assert out == "spa_for_eng  1 new SEED (C0001), 0 already there\nnext: burnish legos extract 'my course'\n"


@pytest.fixture
def cut(desk: Desk) -> Path:
    """A course of one SEED with LEGOs."""
    sentences = "I want to go home now.", "Сакам да одам дома сега."
    given("\t".join(("C0001", *sentences)))
    seed = {
        **translation("C0001", *sentences, attempt(1, 9.0, status="accepted"), best_attempt_number=1),
        "uuid": uuid_of(COURSE, *sentences),
    }
    with open_records(Path(COURSE), "files") as records:
        records.put_translation(seed)
        records.put_legos(seed["uuid"], [lego(seed, 1, "I want to go home", "Сакам да одам дома")])
    given("C1\tI want to go home.\tСакам да одам дома.\n", "better.tsv")
    return Path(COURSE)


def test_other_sentences_for_a_seed_are_refused_with_the_way_to_correct_it(desk: Desk, cut: Path) -> None:
    before = tree()
    said = desk("legos", "import", "better.tsv", "--course", COURSE)
    assert said.code == 2 and tree() == before
    assert "better.tsv:1: duplicate_id  C0001 has other sentences in the course" in said.err
    assert "--replace" in said.err and "source and target in a SEED's record" in " ".join(said.err.split())


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_sentences_are_replaced_on_request_and_nothing_is_lost(desk: Desk, cut: Path, store: str) -> None:
    folder = Path(COURSE)
    if store == "sqlite":
        desk("legos", "export", COURSE, "--to", "database", "--into", "sqlite")
        folder = Path("database")
    with open_records(folder) as records:
        [old] = records.translations()
        legos = [(lego["source"], lego["target"]) for lego in records.all_legos()]
    options = ("--course", COURSE, "--dir", str(folder), "--replace")
    said = desk("legos", "import", "better.tsv", *options)
    assert (said.code, said.err) == (0, "")
    assert "0 new SEEDs, 1 with new sentences (C0001), to be cut again, 0 already there" in said.out
    with open_records(folder) as records:
        [new] = records.translations()
        assert list(records.all_legos()) == []
    assert (new["uuid"], new["source"], new["quality_status"]) == (old["uuid"], "I want to go home.", "pending_review")
    assert new["lego_extraction_attempts"] == old["lego_extraction_attempts"]
    [before] = new["replaced"]
    assert (before["source"], before["best_attempt_number"]) == (old["source"], 1)
    assert [(lego["source"], lego["target"]) for lego in before["legos"]] == legos
    assert desk("legos", "validate", str(folder)).code == 0
    assert (
        desk("legos", "report", str(folder), "--json").json["quality_report"]["quality_summary"]["not_extracted"] == 1
    )
    for file in ("better.tsv", "pairs.tsv"):
        again = desk("legos", "import", file, "--course", COURSE, "--dir", str(folder), "--json")
        assert (again.json["added"], again.json["replaced"]) == (0, 0)
    assert desk("legos", "import", "better.tsv", *options, "--json").json["unchanged"] == 1
    assert desk("legos", "extract", str(folder), "--run-id", "second").code in (0, 3)
    report = desk("legos", "report", str(folder), "--json").json["quality_report"]
    summary = report["quality_summary"]
    assert (summary["not_extracted"], summary["average_attempts_per_seed"]) == (0, 2.0)
    assert report["improvement_trends"]["seeds_retried"] == 0, "attempts on other sentences are no comparison"


def test_a_record_that_cannot_be_migrated_keeps_its_sentences(desk: Desk, cut: Path) -> None:
    path = next(Path(COURSE).glob("amino_acids/translations/*.json"))
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "schema_version": "2.0"}))
    said = desk("legos", "import", "better.tsv", "--course", COURSE, "--replace")
    assert said.code == 2 and "C0001 keeps its sentences: This record is from a newer Burnish" in said.err


def test_a_record_that_holds_anything_is_no_obstacle(desk: Desk) -> None:
    desk("legos", "import", given(PAIRS), "--course", COURSE)
    path = next(Path(COURSE).glob("amino_acids/translations/*.json"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "source": [1], "seed_id": "no id"}))
    said = desk("legos", "import", given(f"{PAIRS}New.\tНово.\n"), "--course", COURSE, "--json")
    assert (said.code, said.json["added"], said.json["unchanged"]) == (0, 1, 2)


def test_sentences_that_were_corrected_by_hand_are_known(desk: Desk) -> None:
    desk("legos", "import", given(PAIRS), "--course", COURSE)
    path = next(path for path in Path(COURSE).glob("amino_acids/translations/*.json") if "Come" in path.read_text())
    path.write_text(path.read_text().replace("Come here.", "Come in."))
    for text in (PAIRS, PAIRS.replace("Come here.", "Come in.")):
        again = desk("legos", "import", given(text), "--course", COURSE, "--json").json
        assert (again["added"], again["unchanged"]) == (0, 2)
    assert seeds()["C0002"] == "Come in."


BAD: list[tuple[tuple[Any, ...], str, str]] = [
    (("pairs.tsv", "--course", "qqq_for_eng"), "usage", "names no language with 'qqq'"),
    (("pairs.tsv", "--course", "nonsense"), "usage", "is not a course code"),
    (("pairs.txt", "--course", COURSE), "usage", "does not say what is in it"),
    (("missing.tsv", "--course", COURSE), "unreadable", "cannot be read"),
    (("empty.tsv", "--course", COURSE), "no_pairs", "no sentence pair in it."),
    (("bad.tsv", "--course", COURSE), "no_pairs", "The first problem: Columns in this row: 1"),
    (("many.tsv", "--course", COURSE), "too_many_seeds", "10,001 SEEDs"),
    (("pairs.tsv", "--course", COURSE, "--replace"), "usage", "does not say which SEEDs get new sentences"),
    (("pairs.tsv", "--course", COURSE, "--dir", "other"), "usage", "holds the course 'bul_for_eng'"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), BAD)
def test_bad_orders_are_refused_before_anything_is_written(
    desk: Desk, arguments: tuple[str, ...], code: str, words: str
) -> None:
    given(PAIRS)
    given(PAIRS, "pairs.txt")
    given("", "empty.tsv")
    given("alone\n", "bad.tsv")
    given("".join(f"s{n}\tt{n}\n" for n in range(10_001)), "many.tsv")
    desk("legos", "import", "pairs.tsv", "--course", "bul_for_eng", "--dir", "other")
    before = tree(".")
    said = desk("legos", "import", *arguments, "--json")
    assert (said.code, said.error["code"]) == (2, code)
    assert words in said.error["message"]
    assert tree(".") == before


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_two_imports_at_once_take_no_id_twice(desk: Desk, store: str) -> None:
    given("I sing.\tПеам.\n", "first.tsv")
    desk("legos", "import", "first.tsv", "--course", COURSE, "--store", store)
    children = []
    for number in range(4):
        name = given(
            "".join(f"I see {number} {place}.\tГледам {number} {place}.\n" for place in range(5)), f"{number}.tsv"
        )
        children.append(os.fork())
        if not children[-1]:
            try:
                import_pairs(name, Course.of(COURSE), Path(COURSE))
                os._exit(0)
            finally:
                os._exit(1)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0, 0]
    assert sorted(seeds()) == [f"C{number:04}" for number in range(1, 22)]
    assert len(seeds()) == len(set(seeds().values()))
