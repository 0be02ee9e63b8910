"""Courses and runs that are not as they should be: good records are processed, the others named and left alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app import learning_course
from tests.app.desk import Desk
from tests.app.lego_desk import (
    attempts,
    away,
    course,
    extract,
    files,
    go_on,
    legos,
    read,
    records,
    reports,
)
from tests.engine.questions_bench import sound, write_bank
from tests.legos_model import CUTS, LIGHT, MARKET, SEEDS, SPEAK, TORN, LegoWorld, Slip
from tests.loopback import Asked

FEW = {source: SEEDS[source] for source in (SPEAK, MARKET, LIGHT)}
HOPELESS = LegoWorld(slips={MARKET: Slip(TORN, "idle", TORN)})


def path_of(folder: Path, seed: str) -> Path:
    return folder / f"amino_acids/translations/{records(folder)[seed]['uuid']}.json"


def lego_path(folder: Path, provenance: str) -> Path:
    shelf = folder / "amino_acids/legos"
    return next(path for path in shelf.glob("*.json") if read(path)["provenance"] == provenance)


def change(path: Path, **fields: object) -> None:
    path.write_text(json.dumps({**read(path), **fields}, ensure_ascii=False), encoding="utf-8")


class TestBadRecords:
    def test_the_good_ones_are_cut_and_nothing_else_is_touched(self, desk: Desk) -> None:
        folder = course(desk)
        assert extract(desk, None).code == 3, "one is left whole"
        shelf, seeds = folder / "amino_acids/translations", records(folder)
        newer, sick, twin = path_of(folder, "C0001"), path_of(folder, "C0002"), shelf / f"{'f' * 32}.json"
        change(newer, schema_version="2.0")
        change(sick, current_quality_score="8")
        twin.write_text(json.dumps({**seeds["C0003"], "uuid": "f" * 32}), encoding="utf-8")
        half, note = shelf / f"{'e' * 32}.json", shelf / "notes.json"
        half.write_text('{"uuid": "eeee', encoding="utf-8")
        note.write_text("[]", encoding="utf-8")
        hurt = lego_path(folder, "S4L1")
        change(hurt, metadata=[])
        before = files(folder)
        said = extract(desk, None, "--again", "all", "--json", "--scoring", "1.0", id="y")
        assert said.code == 2, said.err
        told = {one["record"].rpartition("/")[2]: one["message"] for one in said.json["left_out"]}
        assert "newer Burnish" in told[newer.stem]
        assert "current_quality_score must be" in told[sick.stem]
        assert "C0003 is the record" in told[twin.stem] or "C0003 is the record" in told[seeds["C0003"]["uuid"]]
        assert f"its LEGO {hurt.stem} cannot be read" in told[seeds["C0004"]["uuid"]]
        assert {half.name, note.name} <= set(told)
        assert said.json["states"] == {"written": 5}
        now = files(folder)
        left = [newer, sick, twin, half, note, hurt, shelf / f"{seeds['C0004']['uuid']}.json"]
        for path in left:
            name = str(path.relative_to(folder))
            assert now[name] == before[name]
        assert records_again(folder, "C0005") == 2

    def test_in_words(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        change(path_of(folder, "C0001"), schema_version="7")
        said = extract(desk, None)
        assert said.code in (2, 3)
        assert "2 SEEDs: " in said.out
        assert "left     " in said.out
        assert "newer Burnish (schema 7)" in said.out
        assert "left     " in desk("resume", "x").out, "it is still so"

    def test_a_file_that_lies_where_a_lego_belongs(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        assert extract(desk, LegoWorld()).code == 0
        lego = lego_path(folder, "S2L1")
        lego.write_text("{ half", encoding="utf-8")
        said = extract(desk, LegoWorld(), "--again", "all", id="y")
        assert said.code == 2, said.err
        assert "left     C0002  The file of one of its LEGOs cannot be read." in said.out
        assert lego.read_text(encoding="utf-8") == "{ half"
        assert [len(attempts(record)) for record in records(folder).values()] == [2, 1, 2]
        lego.unlink()
        mended = desk("resume", "y")
        assert "left     C0002" not in mended.out, "what is mended is not told any more"
        assert [len(attempts(record)) for record in records(folder).values()] == [2, 2, 2]
        assert tuple(legos(folder, "C0002")) == CUTS[MARKET]

    def test_old_records_are_taken_as_they_would_be_migrated(self, desk: Desk) -> None:
        """Those with LEGOs have their synthetic attempt, and are not cut again."""
        folder = course(desk, FEW)
        assert extract(desk, LegoWorld()).code == 0
        ours = ("uuid", "type", "seed_id", "source", "target", "metadata")
        for seed, record in records(folder).items():
            old = {name: record[name] for name in ours}
            path_of(folder, seed).write_text(json.dumps(old), encoding="utf-8")
        for path in (folder / "amino_acids/legos").glob("*.json"):
            if read(path)["source_seed_id"] == "C0003":
                path.unlink()
        asked: list[Asked] = []
        assert extract(desk, LegoWorld(), id="y", asked=asked).code == 0
        assert len(asked) == 1, "only the one without LEGOs"
        found = records(folder)
        assert "lego_extraction_attempts" not in found["C0001"], "what is not cut is not written"
        assert found["C0003"]["quality_status"] == "accepted"
        assert extract(desk, LegoWorld(), "--again", "C0001", id="z").code == 0
        first, second = attempts(records(folder)["C0001"])
        assert (first["quality_score"]["scoring_version"], second["attempt_number"]) == ("0.0_retroactive", 2)


def records_again(folder: Path, seed: str) -> int:
    """How many attempts a SEED has, where the course holds files that are no records."""
    for path in (folder / "amino_acids/translations").glob("*.json"):
        try:
            record = read(path)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("seed_id") == seed:
            return len(attempts(record))
    raise AssertionError(f"{seed} is gone")


class TestWhatOthersDoMeanwhile:
    @pytest.fixture
    def folder(self, desk: Desk) -> Path:
        """A run stopped in the middle: C0002 is to be tried again."""
        folder = course(desk, FEW)
        assert extract(desk, LegoWorld(slips={MARKET: Slip(TORN)}), interfere=away("edit_reply")).code == 6
        return folder

    @pytest.mark.parametrize(
        ("fields", "told"),
        [
            ({"source": "We are going to the garden."}, "Its sentences were changed"),
            ({"target": "Ние одиме в пазар."}, "Its sentences were changed"),
            ({"schema_version": "3.1"}, "newer Burnish"),
            ({"lego_extraction_attempts": [{}]}, "is invalid now"),
            ({"lego_extraction_attempts": [], "total_attempts": 0, "current_quality_score": 0}, None),
            ({"comment": "to be spoken"}, None),
        ],
    )
    def test_a_changed_record_is_not_overwritten(
        self, desk: Desk, folder: Path, fields: dict[str, Any], told: str | None
    ) -> None:
        path = path_of(folder, "C0002")
        change(path, **fields)
        before = path.read_bytes()
        said = go_on(desk, LegoWorld(slips={MARKET: Slip(TORN)}))
        assert said.code == (0 if told is None else 2)
        if told is None:
            assert "left" not in said.out
            assert records(folder)["C0002"]["total_attempts"] == 2
            assert records(folder)["C0002"].get("comment") == fields.get("comment")
        else:
            assert "left     C0002  " in said.out
            assert told in said.out
            assert path.read_bytes() == before
        assert records(folder)["C0001"]["quality_status"] == "accepted"

    def test_a_record_that_is_gone_stays_so(self, desk: Desk, folder: Path) -> None:
        path = path_of(folder, "C0002")
        path.unlink()
        said = go_on(desk, LegoWorld(slips={MARKET: Slip(TORN)}))
        assert said.code == 2
        assert "left     C0002  Its record is no longer in the course." in said.out
        assert not path.exists()

    def test_fields_that_others_changed_stay_changed(self, desk: Desk, folder: Path) -> None:
        """The run knows the record as it was: it writes what is its own, and nothing else."""
        path = path_of(folder, "C0002")
        change(path, metadata={**read(path)["metadata"], "heuristics_applied": ["h_1"]})
        assert go_on(desk, LegoWorld(slips={MARKET: Slip(TORN)})).code == 0
        record = records(folder)["C0002"]
        assert (record["metadata"]["heuristics_applied"], record["total_attempts"]) == (["h_1"], 2)

    def test_the_runs_own_copy_is_not_to_be_changed(self, desk: Desk, folder: Path) -> None:
        taken_in = desk.run("x").root / "taken_in.jsonl"
        taken_in.write_text(taken_in.read_text(encoding="utf-8").replace("market", "garden"), encoding="utf-8")
        before = files(folder)
        said = go_on(desk, LegoWorld())
        assert said.code == 1, said.err
        assert files(folder).keys() == before.keys()
        assert attempts(records(folder)["C0002"])[0]["status"] in ("retry_scheduled", "flagged")

    def test_also_before_anything_was_cut(self, desk: Desk) -> None:
        course(desk, FEW)
        assert extract(desk, LegoWorld(), interfere=away("lego_reply")).code == 6
        taken_in = desk.run("x").root / "taken_in.jsonl"
        taken_in.write_text(taken_in.read_text(encoding="utf-8").replace("market", "garden"), encoding="utf-8")
        assert go_on(desk, LegoWorld()).code == 1
        assert desk("status", "x").code == 0
        assert desk("decide", "x", "C0002", "reject", "--by", "Ada", "--note", "Again.").code in (0, 2)
        assert go_on(desk, LegoWorld()).code == 1


class TestCourses:
    def test_an_empty_one(self, desk: Desk) -> None:
        (desk.home / "empty/amino_acids").mkdir(parents=True)
        (desk.home / "nothing").mkdir()
        for folder, told in (("empty", "no SEED"), ("nothing", "no course"), ("nowhere", "no course")):
            for more in ((), ("--store", "sqlite")):
                said = extract(desk, None, *more, folder=folder)
                assert said.code == 2, folder
                assert told in said.err
                assert "burnish legos import" in said.err
        assert not list((desk.home / "nothing").iterdir()), "no store is made where there is no course"
        assert not (desk.home / "nowhere").exists()

    def test_several_in_one_folder(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        path = path_of(folder, "C0002")
        change(path, metadata={**read(path)["metadata"], "course_code": "fra_for_eng_3seeds"})
        said = extract(desk, None)
        assert said.code == 2
        assert "several courses: mkd_for_eng_8seeds, fra_for_eng_3seeds" in said.err

    def test_a_language_of_which_nothing_is_known(self, desk: Desk) -> None:
        course(desk, {"Hyvää päivää.": "Good day."}, code="eng_for_fin_1seeds")
        said = extract(desk, None)
        assert said.code == 2
        assert "is taught from Finnish" in said.err
        assert "Macedonian" in said.err, "those of which something is"
        assert not desk.run("x").root.exists()

    @pytest.mark.no_cover  # the same lines over and over
    def test_duplicates_and_odd_sentences(self, desk: Desk) -> None:
        odd = [
            (SPEAK, SEEDS[SPEAK]),
            (SPEAK, SEEDS[SPEAK]),
            ("!!!", "???"),
            ("Yes.", "Да."),
            ("to", "на"),
            ("I want to go " + "and you want to go " * 100 + "now.", "Сакам да одам " * 100),
            ("Cafe\u0301 with milk.", "Кафе\u0301 со млеко."),
            ("A | B", "Г | Д"),
            ("👩\u200d👩\u200d👧 is here.", "👩\u200d👩\u200d👧 е тука."),
            ("\u202eevil\u202c text", "лош текст"),
            ("x" * 5000, "й" * 5000),
        ]
        folder = course(desk, odd)
        world = LegoWorld(seeds=dict(odd), cuts={SPEAK: CUTS[SPEAK]})
        for made, more in ((None, ()), (world, ("--again", "all"))):
            said = extract(desk, made, *more, id="built-in" if made is None else "model")
            assert said.code == 3, said.err
            found = records(folder)
            assert len(found) == len(odd) - 1, "the same pair is one SEED"
            for record in found.values():
                assert all(
                    source in record["source"] and target in record["target"]
                    for source, target in legos(folder, record["seed_id"])
                )
            assert desk("legos", "validate", folder).code == 0
            assert desk("legos", "report", folder).code == 0
            assert "\u202e" not in said.out + desk("show", "built-in", "C0009").out
        assert {"C0002", "C0004", "C0005"} <= {one["seed_id"] for one in reports(folder, "human_review_queue")["seeds"]}

    def test_text_from_right_to_left(self, desk: Desk) -> None:
        pairs = {"I speak Hebrew.": "אני מדבר עברית.", "I speak with you.": "אני מדבר איתך.", "Peace!": "שָׁלוֹם!"}
        folder = course(desk, pairs, code="heb_for_eng_3seeds")
        for made, id in ((None, "built-in"), (LegoWorld(dict(pairs), {}), "model")):
            assert extract(desk, made, "--again", "all", id=id).code in (0, 3)
            for seed, record in records(folder).items():
                assert record["target"] == pairs[record["source"]], "byte for byte"
                assert all(target in record["target"] for _, target in legos(folder, seed))
            assert desk("legos", "validate", folder).code == 0

    def test_a_bar_in_a_sentence_can_be_cut_by_hand(self, desk: Desk) -> None:
        folder = course(desk, {"A | B": "Г | Д"})
        assert extract(desk, None, "--hold").code == 3
        (desk.home / "cut.txt").write_text("A | B | Г | Д\n", encoding="utf-8")
        assert desk("decide", "x", "C0001", "edit", "--by", "Ada", "--text-file", "cut.txt").code == 0
        assert desk("resume", "x").code == 0
        assert legos(folder, "C0001") == [("A | B", "Г | Д")]


class TestOtherRuns:
    def test_a_run_of_another_kind_is_not_taken_up(self, desk: Desk) -> None:
        course(desk, FEW)
        write_bank(desk.home, [sound(0)])
        assert desk("polish", "bank.json", "--rules-only", "--run-id", "x").code == 0
        said = extract(desk, None)
        assert said.code == 2
        assert "is no extraction" in said.err

    def test_nor_is_an_extraction_by_others(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        write_bank(desk.home, [sound(0)])
        assert extract(desk, HOPELESS).code == 3
        before = files(folder)
        for command in (
            ("polish", "bank.json", "--run-id", "x"),
            ("translate", "--run-id", "x"),
            ("legos", "evolve", folder, "--model", "openai:m", "--run-id", "x"),
        ):
            said = desk(*command)
            assert said.code == 2, command
            assert "x" in said.err
        assert files(folder) == before

    def test_an_evolution_can_be_looked_at(self, desk: Desk) -> None:
        folder = learning_course.course(desk.home, learning_course.IDLE)
        said, _ = learning_course.evolve(desk, folder, "--seeds", 63)
        assert said.code == 0, said.err
        codes: dict[str, Callable[[int], bool]] = {
            "status ev": lambda code: code == 0,
            "status ev --json": lambda code: code == 0,
            "show ev": lambda code: code == 0,
            "show ev C0001": lambda code: code == 2,
            "runs": lambda code: code == 0,
            "decide ev C0001 accept --by Ada": lambda code: code == 2,
            "export ev": lambda code: code in (0, 2),
            "legos extract course --run-id ev": lambda code: code == 2,
        }
        for command, is_right in codes.items():
            said = desk(*command.split())
            assert is_right(said.code), (command, said)
            assert "bug in Burnish" not in said.err

    def test_the_commands_for_every_run(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        assert extract(desk, HOPELESS).code == 3
        assert "1 for a person" in desk("runs").out
        [line] = desk("runs", "--json").json["runs"]
        assert (line["kind"], line["waiting"], line["ready"], line["requested"]) == ("legos", 1, 2, 3)
        out = desk("status", "x").out
        assert "person   C0002" in out
        assert str(desk.run("x").root / "taken_in.jsonl") in out
        shown = desk("show", "x", "C0002", "--replies")
        assert '"legos"' in shown.out
        assert desk("show", "x", "C0009").code == 2
        exported = desk("export", "x", "--json")
        assert (exported.code, exported.json["published"]) == (0, [])
        root = desk.run("x").root
        (root / "course.jsonl").write_text("edited", encoding="utf-8")
        again = desk("export", "x", "--json")
        assert again.json["edited_by_hand"] == ["course.jsonl"]
        rows = [json.loads(row) for row in (root / "course.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [row["translation"] for row in rows] == [*records(folder).values()]
        assert len(rows[1]["legos"]) == 2
        assert desk("legos", "report", folder).code == 0
