"""The plan of a translation, for a new or a resumed run: input, languages, roles and options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, cast

from burnish.app.materials import LARGEST_BOOK, kind_of, material_plan, read_file, read_materials, rule_settings
from burnish.app.run_sessions import kept_settings
from burnish.app.settings import Loaded, Settings
from burnish.core.documents import Material, Problem
from burnish.core.errors import InputError, UsageError
from burnish.engine.plan import (
    DocumentPlan,
    MaterialPlan,
    Plan,
    begin,
    recorded_plan,
    refuse_changed,
    started_plan,
    take_up,
    verify_source,
    with_asking,
)
from burnish.kinds.manuscripts.formats import BookFormat, format_of, read_manuscript, source_text
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import BATCH, LARGEST_BATCH, MAX_ATTEMPTS, MERGED, SMALLEST_BATCH
from burnish.kinds.manuscripts.publish import read_beside
from burnish.kinds.manuscripts.resources import TAMAZIGHT, TWO_PASSES
from burnish.kinds.manuscripts.terms import as_csv, harvest
from burnish.languages.detection import is_known, language_of, primary_tag
from burnish.models.apertium import APERTIUM, Apertium
from burnish.store.files import sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

KABYLE = "kab"
SAMPLED = 20_000
"""Characters of a book from which its language is detected."""


@dataclass(frozen=True, slots=True)
class TranslationOrder:
    """The arguments of `translate`, beyond the settings. None: not given; the recorded or default value is used."""

    run_id: str
    source: str | None = None
    to: str | None = None
    source_language: str | None = None
    profile: str | None = None
    orthography: str | None = None
    translator: str | None = None
    memories: tuple[str, ...] = ()
    glossary: str | None = None
    lexicon: str | None = None
    draft: str | None = None
    exclude: str | None = None
    reviews: tuple[str, ...] = ()
    critics: str | None = None
    style: str | None = None
    max_attempts: int | None = None
    batch: int | None = None
    rules_only: bool = False
    auto_merge: bool = False
    reauthorize: bool = False

    def files(self) -> dict[str, tuple[str, ...]]:
        """Role -> the paths that were named for it."""
        names = ("glossary", "lexicon", "draft", "exclude", "style")
        single = {name: getattr(self, name) for name in names}
        several = {"memory": self.memories, "review": self.reviews}
        folder = {"critic": (self.critics,) if self.critics else ()}
        return {**{role: (path,) if path else () for role, path in single.items()}, **several, **folder}


def language_named(name: str, option: str) -> str:
    """The tag of a language that the user gives as a code or an English name."""
    tag = primary_tag(name)
    if tag is not None and tag.startswith(("tamazight", "tifinagh", "amazigh")):
        return "zgh"
    if tag in ("kabyle", "taqbaylit"):
        return KABYLE
    if tag is None or not is_known(tag):
        raise UsageError(
            f"{name!r} is no language that Burnish knows.",
            hint=f"{option} takes a code or an English name, such as es, fra, Russian, kab or tamazight.",
        )
    return tag


def source_language_of(given: str | None, document: DocumentPlan) -> str:
    if given is not None:
        return language_named(given, "--from")
    with Path(document.path).open("rb") as stream:
        head = source_text(stream.read(), document.path)[:SAMPLED]
    found = language_of(head)
    if found is None:
        raise UsageError("The language of the source cannot be detected.", hint="Name it with --from LANG.")
    return found


def target_of(order: TranslationOrder, profile: str, default: str) -> tuple[str, str]:
    """The target language and its orthography. `default`: the orthography of Tamazight if the order names none."""
    named = language_named(order.to, "--to") if order.to is not None else None
    if named == KABYLE:
        if order.orthography not in (None, "kabyle"):
            raise UsageError(
                f"Kabyle is not spelled in the {order.orthography} orthography.",
                hint="Leave --orthography out, or name another language with --to.",
            )
        return KABYLE, "kabyle"
    orthography = order.orthography or default
    if profile != TWO_PASSES:
        if named is None:
            raise UsageError("The target language is missing.", hint="Name it with --to LANG.")
        return named, orthography
    if named is not None and named not in TAMAZIGHT:
        raise UsageError(
            f"{TWO_PASSES} is for Tamazight, not for {order.to}.", hint="Leave --to out, or --pipeline-profile."
        )
    return KABYLE if orthography == "kabyle" else "zgh", orthography


KIND = "manuscripts"
SHARED_ROLES = ("translator", "reworker", "reviewer", "critic")
"""The roles that the one model of --model takes."""
FLAGS = {"critic": "critics-dir"}
"""Role of a file -> the name of its flag, if it differs."""


def recorded(folder: RunFolder) -> Plan | None:
    """The plan of the recorded run; None if there is none."""
    plan = started_plan(folder)
    if plan is not None and plan.kind != KIND:
        raise UsageError(
            f"The run {folder.id} is about {plan.kind}.", hint="Choose another --run-id for the translation."
        )
    return plan


def new_plan(order: TranslationOrder, loaded: Loaded) -> Plan:
    """The plan of a new run; errors in the input or the settings are raised before anything is spent."""
    document = _document(order.source)
    options = _options(order, loaded.settings, document)
    beside = read_materials(order.files())
    source = Material(document.name, document.path, read_file(Path(document.path), LARGEST_BOOK))
    kind = ManuscriptsKind().supplied({**beside, "manuscript": (source,)}, options)
    _refuse_bad_input(kind, document)
    # Otherwise these are read at their first use: read now, so that errors in them are raised before the run. After
    # the source was checked, so that no more is in memory at once than in a run.
    _ = kind.equipment.draft, kind.equipment.memory
    wants = rule_settings(kind, loaded)
    roles = roles_of(loaded.settings)
    _refuse_contradictions(options, roles, beside)
    return Plan(
        run_id=order.run_id,
        kind=KIND,
        documents=(document,),
        arguments={
            "path": document.path,
            "is_folder": False,
            "options": options,
            "shared_roles": list(SHARED_ROLES),
            "auto_merge": order.auto_merge,
            "beside": read_beside(kind.equipment),
            **kept_settings(loaded.settings, {*roles.values(), *loaded.settings.models.judges}),
        },
        judges=loaded.settings.models.judges,
        roles=roles,
        materials=tuple(material_plan(role, one) for role, given in beside.items() for one in given),
        **wants.planned(kind),
    )


def roles_of(settings: Settings) -> dict[str, str]:
    """Role -> model. One model may have all roles."""
    models = settings.models
    given = {
        "translator": models.corrector_or_default(),
        "reworker": models.patcher or models.corrector_or_default(),
        "reviewer": models.reviewer or models.model,
        "critic": models.reviewer or models.model,
    }
    return {role: model for role, model in given.items() if model is not None}


def _document(path: str | None) -> DocumentPlan:
    if path is None:
        raise UsageError("There is nothing to translate.", hint="Name the book with --source FILE.")
    file = Path(path)
    format = format_of(path)
    if format is None:
        raise InputError(
            "A manuscript is Markdown, text or .docx.",
            path=path,
            code="unknown_format",
            hint="Endings: .md, .txt, .docx.",
        )
    if not read_file(file, LARGEST_BOOK).strip():
        raise InputError("The book is empty.", path=path, code="empty_file")
    return DocumentPlan(file.name, str(file.absolute()), format, sha256_of(file))


def _options(order: TranslationOrder, settings: Settings, document: DocumentPlan) -> dict[str, Any]:
    """The options of the translation, with all defaults filled in."""
    profile = order.profile or "standard_single_pass"
    target, orthography = target_of(order, profile, "ircam")
    return {
        "source": source_language_of(order.source_language, document),
        "target": target,
        "profile": profile,
        "orthography": orthography,
        "translator": order.translator or "model",
        "format": document.format,
        "max_attempts": order.max_attempts or MAX_ATTEMPTS,
        "batch": _batch(order.batch),
        **({"in_batches": True} if settings.models.batch else {}),
        **({"rules_only": True} if order.rules_only or settings.models.rules_only else {}),
    }


def _batch(given: int | None) -> int:
    if given is not None and not SMALLEST_BATCH <= given <= LARGEST_BATCH:
        raise UsageError(
            f"A batch of {given} paragraphs is not possible.",
            hint=f"--paragraphs takes {SMALLEST_BATCH} to {LARGEST_BATCH}.",
        )
    return given or BATCH


def _refuse_bad_input(kind: ManuscriptsKind, document: DocumentPlan) -> None:
    seen: list[str] = []
    with Path(document.path).open("rb") as stream:
        for part in kind.read(stream, document.path, document.format):
            if not isinstance(part, Problem):
                seen.append(part.id)
            elif part.blocks:
                raise InputError(part.message, path=part.path, line=part.line, code=part.code, hint=part.hint)
    exclusions = kind.equipment.exclusions
    if exclusions is not None:
        exclusions.refuse_unknown(seen)


def _refuse_contradictions(
    options: Mapping[str, Any], roles: Mapping[str, str], beside: Mapping[str, Sequence[Material]]
) -> None:
    """Raise UsageError if translators and languages contradict each other."""
    source, target, translator = options["source"], options["target"], str(options["translator"])
    pair = translator.removeprefix(APERTIUM) if translator.startswith(APERTIUM) else None
    if beside.get("critic") and "critic" not in roles:
        raise UsageError("Critics need a model.", hint="Name one with --model, or leave --critics-dir out.")
    if translator == "memory" and not beside.get("memory"):
        raise UsageError("There is no memory to translate from.", hint="Name one with --memory FILE.")
    if pair is not None:
        Apertium(pair)
    elif translator not in ("model", "memory"):
        raise UsageError(
            f"{translator!r} is no translator.", hint="Translators: model, memory, apertium:PAIR (apertium:eng-spa)."
        )
    elif translator == "model" and "translator" not in roles and not beside.get("draft") and not beside.get("memory"):
        raise UsageError(
            "Nothing can translate: no model is named.",
            hint="Name one with --model, bring a --draft, or choose --translator memory or apertium:PAIR.",
        )
    if source == target:
        raise UsageError(
            f"The source is in {source!r} already, the language to translate into.",
            hint="Name another language with --to, or that of the source with --from.",
        )
    if pair is not None and [primary_tag(code) for code in pair.split("-")[:2]] != [source, target]:
        raise UsageError(
            f"{translator} does not translate from {source!r} into {target!r}.",
            hint="Name another pair, or other languages with --from and --to.",
        )


def again(plan: Plan, order: TranslationOrder, loaded: Loaded) -> Plan:
    """The plan of a resumed run, with the new values of what may change. Raise UsageError if anything else differs."""
    _refuse_other_source(plan, order)
    options = dict(plan.arguments["options"])
    # Names are resolved as at the start, so that the same command line means the same run.
    given: dict[str, str | None] = {
        "profile": order.profile,
        "orthography": order.orthography,
        "translator": order.translator,
        "source": language_named(order.source_language, "--from") if order.source_language else None,
    }
    if order.to is not None:
        given["target"], _ = target_of(order, options["profile"], options["orthography"])
    refuse_changed(plan, {name: (value, options[name]) for name, value in given.items()})
    options["max_attempts"] = order.max_attempts or options["max_attempts"]
    options["batch"] = _batch(order.batch) if order.batch else options["batch"]
    options |= {"rules_only": True} if order.rules_only else {}
    arguments = {
        **plan.arguments,
        "options": options,
        "auto_merge": order.auto_merge or plan.arguments.get("auto_merge", False),
    }
    judges = loaded.settings.models.judges or plan.judges
    roles = {**plan.roles, **roles_of(loaded.settings)}
    named = replace(plan, arguments=arguments, roles=roles, judges=judges, materials=_same_materials(plan, order))
    now = with_asking(named, plan)
    if now.materials == plan.materials:
        return now
    # New exclusions are checked as in a new run. They refer to the source of the start.
    [document] = now.documents
    verify_source(document)
    kind = cast(ManuscriptsKind, kind_of(now))
    _refuse_bad_input(kind, document)
    return replace(now, arguments={**now.arguments, "beside": read_beside(kind.equipment)})


def _refuse_other_source(plan: Plan, order: TranslationOrder) -> None:
    """Raise UsageError for another source. The run itself reports a change of the same file, in its gate report."""
    [document] = plan.documents
    if order.source is None or Path(order.source).absolute() == Path(document.path):
        return
    if sha256_of(Path(order.source)) != document.sha256:
        raise UsageError(
            f"The run {plan.run_id} exists and is about another source: {document.path}.",
            hint="Choose another --run-id, or leave --source out.",
        )


def _same_materials(plan: Plan, order: TranslationOrder) -> tuple[MaterialPlan, ...]:
    """The materials of the start. Only exclusions may be replaced, with --reauthorize."""
    materials = list(plan.materials)
    for role, given in read_materials(order.files()).items():
        if not given:
            continue
        now = [material_plan(role, one) for one in given]
        then = [one for one in plan.materials if one.role == role]
        if [one.sha256 for one in now] == [one.sha256 for one in then]:
            continue
        if role != "exclude":
            raise UsageError(
                f"The run {plan.run_id} was started with another --{FLAGS.get(role, role)}.",
                hint="Leave it out to use that one, or choose another --run-id.",
            )
        if not order.reauthorize:
            raise UsageError(
                "Exclusions are fixed when a run begins.",
                hint="Give --reauthorize to change them, or choose another --run-id.",
            )
        materials = [one for one in materials if one.role != role] + now
    return tuple(materials)


def record_plan(journal: Journal, plan: Plan) -> Plan:
    """Record the plan of a new run, or the changes of a resumed one."""
    known = recorded_plan(journal)
    if known is None:
        return begin(journal, plan)
    if known.input_digest != replace(plan, materials=known.materials).input_digest or known.kind != plan.kind:
        raise UsageError(f"The run {plan.run_id} exists and is about other input.", hint="Choose another --run-id.")
    if plan.materials != known.materials and _is_published(journal):
        raise UsageError(
            f"The run {plan.run_id} is published; its exclusions stay as they are.", hint="Choose another --run-id."
        )
    take_up(journal, known, plan)
    return plan


def _is_published(journal: Journal) -> bool:
    """Whether the result is published or being published, also in a run without paragraphs in scope."""
    seen = chain(journal.units(states=(MERGED,), limit=1), journal.events(types=("published",), limit=1))
    return next(seen, None) is not None


def harvested_terms(source: str | None) -> str:
    """Candidates for a glossary from a book, as CSV."""
    document = _document(source)
    data = read_file(Path(document.path), LARGEST_BOOK)
    parts = read_manuscript(data, document.path, cast(BookFormat, document.format))
    return as_csv(harvest(part for part in parts if isinstance(part, Paragraph) and part.excluded is None))
