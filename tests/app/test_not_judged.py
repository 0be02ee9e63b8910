"""What nobody judged has no score: it waits for a person, or the user accepts rules alone, and every report says so."""

import json
from contextlib import closing

import pytest

from tests.app.book_desk import blockers, exported, lines, put
from tests.app.desk import Desk
from tests.engine.questions_bench import sound
from tests.web.paper import words
from tests.workbench import workbench

SOURCE = "The sea was calm in the evening.\n\nThe old sailor looked at the harbour and smiled.\n"
GIBBERISH = "Blorgen huulivat kissenpoo ja tuuvi laami.\n\nVanhalo merikuu tuijolla satumaan hymyrä oli.\n"


@pytest.fixture
def finnish(desk: Desk) -> Desk:
    put(desk.home, SOURCE, "book.md")
    put(desk.home, GIBBERISH, "draft.md")
    return desk


START = ("translate", "--run-id", "tx", "--source", "book.md", "--to", "fi", "--from", "en", "--draft", "draft.md")


def test_gibberish_is_not_ready_and_has_no_perfect_scores(finnish: Desk) -> None:
    said = finnish(*START, "--approve")
    assert said.code == 3, said.out
    assert blockers(finnish) == {"p_0001": "not_judged", "p_0002": "not_judged"}
    for row in lines(finnish, "state/paragraph_scores.jsonl"):
        assert not {"grammar", "voice", "semantic_fidelity"} & row["scores"].keys()
    assert "No model reviews this translation" in said.err and "--rules-only" in said.err
    assert "not judged" in said.out and "semantic fidelity of 2 paragraphs: there is no number" in said.out
    told = {one["dimension"]: one["units"] for one in exported(finnish, "receipt.json")["not_judged"]}
    assert told["semantic_fidelity"] == told["grammar"] == 2


def test_a_user_may_accept_rules_alone_and_the_receipt_says_so(finnish: Desk) -> None:
    said = finnish(*START, "--rules-only", "--approve")
    assert said.code == 0, said.out + said.err
    assert "is accepted (--rules-only)" in said.err
    receipt = exported(finnish, "receipt.json")
    assert receipt["rules_only"] is True and receipt["not_judged"]
    assert "not judged" in said.out


def test_a_setting_accepts_it_as_well(finnish: Desk) -> None:
    (finnish.home / "burnish.toml").write_text("[models]\nrules_only = true\n")
    assert finnish(*START, "--approve").code == 0


def test_what_a_person_wrote_a_person_has_judged(finnish: Desk) -> None:
    finnish(*START)
    put(finnish.home, "Meri oli illalla tyyni.", "new.txt")
    assert finnish("decide", "tx", "p_0001", "edit", "--by", "Ada", "--text-file", "new.txt").code == 0
    finnish("resume", "tx")
    assert "p_0001" not in blockers(finnish)


def test_a_check_of_a_pair_says_what_was_not_judged(finnish: Desk) -> None:
    put(finnish.home, "The sea was calm.\n\nThe sailor smiled.\n", "a.md")
    put(finnish.home, "El mar estaba en calma.\n\nEl marinero sonrió.\n", "b.md")
    said = finnish("check", "--bitext", "a.md", "b.md", "--format", "json")
    assert said.json["summary"]["not_judged"] == [
        {
            "dimension": "semantic_fidelity",
            "why": "there is no number, date, name, denial, link or code to compare, and too few words",
            "units": 2,
        }
    ]
    assert "semantic_fidelity" not in said.json["documents"][0]["bank"]["lowest_scores"]
    assert "not judged" in finnish("check", "--bitext", "a.md", "b.md").out


def test_fixes_by_code_are_listed(desk: Desk) -> None:
    put(desk.home, "Tom saw 3 boats on the lake.\n", "book.md")
    put(desk.home, "Tom vio  3 barcos en el lago.\n", "draft.md")
    start = ("translate", "--run-id", "tx", "--source", "book.md", "--to", "es", "--from", "en", "--draft", "draft.md")
    said = desk(*start, "--rules-only", "--approve")
    assert "p_0001  by code  Wrong spacing (spacing)" in said.out, said.out
    [fix] = exported(desk, "receipt.json")["safe_fixes"]
    assert (fix["unit"], fix["rules"]) == ("p_0001", ["spacing"])
    assert fix["edits"]


def test_words_that_a_lexicon_knows_are_looked_at(finnish: Desk) -> None:
    put(finnish.home, SOURCE, "a.md")
    put(finnish.home, "El mar estaba en calma por la tarde.\n\nEl viejo marinero miró el puerto y sonrió.\n", "b.md")
    said = finnish("check", "--bitext", "a.md", "b.md", "--format", "json")
    assert "not_judged" not in said.json["summary"]
    assert said.json["documents"][0]["bank"]["lowest_scores"]["semantic_fidelity"] == 1.0


def test_questions_that_no_judge_solved_are_told(desk: Desk) -> None:
    desk.bank(sound(0), sound(1))
    checked = desk("check", "bank.json")
    assert "answer key of 2 questions" in checked.out
    said = desk("polish", "bank.json", "--rules-only", "--run-id", "q")
    assert "No model judges the bank" in said.err and "answer key of 2 questions" in said.out
    receipt = json.loads((desk.home / "runs/q/receipt.json").read_text(encoding="utf-8"))
    assert [(one["dimension"], one["units"]) for one in receipt["not_judged"]] == [("answer_key", 2)]


def test_reports_end_with_what_nobody_judged(finnish: Desk) -> None:
    finnish(*START)
    assert "grammar of" in finnish("report", "tx").out.partition("Not judged")[2]
    told = finnish("report", "tx", "--json").json["not_judged"]
    assert {"grammar", "voice"} <= {one["dimension"] for one in told}
    finnish("report", "tx", "--html", "page.html")
    page = (finnish.home / "page.html").read_text(encoding="utf-8")
    assert "grammar of" in page.partition("Not judged")[2]


def test_questions_that_a_person_accepted_are_not_among_them(desk: Desk) -> None:
    negated = [{**sound(number), "stem": f"Which of these towns is NOT on river {number}?"} for number in range(3)]
    desk.bank(*negated)
    desk("polish", "bank.json", "--rules-only", "--run-id", "q")
    first, second, _ = (str(one["id"]) for one in negated)
    desk("decide", "q", first, "accept", "--by", "Ann")
    desk("decide", "q", second, "accept", "--by", "Ann")
    desk("decide", "q", second, "undo", "--by", "Ann")
    desk("resume", "q")
    receipt = json.loads((desk.home / "runs/q/receipt.json").read_text(encoding="utf-8"))
    assert [(one["dimension"], one["units"]) for one in receipt["not_judged"]] == [("answer_key", 2)]


FRENCH = {
    "stem": "Un homme de 40 ans a une tension de 180/110 mm Hg. Quel médicament faut-il lui donner d'abord ?",
    "options": [
        {"key": key, "text": text}
        for key, text in zip("ABCD", ("Amlodipine", "Aspirine", "Insuline", "Morphine"), strict=True)
    ],
    "correct_answer": "A",
    "language": "fr",
}


def test_every_door_says_how_many_rules_do_not_judge_a_language(desk: Desk) -> None:
    bank = desk.bank({"id": "f1", **FRENCH})
    checked = desk("check", bank, "--format", "json").json["summary"]["skipped_rules"]
    [skipped] = checked
    told = f"{len(skipped['rules'])} rules do not judge French: 1 question"
    assert skipped["language"] == "fr" and skipped["rules"]
    assert told in " ".join(desk("check", bank).out.split())
    said = desk("polish", bank, "--rules-only", "--run-id", "r")
    assert told in " ".join(said.out.split())
    receipt = json.loads((desk.run().root / "receipt.json").read_text(encoding="utf-8"))
    assert receipt["skipped_rules"] == [skipped]
    assert told in " ".join(desk("report", "r").out.split())
    assert desk("report", "r", "--json").json["skipped_rules"] == [skipped]
    assert desk("report", "r", "--html", "r.html").code == 0
    assert told in words((desk.home / "r.html").read_text(encoding="utf-8"))
    with workbench(desk.home / "runs") as server, closing(server.browser("Ada")) as browser:
        assert told in words(browser.get("/runs/r").text)
