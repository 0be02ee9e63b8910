"""The end of a report: what was counted, input that cannot be used, and what changed, as a diff."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from burnish.app.labels import LABEL, counted, labelled, listed
from burnish.app.terminal import Piece, Role, Screen, excerpt
from burnish.core.documents import Unit
from burnish.core.edits import changed_fields
from burnish.core.findings import SEVERITIES
from burnish.engine.check_summary import CheckSummary, Unheard
from burnish.languages.words import common_length

TOP = 5
"""Names that are listed before the rest is only counted."""


def summarise(screen: Screen, tally: CheckSummary, *, noun: str, off: Collection[str]) -> None:
    """Everything that was counted. Nothing is printed for a clean check of which there is no more to say."""
    for severity in SEVERITIES:
        rules = tally.rules_of(severity)
        if rules:
            first: tuple[Piece, ...] = ("  ", (severity, f"{severity:<8}"), f"{rules.total():>6,}  ")
            screen.paragraph(_most(rules), indent=" " * (LABEL + 4), first=first)
    if tally.known:
        labelled(screen, "known", f"{counted(tally.known, 'finding')} in the baseline")
    tell_ignored(screen, tally)
    if off:
        labelled(screen, "switched off", listed(sorted(off), TOP))
    tell_skipped(screen, tally, noun=noun)
    tell_unjudged(screen, tally, noun=noun)
    if tally.passed_through:
        parts = counted(tally.passed_through.total(), "part")
        labelled(screen, "carried over", f"{parts} not judged: {_most(tally.passed_through)}")


def tell_ignored(screen: Screen, unheard: Unheard) -> None:
    """What authors asked to pass over."""
    if unheard.ignored:
        of_authors = f"{counted(unheard.ignored.total(), 'finding')} by the author: {_most(unheard.ignored)}"
        labelled(screen, "ignored", of_authors)


def tell_skipped(screen: Screen, unheard: Unheard, *, noun: str) -> None:
    """What could not be judged for its language."""
    for language, skipped in sorted(unheard.skipped.items()):
        what = f"{counted(skipped.units, noun)} in language {language!r}"
        rules_named = f"{counted(len(skipped.rules), 'rule')} cannot judge it ({listed(sorted(skipped.rules), 3)})"
        labelled(screen, "not judged", f"{what}: {rules_named}")


def tell_unjudged(screen: Screen, unheard: Unheard, *, noun: str) -> None:
    """Dimensions in which nobody judged some units, and why."""
    for (dimension, why), units in sorted(unheard.unjudged.items()):
        labelled(screen, "not judged", f"{dimension.replace('_', ' ')} of {counted(units, noun)}: {why}")


def verdict(screen: Screen, tally: CheckSummary, *, noun: str) -> None:
    """How it stands, in one line."""
    of = f"{counted(tally.units, noun)} in {counted(tally.documents, 'document')}"
    if tally.problems or tally.failures:
        bad = counted(tally.problems + tally.failures, "problem")
        found = f", {counted(tally.errors, 'error')}" if tally.errors else ""
        screen.line(("error", f"Bad input: {bad}{found}."), f" {of}.", _fixable(tally))
    elif tally.errors:
        where = counted(tally.units_with_errors, noun) if tally.units_with_errors else "the document as a whole"
        screen.line(("error", f"{counted(tally.errors, 'error')} in {where}."), f" {of}.", _fixable(tally))
    elif tally.findings:
        screen.line(("good", f"No errors, {counted(tally.findings, 'remark')}."), f" {of}.", _fixable(tally))
    else:
        screen.line(("good", "Clean."), f" {of}.")


def _fixable(tally: CheckSummary) -> str:
    return f" {tally.fixable:,} can be fixed with --fix." if tally.fixable else ""


def _most(counts: Counter[str]) -> str:
    """The names that occur most, with their numbers."""
    return listed([f"{name} {number:,}" for name, number in counts.most_common()], TOP)


MOST_LISTED = 15
"""Parts listed by name; `report.json` has them all."""


def hole(document: str, line: int | None, message: str) -> str:
    """Where it is, and what is wrong there."""
    return f"{document}: {message}" if line is None else f"{document}:{line}: {message}"


def list_holes(holes: Sequence[str], screen: Screen) -> None:
    for part in holes[:MOST_LISTED]:
        screen.line("  ", ("error", "input    "), part)
    if len(holes) > MOST_LISTED:
        screen.line("  ", ("faint", f"and {len(holes) - MOST_LISTED} more"))


def mend_first(number: int) -> str:
    """What to do about parts of the input that cannot be used."""
    them = "it" if number == 1 else "them"
    return f"{counted(number, 'part')} of the input cannot be used. Correct {them} and start a new run."


def foretell_holes(holes: Sequence[str], screen: Screen) -> None:
    """That nothing will be published, before the work is done."""
    if not holes:
        return
    parts = counted(len(holes), "part")
    screen.line(("warning", "note: "), f"{parts} of the input cannot be used, so nothing will be published:")
    list_holes(holes, screen)
    screen.line(("faint", "  Correct the input to publish; --strict-input refuses such input."))


CONTEXT = 1
"""Unchanged lines shown on either side of a change."""
ROLES: dict[str, Role] = {"+": "added", "-": "removed", " ": "plain"}


def show_diff(screen: Screen, before: Unit, after: Unit) -> None:
    """Print what changed in a unit: of a long line, only the words round the change."""
    screen.line(("removed", f"--- {before.id}"))
    screen.line(("added", f"+++ {after.id} (fixed)"))
    old, new = before.texts(), after.texts()
    for field in changed_fields(before, after):
        screen.line(("hunk", f"@@ {field or 'text'} @@"))
        for sign, line, span in _changed_lines(old[field], new[field]):
            _show_line(screen, sign, line, span)


def _show_line(screen: Screen, sign: str, line: str, span: tuple[int, int] | None) -> None:
    width = screen.width - 1
    shown = line if len(line) <= width else excerpt(line, span, width).line
    # Spaces at the end would be invisible, and they may be all that changed.
    bare = shown.rstrip(" ")
    screen.line((ROLES[sign], f"{sign}{bare}{'·' * (len(shown) - len(bare))}"))


def _changed_lines(old: str, new: str) -> Iterator[tuple[str, str, tuple[int, int] | None]]:
    """Every line that went and every line that came, with the place in it where the texts differ, and their context."""
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
    """From the first line that differs to the last. Linear, whatever the texts look like."""
    head = common_length(old, new)
    tail = min(common_length(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    yield from (f" {line}" for line in old[max(0, head - CONTEXT) : head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail :][:CONTEXT])
