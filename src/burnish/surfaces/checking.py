"""From what a user asks for to a check. All doors to `check` lead through here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from burnish.core.kinds import Kind
from burnish.engine.baselines import Baseline
from burnish.engine.checking import CheckEvent, Document, check_documents, is_bad_input, survey
from burnish.engine.crew import Crew
from burnish.surfaces.gathering import Gathered
from burnish.surfaces.kinds import detect
from burnish.surfaces.loading import Loaded
from burnish.surfaces.selection import Wanted, wanted


@dataclass(frozen=True, slots=True)
class Job:
    """All that is asked of one check."""

    gathered: Gathered
    wants: dict[str, Wanted]
    """By kind."""
    jobs: int
    options: dict[str, Any]
    baseline: Baseline | None
    strict_input: bool

    @property
    def off(self) -> frozenset[str]:
        return frozenset(rule for wants in self.wants.values() for rule in wants.off)

    def crews(self) -> Iterator[tuple[Kind, list[Document], Wanted, Crew]]:
        """For each document a crew that knows what to look for in it: a bank is judged by what it carries itself."""
        for name, documents in self.gathered.documents.items():
            kind, wants = self.gathered.kinds[name], self.wants[name]
            for document in documents:
                context = survey(kind, [document], wants.demands)
                with Crew(kind, wants.selection, context, jobs=self.jobs) as crew:
                    yield kind, [document], wants, crew

    def events(self) -> Iterator[CheckEvent]:
        for kind, documents, wants, crew in self.crews():
            bad = False
            for event in check_documents(
                crew,
                kind,
                documents,
                options=self.options,
                off=wants.off,
                baseline=self.baseline,
                strict_input=self.strict_input,
            ):
                bad = bad or is_bad_input(event)
                yield event
            if bad and self.strict_input:
                return


def job_of(loaded: Loaded, gathered: Gathered, against: str | None, baseline: str | None, strict_input: bool) -> Job:
    options: dict[str, Any] = {}
    if against is not None:
        options["against"] = (against, detect(against)[1])
    return Job(
        gathered=gathered,
        wants={name: wanted(kind, loaded) for name, kind in gathered.kinds.items()},
        jobs=loaded.settings.check.jobs or os.cpu_count() or 1,
        options=options,
        baseline=Baseline.load(baseline) if baseline is not None else None,
        strict_input=strict_input,
    )
