"""A course without a model: from a file of sentence pairs to records, LEGOs and reports, the same however often."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from burnish.kinds.legos.iron_rule import IronRule, violations
from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.languages.profiles import profile_of
from burnish.store.records import open_records
from tests.app.desk import Desk, Said
from tests.app.lego_desk import (
    SharedDesk,
    attempts,
    course,
    extract,
    files,
    legos,
    read,
    records,
    reports,
    sitting_in,
    without_times,
)
from tests.legos_model import COURSE, MARKET, tsv
from tests.legos_model import SEEDS as ALL_SEEDS

SEEDS = {source: target for source, target in ALL_SEEDS.items() if source != MARKET}
"""Those that the built-in extractor cuts; a sentence that it leaves whole waits for a person."""
REPORTS = {"quality_report", "flagged_seeds", "failed_seeds", "retry_queue", "human_review_queue"}


@dataclass(frozen=True)
class Built:
    """A course that was cut, and what was said on the way."""

    desk: SharedDesk
    folder: Path
    first: Said
    before: dict[str, bytes]
    """Its files behind the first run."""
    again: tuple[Said, ...]
    """Imported again, the same run again, another run, the run resumed, and its files written again."""
    after: dict[str, bytes]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    with sitting_in(tmp_path_factory.mktemp("course")) as desk:
        folder = course(desk, SEEDS)
        first = extract(desk, None)
        before = files(folder)
        again = (
            desk("legos", "import", "pairs.tsv", "--course", COURSE, "--dir", folder),
            extract(desk, None),
            extract(desk, None, id="another"),
            desk("resume", "x"),
            desk("export", "x"),
        )
        return Built(desk, folder, first, before, again, files(folder))


def all_legos(folder: Path) -> list[Any]:
    return [read(path) for path in sorted((folder / "amino_acids/legos").glob("*.json"))]


def test_every_seed_is_accepted_and_the_course_told(built: Built) -> None:
    assert built.first.code == 0, built.first.err
    assert built.first.out.startswith(f"{len(SEEDS)} SEEDs: {len(SEEDS)} accepted\n")
    assert "No model was called." in built.first.out
    assert f"Report:  burnish legos report {built.folder}\n" in built.first.out
    assert "Decide:" not in built.first.out, "nobody is needed"


def test_all_files_of_the_contract_are_there(built: Built) -> None:
    names = set(built.before)
    assert {f"quality_reports/{name}.json" for name in REPORTS} | {"teaching_order.json"} <= names
    assert sum(name.startswith("amino_acids/translations/") for name in names) == len(SEEDS)
    root = built.desk.run().root
    assert {"manifest.json", "receipt.json", "course.jsonl", "seeds.jsonl", "taken_in.jsonl"} <= {
        path.name for path in root.iterdir()
    }
    manifest = read(root / "manifest.json")
    assert (manifest["course_code"], manifest["extractor"], manifest["prompt_version"]) == (COURSE, "built-in", "0.0.0")
    assert manifest["iron_rule"] == {"variant": "phrase_aware", "infinitive_to": False}
    assert manifest["scoring"] == "2.0"
    assert (manifest["status"], manifest["counts"]) == ("published", {"written": len(SEEDS)})


def test_records_tell_the_attempt(built: Built) -> None:
    for seed, record in records(built.folder).items():
        [attempt] = attempts(record)
        score = attempt["quality_score"]
        assert (record["quality_status"], attempt["status"]) == ("accepted", "accepted"), seed
        assert record["current_quality_score"] == score["overall_score"] >= 8.0
        assert (record["total_attempts"], record["best_attempt_number"]) == (1, 1)
        assert (record["flagged_for_review"], record["human_review_requested"]) == (False, False)
        assert record["last_reviewed_at"] == score["calculated_at"] == attempt["timestamp"]
        assert attempt["legos_extracted"] == len(legos(built.folder, seed)) >= 1
        assert attempt["agent_version"].endswith("_built-in")
        assert "compared_to_previous" not in attempt
        assert "human_review" not in record


def test_legos_keep_their_promises(built: Built) -> None:
    """Both halves verbatim, every word covered, the Iron Rule kept, numbered from 1."""
    profile, seeds = profile_of("eng"), records(built.folder)
    assert profile is not None
    held: dict[str, set[int]] = {seed: set() for seed in seeds}
    numbers: dict[str, list[int]] = {seed: [] for seed in seeds}
    for lego in all_legos(built.folder):
        seed, place = seeds[lego["source_seed_id"]], lego["metadata"]
        assert seed["source"][place["start_index"] : place["end_index"]] == lego["source"]
        assert seed["target"][place["target_start_index"] : place["target_end_index"]] == lego["target"]
        assert lego["source_translation_uuid"] == seed["uuid"]
        assert place["word_count"] == len(words_of(lego["source"]))
        assert (place["iron_rule_compliant"], place["course_code"]) == (True, COURSE)
        words = words_of(seed["source"])
        span = [at for at, word in enumerate(words) if place["start_index"] <= word.start < place["end_index"]]
        where = (span[0], span[-1] + 1)
        assert violations(words, profile, IronRule(), multi_word_verbs(words, profile), where) is None
        held[seed["seed_id"]] |= set(span)
        number, _, position = lego["provenance"].removeprefix("S").partition("L")
        assert int(number) == int(seed["seed_id"][1:])
        numbers[seed["seed_id"]].append(int(position))
    for seed, record in seeds.items():
        left = [word.text for at, word in enumerate(words_of(record["source"])) if at not in held[seed]]
        assert left == record["uncovered"], seed
        assert sorted(numbers[seed]) == list(range(1, len(numbers[seed]) + 1))


def test_reports_agree_with_the_records(built: Built) -> None:
    summary = reports(built.folder, "quality_report")["quality_summary"]
    assert (summary["total_seeds"], summary["accepted"], summary["acceptance_rate"]) == (len(SEEDS), len(SEEDS), 1.0)
    assert all(reports(built.folder, name)["count"] == 0 for name in REPORTS - {"quality_report"})
    order = read(built.folder / "teaching_order.json")["legos"]
    assert {one["uuid"] for one in order} <= {lego["uuid"] for lego in all_legos(built.folder)}


def test_every_file_is_valid(built: Built) -> None:
    said = built.desk("legos", "validate", built.folder)
    assert (said.code, said.err) == (0, "")
    assert "valid" in said.out
    assert "warning" not in said.out


def test_doing_it_again_changes_no_byte(built: Built) -> None:
    assert [said.code for said in built.again] == [0] * len(built.again), [said.err for said in built.again]
    assert built.after == built.before
    assert built.again[2].out.startswith(f"{len(SEEDS)} SEEDs: 0 accepted, {len(SEEDS)} accepted before\n")


def test_the_run_can_be_looked_at(built: Built) -> None:
    runs = built.desk.home / "runs"
    status = built.desk("status", "x", "--json", "--runs", runs).json
    assert (status["state"], status["states"], status["blockers"]) == ("published", {"written": len(SEEDS)}, [])
    assert f"{len(SEEDS)} of {len(SEEDS)} accepted" in built.desk("runs", "--runs", runs).out
    listed = built.desk("show", "x", "--runs", runs).out
    assert "C0001  written" in listed
    shown = built.desk("show", "x", "C0001", "--runs", runs).out
    assert "cut without a model" in shown
    assert "reviewed  (best)" in shown
    assert " | " in shown, "the LEGOs, a line each"
    assert built.desk("show", "x", "C0001", "--json", "--runs", runs).json["attempts"][2]["passed"] is True
    for line in (built.desk.run().root / "seeds.jsonl").read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["seed"]["legos"]


def test_for_programs(desk: Desk) -> None:
    folder = course(desk, dict(list(SEEDS.items())[:3]))
    said = extract(desk, None, "--json")
    assert said.code == 0
    found = said.json
    assert (found["run_id"], found["stopped"], found["states"]) == ("x", "done", {"written": 3})
    assert (found["needs_person"], found["left_out"], found["course"]) == ([], [], str(folder))
    assert found["quality_report"] == reports(folder, "quality_report")
    assert found["totals"]["calls"] == 0


def test_sqlite_holds_the_same_records(built: Built, desk: Desk) -> None:
    folder = course(desk, SEEDS)
    said = extract(desk, None, "--store", "sqlite")
    assert said.code == 0, said.err
    assert f"burnish legos report {folder} --store sqlite" in said.out, "files are there too: it has to be said"
    assert desk("legos", "report", folder, "--store", "sqlite").code == 0
    assert all(record["total_attempts"] == 0 for record in records(folder).values()), "files are left as they were"
    with open_records(folder, "sqlite") as store:
        theirs = [*store.translations(), *store.all_legos()]
    with open_records(built.folder) as store:
        ours = [*store.translations(), *store.all_legos()]
    assert without_times(theirs) == without_times(ours)
    again = extract(desk, None, "--store", "files")
    assert again.code == 2
    assert "was started with store sqlite, not files" in again.err
    assert extract(desk, None).code == 0, "without a word it goes on with the store it has"


def test_a_course_that_is_only_in_sqlite(desk: Desk) -> None:
    folder = course(desk, dict(list(SEEDS.items())[:2]), "--store", "sqlite")
    said = extract(desk, None)
    assert said.code == 0, said.err
    assert {path.name for path in folder.iterdir()} == {"amino_acids.sqlite", "quality_reports", "teaching_order.json"}
    assert desk("legos", "validate", folder).code == 0
    other = extract(desk, None, "--store", "files", id="y")
    assert other.code == 2
    assert "are in SQLite" in other.err
    assert not (folder / "amino_acids").exists()


def test_cutting_anew_adds_an_attempt_and_keeps_what_others_wrote(desk: Desk) -> None:
    folder = course(desk, dict(list(SEEDS.items())[:4]))
    assert extract(desk, None).code == 0
    [lego] = [path for path in (folder / "amino_acids/legos").glob("*.json") if read(path)["provenance"] == "S2L1"]
    lego.write_text(json.dumps({**read(lego), "audio": "s2l1.ogg"}), encoding="utf-8")
    [seed] = [path for path in (folder / "amino_acids/translations").glob("*.json") if read(path)["seed_id"] == "C0002"]
    seed.write_text(json.dumps({**read(seed), "difficulty": 3}), encoding="utf-8")
    before = files(folder)
    said = extract(desk, None, "--again", "C0002", id="anew")
    assert said.code == 0, said.err
    assert "4 SEEDs: 1 accepted, 3 accepted before" in said.out
    record = records(folder)["C0002"]
    first, second = attempts(record)
    assert second["compared_to_previous"]["score_delta"] == "+0.0"
    assert (second["attempt_number"], record["total_attempts"], record["best_attempt_number"]) == (2, 2, 2)
    assert first == attempts(json.loads(before[str(seed.relative_to(folder))]))[0]
    assert record["difficulty"] == 3
    assert read(lego)["audio"] == "s2l1.ogg", "the same phrase in the same place is the same LEGO"
    changed = {name for name, data in files(folder).items() if before.get(name) != data}
    assert {name for name in changed if name.startswith("amino_acids")} == {str(seed.relative_to(folder))}
    unknown = extract(desk, None, "--again", "C0002, C0303", id="unknown")
    assert unknown.code == 2
    assert "no SEED C0303" in unknown.err


def test_more_pairs_are_cut_and_the_others_stay(desk: Desk) -> None:
    pairs = list(SEEDS.items())
    folder = course(desk, dict(pairs[:3]))
    assert extract(desk, None).code == 0
    before = files(folder)
    course(desk, dict(pairs[:5]))
    assert extract(desk, None, id="more").code == 0
    now = files(folder)
    assert {name for name in before if name.startswith("amino_acids") and now[name] != before[name]} == set()
    assert all(legos(folder, seed) for seed in ("C0004", "C0005"))


@pytest.mark.parametrize(("more", "starts"), [(("--iron-rule", "strict"), False), ((), True)])
def test_the_iron_rule_of_the_order_holds(desk: Desk, more: tuple[str, ...], starts: bool) -> None:
    """What a person cuts is held against it."""
    folder = course(desk, {"We speak with you.": "Ние зборуваме со тебе."})
    assert extract(desk, None, *more, "--hold").code == 3
    (desk.home / "cut.txt").write_text("We speak | Ние зборуваме\nwith you | со тебе\n", encoding="utf-8")
    said = desk("decide", "x", "C0001", "edit", "--by", "Ada", "--text-file", "cut.txt")
    assert ("c_iron_rule_violation" in desk("show", "x", "C0001").out) is not starts
    assert said.code == (0 if starts else 1)
    if not starts:
        assert desk("decide", "x", "C0001", "accept", "--by", "Ada").code == 0, "a person may overrule it"
    assert desk("resume", "x").code == 0
    assert legos(folder, "C0001") == [("We speak", "Ние зборуваме"), ("with you", "со тебе")]
    compliant = [lego["metadata"]["iron_rule_compliant"] for lego in all_legos(folder)]
    assert all(compliant) is starts
    manifest = read(desk.run("x").root / "manifest.json")
    assert manifest["iron_rule"]["variant"] == ("phrase_aware" if starts else "strict")
    assert desk("legos", "validate", folder).code == 0


def test_an_estimate_of_the_built_in_extractor_costs_nothing(desk: Desk) -> None:
    folder = course(desk, dict(list(SEEDS.items())[:3]))
    before = files(folder)
    for more in ((), ("--store", "sqlite")):
        said = extract(desk, None, "--estimate", *more)
        assert said.code == 0, said.err
        assert "3  cut without a model" in said.out
        assert "costs nothing" in said.out
    assert files(folder) == before
    assert not (desk.home / "runs").exists()


def test_the_pairs_file_is_not_needed_any_more(desk: Desk) -> None:
    """The course is all that is read: its file may be gone, and the run's own copy is what is resumed."""
    folder = course(desk, dict(list(SEEDS.items())[:2]))
    (desk.home / "pairs.tsv").unlink()
    assert extract(desk, None).code == 0
    taken_in = desk.run("x").root / "taken_in.jsonl"
    taken_in.write_text(taken_in.read_text(encoding="utf-8").replace("speak", "shout"), encoding="utf-8")
    assert desk("resume", "x").code == 0, "it is written already"
    assert legos(folder, "C0001")
    assert tsv({"a": "b"}) == "a\tb\n"
