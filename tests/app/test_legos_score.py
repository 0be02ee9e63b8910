"""`burnish legos score`: cuts made by hand, from a file to their scores."""

from __future__ import annotations

import json
from pathlib import Path

from tests.app.desk import Desk

SOUND = "I need coffee now\tМи треба кафе сега\tI need coffee\tМи треба кафе\n"
SOUND += "I need coffee now\tМи треба кафе сега\tcoffee now\tкафе сега\n"
BROKEN = "She walked with you\tТаа одеше со тебе\twith you\tсо тебе\n"


def test_sound_cuts_end_with_0(desk: Desk) -> None:
    Path("cuts.tsv").write_text(SOUND, encoding="utf-8")
    said = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng")
    assert said.code == 0 and said.err == ""
    assert "I need coffee | coffee now" in said.out and "1 SEED: 1 accepted" in said.out


def test_cuts_below_the_line_end_with_1_and_say_why(desk: Desk) -> None:
    Path("cuts.tsv").write_text(SOUND + BROKEN, encoding="utf-8")
    said = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng", "--iron-rule", "strict")
    assert said.code == 1
    assert "c_iron_rule_violation" in said.out and "begins with the preposition" in said.out
    assert "2 SEEDs: 1 accepted" in said.out


def test_bad_rows_end_with_2_and_the_others_are_scored(desk: Desk) -> None:
    Path("cuts.tsv").write_text(SOUND + "a\tb\n", encoding="utf-8")
    said = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng")
    assert said.code == 2
    assert "cuts.tsv:3: 2 columns, where 4 are expected." in said.out and "1 accepted" in said.out


def test_a_problem_inside_a_list_is_told_by_its_place(desk: Desk) -> None:
    Path("cuts.json").write_text('[{"source": "a"}]', encoding="utf-8")
    said = desk("legos", "score", "cuts.json", "--course", "mkd_for_eng")
    assert said.code == 2 and "cuts.json: [0]: target: is missing." in said.out


def test_json_tells_everything(desk: Desk) -> None:
    seed = {
        "source": "With you I slept well",
        "target": "Со тебе спиев добро",
        "legos": [{"source": "you I slept well", "target": "тебе спиев добро"}, {"source": "tea", "target": "чај"}],
        "course_code": "mkd_for_eng",
    }
    Path("cuts.jsonl").write_text(f"{json.dumps(seed)}\n{{\n", encoding="utf-8")
    said = desk("legos", "score", "cuts.jsonl", "--json", "--iron-rule", "strict")
    told = said.json
    assert said.code == 2 and set(told) == {"file", "summary", "seeds", "problems"}
    assert told["seeds"][0]["uncovered"] == ["With"] and told["seeds"][0]["refused"][0]["reason"] == "not_in_source"
    assert told["problems"][0]["line"] == 2 and told["summary"]["problems"] == 1
    shown = desk("legos", "score", "cuts.jsonl", "--iron-rule", "strict").out
    assert "left out  With: no lawful LEGO reaches it" in shown and 'refused   The LEGO "tea"' in shown


def test_the_switches_of_the_iron_rule(desk: Desk) -> None:
    Path("cuts.tsv").write_text(SOUND + BROKEN.replace("with you\tсо тебе\n", "She walked\tТаа одеше\n") + BROKEN)
    code = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng").code
    strict = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng", "--iron-rule", "strict").code
    assert (code, strict) == (0, 1)
    Path("to.tsv").write_text("I want to go\tСакам да спијам\tto go\tда спијам\n", encoding="utf-8")
    asked = ("legos", "score", "to.tsv", "--course", "mkd_for_eng", "--json", "--iron-rule", "strict")
    first = desk(*asked).json["seeds"][0]
    second = desk(*asked, "--no-infinitive-to").json["seeds"][0]
    scores = [one["dimension_scores"]["iron_rule_compliance"] for one in (first, second)]
    assert scores == [1.0, 10.0]


def test_a_name_that_says_nothing_a_file_that_is_not_there_and_no_course(desk: Desk) -> None:
    Path("cuts.txt").write_text(SOUND, encoding="utf-8")
    assert "The format of cuts.txt is not known" in desk("legos", "score", "cuts.txt").err
    Path("cuts.tsv").write_text(SOUND, encoding="utf-8")
    missing = desk("legos", "score", "cut.tsv")
    assert missing.code == 2 and "Did you mean cuts.tsv?" in missing.err
    nobody = desk("legos", "score", "cuts.tsv")
    assert nobody.code == 2 and "--course" in nobody.err


def test_nothing_in_a_cut_reaches_the_terminal_as_it_is(desk: Desk) -> None:
    Path("cuts.tsv").write_text("I need \x1b[31mtea\tМи треба чај\tI need \x1b[31mtea\tМи треба чај\n")
    said = desk("legos", "score", "cuts.tsv", "--course", "mkd_for_eng")
    assert "\x1b" not in said.out and "\\x1b[31mtea" in said.out
