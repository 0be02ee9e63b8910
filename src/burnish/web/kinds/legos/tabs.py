"""The views of a course's run: how the course stands, SEED by SEED, and what its prompts have learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from burnish.app.catalogue import ALL, Dimension, RunCard, UnitFilter, UnitLine
from burnish.kinds.legos.equipment import NO_PROMPT, Terms
from burnish.kinds.legos.policy import OVERALL
from burnish.web.icons import Look, look_of
from burnish.web.kinds import Fact, Tab
from burnish.web.kinds.legos.course import folder_of, learnt_in, quality_of
from burnish.web.kinds.legos.drawing import Drawing, Tongues, drawing
from burnish.web.kinds.legos.focus import Waiting
from burnish.web.kinds.legos.tries import HANDS, Try
from burnish.web.speaking import model_name

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

SEEDS_A_PAGE = 20
AFTER, BEFORE = "after", "before"
"""In the address: where a page of the list begins, or ends."""


@dataclass(frozen=True, slots=True)
class SeedCard:
    """A SEED in the list."""

    line: UnitLine
    drawing: Drawing | None
    """None: nothing is cut yet."""
    source: str
    target: str
    tries: tuple[Try, ...]

    @property
    def look(self) -> Look:
        return look_of(self.line.state, self.line.sort)

    @property
    def kept(self) -> Try | None:
        return next((one for one in self.tries if one.is_kept), None)


def tabs_of(run: RunCatalogue, query: Mapping[str, str], terms: Terms) -> list[Tab]:
    """The tab that is looked at has its content; the others only their labels."""
    card = run.card
    prompts = Tab("prompts", "Prompts", "kinds/legos/prompts.html", count=card.trials or None)
    if card.task:
        return [_filled(prompts, run, query, terms)]
    made = [
        Tab("course", "Course", "kinds/legos/course.html"),
        Tab("units", "SEEDs", "kinds/legos/seeds.html", count=card.wanted),
        prompts,
    ]
    looked_at = query.get("tab") or made[0].id
    return [_filled(tab, run, query, terms) if tab.id == looked_at else tab for tab in made]


def _filled(tab: Tab, run: RunCatalogue, query: Mapping[str, str], terms: Terms) -> Tab:
    context = {"course": course_part, "units": seeds_part, "prompts": prompts_part}[tab.id](run, query, terms)
    return Tab(tab.id, tab.label, tab.template, context, tab.count, tab.alarming)


def course_part(run: RunCatalogue, query: Mapping[str, str], terms: Terms) -> dict[str, Any]:
    """The quality report, and how the scores of this run lie."""
    folder = folder_of(run.view.plan)
    return {
        "quality": quality_of(folder) if folder is not None else None,
        "folder": folder.name if folder is not None else "",
        "overall": _overall(run),
        "causes": run.causes(),
        "found": {one.rule for one in run.findings_by_rule()},
        "card": run.card,
        "terms": terms,
        "tongues": Tongues.of(terms.course),
    }


def _overall(run: RunCatalogue) -> Dimension | None:
    return next((one for one in run.scores() if one.name == OVERALL), None)


def seeds_part(run: RunCatalogue, query: Mapping[str, str], terms: Terms) -> dict[str, Any]:
    """A page of SEEDs with their cuts."""
    where = UnitFilter.from_query(query)
    backwards = BEFORE in query and AFTER not in query
    page = run.units(
        where, offset_key=query.get(BEFORE if backwards else AFTER), limit=SEEDS_A_PAGE, backwards=backwards
    )
    return {
        "seeds": [seed_card(run, line, terms) for line in page.lines],
        "page": page,
        "where": where,
        "filters": list(_filters(run.card)),
        "tongues": Tongues.of(terms.course),
        "card": run.card,
    }


def _filters(card: RunCard) -> Iterator[tuple[str, UnitFilter, int | None]]:
    yield "All", ALL, sum(card.counts.values())
    for part in card.parts:
        label = look_of(part.state, part.sort).words.capitalize()
        yield label, UnitFilter(states=(part.state,)), part.count
    yield "Cut anew", UnitFilter(repaired=True), None


def seed_card(run: RunCatalogue, line: UnitLine, terms: Terms) -> SeedCard:
    waiting = Waiting.of(run.story(line.id), terms)
    stands = waiting.stands
    cut = drawing(stands, terms, label="Cut", made=waiting.made) if stands.legos else None
    return SeedCard(line, cut, stands.source, stands.target, waiting.tries)


def prompts_part(run: RunCatalogue, query: Mapping[str, str], terms: Terms) -> dict[str, Any]:
    """What the prompts of the course have learnt, and what was tried."""
    folder = folder_of(run.view.plan)
    return {
        "learnt": learnt_in(folder) if folder is not None else None,
        "run": run.card.id,
        "used": terms.prompt_version if terms.extractor == "model" else None,
        "rules": terms.rules,
    }


def facts_of(run: RunCatalogue, terms: Terms) -> Iterator[Fact]:
    """What is said of the run under its title."""
    tongues, plan = Tongues.of(terms.course), run.view.plan
    yield Fact(f"{tongues.target_name} for speakers of {tongues.source_name}", "Course", title=terms.course_code)
    if plan.task:
        yield Fact(model_name(plan.roles["extractor"]), "Rules are tried with")
        return
    if terms.extractor == "model":
        yield Fact(model_name(plan.roles["extractor"]), "Cut by")
        learnt = len(terms.rules)
        yield Fact(f"{terms.prompt_version}{f', {learnt} learnt' if learnt else ''}", "Prompt")
    else:
        yield Fact(HANDS[terms.extractor], "Cut by", title=f"Prompt {NO_PROMPT}: nobody was prompted")
    yield Fact(f"{terms.rule.variant.replace('_', ' ')}", "Iron Rule")
    yield Fact(f"{terms.max_attempts}, again below {terms.retry_below:.1f}", "Tries")
