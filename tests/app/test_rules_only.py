"""Questions that pass the rules while no model judges: they wait, unless a person said that rules may accept."""

from __future__ import annotations

from tests.app.desk import Desk
from tests.engine.questions_bench import biased, journal_of, sound, states

WAITS = "needs_manual_review"


def attempts(desk: Desk) -> dict[str, int]:
    with journal_of(desk.run()) as journal:
        return {row.id: row.attempts for row in journal.units()}


def test_what_passes_waits_until_models_are_named(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0), biased(1)), "--run-id", "r").code == 3
    assert states(desk.run()) == {"q0": (WAITS, "no_judges"), "q1": (WAITS, "no_model")}
    before = attempts(desk)
    said = desk("resume", "r")
    assert said.code == 3 and "No model was called." in said.out
    assert attempts(desk) == before, "without models there is nothing to do"
    assert desk("resume", "r", "--model", desk.model("q1")).code == 0
    assert {state for state, _ in states(desk.run()).values()} == {"validated"}


def test_judges_alone_take_up_what_only_they_can(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0), biased(1)), "--run-id", "r").code == 3
    assert desk("resume", "r", "--judges", desk.model("q1")).code == 3
    after = states(desk.run())
    assert after["q0"][0] == "validated"
    assert after["q1"] == (WAITS, "no_model")


def test_rules_alone_do_not_accept_an_error(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0), biased(1)), "--run-id", "r", "--rules-only").code == 3
    after = states(desk.run())
    assert after["q0"][0] == "validated" and after["q1"] == (WAITS, "no_model")


def test_a_person_may_accept_what_nobody_judged(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0)), "--run-id", "r").code == 3
    assert desk("decide", "r", "q0", "accept", "--by", "Ada").code == 0
    assert desk("resume", "r").code == 0
    assert (desk.run().out / "bank.json").is_file()
