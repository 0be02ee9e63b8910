"""The views of a bank's run: the items one after the other, and the bank as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from burnish.app.catalogue import ALL, RunCard, UnitFilter, UnitLine
from burnish.app.catalogue.titles import format_words
from burnish.core.errors import SourceUnavailable
from burnish.web.icons import Look, look_of
from burnish.web.kinds import Fact, Tab
from burnish.web.kinds.questions.bank import alike, banks
from burnish.web.kinds.questions.items import Shown, marked_item
from burnish.web.kinds.questions.waiting import Waiting

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

ITEMS_A_PAGE = 16
AFTER, BEFORE = "after", "before"
"""In the address: where a page of the list begins, or ends."""


@dataclass(frozen=True, slots=True)
class ItemCard:
    """A question in the list, as it stands."""

    line: UnitLine
    item: Shown | None
    """None: it cannot be shown."""
    away: SourceUnavailable | None = None
    """Why it cannot."""

    @property
    def look(self) -> Look:
        return look_of(self.line.state, self.line.sort)


def tabs_of(run: RunCatalogue, query: Mapping[str, str]) -> list[Tab]:
    """The tab that is looked at has its content; the others only their labels."""
    made = [
        # What every run has, where the page begins.
        Tab("overview", "Overview", "run_overview.html"),
        Tab("items", "Items", "kinds/questions/items.html"),
        Tab("bank", "Bank", "kinds/questions/bank.html"),
    ]
    parts = {"items": items_part, "bank": bank_part}
    looked_at = query.get("tab")
    return [
        replace(tab, context=parts[tab.id](run, query)) if tab.id == looked_at and tab.id in parts else tab
        for tab in made
    ]


def items_part(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of questions as a learner sees them, with what is found in them."""
    where = UnitFilter.from_query(query)
    backwards = BEFORE in query and AFTER not in query
    page = run.units(
        where, offset_key=query.get(BEFORE if backwards else AFTER), limit=ITEMS_A_PAGE, backwards=backwards
    )
    return {
        "items": [_card(run, line) for line in page.lines],
        "page": page,
        "where": where,
        "filters": list(_filters(run.card, run.view.kind.states.waiting)),
        "card": run.card,
    }


def _card(run: RunCatalogue, line: UnitLine) -> ItemCard:
    try:
        waiting = Waiting(run.story(line.id))
    except SourceUnavailable as away:
        return ItemCard(line, None, away)
    return ItemCard(line, marked_item(waiting.after, waiting.open))


def _filters(card: RunCard, waiting: str) -> Iterator[tuple[str, UnitFilter, int | None]]:
    yield "All", ALL, card.wanted
    yield "Needs a person", UnitFilter(states=(waiting,)), card.waiting
    yield "Corrected", UnitFilter(repaired=True), None
    for severity in ("error", "warning"):
        yield f"With {severity}s", UnitFilter(severity=severity), None


def bank_part(run: RunCatalogue, query: Mapping[str, str]) -> dict[str, Any]:
    """What was found out about the documents as wholes."""
    return {"banks": list(banks(run)), "alike": alike(run), "card": run.card}


def facts_of(run: RunCatalogue) -> Iterator[Fact]:
    """What is said of the run under its title."""
    plan = run.view.plan
    yield Fact(", ".join(sorted({format_words(document.format) for document in plan.documents})), "Format")
    yield Fact(str(plan.arguments.get("institution") or plan.arguments.get("profile") or "default"), "Profile")
    yield Fact(f"{len(plan.rules)} of {len(run.view.kind.checks)}", "Rules")
