"""Manuscripts in the workbench: side by side in every script, the gate, the candidate's map, queue and editor."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.web import Drawn
from burnish.web.kinds import parts_of
from burnish.web.kinds.manuscripts import columns_for, pair_rows
from burnish.web.kinds.manuscripts.gate import IssueLine, blocked_rows, gate_view, map_view, not_ready, reviewer_label
from tests.app.book_desk import BOOK, SPANISH
from tests.manuscripts_model import BookWorld
from tests.web.kinds.making import book_world, make_book, tamazight_world
from tests.web.paper import read
from tests.workbench import Workbench, workbench

EVIL = "<img src=x onerror=alert(1)> \u202eAll is well."
"""Content that would be markup, and turn what follows."""


def lost(lines: str) -> list[dict[str, Any]]:
    """A critic that speaks of a line that nobody has."""
    said = {"category": "style", "severity": "critical", "description": "Nobody says this.", "quote": "nowhere"}
    return [{**said, "line": 99, "suggested_fix": "Say it."}]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`sea`: a negation that stays lost, a number that is mended, issues that belong to no paragraph. `ilel`: in two
    scripts. `calm`: all is ready, and somebody has to approve it."""
    home = tmp_path_factory.mktemp("books")
    assert make_book(home, "sea", book_world(critics=lost), text=BOOK.replace("code here", EVIL)) == 3
    assert make_book(home, "ilel", tamazight_world(), "--pipeline-profile", "tamazight_two_pass", to="kab") == 3
    assert make_book(home, "calm", BookWorld(dict(SPANISH))) == 3
    return home / "runs"


@pytest.fixture(scope="module")
def sea(index: RunIndex) -> RunReader:
    return index.open("sea")


@pytest.fixture(scope="module")
def ilel(index: RunIndex) -> RunReader:
    return index.open("ilel")


def pairs(run: RunReader) -> dict[str, Drawn]:
    return {row.line.id: row for row in pair_rows(run, run.units().lines) if not isinstance(row, IssueLine)}


class TestPairs:
    def test_state_place_and_band(self, sea: RunReader) -> None:
        rows = pairs(sea)
        assert {id: (row.label, row.place, row.band) for id, row in rows.items()} == {
            "p_0001": ("ready", "L1", ""),
            "p_0002": ("ready, attempt 2", "L3", ""),
            "p_0003": ("needs a person", "L5", "bad"),
            "p_0004": ("excluded", None, ""),
            "p_0005": ("ready", "L7", ""),
            "p_0006": ("ready", "L9", ""),
            "p_0007": ("ready", "L11", ""),
        }
        assert rows["p_0001"].heading and rows["p_0004"].excluded == "code block"

    def test_source_and_translation_are_marked(self, sea: RunReader) -> None:
        text = pairs(sea)["p_0003"].text
        assert [piece.text for piece in text.source if piece.marks] == ["not"]
        assert [piece.text for piece in text.target or () if piece.marks] == ["fue al"]
        assert text.latin is None
        assert [(one.number, one.finding.rule) for one in text.raised] == [(1, "negation"), (2, "negation_changed")]

    def test_issues_that_belong_to_no_paragraph_stand_among_them(self, sea: RunReader) -> None:
        issues = [row for row in pair_rows(sea, sea.units().lines) if isinstance(row, IssueLine)]
        assert issues and issues[0].issue.mapping_error == "There is no paragraph on line 99."

    def test_two_scripts(self, ilel: RunReader) -> None:
        row = pairs(ilel)["p_0003"]
        assert [piece.text for piece in row.text.latin or () if piece.marks] == ["Iddi ɣer"]
        assert [piece.text for piece in row.text.target or () if piece.marks] == ["ⵉⴷⴷⵉ ⵖⴻⵔ"]

    def test_columns(self) -> None:
        both = columns_for("en", "kab", renders=True)
        assert both.label == "English to Kabyle, Latin and Tifinagh"
        assert [(column.label, column.lang, column.tifinagh) for column in both.every] == [
            ("English", "en", False),
            ("Kabyle, Latin", "kab-Latn", False),
            ("Kabyle, Tifinagh", "kab-Tfng", True),
        ]
        assert columns_for(None, "und", renders=False).label == "Source to Translation"


class TestGate:
    def test_what_blocks_and_what_is_asked(self, sea: RunReader) -> None:
        gate = gate_view(sea)
        assert gate.text.startswith("Not published. 1 of 6 required paragraphs is not ready")
        assert (gate.required, gate.ready, gate.excluded, gate.tone) == (6, 5, 1, "wait")
        lines = {row.name: (row.threshold, row.below, row.scored, row.missing) for row in gate.thresholds}
        assert lines["Fidelity"] == (0.85, 1, 6, 0) and lines["Voice"] == (0.80, 0, 6, 0)
        assert "numbers units" in gate.blocking and gate.reviewers.startswith("3") and "4 critics" in gate.reviewers
        assert sum(cause.count for cause in gate.causes) == sea.card.waiting

    def test_a_paragraph_with_its_scores_below_the_line(self, sea: RunReader) -> None:
        line = sea.line("p_0003")
        assert line is not None
        [row] = blocked_rows(sea, [line])
        assert [(score.name, score.value, score.threshold, score.reviewers) for score in row.below] == [
            ("Grammar", 0.7, 0.8, "model review"),
            ("Fidelity", 0.7, 0.85, "rules"),
        ]
        assert (row.hard, row.missing, row.attempt) == (("Negation",), (), "2 of 4 attempts")

    def test_what_is_not_ready(self, sea: RunReader) -> None:
        states = not_ready(sea)
        assert "manual_review_required" in states and not {"ready_to_merge", "merged", "excluded"} & set(states)

    def test_reviewers_in_words(self) -> None:
        said = [reviewer_label(name) for name in ("rules", "review", "review:openai:gemma-3", "critic:typography")]
        assert said == ["rules", "model review", "review by gemma-3", "critic typography"]

    def test_all_is_ready_and_somebody_has_to_approve(self, index: RunIndex) -> None:
        gate = gate_view(index.open("calm"))
        assert (
            gate.needs_approval and gate.text == "Every required paragraph is ready. A person has to approve the book."
        )


class TestMap:
    def test_every_line_with_its_paragraph(self, sea: RunReader) -> None:
        view = map_view(sea, {})
        assert [(block.row.label, block.line.id) for block in view.blocks][:3] == [
            ("L1", "p_0001"),
            ("L3", "p_0002"),
            ("L5", "p_0003"),
        ]
        assert view.blocks[0].text == ((1, "# El mar"),) and view.lines == 11
        assert (view.previous, view.next, view.label) == (None, None, "Lines 1 to 11 of 11")
        assert not any(block.moved for block in view.blocks)

    def test_a_line_is_looked_up(self, sea: RunReader) -> None:
        view = map_view(sea, {"line": "8"})
        assert view.blocks[0].row.start == 9 and view.asked == 8
        assert view.previous == "/runs/sea?tab=map&from=1"
        assert map_view(sea, {"line": "x", "from": "-3"}).blocks[0].row.start == 1
        assert map_view(sea, {"line": "999999999999999999"}).asked is None

    def test_what_belongs_to_no_paragraph(self, sea: RunReader) -> None:
        first = map_view(sea, {}).unmapped[0]
        assert (first.anchor, first.issue.issue["description"]) == ("line 99", "Nobody says this.")


class TestQueueAndUnit:
    def test_the_reason_and_why_a_person_looks(self, sea: RunReader) -> None:
        parts = parts_of("manuscripts").focus_parts(sea, sea.story("p_0003"))
        assert [each.text for each in parts.reason if each.severity] == ["fue al"]
        assert [each.lang for each in parts.reason if each.severity] == ["es"]
        assert parts.facts == (
            "Failed twice for the same blocking reason.",
            "2 of 2 reviews failed, 4 attempts at most",
            "Grammar .70, threshold .80",
            "Fidelity .70, threshold .85",
        )

    def test_a_quote_of_the_other_script(self, ilel: RunReader) -> None:
        parts = parts_of("manuscripts").focus_parts(ilel, ilel.story("p_0003"))
        assert [(each.text, each.lang) for each in parts.reason if each.severity] == [("Iddi ɣer", "kab-Latn")]

    def test_an_issue_has_no_text_to_edit(self, sea: RunReader) -> None:
        story, kind = sea.story("issue_0001"), parts_of("manuscripts")
        parts = kind.focus_parts(sea, story)
        assert parts.reason[0].text == "Nobody says this." and "There is no paragraph on line 99." in parts.facts
        assert not kind.editor(story).fields and kind.editor(story).text_of({}) == ""
        assert kind.unit_parts(sea, story).heading == "issue_0001: an issue without a paragraph"

    def test_what_every_reviewer_gave(self, sea: RunReader) -> None:
        [panel] = parts_of("manuscripts").unit_parts(sea, sea.story("p_0003")).beside
        grammar = panel.context["rows"][0]
        assert grammar.is_below and grammar.given == (("rules", 1.0), ("model review", 0.7))

    def test_the_editor_takes_latin_letters(self, ilel: RunReader) -> None:
        story = ilel.story("p_0003")
        editor = parts_of("manuscripts").editor(story)
        [field] = editor.fields
        assert (field.label, field.lang, field.value) == ("Kabyle, Latin", "kab-Latn", "Iddi ɣer ssuq ass n letniyen.")
        edited: Any = ilel.view.kind.from_person(story.source, editor.text_of({"text": "Ur iddi ara ɣer ssuq."}))
        assert edited.translation == "ⵓⵔ ⵉⴷⴷⵉ ⴰⵔⴰ ⵖⴻⵔ ⵙⵙⵓⵇ."

    def test_a_paragraph_without_a_review(self, sea: RunReader) -> None:
        parts = parts_of("manuscripts").unit_parts(sea, sea.story("p_0004"))
        assert parts.beside == () and parts.lang == "es"


@pytest.fixture(scope="module")
def bench(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    home = tmp_path_factory.mktemp("shown") / "runs"
    shutil.copytree(runs, home)
    shutil.copytree(home / "sea", home / "torn")
    (home / "torn" / "final" / "candidate_map.jsonl").write_text("somebody was here\n")
    shutil.copytree(home / "sea", home / "early")
    (home / "early" / "final" / "candidate_map.jsonl").unlink()
    with workbench(home) as server:
        yield server


class TestPages:
    @pytest.mark.parametrize("tab", ["overview", "units", "gate", "map", "bogus"])
    @pytest.mark.parametrize("run", ["sea", "ilel", "calm"])
    def test_every_tab_of_every_run(self, robin: httpx2.Client, run: str, tab: str) -> None:
        page, said = read(robin, f"/runs/{run}?tab={tab}")
        assert "Languages" in said and " style=" not in page

    def test_the_overview_ends_with_both_texts(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/sea")
        assert "paragraphs are ready" in said and "Source and translation" in said and "English to Spanish" in said
        assert '<p class="text h" data-l="Spanish" lang="es" dir="auto">El mar</p>' in page
        assert 'href="/queue?run=sea&amp;unit=p_0003">Decide</a>' in page

    def test_tifinagh_has_its_own_tag_and_letters(self, robin: httpx2.Client) -> None:
        page, _ = read(robin, "/runs/ilel?tab=units")
        assert re.search(r'<p class="text tfng" data-l="Kabyle, Tifinagh" lang="kab-Tfng" dir="auto">ⵉⵍⴻⵍ ⵢⴻⵔⵙ', page)
        assert "Kabyle, Tifinagh (by rules)" in page

    def test_filters_are_links(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/sea?tab=units&repaired=1")
        assert "1 of 1 paragraph that match" in said and "p_0002" in said and "p_0005" not in said
        assert 'aria-current="true" href="/runs/sea?tab=units&amp;repaired=1">Repaired' in page
        _, said = read(robin, "/runs/sea?tab=units&rule=negation_changed")
        assert "negation_changed" in said and "p_0003" in said and "p_0001" not in said
        assert "No paragraph matches these filters" in read(robin, "/runs/sea?tab=units&text=zebra")[1]

    def test_the_gate(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/sea?tab=gate")
        assert "Grammar .70 is below .80, model review" in said and "A missing score fails" not in said
        assert 'href="/queue?run=sea&amp;cause=' in page
        assert "Press “Approve and publish” above" in read(robin, "/runs/calm?tab=gate")[1]

    def test_the_map(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/runs/sea?tab=map&line=5")
        assert "Issues that belong to no paragraph" in said and 'class="mapped here-is"' in page
        _, said = read(robin, "/runs/torn?tab=map")
        assert "was changed by hand" in said and "burnish export RUN" in said
        for address in ("/runs/torn?tab=units", "/runs/torn/units/p_0003"):
            assert "source L6" in read(robin, address)[1] or "Line 6 of the source" in read(robin, address)[1]
        _, said = read(robin, "/runs/early?tab=map")
        assert "No candidate yet" in said

    def test_content_stays_text(self, robin: httpx2.Client) -> None:
        for address in ("/runs/sea", "/runs/sea?tab=units", "/runs/sea/units/p_0004"):
            page = re.sub(r"<textarea.*?</textarea>", "", read(robin, address)[0], flags=re.DOTALL)
            assert "<img" not in page and "&lt;img src=x onerror=alert(1)&gt;" in page and "\u202e" not in page

    def test_the_queue_shows_source_and_translation(self, robin: httpx2.Client) -> None:
        page, said = read(robin, "/queue?run=sea&unit=p_0003")
        assert "Source and translation" in said and '<mark class="critical" lang="es"><bdi>fue al</bdi></mark>' in page
        _, said = read(robin, "/queue?run=sea&unit=issue_0001")
        assert "Why it is not placed There is no paragraph on line 99." in said
        assert "Reviewers" in read(robin, "/runs/sea/units/p_0003")[1]
        assert "an issue without a paragraph" in read(robin, "/runs/sea/units/issue_0001")[1]
