"""`burnish dismiss` and `resume --ignore`: a person says that a rule is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from burnish.app.labels import AlreadyDecided, MovedOn
from burnish.app.reviews import ReviewService
from burnish.app.settings import Settings
from burnish.engine.dismissals import Wanted
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.app.desk import Desk, borrowed, sitting_in
from tests.engine.questions_bench import biased, questions_in, sound, write_bank

BIAS = "ext_bias_detection"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run in which q1 and q2 wait for a person."""
    with sitting_in(tmp_path_factory.mktemp("stopped")) as desk:
        bank = write_bank(desk.home, [sound(0), biased(1), biased(2)])
        assert desk("polish", bank, "--rules-only", "--run-id", "r").code == 3
        return desk.home


@pytest.fixture
def waiting(stopped: Path, desk: Desk) -> Iterator[Desk]:
    with borrowed(stopped, desk) as there:
        yield there


def claim(desk: Desk, unit: str) -> str:
    """The claim that `show` lists."""
    [found] = [one for one in desk("show", "r", unit, "--json").json["attempts"][-1]["findings"] if one["rule"] == BIAS]
    assert f"doubtful {found['claim']}" in desk("show", "r", unit).out
    return str(found["claim"])


def state(desk: Desk, unit: str) -> str:
    return str(desk("show", "r", unit, "--json").json["state"])


def test_a_claim_is_dismissed_by_its_id(waiting: Desk) -> None:
    said = waiting("dismiss", "r", "q1", claim(waiting, "q1"), "--by", "Ada", "--note", "The job matters here.")
    assert said.code == 0
    assert said.out.splitlines() == ["q1  validated  claims dismissed by Ada", "1 more to decide."]
    assert "dismissed by Ada" in waiting("show", "r", "q1").out
    [decision] = waiting("show", "r", "q1", "--json").json["decisions"]
    assert (decision["verdict"], decision["note"]) == ("dismiss", "The job matters here.")
    assert [one["rule"] for one in decision["dismissals"]] == [BIAS]


def test_or_by_its_rule(waiting: Desk) -> None:
    assert waiting("dismiss", "r", "q1", BIAS, "--by", "Ada").code == 0
    assert state(waiting, "q1") == "validated"
    assert state(waiting, "q2") == "needs_manual_review"


def test_a_dismissal_is_undone_like_any_decision(waiting: Desk) -> None:
    before = claim(waiting, "q1")
    waiting("dismiss", "r", "q1", before, "--by", "Ada")
    undone = waiting("decide", "r", "q1", "undo", "--by", "Bob")
    assert undone.code == 0
    assert "q1  needs a person" in undone.out
    assert waiting("dismiss", "r", "q1", before, "--by", "Ada").code == 0


def test_all_claims_of_a_rule_are_dismissed_and_the_bank_is_published(waiting: Desk) -> None:
    said = waiting("dismiss", "r", BIAS, "--by", "Ada")
    assert said.code == 0
    assert said.out.splitlines() == ["Dismissed in 2 questions.", "Nothing left to decide. Resume: burnish resume r"]
    assert waiting("resume", "r").code == 0
    assert questions_in(waiting.run().out / "bank.json")["q2"] == biased(2)


def test_and_taken_back_together(waiting: Desk) -> None:
    waiting("dismiss", "r", BIAS, "--by", "Ada")
    said = waiting("dismiss", "r", BIAS, "--undo", "--by", "Bob")
    assert said.out.splitlines() == [f"{BIAS}  counts again; 2 questions as before.", "2 more to decide."]
    again = waiting("dismiss", "r", BIAS, "--undo", "--by", "Bob")
    assert again.code == 2
    assert f"{BIAS} is not dismissed in r" in again.err


def test_a_run_that_exists_goes_on_without_a_rule(waiting: Desk) -> None:
    done = waiting("resume", "r", "--ignore", BIAS, "--by", "Ada")
    assert done.code == 0
    assert "3 questions: 3 accepted" in done.out
    [decision] = waiting("show", "r", "q1", "--json").json["decisions"]
    assert (decision["verdict"], decision["by"]) == ("dismiss", "Ada")


def test_rules_are_named_as_they_are(waiting: Desk) -> None:
    for command in (("dismiss", "r", "ext_bias_detector", "--by", "Ada"), ("resume", "r", "--ignore", "bias")):
        refused = waiting(*command)
        assert refused.code == 2
        assert "There is no rule" in refused.err
    assert state(waiting, "q1") == "needs_manual_review"


def test_a_rule_without_claims_leads_to_resume(waiting: Desk) -> None:
    refused = waiting("dismiss", "r", "nbme_true_false", "--by", "Ada")
    assert refused.code == 2
    assert "burnish resume r --ignore nbme_true_false" in refused.err


def test_a_claim_that_is_not_there_is_refused_with_those_that_are(waiting: Desk) -> None:
    refused = waiting("dismiss", "r", "q1", "00000000", "--by", "Ada")
    assert refused.code == 2
    assert claim(waiting, "q1") in refused.err


def test_while_a_process_is_at_work_it_is_saved_like_a_decision(waiting: Desk) -> None:
    with own_run(RunFolder.at(Path("runs"), "r"), system_clock):
        said = waiting("dismiss", "r", "q1", BIAS, "--by", "Ada")
        assert said.code == 0
        assert "Saved; applied when the run pauses" in said.out
    assert waiting("resume", "r").code == 3
    assert state(waiting, "q1") == "validated"


def test_of_two_people_one_finds_the_unit_changed(waiting: Desk) -> None:
    reviews = ReviewService(Path("runs"), Settings())
    [row] = reviews.rows("r", ["q1"])
    text = Wanted((BIAS,)).text
    reviews.record("r", "q1", "dismiss", by="Ada", text=text, seen=row.at)
    with pytest.raises((AlreadyDecided, MovedOn)):
        reviews.record("r", "q1", "dismiss", by="Bob", text=text, seen=row.at)


def test_the_report_counts_it_against_the_rule(waiting: Desk) -> None:
    waiting("dismiss", "r", BIAS, "--by", "Ada")
    [line] = waiting("report", "r", "--json").json["precision"]
    assert (line["who"], line["right"], line["of"]) == (BIAS, 0, 2)
    assert line["standing"] == "doubtful in en (3 of 3 labelled findings right, at least 43 %)"
    assert "43 %" in waiting("rules", BIAS).out
