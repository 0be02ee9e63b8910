"""The four samples that ship with Burnish, as runs that anybody may start: scripts stand in for the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path

from burnish.app.run_starts import DOCUMENTS, Brought, RunStarter, unlike_others
from burnish.app.settings import Limits, Loaded
from burnish.app.start_choices import loaded_with, planner_for
from burnish.app.uploads import BroughtFile
from burnish.core.errors import NotFound


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of one kind."""

    kind: str
    title: str
    text: str
    """What it is, and what is wrong with it."""
    files: Mapping[str, tuple[str, ...]]
    """Role -> names of files."""
    scripts: Mapping[str, str] = field(default_factory=dict)
    """Role -> the script that stands in for its model."""
    choices: Mapping[str, str] = field(default_factory=dict)
    seen: str = ""
    """What to look at while it runs."""


SAMPLES: dict[str, Sample] = {
    "questions": Sample(
        "questions",
        "Questions",
        "12 biology questions with 5 errors, among them a near-duplicate.",
        {DOCUMENTS: ("biology.json",)},
        {"corrector": "biology_model.json", "judge1": "biology_judge.json"},
        seen="Rules find the flaws, one script repairs the questions, another judges each repair.",
    ),
    "lessons": Sample(
        "lessons",
        "Lesson",
        "A lesson on bread with its specification and a source that it contradicts.",
        {DOCUMENTS: ("bread.json",), "spec": ("bread_spec.json",), "source": ("bread_source.md",)},
        {
            "reviewer": "bread_model.json",
            "corrector": "bread_model.json",
            "judge1": "bread_judge_1.json",
            "judge2": "bread_judge_2.json",
        },
        {"mode": "semi-auto"},
        seen="Two judges score the lesson, only the sections with findings are edited, and the score rises.",
    ),
    "manuscripts": Sample(
        "manuscripts",
        "Book",
        "A short story, translated into Spanish; a play on words goes to a person.",
        {DOCUMENTS: ("lighthouse.md",), "glossary": ("lighthouse_terms.csv",), "style": ("lighthouse_style.md",)},
        {"corrector": "lighthouse_model.json", "reviewer": "lighthouse_model.json", "patcher": "lighthouse_model.json"},
        {"to": "es", "mode": "semi-auto"},
        seen="Each paragraph is translated, reviewed and reworked; names and terms follow the glossary.",
    ),
    "legos": Sample(
        "legos",
        "Course",
        "40 Spanish sentence pairs, cut into phrases that learners can put together again.",
        {DOCUMENTS: ("neighbours.tsv",)},
        {},
        {"code": "spa_for_eng_40seeds", "mode": "semi-auto"},
        seen="The built-in extractor cuts and scores every pair; cuts that score too low wait for you.",
    ),
}


PREFIX = "sample-"


def is_sample(run: str) -> bool:
    """Whether a run is that of a sample, by its id."""
    return run.startswith(PREFIX)


def sample_named(kind: str) -> Sample:
    if kind not in SAMPLES:
        raise NotFound("There is no such sample.", hint="The front page lists them.")
    return SAMPLES[kind]


def run_id_of(sample: Sample) -> str:
    """For a new run of it."""
    return unlike_others(f"{PREFIX}{sample.kind}")


def start_sample(sample: Sample, run: str, starter: RunStarter) -> None:
    """Start the run of a sample. The operator's own models and ceilings are not touched."""
    models = {role: f"scripted:{_place(name)}" for role, name in sample.scripts.items()}
    loaded = loaded_with(_with_scripts(starter.loaded, models), sample.kind, {**sample.choices, **models})
    planner = planner_for(sample.kind, loaded, sample.choices, run, starter.clock)
    starter.start(run, _brought(sample), planner)


def _with_scripts(loaded: Loaded, models: Mapping[str, str]) -> Loaded:
    serve = loaded.settings.serve.model_copy(update={"models": tuple(dict.fromkeys(models.values()))})
    return replace(loaded, settings=loaded.settings.model_copy(update={"serve": serve, "limits": Limits()}))


def _brought(sample: Sample) -> Brought:
    return {
        role: [BroughtFile(name, Path(_place(name)).read_bytes()) for name in names]
        for role, names in sample.files.items()
    }


def _place(name: str) -> str:
    return str(Path(str(files("burnish.samples"))) / name)
