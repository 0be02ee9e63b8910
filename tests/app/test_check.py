"""`burnish check`, option by option."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.check_json import CheckReport
from burnish.cli.main import main
from burnish.engine import check_pool as crew
from burnish.kinds.questions import duplicates as overview
from tests.app.samples import absolute, bank, negative, question


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test in a folder of its own, without settings from outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    return code, capsys.readouterr().out


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main(["check", *arguments, "--format", "json"])
    parsed = json.loads(capsys.readouterr().out)
    CheckReport.model_validate(parsed)
    return code, parsed


def rules(parsed: dict[str, Any]) -> list[str]:
    units = (unit for document in parsed["documents"] for unit in document["units"])
    return [finding["rule"] for unit in units for finding in unit["findings"]]


def test_exit_codes(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = text(capsys, str(bank(inside / "a.jsonl", question())))
    assert code == 0 and said.endswith("\n\nClean. 1 question in 1 document.\n")
    assert text(capsys, str(bank(inside / "a.jsonl", absolute())))[0] == 0
    assert text(capsys, str(bank(inside / "a.jsonl", negative())))[0] == 1
    assert text(capsys, str(bank(inside / "a.jsonl", negative(), "{")))[0] == 2
    assert text(capsys, "missing.jsonl")[0] == 2


def test_every_unit_is_listed(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", question("q1"), negative("q2"), absolute("q3"))
    code, parsed = report(capsys, "a.jsonl", "--ignore", "potential_duplicate")
    units = parsed["documents"][0]["units"]
    assert code == 1
    assert [unit["id"] for unit in units] == ["q1", "q2", "q3"]
    assert units[0]["findings"] == []
    finding = units[1]["findings"][0]
    assert finding["rule"] == "nbme_negation_detection" and finding["quote"] == "EXCEPT"
    assert negative("q2")["stem"][finding["start"] : finding["end"]] == "EXCEPT"
    assert set(finding) == {
        "rule", "severity", "unit", "field", "quote", "start", "end", "message", "suggestion", "fixable", "line",
        "column", "data", "related", "standing", "claim",
    }  # fmt: skip
    assert parsed["summary"]["by_severity"] == {"critical": 0, "error": 1, "warning": 1, "info": 0}


def test_select_ignore_and_profile(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", negative("q1"), absolute("q2"))
    assert rules(report(capsys, "a.jsonl", "--select", "nbme_absolute_terms")[1]) == ["nbme_absolute_terms"]
    code, parsed = report(capsys, "a.jsonl", "--ignore", "nbme_negation_detection, potential_duplicate")
    assert code == 0 and rules(parsed) == ["nbme_absolute_terms"]
    assert parsed["rules_off"] == ["nbme_negation_detection", "potential_duplicate"]
    assert report(capsys, "a.jsonl", "--select", "nbme_absolute_terms", "--profile", "strict")[0] == 1
    assert main(["check", "a.jsonl", "--select", " , "]) == 2
    assert "--select names no rule" in capsys.readouterr().err


def test_settings_and_institutions(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", absolute())
    (inside / "burnish.toml").write_text(
        '[check.severity]\nnbme_absolute_terms = "error"\n'
        '[institutions.MILD]\ndisabled_rules = ["nbme_absolute_terms"]\n\n'
        '[institutions.FULL]\nrequired_metadata = ["course_id"]\n'
    )
    assert report(capsys, "a.jsonl")[0] == 1
    assert report(capsys, "a.jsonl", "--institution", "MILD")[0] == 0
    assert "ext_metadata_completeness" in rules(report(capsys, "a.jsonl", "--institution", "FULL")[1])


def test_a_wrong_setting_stops_everything(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", question())
    (inside / "burnish.toml").write_text("[check]\nprofil = 1\n")
    assert main(["check", "a.jsonl"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "burnish.toml: check.profil: there is no such setting." in err


def test_a_folder(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = inside / "banks"
    folder.mkdir()
    bank(folder / "b.jsonl", negative())
    bank(folder / "a.jsonl", question())
    (folder / "notes.dat").write_bytes(b"\0")
    code, parsed = report(capsys, "banks")
    assert code == 1
    assert [document["path"] for document in parsed["documents"]] == ["banks/a.jsonl", "banks/b.jsonl"]
    assert parsed["passed_over"] == ["banks/notes.dat"]
    assert "passed over: banks/notes.dat" in text(capsys, "banks")[1]


def test_bad_input_does_not_stop_the_rest(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", question("q1"), '{"id": "q2", "stem": 3', negative("q3"))
    bank(inside / "b.jsonl", question("q4"))
    code, parsed = report(capsys, "a.jsonl", "missing.jsonl", "b.jsonl")
    assert code == 2
    first, second = parsed["documents"]
    assert [unit["id"] for unit in first["units"]] == ["q1", "q3"]
    assert first["problems"][0]["line"] == 2 and first["complete"] is True
    assert parsed["problems"][0]["path"] == "missing.jsonl"
    assert [unit["id"] for unit in second["units"]] == ["q4"]
    code, stopped = report(capsys, "a.jsonl", "b.jsonl", "--strict-input")
    assert code == 2
    assert [len(document["units"]) for document in stopped["documents"]] == [1]


def test_a_document_that_breaks_off(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.dumps([question("q1"), question("q2")])
    (inside / "a.json").write_text(whole[:-20])
    code, parsed = report(capsys, "a.json")
    assert code == 2
    assert parsed["documents"][0]["units"][0]["id"] == "q1"
    problems = [*parsed["documents"][0]["problems"], *parsed["problems"]]
    assert problems and all(problem["path"] == "a.json" for problem in problems)
    code, out = text(capsys, "a.json")
    assert code == 2 and "bad input[" in out and "--> a.json" in out


def test_quiet_says_nothing_about_a_clean_bank(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", question())
    assert text(capsys, "a.jsonl", "-q") == (0, "")
    bank(inside / "a.jsonl", negative())
    out = text(capsys, "a.jsonl", "--quiet")[1]
    assert "error Negative question (nbme_negation_detection): " in out and "1 error in" not in out


def test_inline_ignores_are_honoured_and_counted(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", {**negative(), "burnish_ignore": ["nbme_negation_detection"]})
    code, parsed = report(capsys, "a.jsonl")
    assert code == 0 and rules(parsed) == []
    assert parsed["summary"]["ignored"] == {"nbme_negation_detection": 1}
    assert parsed["documents"][0]["ignored"][0]["quote"] == "EXCEPT"
    assert "ignored" in text(capsys, "a.jsonl")[1]


def test_other_languages_are_passed_over_and_said(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", {**negative(), "language": "fr"})
    code, parsed = report(capsys, "a.jsonl")
    assert code == 0
    skipped = parsed["summary"]["skipped_rules"][0]
    assert skipped["language"] == "fr" and "nbme_negation_detection" in skipped["rules"]
    assert "rules do not judge French: 1 question" in text(capsys, "a.jsonl")[1]


def test_a_baseline_lets_only_new_findings_fail(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", negative("q1"), absolute("q2"))
    code, _ = report(capsys, "a.jsonl", "--write-baseline", "known.jsonl")
    assert code == 0
    assert len((inside / "known.jsonl").read_text().splitlines()) == 3
    code, parsed = report(capsys, "a.jsonl", "--baseline", "known.jsonl")
    assert code == 0 and rules(parsed) == [] and parsed["summary"]["known"] == 2
    assert len(parsed["documents"][0]["baseline"]) == 2
    bank(inside / "a.jsonl", negative("q1"), absolute("q2"), negative("q3", "tablets"))
    code, out = text(capsys, "a.jsonl", "--baseline", "known.jsonl")
    assert code == 1
    assert "known: q1, stem: nbme_negation_detection" in out and "2 findings in the baseline" in out
    assert main(["check", "a.jsonl", "--baseline", "none.jsonl"]) == 2
    assert "baseline cannot be read" in capsys.readouterr().err


def test_against_an_earlier_bank(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "old.jsonl", question("old-7"))
    bank(inside / "new.jsonl", question("q1"))
    assert report(capsys, "new.jsonl")[0] == 0
    code, parsed = report(capsys, "new.jsonl", "--against", "old.jsonl")
    assert code == 1 and rules(parsed) == ["potential_duplicate"]
    assert "old-7" in parsed["documents"][0]["units"][0]["findings"][0]["message"]
    assert main(["check", "new.jsonl", "--against", "none.jsonl"]) == 2


def test_an_earlier_bank_is_read_once_for_all_files_and_its_problems_are_told(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    opened = overview._parts
    monkeypatch.setattr(overview, "_parts", lambda bank: (read.append(bank[0]), opened(bank))[1])
    old = bank(inside / "old.jsonl", question("old-7"))
    old.write_text(old.read_text() + "{torn\n")
    (inside / "new").mkdir()
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        bank(inside / "new" / name, question(f"in-{name}"))
    code, parsed = report(capsys, "new", "--against", "old.jsonl")
    assert code == 2
    assert read == ["old.jsonl"]
    told = [problem["path"] for document in parsed["documents"] for problem in document["problems"]]
    assert told == ["old.jsonl"]
    assert rules(parsed) == ["potential_duplicate"] * 3
    _, out = text(capsys, "new", "--against", "old.jsonl")
    assert "old.jsonl:2" in out


def test_copies_in_other_files_are_warnings_that_name_the_file(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (inside / "in").mkdir()
    bank(inside / "in" / "a.jsonl", question("q1"))
    bank(inside / "in" / "b.jsonl", question("q2"))
    code, parsed = report(capsys, "in")
    assert code == 0
    [finding] = parsed["documents"][1]["units"][0]["findings"]
    assert (finding["rule"], finding["severity"]) == ("potential_duplicate", "warning")
    assert finding["message"] == f"The question is 100 % like 'q1' in {Path('in') / 'a.jsonl'}."
    assert report(capsys, "in", "--ignore", "potential_duplicate")[1]["summary"]["findings"] == 0


UNTIDY = question("q2", stem=question()["stem"].replace(" and slow", "  and slow"))


def test_fix_shows_the_diff_writes_and_checks_again(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = bank(inside / "a.jsonl", negative("q1"), UNTIDY)
    first, second = path.read_text().splitlines()
    code, out = text(capsys, "a.jsonl", "--fix")
    assert code == 1
    assert "--- q2\n+++ q2 (fixed)\n@@ stem @@\n-" in out and "a.jsonl: 1 question fixed." in out
    assert "ext_formatting" not in out and "nbme_negation_detection" in out
    assert path.read_text().splitlines() == [first, second.replace("  and slow", " and slow")]


def test_fix_in_json(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", UNTIDY)
    code, parsed = report(capsys, "a.jsonl", "--fix")
    assert code == 0 and rules(parsed) == []
    assert parsed["fixed"][0]["rules"] == ["ext_formatting"] and "@@ stem @@" in parsed["fixed"][0]["diff"]
    assert parsed["written"] == ["a.jsonl"]
    again = report(capsys, "a.jsonl", "--fix")[1]
    assert again["fixed"] == [] and again["written"] == []


def test_fix_inside_a_set(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        {"stem": "The man has lost  weight and is pale.", "correct_answer": "B"},
        {"stem": "He is well.", "correct_answer": "C"},
    ]
    path = bank(inside / "a.jsonl", question("set", type="extended_matching", items=items, correct_answer=""))
    _, parsed = report(capsys, "a.jsonl", "--fix")
    assert "@@ items.0.stem @@" in parsed["fixed"][0]["diff"]
    assert "The man has lost weight and is pale." in path.read_text()


def test_fix_leaves_a_broken_document_alone(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = inside / "a.json"
    content = json.dumps([UNTIDY, question("q3")])[:-20]
    path.write_text(content)
    code, out = text(capsys, "a.json", "--fix")
    assert code == 2 and path.read_text() == content
    assert "a.json: nothing was written." in out


def test_a_read_only_bank_is_refused_and_kept(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, other = bank(inside / "a.jsonl", UNTIDY), bank(inside / "b.jsonl", UNTIDY)
    before = path.read_bytes()
    path.chmod(0o444)
    assert main(["check", "a.jsonl", "b.jsonl", "--fix", "--format", "json"]) == 2
    report = json.loads(capsys.readouterr().out)
    assert [problem["code"] for problem in report["problems"]] == ["unwritable"]
    assert [fix["path"] for fix in report["fixed"]] == report["written"] == ["b.jsonl"]
    assert len(report["documents"]) == 2
    assert path.read_bytes() == before != other.read_bytes()


def test_a_read_only_bank_is_a_problem_of_its_own(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", UNTIDY).chmod(0o444)
    code, out = text(capsys, "a.jsonl", "--fix")
    assert code == 2
    assert "(fixed)" not in out
    assert "bad input[unwritable]:" in out and "a.jsonl is read-only." in out


def test_several_processes_give_the_same_bytes(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "WARM_UP", 20)
    monkeypatch.setattr(crew, "BATCH", 10)
    bank(inside / "a.jsonl", *(negative(f"q{n}", f"drug{n}") if n % 3 else question(f"q{n}") for n in range(150)))
    outputs = []
    for jobs in ("1", "2"):
        main(["check", "a.jsonl", "--format", "json", "--jobs", jobs, "--ignore", "potential_duplicate"])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_a_kind_that_is_not_there(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank(inside / "a.jsonl", question())
    assert main(["check", "a.jsonl", "--kind", "poems"]) == 2
    assert "is no kind of content" in capsys.readouterr().err
    assert main(["check", "a.jsonl", "--kind", "legos"]) == 2
    assert "burnish legos extract DIR" in capsys.readouterr().err
    assert main(["check", "a.jsonl", "--kind", "questions"]) == 0


def test_colours(inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    bank(inside / "a.jsonl", negative())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror\x1b[0m" in text(capsys, "a.jsonl")[1]
    assert "\x1b" not in text(capsys, "a.jsonl", "--no-color")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in text(capsys, "a.jsonl")[1]


def test_parts_that_are_not_judged_are_listed(inside: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metal = "::one:: Which metal is liquid at room temperature? {=Mercury ~Iron ~Lead ~Zinc}"
    (inside / "a.gift").write_text(f"{metal}\n\n::two:: Tell the story. {{}}\n")
    _, parsed = report(capsys, "a.gift")
    passed = parsed["documents"][0]["passed_through"]
    assert len(passed) == 1 and parsed["summary"]["passed_through"] == {passed[0]["type"]: 1}
    out = text(capsys, "a.gift")[1]
    assert "not judged: " in out and "carried over" in out
