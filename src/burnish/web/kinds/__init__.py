"""What a kind of content shows of itself in the workbench: its tabs, its unit, its article in the queue, its editor.

To give a kind views of its own: put a module of the kind's name here, with any of the four functions of `KindParts`.
What it does not have, `generic` does.
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
from burnish.kinds.registry import KINDS


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a page that a kind draws itself."""

    template: str
    """The template, under `templates/` (`kinds/lessons/section.html`)."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What the template is given, as one variable: `part`. Beside it stand the names that every page has."""
    title: str | None = None
    """Its heading; None: the template makes its own."""
    id: str | None = None
    """Where links into the page lead; None: nowhere."""


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of a run, behind its own link (`?tab=ID`)."""

    id: str
    """As it stands in the address."""
    label: str
    template: str
    """The template, under `templates/`."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What the template is given, as one variable: `part`. Only the tab that is looked at has one."""
    count: int | None = None
    """The number beside the label."""
    alarming: bool = False
    """Whether the number is of things that wait for a person, and is drawn so."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is said of a run under its title."""

    text: str
    label: str | None = None
    """What stands before it, where the text does not speak for itself."""
    title: str | None = None
    """More about it, where somebody asks."""
    lang: str | None = None
    """The language of the text, where it is content."""


@dataclass(frozen=True, slots=True)
class RunParts:
    """What a kind adds to the page of a run."""

    tabs: Sequence[Tab] = ()
    """The kind's own views, in their order; the first is where the page begins. The page adds those that every run
    has (units, findings, events, settings) behind them, unless a tab of the kind has the same id and replaces one."""
    facts: Sequence[Fact] = ()
    """What is said of the run under its title (languages, profile, class)."""


@dataclass(frozen=True, slots=True)
class UnitParts:
    """What a kind adds to the page of a unit."""

    panels: Sequence[Panel] = ()
    """In the middle of the page, in their order: as a learner reads it, side by side, the cut."""
    beside: Sequence[Panel] = ()
    """In the column at the side."""
    heading: str | None = None
    """What the unit is called, where it has a better name than its id."""
    lang: str | None = None
    """The language of the unit's text, as a tag; None: not known."""
    languages: Mapping[str | None, str] = field(default_factory=dict)
    """Field -> language tag, where fields of the unit differ."""


@dataclass(frozen=True, slots=True)
class Words:
    """A stretch of the sentence that says why a unit waits."""

    text: str
    severity: Severity | None = None
    """How the words are marked: they are what the rule is about. None: they are not marked."""
    lang: str | None = None
    """The language of the words, where they are content."""


@dataclass(frozen=True, slots=True)
class FocusParts:
    """The queue's article about one unit: the reason first, then what is there now and what is proposed."""

    reason: Sequence[Words]
    """Why it waits, as one sentence; the words that the rule is about are marked in it."""
    severity: Severity | None = None
    """Of the finding that the reason tells of: its icon stands before the sentence."""
    rule: str | None = None
    """The rule that the reason tells of."""
    facts: Sequence[str] = ()
    """What else is said in a line under the reason (`Not accepted after 3 attempts: best .81, line .85`)."""
    now: Sequence[Panel] = ()
    """What stands there now, what is wrong with it marked in its place."""
    earlier: int = 0
    """Tries that earlier runs made, where the kind counts on from them."""
    proposed: Sequence[Panel] = ()
    """The ready proposal: what an acceptance would put in its place. Empty where nothing is proposed."""
    other: str | None = None
    """The unit that this one is nearly the same as: either of the two may be dropped."""
    drop_reason: str = ""
    """Why it would be dropped, where that is plain: then one key drops it."""
    suggested: str = "accept"
    """The verb that is drawn as the first choice: `accept`, `drop`, or none."""


@dataclass(frozen=True, slots=True)
class EditField:
    """One field of an editor."""

    name: str
    """As the form sends it back."""
    label: str
    value: str
    lang: str | None = None
    """The language of what is written in it."""
    rows: int = 4
    """How high it begins; 1: a line."""
    help: str | None = None
    """What to know before writing in it."""
    choices: Sequence[str] = ()
    """What may be chosen, where not everything may be written."""


@dataclass(frozen=True, slots=True)
class Editor:
    """The form in which a person changes a unit."""

    fields: Sequence[EditField]
    text_of: Callable[[Mapping[str, str]], str]
    """Field name -> what was written in it, as the one text that `Kind.from_person` reads."""


@dataclass(frozen=True, slots=True)
class KindParts:
    """The views of one kind."""

    run_parts: Callable[[RunReader, Mapping[str, str]], RunParts]
    """Of a run, for the page's query: `tab` says which view is looked at."""
    unit_parts: Callable[[RunReader, UnitStory], UnitParts]
    focus_parts: Callable[[RunReader, UnitStory], FocusParts]
    editor: Callable[[UnitStory], Editor]


@cache
def parts_of(kind_name: str) -> KindParts:
    """The views of the kind of this name: its own where it has them, else those that do for every kind."""
    generic = importlib.import_module(f"{__name__}.generic")
    module = f"{__name__}.{kind_name}"
    own = importlib.import_module(module) if kind_name in KINDS and find_spec(module) else generic
    return KindParts(
        **{name: getattr(own, name, getattr(generic, name)) for name in KindParts.__dataclass_fields__},
    )


@dataclass(frozen=True, slots=True)
class UnitAccess:
    """A unit, and the views that can be drawn of it."""

    run: RunReader
    story: UnitStory
    parts: KindParts

    @classmethod
    def of(cls, run: RunReader, unit: str) -> UnitAccess:
        """NotFound for a unit that is not in the run."""
        return cls(run, run.story(unit), parts_of(run.view.plan.kind))

    def focus(self) -> FocusParts:
        return self.parts.focus_parts(self.run, self.story)

    def unit(self) -> UnitParts:
        return self.parts.unit_parts(self.run, self.story)


EDIT = "text."
"""Before the names of an editor's fields in a form, so that none is taken for another field of it."""


@dataclass(frozen=True, slots=True)
class RejectedForm:
    """A decision that was not put into effect."""

    run: str
    unit: str
    verdict: Literal["accept", "edit", "reject", "drop", "undo"]
    message: str
    hint: str | None = None
    note: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    """Field of the editor -> what was written in it."""

    @property
    def is_edit(self) -> bool:
        return self.verdict == "edit" and bool(self.values)


def refilled(editor: Editor, kept: RejectedForm | None) -> Editor:
    """The editor as a form shows it, with what was written in it where that is kept."""
    written = kept.values if kept is not None and kept.is_edit else {}
    fields = [replace(one, name=f"{EDIT}{one.name}", value=written.get(one.name, one.value)) for one in editor.fields]
    return replace(editor, fields=fields)
