"""Courses over the API, in the names of their records."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnish.cli.main import main
from burnish.core.json_bytes import dumps, loads
from burnish.kinds.legos.records import LegoAminoAcid, TranslationAminoAcid
from burnish.kinds.legos.reports.shapes import QualityReport
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.api.api_desk import ApiDesk, api_desk
from tests.api.test_content import until_it_rests
from tests.app.lego_desk import course, sitting_in

CODE = "spa_for_eng_40seeds"
OWN = "spa_for_eng"
PAIRS = {"I want to speak Spanish.": "Quiero hablar español.", "I want to eat now.": "Quiero comer ahora."}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[ApiDesk]:
    """A course of its own, every SEED of which waits for a person."""
    with sitting_in(tmp_path) as desk:
        course(desk, PAIRS, code=OWN)
        assert desk("legos", "extract", "course", "--run-id", "first", "--hold").code == 3
        with api_desk(tmp_path / "runs") as opened:
            yield opened


def test_courses_are_known_by_their_runs(kept: ApiDesk) -> None:
    [known] = kept.json("courses")["courses"]
    assert (known["id"], known["runs"]) == (CODE, ["course"])
    assert kept.client.get(known["url"]).status_code == 200


def test_the_quality_of_a_course(kept: ApiDesk, kept_runs: Path) -> None:
    told = kept.json(f"courses/{CODE}/quality")
    report = {name: told[name] for name in QualityReport.model_fields}
    assert report == json.loads(
        (kept_runs.parent / "neighbours/quality_reports/quality_report.json").read_text("utf-8")
    )
    assert told["quality_summary"]["total_seeds"] == 40
    assert told["human_review_queue"]["count"] == told["human_review_needed"]
    assert told["problems"] == []


def test_the_legos_of_a_course_those_first_that_most_seeds_need(kept: ApiDesk) -> None:
    told = kept.json(f"courses/{CODE}/legos", limit=5)
    met = [lego["times_met"] for lego in told["legos"]]
    assert len(met) == 5 and met == sorted(met, reverse=True)
    assert all(len(lego["seeds"]) == lego["times_met"] for lego in told["legos"])
    assert (told["next"], told["total"] > 5) == (5, True)
    some = told["legos"][0]["target"]
    found = kept.json(f"courses/{CODE}/legos", find=some.upper())["legos"]
    assert found and all(some.casefold() in lego["target"].casefold() for lego in found)


def test_the_seeds_in_the_order_of_teaching(kept: ApiDesk) -> None:
    told = kept.json(f"courses/{CODE}/teaching-order", limit=500)
    assert (told["order"], told["next"]) == ("fewest_new", None)
    new = [position for seed in told["seeds"] for position in seed["new_legos"]]
    assert new == list(range(1, len(new) + 1))


def test_a_seed_with_its_history(kept: ApiDesk) -> None:
    told = kept.json(f"courses/{CODE}/seeds/C0012/review")
    record = TranslationAminoAcid.of(told["translation"])
    assert (record.seed_id, record.total_attempts) == ("C0012", len(record.lego_extraction_attempts))
    assert [LegoAminoAcid.of(lego).source_seed_id for lego in told["legos"]] == ["C0012"] * len(told["legos"])
    waiting = kept.json(f"courses/{CODE}/quality")["human_review_queue"]["seeds"]
    for seed in waiting:
        assert kept.json(f"courses/{CODE}/seeds/{seed['seed_id']}/review")["waits_in"] == "course"


def test_what_the_prompts_have_learnt(kept: ApiDesk) -> None:
    told = kept.json(f"courses/{CODE}/prompt-evolution")
    assert (told["course"], told["prompt_version"], told["trials"], told["ledger"]) == (CODE, "1.1.0", 0, [])


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("courses/none/quality", 404),
        ("courses/none/prompt-evolution", 404),
        (f"courses/{CODE}/seeds/C9999/review", 404),
        (f"courses/{CODE}/seeds/S1/review", 422),
        ("courses/..%2F..%2Fetc/quality", 404),
    ],
)
def test_what_is_not_there(kept: ApiDesk, path: str, status: int) -> None:
    assert kept.get(path).status_code == status


def test_a_seed_is_accepted_where_it_waits(own: ApiDesk) -> None:
    review = own.json(f"courses/{OWN}/seeds/C0001/review")
    assert review["waits_in"] == "first"
    order = {"by": "Ada", "note": "good", "seen": review["seen"]}
    answer = own.post(f"courses/{OWN}/seeds/C0001/accept", order)
    assert (answer.status_code, answer.json()["run"], answer.json()["state"]) == (200, "first", "accepted")
    again = own.post(f"courses/{OWN}/seeds/C0001/accept", order)
    assert (again.status_code, again.json()["code"]) == (409, "not_waiting")
    assert own.json(f"courses/{OWN}/seeds/C0001/review")["waits_in"] is None


def test_a_seed_is_cut_anew_by_a_run_of_its_own(own: ApiDesk) -> None:
    answer = own.post(f"courses/{OWN}/seeds/C0002/regenerate", {"run_id": "second"})
    assert (answer.status_code, answer.json()["run_id"]) == (202, "second")
    until_it_rests(own, "second")
    assert own.here.index.open("second").view.plan.arguments["options"]["again"] == ["C0002"]
    assert own.json("courses")["courses"][0]["runs"] == ["second", "first"]
    taken = own.post(f"courses/{OWN}/seeds/C0002/regenerate", {"run_id": "first"})
    assert (taken.status_code, taken.json()["code"]) == (409, "run_active")


def test_nobody_cuts_while_another_run_does(own: ApiDesk) -> None:
    with own_run(own.run("first"), system_clock):
        answer = own.post(f"courses/{OWN}/seeds/C0002/regenerate")
    assert (answer.status_code, answer.json()["code"]) == (409, "run_active")
    assert own.post(f"courses/{OWN}/seeds/C0002/regenerate", {"folder": "/tmp"}).status_code == 422
    assert own.here.jobs.at_work() == []


def test_a_record_that_is_not_valid_is_told(own: ApiDesk, tmp_path: Path) -> None:
    for path in (tmp_path / "course/amino_acids/translations").glob("*.json"):
        record = loads(path.read_bytes())
        if record["seed_id"] == "C0001":
            path.write_bytes(dumps({**record, "total_attempts": "many"}))
    answer = own.get(f"courses/{OWN}/seeds/C0001/review")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_record")
    problems = own.json(f"courses/{OWN}/quality")["problems"]
    assert [problem["code"] for problem in problems] == ["invalid_record"]
    assert str(tmp_path) not in json.dumps(problems)


def test_a_code_in_two_folders_is_nobodys(own: ApiDesk, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "course", tmp_path / "twin")
    assert main(
        ["legos", "extract", str(tmp_path / "twin"), "--run-id", "twin", "--runs", str(tmp_path / "runs"), "--hold"]
    ) in (0, 3)
    answer = own.get(f"courses/{OWN}/quality")
    assert (answer.status_code, answer.json()["code"]) == (409, "several_folders")
    shutil.rmtree(tmp_path / "course")
    assert own.get(f"courses/{OWN}/quality").status_code == 200


def test_a_course_in_two_stores_is_read_from_the_one_it_was_cut_in(own: ApiDesk, tmp_path: Path) -> None:
    run = ["legos", "extract", str(tmp_path / "course"), "--run-id", "database", "--runs", str(tmp_path / "runs")]
    assert main([*run, "--store", "sqlite", "--again", "C0001"]) in (0, 3)
    told = own.json(f"courses/{OWN}/seeds/C0001/review")
    assert told["translation"]["total_attempts"] >= 2
