"""The parts of workbench pages that a kind provides: tabs of a run, a unit, its article in the queue, its editor.

To give a kind its own views, add a module with the kind's name here, with any of the four functions of `KindParts`.
`generic` provides the others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal

from burnish.app.run_reader import RunReader
from burnish.core.findings import Severity
from burnish.core.presentation import UnitStory
from burnish.core.records import UnitRow
from burnish.kinds.registry import KINDS


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a page that a kind renders."""

    template: str
    """The template, under `templates/` (`kinds/lessons/section.html`)."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """The variable `part` of the template, in addition to the names that every page has."""
    title: str | None = None
    """Its heading; None: the template has its own."""
    id: str | None = None
    """Its anchor for links; None: no anchor."""


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of a run, behind its own link (`?tab=ID`)."""

    id: str
    """Its value in the URL."""
    label: str
    template: str
    """The template, under `templates/`."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """The variable `part` of the template. Empty for tabs that are not open."""
    count: int | None = None
    """The number next to the label."""
    alarming: bool = False
    """Whether the number counts things that wait for a person and is highlighted."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact about a run, shown under its title."""

    text: str
    label: str | None = None
    """The label before the text, if it needs one."""
    title: str | None = None
    """A tooltip with details."""
    lang: str | None = None
    """The language of the text, if it is content."""


@dataclass(frozen=True, slots=True)
class RunParts:
    """The parts that a kind adds to the page of a run."""

    tabs: Sequence[Tab] = ()
    """The kind's own tabs, in order; the first is open by default. The page appends those that every run has (units,
    findings, events, settings), unless a tab of the kind has the same id."""
    facts: Sequence[Fact] = ()
    """Facts under the title of the run (languages, profile, class)."""


@dataclass(frozen=True, slots=True)
class UnitParts:
    """The parts that a kind adds to the page of a unit."""

    panels: Sequence[Panel] = ()
    """Panels in the middle of the page, in order: the text as a learner reads it, side by side, the cut."""
    beside: Sequence[Panel] = ()
    """Panels in the side column."""
    heading: str | None = None
    """The name of the unit, if it has a better one than its id."""
    lang: str | None = None
    """The language of the unit's text, as a tag; None: not known."""
    languages: Mapping[str | None, str] = field(default_factory=dict)
    """Field -> language tag, if fields of the unit differ."""


@dataclass(frozen=True, slots=True)
class Words:
    """A part of the sentence that says why a unit waits."""

    text: str
    severity: Severity | None = None
    """The severity with which the words are marked; None: not marked."""
    lang: str | None = None
    """The language of the words, if they are content."""


@dataclass(frozen=True, slots=True)
class FocusParts:
    """The article about one unit in the queue: the reason first, then the current and the proposed text."""

    reason: Sequence[Words]
    """Why the unit waits, as one sentence with the affected words marked."""
    severity: Severity | None = None
    """The severity of the finding in the reason; its icon is shown before the sentence."""
    rule: str | None = None
    """The rule of the finding in the reason."""
    facts: Sequence[str] = ()
    """More facts in a line under the reason (`Not accepted after 3 attempts: best .81, line .85`)."""
    now: Sequence[Panel] = ()
    """The current text, with its findings marked."""
    earlier: int = 0
    """Attempts of earlier runs, if the kind continues their numbers."""
    proposed: Sequence[Panel] = ()
    """The text that accepting would put in its place; empty if nothing is proposed."""
    other: UnitRow | None = None
    """The near-duplicate of this unit: either of the two may be dropped, or both if one is dropped already."""
    drop_reason: str = ""
    """The reason to drop it, if there is one: a single key then drops it."""
    suggested: str = "accept"
    """The decision that is shown as the first choice: `accept`, `drop`, or none."""


@dataclass(frozen=True, slots=True)
class EditField:
    """One field of an editor."""

    name: str
    """Its name in the submitted form."""
    label: str
    value: str
    lang: str | None = None
    """The language of its text."""
    rows: int = 4
    """Its initial height; 1: a single line."""
    help: str | None = None
    """A note for the reviewer."""
    choices: Sequence[str] = ()
    """The allowed values; empty: any text."""


@dataclass(frozen=True, slots=True)
class Editor:
    """The form in which a person changes a unit."""

    fields: Sequence[EditField]
    text_of: Callable[[Mapping[str, str]], str]
    """Converts the values of the fields, by name, to the text that `Kind.from_person` reads."""


@dataclass(frozen=True, slots=True)
class KindParts:
    """The views of one kind."""

    run_parts: Callable[[RunReader, Mapping[str, str]], RunParts]
    """The parts of a run for the query of the page: `tab` names the open tab."""
    unit_parts: Callable[[RunReader, UnitStory], UnitParts]
    focus_parts: Callable[[RunReader, UnitStory], FocusParts]
    editor: Callable[[UnitStory], Editor]


@cache
def parts_of(kind_name: str) -> KindParts:
    """The views of a kind, with the generic ones for those that it does not have."""
    generic = importlib.import_module(f"{__name__}.generic")
    module = f"{__name__}.{kind_name}"
    own = importlib.import_module(module) if kind_name in KINDS and find_spec(module) else generic
    return KindParts(
        **{name: getattr(own, name, getattr(generic, name)) for name in KindParts.__dataclass_fields__},
    )


@dataclass(frozen=True, slots=True)
class UnitAccess:
    """A unit and its views."""

    run: RunReader
    story: UnitStory
    parts: KindParts

    @classmethod
    def of(cls, run: RunReader, unit: str) -> UnitAccess:
        """Raise NotFound if the unit is not in the run."""
        return cls(run, run.story(unit), parts_of(run.view.plan.kind))

    def focus(self) -> FocusParts:
        return self.parts.focus_parts(self.run, self.story)

    def unit(self) -> UnitParts:
        return self.parts.unit_parts(self.run, self.story)


EDIT = "text."
"""The prefix of editor fields in a form, so that none is confused with another field."""


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """A decision that was rejected, with the values of its form."""

    run: str
    unit: str
    verdict: Literal["accept", "edit", "reject", "drop", "dismiss", "reopen", "undo"]
    message: str
    hint: str | None = None
    note: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    """Field of the editor -> its submitted text."""

    @property
    def is_edit(self) -> bool:
        return self.verdict == "edit" and bool(self.values)


def refilled(editor: Editor, kept: RejectedForm | None) -> Editor:
    """The editor for a form, filled with the values of a rejected form if there are any."""
    written = kept.values if kept is not None and kept.is_edit else {}
    fields = [replace(one, name=f"{EDIT}{one.name}", value=written.get(one.name, one.value)) for one in editor.fields]
    return replace(editor, fields=fields)
