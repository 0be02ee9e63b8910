"""What is read beside a book reaches the models; what is wrong with any of it is told before anything is spent."""

import json
from pathlib import Path

import pytest

from tests.app.book_desk import (
    BOOK,
    BREAD,
    CALM,
    MARKET,
    SPANISH,
    TYPO,
    WELL,
    exported,
    final,
    gate,
    is_published,
    lines,
    published,
    put,
    serving,
    slipping,
    spanish,
    state,
    translate,
)
from tests.app.desk import Desk
from tests.loopback import Asked
from tests.manuscripts_model import BookWorld

TMX = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" segtype="paragraph" datatype="plaintext" adminlang="en" o-tmf="x"
creationtool="x" creationtoolversion="1"/><body>
<tu><tuv xml:lang="en-US"><seg>{}</seg></tuv><tuv xml:lang="es"><seg>{}</seg></tuv></tu>
</body></tmx>
"""


def sent(asked: list[Asked], reply: str) -> str:
    return "\n".join(one.system + one.user for one in asked if one.reply_name == reply)


class TestMemory:
    def test_exact_matches_are_not_paid_for(self, desk: Desk) -> None:
        (desk.home / "m.tmx").write_text(TMX.format(CALM, SPANISH[CALM]), encoding="utf-8")
        asked: list[Asked] = []
        assert translate(desk, spanish(), "--memory", "m.tmx", "--approve", asked=asked).code == 0
        assert published(desk) == final()
        work = [line for line in sent(asked, "translation_reply").splitlines() if '"p_0002"' in line]
        assert work == [], "it was known"

    def test_near_matches_are_suggested(self, desk: Desk) -> None:
        near = {
            "source": CALM.replace("12", "11"),
            "target": "El mar está en calma y la barca con 11 hombres descansa.",
        }
        (desk.home / "m.jsonl").write_text(json.dumps(near) + "\n", encoding="utf-8")
        asked: list[Asked] = []
        assert translate(desk, spanish(), "--memory", "m.jsonl", "--approve", asked=asked).code == 0
        assert "11 hombres" in sent(asked, "translation_reply")
        assert published(desk) == final()

    def test_a_memory_alone_leaves_the_rest_to_people(self, desk: Desk) -> None:
        put(desk.home)
        pairs = [{"source": source, "target": SPANISH[source]} for source in SPANISH if source != WELL]
        (desk.home / "m.jsonl").write_text("\n".join(map(json.dumps, pairs)), encoding="utf-8")
        command = ("translate", "--run-id", "tx", "--source", "book.md", "--to", "es", "--translator", "memory")
        said = desk(*command, "--memory", "m.jsonl", "--approve")
        assert said.code == 3
        assert state(desk, "p_0007")["reason"] == "no_translation"
        assert "No model was called" in said.out


class TestDraft:
    def test_it_is_reviewed_and_repaired_only(self, desk: Desk) -> None:
        put(desk.home, final({**SPANISH, MARKET: TYPO.text}), "draft.md")
        asked: list[Asked] = []
        assert translate(desk, slipping(TYPO), "--draft", "draft.md", "--approve", asked=asked).code == 0
        assert "translation_reply" not in [one.reply_name for one in asked]
        assert published(desk) == final()

    def test_too_few(self, desk: Desk) -> None:
        put(desk.home, BOOK.split("\n\n")[0] + "\n", "draft.md")
        asked: list[Asked] = []
        said = translate(desk, spanish(), "--draft", "draft.md", asked=asked)
        assert (said.code, asked) == (2, [])
        assert "draft.md" in said.err
        assert not Path("runs/tx/journal.sqlite").exists()


class TestInPrompts:
    def test_glossary_and_style(self, desk: Desk) -> None:
        (desk.home / "g.csv").write_text("source,target,note,do-not-translate\nbread,pan,food,\nwine,vino,,\n")
        (desk.home / "style.md").write_text("# Voice\n\nShort and dry.\n\n# Samples\n\nEl perro duerme.\n")
        asked: list[Asked] = []
        beside = ("--glossary", "g.csv", "--style", "style.md")
        assert translate(desk, spanish(), *beside, "--approve", asked=asked).code == 0
        told = sent(asked, "translation_reply")
        for words in ('"bread":"pan (food)"', "Short and dry.", "El perro duerme."):
            assert words in told
        assert exported(desk, "manifest.json")["style_sheet"].startswith("sha256:")

    def test_critics_of_ones_own(self, desk: Desk) -> None:
        (desk.home / "critics").mkdir()
        (desk.home / "critics/boats.md").write_text("Look whether boats are called boats.\n")
        asked: list[Asked] = []
        assert translate(desk, spanish(), "--critics-dir", "critics", "--approve", asked=asked).code == 0
        told = sent(asked, "critic_reply")
        assert "boats are called boats" in told
        assert [one.reply_name for one in asked].count("critic_reply") == 1, "the shipped ones stay at home"
        assert set(exported(desk, "manifest.json")["critics"]) == {"boats"}

    def test_a_panel_of_judges(self, desk: Desk) -> None:
        asked: list[Asked] = []
        judges = ("--judges", "openai:a,openai:b")
        said = translate(desk, slipping(TYPO), *judges, "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        models = [one.model for one in asked if one.reply_name == "translation_review_reply"]
        assert sorted(models) == ["a", "a", "b", "b"], "one call for all scores, and one after the rework"
        [scores] = [row for row in lines(desk, "state/paragraph_scores.jsonl") if row["paragraph_id"] == "p_0003"]
        assert set(scores["by_reviewer"]["grammar"]) >= {"review:openai:a", "review:openai:b"}

    def test_one_bad_judge_counts(self, desk: Desk) -> None:
        """The lowest score of all reviewers decides."""
        world, sour = spanish(), slipping(TYPO)
        sour.slips[MARKET] = TYPO.__class__(SPANISH[MARKET], "grammar", stubborn=True)
        with_two = ("--judges", "openai:a,openai:b")

        def interfere(asked: Asked) -> object:
            from tests.loopback import Answer

            bad = asked.model == "b" and asked.reply_name == "translation_review_reply"
            return Answer(sour.reply(asked.reply_name, asked.user)) if bad else None

        assert translate(desk, world, *with_two, "--approve", interfere=interfere).code == 3  # type: ignore[arg-type]
        assert state(desk, "p_0003")["scores"]["grammar"] == 0.6


def test_terms_are_harvested_and_nothing_is_translated(desk: Desk) -> None:
    put(desk.home, "Anna Karenina met Count Vronsky.\n\nCount Vronsky left. Anna Karenina stayed.\n")
    said = desk("translate", "--terms", "--source", "book.md")
    assert said.code == 0
    assert said.out.startswith("source,target")
    assert "Vronsky" in said.out
    assert not Path("runs").exists()


BAD: dict[str, tuple[dict[str, str], tuple[str, ...], str]] = {
    "an empty book": ({"book.md": " \n\n"}, (), "empty"),
    "one paragraph of 2 MB": ({"book.md": "The sea is calm. " * 125_000}, (), "book.md"),
    "a broken TMX": ({"m.tmx": TMX.format("a", "b")[:-30]}, ("--memory", "m.tmx"), "m.tmx"),
    "two targets for a term": (
        {"g.csv": "source,target\nsea,mar\nsea,océano\n"},
        ("--glossary", "g.csv"),
        "g.csv",
    ),
    "an unknown language": ({}, ("--to", "klingonish"), "klingonish"),
    "an unknown source language": ({}, ("--from", "xx-nowhere-"), "no language"),
    "a run id with a way out": ({}, ("--run-id", "../escape"), "run"),
    "a run id that is a path": ({}, ("--run-id", "a/b"), "run"),
    "a hidden run id": ({}, ("--run-id", ".hidden"), "run"),
    "no such file": ({}, ("--source", "nowhere.md"), "nowhere.md"),
    "another format": ({"book.odt": "PK"}, ("--source", "book.odt"), "Markdown, text or .docx"),
    "no document": ({"book.docx": "Hello"}, ("--source", "book.docx"), "not a Word document"),
    "no such memory": ({}, ("--memory", "nowhere.tmx"), "nowhere.tmx"),
    "a batch too large": ({}, ("--paragraphs", "21"), "5 to 20"),
    "a batch too small": ({}, ("--paragraphs", "4"), "5 to 20"),
    "no attempts": ({}, ("--max-paragraph-attempts", "0"), "max-paragraph-attempts"),
    "no such translator": ({}, ("--translator", "magic"), "magic"),
    "memory without a memory": ({}, ("--translator", "memory"), "--memory"),
    "Tamazight into Spanish": ({}, ("--pipeline-profile", "tamazight_two_pass"), "Tamazight"),
    "a review that is none": ({"r.json": "[{]"}, ("--review", "r.json"), "r.json"),
    "critics that are none": ({"critics/x.txt": "hm"}, ("--critics-dir", "critics"), "critic"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(desk: Desk, case: str) -> None:
    """A clear error that names what is wrong, exit code 2, nothing spent, nothing left behind."""
    files, flags, told = BAD[case]
    for name, text in files.items():
        (desk.home / name).parent.mkdir(exist_ok=True)
        put(desk.home, text, name)
    asked: list[Asked] = []
    if "book.md" not in files:
        put(desk.home)
    source = () if "--source" in flags else ("--source", "book.md")
    said = translate(desk, spanish(), *source, *flags, book=None, asked=asked)
    assert (said.code, asked) == (2, []), said.out + said.err
    assert told in " ".join(said.err.split())
    assert "Traceback" not in said.err
    assert not list(desk.home.glob("runs/*/journal.sqlite"))
    assert not (desk.home.parent / "escape").exists()


def test_not_utf8(desk: Desk) -> None:
    (desk.home / "book.md").write_bytes(b"caf\xe9 au lait\n")
    said = translate(desk, spanish(), "--source", "book.md", book=None)
    assert said.code == 2
    assert "UTF-8" in said.err


def test_apertium_that_is_not_installed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(desk.home))
    said = translate(desk, spanish(), "--translator", "apertium:eng-spa")
    assert said.code == 2
    assert "apertium" in said.err.lower()


def test_mixed_line_ends_stay_as_they_are(desk: Desk) -> None:
    book = f"# The Sea\r\n\r\n{CALM}\n\n- {BREAD}\r\n"
    assert translate(desk, spanish(), "--approve", book=book).code == 0
    final_bytes = (desk.run("tx").root / "final/final.md").read_bytes().decode()
    assert final_bytes == f"# El mar\r\n\r\n{SPANISH[CALM]}\n\n- {SPANISH[BREAD]}\r\n"


def test_the_name_of_another_kind_of_run(desk: Desk) -> None:
    from tests.engine.questions_bench import sound

    assert desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "tx").code == 0
    said = translate(desk, spanish())
    assert said.code == 2
    assert "about questions" in said.err


@pytest.mark.parametrize(
    "flags", [("--to", "fr"), ("--translator", "memory"), ("--pipeline-profile", "tamazight_two_pass")]
)
def test_a_run_stays_what_it_is(desk: Desk, flags: tuple[str, str]) -> None:
    assert translate(desk, spanish()).code == 3
    before = gate(desk)
    said = translate(desk, spanish(), *flags, to=None)
    assert said.code == 2
    assert "another --run-id" in said.err
    assert gate(desk) == before
    assert translate(desk, BookWorld({}), "--approve").code == 0


def test_another_source_needs_another_run(desk: Desk) -> None:
    assert translate(desk, spanish()).code == 3
    put(desk.home, "# Another book\n", "other.md")
    said = translate(desk, spanish(), "--source", "other.md", book=None)
    assert said.code == 2
    assert "another source" in said.err
    assert not is_published(desk)


def test_a_run_gets_a_name_of_its_own(desk: Desk) -> None:
    with serving(spanish()) as server:
        model = ("--model", "openai:m", "--base-url", server.base_url)
        said = desk("translate", "--source", put(desk.home, BOOK), "--to", "es", "--json", *model)
    name = said.json["run_id"]
    assert name.startswith("book-") and (desk.home / "runs" / name).is_dir()
    assert desk("translate", "--mode", "status").code == 2, "which run is meant cannot be guessed"


@pytest.mark.parametrize(
    ("flag", "rules"), [(("--select", "numbers_changed"), {"numbers_changed"}), (("--ignore", "numbers_changed"), None)]
)
def test_rules_are_chosen_as_for_a_check(desk: Desk, flag: tuple[str, str], rules: set[str] | None) -> None:
    assert translate(desk, spanish(), *flag).code in (0, 3)
    kept = set(json.loads(desk.run("tx").export("manifest.json").read_text())["rules"])
    assert kept == rules if rules else kept and "numbers_changed" not in kept
