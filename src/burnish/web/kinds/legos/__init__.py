"""LEGO courses in the workbench: cuts over the words of both sentences, attempts, and the quality of the course."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from burnish.app.course_delivery import evolution_of
from burnish.app.course_reuse import CUTS, ROWS
from burnish.app.course_text import DIMENSIONS
from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.errors import BurnishError, InputError
from burnish.core.findings import Severity
from burnish.core.presentation import UnitStory
from burnish.engine.plan import Plan
from burnish.kinds.legos.evolution.trials import chance
from burnish.kinds.legos.kind import LegosKind
from burnish.kinds.legos.model import OVERALL
from burnish.kinds.legos.policy import CONCERNS, SEVERITIES
from burnish.kinds.legos.reports import FOLDER, TEACHING_ORDER
from burnish.kinds.legos.reports.inventory import inventory
from burnish.kinds.legos.reports.shapes import OrderedSeed, QualityReport, Reuse, TeachingOrder
from burnish.kinds.legos.resources import NO_PROMPT, Terms
from burnish.store.paths import document_path
from burnish.web import Drawn
from burnish.web.charts import Part, Stack, stack
from burnish.web.formatting import count, plural
from burnish.web.kinds import Fact, FocusParts, Panel, RunParts, Tab, UnitParts
from burnish.web.kinds.generic import filled_tabs, unit_list
from burnish.web.kinds.legos.cuts import HANDS, CourseLanguages
from burnish.web.kinds.legos.review import SeedReview, editor, facts, ready_cut, why_it_waits, worst_of
from burnish.web.labels import Fill, model_name
from burnish.web.rendering import run_link

Report = TypeVar("Report", bound=BaseModel)
REPORT = f"{FOLDER}/quality_report.json"
LARGEST = 64 << 20
"""Most bytes of a report: the teaching order of 10,000 SEEDs has a few million."""
SEEDS_A_PAGE = 20
MOST_TRIALS = 60
"""Most trials on one page, the newest first."""
STATUSES: Sequence[tuple[str, str, Fill]] = (
    ("accepted", "accepted", "ok"),
    ("flagged", "flagged", "rework"),
    ("failed", "failed", "fail"),
    ("pending_review", "waiting for a person", "person"),
    ("not_extracted", "not cut yet", "idle"),
)
"""Field of the report, label, colour."""
DECISIONS: Mapping[str, tuple[str, str, str]] = {
    "adopted": ("Adopted", "done", "check"),
    "rejected": ("Rejected", "stop", "none"),
    "taken_back": ("Withdrawn", "wait", "back"),
    "kept": ("Kept", "done", "lock"),
}
"""Decision on a trial -> label, tone, icon."""


@dataclass(frozen=True)
class Quality:
    """The quality of a course, from its report."""

    report: QualityReport

    @property
    def statuses(self) -> Stack:
        summary = self.report.quality_summary
        return stack(Part(getattr(summary, name), words, fill) for name, words, fill in STATUSES)

    @property
    def tried(self) -> int:
        summary = self.report.quality_summary
        return summary.total_seeds - summary.not_extracted

    @property
    def dimensions(self) -> tuple[Drawn, ...]:
        means = self.report.dimension_averages
        found = ((label, getattr(means, name)) for name, label in DIMENSIONS.items())
        return tuple(
            Drawn(label=label, value=value, width=round(value * 10, 1)) for label, value in found if value is not None
        )

    @property
    def concerns(self) -> tuple[Drawn, ...]:
        """The concerns, the most frequent first."""
        return tuple(
            Drawn(id=id, severity=_severity(id), count=count, width=round(count / max(self.tried, 1) * 100, 1))
            for id, count in self.report.concern_frequency.items()
        )


def _severity(concern: str) -> Severity:
    kind = CONCERNS.get(concern)
    return SEVERITIES[kind.severity] if kind is not None else "warning"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why the report of a course cannot be shown."""

    message: str


def folder_of(plan: Plan) -> Path | None:
    """The folder of the course of a run; None if the run has none."""
    course = plan.arguments.get("course")
    place = course.get("folder") if isinstance(course, Mapping) else plan.arguments.get("path") if plan.task else None
    return Path(place) if isinstance(place, str) else None


def report_of(folder: Path, name: str, shape: type[Report], words: str) -> Report | Unreadable:
    """A report in the folder of a course; `words` is its name in messages."""
    try:
        path = document_path(folder, name)
        if path.stat().st_size > LARGEST:
            return Unreadable(f"The {words} of the course is too large.")
        return shape.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Unreadable(f"The course has no {words} yet. It is written when the run stops.")
    except (OSError, ValidationError):
        return Unreadable(f"The {words} of the course cannot be read. `burnish legos report` writes it again.")
    except BurnishError as error:
        return Unreadable(error.message)


def quality_of(folder: Path) -> Quality | Unreadable:
    """The quality report in the folder of a course."""
    found = report_of(folder, REPORT, QualityReport, "quality report")
    return found if isinstance(found, Unreadable) else Quality(found)


def learnt_in(folder: Path) -> Drawn | Unreadable:
    """The learnt rules of a course's prompts: overlay and ledger in its folder, with the newest trials first."""
    problems: list[InputError] = []
    try:
        found = evolution_of(folder, problems)
    except BurnishError as error:
        return Unreadable(error.message)
    rows = found.ledger.rows
    # Trials that changed the prompt: each has a new version.
    changed = [row for row in rows if row.version_before != row.version_after]
    trials, versions = (
        [
            Drawn(row=row, look=DECISIONS[row.decision], p=chance(row.evidence.p))
            for row in reversed(some[-MOST_TRIALS:])
        ]
        for some in (rows, changed)
    )
    return Drawn(
        version=str(found.overlay.version),
        rules=found.overlay.rules,
        trials=trials,
        runs={trial.row.run_id for trial in trials},
        left_out=max(0, len(rows) - MOST_TRIALS),
        versions=versions,
        problems=tuple(str(problem) for problem in problems),
    )


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The tabs of a course: quality, SEEDs, LEGOs, and learnt prompt rules."""
    card, terms = run.card, terms_of(run)
    prompts = (
        Tab("prompts", "Prompts", "kinds/legos/prompts.html", count=card.trials or None),
        lambda: _prompts(run, terms),
    )
    course = (Tab("course", "Course", "kinds/legos/course.html"), lambda: _course(run, terms))
    seeds = (Tab("units", "SEEDs", "kinds/legos/seeds.html", count=card.requested), lambda: _seeds(run, query, terms))
    legos = (Tab(TAB, "LEGOs", "kinds/legos/legos.html"), lambda: _legos(run, query, terms))
    tabs = filled_tabs(query, prompts) if card.task else filled_tabs(query, course, seeds, legos, prompts)
    return RunParts(tabs, tuple(facts_of(run, terms)))


def terms_of(run: RunReader) -> Terms:
    return cast(LegosKind, run.view.kind).terms


def _course(run: RunReader, terms: Terms) -> dict[str, Any]:
    """The quality report, and the distribution of the scores of this run."""
    folder = folder_of(run.view.plan)
    return {
        "quality": quality_of(folder) if folder is not None else None,
        "folder": folder.name if folder is not None else "",
        "overall": next((one for one in run.scores() if one.name == OVERALL), None),
        "causes": run.causes(),
        "found": {one.rule for one in run.findings_by_rule()},
        "card": run.card,
        "terms": terms,
        "languages": CourseLanguages.of(terms.course),
    }


def _legos(run: RunReader, query: Mapping[str, str], terms: Terms) -> dict[str, Any]:
    folder = folder_of(run.view.plan)
    languages = {"languages": CourseLanguages.of(terms.course)}
    if folder is None:
        return {"message": "The run does not say where its course is.", **languages}
    quality = quality_of(folder)
    reuse = quality.report.reuse if isinstance(quality, Quality) else None
    return {**legos_part(run.card.id, folder, reuse, query), **languages}


def _seeds(run: RunReader, query: Mapping[str, str], terms: Terms) -> dict[str, Any]:
    shown = unit_list(run, query, "SEED", limit=SEEDS_A_PAGE)
    return {
        "seeds": [seed_card(run, line, terms) for line in shown.page.lines],
        "list": shown,
        "languages": CourseLanguages.of(terms.course),
        "card": run.card,
    }


def seed_card(run: RunReader, line: UnitLine, terms: Terms) -> Drawn:
    review = SeedReview.of(run.story(line.id), terms)
    kept = review.draft
    return Drawn(
        line=line,
        drawing=review.shown() if kept.legos else None,
        source=kept.source,
        target=kept.target,
        attempts=review.attempts,
        kept=next((one for one in review.attempts if one.is_kept), None),
    )


def _prompts(run: RunReader, terms: Terms) -> dict[str, Any]:
    folder = folder_of(run.view.plan)
    return {
        "learnt": learnt_in(folder) if folder is not None else None,
        "run": run.card.id,
        "used": terms.prompt_version if terms.extractor == "model" else None,
        "rules": terms.rules,
    }


def facts_of(run: RunReader, terms: Terms) -> Iterator[Fact]:
    """The facts under the title of the run."""
    languages, plan = CourseLanguages.of(terms.course), run.view.plan
    yield Fact(f"{languages.target_name} for speakers of {languages.source_name}", "Course", title=terms.course_code)
    if plan.task:
        yield Fact(model_name(plan.roles["extractor"]), "Rules tested with")
        return
    if terms.extractor == "model":
        yield Fact(model_name(plan.roles["extractor"]), "Cut by")
        learnt = len(terms.rules)
        yield Fact(f"{terms.prompt_version}{f', {learnt} learnt' if learnt else ''}", "Prompt")
    else:
        yield Fact(HANDS[terms.extractor], "Cut by", title=f"Prompt {NO_PROMPT}: no model was prompted")
    yield Fact(f"{terms.rule.variant.replace('_', ' ')}", "Iron Rule")
    yield Fact(f"{terms.max_attempts}, again below {terms.retry_below:.1f}", "Attempts")


__all__ = ["editor", "focus_parts", "run_parts", "unit_parts"]


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """The kept cut next to the one in the course, and all attempts with their cuts."""
    review = SeedReview.of(story, terms_of(run))
    languages = review.languages
    fields = {f"L{position}" for position in range(1, len(review.draft.legos) + 1)}
    return UnitParts(
        panels=[
            Panel("kinds/legos/cuts_panel.html", {"review": review}, id="diff"),
            Panel("kinds/legos/attempts_panel.html", {"review": review}, id="findings"),
        ],
        lang=languages.source,
        languages={f"{field}.target": languages.target for field in fields},
    )


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """Why the SEED waits, the current cut, and the one that accepting would keep."""
    review = SeedReview.of(story, terms_of(run))
    worst = worst_of(review)
    cut = Panel("kinds/legos/cut.html", {"review": review})
    change = Panel("kinds/legos/change.html", {"review": review})
    ready = ready_cut(run, review)
    offer = Panel("kinds/legos/proposal.html", {"proposal": ready}) if ready is not None else None
    return FocusParts(
        reason=tuple(why_it_waits(run.view.kind, review)),
        severity=worst.severity if worst is not None else None,
        rule=worst.rule if worst is not None else None,
        facts=tuple(facts(run.view.kind, review)),
        earlier=sum(one.is_earlier for one in review.attempts),
        now=[cut, change] if review.draft.legos and not review.is_sound and offer is None else [cut],
        proposed=[change] if review.is_sound else [offer] if offer is not None else (),
    )


A_PAGE = 50
COLUMNS = 60
"""Most columns of the chart."""
HEIGHT = 84
"""The height of its tallest column in pixels."""
TAB = "legos"


def order_of(folder: Path) -> TeachingOrder | Unreadable:
    """The teaching order of a course, or why it cannot be shown."""
    return report_of(folder, TEACHING_ORDER, TeachingOrder, "teaching order")


def legos_part(run: str, folder: Path, reuse: Reuse | None, query: Mapping[str, str]) -> dict[str, Any]:
    """The LEGOs tab: all LEGOs that can be taught, or the requested one."""
    found = order_of(folder)
    if isinstance(found, Unreadable):
        return {"message": found.message}
    order = found.model_dump()
    rows = inventory(order)
    one = next((row for row in rows if row["uuid"] == query.get("lego")), None)
    if one is not None:
        return {"lego": one, "opens": set(one["opens"]), "back": run_link(run, tab=TAB), "run": run}
    find = query.get("find", "")
    matching = [row for row in rows if any(find.casefold() in row[half].casefold() for half in ("source", "target"))]
    start = int(given) if (given := query.get("from", "0")).isdecimal() and len(given) < 8 else 0
    return {
        "figures": _figures(reuse) if reuse is not None else (),
        "cuts": tuple(CUTS.values()),
        "picture": _picture(found.seeds),
        "order": found.order,
        "rows": matching[start : start + A_PAGE],
        "find": find,
        "shown": f"{count(len(matching))} of {plural(len(rows), 'LEGO')}" if find else plural(len(rows), "LEGO"),
        "previous": _page(run, find, start - A_PAGE) if start > 0 else None,
        "next": _page(run, find, start + A_PAGE) if start + A_PAGE < len(matching) else None,
        "run": run,
    }


def _page(run: str, find: str, start: int) -> str:
    return run_link(run, tab=TAB, find=find or None, **{"from": max(0, start)})


def _figures(reuse: Reuse) -> tuple[tuple[str, tuple[str, ...]], ...]:
    figures = reuse.model_dump()
    if not figures["course"]["distinct"]:
        return ()
    return tuple((label, tuple(cell(figures[name]) for name in CUTS)) for label, cell in ROWS.items())


def _picture(seeds: Sequence[OrderedSeed]) -> Drawn | None:
    if not seeds:
        return None
    number = min(COLUMNS, len(seeds))
    bounds = [len(seeds) * place // number for place in range(number + 1)]
    means = [
        (
            sum(len(seed.new_legos) for seed in seeds[start:end]) / (end - start),
            sum(len(seed.known_legos) for seed in seeds[start:end]) / (end - start),
        )
        for start, end in pairwise(bounds)
    ]
    most = max(new + known for new, known in means)
    columns = []
    for place, (new, known) in enumerate(means):
        high, low = HEIGHT * new / most, HEIGHT * known / most
        x, width = round(place * 100 / number, 3), round(86 / number, 3)
        columns.append(
            Drawn(
                x=x,
                width=width,
                new_y=round(HEIGHT - high, 1),
                new_height=round(high, 1),
                known_y=round(HEIGHT - high - low, 1),
                known_height=round(low, 1),
            )
        )
    first, last = means[0], means[-1]
    label = (
        f"LEGOs a SEED, in the order of teaching: {first[0]:.1f} new and {first[1]:.1f} known at the start, "
        f"{last[0]:.1f} new and {last[1]:.1f} known at the end"
    )
    return Drawn(columns=tuple(columns), most=f"{most:.1f}", label=label)
