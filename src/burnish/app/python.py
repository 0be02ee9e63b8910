"""The public functions: the commands as Python calls."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from burnish.app.check_json import JsonReport
from burnish.app.check_summary import job_of
from burnish.app.kinds import gather
from burnish.app.materials import Materials, materials
from burnish.app.polish_plan import Mode, Order, plan_of
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.app.translation_plan import TranslationOrder, again, new_plan, record_plan, recorded
from burnish.core.choices import refuse_slip
from burnish.core.json_bytes import loads
from burnish.engine.check import CheckSummary
from burnish.engine.session import Result, Watcher
from burnish.models.calls import Provider
from burnish.store.paths import RunFolder

Profile = Literal["standard_single_pass", "tamazight_two_pass"]
GIVEN = "the call's arguments"


def check(
    *paths: str | Path,
    kind: str | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    profile: str | None = None,
    institution: str | None = None,
    against: str | None = None,
    spec: str | Path | None = None,
    sources: Sequence[str | Path] = (),
) -> dict[str, Any]:
    """The report of `burnish check --format json`. No model is called and no network is used.

    `spec` and `sources` are the materials that lessons are checked against: files, or folders of them.

    For banks too large for memory use the command, which writes its report as a stream.
    """
    flags: dict[str, tuple[str, object]] = {
        "check.select": (GIVEN, tuple(select) or None),
        "check.ignore": (GIVEN, tuple(ignore) or None),
        "check.profile": (GIVEN, profile),
        "check.institution": (GIVEN, institution),
        "check.jobs": (GIVEN, 1),
    }
    beside = _materials(spec, sources)
    gathered = gather([str(path) for path in paths], kind, beside.places())
    job = job_of(load(flags=flags), gathered, against, baseline=None, strict_input=False, beside=beside)
    stream, summary = io.StringIO(), CheckSummary(failures=len(gathered.failures))
    report = JsonReport(stream)
    for event in job.events():
        summary.take(event)
        report.take(event)
    report.close(summary, problems=gathered.failures, passed_over=gathered.passed_over, off=job.off)
    found: dict[str, Any] = loads(stream.getvalue())
    return found


async def polish(
    path: str | Path,
    *,
    model: str | Provider | None = None,
    judges: Sequence[str] = (),
    out: str | Path | None = None,
    out_format: str | None = None,
    run_id: str | None = None,
    runs: str | Path | None = None,
    kind: str | None = None,
    base_url: str | None = None,
    spec: str | Path | None = None,
    sources: Sequence[str | Path] = (),
    mode: Mode | None = None,
    rules_only: bool = False,
    max_attempts: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> Result:
    """Polish a file or folder, as `burnish polish` does. The run can be resumed by its id.

    `rules_only`: accept what rules alone can judge, if no model judges. `max_attempts`: corrections of a question, 1 to
    5.

    `model` is a `provider:model` string, or anything with a `send` method (a ScriptedModel), which then has every
    role. `settings` are further settings by their dotted names, such as `{"limits.workers": 16}`.
    """
    loaded = load(flags=flags_of(model, judges, base_url, runs, settings))
    order = Order(
        str(path),
        kind,
        _path(out),
        run_id,
        out_format=out_format,
        materials=_materials(spec, sources),
        mode=mode,
        rules_only=rules_only,
        max_attempts=max_attempts,
    )
    plan = plan_of(order, loaded)
    provider = None if isinstance(model, str) else model
    folder = RunFolder.at(Path(loaded.settings.runs), plan.run_id)
    return await start_run(folder, plan, resources_of(loaded.settings, plan.models, provider=provider), Watcher())


async def translate(
    source: str | Path,
    *,
    run_id: str,
    to: str | None = None,
    source_language: str | None = None,
    pipeline_profile: Profile | None = None,
    model: str | Provider | None = None,
    judges: Sequence[str] = (),
    translator: str | None = None,
    memories: Sequence[str | Path] = (),
    draft: str | Path | None = None,
    glossary: str | Path | None = None,
    style: str | Path | None = None,
    exclude: str | Path | None = None,
    rules_only: bool = False,
    approved_by: str | None = None,
    runs: str | Path | None = None,
    base_url: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Result:
    """Translate a book, as `burnish translate` does. An unfinished run of the same name is resumed.

    `rules_only`: accept what rules alone can judge, if no model reviews.
    `approved_by`: the name of the person who approves the publication of the result; None: it waits for approval.
    """
    refuse_slip("pipeline_profile", pipeline_profile, Profile)
    loaded = load(flags=flags_of(model, judges, base_url, runs, settings))
    order = TranslationOrder(
        run_id,
        source=str(source),
        to=to,
        source_language=source_language,
        profile=pipeline_profile,
        translator=translator,
        memories=tuple(str(path) for path in memories),
        draft=_path(draft),
        glossary=_path(glossary),
        style=_path(style),
        exclude=_path(exclude),
        rules_only=rules_only,
    )
    folder = RunFolder.at(Path(loaded.settings.runs), run_id)
    known = recorded(folder)
    plan = new_plan(order, loaded) if known is None else again(known, order, loaded)
    resources = resources_of(loaded.settings, plan.models, provider=None if isinstance(model, str) else model)
    return await start_run(
        folder,
        plan,
        resources,
        Watcher(),
        approve=lambda left_empty: {"by": approved_by} if approved_by else None,
        record=record_plan,
    )


def flags_of(
    model: str | Provider | None,
    judges: Sequence[str],
    base_url: str | None,
    runs: str | Path | None,
    settings: Mapping[str, object] | None,
) -> dict[str, tuple[str, object]]:
    """The settings that the arguments of a call set."""
    name = model if isinstance(model, str) or model is None else "scripted:given"
    return {
        "models.model": (GIVEN, name),
        "models.judges": (GIVEN, tuple(judges) or None),
        "models.base_url": (GIVEN, base_url),
        "runs": (GIVEN, _path(runs)),
        **{key: (GIVEN, value) for key, value in (settings or {}).items()},
    }


def _path(path: str | Path | None) -> str | None:
    return None if path is None else str(path)


def _materials(spec: str | Path | None, sources: Sequence[str | Path]) -> Materials:
    return materials(_path(spec), [str(path) for path in sources])
