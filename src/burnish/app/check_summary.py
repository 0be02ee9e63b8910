"""One check of documents, and the end of its report: counts, unusable input, and changes as a diff."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish.app.kinds import Gathered, detect
from burnish.app.labels import counted, listed
from burnish.app.materials import LARGEST_BOOK, Materials, RuleSettings, read_file, read_materials, rule_settings
from burnish.app.settings import Loaded
from burnish.app.terminal import LABEL, Piece, Role, Screen, excerpt
from burnish.core.documents import Material, Unit
from burnish.core.edits import changed_fields
from burnish.core.errors import InputError, UsageError
from burnish.core.findings import SEVERITIES
from burnish.core.kinds import Kind, Overview
from burnish.engine.check import (
    Baseline,
    CheckEvent,
    CheckSummary,
    Document,
    DocumentEnded,
    DocumentFailed,
    DocumentStarted,
    Unheard,
    check_documents,
    is_bad_input,
    survey,
)
from burnish.engine.check_pool import CheckPool
from burnish.engine.fixes import DocumentLeft, FixEvent, fix_documents
from burnish.languages.detection import language_name
from burnish.languages.words import common_length


@dataclass(frozen=True, slots=True)
class Job:
    """The documents, rules and options of one check."""

    gathered: Gathered
    wants: dict[str, RuleSettings]
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
                pool = self._pool(kind, document, wants)
            except InputError as error:
                yield DocumentLeft(document, error)
                continue
            with pool:
                yield from fix_documents(pool, kind, [document])

    def _documents(self) -> Iterator[tuple[Kind, Document, RuleSettings]]:
        for name, documents in self.gathered.documents.items():
            for document in documents:
                yield self.gathered.kinds[name], document, self.wants[name]

    def _pool(self, kind: Kind, document: Document, wants: RuleSettings) -> CheckPool:
        """A pool with the settings of this document, which are found in the document itself."""
        return CheckPool(kind, wants.selection, survey(kind, [document], wants.demands), jobs=self.jobs)

    def _checked(self, kind: Kind, document: Document, wants: RuleSettings, overview: Overview) -> Iterator[CheckEvent]:
        try:
            pool = self._pool(kind, document, wants)
        except InputError as error:  # the materials next to the document do not belong to it
            yield DocumentStarted(document, kind.name)
            yield DocumentFailed(document, error)
            yield DocumentEnded(document, {})
            return
        with pool:
            yield from check_documents(
                pool, kind, [document], overview, baseline=self.baseline, strict_input=self.strict_input
            )


def pair_of(
    paths: Sequence[str],
    glossary: str | None,
    source_language: str | None = None,
    target_language: str | None = None,
    lexicon: str | None = None,
) -> Gathered:
    """A translation, to be checked against its source. A language that is not named is detected."""
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
                "A manuscript is Markdown, text or .docx.", path=path, code="unknown_format", hint="Endings: .md, .txt."
            )
    original = Material(Path(source).name, source, read_file(Path(source), LARGEST_BOOK))
    given = {"glossary": glossary, "lexicon": lexicon}
    materials = read_materials({role: (path,) if path else () for role, path in given.items()})
    named = (("source", "--from", source_language), ("target", "--to", target_language))
    languages = {side: language_named(name, option) for side, option, name in named if name is not None}
    kind = ManuscriptsKind().with_original(original, materials, languages)
    return Gathered(documents={kind.name: [Document(target, str(format))]}, kinds={kind.name: kind})


def job_of(
    loaded: Loaded,
    gathered: Gathered,
    against: str | None,
    baseline: str | None,
    strict_input: bool,
    beside: Materials | None = None,
) -> Job:
    """The check of these documents. `beside`: materials, for the kinds that take them."""
    options: dict[str, Any] = {}
    if against is not None:
        options["against"] = (against, detect(against)[1])
    return Job(
        gathered=_equipped(gathered, beside or Materials()),
        wants={name: rule_settings(kind, loaded) for name, kind in gathered.kinds.items()},
        jobs=loaded.settings.check.jobs or os.cpu_count() or 1,
        options=options,
        baseline=Baseline.load(baseline) if baseline is not None else None,
        strict_input=strict_input,
    )


def _equipped(gathered: Gathered, beside: Materials) -> Gathered:
    """Give the materials to every kind that takes them. Raise UsageError if none does: they would have no effect."""
    if not beside.specs and not beside.sources:
        return gathered
    able = {name: kind for name, kind in gathered.kinds.items() if kind.is_whole}
    if gathered.kinds and not able:
        refused = " or ".join(sorted(gathered.kinds))
        raise UsageError(f"--spec and --source do nothing for {refused}.", hint="Leave them out.")
    ready = {name: kind.supplied({"spec": beside.specs, "source": beside.sources}, {}) for name, kind in able.items()}
    return replace(gathered, kinds={**gathered.kinds, **ready})


TOP = 5
"""Names that are listed; the rest is only counted."""


def summarise(screen: Screen, summary: CheckSummary, *, noun: str, off: Collection[str]) -> None:
    """Print all counts. A clean check without counts prints nothing."""
    for severity in SEVERITIES:
        rules = summary.rules_of(severity)
        if rules:
            first: tuple[Piece, ...] = ("  ", (severity, f"{severity:<8}"), f"{rules.total():>6,}  ")
            screen.paragraph(_most(rules), indent=" " * (LABEL + 4), first=first)
    if summary.known:
        screen.labelled("known", f"{counted(summary.known, 'finding')} in the baseline")
    print_ignored(screen, summary)
    if off:
        screen.labelled("switched off", listed(sorted(off), TOP))
    print_unjudged(screen, skipped_texts(summary, noun=noun))
    print_unjudged(screen, unjudged_texts(summary, noun=noun))
    if summary.passed_through:
        parts = counted(summary.passed_through.total(), "part")
        screen.labelled("carried over", f"{parts} not judged: {_most(summary.passed_through)}")


def print_ignored(screen: Screen, unheard: Unheard) -> None:
    """Print the findings that authors ignore."""
    if unheard.ignored:
        of_authors = f"{counted(unheard.ignored.total(), 'finding')} by the author: {_most(unheard.ignored)}"
        screen.labelled("ignored", of_authors)


def print_unjudged(screen: Screen, texts: Iterator[str]) -> None:
    for text in texts:
        screen.labelled("not judged", text)


def skipped_texts(unheard: Unheard, *, noun: str) -> Iterator[str]:
    """Units that rules could not judge because of their language."""
    for language, skipped in sorted(unheard.skipped.items()):
        rules = counted(len(skipped.rules), "rule")
        cannot = f"{rules} {'does' if len(skipped.rules) == 1 else 'do'} not judge {language_name(language)}"
        yield f"{cannot}: {counted(skipped.units, noun)} ({listed(sorted(skipped.rules), 3)})"


def unjudged_texts(unheard: Unheard, *, noun: str) -> Iterator[str]:
    """Dimensions in which some units were not judged, and why."""
    together: dict[tuple[str, int], list[str]] = {}
    for (dimension, why), units in sorted(unheard.unjudged.items()):
        together.setdefault((why, units), []).append(dimension.replace("_", " "))
    for (why, units), dimensions in together.items():
        yield f"{', '.join(dimensions)} of {counted(units, noun)}: {why}"


def verdict(screen: Screen, summary: CheckSummary, *, noun: str) -> None:
    """Print the result of the check in one line."""
    of = f"{counted(summary.units, noun)} in {counted(summary.documents, 'document')}"
    if summary.problems or summary.failures:
        bad = counted(summary.problems + summary.failures, "problem")
        found = f", {counted(summary.errors, 'error')}" if summary.errors else ""
        screen.line(("error", f"Bad input: {bad}{found}."), f" {of}.", _fixable(summary))
    elif summary.errors:
        where = counted(summary.units_with_errors, noun) if summary.units_with_errors else "the document as a whole"
        screen.line(("error", f"{counted(summary.errors, 'error')} in {where}."), f" {of}.", _fixable(summary))
    elif summary.findings:
        screen.line(("good", f"No errors, {counted(summary.findings, 'remark')}."), f" {of}.", _fixable(summary))
    else:
        screen.line(("good", "Clean."), f" {of}.")


def _fixable(summary: CheckSummary) -> str:
    return f" {summary.fixable:,} can be fixed with --fix." if summary.fixable else ""


def _most(counts: Counter[str]) -> str:
    """The most frequent names, with their counts."""
    return listed([f"{name} {number:,}" for name, number in counts.most_common()], TOP)


MOST_LISTED = 15
"""Parts listed by name; `report.json` has them all."""


def part_text(document: str, line: int | None, message: str) -> str:
    """The place and message of a part that cannot be used."""
    return f"{document}: {message}" if line is None else f"{document}:{line}: {message}"


def print_unusable(holes: Sequence[str], screen: Screen) -> None:
    for part in holes[:MOST_LISTED]:
        screen.line("  ", ("error", "input    "), part)
    if len(holes) > MOST_LISTED:
        screen.line("  ", ("faint", f"and {len(holes) - MOST_LISTED} more"))


def unusable_text(number: int) -> str:
    """How many parts of the input cannot be used, and what to do."""
    them = "it" if number == 1 else "them"
    return f"{counted(number, 'part')} of the input cannot be used. Correct {them} and start a new run."


def warn_unusable(holes: Sequence[str], screen: Screen) -> None:
    """Warn before the work begins that nothing will be published."""
    if not holes:
        return
    parts = counted(len(holes), "part")
    screen.line(("warning", "note: "), f"{parts} of the input cannot be used, so nothing will be published:")
    print_unusable(holes, screen)
    screen.line(("faint", "  Correct the input to publish; --strict-input refuses such input."))


CONTEXT = 1
"""Unchanged lines shown on either side of a change."""
ROLES: dict[str, Role] = {"+": "added", "-": "removed", " ": "plain"}


def show_diff(screen: Screen, before: Unit, after: Unit) -> None:
    """Print what changed in a unit; of a long line, only the words around the change."""
    screen.line(("removed", f"--- {before.id}"))
    screen.line(("added", f"+++ {after.id} (fixed)"))
    old, new = before.texts(), after.texts()
    for field in changed_fields(before, after):
        screen.line(("hunk", f"@@ {field or 'text'} @@"))
        for sign, line, span in _changed_lines(old[field], new[field]):
            width = screen.width - 1
            shown = line if len(line) <= width else excerpt(line, span, width).line
            # Trailing spaces would be invisible, and may be the only change.
            bare = shown.rstrip(" ")
            screen.line((ROLES[sign], f"{sign}{bare}{'·' * (len(shown) - len(bare))}"))


def _changed_lines(old: str, new: str) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
    """Removed and added lines, each with the span in which the texts differ, and their context."""
    head = common_length(old, new)
    tail = min(common_length(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    first = old.rfind("\n", 0, head) + 1
    last = new.find("\n", len(new) - tail)
    if first:
        yield " ", old[: first - 1].rpartition("\n")[2], None
    for sign, text in (("-", old), ("+", new)):
        end, start = max(len(text) - tail, head), first
        behind = text.find("\n", end)
        for line in text[first : len(text) if behind < 0 else behind].split("\n"):
            yield sign, line, (max(0, head - start), max(0, min(len(line), end - start)))
            start += len(line) + 1
    if last >= 0:
        yield " ", new[last + 1 :].partition("\n")[0], None


def unified(before: Unit, after: Unit) -> Iterator[str]:
    """The lines of the diff, one hunk for each field that changed."""
    yield f"--- {before.id}"
    yield f"+++ {after.id} (fixed)"
    old, new = before.texts(), after.texts()
    for field in changed_fields(before, after):
        yield f"@@ {field or 'text'} @@"
        yield from _hunk(old[field].split("\n"), new[field].split("\n"))


def _hunk(old: list[str], new: list[str]) -> Iterator[str]:
    """The lines from the first difference to the last. Linear for all texts."""
    head = common_length(old, new)
    tail = min(common_length(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    yield from (f" {line}" for line in old[max(0, head - CONTEXT) : head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :][:CONTEXT])
