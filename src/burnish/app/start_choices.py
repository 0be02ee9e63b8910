"""The choices before a run is started in the browser: models that the operator allows, mode, ceilings, languages; or
one of the four samples of Burnish, with scripted models.

A page or a request never gives an address or a key: it names models of the operator's settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from burnish.app.course_exchange import import_pairs
from burnish.app.course_extraction import ExtractionOrder
from burnish.app.course_extraction import new_plan as extraction_plan
from burnish.app.materials import kind_of, materials
from burnish.app.polish_plan import Order, habits_in, plan_of
from burnish.app.run_sessions import prices_for, refuse_unknown, resources_of
from burnish.app.run_starts import DOCUMENTS, InputFiles, Planned, Planner, RunStarter, StoredFiles, unlike_others
from burnish.app.settings import Limits, Loaded, Settings
from burnish.app.translation_plan import TranslationOrder, language_named
from burnish.app.translation_plan import new_plan as translation_plan
from burnish.app.uploads import DOCUMENT, InputFile, Upload
from burnish.core.errors import NotFound, UsageError
from burnish.core.tasks import MOST_ATTEMPTS
from burnish.engine.estimate import Estimate, estimate
from burnish.engine.plan import Plan
from burnish.kinds.legos.model import Course
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock

NONE = ""
"""No model in this role."""
COURSE = "course"
"""The folder, in the run's folder, of a course made from uploaded pairs."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A role for a model, or a mode, which decides about units below the threshold."""

    name: str
    label: str
    help: str


JUDGES = ("judge1", "judge2", "judge3")
ROLE_FIELDS: Mapping[str, Sequence[Choice]] = {
    "questions": (
        Choice("corrector", "Corrector", "Repairs what the rules and judges find"),
        Choice("judge1", "Judge 1", "Reads every question, and solves it without seeing the key"),
        Choice("judge2", "Judge 2", "The same. A finding counts if more than half of the judges raise it"),
    ),
    "lessons": (
        Choice("reviewer", "Reviewer", "Reads the lesson first and names what to repair"),
        Choice("corrector", "Patcher", "Edits the sections that need it"),
        Choice("judge1", "Judge 1", "Scores every version"),
        Choice("judge2", "Judge 2", "The same, of another model family"),
        Choice("judge3", "Judge 3", "The same"),
        Choice("generator", "Generator", "Regenerates sections that edits cannot repair"),
    ),
    "manuscripts": (
        Choice("corrector", "Translator", "Translates each paragraph"),
        Choice("reviewer", "Reviewer", "Compares each translation with its source"),
        Choice("patcher", "Reworker", "Repairs what the reviewer finds"),
    ),
    "legos": (
        Choice("corrector", "Extractor", "Cuts each pair. Without a model the built-in extractor does, for free"),
        Choice("reviewer", "Reviewer", "Reviews each cut besides the rules; the lower score counts"),
    ),
}
"""Kind -> its roles."""
MODES: Mapping[str, Sequence[Choice]] = {
    "questions": (),
    "lessons": (
        Choice(
            "semi-auto", "Semi-auto", "Sections below the threshold go to review. You decide, then it is published."
        ),
        Choice("full-auto", "Full-auto", "The best version is published. What is below the threshold is listed."),
    ),
    "manuscripts": (
        Choice("semi-auto", "Semi-auto", "Paragraphs below the threshold go to review. You approve before publishing."),
        Choice("full-auto", "Full-auto", "The book is published as soon as every paragraph is ready."),
    ),
    "legos": (
        Choice("semi-auto", "Semi-auto", "Cuts that score below 8.0 go to review. All others are accepted."),
        Choice("hold", "See every cut", "Every cut waits for you, even if it passes."),
    ),
}  # fmt: skip
"""Kind -> its modes, the usual one first."""


def allowed_models(settings: Settings) -> tuple[str, ...]:
    """The models that a run started here may use: those of [models] and of serve.models."""
    models = settings.models
    roles = (models.model, models.corrector, models.reviewer, models.patcher, models.generator)
    return tuple(dict.fromkeys(model for model in (*roles, *models.judges, *settings.serve.models) if model))


def usual_choices(kind: str, settings: Settings) -> dict[str, str]:
    """The default choices: the operator's own models and ceilings."""
    models, limits = settings.models, settings.limits
    panel = models.judges if kind == "lessons" else models.panel()
    named: dict[str, str | None] = {
        "corrector": (models.patcher if kind == "lessons" else None) or models.corrector_or_default(),
        "reviewer": models.reviewer if kind == "legos" else models.reviewer or models.model,
        "patcher": models.patcher or models.corrector_or_default(),
        "generator": models.generator,
        **dict(zip(JUDGES, panel, strict=False)),
    }
    fields = {field.name: named.get(field.name) or NONE for field in ROLE_FIELDS[kind]}
    modes = MODES[kind]
    return {
        **fields,
        "mode": modes[0].name if modes else "",
        "max_cost": "" if limits.max_cost is None else f"{limits.max_cost:g}",
        "max_tokens": "" if limits.max_tokens is None else str(limits.max_tokens),
    }


def loaded_with(loaded: Loaded, kind: str, choices: Mapping[str, str]) -> Loaded:
    """The operator's settings with the choices. Raise UsageError if the operator does not allow a model or a
    ceiling."""
    settings = loaded.settings
    allowed = allowed_models(settings)
    named = {field.name: choices.get(field.name, NONE) for field in ROLE_FIELDS[kind]}
    for model in named.values():
        if model and model not in allowed:
            raise UsageError(
                "This model is not among those that may be used here.",
                hint="Choose one from the list. The operator extends it with serve.models in burnish.toml.",
            )
    judges = tuple(named[name] for name in JUDGES if named.get(name))
    if len(set(judges)) < len(judges):
        raise UsageError("The same model is chosen for two judges.", hint="Choose different models, or none.")
    models = settings.models.model_copy(
        update={
            "model": None,
            "corrector": named.get("corrector") or None,
            "reviewer": named.get("reviewer") or None,
            "patcher": named.get("patcher") or named.get("corrector") or None,
            "generator": named.get("generator") or None,
            "judges": judges,
            **({"rules_only": True} if choices.get("rules_only") else {}),
        }
    )
    limits = settings.limits.model_copy(update=ceilings_of(settings, choices))
    return replace(loaded, settings=settings.model_copy(update={"models": models, "limits": limits}))


def ceilings_of(settings: Settings, choices: Mapping[str, str]) -> dict[str, float | int | None]:
    """The ceilings of a form; where a field is empty, those of the operator."""
    given: dict[str, float | int | None] = {}
    for name, words, number in (("max_cost", "US dollars", float), ("max_tokens", "tokens", int)):
        allowed = getattr(settings.limits, name)
        text = choices.get(name, "").replace(",", "").replace("$", "").strip()
        if not text:
            given[name] = allowed
            continue
        try:
            value = number(text)
        except ValueError:
            raise UsageError(
                f"The ceiling in {words} is not a number.", hint="Write it like 0.50 or 400,000."
            ) from None
        if not 0 < value < 1e15:
            raise UsageError(f"The ceiling in {words} must be above 0.", hint="Leave it empty for none.")
        if allowed is not None and value > allowed:
            raise UsageError(f"The ceiling in {words} is at most {allowed:,g} here.", hint="Choose a lower one.")
        given[name] = value
    return given


def inputs_of(upload: Upload, *, fixed: bool) -> InputFiles:
    """The files of an upload by role, for a run."""
    files = upload.input_files(fixed=fixed)
    return {DOCUMENTS if role == DOCUMENT else role: given for role, given in files.items()}


def planner_for(kind: str, loaded: Loaded, choices: Mapping[str, str], run: str, clock: Clock) -> Planner:
    """A function that makes the plan of a run of this kind from the choices."""
    return partial(PLANNERS[kind], kind, loaded, choices, run, clock)


def _polish(
    kind: str, loaded: Loaded, choices: Mapping[str, str], run: str, clock: Clock, there: StoredFiles, folder: RunFolder
) -> Planned:
    beside = materials(there.one("spec"), there.all("source"))
    mode = choices.get("mode") or None if kind == "lessons" else None
    rules_only = bool(choices.get("rules_only"))
    attempts = _attempts(choices) if kind == "questions" else None
    order = Order(
        there.path, kind, None, run, materials=beside, mode=mode, rules_only=rules_only, max_attempts=attempts
    )
    return Planned(plan_of(order, loaded, clock=clock))


def _attempts(choices: Mapping[str, str]) -> int | None:
    """The corrections of each question; None: as the settings say."""
    text = choices.get("max_attempts", "").strip()
    if not text:
        return None
    if not text.isdecimal():
        raise UsageError("The number of corrections is not a number.", hint=f"Write one from 1 to {MOST_ATTEMPTS}.")
    return int(text)


def _translate(
    kind: str, loaded: Loaded, choices: Mapping[str, str], run: str, clock: Clock, there: StoredFiles, folder: RunFolder
) -> Planned:
    if not choices.get("to", "").strip():
        raise UsageError("The language to translate into is missing.", hint="Write it in the form: Spanish, kab.")
    order = TranslationOrder(
        run,
        source=there.path,
        to=choices["to"].strip(),
        source_language=choices.get("from", "").strip() or None,
        memories=tuple(there.all("memory")),
        glossary=there.one("glossary"),
        draft=there.one("draft"),
        style=there.one("style"),
        rules_only=bool(choices.get("rules_only")),
        auto_merge=choices.get("mode") == "full-auto",
    )
    return Planned(translation_plan(order, loaded))


def _extract(
    kind: str, loaded: Loaded, choices: Mapping[str, str], run: str, clock: Clock, there: StoredFiles, folder: RunFolder
) -> Planned:
    is_held = choices.get("mode") == "hold"
    return extracted(there, folder, loaded, code=course_code(choices), run=run, hold=is_held, clock=clock)


def extracted(
    there: StoredFiles, folder: RunFolder, loaded: Loaded, *, code: str, run: str, hold: bool, clock: Clock
) -> Planned:
    """The plan of an extraction from sentence pairs, which are imported into a new course first."""
    home = there.folder / COURSE
    import_pairs(there.path, Course.of(code), home, clock=clock)
    plan, left_out = extraction_plan(ExtractionOrder(home, run, hold=hold), loaded, folder)
    return Planned(plan, left_out)


def course_code(choices: Mapping[str, str]) -> str:
    """The code that was entered, or one of the chosen languages: `spa_for_eng`."""
    if choices.get("code", "").strip():
        return choices["code"].strip()
    named = []
    for name, words in (("to", "taught"), ("from", "of the learners")):
        text = choices.get(name, "").strip()
        if not text:
            raise UsageError(f"The language {words} is missing.", hint="Write it in the form: Spanish, mkd.")
        named.append(language_named(text, "This field"))
    return f"{named[0]}_for_{named[1]}"


PLANNERS = {"questions": _polish, "lessons": _polish, "manuscripts": _translate, "legos": _extract}


def estimated(
    starter: RunStarter, kind: str, choices: Mapping[str, str], inputs: InputFiles, runs: Path
) -> tuple[Estimate, Settings]:
    """The estimated cost of a run with these choices. Raises the errors that would refuse its start."""
    loaded = loaded_with(starter.loaded, kind, choices)
    planner = planner_for(kind, loaded, choices, "estimate", starter.clock)
    with starter.temporary_plan("estimate", inputs, planner) as (planned, _):
        return priced(planned.plan, loaded.settings, runs), loaded.settings


def priced(plan: Plan, settings: Settings, runs: Path) -> Estimate:
    """The estimated cost of a run with this plan. Raise UsageError if a model is unknown, or if there is a ceiling on
    money but a price is not known."""
    refuse_unknown(settings, plan.models)
    resources_of(settings, plan.models)
    return estimate(plan, kind_of(plan), prices_for(settings, plan.models), habits_in(runs))


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of one kind."""

    kind: str
    title: str
    text: str
    """Its content, and what is wrong with it."""
    files: Mapping[str, tuple[str, ...]]
    """Role -> names of files."""
    scripts: Mapping[str, str] = field(default_factory=dict)
    """Role -> the script of its model."""
    choices: Mapping[str, str] = field(default_factory=dict)
    seen: str = ""
    """What a visitor sees while it runs."""


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
    """Whether the run is that of a sample."""
    return run.startswith(PREFIX)


def sample_named(kind: str) -> Sample:
    if kind not in SAMPLES:
        raise NotFound("There is no such sample.", hint="The front page lists them.")
    return SAMPLES[kind]


def run_id_of(sample: Sample) -> str:
    """A run id for the sample."""
    return unlike_others(f"{PREFIX}{sample.kind}")


def start_sample(sample: Sample, run: str, starter: RunStarter) -> None:
    """Start the run of a sample, with neither the operator's models nor ceilings."""
    models = {role: f"scripted:{_place(name)}" for role, name in sample.scripts.items()}
    settings = starter.loaded.settings
    serve = settings.serve.model_copy(update={"models": tuple(dict.fromkeys(models.values()))})
    own = replace(starter.loaded, settings=settings.model_copy(update={"serve": serve, "limits": Limits()}))
    loaded = loaded_with(own, sample.kind, {**sample.choices, **models})
    planner = planner_for(sample.kind, loaded, sample.choices, run, starter.clock)
    inputs = {
        role: [InputFile(name, Path(_place(name)).read_bytes()) for name in names]
        for role, names in sample.files.items()
    }
    starter.start(run, inputs, planner)


def _place(name: str) -> str:
    return str(Path(str(files("burnish") / "samples")) / name)
