"""Shared by tests of the engine: runs over lessons in a temporary folder, with the models of a small world."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from burnish.app.materials import kind_of, materials
from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import OtherModels, resources_of, resume_run, start_run
from burnish.app.runs import View
from burnish.app.settings import Loaded, load
from burnish.core.records import UnitRow
from burnish.engine.decisions import Deciding
from burnish.engine.plan import recorded_plan
from burnish.engine.runner import RunResources
from burnish.engine.session import Result, neighbours_of
from burnish.engine.unit_loader import examiner_of
from burnish.models.calls import Call, Provider
from burnish.models.scripted import Fault, ScriptedModel
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import Quiet, journal_of, patient
from tests.lessons_model import SOURCE, SPEC, Down, World, as_text

JUDGES = ("scripted:judge-a", "scripted:judge-b", "scripted:judge-c")
NONCE = "5eed" * 8


def scripted(world: World) -> ScriptedModel:
    """The world as a provider; `asked` counts what came in."""

    def answer(call: Call) -> object:
        try:
            return world.reply(call.reply_name, call.model, call.user)
        except Down:
            return Fault(status=503)

    return ScriptedModel(answer)


@dataclass
class LessonRun:
    """One run over one lesson, or several."""

    home: Path
    lessons: Mapping[str, Mapping[str, Any]]
    """File name -> lesson."""
    id: str = "r1"
    mode: Literal["semi-auto", "full-auto"] = "semi-auto"
    judges: tuple[str, ...] = JUDGES[:2]
    roles: Mapping[str, str] = field(default_factory=lambda: {"patcher": "scripted:patcher"})
    sources: bool = False
    result: Result | None = None
    watcher: Quiet = field(default_factory=Quiet)

    @property
    def folder(self) -> RunFolder:
        return RunFolder.at(self.home / "runs", self.id)

    @property
    def path(self) -> Path:
        place = self.home / "lessons"
        return place if len(self.lessons) > 1 else place / next(iter(self.lessons))

    def order(self, loaded: Loaded | None = None, **given: Any) -> Any:
        place = self.home / "lessons"
        place.mkdir(exist_ok=True)
        for name, lesson in self.lessons.items():
            (place / name).write_text(as_text(lesson), encoding="utf-8")
        (self.home / "source.md").write_text(SOURCE, encoding="utf-8")
        (self.home / "spec.json").write_text(json.dumps(SPEC), encoding="utf-8")
        beside = materials(
            str(self.home / "spec.json") if len(self.lessons) == 1 else None,
            [str(self.home / "source.md")] if self.sources else [],
        )
        return Order(str(self.path), run_id=self.id, materials=beside, mode=self.mode, **given)

    def loaded(self, **limits: Any) -> Loaded:
        flags: dict[str, tuple[str, object]] = {f"limits.{name}": ("test", value) for name, value in limits.items()}
        flags["models.judges"] = ("test", self.judges or None)
        for role, model in self.roles.items():
            flags[f"models.{role}"] = ("test", model)
        return load(start=self.home, environ={}, flags=flags)

    def start(self, model: Provider | None, **limits: Any) -> Result:
        loaded = self.loaded(**limits)
        plan = replace(plan_of(self.order(), loaded), nonce=NONCE)
        resources = patient(resources_of(loaded.settings, (), provider=model)) if model is not None else RunResources()
        self.result = asyncio.run(start_run(self.folder, plan, resources, self.watcher))
        return self.result

    def resume(self, model: Provider | None, others: OtherModels | None = None, **limits: Any) -> Result:
        loaded = self.loaded(**limits)
        resources = patient(resources_of(loaded.settings, (), provider=model)) if model is not None else RunResources()
        self.result = asyncio.run(
            resume_run(self.folder, loaded.settings, self.watcher, others=others, resources=resources)
        )
        return self.result

    def decide(self, unit: str, decision: str, **given: str | None) -> UnitRow:
        with own_run(self.folder, system_clock) as owned:
            plan = recorded_plan(owned.journal)
            assert plan is not None
            kind = kind_of(plan)
            story = View(self.folder, owned.journal, plan, kind).story(unit)
            deciding = Deciding(owned.journal, examiner_of(plan, kind), neighbours_of(plan, kind, owned.journal))
            said = {"by": "Ada", "note": None, "text": None, **given}
            return deciding.decide(story.row, decision, **said)  # type: ignore[arg-type]

    @contextmanager
    def journal(self) -> Iterator[Journal]:
        with journal_of(self.folder) as journal:
            yield journal

    @property
    def rows(self) -> dict[str, UnitRow]:
        with self.journal() as journal:
            return {row.id: row for row in journal.units()}

    @property
    def waiting(self) -> list[str]:
        return [id for id, row in self.rows.items() if row.state == "escalated"]

    def events(self, *types: str) -> list[Mapping[str, Any]]:
        with self.journal() as journal:
            return [event.data for event in journal.events(types=types)]

    @property
    def rounds(self) -> list[str]:
        """How each round ended."""
        return [data["status"] for data in self.events("round_ended")]

    def published(self, name: str = "") -> bytes:
        return (self.folder.out / (name or next(iter(self.lessons)))).read_bytes()

    def section(self, unit: str) -> str:
        """A section as it was published."""
        content = json.loads(self.published())["content"]
        if unit in content:
            return str(content[unit])
        return next(str(section["content"]) for section in content["sections"] if section["id"] == unit)


def one_lesson(home: Path, lesson: Mapping[str, Any], **given: Any) -> LessonRun:
    return LessonRun(home, {"water.json": lesson}, **given)
