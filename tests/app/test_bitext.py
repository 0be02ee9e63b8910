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
        (("--bitext", "ferry.md", "ferry_es.json"), "A manuscript is Markdown, text or .docx."),
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


KLINGON = [
    (f"The {animal} {deed} in the {place}.", f"{place[::-1]}-Daq {deed[::-1]} {animal[::-1]}.")
    for animal in ("dog", "cat", "bird", "horse", "mouse")
    for deed in ("eats", "sleeps", "sings", "waits", "dreams")
    for place in ("house", "garden", "street", "forest", "river")
]


def test_a_lexicon_of_your_own_counts_first(desk: Desk) -> None:
    put(desk.home, "".join(f"{one}\t{other}\n" for one, other in KLINGON), "pairs.tsv")
    desk("lexicon", "build", "pairs.tsv", "--from", "en", "--to", "sw", "--out", "own.gz")
    put(desk.home, " ".join(one for one, _ in KLINGON[:3]) + "\n", "a.txt")
    put(desk.home, " ".join(other for _, other in KLINGON[80:83]) + "\n", "b.txt")
    languages = ("--from", "en", "--to", "sw", "--format", "json")
    without = desk("check", "--bitext", "a.txt", "b.txt", *languages)
    assert without.json["documents"][0]["bank"]["words"] == "no lexicon for 'en' and 'sw', so words are not compared"
    said = desk("check", "--bitext", "a.txt", "b.txt", "--lexicon", "own.gz", *languages)
    rules = [
        {finding["rule"] for unit in one.json["documents"][0]["units"] for finding in unit["findings"]}
        for one in (without, said)
    ]
    assert rules[1] - rules[0] == {"unrelated_text"}, said.out


def test_a_lexicon_of_other_languages_is_refused(pair: Desk) -> None:
    put(pair.home, "".join(f"{one}\t{other}\n" for one, other in KLINGON), "pairs.tsv")
    pair("lexicon", "build", "pairs.tsv", "--from", "en", "--to", "sw", "--out", "own.gz")
    told = ("check", "--bitext", "ferry.md", "ferry_es.md", "--lexicon", "own.gz")
    said = pair(*told, "--from", "en", "--to", "es")
    assert said.code == 2 and "The lexicon is for 'en' and 'sw', not for 'en' and 'es'" in said.err
    assert "so it is not used" in " ".join(pair(*told).out.split())
    assert pair("check", "ferry.md", "--lexicon", "own.gz").code == 2


def test_two_languages_without_english_are_compared_through_it(desk: Desk) -> None:
    put(desk.home, "Der Hund schläft im Garten, und die Katze wartet vor dem Haus.\n", "a.txt")
    put(desk.home, "El perro duerme en el jardín, y el gato espera delante de la casa.\n", "b.txt")
    said = desk("check", "--bitext", "a.txt", "b.txt", "--from", "de", "--to", "es")
    assert said.code == 0 and "words: compared through English" in " ".join(said.out.split())


def test_exchanged_paragraphs_and_what_was_left_out_are_told(desk: Desk) -> None:
    source = (
        "The old woman went to the market every morning.",
        "My brother bought a new car and drove to the sea.",
        "In the evening the children sat by the window and read a book. Then they went to bed.",
    )
    target = (
        "Mi hermano compró un coche nuevo y fue al mar.",
        "La anciana iba al mercado todas las mañanas.",
        "Por la noche los niños se sentaban junto a la ventana y leían un libro.",
    )
    put(desk.home, "\n\n".join(source) + "\n", "a.txt")
    put(desk.home, "\n\n".join(target) + "\n", "b.txt")
    said = desk("check", "--bitext", "a.txt", "b.txt", "--from", "en", "--to", "es")
    assert "This translation fits the source of p_0002 better than its own" in " ".join(said.out.split())
    assert "corresponds to “Then they went to bed.” of the source" in " ".join(said.out.split())
