"""`burnish check --bitext`: a source and a translation that others made, pair by pair; and a book from Python."""

import asyncio
from pathlib import Path

import pytest

import burnish
from burnish.models.calls import Call
from burnish.models.scripted import ScriptedModel
from tests.app.book_desk import final, put, spanish
from tests.app.desk import Desk

SOURCE = "# The Ferry\n\nIt crosses the strait 6 times a day.\n\nKeep your ticket until you land.\n"
GOOD = "# El transbordador\n\nCruza el estrecho 6 veces al día.\n\nGuarde su billete hasta desembarcar.\n"
TERMS = "source,target\nticket,boleto\n"


@pytest.fixture
def pair(desk: Desk) -> Desk:
    put(desk.home, SOURCE, "ferry.md")
    put(desk.home, GOOD, "ferry_es.md")
    return desk


def test_a_sound_pair_is_told_as_a_whole(pair: Desk) -> None:
    said = pair("check", "--bitext", "ferry.md", "ferry_es.md", "--format", "json")
    assert said.code == 0, said.out
    [document] = said.json["documents"]
    assert (document["path"], document["kind"]) == ("ferry_es.md", "manuscripts")
    assert [unit["id"] for unit in document["units"]] == ["p_0001", "p_0002", "p_0003"]
    whole = document["bank"]
    assert (whole["paragraphs"], whole["source_words"], whole["target_words"]) == (3, 16, 14)
    assert (whole["source_language"], whole["target_language"]) == ("en", "es")
    assert set(whole["lowest_scores"].values()) == {1.0}


def test_what_a_translation_changed_stands_beside_its_lines(pair: Desk) -> None:
    put(pair.home, GOOD.replace("6 veces", "16 veces"), "ferry_es.md")
    said = pair("check", "--bitext", "ferry.md", "ferry_es.md")
    assert said.code == 1
    assert "error Number changed (numbers_changed): The translation says '16', the source '6'." in said.out
    assert "--> ferry_es.md:3, p_0002" in said.out
    told = pair("check", "--bitext", "ferry.md", "ferry_es.md", "--format", "json").json["documents"][0]
    assert told["bank"]["lowest_scores"]["semantic_fidelity"] < 1.0


def test_terms_are_heard(pair: Desk) -> None:
    put(pair.home, TERMS, "terms.csv")
    said = pair("check", "--bitext", "ferry.md", "ferry_es.md", "--glossary", "terms.csv", "--format", "json")
    [row] = [unit for unit in said.json["documents"][0]["units"] if unit["findings"]]
    assert row["id"] == "p_0003" and "boleto" in row["findings"][0]["message"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bitext", "ferry.md"), "A pair has two files."),
        (("--bitext", "ferry.md", "ferry_es.json"), "A manuscript is Markdown or text."),
        (("--bitext", "ferry.md", "nowhere.md"), "nowhere.md"),
        (("ferry.md", "--glossary", "terms.csv"), "--glossary needs --bitext."),
    ],
)
def test_what_is_no_pair_is_refused(pair: Desk, arguments: tuple[str, ...], message: str) -> None:
    said = pair("check", *arguments)
    assert said.code == 2
    assert message in said.err + said.out


def test_a_book_is_translated_from_python_and_goes_on(tmp_path: Path) -> None:
    world = spanish()

    def answer(call: Call) -> object:
        return world.reply(call.reply_name, call.user)

    async def translated(approved_by: str | None) -> tuple[str, bool]:
        result = await burnish.translate(
            put(tmp_path),
            run_id="tx",
            to="es",
            model=ScriptedModel(answer),
            approved_by=approved_by,
            runs=tmp_path / "runs",
        )
        return result.outcome.stopped, bool(result.published)

    assert asyncio.run(translated(None)) == ("awaiting_approval", False)
    assert asyncio.run(translated("Ada")) == ("done", True)
    assert (tmp_path / "runs/tx/final/final.md").read_text(encoding="utf-8") == final()
