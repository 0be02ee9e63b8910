"""Options that several commands share: one name, one meaning, one help text."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from burnish.app.kinds import KINDS

Runs = Annotated[str | None, typer.Option("--runs", metavar="DIR", help="Folder of the runs. Default: runs.")]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="M", help="Corrects and reviews, as provider:model (openai:gpt-5-mini)."),
]
Judges = Annotated[
    str | None,
    typer.Option("--judges", metavar="M1,M2,M3", help="A panel that reviews instead; more than half decide."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server (Ollama, vLLM, llama.cpp).")
]
Workers = Annotated[int | None, typer.Option("--workers", min=1, metavar="N", help="Units worked on at once.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="Stop before this many tokens.")
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0.0, metavar="USD", help="Stop before this much money.")
]
MaxSeconds = Annotated[float | None, typer.Option("--max-seconds", min=0.0, metavar="S", help="Stop after this long.")]
KindName = Annotated[
    str | None,
    typer.Option("--kind", metavar="KIND", help=f"Read as this kind: {', '.join(KINDS)}."),
]
Profile = Annotated[str | None, typer.Option("--profile", metavar="NAME", help="`default` or `strict`.")]
Institution = Annotated[
    str | None, typer.Option("--institution", metavar="ID", help="Whose rules apply, from the settings.")
]
JsonOutput = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
Against = Annotated[
    str | None,
    typer.Option("--against", metavar="FILE", help="An earlier document in which to look for near-duplicates."),
]
Spec = Annotated[
    str | None, typer.Option("--spec", metavar="PATH", help="What a lesson was ordered to be, or a folder of these.")
]
Source = Annotated[
    list[str] | None, typer.Option("--source", metavar="PATH", help="Source material, files or folders. Repeatable.")
]
Patcher = Annotated[
    str | None, typer.Option("--patcher", metavar="M", help="Lessons: edits sections. Default: --model.")
]
Generator = Annotated[
    str | None,
    typer.Option("--generator", metavar="M", help="Lessons: writes again what cannot be mended, at most twice."),
]
Mode = Literal["semi-auto", "full-auto"]
StrictInput = Annotated[bool, typer.Option("--strict-input", help="Refuse input with any problem in it.")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours, as NO_COLOR does.")]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.")]


def lesson_flags(
    patcher: str | None = None, generator: str | None = None, allow_same_family: bool = False
) -> dict[str, tuple[str, object]]:
    """The flags that only lessons have, as the settings they stand for."""
    return {
        "models.patcher": ("--patcher", patcher),
        "models.generator": ("--generator", generator),
        "models.allow_same_family": ("--allow-same-family", allow_same_family or None),
    }


def model_flags(
    model: str | None = None,
    judges: str | None = None,
    base_url: str | None = None,
    workers: int | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    max_seconds: float | None = None,
    runs: str | None = None,
) -> dict[str, tuple[str, object]]:
    """The flags as the settings they stand for."""
    panel = None if judges is None else tuple(name.strip() for name in judges.split(",") if name.strip())
    return {
        "models.model": ("--model", model),
        "models.judges": ("--judges", panel),
        "models.base_url": ("--base-url", base_url),
        "limits.workers": ("--workers", workers),
        "limits.max_tokens": ("--max-tokens", max_tokens),
        "limits.max_cost": ("--max-cost", max_cost),
        "limits.max_seconds": ("--max-seconds", max_seconds),
        "runs": ("--runs", runs),
    }
