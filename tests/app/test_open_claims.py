"""What is open in accepted units is said everywhere: summary, status, report, receipt, API, page."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from burnish.app.receipt import Receipt
from burnish.app.run_index import RunIndex
from burnish.engine.doubts import RuleDoubt, doubted, doubts_of
from burnish.kinds.questions.policy import KEY_DOUBTFUL
from tests.app.desk import Desk
from tests.app.run_index.ledger import WAITING, ledger
from tests.engine.questions_bench import CLEAN, biased, sound
from tests.web.paper import words
from tests.workbench import workbench

UNORDERED = {"options": [{"key": "A", "text": "Always"}, {"key": "B", "text": "Never"}, {"key": "C", "text": "Often"}]}
READY = "validated"


def test_each_accepted_unit_counts_once_and_settled_or_waiting_ones_not(tmp_path: Path) -> None:
    with ledger(tmp_path) as book:
        unit = book.name
        book.write(book.attempt(unit(0), (KEY_DOUBTFUL, "warning", "model:a"), ("vague", "warning", "rule")))
        book.write(book.row(unit(0), READY))
        book.write(book.attempt(unit(1), ("vague", "warning", "rule"), ("vague", "warning", "rule")))
        book.write(book.row(unit(1), READY))
        book.write(book.attempt(unit(2), ("vague", "info", "rule")), book.row(unit(2), READY))
        book.write(
            book.attempt(unit(3), (KEY_DOUBTFUL, "error", "model:a")), book.row(unit(3), WAITING, "key_doubtful")
        )
        book.write(book.attempt(unit(4), (KEY_DOUBTFUL, "error", "model:a")))
        book.write(book.attempt(unit(4), stem="Another stem?"), book.row(unit(4), READY))
        found = doubts_of(book.journal, book.kind)
        assert (found.units, found.subjects, found.others) == (2, {"the key": 1}, 1)
        assert [(one.rule, one.units, one.findings) for one in found.rules] == [("vague", 3, 4), (KEY_DOUBTFUL, 1, 1)]
        assert [(id, finding["rule"]) for id, finding in doubted(book.journal, book.kind, "the key", 5)] == [
            (unit(0), KEY_DOUBTFUL)
        ]
        with closing(RunIndex(tmp_path / "runs")) as index:
            counts = {one.rule: (one.open, one.accepted, one.settled) for one in index.open("r").findings_by_rule()}
        assert counts == {KEY_DOUBTFUL: (1, 1, 1), "vague": (0, 4, 0)}


@pytest.fixture
def run(desk: Desk) -> Iterator[Desk]:
    """A run in which q0 is clean, q1 is accepted with an open warning, and a person accepts q2 over its error."""
    bank = desk.bank(sound(0), sound(1, **UNORDERED), biased(2))
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert "3 questions: 2 accepted, 1 of them with open findings, 1 for a person" in said.out
    assert desk("decide", "r", "q2", "accept", "--by", "Ann").code == 0
    yield desk


def test_every_door_says_what_was_accepted_with_it(run: Desk) -> None:
    said = run("resume", "r")
    assert said.code == 0
    assert "3 questions: 3 accepted, 2 of them with open findings" in said.out
    assert "Options out of order (nbme_lost_sequence) 1" in said.out
    receipt = Receipt.model_validate_json(Path("runs/r/receipt.json").read_bytes())
    assert receipt.open_claims.units == 2
    remaining = {one.unit: {finding.rule for finding in one.remaining} for one in receipt.units}
    assert "nbme_lost_sequence" in remaining["q1"] and remaining["q2"] == {"ext_bias_detection"}
    status = run("status", "r")
    assert "2  accepted with open findings" in status.out
    assert run("status", "r", "--json").json["open_claims"]["units"] == 2
    report = run("report", "r", "--json").json
    assert report["open_claims"]["units"] == 2
    # A person accepted the error: it is no open one any more.
    assert [(one["open"], one["accepted"]) for one in report["findings"] if one["severity"] == "error"] == [(0, 1)]


def test_an_only_judge_that_fails_has_no_others_beside_it(desk: Desk) -> None:
    (desk.home / "mute.json").write_text(
        '{"rules": [{"reply_name": "question_review_reply", "reply": {"reasoning": "fine", "violations": []}}]}'
    )
    said = desk("polish", desk.bank(sound(0)), "--run-id", "m", "--judges", f"scripted:{desk.home / 'mute.json'}")
    assert "did not answer every request." in said.out and "other judges" not in said.out


def test_the_page_and_the_api_say_it(run: Desk) -> None:
    assert run("resume", "r").code == 0
    with workbench(run.home / "runs") as server, closing(server.browser("Ada")) as browser:
        page = words(browser.get("/runs/r").text)
        assert "Accepted with doubts" in page and "accepted with open findings" in page
        record = browser.get("/api/v1/runs/r").json()
    assert RuleDoubt("nbme_lost_sequence", "warning", 1, 2).rule in {
        one["rule"] for one in record["open_claims"]["rules"]
    }


def judge(desk: Desk, confidence: str) -> str:
    """A judge that objects to nothing and, asked blind, answers B, although the key is A."""
    solved = {"reasoning": "The second one.", "choice": "B", "also_right": [], "confidence": confidence}
    rules = [{"reply_name": "question_review_reply", "reply": CLEAN}, {"reply_name": "answer_reply", "reply": solved}]
    path = desk.home / "judge.json"
    path.write_text(json.dumps({"rules": rules}), encoding="utf-8")
    return f"scripted:{path}"


def test_a_sure_doubt_about_a_key_waits_with_exit_3(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0)), "--judges", judge(desk, "high"), "--run-id", "r")
    assert said.code == 3
    assert "1 question: 0 accepted, 1 for a person" in said.out and "key_doubtful" in said.out
    assert desk("resume", "r").code == 3
    assert not (desk.run().out / "bank.json").exists()


def test_an_unsure_doubt_about_a_key_is_counted_apart(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), sound(1, **UNORDERED)), "--judges", judge(desk, "low"), "--run-id", "r")
    assert said.code == 0, said.out
    assert "2 questions: 2 accepted, 2 of them with doubts about the key" in said.out
    assert said.out.count("doubt    ") == 2
    assert desk("status", "r", "--json").json["open_claims"]["subjects"] == {"the key": 2}
    receipt = Receipt.model_validate_json(desk.run().receipt.read_bytes())
    assert receipt.open_claims.subjects == {"the key": 2}
    with workbench(desk.home / "runs") as server, closing(server.browser("Ada")) as browser:
        assert "accepted with doubts about the key" in words(browser.get("/runs/r").text)
