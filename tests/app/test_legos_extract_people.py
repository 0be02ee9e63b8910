"""People decide about SEEDs: their word goes into the records, their own cuts stand, and what they send back is tried
once more."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.desk import Desk, borrowed, sitting_in
from tests.app.lego_desk import attempts, course, extract, files, go_on, legos, read, records, reports
from tests.legos_model import CUTS, LIGHT, MARKET, SEEDS, SPEAK, TORN, Cut, LegoWorld, Slip, work_of
from tests.loopback import Asked

FEW = {source: SEEDS[source] for source in (SPEAK, MARKET, LIGHT)}
NOTE = "Take the verb in."
HOPELESS = LegoWorld(slips={MARKET: Slip(TORN, "idle", TORN, heeds=NOTE)})
"""C0002 is only mended when a person says so."""
OWN: Cut = (("We are going to the market", "Ние одиме на пазар"),)


def text_of(cut: Cut) -> str:
    return "".join(f"{source} | {target}\n" for source, target in cut)


def edit(desk: Desk, text: str, *more: object, id: str = "x", seed: str = "C0002") -> Any:
    (desk.home / "cut.txt").write_text(text, encoding="utf-8")
    return desk("decide", id, seed, "edit", "--by", "Ada", "--text-file", "cut.txt", *more)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that waits for a person."""
    with sitting_in(tmp_path_factory.mktemp("stopped")) as desk:
        course(desk, FEW)
        assert extract(desk, HOPELESS).code == 3
        return desk.home


@pytest.fixture
def waiting(stopped: Path, desk: Desk) -> Iterator[Desk]:
    with borrowed(stopped, desk) as there:
        yield there


@pytest.fixture
def folder(waiting: Desk) -> Path:
    return waiting.home / "course"


class TestAccept:
    def test_what_stands_is_taken_as_it_is(self, waiting: Desk, folder: Path) -> None:
        before = files(folder)
        said = waiting("decide", "x", "C0002", "accept", "--by", "Ada", "--note", "Good enough.")
        assert said.code == 0
        assert "burnish resume x" in said.out
        assert files(folder) == before, "the course is written when the run goes on"
        asked: list[Asked] = []
        done = go_on(waiting, HOPELESS, asked=asked)
        assert (done.code, asked) == (0, [])
        record = records(folder)["C0002"]
        review = record["human_review"]
        assert (review["decision"], review["by"], review["note"]) == ("accept", "Ada", "Good enough.")
        assert (record["quality_status"], record["total_attempts"]) == ("accepted", 3)
        assert (record["flagged_for_review"], record["human_review_requested"]) == (False, False)
        assert record["current_quality_score"] == attempts(record)[-1]["quality_score"]["overall_score"] == 6.0
        assert tuple(legos(folder, "C0002")) == TORN
        assert reports(folder, "human_review_queue")["count"] == 0
        assert waiting("legos", "validate", folder).code == 0
        assert (waiting.run().root.parent / "x/seeds.jsonl").exists()

    def test_a_later_run_leaves_it_alone(self, waiting: Desk, folder: Path) -> None:
        assert waiting("decide", "x", "C0002", "accept", "--by", "Ada").code == 0
        assert go_on(waiting, HOPELESS).code == 0
        before = files(folder)
        assert extract(waiting, LegoWorld(), id="y").code == 0
        assert files(folder) == before

    def test_nothing_below_the_lowest_line_is_called_accepted(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        harsh = LegoWorld(slips=HOPELESS.slips, reviewers="harsh")
        assert extract(desk, harsh, "--reviewer", "openai:r").code == 3
        assert records(folder)["C0002"]["current_quality_score"] < 5.0
        assert desk("decide", "x", "C0002", "accept", "--by", "Ada").code == 0
        assert go_on(desk, harsh).code == 3, "others wait"
        record = records(folder)["C0002"]
        assert (record["quality_status"], record["human_review"]["decision"]) == ("flagged", "accept")
        assert record["human_review_requested"] is False
        assert desk("legos", "validate", folder).code == 0


class TestEdit:
    def test_their_own_cut_stands(self, waiting: Desk, folder: Path) -> None:
        said = edit(waiting, f"{MARKET}\n{SEEDS[MARKET]}\n\n{text_of(CUTS[MARKET])}", "--note", "So.")
        assert said.code == 0, said.err
        assert go_on(waiting, HOPELESS).code == 0
        record = records(folder)["C0002"]
        last = attempts(record)[-1]
        assert (last["attempt_number"], last["status"], last["legos_extracted"]) == (4, "accepted", 2)
        assert (last["agent_version"].rpartition("_")[2], last["prompt_version"]) == ("person", "0.0.0")
        assert last["compared_to_previous"]["score_delta"] == "+3.2"
        assert (record["quality_status"], record["best_attempt_number"]) == ("accepted", 4)
        assert (record["human_review"]["decision"], record["human_review"]["note"]) == ("edit", "So.")
        assert tuple(legos(folder, "C0002")) == CUTS[MARKET]
        assert waiting("legos", "validate", folder).code == 0
        assert "cut by a person  (best)" in waiting("show", "x", "C0002").out

    def test_also_where_it_breaks_rules_and_is_accepted_then(self, waiting: Desk, folder: Path) -> None:
        """It scores lower than what the model cut, and stands all the same."""
        crumbs = (("We are going to", "Ние одиме на"), ("the", "на"), ("market", "пазар"))
        said = edit(waiting, text_of(crumbs))
        assert said.code == 1
        assert "still breaks" in said.out
        assert go_on(waiting, HOPELESS).code == 3
        record = records(folder)["C0002"]
        assert (record["quality_status"], record["best_attempt_number"]) == ("pending_review", 4)
        assert waiting("decide", "x", "C0002", "accept", "--by", "Ada").code == 0
        assert go_on(waiting, HOPELESS).code == 0
        record = records(folder)["C0002"]
        assert (record["quality_status"], record["best_attempt_number"], record["total_attempts"]) == ("accepted", 4, 4)
        assert tuple(legos(folder, "C0002")) == crumbs
        assert waiting("legos", "validate", folder).code == 0

    def test_of_an_accepted_seed_before_the_course_is_written(self, waiting: Desk, folder: Path) -> None:
        """The model's cut passed with a higher score: the person's stands."""
        one = ((SPEAK.rstrip("."), SEEDS[SPEAK].rstrip(".")),)
        assert edit(waiting, text_of(one), seed="C0001").code == 0
        assert go_on(waiting, HOPELESS).code == 3
        record = records(folder)["C0001"]
        first, second = attempts(record)
        assert first["quality_score"]["overall_score"] > second["quality_score"]["overall_score"]
        assert record["best_attempt_number"] == 2
        assert tuple(legos(folder, "C0001")) == one

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "no LEGO"),
            (f"{MARKET}\n", "no LEGO"),
            ("We are going\n", "two halves"),
            ("We are going |\n", "two halves"),
            ("We were going | Ние одиме\n", "letter for letter"),
            ("We are going | Ние одиме\nWe are going | Ние одиме\n", "already"),
        ],
    )
    def test_what_is_no_cut_is_refused(self, waiting: Desk, folder: Path, text: str, told: str) -> None:
        before = files(folder)
        said = edit(waiting, text)
        assert said.code == 2, said.out
        assert told in said.err
        assert files(folder) == before
        assert waiting("status", "x", "--json").json["states"]["pending_review"] == 1


class TestReject:
    def test_the_note_reaches_the_model_and_one_more_attempt_is_made(self, waiting: Desk, folder: Path) -> None:
        asked: list[Asked] = []
        assert waiting("decide", "x", "C0002", "reject", "--by", "Ada", "--note", NOTE).code == 0
        assert waiting("export", "x").code == 0, "which writes the course, too"
        record = records(folder)["C0002"]
        assert attempts(record)[-1]["status"] == "retry_scheduled"
        assert (record["quality_status"], record["human_review"]["decision"]) == ("flagged", "reject")
        assert go_on(waiting, HOPELESS, asked=asked).code == 0
        assert [one.reply_name for one in asked] == ["edit_reply"], "the last attempt was a whole cut"
        work = work_of(asked[0].user)
        assert work["issues"][0] == NOTE
        assert work["attempt"] == 4
        record = records(folder)["C0002"]
        assert [one["status"] for one in attempts(record)] == ["flagged", "flagged", "flagged", "accepted"]
        assert (record["quality_status"], record["best_attempt_number"]) == ("accepted", 4)
        assert (record["human_review"]["decision"], record["human_review"]["note"]) == ("reject", NOTE)
        assert record["flagged_for_review"] is True, "it took four attempts, and nobody has seen the last"
        assert record["human_review_requested"] is False
        assert waiting("legos", "validate", folder).code == 0

    def test_what_stays_bad_comes_back(self, waiting: Desk, folder: Path) -> None:
        assert waiting("decide", "x", "C0002", "reject", "--by", "Ada", "--note", "Again.").code == 0
        assert go_on(waiting, HOPELESS).code == 3
        record = records(folder)["C0002"]
        assert (record["quality_status"], record["total_attempts"]) == ("pending_review", 4)
        assert record["human_review_requested"] is True
        assert waiting("decide", "x", "C0002", "reject", "--by", "Bob", "--note", NOTE).code == 0
        assert go_on(waiting, HOPELESS).code == 0
        assert records(folder)["C0002"]["human_review"]["by"] == "Bob"

    def test_an_accepted_cut_that_is_sent_back_does_not_stand_any_more(self, waiting: Desk, folder: Path) -> None:
        """The next one passes with a lower score: it is kept."""
        other = ((SPEAK.rstrip("."), SEEDS[SPEAK].rstrip(".")),)
        mended = LegoWorld(cuts={**CUTS, SPEAK: other}, slips=HOPELESS.slips)
        assert waiting("decide", "x", "C0001", "reject", "--by", "Ada", "--note", "One LEGO, please.").code == 0
        assert go_on(waiting, mended).code == 3
        record = records(folder)["C0001"]
        first, second = attempts(record)
        assert (first["status"], second["status"]) == ("flagged", "accepted")
        assert first["quality_score"]["overall_score"] > second["quality_score"]["overall_score"]
        assert (record["best_attempt_number"], tuple(legos(folder, "C0001"))) == (2, other)
        [line] = [
            row
            for row in (waiting.run("x").root / "course.jsonl").read_text(encoding="utf-8").splitlines()
            if json.loads(row)["translation"]["seed_id"] == "C0001"
        ]
        assert [one["source"] for one in json.loads(line)["legos"]] == [other[0][0]]

    def test_without_a_word_it_is_refused(self, waiting: Desk) -> None:
        said = waiting("decide", "x", "C0002", "reject", "--by", "Ada")
        assert said.code == 2
        assert "--note" in said.err

    def test_the_built_in_extractor_has_no_other_cut(self, desk: Desk) -> None:
        folder = course(desk, FEW)
        assert extract(desk, None, "--hold").code == 3
        before = records(folder)["C0001"]
        assert (before["quality_status"], before["human_review_requested"]) == ("accepted", True)
        assert desk("decide", "x", "C0001", "reject", "--by", "Ada", "--note", "Better, please.").code == 0
        said = desk("resume", "x")
        assert said.code == 3
        assert "has no other cut" in said.out
        now = records(folder)["C0001"]
        assert [one["status"] for one in now["lego_extraction_attempts"]] == ["flagged"]
        assert now["quality_status"] == "pending_review"
        assert legos(folder, "C0001")
        assert desk("legos", "validate", folder).code == 0


LONG = "I want to speak " + "and I want to learn " * 7 + "now."
WITH_A_LONG_ONE = {**FEW, LONG: "Сакам да зборувам " + "и сакам да учам " * 7 + "сега."}


class TestUnusualSeeds:
    def test_they_wait_although_they_score_well(self, desk: Desk) -> None:
        folder = course(desk, WITH_A_LONG_ONE)
        said = extract(desk, None, "--scoring", "1.0")
        assert said.code == 3
        assert "person   C0004  The LEGOs score high enough, but " in said.out
        record = records(folder)["C0004"]
        assert (record["quality_status"], attempts(record)[0]["status"]) == ("accepted", "accepted")
        assert (record["flagged_for_review"], record["human_review_requested"]) == (True, True)
        assert desk("legos", "validate", folder).code == 0
        assert desk("decide", "x", "C0004", "accept", "--by", "Ada").code == 0
        assert desk("resume", "x").code == 0
        record = records(folder)["C0004"]
        assert (record["flagged_for_review"], record["human_review_requested"]) == (False, False)

    def test_a_persons_cut_of_one_stands_whatever_its_score(self, desk: Desk) -> None:
        folder = course(desk, WITH_A_LONG_ONE)
        assert extract(desk, None, "--scoring", "1.0").code == 3
        words = LONG.rstrip(".").split()
        own = tuple(
            (" ".join(words[at : at + 4]), "Сакам да зборувам" if at == 0 else "сакам да учам")
            for at in range(0, len(words), 4)
        )
        said = edit(desk, text_of(own), seed="C0004")
        assert said.code in (0, 1), said.err
        if said.code == 1:
            assert desk("decide", "x", "C0004", "accept", "--by", "Ada").code == 0
        assert desk("resume", "x").code == 0
        record = records(folder)["C0004"]
        assert record["best_attempt_number"] == 2
        assert legos(folder, "C0004")[0] == own[0]


class TestSeveralRuns:
    def test_who_waits_in_an_old_run_is_decided_in_the_new_one(self, waiting: Desk, folder: Path) -> None:
        assert extract(waiting, LegoWorld(), id="y").code == 3
        assert waiting("decide", "y", "C0002", "accept", "--by", "Bob", "--note", "Fine.").code == 0
        assert go_on(waiting, LegoWorld(), id="y").code == 0
        record = records(folder)["C0002"]
        assert (record["quality_status"], record["human_review"]["by"]) == ("accepted", "Bob")
        assert (record["total_attempts"], record["best_attempt_number"]) == (3, 3)
        assert tuple(legos(folder, "C0002")) == TORN
        before = files(folder)
        said = waiting("resume", "x")
        assert "left     C0002  A person decided on it elsewhere since the run began." in said.out
        assert files(folder) == before, "the old run does not take that back"

    def test_what_is_sent_back_in_the_new_run_is_tried_there(self, waiting: Desk, folder: Path) -> None:
        asked: list[Asked] = []
        assert extract(waiting, LegoWorld(), id="y").code == 3
        assert waiting("decide", "y", "C0002", "reject", "--by", "Bob", "--note", NOTE).code == 0
        assert go_on(waiting, HOPELESS, id="y", asked=asked).code == 0
        [one] = asked
        assert work_of(one.user)["issues"][0] == NOTE
        record = records(folder)["C0002"]
        assert (record["total_attempts"], record["best_attempt_number"]) == (4, 4)
        assert tuple(legos(folder, "C0002")) == CUTS[MARKET]
        assert waiting("legos", "validate", folder).code == 0

    def test_an_edit_there(self, waiting: Desk, folder: Path) -> None:
        assert extract(waiting, LegoWorld(), id="y").code == 3
        assert edit(waiting, text_of(OWN), id="y").code in (0, 1)
        waiting("decide", "y", "C0002", "accept", "--by", "Ada")
        assert go_on(waiting, LegoWorld(), id="y").code == 0
        assert tuple(legos(folder, "C0002")) == OWN
        assert records(folder)["C0002"]["human_review"]["by"] == "Ada"


def test_what_is_written_is_not_taken_back(desk: Desk) -> None:
    folder = course(desk, FEW)
    assert extract(desk, LegoWorld()).code == 0
    said = desk("decide", "x", "C0001", "reject", "--by", "Ada", "--note", "No.")
    assert said.code == 2
    assert "not waiting" in said.err
    assert read(folder / "quality_reports/quality_report.json")["quality_summary"]["accepted"] == 3
