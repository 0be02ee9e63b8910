"""False alarms and harmful fixes of lessons and questions that people reported (16 November 2026), each as it was met.

Those of repairs and judges stand with them: tests/kinds/questions/test_key_check.py, tests/kinds/lessons/test_panel.py,
test_strays.py, test_self_review.py, tests/text/test_quotes.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from burnish.core.findings import Finding
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.model import LessonContext
from tests.app.desk import Desk

PROSE = "Water moves in a circle. The sun warms the sea, vapour rises into the air, and rain falls on the land again. "
HEAD = "# Water\n\n## The circle\n\n"


def findings(text: str, name: str = "lesson.md") -> list[Finding]:
    from burnish.core.checks import select

    kind = LessonsKind()
    lesson = MarkdownLesson().read(text.encode(), name).lesson
    context, selection = LessonContext.of(lesson), select(kind.checks)
    examined = [kind.examine(unit, selection, context) for unit in lesson.units]
    return [finding for one in examined for finding in (*one.findings, *one.of_document)]


SOUND = {
    "a list of references in other languages": HEAD
    + PROSE * 3
    + "\n\n## References\n\n- Müller, Hans: Die Geschichte des Wassers in den deutschen Städten. Berlin, 1999.\n"
    "- Dupont, Jean: L'eau dans la ville et les fontaines de Paris. Paris, 2004.\n",
    "Greek as the subject": HEAD
    + PROSE
    + "The Greek word ὕδωρ means water, and ποταμός is a river; θάλασσα is the sea.\n",
    "an entity at the end": HEAD + PROSE + "The author calls it &laquo;the great circle&raquo;\n",
    "a tag in inline code": HEAD + PROSE + "Put the text between `<div>` and its end.\n",
    "a link defined in two lines": HEAD + PROSE + "See [the map].\n\n[the map]:\n  https://www.w3.org/maps\n",
    "a page with one heading": f"# Water\n\n{PROSE * 3}\n",
    "a page without a heading": f"{PROSE * 3}\n",
    "a folder and a system by name": HEAD + PROSE + "Put it into _posts and run it on any *nix machine.\n",
    "bold over a line break": HEAD + PROSE + "The **great\ncircle** of **my_file** and __init__.py never ends.\n",
    "bold in and beside words": HEAD + PROSE + 'It is **un**known; he said **"Stop!"** and **Note:**this.\n',
    "bold in a list": HEAD + PROSE + "\n\n* **First:** water\n* **Second and *last*:** ice\n* ***both***\n",
    "Finnish": "# Vesi\n\n## Kiertokulku\n\n"
    + "Vesi on kaiken elämän perusta, ja se on jatkuvassa liikkeessä. Aurinko lämmittää merta, vesihöyry nousee ilmaan "
    "ja sade lankeaa maahan. Sitten vesi palaa jokia pitkin takaisin mereen, ja kierto alkaa alusta. " * 3,
    "Vietnamese": "# Nước\n\n## Vòng tuần hoàn\n\n"
    + "Nước luôn luôn chuyển động trong thiên nhiên. Mặt trời làm ấm biển, hơi nước bay lên không trung và mưa rơi "
    "xuống đất. Sau đó nước theo sông trở về biển và vòng tuần hoàn lại bắt đầu từ đầu. " * 4,
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_lesson_has_no_error_and_no_fix(name: str) -> None:
    found = findings(SOUND[name])
    assert not [finding for finding in found if finding.blocks], name
    assert not [finding for finding in found if finding.fix is not None], name


def test_a_letter_that_only_looks_alike_is_exchanged_and_never_dropped() -> None:
    [found] = [one for one in findings(HEAD + PROSE + "Νous avons vu la mer.\n") if one.rule == "homoglyphs"]
    assert found.fix is None or "Nous" in found.fix.replace


def question(**fields: Any) -> dict[str, Any]:
    sound = {
        "id": "q1",
        "stem": "A boy has a fever and a stiff neck. Which of the following tests should be done first?",
        "options": {"A": "Lumbar puncture", "B": "Chest radiograph", "C": "Urine culture", "D": "Throat swab"},
        "correct_answer": "A",
        "rationale": "Lumbar puncture shows meningitis. A chest radiograph, a urine culture and a throat swab do not.",
    }
    return {**sound, **fields}


QUESTIONS = {
    "a leading blank": question(stem=" A boy has a fever and a stiff neck. Which of the following is done first?"),
    "numbers the other way round": question(
        stem="Two numbers follow 61 and 64. Which of the following pairs comes next?",
        options={"A": "67 and 70", "B": "70 and 67", "C": "66 and 71", "D": "61 and 70"},
        rationale="Each number is 3 more: 67 and 70. The pairs 70 and 67, 66 and 71, 61 and 70 are not.",
    ),
    "negative temperatures": question(
        stem="At which of the following temperatures is the vaccine stored?",
        options={"A": "-2 to -4 °C", "B": "2 to 6 °C", "C": "20 to 25 °C", "D": "36 to 38 °C"},
        rationale="It is stored at -2 to -4 °C. At 2 to 6 °C, 20 to 25 °C or 36 to 38 °C it spoils.",
    ),
    "one thing set against another": question(
        stem="In which of the following cases does the judge, not the jury, decide?",
        options={"A": "A motion to dismiss", "B": "A murder trial", "C": "A claim for damages", "D": "A theft trial"},
        rationale="A motion to dismiss is decided by the judge; murder, damages and theft by a jury.",
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_sound_question_has_no_error(name: str, desk: Desk) -> None:
    (desk.home / "bank.json").write_text(json.dumps([QUESTIONS[name]]), encoding="utf-8")
    said = desk("check", "bank.json", "--format", "json")
    found = [one for unit in said.json["documents"][0]["units"] for one in unit["findings"]]
    assert not [one for one in found if one["severity"] in ("error", "critical")], found


def test_english_items_are_read_as_english(desk: Desk) -> None:
    """Short items full of terms were taken for Latin or Italian, so that nineteen rules skipped them."""
    terms = [
        question(id="a", stem="Musculus pterygoideus lateralis is supplied by?", rationale=None),
        question(id="b", stem="Bacteria in cellulitis are?", rationale=None),
        question(id="c", stem="Vena cava inferior begins at L5 by union of?", rationale=None),
        *(question(id=f"s{number}", rationale=None) for number in range(8)),
    ]
    (desk.home / "bank.json").write_text(json.dumps(terms), encoding="utf-8")
    assert desk("check", "bank.json", "--format", "json").json["summary"]["skipped_rules"] == []


def test_one_rationale_does_not_make_the_others_missing(desk: Desk) -> None:
    """One item with general feedback made all others "rationale is empty"."""
    without = [question(id=f"q{number}") for number in range(6)]
    for one in without[1:]:
        del one["rationale"]
    (desk.home / "bank.json").write_text(json.dumps(without), encoding="utf-8")
    said = desk("check", "bank.json", "--format", "json")
    assert "ext_rationale_completeness" not in said.json["summary"]["by_rule"]


def test_a_question_mark_is_not_moved_across_a_picture(desk: Desk) -> None:
    stem = "What does this picture of the heart show ![heart](heart.png) ?"
    (desk.home / "bank.json").write_text(json.dumps([question(stem=stem)]), encoding="utf-8")
    desk("check", "bank.json", "--fix")
    [after] = json.loads((desk.home / "bank.json").read_text(encoding="utf-8"))
    assert after["stem"].index("![heart]") < after["stem"].rindex("?")
