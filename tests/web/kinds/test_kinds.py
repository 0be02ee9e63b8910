"""A kind's views: its own where it has them, and those that do for every kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app.run_card import StatePart
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.cli.main import main
from burnish.kinds.registry import KINDS
from burnish.store.unit_queries import ALL, UnitFilter
from burnish.web.kinds import Tab, generic, parts_of
from burnish.web.kinds.generic import filled_tabs, unit_list
from burnish.web.labels import state_filters
from burnish.web.rendering import environment
from tests.mixed_queue import bank_of


@pytest.fixture(scope="module")
def rivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunReader]:
    """A bank of forty questions, all of which wait."""
    home = tmp_path_factory.mktemp("generic")
    bank = bank_of(home / "rivers.json", 40)
    assert (
        main(["polish", str(bank), "--rules-only", "--run-id", "rivers", "--runs", str(home / "runs"), "--no-color"])
        == 3
    )
    with closing(RunIndex(Path(home / "runs"))) as opened:
        yield opened.open("rivers")


@pytest.mark.parametrize("kind", [*KINDS, "poems", "../lessons", "generic"])
def test_every_kind_has_all_four_views(kind: str) -> None:
    parts = parts_of(kind)
    assert all(callable(view) for view in (parts.run_parts, parts.unit_parts, parts.focus_parts, parts.editor))
    assert (parts.editor is generic.editor) == (kind not in KINDS)


def test_what_does_for_every_kind(rivers: RunReader) -> None:
    first = rivers.units(limit=1).lines[0]
    story = rivers.story(first.id)
    assert (generic.run_parts(rivers, {}).tabs, generic.unit_parts(rivers, story).panels) == ((), ())
    parts = generic.focus_parts(rivers, story)
    assert parts.rule in first.rules and parts.severity in ("critical", "error") and parts.reason and parts.facts
    [panel] = parts.now
    page = environment().get_template(panel.template).render(part=panel.context)
    assert "<mark" in page and 'dir="auto"' in page
    editor = generic.editor(story)
    assert [field.name for field in editor.fields] == [name or "text" for name in story.source.texts()]
    assert editor.text_of({field.name: "x" for field in editor.fields}).count("x") == len(editor.fields)


def test_the_tab_that_is_asked_for() -> None:
    def filled(**query: str) -> list[str]:
        own = [Tab(id, id, f"{id}.html") for id in ("refinement", "units")]
        tabs = filled_tabs(query, *((tab, lambda: {"content": True}) for tab in own))
        return [tab.id for tab in tabs if tab.context]

    assert [filled(tab=tab) for tab in ("units", "events", "", "nobody knows")] == [
        ["units"],
        [],
        ["refinement"],
        ["refinement"],
    ]
    assert filled() == ["refinement"]


class TestList:
    def test_pages_are_links_and_lead_back(self, rivers: RunReader) -> None:
        first = unit_list(rivers, {}, "question", limit=15)
        assert first.previous is None and first.shown == "Questions 1 to 15, 15 of 40 questions"
        assert first.next is not None and first.next.startswith("/runs/rivers?tab=units&after=")
        second = unit_list(rivers, {"after": first.next.rpartition("=")[2]}, "question", limit=15)
        assert second.page.lines[0].position == 15 and second.previous is not None
        back = unit_list(rivers, {"before": second.previous.rpartition("=")[2]}, "question", limit=15)
        assert back.page.lines == first.page.lines

    def test_filters(self, rivers: RunReader) -> None:
        shown = unit_list(rivers, {"state": "needs_manual_review"}, "question")
        labels = {label: (number, current) for label, _, number, current in shown.filters}
        assert labels["All"] == (40, False) and labels["Needs a person"] == (40, True)
        assert "Corrected" not in labels, "a filter that finds nothing is not offered"
        assert shown.shown == "25 of 40 questions that match" and shown.all == "/runs/rivers?tab=units"
        assert "state=needs_manual_review" in (shown.next or "")

    def test_every_list_offers_its_states_and_what_was_repaired_in_the_words_of_its_kind(
        self, rivers: RunReader
    ) -> None:
        """From one definition, which the page of all units shows too."""
        parts = (StatePart("validated", "ready", 30), StatePart("needs_manual_review", "person", 10))
        card = replace(rivers.card, parts=parts)

        def labels(kind: str) -> list[str]:
            return [label for label, _, _ in state_filters(replace(card, kind=kind))]

        assert labels("questions") == ["All", "Validated", "Needs a person", "Corrected"]
        assert [labels(kind)[-1] for kind in ("legos", "lessons", "manuscripts")] == [
            "Cut anew",
            "Repaired",
            "Repaired",
        ]
        assert state_filters(card)[2][1:] == (UnitFilter(states=("needs_manual_review",)), 10)

    def test_a_filter_that_no_chip_offers_is_named(self, rivers: RunReader) -> None:
        rule = rivers.units(limit=1).lines[0].rules[0]
        shown = unit_list(rivers, {"rule": rule, "text": "river"}, "question")
        assert shown.filters[-1][0] == f"{rule}, river" and shown.filters[-1][3]
        assert shown.where == UnitFilter(rule=rule, text="river") and shown.where != ALL

    def test_nothing_matches(self, rivers: RunReader) -> None:
        assert unit_list(rivers, {"text": "zebra"}, "question").shown == "No question matches these filters."
