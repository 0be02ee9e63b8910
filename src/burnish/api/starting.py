"""`POST polish` and `POST translate`: a run over content that a request brings, with the operator's models."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.answers import PREFIX, problems, told
from burnish.api.handing_in import HandedIn, Placed, laid_out, named_as_given, placed
from burnish.api.shapes.content import Ceilings, Given, PolishOrder, Started, TranslateOrder
from burnish.api.strict import StrictRoute
from burnish.api.workplace import Here, Workplace
from burnish.app.materials import materials
from burnish.app.polishing import Order, plan_of
from burnish.app.secrecy import redactor_of
from burnish.app.settings import Loaded
from burnish.app.translating import new_plan
from burnish.app.translation_orders import TranslationOrder
from burnish.core.errors import RunActive, UsageError
from burnish.engine.plan import Plan
from burnish.engine.session import begin
from burnish.store.files import make_folder
from burnish.store.lock import take_lock
from burnish.store.paths import RunFolder, default_run_id
from burnish.store.sqlite_journal import create_journal

router = APIRouter(tags=["content"], route_class=StrictRoute)


@router.post("/polish", status_code=202, response_model=Started, responses=problems(409, 507), operation_id="polish")
def polish(order: PolishOrder, here: Here) -> Response:
    """Start a run over content: find what is wrong, repair only that, publish when nothing is left to settle.

    It works with the operator's models, under the operator's ceilings. Content that cannot be read is refused before
    anything is started or spent; a run that is answered for is written down, whatever happens to the server after.
    """
    handed = HandedIn(order.given, {"spec": _optional(order.spec), "source": order.sources})
    run = order.run_id or _name(handed, here)
    loaded = _with_ceilings(_with_profile(here.loaded, order.profile), order.ceilings)
    _start(here, run, handed, lambda there: plan_of(_polish_order(order, there, run), loaded, clock=here.clock))
    return started(run)


def _polish_order(order: PolishOrder, placed: Placed, run: str) -> Order:
    beside = materials(placed.one("spec"), placed.all("source"))
    return Order(placed.path, order.kind, None, run, out_format=order.out_format, materials=beside, mode=order.mode)


@router.post(
    "/translate", status_code=202, response_model=Started, responses=problems(409, 507), operation_id="translate"
)
def translate(order: TranslateOrder, here: Here) -> Response:
    """Start the translation of a manuscript, paragraph by paragraph. It is published when somebody approves."""
    beside = {role: _optional(getattr(order, role)) for role in ("glossary", "style", "exclude", "draft")}
    handed = HandedIn([Given(name=order.name, content=order.content)], {**beside, "memory": order.memories})
    run = order.run_id or _name(handed, here)
    loaded = _with_ceilings(here.loaded, order.ceilings)
    _start(here, run, handed, lambda there: new_plan(_translation_order(order, there, run), loaded))
    return started(run)


def _translation_order(order: TranslateOrder, placed: Placed, run: str) -> TranslationOrder:
    return TranslationOrder(
        run,
        source=placed.path,
        to=order.to,
        source_language=order.from_,
        profile=order.pipeline_profile,
        orthography=order.orthography,
        memories=tuple(placed.all("memory")),
        glossary=placed.one("glossary"),
        draft=placed.one("draft"),
        exclude=placed.one("exclude"),
        style=placed.one("style"),
    )


def _start(here: Workplace, run: str, handed: HandedIn, planned: Callable[[Placed], Plan]) -> None:
    """Keep the files in the run's own folder, which it needs to its end, write its plan down, and let it go on.

    What is wrong with the content is found out aside, so that nothing of a refused request is left among the runs.
    """
    folder = RunFolder.at(here.runs, run)
    _refuse_taken(folder, here)
    here.errands.refuse_if_full()
    with laid_out(handed) as aside:
        planned(aside)
    make_folder(folder.root)
    with take_lock(folder, here.clock) as lock:
        lock.start_heartbeat()
        _refuse_taken(folder, here)
        try:
            with named_as_given(folder.input):
                plan = planned(placed(handed, folder.input))
            redactor = redactor_of(here.loaded.settings)
            with closing(create_journal(folder.journal, clock=here.clock, redactor=redactor)) as journal:
                begin(journal, plan)
        except BaseException:
            # The lock is ours, so what lies here is too; a folder that is empty but for it is nobody's run.
            shutil.rmtree(folder.input, ignore_errors=True)
            folder.journal.unlink(missing_ok=True)
            raise
    here.errands.go_on(run)


def _refuse_taken(folder: RunFolder, here: Workplace) -> None:
    """A name that a run has, or anything else. What a request left that never became a run is written over."""
    if folder.journal.exists() or here.errands.is_at_work(folder.id):
        hint = f"Choose another run_id, or POST {PREFIX}/runs/{folder.id}/continue."
        raise RunActive(f"There is a run {folder.id} already.", hint=hint)
    own = {folder.input.name, folder.guard.name, folder.lock.name}
    if folder.root.exists() and not {path.name for path in folder.root.iterdir()} <= own:
        raise RunActive(f"The name {folder.id} is taken.", hint="Choose another run_id.")


def started(run: str) -> Response:
    place = f"{PREFIX}/runs/{run}"
    return told({"run_id": run, "run": place, "events": f"{place}/events"}, 202, {"Location": place})


def _name(handed: HandedIn, here: Workplace) -> str:
    return unlike_others(default_run_id(handed.documents[0].name, here.clock()))


def unlike_others(run: str) -> str:
    """The id with a few letters more: two requests may bring the same name in the same second."""
    return f"{run}-{secrets.token_hex(2)}"


def _optional(given: Given | None) -> list[Given]:
    return [given] if given is not None else []


def _with_profile(loaded: Loaded, profile: str | None) -> Loaded:
    if profile is None:
        return loaded
    check = loaded.settings.check.model_copy(update={"profile": profile})
    sources = {**loaded.sources, "check.profile": "the request"}
    return replace(loaded, settings=loaded.settings.model_copy(update={"check": check}), sources=sources)


def _with_ceilings(loaded: Loaded, asked: Ceilings) -> Loaded:
    """What a request allows a run to spend; none of it may be more than the operator allows."""
    given = {name: value for name, value in asked.model_dump().items() if value is not None}
    for name, value in given.items():
        allowed = getattr(loaded.settings.limits, name)
        if allowed is not None and value > allowed:
            raise UsageError(f"The operator allows {allowed:g} as {name}, not {value:g}.", hint="Ask for less.")
    limits = loaded.settings.limits.model_copy(update=given)
    return replace(loaded, settings=loaded.settings.model_copy(update={"limits": limits}))
