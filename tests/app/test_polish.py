"""`burnish polish`: exit codes, what is said, and what every option does."""

import json
import signal
import threading
from pathlib import Path

import pytest

from tests.app.desk import Desk
from tests.engine.questions_bench import biased, filled, keyless, questions_in, sound, untidy


def test_a_clean_bank_is_published(desk: Desk) -> None:
    bank = desk.bank(sound(0), sound(1))
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 0
    assert "2 questions: 2 accepted" in said.out
    assert "No model was called." in said.out
    assert f"Published: {desk.run().out / 'bank.json'}" in said.out
    assert (desk.run().out / "bank.json").read_bytes() == bank.read_bytes()


def test_errors_without_a_model_need_a_person(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), biased(1)), "--rules-only", "--run-id", "r")
    assert said.code == 3
    assert "2 questions: 1 accepted, 1 for a person" in said.out
    assert "q1  a model is needed, and none is set  Biased wording (ext_bias_detection)" in said.out
    assert "Not published: some units need a person first." in said.out
    assert "candidate/" in said.out
    assert "Decide:  burnish decide r UNIT accept|edit|reject|drop --by NAME" in said.out
    assert not desk.run().out.exists()


def test_a_model_mends_them(desk: Desk) -> None:
    bank = desk.bank(sound(0), biased(1), filled(2), untidy(3))
    said = desk(
        "polish", bank, "--rules-only", "--run-id", "r", "--model", desk.model("q1", "q2"), "--out", "final.json"
    )
    assert said.code == 0, said.err
    assert "4 questions: 4 accepted, 3 of them changed" in said.out
    assert "changed  q2  Implausible distractor (nbme_distractor_plausibility)" in said.out
    assert "options.D - Lorem ipsum dolor" in said.out
    assert "options.D + Something else again" in said.out
    assert ", free." in said.out
    assert questions_in(Path("final.json"))["q1"] == sound(1)


def test_what_is_changed_but_waits_is_not_counted_as_accepted(desk: Desk) -> None:
    bank = desk.bank(sound(0), untidy(1, correct_answer="Q"))
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 3
    assert "2 questions: 1 accepted, 1 for a person" in said.out


def test_the_next_commands_name_the_folder_of_the_runs(desk: Desk) -> None:
    said = desk("polish", desk.bank(biased(0)), "--rules-only", "--run-id", "r", "--runs", "my runs")
    assert f"burnish resume r --runs '{desk.home / 'my runs'}'" in said.out


def test_json_output_is_one_object(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), biased(1)), "--rules-only", "--run-id", "r", "--json")
    assert said.code == 3
    assert said.json["run_id"] == "r"
    assert said.json["stopped"] == "needs_person"
    assert said.json["states"] == {"needs_manual_review": 1, "validated": 1}
    assert said.json["needs_person"] == [{"unit": "q1", "reason": "no_model", "open_errors": 1}]
    assert said.json["published"] == []
    assert said.json["candidates"] == [str(desk.run().candidate / "bank.json")]
    assert said.json["totals"]["calls"] == 0


def test_a_budget_stops_it_with_its_own_code(desk: Desk) -> None:
    bank = desk.bank(*(biased(n) for n in range(4)))
    model = desk.model(*(f"q{n}" for n in range(4)))
    said = desk("polish", bank, "--rules-only", "--run-id", "r", "--model", model, "--max-tokens", 3000, "--workers", 1)
    assert said.code == 6
    assert "Not published: The next call may use up to" in said.out
    assert "burnish resume r" in said.out
    again = desk("resume", "r", "--max-tokens", 100_000)
    assert again.code == 0, again.err


def test_a_time_limit_stops_it_too(desk: Desk) -> None:
    said = desk("polish", desk.bank(biased(0)), "--run-id", "r", "--max-seconds", 0)
    assert said.code == 6
    assert "The time limit is reached." in said.out


def test_bad_input_is_told_and_blocks(desk: Desk) -> None:
    bank = desk.bank(sound(0), name="bank.jsonl")
    bank.write_text(bank.read_text() + "{torn\n")
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 2
    assert "input    bank.jsonl:2:" in said.out
    assert "Not published: 1 part of the input cannot be used. Correct it and start a new run." in said.out
    strict = desk("polish", bank, "--rules-only", "--strict-input", "--run-id", "s")
    assert strict.code == 2
    assert "bank.jsonl:2" in strict.err
    assert not desk.run("s").root.exists()


@pytest.mark.parametrize("content", ['[{"id": "q0", "stem": "x"', "not a bank at all", ""])
def test_a_file_that_cannot_be_read_is_refused(desk: Desk, content: str) -> None:
    path = desk.home / "bank.json"
    path.write_text(content)
    said = desk("polish", path, "--rules-only", "--run-id", "r")
    assert said.code == 2
    assert path.read_text() == content


def test_what_does_not_exist_is_refused(desk: Desk) -> None:
    said = desk("polish", "nowhere.json", "--rules-only", "--json")
    assert said.code == 2
    assert said.error["exit_code"] == 2
    assert "nowhere.json" in said.error["message"] + str(said.error["path"])


def test_the_id_of_another_bank_is_refused(desk: Desk) -> None:
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    said = desk("polish", desk.bank(sound(1), name="other.json"), "--rules-only", "--run-id", "r")
    assert said.code == 2
    assert "exists and is about other input: " in said.err


def test_a_run_without_a_name_is_called_after_its_file(desk: Desk) -> None:
    desk("polish", desk.bank(sound(0)))
    [folder] = (desk.home / "runs").iterdir()
    assert folder.name.startswith("bank-20")


def test_several_kinds_or_nothing_at_all_in_a_folder(desk: Desk) -> None:
    (desk.home / "empty").mkdir()
    said = desk("polish", desk.home / "empty", "--rules-only")
    assert said.code == 2


def test_an_earlier_bank_is_compared_with(desk: Desk) -> None:
    earlier = desk.bank(sound(0, "old"), name="earlier.json")
    said = desk("polish", desk.bank(sound(0), sound(1)), "--rules-only", "--run-id", "r", "--against", earlier)
    assert said.code == 3
    assert "q0  nearly the same as another question  Potential duplicate (potential_duplicate)" in said.out
    assert desk("resume", "r").code == 3, "the comparison is repeated by resume"


def test_a_profile_and_an_institution_are_chosen(desk: Desk) -> None:
    (desk.home / "burnish.toml").write_text('[institutions.north]\ndisabled_rules = ["ext_bias_detection"]\n')
    bank = desk.bank(biased(0))
    assert desk("polish", bank, "--rules-only", "--institution", "north", "--run-id", "n").code == 0
    assert desk("polish", bank, "--rules-only", "--profile", "strict", "--run-id", "s").code == 3
    assert desk("polish", bank, "--rules-only", "--institution", "south", "--run-id", "x").code == 2


def test_a_panel_of_judges_may_be_named(desk: Desk) -> None:
    model = desk.model()
    other = desk.twin()
    said = desk("polish", desk.bank(sound(0)), "--run-id", "r", "--judges", f"{model}, {other}", "--json")
    assert said.code == 0
    assert json.loads(desk.run().manifest.read_text())["judges"] == [model, other]


@pytest.mark.parametrize("command", [("polish", "bank.json", "--run-id", "s"), ("resume", "r")])
def test_one_model_has_one_vote(desk: Desk, command: tuple[str, ...]) -> None:
    model = desk.model()
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    said = desk(*command, "--judges", f"{model},{model}")
    assert said.code == 2
    assert "is listed twice" in said.err


def test_another_format_says_what_it_lost(desk: Desk) -> None:
    bank = desk.bank(sound(0, language="en"))
    said = desk("polish", bank, "--rules-only", "--run-id", "r", "--out", "bank.gift")
    assert said.code == 0
    assert "not carried by this format: The field language is not carried" in said.out


def test_edited_exports_are_told(desk: Desk) -> None:
    bank = desk.bank(sound(0))
    desk("polish", bank, "--rules-only", "--run-id", "r")
    desk.run().receipt.write_text("edited")
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 0
    assert "receipt.json was edited by hand; it is written again from the journal." in said.out


def test_many_units_are_listed_in_part(desk: Desk) -> None:
    bank = desk.bank(*(biased(n % 12, f"q{n}") if n < 12 else keyless(n % 12, f"q{n}") for n in range(20)))
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.out.count("person   ") == 15
    assert "and 5 more" in said.out


def test_prices_make_a_bill(desk: Desk) -> None:
    model = desk.model("q0")
    (desk.home / "burnish.toml").write_text(f'[prices."{model}"]\ninput = 1.0\noutput = 10.0\n')
    said = desk("polish", desk.bank(biased(0)), "--run-id", "r", "--model", model, "--max-cost", 5)
    assert said.code == 0, said.err
    assert ", about $0.0" in said.out
    assert "no price known" not in said.out


def test_failed_calls_are_on_the_bill(desk: Desk) -> None:
    empty = desk.home / "empty.json"
    empty.write_text('{"rules": []}')
    said = desk("polish", desk.bank(sound(0)), "--run-id", "r", "--model", f"scripted:{empty}")
    assert said.code == 3
    assert "2 calls failed" in said.out, "the review and the blind answer"
    assert "too few judges gave a readable answer" in said.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_cleanly_and_says_how_to_go_on(desk: Desk, number: signal.Signals) -> None:
    bank = desk.bank(*(biased(n) for n in range(6)))
    model = desk.model(*(f"q{n}" for n in range(6)), latency=0.3)
    before = signal.getsignal(number)
    timer = threading.Timer(0.6, signal.pthread_kill, [threading.main_thread().ident, number])
    timer.start()
    said = desk("polish", bank, "--rules-only", "--run-id", "r", "--model", model, "--workers", 1)
    timer.join()
    assert said.code == 130
    assert "Interrupted. Continue with: burnish resume r\n" in said.err
    assert not desk.run().lock.exists()
    assert signal.getsignal(number) is before
    assert desk("status", "r", "--json").json["state"] == "interrupted"


def test_a_write_out_that_takes_long_is_interrupted_where_it_is(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    from burnish.cli import execution
    from burnish.engine import session

    def endless(*_: object) -> list[str]:
        signal.raise_signal(signal.SIGINT)
        while True:  # as writing a very large bank would be
            pass

    bank = desk.bank(sound(0))
    with monkeypatch.context() as patched:
        patched.setattr(execution, "PATIENCE", 0.05)
        patched.setattr(session, "write_exports", endless)
        said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 130
    assert not desk.run().lock.exists()
    assert desk("resume", "r").code == 0


def test_an_interruption_before_there_is_a_run_promises_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("burnish.app.run_sessions.own_run", interrupted)
    said = desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r")
    assert said.code == 130
    assert "Interrupted. Nothing was changed." in said.err


def test_what_was_ignored_or_not_judged_is_counted(desk: Desk) -> None:
    ignoring = {**biased(1), "burnish_ignore": ["ext_bias_detection", "nbme_negation"]}
    spanish = {**sound(2), "language": "es"}
    bank = desk.bank(sound(0), ignoring, spanish)
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert said.code == 0
    assert "  ignored         1 finding by the author: ext_bias_detection 1" in said.out
    assert " rules do not judge Spanish: 1 question" in " ".join(said.out.split())
    assert "There is no rule 'nbme_negation', so nothing is ignored by that name." in said.out
    report = json.loads((desk.run().root / "report.json").read_bytes())
    assert report["ignored"] == {"ext_bias_detection": 1}
    [skipped] = report["skipped_rules"]
    assert (skipped["language"], skipped["units"]) == ("es", 1)
    checked = desk("check", bank, "--format", "json").json
    assert [checked["summary"][name] for name in ("ignored", "skipped_rules")] == [
        report[name] for name in ("ignored", "skipped_rules")
    ], "polish counts as check does"
    assert [(p["code"], p["field"]) for p in checked["documents"][0]["problems"]] == [
        ("unknown_rule", "burnish_ignore")
    ]
    assert desk("check", bank).code == 0, "it takes nothing away"
    again = desk("resume", "r", "--json").json
    assert again["ignored"] == report["ignored"] and again["skipped_rules"] == report["skipped_rules"]
    attempt = desk("show", "r", "q1", "--json").json["attempts"][0]
    assert [finding["rule"] for finding in attempt["ignored"]] == ["ext_bias_detection"]
    assert "ignored by the author: Biased wording (ext_bias_detection): " in desk("show", "r", "q1").out
    assert "cannot judge the language 'es'" in desk("show", "r", "q2").out


def test_an_orderly_end_leaves_nothing_beside_the_journal(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r").code == 0
    journal = desk.run().journal
    assert [path.name for path in journal.parent.glob(f"{journal.name}*")] == [journal.name]


def test_a_change_is_told_under_the_rule_that_it_settles(desk: Desk) -> None:
    """A warning that stays is not what a fix of the spaces has mended."""
    options = [
        {"key": key, "text": text} for key, text in zip("ABCD", ("Always bile", "Pulse", "Urea", "Sweat"), strict=True)
    ]
    said = desk("polish", desk.bank(untidy(1, options=options, correct_answer="B")), "--rules-only", "--run-id", "r")
    [changed] = [line for line in said.out.splitlines() if line.startswith("  changed")]
    assert "ext_formatting" in changed and "nbme_absolute_terms" not in changed
