"""Questions in the workbench: the item with its findings, the correction beside it, the bank, and the form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.app.rulebook import PrecisionLine
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.core.findings import Finding
from burnish.core.presentation import UnitStory
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question
from burnish.web.kinds import Panel, parts_of
from burnish.web.kinds.questions import bank_view
from burnish.web.kinds.questions.items import changed_item, direction, marked_item, overlaid
from burnish.web.kinds.questions.review import FindingTable, QuestionReview, facts, place_of, why_it_waits
from burnish.web.pieces import diff, joined, numbered
from burnish.web.rendering import environment
from tests.web.kinds.renal import HOSTILE, renal_runs
from tests.web.paper import words

QUESTIONS = parts_of("questions")


@pytest.fixture(scope="module")
def renal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunReader]:
    runs = renal_runs(tmp_path_factory.mktemp("renal"))
    with closing(RunIndex(runs)) as index:
        opened = index.open("renal")

        yield opened


def drawn(panel: Panel) -> str:
    return environment().get_template(panel.template).render(part=panel.context)


def unit_page(run: RunReader, unit: str) -> str:
    return "".join(drawn(panel) for panel in QUESTIONS.unit_parts(run, run.story(unit)).panels)


def waiting(run: RunReader, unit: str, *precision: PrecisionLine) -> QuestionReview:
    return QuestionReview(run.story(unit), precision)


# -- the item


def test_the_words_of_the_rules_are_marked_and_numbered(renal: RunReader) -> None:
    now = waiting(renal, "RN-0412").now()
    [except_] = [piece for piece in now.part.stem.pieces if piece.marks]
    assert except_.text == "EXCEPT" and except_.severity == "error" and except_.ends[0].number == 1
    denying = now.part.choices[4]
    assert [piece.text for piece in denying.text.pieces if piece.ends] == ["None of the above"]
    assert [choice.key for choice in now.part.choices if choice.is_key] == ["D"]
    assert now.marks == 4 and ("Bloom", "analyze") in now.metadata and ("SLO", "REN-07, REN-11") in now.metadata
    assert now.lang == "en" and now.dir == "ltr"


def test_the_correction_stands_beside_it_with_what_is_left(renal: RunReader) -> None:
    new = waiting(renal, "RN-0412").proposed()
    assert new is not None and new.changed == ("stem", "options.E")
    assert new.same == "Vignette, A, B, C, D, key, explanation and metadata"
    changes = {piece.change for piece in new.part.stem.pieces}
    assert changes == {"same", "ins", "del"} and not any(piece.marks for piece in new.part.stem.pieces)
    denying = new.part.choices[4].text.pieces
    assert joined(denying, "del") == "None of these fits" and joined(denying, "ins") == "None of the above"
    assert {mark.number for piece in denying for mark in piece.ends} == {2}


def test_every_finding_has_its_fate_in_every_try(renal: RunReader) -> None:
    found = waiting(renal, "RN-0412", PrecisionLine.counted("nbme_none_of_the_above", "questions", 11, 19))
    rows = {row.finding.rule: row for row in found.rows()}
    assert found.columns == ["Draft", "Attempt 2", "Attempt 3"]
    assert [cell.fate for cell in rows["nbme_negation_detection"].cells] == ["fails", "settled", "unused"]
    assert [cell.fate for cell in rows["nbme_none_of_the_above"].cells] == ["fails", "fails", "unused"]
    assert rows["nbme_none_of_the_above"].place == "option E" and found.applied
    assert rows["nbme_none_of_the_above"].precision is not None and rows["nbme_absolute_terms"].precision is None


def test_a_finding_that_only_a_later_draft_has_was_not_there_before(renal: RunReader) -> None:
    story = renal.story("RN-0412")
    source, first, _ = story.attempts
    later = UnitStory(story.row, story.source, (source, _with(first, "nbme_vague_terms", "options.A")), ())
    rows = {row.finding.rule: row for row in FindingTable.of(later).rows(())}
    assert [cell.fate for cell in rows["nbme_vague_terms"].cells] == ["unknown", "fails"]
    assert rows["nbme_vague_terms"].number == 5 and rows["nbme_vague_terms"].who == "gemma-3-27b"


def _with(attempt: Any, rule: str, field: str) -> Any:
    raised = Finding(rule, "warning", attempt.unit, field, "It says often.", source="model:openai:gemma-3-27b")
    return replace(attempt, findings=(*attempt.findings, raised.as_record()))


def test_a_set_shows_its_items_and_what_is_missing(renal: RunReader) -> None:
    now = waiting(renal, "RN-0413").now()
    assert len(now.items) == 2 and now.items[0].answer == "A" and not now.items[0].choices
    assert now.items[0].rationale.behind and not now.items[0].rationale.is_empty
    page = unit_page(renal, "RN-0413")
    assert "Item 1" in words(page) and "Key A" in words(page) and "empty" in words(page)
    assert "item 1, rationale" in words(page)


def test_a_question_that_reads_from_the_right(renal: RunReader) -> None:
    assert '<div class="item" dir="rtl">' in unit_page(renal, "عربي-1")
    assert direction("123 … «أي") == "rtl" and direction("1. x أ") == "ltr" and direction("42") == "ltr"


def test_content_stays_text(renal: RunReader) -> None:
    focus = QUESTIONS.focus_parts(renal, renal.story("RN-0414"))
    for page in (unit_page(renal, "RN-0414"), "".join(map(drawn, focus.now)), _tab(renal, "items")):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script" not in page and "<img" not in page
        assert "\u202e" not in page and "\\u202e" in page


def test_marks_about_the_whole_and_about_a_list() -> None:
    question = Question(id="q", stem="Which?", options=(), correct_answer="")
    found = [
        Finding("whole", "error", "q", None, "No options."),
        Finding("list", "warning", "q", "options", "They differ."),
        Finding("gone", "warning", "q", "stem", "Elsewhere.", quote="no such words"),
    ]
    shown = marked_item(question, numbered(question.texts(), found))
    assert [mark.severity for mark in shown.about] == ["error", "warning"]
    assert [mark.number for mark in shown.part.stem.behind] == [2]


def test_a_key_that_moved_and_an_option_that_went_are_told() -> None:
    before = Question(id="q", stem="Which?", options=_options("A", "B", "C"), correct_answer="A")
    after = Question(id="q", stem="Which?", options=_options("A", "B"), correct_answer="B")
    shown = changed_item(before, after, ())
    assert [(one.key, one.is_key, one.was_key) for one in shown.part.choices] == [
        ("A", False, True),
        ("B", True, False),
        ("C", False, False),
    ]
    assert joined(shown.part.choices[2].text.pieces, "del") == ""
    assert changed_item(before, before, ()).same == "Everything"


def _options(*keys: str) -> Any:
    return [{"key": key, "text": f"Text of {key}"} for key in keys]


TEXTS = st.text(alphabet="ab c.", max_size=24)


@given(TEXTS, TEXTS, st.lists(st.tuples(st.integers(0, 24), st.integers(0, 24)), max_size=4))
@settings(max_examples=200, deadline=None)
def test_marks_lie_over_changes_and_lose_nothing(old: str, new: str, spans: list[tuple[int, int]]) -> None:
    inside = [(a, b) for a, b in spans if a <= b <= len(new)]
    found = [Finding("r", "error", "q", "stem", "m", None, new[a:b], a, b) for a, b in inside]
    marks = numbered({"stem": new}, found)
    pieces = overlaid(diff(old, new), "stem", marks)
    assert joined(pieces, "del") == new and joined(pieces, "ins") == old
    ends = [mark.number for piece in pieces for mark in piece.ends]
    assert sorted(ends) == sorted(one.mark.number for one in marks for _ in one.places)
    assert not any(piece.marks for piece in pieces if piece.change == "del")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (None, "the question"),
        ("stem", "stem"),
        ("options", "all options"),
        ("options.E", "option E"),
        ("correct_answer", "key"),
        ("metadata.bloom_level", "bloom level"),
        ("items.1.options.B", "item 2, option B"),
        ("items.0", "item 1"),
        ("items", "the items"),
    ],
)
def test_fields_in_words(field: str | None, said: str) -> None:
    assert place_of(field) == said


# -- the queue


def test_the_reason_comes_with_its_words_marked(renal: RunReader) -> None:
    line = PrecisionLine.counted("nbme_none_of_the_above", "questions", 11, 19)
    found = waiting(renal, "RN-0412", line)
    said = list(why_it_waits(found, renal.view.kind))
    assert "".join(one.text for one in said) == "Option E denies the other options ('None of these fits')."
    assert [one.text for one in said if one.severity == "error"] == ["None of these fits"]
    assert list(facts(found, renal.view.kind)) == [
        "Option E",
        "The same rule failed in every correction",
        "Attempt 2 is kept and settles 1 of 4 findings",
        "Accepting counts against the rule: right in 11 of 20 instead of 11 of 19",
    ]
    focus = QUESTIONS.focus_parts(renal, renal.story("RN-0412"))
    assert focus.rule == "nbme_none_of_the_above" and focus.severity == "error"
    page = "".join(drawn(panel) for panel in focus.now)
    assert "<ins>" in page and 'id="v2"' in page and "unchanged, byte for byte" in page


def test_a_question_without_findings_gives_the_reason_itself(renal: RunReader) -> None:
    said = list(why_it_waits(waiting(renal, "عربي-1"), renal.view.kind))
    assert "".join(one.text for one in said) == "Passed at attempt 1" and said[0].severity is None


@pytest.mark.parametrize(
    ("message", "quote", "said", "marked"),
    [
        ("The word 'never' stands there.", "never", "The word 'never' stands there.", ["never"]),
        ("It is unclear.", None, "It is unclear.", []),
    ],
)
def test_how_a_finding_is_said(renal: RunReader, message: str, quote: str | None, said: str, marked: list[str]) -> None:
    story = renal.story("RN-0500")
    raised = Finding("r", "error", "RN-0500", "stem", message, quote=quote).as_record()
    attempt = replace(story.attempts[0], findings=(raised,))
    told = list(why_it_waits(QuestionReview(replace(story, attempts=(attempt,))), renal.view.kind))
    assert "".join(one.text for one in told) == said
    assert [one.text for one in told if one.severity] == marked


# -- the form


def test_what_is_not_changed_is_not_sent(renal: RunReader) -> None:
    story = renal.story("RN-0412")
    form = QUESTIONS.editor(story)
    values = {field.name: field.value.replace("\n", "\r\n") for field in form.fields}
    assert json.loads(form.text_of(values)) == {}
    labels = {field.name: field.label for field in form.fields}
    assert labels["options.E"] == "Option E" and labels["rationale"] == "Explanation" and "vignette" in labels
    [key] = [field for field in form.fields if field.name == "correct_answer"]
    assert key.choices == ("A", "B", "C", "D", "E") and key.value == "D"
    draft = QuestionReview(story).after
    changed = form.text_of({**values, "options.E": "Hyaline casts", "correct_answer": "C"})
    assert set(json.loads(changed)) == {"options", "correct_answer"}
    edited = KIND.from_person(draft, changed)
    assert edited.texts()["options.E"] == "Hyaline casts" and edited.texts()["correct_answer"] == "C"
    assert {name for name, text in draft.texts().items() if edited.texts()[name] != text} == {
        "options.E",
        "correct_answer",
    }


def test_the_form_of_a_set(renal: RunReader) -> None:
    story = renal.story("RN-0413")
    form = QUESTIONS.editor(story)
    names = [field.name for field in form.fields]
    assert "items.0.stem" in names and "items.1.rationale" in names and "items.0.correct_answer" in names
    [key] = [field for field in form.fields if field.name == "items.1.correct_answer"]
    assert key.choices == ("A", "B", "C")
    text = form.text_of({"items.0.stem": "A boy of six is swollen. Why?"})
    edited = KIND.from_person(QuestionReview(story).after, text)
    assert edited.texts()["items.0.stem"] == "A boy of six is swollen. Why?"
    assert edited.texts()["items.1.stem"] == story.source.texts()["items.1.stem"]


def test_hostile_text_goes_back_as_it_came(renal: RunReader) -> None:
    form = QUESTIONS.editor(renal.story("RN-0414"))
    assert HOSTILE in [field.value for field in form.fields]
    text = form.text_of({"stem": f"{HOSTILE}\r\nWhich?"})
    assert json.loads(text) == {"stem": f"{HOSTILE}\nWhich?"}


# -- the run


def _tab(run: RunReader, id: str, **query: str) -> str:
    [tab] = [tab for tab in QUESTIONS.run_parts(run, {"tab": id, **query}).tabs if tab.id == id]
    return environment().get_template(tab.template).render(part=tab.context)


def test_the_items_one_after_the_other(renal: RunReader) -> None:
    page = _tab(renal, "items")
    assert [f">{id}</code>" in page for id in ("RN-0412", "RN-0413", "RN-0500")] == [True, True, True]
    assert 'href="/runs/renal/units/RN-0412#v2"' in page
    only = words(_tab(renal, "items", state="needs_manual_review"))
    assert "3 questions" in only and "RN-0500" not in only
    none = words(_tab(renal, "items", rule="no_such_rule"))
    assert "No question matches these filters." in none and "Show all 5" in none


def test_tabs_and_facts(renal: RunReader) -> None:
    parts = QUESTIONS.run_parts(renal, {})
    assert [tab.id for tab in parts.tabs] == ["overview", "items", "bank"]
    assert not any(tab.context for tab in parts.tabs)
    assert [(fact.label, fact.text) for fact in parts.facts] == [
        ("Format", "JSON"),
        ("Profile", "default"),
        ("Rules", "33 of 33"),
    ]


def test_the_bank_as_a_whole(renal: RunReader) -> None:
    said = words(_tab(renal, "bank"))
    assert "Position of the key 3 questions with 4 options" in said and "Too few to judge" in said
    assert "Cognitive level" in said and "analyze 10" in said and "Blueprint" in said
    assert "No two questions are nearly the same." in said


def test_an_unbalanced_bank_and_one_without_facts() -> None:
    group = {
        "options": 4,
        "questions": 40,
        "positions": [30, 5, 5, 0],
        "p_value": 1e-9,
        "balanced": False,
        "message": "40 questions with 4 options: A 30, B 5, C 5, D 0 (out of balance, p = 1e-09).",
    }
    cells = [{"objective": f"o{n}", "bloom_level": "Create", "difficulty": "x", "questions": 2} for n in range(100)]
    facts = {"key_balance": [group], "blueprint": cells, "near_duplicates": 3, "near_duplicates_ignored": 1}
    view = bank_view("bank.json", facts, KIND.describe(facts))
    [balance] = view.balances
    assert balance.alarming and balance.verdict == "out of balance, p = 1e-09" and balance.expected == 33.3
    assert [place.width for place in balance.positions] == [100.0, 16.7, 16.7, 0.0]
    assert [(level.name, level.count) for level in view.levels] == [("Create", 200)]
    assert view.left_out == 40 and len(view.tables[0].rows) == 60 and view.alike == 3
    [remark] = view.remarks
    assert remark.text == "3 questions are nearly the same as another; authors ignore 1 more."
    assert bank_view("none.json", {}, ()).is_silent


def test_alike_questions_are_listed(looked_at_runs: Path) -> None:
    with closing(RunIndex(looked_at_runs)) as index:
        run = index.open("demo")

        said = words(_tab(run, "bank"))
        assert "bio-009" in said and "Nearly the same as another question" in said
