"""Decisions that are taken back after publishing: the unit waits again, and another version is published."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

import pytest

from burnish.core.errors import TooLate
from burnish.store.files import sha256_of
from tests.app.desk import Desk, Said
from tests.engine.questions_bench import biased, journal_of, questions_in, sound
from tests.web.paper import form, send, words
from tests.workbench import workbench

STEM = json.dumps({"stem": "Which of the following is a different question?"})


@pytest.fixture
def published(desk: Desk) -> Desk:
    """A published run of three sound questions."""
    bank = desk.bank(sound(0), sound(1), sound(2))
    assert desk("polish", bank, "--rules-only", "--run-id", "r", "--out", "out.json").code == 0
    (desk.home / "edit.json").write_text(STEM)
    return desk


def receipt(desk: Desk, folder: str = "") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((desk.run().root / folder / "receipt.json").read_text(encoding="utf-8"))
    return found


def reopen(desk: Desk, *units: str, by: str = "Ada") -> Said:
    first, *others = units
    also = [word for other in others for word in ("--also", other)]
    return desk("reopen", "r", first, "--by", by, "--note", "The key is wrong.", *also)


def edited(desk: Desk, unit: str = "q1") -> Said:
    return desk("decide", "r", unit, "edit", "--by", "Ada", "--text-file", "edit.json")


def test_the_first_version_is_number_one(published: Desk) -> None:
    assert receipt(published)["published_version"] == 1
    assert "earlier_versions" not in receipt(published)
    assert not (published.run().root / "versions").exists()


def test_a_reopened_unit_waits_and_the_next_version_is_published(published: Desk) -> None:
    out = published.home / "out.json"
    before, told = out.read_bytes(), receipt(published)
    said = reopen(published, "q1")
    assert said.code == 0, said.err
    assert "q1  needs a person  reopened by Ada" in said.out and "1 more to decide." in said.out
    assert published("status", "r", "--json").json["state"] == "needs_person"
    assert published("resume", "r").code == 3
    assert out.read_bytes() == before, "until it is decided, the published version stands"
    assert receipt(published)["published_version"] is None
    assert edited(published).code == 0
    again = published("resume", "r")
    assert again.code == 0 and f"Published: {out}  (version 2)" in again.out, again.out
    assert questions_in(out)["q1"]["stem"] == json.loads(STEM)["stem"]
    assert questions_in(out)["q0"] == sound(0)
    now = receipt(published)
    assert now["published_version"] == 2
    [earlier] = now["earlier_versions"]
    assert (earlier["version"], earlier["folder"], earlier["missing"]) == (1, "versions/1", [])
    kept = published.run().root / "versions" / "1"
    assert sorted(path.name for path in kept.rglob("*") if path.is_file()) == ["bank.json", "receipt.json"]
    assert (kept / "out" / "bank.json").read_bytes() == before
    assert receipt(published, "versions/1") == told
    decisions = [one["verdict"] for unit in now["units"] for one in unit["decisions"]]
    assert decisions == ["reopen", "edit"]


def test_a_third_version(published: Desk) -> None:
    for _ in range(2):
        assert reopen(published, "q1").code == 0
        assert published("decide", "r", "q1", "accept", "--by", "Ada").code == 0
        assert published("resume", "r").code == 0
    assert receipt(published)["published_version"] == 3
    assert [one["version"] for one in receipt(published)["earlier_versions"]] == [1, 2]
    assert receipt(published, "versions/2")["published_version"] == 2


def test_several_units_are_reopened_together(published: Desk) -> None:
    assert reopen(published, "q0", "q2").code == 0
    waiting = published("status", "r", "--json").json["states"]["needs_manual_review"]
    assert waiting == 2


def test_a_resume_without_a_decision_publishes_nothing_anew(published: Desk) -> None:
    before = receipt(published)
    assert published("resume", "r").code == 0
    assert receipt(published)["published_version"] == before["published_version"] == 1
    assert not (published.run().root / "versions").exists()


def test_undoing_it_leaves_the_published_version(published: Desk) -> None:
    before = (published.home / "out.json").read_bytes()
    assert reopen(published, "q1").code == 0
    assert published("decide", "r", "q1", "undo", "--by", "Bob").code == 0
    assert published("status", "r", "--json").json["states"] == {"validated": 3}
    assert published("resume", "r").code == 0
    assert receipt(published)["published_version"] == 1
    assert (published.home / "out.json").read_bytes() == before
    assert not (published.run().root / "versions").exists()


def test_it_cannot_be_undone_once_the_next_version_is_published(published: Desk) -> None:
    assert reopen(published, "q1").code == 0
    assert published("decide", "r", "q1", "accept", "--by", "Ada").code == 0
    assert published("resume", "r").code == 0
    said = published("decide", "r", "q1", "undo", "--by", "Ada")
    assert said.code == TooLate("").exit_code and "cannot be undone" in said.err


def test_decide_on_a_published_unit_says_how_to_reopen_it(published: Desk) -> None:
    for verdict in ("accept", "reject", "edit"):
        more = ("--text-file", "edit.json") if verdict == "edit" else ("--note", "n")
        said = published("decide", "r", "q1", verdict, "--by", "Ada", *more)
        assert said.code == 2, verdict
        assert "burnish reopen" in said.err, said.err


def test_what_waits_already_is_not_reopened(published: Desk) -> None:
    assert reopen(published, "q1").code == 0
    said = reopen(published, "q1", by="Bob")
    assert said.code == 2 and "it is not accepted" in said.err


def test_a_copy_that_was_changed_by_hand_is_replaced_by_the_candidate(published: Desk) -> None:
    before = (published.home / "out.json").read_bytes()
    (published.home / "out.json").write_text("[]")
    assert reopen(published, "q1").code == 0
    assert edited(published).code == 0
    assert published("resume", "r").code == 0
    assert (published.run().root / "versions/1/out/bank.json").read_bytes() == before


def test_what_cannot_be_kept_is_named(published: Desk) -> None:
    (published.home / "out.json").unlink()
    for candidate in published.run().candidate.rglob("*.json"):
        candidate.unlink()
    assert reopen(published, "q1").code == 0
    assert edited(published).code == 0
    assert published("resume", "r").code == 0
    [earlier] = receipt(published)["earlier_versions"]
    assert earlier["missing"] == ["out/bank.json"] and earlier["files"] == ["receipt.json"]


def test_a_rejected_unit_goes_to_the_model_again(published: Desk) -> None:
    assert reopen(published, "q1").code == 0
    said = published("decide", "r", "q1", "reject", "--by", "Ada", "--note", "Ask about fish.")
    assert said.code == 0, said.err
    assert published("status", "r", "--json").json["states"] == {"correcting": 1, "validated": 2}


def test_a_question_that_a_model_corrected(desk: Desk) -> None:
    """Its decisions are exported with its correction."""
    assert desk("polish", desk.bank(biased(0)), "--model", desk.model("q0"), "--run-id", "r").code == 0
    assert reopen(desk, "q0").code == 0
    assert desk("resume", "r").code == 3
    assert desk("decide", "r", "q0", "accept", "--by", "Ada").code == 0
    assert desk("resume", "r").code == 0
    [row] = (desk.run().root / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert [one["verdict"] for one in json.loads(row)["decisions"]] == ["reopen", "accept"]
    assert receipt(desk)["published_version"] == 2


def test_a_dropped_unit_makes_another_version(published: Desk) -> None:
    assert reopen(published, "q1").code == 0
    assert published("decide", "r", "q1", "drop", "--by", "Ada", "--note", "wrong").code == 0
    assert published("resume", "r").code == 0
    assert sorted(questions_in(published.home / "out.json")) == ["q0", "q2"]
    assert sha256_of(published.run().root / "versions/1/out/bank.json") != sha256_of(published.home / "out.json")


def test_over_the_api_and_on_the_page(published: Desk) -> None:
    with workbench(published.home / "runs") as server, closing(server.browser("Ada")) as ada:
        page = ada.get("/runs/r/units/q1").text
        assert "Once it is decided, the next version is published" in words(page)
        after = send(ada, form(page, "/queue/decide", verdict="reopen"), note="Wrong.")
        assert after.status_code == 200
        assert ada.get("/api/v1/runs/r/units/q1").json()["state"] == "needs_manual_review"
        assert ada.get("/api/v1/runs/r").json()["state"] == "waiting_for_people"
        told = ada.post("/api/v1/runs/r/units/q0/decision", json={"verdict": "reopen", "by": "Ada"})
        assert (told.status_code, told.json()["reason"]) == (200, "reopened by Ada")
        again = ada.post("/api/v1/runs/r/units/q0/decision", json={"verdict": "reopen", "by": "Ada"})
        assert again.status_code == 400
        for unit in ("q0", "q1"):
            ada.post(f"/api/v1/runs/r/units/{unit}/decision", json={"verdict": "accept", "by": "Ada"})
        assert ada.get("/api/v1/runs/r").json()["state"] == "ready_to_continue"
        assert published("resume", "r").code == 0
        exports = {one["name"]: one["url"] for one in ada.get("/api/v1/runs/r/exports").json()["exports"]}
        assert ada.get(exports["versions/1/receipt.json"]).json()["published_version"] == 1
        assert "versions/1/out/bank.json" in exports


LESSON = """# Water

## Where it comes from

Water moves around the earth in a circle. It rises from the sea, forms clouds and falls as rain again.

## Where it goes

Rivers carry most of the water back to the sea. Some of it sinks into the ground and stays there.
"""


def test_a_lesson(desk: Desk) -> None:
    (desk.home / "water.md").write_text(LESSON, encoding="utf-8")
    assert desk("polish", "water.md", "--rules-only", "--run-id", "r").code == 0
    with journal_of(desk.run()) as journal:
        unit = next(row.id for row in journal.units() if "goes" in row.id)
    before = (desk.run().out / "water.md").read_bytes()
    assert reopen(desk, unit).code == 0
    assert desk("resume", "r").code == 3
    (desk.home / "new.txt").write_text("Rivers carry most of the water back to the sea. The rest stays in the ground.")
    assert desk("decide", "r", unit, "edit", "--by", "Ada", "--text-file", "new.txt").code == 0
    said = desk("resume", "r")
    assert said.code == 0, said.out
    assert "The rest stays in the ground." in (desk.run().out / "water.md").read_text(encoding="utf-8")
    assert receipt(desk)["published_version"] == 2
    assert (desk.run().root / "versions/1/out/water.md").read_bytes() == before


def test_a_kind_that_publishes_once_refuses_it(desk: Desk) -> None:
    assert desk("demo", "manuscripts", "--keep", "kept").code == 0
    said = desk("reopen", "book", "p_0001", "--by", "Ada", "--runs", "kept/runs")
    assert said.code == 2 and "published once" in said.err
