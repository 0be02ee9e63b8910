"""Options that several commands share, singly and in bundles: each has one name, one meaning and one help text.

A bundle is a dataclass of options. A command takes it as one parameter; `cli.group` expands it on the command line.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.app.settings import Settings, load
from burnish.app.terminal import Screen, json_text
from burnish.core.errors import UsageError
from burnish.kinds.registry import KINDS

Flags = dict[str, tuple[str, object]]
"""Setting -> the flag that sets it and its value; None: the flag was not given."""

Runs = Annotated[str | None, typer.Option("--runs", metavar="DIR", help="Folder of the runs. Default: runs.")]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="Corrects and reviews, as provider:model (openai:gpt-5-mini)."),
]
Judges = Annotated[
    str | None,
    typer.Option("--judges", metavar="M1,M2,M3", help="Models that review instead, as a panel; the majority decides."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server (Ollama, vLLM, llama.cpp).")
]
KindName = Annotated[
    str | None, typer.Option("--kind", metavar="KIND", help=f"Kind of content: {', '.join(KINDS)}. Default: detected.")
]
Select = Annotated[str | None, typer.Option("--select", metavar="IDS", help="Only these rules, separated by commas.")]
Ignore = Annotated[str | None, typer.Option("--ignore", metavar="IDS", help="All rules but these.")]
Profile = Annotated[str | None, typer.Option("--profile", metavar="NAME", help="`default` or `strict`.")]
Institution = Annotated[
    str | None,
    typer.Option("--institution", metavar="ID", help="Use the rules of this institution, a table of the settings."),
]
Against = Annotated[
    str | None,
    typer.Option("--against", metavar="FILE", help="An earlier document in which to look for near-duplicates."),
]
Spec = Annotated[
    str | None, typer.Option("--spec", metavar="PATH", help="Specification of a lesson, or a folder of them.")
]
Source = Annotated[
    list[str] | None, typer.Option("--source", metavar="PATH", help="Source material, files or folders. Repeatable.")
]
Patcher = Annotated[
    str | None, typer.Option("--patcher", metavar="M", help="Lessons: edits sections. Default: --model.")
]
Generator = Annotated[
    str | None,
    typer.Option("--generator", metavar="M", help="Lessons: rewrites what cannot be repaired, at most twice."),
]
StrictInput = Annotated[bool, typer.Option("--strict-input", help="Refuse input that has any problem.")]
Estimate = Annotated[
    bool, typer.Option("--estimate", help="Print the expected calls, tokens and cost. Nothing is called or written.")
]
JsonOutput = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours; NO_COLOR does the same.")]
Approve = Annotated[
    bool,
    typer.Option("--approve", help="Say yes to publishing a manuscript, or a file whose questions were all dropped."),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]
Mode = Literal["semi-auto", "full-auto"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which models correct and review."""

    model: Model = None
    judges: Judges = None

    def flags(self) -> Flags:
        return {
            "models.model": ("--model", self.model),
            "models.judges": ("--judges", None if self.judges is None else self.panel),
        }

    @property
    def panel(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in (self.judges or "").split(",") if name.strip())


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The folder of a run, and its limits."""

    runs: Runs = None
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help="Units worked on at the same time.")
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="Stop before this many tokens are used.")
    ] = None
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0.0, metavar="USD", help="Stop before this much is spent.")
    ] = None
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", min=0.0, metavar="S", help="Stop after this many seconds.")
    ] = None
    base_url: BaseUrl = None
    batch: Annotated[
        bool, typer.Option("--batch", help="Submit model calls in batches: half the price, answered within a day.")
    ] = False
    batch_wait: Annotated[
        float | None,
        typer.Option("--batch-wait", min=0.0, metavar="S", help="Wait this long for a batch, then leave. Default: 60."),
    ] = None

    def flags(self) -> Flags:
        return {
            "models.batch": ("--batch", self.batch or None),
            "models.batch_wait": ("--batch-wait", self.batch_wait),
            "runs": ("--runs", self.runs),
            "limits.workers": ("--workers", self.workers),
            "limits.max_tokens": ("--max-tokens", self.max_tokens),
            "limits.max_cost": ("--max-cost", self.max_cost),
            "limits.max_seconds": ("--max-seconds", self.max_seconds),
            "models.base_url": ("--base-url", self.base_url),
        }


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """Which rules apply."""

    select: Select = None
    ignore: Ignore = None
    profile: Profile = None
    institution: Institution = None

    def flags(self) -> Flags:
        return {
            "check.select": ("--select", rule_ids("--select", self.select)),
            "check.ignore": ("--ignore", rule_ids("--ignore", self.ignore)),
            "check.profile": ("--profile", self.profile),
            "check.institution": ("--institution", self.institution),
        }


@dataclass(frozen=True, slots=True)
class PairOptions:
    """A source and its translation as one input."""

    bitext: Annotated[
        bool, typer.Option("--bitext", help="The two paths are a source and its translation, checked pair by pair.")
    ] = False
    glossary: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --bitext: terms and names to keep, CSV or TBX.")
    ] = None
    lexicon: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="With --bitext: your own lexicon, from `burnish lexicon build`; preferred to others."
        ),
    ] = None
    source_language: Annotated[
        str | None,
        typer.Option("--from", metavar="LANG", help="With --bitext: language of the source. Default: detected."),
    ] = None
    target_language: Annotated[
        str | None,
        typer.Option("--to", metavar="LANG", help="With --bitext: language of the translation. Default: detected."),
    ] = None

    def refuse_alone(self, hint: str) -> None:
        """Raise UsageError for an option that has no effect without a pair."""
        only = {"--glossary": self.glossary, "--lexicon": self.lexicon}
        only |= {"--from": self.source_language, "--to": self.target_language}
        for option, given in only.items():
            if given is not None and not self.bitext:
                raise UsageError(f"{option} needs --bitext.", hint=hint)


def lesson_flags(patcher: str | None = None, generator: str | None = None, allow_same_family: bool = False) -> Flags:
    """The flags that only lessons have, as settings."""
    return {
        "models.patcher": ("--patcher", patcher),
        "models.generator": ("--generator", generator),
        "models.allow_same_family": ("--allow-same-family", allow_same_family or None),
    }


def rule_ids(flag: str, given: str | None) -> tuple[str, ...] | None:
    """The rules that a flag names; None if it was not given."""
    if given is None:
        return None
    ids = tuple(id.strip() for id in given.split(",") if id.strip())
    if not ids:
        raise UsageError(f"{flag} names no rule.", hint="`burnish rules` lists them all.")
    return ids


@dataclass(frozen=True, slots=True)
class RunFolderOption:
    """The folder of the runs, for commands that look at runs."""

    runs: Runs = None

    @property
    def settings(self) -> Settings:
        return load(flags={"runs": ("--runs", self.runs)}).settings

    @property
    def path(self) -> Path:
        return Path(self.settings.runs)


@dataclass(frozen=True, slots=True)
class TextOutput:
    """Text on a terminal."""

    no_color: NoColor = False

    @property
    def screen(self) -> Screen:
        return Screen(sys.stdout, no_color=self.no_color)


@dataclass(frozen=True, slots=True)
class Output:
    """Text on a terminal, or one JSON object."""

    json: JsonOutput = False
    no_color: NoColor = False

    @property
    def screen(self) -> Screen:
        return Screen(sys.stdout, no_color=self.no_color)

    def write(self, record: object) -> None:
        sys.stdout.write(f"{json_text(record)}\n")
