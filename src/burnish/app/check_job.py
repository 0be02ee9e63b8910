"""From what a user asks for to a check. All doors to `check` lead through here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish.app.kinds import Gathered, detect
from burnish.app.materials import LARGEST_BOOK, Materials, read_file, read_materials
from burnish.app.selection import Wanted, wanted
from burnish.app.settings import Loaded
from burnish.core.documents import Material
from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import Kind, Overview
from burnish.engine.check import (
    Baseline,
    CheckEvent,
    Document,
    DocumentEnded,
    DocumentFailed,
    DocumentStarted,
    check_documents,
    is_bad_input,
    survey,
)
from burnish.engine.check_pool import CheckPool
from burnish.engine.fixes import DocumentLeft, FixEvent, fix_documents


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

    def events(self) -> Iterator[CheckEvent]:
        """Every event of the check. One overview sees all documents of a kind."""
        with ExitStack() as stack:
            overviews = {
                name: stack.enter_context(closing(kind.overview(self.options, self.wants[name].off)))
                for name, kind in self.gathered.kinds.items()
            }
            for kind, document, wants in self._documents():
                bad = False
                for event in self._checked(kind, document, wants, overviews[kind.name]):
                    bad = bad or is_bad_input(event)
                    yield event
                if bad and self.strict_input:
                    return

    def fixes(self) -> Iterator[FixEvent]:
        """Every event of applying the safe fixes."""
        for kind, document, wants in self._documents():
            try:
                crew = self._crew(kind, document, wants)
            except InputError as error:
                yield DocumentLeft(document, error)
                continue
            with crew:
                yield from fix_documents(crew, kind, [document])

    def _documents(self) -> Iterator[tuple[Kind, Document, Wanted]]:
        for name, documents in self.gathered.documents.items():
            for document in documents:
                yield self.gathered.kinds[name], document, self.wants[name]

    def _crew(self, kind: Kind, document: Document, wants: Wanted) -> CheckPool:
        """A crew that knows what to look for in this document: it is judged by what it carries itself."""
        return CheckPool(kind, wants.selection, survey(kind, [document], wants.demands), jobs=self.jobs)

    def _checked(self, kind: Kind, document: Document, wants: Wanted, overview: Overview) -> Iterator[CheckEvent]:
        try:
            crew = self._crew(kind, document, wants)
        except InputError as error:  # what lies beside the document does not belong to it
            yield DocumentStarted(document, kind.name)
            yield DocumentFailed(document, error)
            yield DocumentEnded(document, {})
            return
        with crew:
            yield from check_documents(
                crew, kind, [document], overview, baseline=self.baseline, strict_input=self.strict_input
            )


def pair_of(
    paths: Sequence[str], glossary: str | None, source_language: str | None = None, target_language: str | None = None
) -> Gathered:
    """A source and its translation, which is what is checked: pair by pair. A language that is not named is told from
    the texts."""
    from burnish.app.translation_plan import language_named
    from burnish.kinds.manuscripts.formats import format_of
    from burnish.kinds.manuscripts.kind import ManuscriptsKind

    if len(paths) != 2:
        raise UsageError("A pair has two files.", hint="Use `burnish check --bitext SOURCE TARGET`.")
    source, target = paths
    format = format_of(target)
    for path in paths:
        if format_of(path) is None:
            raise InputError(
                "A manuscript is Markdown or text.", path=path, code="unknown_format", hint="Endings: .md, .txt."
            )
    original = Material(Path(source).name, source, read_file(Path(source), LARGEST_BOOK))
    terms = read_materials({"glossary": (glossary,) if glossary else ()})["glossary"]
    said = (("source", "--from", source_language), ("target", "--to", target_language))
    languages = {side: language_named(name, option) for side, option, name in said if name is not None}
    kind = ManuscriptsKind().beside(original, terms, languages)
    return Gathered(documents={kind.name: [Document(target, str(format))]}, kinds={kind.name: kind})


def job_of(
    loaded: Loaded,
    gathered: Gathered,
    against: str | None,
    baseline: str | None,
    strict_input: bool,
    beside: Materials | None = None,
) -> Job:
    """`beside`: what is read beside the documents, for the kinds that take it."""
    options: dict[str, Any] = {}
    if against is not None:
        options["against"] = (against, detect(against)[1])
    return Job(
        gathered=_equipped(gathered, beside or Materials()),
        wants={name: wanted(kind, loaded) for name, kind in gathered.kinds.items()},
        jobs=loaded.settings.check.jobs or os.cpu_count() or 1,
        options=options,
        baseline=Baseline.load(baseline) if baseline is not None else None,
        strict_input=strict_input,
    )


def _equipped(gathered: Gathered, beside: Materials) -> Gathered:
    """Give every kind that takes them its materials. Where none does, they would silently do nothing."""
    if not beside.specs and not beside.sources:
        return gathered
    able = {name: kind for name, kind in gathered.kinds.items() if kind.is_whole}
    if gathered.kinds and not able:
        refused = " or ".join(sorted(gathered.kinds))
        raise UsageError(f"--spec and --source do nothing for {refused}.", hint="Leave them out.")
    ready = {name: kind.supplied({"spec": beside.specs, "source": beside.sources}, {}) for name, kind in able.items()}
    return replace(gathered, kinds={**gathered.kinds, **ready})
