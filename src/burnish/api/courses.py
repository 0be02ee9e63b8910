"""`/courses`: the quality of a course, the attempts on a SEED, and cutting it again or accepting it.

A request names the course by its code; the runs record in which folder it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from starlette.responses import Response

from burnish.api.access import signature
from burnish.api.content import started
from burnish.api.decisions import SAVED, conflicts, result_record, status_of
from burnish.api.messages import PREFIX, After, Limit, StrictRoute, json_response, page_end, problems
from burnish.api.shapes import Started
from burnish.api.shapes.decisions import (
    AcceptOrder,
    CourseList,
    CourseOrder,
    CourseQuality,
    Decided,
    LegoInventory,
    PromptEvolution,
    RegenerateOrder,
    SeedReview,
)
from burnish.api.workplace import Here
from burnish.app.course_delivery import evolution_of, report_on
from burnish.app.course_extraction import KIND
from burnish.app.run_card import RunCard
from burnish.app.run_index import RunIndex
from burnish.app.run_starts import unlike_others
from burnish.app.runs import EVOLVE
from burnish.core.errors import InputError, NotFound, RunActive, UsageError
from burnish.core.records import UnitRow
from burnish.engine.plan import Plan
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.model import HALVES
from burnish.kinds.legos.policy import WAITING
from burnish.kinds.legos.reports.inventory import inventory
from burnish.kinds.legos.validation import validate
from burnish.store.paths import RunFolder, default_run_id
from burnish.store.records import DATABASE, HOME, CourseRecords, Store, open_records

router = APIRouter(tags=["courses"], route_class=StrictRoute)


class SeveralFolders(UsageError):
    """A course code that runs have used in several folders."""

    code = "several_folders"
    status = 409


@dataclass(frozen=True, slots=True)
class KnownCourse:
    """A course that runs have worked on."""

    code: str
    folder: Path
    store: Store | None
    """None: detected."""
    runs: tuple[RunCard, ...]
    """Its runs, the most recently active first."""

    @contextmanager
    def records(self) -> Iterator[CourseRecords]:
        """Its records, opened for reading."""
        with open_records(self.folder, self.store, read_only=True) as opened:
            yield opened


def known_courses(index: RunIndex) -> list[KnownCourse]:
    """The courses of all runs, as far as their folders still hold them."""
    found: dict[tuple[str, Path], list[tuple[RunCard, Plan]]] = {}
    for card in index.cards():
        if isinstance(card, RunCard) and card.kind == KIND:
            plan = index.open(card.id).view.plan
            folder = Path(plan.arguments["path"] if plan.task == EVOLVE else plan.arguments["course"]["folder"])
            if (folder / HOME).is_dir() or (folder / DATABASE).is_file():
                found.setdefault((str(plan.arguments["options"]["course"]), folder), []).append((card, plan))
    return [
        KnownCourse(code, folder, _store(folder, [plan for _, plan in runs]), tuple(card for card, _ in runs))
        for (code, folder), runs in sorted(found.items())
    ]


def _store(folder: Path, plans: list[Plan]) -> Store | None:
    """The store that the latest extraction used, if the folder has both."""
    if not ((folder / HOME).is_dir() and (folder / DATABASE).is_file()):
        return None
    return next((plan.arguments["course"]["store"] for plan in plans if "course" in plan.arguments), None)


def course_named(index: RunIndex, code: str) -> KnownCourse:
    """The course that a request names."""
    found = [course for course in known_courses(index) if course.code == code]
    if not found:
        raise NotFound("No run in this folder has worked on this course.", hint="GET /api/v1/courses lists them.")
    if len(found) > 1:
        raise SeveralFolders(
            f"The course {code} is in {len(found)} folders.",
            hint="Move the runs over one of them to another folder.",
        )
    return found[0]


def seed_record(course: KnownCourse, seed: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The current record of a SEED and its LEGOs. Raise NotFound if the course has no SEED of that id."""
    with course.records() as records:
        uuid = next((uuid for uuid, id in sorted(records.seed_ids().items()) if id == seed), None)
        record = records.translation(uuid) if uuid is not None else None
        if uuid is None or record is None:
            raise NotFound(f"The course {course.code} has no SEED {seed}.", hint="Ids are like C0044.")
        legos = records.legos(of=uuid)
    current = migrated(record, len(legos))
    for one in (current, *legos):
        _refuse_invalid(one, seed)
    return current, legos


def _refuse_invalid(record: dict[str, Any], seed: str) -> None:
    worst = next((slip for slip in validate(record) if slip.level == "error"), None)
    if worst is not None:
        raise InputError(
            f"A record of {seed} cannot be used: {worst.field} {worst.message}".strip(),
            field=worst.field or None,
            code="invalid_record",
            hint="`burnish legos validate` lists everything that is wrong.",
        )


def waiting_in(index: RunIndex, course: KnownCourse, seed: str) -> tuple[str, UnitRow] | None:
    """The latest run over the course in which the SEED waits for a person, and its row there."""
    for card in course.runs:
        row = index.open(card.id).view.journal.unit(seed)
        if row is not None and row.state == WAITING:
            return card.id, row
    return None


Code = Annotated[str, InPath(max_length=200, description="The code of a course.", examples=["mkd_for_eng"])]
SeedId = Annotated[str, InPath(pattern="^C[0-9]{4}$", description="The id of a SEED.", examples=["C0044"])]
LISTS = ("flagged_seeds", "failed_seeds", "retry_queue", "human_review_queue")


class NotWaiting(UsageError):
    """A SEED that does not wait for a decision."""

    code = "not_waiting"
    status = 409


@router.get("/courses", response_model=CourseList, responses=problems())
def list_courses(here: Here) -> Response:
    """The courses that runs in this folder have worked on."""
    found = [
        {
            "id": course.code,
            "runs": [card.id for card in course.runs],
            "url": f"{PREFIX}/courses/{quote(course.code, safe='')}/quality",
        }
        for course in known_courses(here.index)
    ]
    return json_response({"courses": found})


@router.get(
    "/courses/{course_id}/quality",
    response_model=CourseQuality,
    responses=problems(404, 409),
    operation_id="get_course_quality",
)
def get_quality(course_id: Code, here: Here) -> Response:
    """The quality of a course, and the SEEDs that need work or a person."""
    course = course_named(here.index, course_id)
    with course.records() as records:
        made = report_on(course.folder, records)
    lists = {name: made[name] for name in LISTS}
    return json_response(
        {"course": course.code, **made["quality_report"], **lists, "problems": _problems(course, made.problems)}
    )


@router.get(
    "/courses/{course_id}/legos",
    response_model=LegoInventory,
    responses=problems(404, 409),
    operation_id="list_course_legos",
)
def list_legos(
    course_id: Code,
    here: Here,
    find: Annotated[str | None, Query(max_length=200, description="Text to look for in either half.")] = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """The distinct LEGOs of the accepted SEEDs: how often each occurs, where first, which SEEDs it completes."""
    course, order = _teaching_order(here, course_id)
    needle = (find or "").casefold()
    found = [row for row in inventory(order) if any(needle in row[half].casefold() for half in HALVES)]
    end = after + limit
    return json_response({"course": course.code, "legos": found[after:end], **page_end(len(found), end)})


@router.get("/courses/{course_id}/teaching-order", response_model=CourseOrder, responses=problems(404, 409))
def get_teaching_order(course_id: Code, here: Here, after: After = 0, limit: Limit = 50) -> Response:
    """The accepted SEEDs in the order of teaching, with the new and the known LEGOs of each."""
    course, order = _teaching_order(here, course_id)
    shown = order["seeds"][after : after + limit]
    pages = page_end(len(order["seeds"]), after + limit)
    return json_response({"course": course.code, "order": order["order"], "seeds": shown, **pages})


def _teaching_order(here: Here, code: str) -> tuple[KnownCourse, dict[str, Any]]:
    course = course_named(here.index, code)
    with course.records() as records:
        return course, report_on(course.folder, records)["teaching_order"]


def _problems(course: KnownCourse, found: tuple[InputError, ...]) -> list[dict[str, Any]]:
    """The records and files that no report includes, with paths relative to the course's folder."""
    home = f"{course.folder}/"
    return [
        {
            "path": (one.path or "").removeprefix(home) or None,
            "code": one.code,
            "message": one.message.replace(home, ""),
        }
        for one in found
    ]


@router.get(
    "/courses/{course_id}/seeds/{seed_id}/review",
    response_model=SeedReview,
    responses=problems(404, 409),
    operation_id="get_seed_review",
)
def get_review(course_id: Code, seed_id: SeedId, here: Here) -> Response:
    """A SEED with every extraction attempt, and its LEGOs."""
    course = course_named(here.index, course_id)
    record, legos = seed_record(course, seed_id)
    waiting = waiting_in(here.index, course, seed_id)
    run, row = waiting or (None, None)
    return json_response(
        {
            "course": course.code,
            "translation": record,
            "legos": legos,
            "waits_in": run,
            "seen": row.at if row is not None else None,
        }
    )


@router.post(
    "/courses/{course_id}/seeds/{seed_id}/regenerate",
    status_code=202,
    response_model=Started,
    responses=problems(404, 409, 507),
    operation_id="regenerate_seed",
)
def regenerate(
    course_id: Code,
    seed_id: SeedId,
    here: Here,
    order: RegenerateOrder = RegenerateOrder(),
) -> Response:
    """Cut a SEED again, with the operator's extractor. All other SEEDs stay unchanged."""
    course = course_named(here.index, course_id)
    seed_record(course, seed_id)
    busy = next((card.id for card in course.runs if card.state == "working"), None)
    if busy is not None:
        raise RunActive(f"The run {busy} is working on this course.", hint="Wait until it stops.")
    run = order.run_id or unlike_others(default_run_id(course.code, here.clock()))
    if RunFolder.at(here.runs, run).root.exists():
        raise RunActive(f"There is a run {run} already.", hint="Choose another run_id.")
    store = [f"--store={course.store}"] if course.store is not None else []
    command = ["legos", "extract", str(course.folder), f"--again={seed_id}", "--only", f"--run-id={run}", *store]
    with here.signed("started", run):
        here.jobs.other(run, command)
    return started(run)


@router.post(
    "/courses/{course_id}/seeds/{seed_id}/accept",
    response_model=Decided,
    responses={**SAVED, **problems(404, 409, 507)},
    operation_id="accept_seed",
)
def accept(course_id: Code, seed_id: SeedId, order: AcceptOrder, here: Here) -> Response:
    """A person accepts a SEED in the run in which it waits. Its records follow when that run resumes."""
    course = course_named(here.index, course_id)
    seed_record(course, seed_id)
    waiting = waiting_in(here.index, course, seed_id)
    if waiting is None:
        raise NotWaiting(
            f"{seed_id} does not wait for a decision.",
            hint=f"POST {PREFIX}/courses/{course_id}/seeds/{seed_id}/regenerate cuts it again.",
        )
    run, _ = waiting
    with conflicts():
        result = here.reviews.record(run, seed_id, "accept", by=signature(order.by), note=order.note, seen=order.seen)
    here.note_decided(run)
    return json_response(result_record(result), status_of(result))


@router.get("/courses/{course_id}/prompt-evolution", response_model=PromptEvolution, responses=problems(404, 409))
def get_prompt_evolution(course_id: Code, here: Here) -> Response:
    """What the prompts of a course have learnt, and every rule that was tested on its SEEDs."""
    course = course_named(here.index, course_id)
    found: list[InputError] = []
    evolution = evolution_of(course.folder, found)
    return json_response(
        {
            "course": course.code,
            **evolution.as_wire(),
            "ledger": [row.model_dump(mode="json") for row in evolution.ledger.rows],
            "problems": _problems(course, tuple(found)),
        }
    )
