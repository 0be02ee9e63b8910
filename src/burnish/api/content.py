"""`POST check`, `polish`, `translate`: content that a request brings is checked, or a run over it is started.

The files of a request are laid out in a folder of their own; answers name them as the request did.
"""

from __future__ import annotations

import io
import json
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import Response

from burnish.api.messages import JSON, PREFIX, StrictRoute, problems, told
from burnish.api.shapes.content import Body, Ceilings, CheckOrder, Given, PolishOrder, Started, TranslateOrder
from burnish.api.workplace import Here, Workplace
from burnish.app.check_job import Job, job_of, pair_of
from burnish.app.check_json import CheckReport, JsonReport
from burnish.app.kinds import gather
from burnish.app.materials import materials
from burnish.app.polish_plan import Order, plan_of
from burnish.app.secrecy import redactor_of
from burnish.app.settings import Loaded
from burnish.app.terminal import json_text
from burnish.app.translation_plan import TranslationOrder, new_plan
from burnish.core.errors import BurnishError, InputError, RunActive, UsageError
from burnish.engine.check_summary import CheckSummary
from burnish.engine.plan import Plan, begin
from burnish.store.files import disk_refusals, make_folder, write_together
from burnish.store.lock import take_lock
from burnish.store.paths import RunFolder, default_run_id, document_path
from burnish.store.sqlite_journal import create_journal

router = APIRouter(tags=["content"], route_class=StrictRoute)

DOCUMENTS = "documents"


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The files of a request."""

    documents: Sequence[Given]
    beside: Mapping[str, Sequence[Given]] = field(default_factory=dict)
    """Role -> what is read beside the documents, such as a specification."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The files of a request where they lie."""

    folder: Path
    documents: tuple[Path, ...]
    beside: Mapping[str, tuple[Path, ...]]

    @property
    def path(self) -> str:
        """What a command is given: the one document, or the folder of all."""
        return str(self.documents[0] if len(self.documents) == 1 else self.folder / DOCUMENTS)

    def one(self, role: str) -> str | None:
        """The one file of this role; None where there is none."""
        return next((str(path) for path in self.beside.get(role, ())), None)

    def all(self, role: str) -> list[str]:
        return [str(path) for path in self.beside.get(role, ())]


def placed(handed: HandedIn, folder: Path, *, durable: bool = True) -> Placed:
    """Write the files into `folder`, those of each role into a folder of its own."""
    given = {DOCUMENTS: handed.documents, **{role: files for role, files in handed.beside.items() if files}}
    paths = {role: tuple(document_path(folder / role, one.name) for one in files) for role, files in given.items()}
    for role, files in given.items():
        make_folder(folder / role)
        data = {path: _data(one.content) for path, one in zip(paths[role], files, strict=True)}
        if durable:
            write_together(data)
        else:
            _write(data)
    return Placed(folder, paths.pop(DOCUMENTS), paths)


@contextmanager
def laid_out(handed: HandedIn) -> Iterator[Placed]:
    """The files in a private folder that goes again. Errors that leave the block say nothing of where it was."""
    with tempfile.TemporaryDirectory(prefix="burnish-") as name:
        folder = Path(name).resolve()
        with named_as_given(folder):
            yield placed(handed, folder, durable=False)


@contextmanager
def named_as_given(folder: Path) -> Iterator[None]:
    """Errors that leave the block name the files of `folder` as the request named them."""
    try:
        yield
    except BurnishError as error:
        error.message = without_folder(error.message, folder)
        error.hint = without_folder(error.hint, folder) if error.hint else None
        if isinstance(error, InputError) and error.path is not None:
            error.path = without_folder(error.path, folder)
        raise


def without_folder(text: str, folder: Path) -> str:
    """The text with files named as the request named them."""
    return text.replace(f"{folder / DOCUMENTS}/", "").replace(f"{folder}/", "")


def without_folder_in_json(text: str, folder: Path) -> str:
    """The same for JSON that names files of the folder."""
    return without_folder(text, Path(json_text(str(folder))[1:-1]))


def _write(files: Mapping[Path, bytes]) -> None:
    for path, data in files.items():
        with disk_refusals("write", path):
            path.write_bytes(data)


def _data(content: Body) -> bytes:
    if isinstance(content, str):
        return content.encode()
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1).encode()


TURNS = anyio.CapacityLimiter(2)
"""Checks that are under way at the same time. Others wait, and cost nobody a thread: pages stay quick."""
THE_REQUEST = "the request"


@router.post("/check", response_model=CheckReport, responses=problems(507), operation_id="check")
async def check(order: CheckOrder, here: Here) -> Response:
    """Find what is wrong with content. No model is called and nothing is kept.

    The answer is the report of `burnish check --format json`; files have the names that the request gives them.
    Content that cannot be read is among the report's problems.
    """
    report = await anyio.to_thread.run_sync(_report, order, here.loaded, limiter=TURNS)
    return Response(report, media_type=JSON)


def _report(order: CheckOrder, loaded: Loaded) -> str:
    handed = HandedIn(
        order.given,
        {
            "spec": [order.spec] if order.spec else [],
            "sources": order.sources,
            "glossary": [order.glossary] if order.glossary else [],
        },
    )
    with laid_out(handed) as placed:
        job = _job(order, loaded_for(loaded, order), placed)
        return without_folder_in_json(_check_report(job), placed.folder)


def _job(order: CheckOrder, loaded: Loaded, placed: Placed) -> Job:
    if order.kind == "manuscripts":
        if len(placed.documents) != 1 or len(order.sources) != 1 or order.spec is not None:
            raise UsageError(
                "A translation is checked with its source.",
                hint="Give the translation as `content`, and its source as the one file of `sources`.",
            )
        [source], [target] = placed.all("sources"), placed.documents
        return job_of(loaded, pair_of([source, str(target)], placed.one("glossary")), None, None, strict_input=False)
    if order.glossary is not None:
        raise UsageError("A glossary has no effect here.", hint="It is for `kind: manuscripts`.")
    beside = materials(placed.one("spec"), placed.all("sources"))
    gathered = gather([str(path) for path in placed.documents], order.kind, beside.places())
    return job_of(loaded, gathered, None, None, strict_input=False, beside=beside)


def _check_report(job: Job) -> str:
    stream, tally = io.StringIO(), CheckSummary(failures=len(job.gathered.failures))
    report = JsonReport(stream)
    for event in job.events():
        tally.take(event)
        report.take(event)
    report.close(tally, problems=job.gathered.failures, passed_over=job.gathered.passed_over, off=job.off)
    return stream.getvalue()


def loaded_for(loaded: Loaded, order: CheckOrder) -> Loaded:
    """The operator's settings, with the rules that a request asks for."""
    wanted: dict[str, object] = {
        "select": tuple(order.select) or None,
        "ignore": (*loaded.settings.check.ignore, *order.ignore) if order.ignore else None,
        "profile": order.profile,
    }
    given = {name: value for name, value in wanted.items() if value is not None}
    check = loaded.settings.check.model_copy(update={**given, "jobs": 1})
    sources = {**loaded.sources, **{f"check.{name}": THE_REQUEST for name in given}}
    return replace(loaded, settings=loaded.settings.model_copy(update={"check": check}), sources=sources)


@router.post("/polish", status_code=202, response_model=Started, responses=problems(409, 507), operation_id="polish")
def polish(order: PolishOrder, here: Here) -> Response:
    """Start a run over content: find what is wrong, repair only that, publish when nothing is left to decide.

    The run uses the operator's models and ceilings. Content that cannot be read is refused before anything is started
    or spent. The run is recorded before the answer is sent.
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
    """Start the translation of a manuscript, paragraph by paragraph. It is published when a person approves."""
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
        rules_only=order.rules_only,
    )


def _start(here: Workplace, run: str, handed: HandedIn, planned: Callable[[Placed], Plan]) -> None:
    """Keep the files in the run's own folder, which it needs to its end, write its plan down, and let it go on.

    What is wrong with the content is found out aside, so that nothing of a refused request is left among the runs.
    """
    folder = RunFolder.at(here.runs, run)
    _refuse_taken(folder, here)
    here.jobs.refuse_if_full()
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
    here.jobs.go_on(run)


def _refuse_taken(folder: RunFolder, here: Workplace) -> None:
    """A name that a run has, or anything else. What a request left that never became a run is written over."""
    if folder.journal.exists() or here.jobs.is_at_work(folder.id):
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
            raise UsageError(f"{name} is at most {allowed:g} here, not {value:g}.", hint="Ask for less.")
    limits = loaded.settings.limits.model_copy(update=given)
    return replace(loaded, settings=loaded.settings.model_copy(update={"limits": limits}))
