"""The options and materials of a translation, and what the rules know about its languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import PurePath
from typing import Any, Literal

from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.block_fit import fits_one_block
from burnish.kinds.manuscripts.formats import BookFormat, format_of, read_manuscript
from burnish.kinds.manuscripts.glossary import read_glossary
from burnish.kinds.manuscripts.memory import Aligned, Memory, align
from burnish.kinds.manuscripts.model import Paragraph, Term
from burnish.kinds.manuscripts.policy import BATCH, MAX_ATTEMPTS
from burnish.kinds.manuscripts.requests import PROMPTS, SHIPPED_CRITICS, Commission
from burnish.kinds.manuscripts.reviews import Critic, ForeignIssue, read_critic, read_critics, read_review
from burnish.kinds.manuscripts.style_sheet import Exclusions, StyleSheet, read_style_sheet
from burnish.kinds.manuscripts.terminology import TermIndex
from burnish.languages import dictionary
from burnish.languages.detection import UNKNOWN_LANGUAGE
from burnish.languages.grammar import KNOWN_CONCORDS, KNOWN_TENSES
from burnish.languages.lexicon import Lexicon, unpacked
from burnish.languages.tamazight import Orthography
from burnish.languages.voice import KNOWN_ADDRESSES, KNOWN_PERSONS
from burnish.text.transliteration import render

Profile = Literal["standard_single_pass", "tamazight_two_pass"]
TWO_PASSES: Profile = "tamazight_two_pass"
TAMAZIGHT = frozenset({"zgh", "kab", "tzm", "shi", "rif", "ber", "tamazight"})


@dataclass(frozen=True)
class Terms:
    """The options of a translation."""

    source: str = UNKNOWN_LANGUAGE
    target: str = UNKNOWN_LANGUAGE
    profile: Profile = "standard_single_pass"
    orthography: Orthography = "ircam"
    format: BookFormat = "markdown"
    """The format of the source."""
    translator: str = "model"
    """`model`, `memory`, `apertium:PAIR`."""
    max_attempts: int = MAX_ATTEMPTS
    batch: int = BATCH
    in_batches: bool = False
    """Whether calls are made at batch prices: an answer may take a day."""
    rules_only: bool = False
    """Whether the user accepts what rules alone can judge, if no model reviews."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Terms:
        return cls(**{name: options[name] for name in cls.__dataclass_fields__ if name in options})

    @property
    def renders(self) -> bool:
        """Whether there is a second pass."""
        return self.profile == TWO_PASSES


class Brought:
    """An existing translation with its source. Both files are released once they are aligned: they may be as large as
    all other data of a run."""

    def __init__(
        self, manuscript: Material, draft: Material, languages: tuple[str, str], own: Lexicon | None = None
    ) -> None:
        self._files: tuple[Material, Material] | None = (manuscript, draft)
        self._languages, self._own = languages, own
        self._aligned = Aligned({})

    def aligned(self) -> Aligned:
        if self._files is not None:
            manuscript, draft = self._files
            formats = [format_of(one.path) or "text" for one in self._files]
            self._aligned = align(
                _paragraphs(manuscript, formats[0]),
                draft.data,
                draft.path,
                formats[1],
                source_format=formats[0],
                languages=self._languages,
                own=self._own,
            )
            self._files = None
        return self._aligned


def _paragraphs(manuscript: Material, format: BookFormat) -> Iterator[Paragraph]:
    """The paragraphs of the source, decoded when the first is read."""
    for part in read_manuscript(manuscript.data, manuscript.path, format):
        if isinstance(part, Paragraph):
            yield part


@dataclass(frozen=True)
class Equipment:
    """The options and materials of a run."""

    terms: Terms = field(default_factory=Terms)
    glossary: tuple[Term, ...] = ()
    exclusions: Exclusions | None = None
    critics: tuple[Critic, ...] = ()
    style: StyleSheet | None = None
    reviews: tuple[ForeignIssue, ...] = ()
    """Issues that other tools found in the candidate."""
    memories: tuple[Material, ...] = ()
    brought: Brought | None = None
    """An existing translation."""
    lexicon: Lexicon | None = None
    """The user's own."""

    @cached_property
    def memory(self) -> Memory | None:
        """The translation memory, which is read only if there is something to translate."""
        return Memory.of(self.memories, self.terms.source, self.terms.target) if self.memories else None

    @property
    def draft(self) -> Mapping[str, str]:
        """Paragraph id -> its existing translation."""
        return self.brought.aligned().texts if self.brought is not None else {}

    @property
    def draft_notes(self) -> tuple[str, ...]:
        """Warnings about the draft: another language, and blocks of either file without a match in the other."""
        if self.brought is None:
            return ()
        aligned, target = self.brought.aligned(), self.terms.target
        found = aligned.other_language
        other = f"The draft looks like {found!r}, not like {target!r}. Name another language with --to if it is meant."
        return (*((other,) if found is not None else ()), *aligned.unpaired)

    def misfit(self, text: str, paragraph: Paragraph) -> str | None:
        """Why a text cannot replace a paragraph; None if it can."""
        return fits_one_block(text, paragraph, self.terms.format)

    @property
    def kept_names(self) -> Sequence[str]:
        """Names that the translation must keep unchanged."""
        return tuple(term.source for term in self.glossary if term.keep)

    @property
    def writes_tamazight(self) -> bool:
        return self.terms.renders or self.terms.target in TAMAZIGHT

    @cached_property
    def commission(self) -> Commission:
        style, script = self.style, ""
        if self.writes_tamazight:
            name = {"ircam": "Standard Moroccan (IRCAM)", "kabyle": "Kabyle"}[self.terms.orthography]
            script = f"Write Tamazight in Latin letters, in the {name} orthography."
        return Commission(
            source=self.terms.source,
            target=self.terms.target,
            script=script,
            style=style.rules if style is not None else "",
            samples="\n\n".join(style.samples) if style is not None else "",
            terms=TermIndex(self.glossary),
            read_back=self.in_latin if self.terms.renders else None,
        )

    def in_latin(self, text: str) -> str:
        """A text of the published script in Latin letters, which models write."""
        return render(text, "latin", self.terms.orthography, self.kept_names, "text").text


OF_THE_TRANSLATION = {
    "agreement": KNOWN_CONCORDS,
    "formality_mixed": KNOWN_ADDRESSES,
    "person_changed": KNOWN_PERSONS,
    "tense_changed": KNOWN_TENSES,
}
"""Rule -> languages of the translation that it supports."""
OF_THE_SOURCE = {"person_changed": KNOWN_PERSONS, "tense_changed": KNOWN_TENSES}
"""Rule -> languages of the source that it supports."""


def unable(source_language: str, target_language: str) -> dict[str, str]:
    """Rules that do not support this pair of languages, with the reason of each."""
    missing = dictionary.why_not(target_language)
    found = {"spelling": missing} if missing is not None else {}
    for rules, language in ((OF_THE_SOURCE, source_language), (OF_THE_TRANSLATION, target_language)):
        beyond = (rule for rule, languages in rules.items() if language not in languages)
        found |= dict.fromkeys(beyond, f"it knows too little about {language}")
    return dict(sorted(found.items()))


ROLES = ("manuscript", "memory", "glossary", "lexicon", "draft", "exclude", "review", "critic", "style")
"""The roles of materials. `manuscript` is the source itself, with which a draft is aligned."""


def equipped(materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> Equipment:
    """The options and materials of a run. Memories and drafts, which may be large, are read at their first use."""
    terms = Terms.of(options)
    given = {role: tuple(materials.get(role, ())) for role in ROLES}
    exclude, style = given["exclude"], given["style"]
    both = (given["manuscript"], given["draft"])
    languages, own = (terms.source, terms.target), _lexicon(given["lexicon"], terms)
    return Equipment(
        terms=terms,
        glossary=tuple(
            term for one in given["glossary"] for term in read_glossary(one.data, one.path, terms.source, terms.target)
        ),
        exclusions=Exclusions.read(exclude[0].data, exclude[0].path) if exclude else None,
        critics=read_critics(given["critic"]) if given["critic"] else tuple(map(_shipped_critic, SHIPPED_CRITICS)),
        style=read_style_sheet(style[0].data, style[0].path) if style else None,
        reviews=tuple(
            issue for one in given["review"] for issue in read_review(one.data, one.path, PurePath(one.name).stem)
        ),
        memories=given["memory"],
        lexicon=own,
        brought=Brought(both[0][0], both[1][0], languages, own) if all(both) else None,
    )


def _lexicon(given: Sequence[Material], terms: Terms) -> Lexicon | None:
    if not given:
        return None
    found = unpacked(given[0].data, given[0].path)
    named = {terms.source, terms.target}
    if UNKNOWN_LANGUAGE not in named and named != {found.source, found.target}:
        raise InputError(
            f"The lexicon is for {found.source!r} and {found.target!r}, not for {terms.source!r} and {terms.target!r}.",
            path=given[0].path,
            code="other_lexicon",
            hint="Build one for these languages with `burnish lexicon build`, or leave --lexicon out.",
        )
    return found


def _shipped_critic(name: str) -> Critic:
    """A critic of Burnish, used if the operator gives none."""
    file = resources.files(PROMPTS) / "critics" / f"{name}.md"
    return read_critic(file.read_bytes(), str(file), name)
