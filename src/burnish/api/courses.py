"""`/courses`: how good the cuts of a course are, what was tried on a SEED, and cutting it anew or accepting it."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path
from starlette.responses import Response

from burnish.api.answers import PREFIX, problems, told
from burnish.api.deciding import SAVED, conflicts, result_record, see_to, status_of
from burnish.api.known_courses import KnownCourse, course_named, known_courses, seed_of, waiting_in
from burnish.api.shapes.content import Started
from burnish.api.shapes.courses import (
    AcceptOrder,
    CourseList,
    CourseQuality,
    PromptEvolution,
    RegenerateOrder,
    SeedReview,
)
from burnish.api.shapes.decisions import Decided
from burnish.api.starting import started, unlike_others
from burnish.api.strict import StrictRoute
from burnish.api.workplace import Here
from burnish.app.legos.delivery import report_on
from burnish.app.legos.evolution_ledger import evolution_of
from burnish.core.errors import InputError, RunActive, UsageError
from burnish.store.paths import RunFolder, default_run_id

router = APIRouter(tags=["courses"], route_class=StrictRoute)
Code = Annotated[str, Path(max_length=200, description="The code of a course.", examples=["mkd_for_eng"])]
SeedId = Annotated[str, Path(pattern="^C[0-9]{4}$", description="The id of a SEED.", examples=["C0044"])]
LISTS = ("flagged_seeds", "failed_seeds", "retry_queue", "human_review_queue")


class NotWaiting(UsageError):
    """A SEED that nobody has to decide on."""

    code = "not_waiting"
    status = 409


@router.get("/courses", response_model=CourseList, responses=problems(), operation_id="list_courses")
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
    return told({"courses": found})


@router.get(
    "/courses/{course_id}/quality",
    response_model=CourseQuality,
    responses=problems(404, 409),
    operation_id="get_course_quality",
)
def get_quality(course_id: Code, here: Here) -> Response:
    """How good the cuts of a course are, and which SEEDs need whom."""
    course = course_named(here.index, course_id)
    with course.records() as records:
        made = report_on(course.folder, records)
    lists = {name: made[name] for name in LISTS}
    return told(
        {"course": course.code, **made["quality_report"], **lists, "problems": _problems(course, made.problems)}
    )


def _problems(course: KnownCourse, found: tuple[InputError, ...]) -> list[dict[str, Any]]:
    """What is in no report. Files go by their names in the course's folder."""
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
    """A SEED with every extraction that was tried on it, and its LEGOs."""
    course = course_named(here.index, course_id)
    record, legos = seed_of(course, seed_id)
    waiting = waiting_in(here.index, course, seed_id)
    run, row = waiting or (None, None)
    return told(
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
    """Cut a SEED anew, with the operator's extractor. Every other SEED stays as it is."""
    course = course_named(here.index, course_id)
    seed_of(course, seed_id)
    busy = next((card.id for card in course.runs if card.standing == "working"), None)
    if busy is not None:
        raise RunActive(f"The run {busy} is at work on this course.", hint="Wait until it rests.")
    run = order.run_id or unlike_others(default_run_id(course.code, here.clock()))
    if RunFolder.at(here.runs, run).root.exists():
        raise RunActive(f"There is a run {run} already.", hint="Choose another run_id.")
    store = [f"--store={course.store}"] if course.store is not None else []
    command = ["legos", "extract", str(course.folder), f"--again={seed_id}", "--only", f"--run-id={run}", *store]
    here.errands.other(run, command)
    return started(run)


@router.post(
    "/courses/{course_id}/seeds/{seed_id}/accept",
    response_model=Decided,
    responses={**SAVED, **problems(404, 409, 507)},
    operation_id="accept_seed",
)
def accept(course_id: Code, seed_id: SeedId, order: AcceptOrder, here: Here) -> Response:
    """A person accepts a SEED as it stands in the run in which it waits. Its records follow when that run goes on."""
    course = course_named(here.index, course_id)
    seed_of(course, seed_id)
    waiting = waiting_in(here.index, course, seed_id)
    if waiting is None:
        raise NotWaiting(
            f"{seed_id} waits for nobody's decision.",
            hint=f"POST {PREFIX}/courses/{course_id}/seeds/{seed_id}/regenerate cuts it anew.",
        )
    run, _ = waiting
    with conflicts():
        result = here.reviews.record(run, seed_id, "accept", by=order.by, note=order.note, seen=order.seen)
    see_to(here, run)
    return told(result_record(result), status_of(result))


@router.get(
    "/courses/{course_id}/prompt-evolution",
    response_model=PromptEvolution,
    responses=problems(404, 409),
    operation_id="get_prompt_evolution",
)
def get_prompt_evolution(course_id: Code, here: Here) -> Response:
    """What the prompts of a course have learnt, and every rule that was tried on its SEEDs."""
    course = course_named(here.index, course_id)
    found: list[InputError] = []
    evolution = evolution_of(course.folder, found)
    return told(
        {
            "course": course.code,
            **evolution.as_wire(),
            "ledger": [row.model_dump(mode="json") for row in evolution.ledger.rows],
            "problems": _problems(course, tuple(found)),
        }
    )
