"""Sound documents and their damaged copies, for `prove`.

Copies are made in memory; for the same documents and the same seed they are always the same.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from burnish.app.check_summary import pair_of
from burnish.app.kinds import gather
from burnish.app.materials import LARGEST_BOOK, Materials, RuleSettings, equipped, read_file, rule_settings
from burnish.app.settings import Loaded
from burnish.core.damage import Damage, Damaged, Phrase, phrases_for
from burnish.core.documents import Unit, is_unit, text_digest
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, UsageError
from burnish.core.findings import Severity
from burnish.core.kinds import Kind
from burnish.core.tasks import Environment
from burnish.engine.check import Document, survey_document
from burnish.engine.plan import DocumentPlan
from burnish.store.files import sha256_of

EACH_PHRASE = 3
"""Places into which each phrase is put."""
MOST_OFFERED = 40
"""Units that are tried for one copy: not every unit has numbers, or two sentences."""


@dataclass(frozen=True, slots=True)
class Order:
    """The arguments of `prove`, beyond the settings."""

    paths: Sequence[str]
    kind: str | None = None
    materials: Materials = field(default_factory=Materials)
    bitext: bool = False
    glossary: str | None = None
    lexicon: str | None = None
    languages: tuple[str | None, str | None] = (None, None)
    course: str | None = None
    damages: tuple[str, ...] = ()
    n: int = 200
    seed: int = 1
    severity: Severity = "warning"


@dataclass(frozen=True, slots=True)
class SoundDocument:
    """A document that is assumed to be sound."""

    name: str
    units: tuple[Unit, ...]
    env: Environment
    """The rules, and the facts about the document that they use."""
    language: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """One damage in a copy of one document."""

    damage: Damage
    document: SoundDocument
    damaged: Damaged
    phrase: Phrase | None

    @property
    def unit(self) -> str:
        return self.damaged.units[0].id

    @property
    def key(self) -> str:
        """The same for the same copy, whenever it is made."""
        hashes = " ".join(unit.content_hash for unit in self.damaged.units)
        return f"{self.damage.id}:{text_digest(f'{self.document.name} {hashes}')[7:23]}"

    @property
    def originals(self) -> list[Unit]:
        ids = {unit.id for unit in self.damaged.units}
        return [unit for unit in self.document.units if unit.id in ids]


@dataclass(frozen=True, slots=True)
class Subject:
    """The documents to prove, and the rules."""

    kind: Kind
    documents: list[SoundDocument]
    files: tuple[DocumentPlan, ...]
    wants: RuleSettings
    order: Order


def subject_of(order: Order, loaded: Loaded) -> Subject:
    """The documents read, with the rules that apply to them."""
    if order.kind == "legos" or order.course is not None:
        return _course(order, loaded)
    gathered = (
        pair_of(order.paths, order.glossary, *order.languages, order.lexicon)
        if order.bitext
        else gather(order.paths, order.kind, order.materials.places())
    )
    if gathered.failures:
        raise gathered.failures[0]
    if len(gathered.kinds) != 1:
        raise UsageError("These are several kinds of content.", hint="Choose one with --kind.")
    [(name, bare)] = gathered.kinds.items()
    kind = bare if order.bitext else equipped(bare, order.materials)
    wants = rule_settings(kind, loaded)
    paths = [one.path for one in gathered.documents[name]]
    documents = [
        _document(kind, one, called, wants) for one, called in zip(gathered.documents[name], _names(paths), strict=True)
    ]
    return Subject(kind, documents, _plans(order.paths if order.bitext else paths), wants, order)


def _names(paths: Sequence[str]) -> list[str]:
    """The names of files: their own, or their paths below the common folder if two have the same name."""
    if len({Path(path).name for path in paths}) == len(paths):
        return [Path(path).name for path in paths]
    home = os.path.commonpath([str(Path(path).parent) for path in paths])
    return [Path(path).relative_to(home).as_posix() for path in paths]


def _plans(paths: Sequence[str]) -> tuple[DocumentPlan, ...]:
    named = zip(_names(paths), paths, strict=True)
    return tuple(DocumentPlan(name, path, "", sha256_of(Path(path))) for name, path in named)


def _document(kind: Kind, document: Document, name: str, wants: RuleSettings) -> SoundDocument:
    with Path(document.path).open("rb") as stream:
        parts = list(kind.read(stream, document.path, document.format))
    units = tuple(filter(is_unit, parts))
    context = kind.context([survey_document(kind, document)], wants.demands)
    env = Environment(wants.selection, ModelRoles(), context=context, off=wants.off)
    if kind.is_phased:
        env = replace(env, facts=kind.gathered(units, env).facts)
    return SoundDocument(name, units, env, _language(kind, units, env))


def _language(kind: Kind, units: Sequence[Unit], env: Environment) -> str | None:
    """The language of most units."""
    found = (getattr(unit, "target_language", None) for unit in units)
    named = [one for one in found if one] or [kind.examine(u, env.selection, env.context).language for u in units[:20]]
    counted = Counter(language for language in named if language)
    return counted.most_common(1)[0][0] if counted else None


def _course(order: Order, loaded: Loaded) -> Subject:
    """SEEDs from files of pairs, cut by the built-in extractor."""
    from burnish.kinds.legos.damage import seeds_of
    from burnish.kinds.legos.kind import LegosKind
    from burnish.kinds.legos.model import Course
    from burnish.kinds.legos.resources import Terms

    if order.course is None:
        raise UsageError(
            "The languages of the pairs are not known.", hint="Give the course with --course (spa_for_eng)."
        )
    terms, documents = Terms(course_code=order.course), []
    kind = LegosKind(terms)
    wants = rule_settings(kind, loaded)
    for name, path in zip(_names(order.paths), order.paths, strict=True):
        seeds, facts = seeds_of(read_file(Path(path), LARGEST_BOOK), path, Course.of(order.course), terms)
        if not seeds:
            raise InputError("There is no sentence pair in it.", path=path, code="no_pairs")
        env = Environment(wants.selection, ModelRoles(), facts=facts, off=wants.off)
        documents.append(SoundDocument(name, seeds, env, None))
    return Subject(kind, documents, _plans(order.paths), wants, order)


def chosen(kind: Kind, names: Sequence[str]) -> list[Damage]:
    """The damages with these names; all if none is named."""
    known = {damage.id: damage for damage in kind.damages}
    for name in names:
        if name not in known:
            raise UsageError(f"There is no damage {name!r} for {kind.name}.", hint=f"Damages: {', '.join(known)}.")
    return [damage for id, damage in known.items() if not names or id in names]


# -- the copies


Place = tuple[SoundDocument, int]


def cases_of(damage: Damage, places: Sequence[Place], n: int, seed: int) -> Iterator[Case]:
    """At most `n` copies with one damage, no two alike. Without phrases each unit is damaged once; each phrase is put
    into a few units."""
    random = Random(f"{seed}:{damage.id}")
    order = list(places)
    random.shuffle(order)
    made: set[str] = set()
    for offered, phrase in _tries(damage, order, random):
        tried = (_case(damage, place, random, phrase) for place in offered)
        case = next((one for one in tried if one is not None and one.key not in made), None)
        if case is not None:
            made.add(case.key)
            yield case
        if len(made) >= n:
            return


def _case(damage: Damage, place: Place, random: Random, phrase: Phrase | None) -> Case | None:
    document, at = place
    damaged = damage.make(document.units, at, random, phrase)
    return Case(damage, document, damaged, phrase) if damaged is not None else None


def _tries(damage: Damage, order: Sequence[Place], random: Random) -> Iterator[tuple[Sequence[Place], Phrase | None]]:
    """Places, of which the first that works is taken, and the phrase for it."""
    if not damage.phrases:
        yield from (([place], None) for place in order)
        return
    fitting = {document.language: phrases_for(damage, document.language) for document, _ in order}
    by_phrase = {one: [place for place in order if one in fitting[place[0].language]] for one in damage.phrases}
    for _ in range(EACH_PHRASE):
        for phrase in random.sample(damage.phrases, len(damage.phrases)):
            places = by_phrase[phrase]
            yield random.sample(places, min(len(places), MOST_OFFERED)), phrase
