"""LEGOs from Python."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import burnish
from burnish.core.errors import UsageError

PAIRS = "I want to go home now.\tСакам да одам дома сега.\nCan you come back?\tМожеш ли да се вратиш?\n"


def test_a_course_from_its_pairs_to_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
    assert burnish.legos.import_pairs("pairs.tsv", "mkd_for_eng", "course")["added"] == 2
    result = asyncio.run(burnish.legos.extract("course", run_id="first"))
    assert result.outcome.stopped == "done"
    assert asyncio.run(burnish.legos.extract("course", run_id="first")).outcome.stopped == "done"
    summary = burnish.legos.report("course")["quality_report"]["quality_summary"]
    assert (summary["total_seeds"], summary["accepted"], summary["average_attempts_per_seed"]) == (2, 2, 1)
    with burnish.legos.open_records(Path("course")) as records:
        first = next(records.translations())
        assert "".join(lego["source"] for lego in records.legos(of=first["uuid"])) != ""


def test_a_cut_made_by_hand() -> None:
    whole = burnish.legos.score("I want to go.", "Сакам да одам.", [("I want to go", "Сакам да одам")], "mkd_for_eng")
    assert whole["status"] == "accepted" and whole["broken_guarantees"] == []
    torn = burnish.legos.score("I want to go.", "Сакам да одам.", [("want to", "Сакам")], "mkd_for_eng")
    assert torn["status"] != "accepted" and torn["broken_guarantees"]
    with pytest.raises(UsageError):
        burnish.legos.score("a", "b", [], "nonsense")


def test_a_ceiling_holds_until_another_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
    burnish.legos.import_pairs("pairs.tsv", "mkd_for_eng", "course")
    model = burnish.ScriptedModel(lambda call: {"reasoning": "As it stands.", "legos": []})
    low, high = ({"limits.max_tokens": ceiling} for ceiling in (100, 1_000_000))
    first = asyncio.run(burnish.legos.extract("course", model=model, run_id="x", settings=low))
    assert first.outcome.stopped == "limit"
    assert asyncio.run(burnish.legos.extract("course", model=model, run_id="x")).outcome.stopped == "limit"
    assert model.asked == []
    asyncio.run(burnish.legos.extract("course", model=model, run_id="x", settings=high))
    assert model.asked != []


def test_a_report_makes_no_store(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    burnish.legos.import_pairs(tmp_path / "pairs.tsv", "mkd_for_eng", tmp_path / "course")
    before = sorted((tmp_path / "course").rglob("*"))
    with pytest.raises(UsageError, match="There is no"):
        burnish.legos.report(tmp_path / "course", "sqlite")
    assert sorted((tmp_path / "course").rglob("*")) == before
