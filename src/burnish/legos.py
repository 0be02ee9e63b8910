"""LEGOs from Python: a language course, from its sentence pairs to the phrases that learners are taught.

burnish.legos.import_pairs("pairs.tsv", "mkd_for_eng", "course")
result = await burnish.legos.extract("course")                      # the built-in extractor, no model
result = await burnish.legos.extract("course", model="openai:gpt-5-mini", run_id="by-model")
burnish.legos.report("course")["quality_report"]["quality_summary"]
burnish.legos.score("I want to go.", "Сакам да одам.", [("I want to go", "Сакам да одам")], "mkd_for_eng")

with burnish.legos.open_records(Path("course")) as records:         # the same for files and for SQLite
    for translation in records.translations():
        records.legos(of=translation["uuid"])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from burnish.app import course_exchange as courses
from burnish.app.course_delivery import report_on, write_reports
from burnish.app.course_extraction import ExtractionOrder, extract_run, new_plan, recorded_extraction, resumed_plan
from burnish.app.python import flags_of
from burnish.app.run_sessions import resources_of, with_recorded_arguments
from burnish.app.settings import load
from burnish.core.choices import refuse_slip
from burnish.core.replies import LegoPart
from burnish.engine.session import Result, Watcher
from burnish.kinds.legos.hand_cuts import HandCut, score_cuts
from burnish.kinds.legos.iron_rule import IronRule, Variant
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.resources import Extractor
from burnish.kinds.legos.scoring import SCORING_VERSION, ScoringVersion
from burnish.models.calls import Provider
from burnish.store.paths import RunFolder, default_run_id
from burnish.store.processes import system_clock
from burnish.store.records import CourseRecords, Store, open_records

__all__ = ["CourseRecords", "extract", "import_pairs", "open_records", "report", "score"]


def import_pairs(file: str | Path, course: str, folder: str | Path) -> dict[str, Any]:
    """Import sentence pairs into a course's folder. The result is that of `burnish legos import --json`."""
    return courses.import_pairs(str(file), Course.of(course), Path(folder)).as_wire()


async def extract(
    folder: str | Path,
    *,
    model: str | Provider | None = None,
    reviewer: str | None = None,
    extractor: Extractor | None = None,
    cut_again: Sequence[str] = (),
    only: bool = False,
    retry_below: float | None = None,
    iron_rule: Variant | None = None,
    store: Store | None = None,
    run_id: str | None = None,
    runs: str | Path | None = None,
    base_url: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Result:
    """Cut every SEED of a course, as `burnish legos extract` does. An unfinished run of the same name is resumed.

    `model` is a `provider:model` string, or anything with a `send` method (a ScriptedModel); None: the built-in
    extractor, or what the settings name.
    """
    refuse_slip("extractor", extractor, Extractor)
    refuse_slip("iron_rule", iron_rule, Variant)
    refuse_slip("store", store, Store)
    named = {**(settings or {}), **({"models.reviewer": reviewer} if reviewer else {})}
    loaded = load(flags=flags_of(model, (), base_url, runs, named))
    order = ExtractionOrder(
        Path(folder),
        run_id or default_run_id(str(Path(folder).resolve()), system_clock()),
        store=store,
        extractor=extractor,
        again=tuple(cut_again),
        only=only,
        retry_below=retry_below,
        iron_rule=iron_rule,
    )
    run = RunFolder.at(Path(loaded.settings.runs), order.run_id)
    known = recorded_extraction(run)
    settings_now = loaded.settings if known is None else with_recorded_arguments(run, loaded)
    plan, left_out = new_plan(order, loaded, run) if known is None else (resumed_plan(known, order, loaded), ())
    resources = resources_of(settings_now, plan.models, provider=None if isinstance(model, str) else model)
    return await extract_run(run, plan, resources, Watcher(), left_out=left_out)


def report(folder: str | Path, store: Store | None = None) -> dict[str, Any]:
    """The quality of a course, as in `burnish legos report --json`; its reports are written again."""
    with open_records(Path(folder), store, read_only=True) as records:
        made = report_on(Path(folder), records)
    write_reports(Path(folder), made)
    return made.as_wire()


def score(
    source: str,
    target: str,
    legos: Sequence[tuple[str, str]],
    course: str,
    *,
    iron_rule: Variant | None = None,
    infinitive_to: bool | None = None,
    scoring: ScoringVersion = SCORING_VERSION,
) -> dict[str, Any]:
    """Score a sentence pair cut by hand, as `burnish legos score --json` does: scores, concerns and broken rules."""
    refuse_slip("iron_rule", iron_rule, Variant)
    refuse_slip("scoring", scoring, ScoringVersion)
    cut = HandCut(source=source, target=target, legos=[LegoPart(source=one, target=other) for one, other in legos])
    [scored] = score_cuts([cut], course, IronRule.of(iron_rule, infinitive_to), scoring)
    return scored.as_wire()
