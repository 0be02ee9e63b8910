"""Profiles of the languages of courses: function words and multi-word verbs, read from `data/`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

from burnish.languages.detection import primary_tag
from burnish.languages.tables import table
from burnish.languages.words import bare


@dataclass(frozen=True, slots=True)
class MultiWordVerb:
    """A verb of several words that belong together, in its base form: `turn on`, `take care of`, `rufen an`."""

    words: tuple[str, ...]
    """The verb first, then its other words. The verb and `one's` stand for all their forms."""
    separable: bool
    """Whether other words, such as an object, may stand inside: "turn the light on", "make a hard decision"."""
    prepositional: bool = False
    """Whether its last word needs an object, although it could be a particle: `depend on`, `take part in`."""

    @property
    def base(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class LanguageProfile:
    """A language, as data. All words and phrases are bare (see `words.bare`); phrases have single spaces."""

    code: str
    """ISO 639-1: `en`."""
    name: str
    """In English: `English`."""
    prepositions: frozenset[str]
    """Single words, contracted with an article or not: `with`, `zum`, `del`."""
    complex_prepositions: frozenset[str]
    """Phrases that act as a preposition: `in front of`."""
    complex_conjunctions: frozenset[str]
    """Phrases that act as a conjunction: `as soon as`."""
    elided_prepositions: frozenset[str]
    """Prefixes of words that are a preposition: `d'`, `dell'`."""
    fixed_words: frozenset[str]
    """Words that only seem to begin with one: `d'accord`."""
    infinitive_marker: str
    """The word before an infinitive, or empty: `to`, `zu`."""
    particles: frozenset[str]
    """Words that can belong to a verb: `up`, `back`, `an`."""
    adverb_particles: frozenset[str]
    """Prepositions that can follow a verb without an object: the `up` of `give up`."""
    adverb_prepositions: frozenset[str]
    """Prepositions that are adverbs at the end of a clause: the `before` of "the day before"."""
    stranding_words: frozenset[str]
    """Words that can follow a stranded preposition: the `is` of "what I was waiting for is here". Empty for languages
    that do not strand prepositions."""
    abbreviations: frozenset[str]
    """Words whose full stop does not end a sentence, listed without it: `dr`, `mrs`."""
    multi_word_verbs: tuple[MultiWordVerb, ...]
    verb_reach: int
    """The most words that may stand between two neighbouring words of a separable verb."""
    verb_forms: Mapping[str, frozenset[str]]
    """Base form of a verb -> all its forms, including the base form."""
    seldom_verbs: frozenset[str]
    """Forms of verbs that are something else in most sentences: `back`, `time`, `party`."""
    other_forms: Mapping[str, frozenset[str]]
    """The same for the later words of multi-word verbs: plurals of nouns, `one's` -> `my`, `your`..."""
    determiners: frozenset[str]
    contractions: frozenset[str]
    """Whole words: `don't`, `i'm`, `j'ai`."""
    elisions: frozenset[str]
    """How contracted words begin: `l'`, `qu'`."""
    contraction_endings: frozenset[str]
    """How contracted words end: `n't`, `'re`."""
    split_contractions: frozenset[str]
    """Pieces of a contraction that was split: `n't`, `'re`, `l`."""
    pronouns: frozenset[str]
    """Personal pronouns, also contracted with a verb: `you`, `you're`."""
    elided_pronouns: frozenset[str]
    """Prefixes of words that are a pronoun: `j'`."""
    pronoun_endings: frozenset[str]
    """Endings of words that are a pronoun: `-vous`, `-se`."""
    first_person: frozenset[str]
    """`i`, `ich`, `yo`, with their contractions."""
    auxiliaries: frozenset[str]
    """All forms of helping and modal verbs."""
    wh_words: frozenset[str]
    common_verbs: frozenset[str]
    """Forms of the most frequent verbs after "I"."""
    negations: frozenset[str]
    time_words: frozenset[str]
    courtesy: frozenset[str]
    """Words and phrases of politeness: `please`, `thank you`."""
    language_names: frozenset[str]
    incomplete_verbs: frozenset[str]
    """Forms that need something after them: `want`, `going`, `able`."""
    frames: frozenset[str]
    """Phrases that end in an open slot: `i want to`, `can you`."""
    clause_openers: frozenset[str]
    """Conjunctions and relatives that open a clause."""
    function_words: frozenset[str]
    """All words of grammar: the closed lists above, and other words without content of their own."""

    def is_preposition(self, word: str) -> bool:
        """Whether a whole bare word is a preposition."""
        return word in self.prepositions

    def begins_with_preposition(self, word: str) -> bool:
        """Whether a bare word is a preposition or begins with one: `d'amérique`."""
        if word in self.prepositions:
            return True
        return word not in self.fixed_words and _begins(word, self.elided_prepositions)

    def is_pronoun(self, word: str) -> bool:
        """Whether a bare word is or contains a personal pronoun: `i'm`, `j'ai`, `avez-vous`."""
        return word in self.pronouns or _begins(word, self.elided_pronouns) or _ends(word, self.pronoun_endings)

    def is_contraction(self, word: str) -> bool:
        """Whether a bare word is contracted from two words."""
        return word in self.contractions or _begins(word, self.elisions) or _ends(word, self.contraction_endings)

    def is_verb(self, word: str) -> bool:
        """Whether a bare word can be a known verb, also contracted with another word."""
        return word in self.verb_words

    def forms_of(self, word: str) -> frozenset[str]:
        """All forms of a verb, including its base form `word`."""
        return self.verb_forms.get(word) or frozenset((word,))

    @cached_property
    def verb_words(self) -> frozenset[str]:
        """All forms of all known verbs, except those that are something else in most sentences."""
        known = frozenset[str]().union(*self.verb_forms.values())
        return (known - self.seldom_verbs) | self.auxiliaries | self.common_verbs

    @cached_property
    def multi_word_verbs_of(self) -> Mapping[str, tuple[MultiWordVerb, ...]]:
        """Form of a verb -> the multi-word verbs that can begin with it, longest first."""
        found: dict[str, list[MultiWordVerb]] = {}
        for verb in self.multi_word_verbs:
            for form in self.forms_of(verb.words[0]):
                found.setdefault(form, []).append(verb)
        return {form: tuple(sorted(verbs, key=_longest_first)) for form, verbs in found.items()}


def _longest_first(verb: MultiWordVerb) -> tuple[int, tuple[str, ...]]:
    return -len(verb.words), verb.words


def _begins(word: str, openings: frozenset[str]) -> bool:
    """Whether a word begins with one of the openings and has letters after it."""
    return any(len(word) > len(opening) and word.startswith(opening) for opening in openings)


def _ends(word: str, endings: frozenset[str]) -> bool:
    return any(len(word) > len(ending) and word.endswith(ending) for ending in endings)


def conjugated(verb: str, patterns: Mapping[str, str]) -> Iterator[str]:
    """All forms by the pattern for the verb's ending; none if no pattern fits.

    Patterns are keyed by the ending of the verb; the longest one wins. In a pattern `~` is the verb without that ending
    and `^` repeats the letter before it. A verb written with a final `+` doubles its last letter.

    >>> sorted(conjugated("hope", {"e": "~e ~ed ~ing"}))
    ['hope', 'hoped', 'hoping']
    >>> list(conjugated("stop+", {"+": "~^ed"}))
    ['stopped']
    """
    for length in range(len(verb), -1, -1):
        ending = verb[len(verb) - length :]
        if ending in patterns:
            stem = verb[: len(verb) - length]
            yield from (_filled(pattern, stem) for pattern in patterns[ending].split())
            return


def _filled(pattern: str, stem: str) -> str:
    return pattern.replace("~", stem).replace("^", stem[-1:])


_PHRASES = ("complex_prepositions", "complex_conjunctions", "courtesy", "frames")
_WORDS = tuple(
    field.name
    for field in fields(LanguageProfile)
    if field.type == "frozenset[str]" and field.name not in (*_PHRASES, "function_words")
)
_GRAMMAR = (
    "prepositions",
    "determiners",
    "pronouns",
    "first_person",
    "auxiliaries",
    "wh_words",
    "negations",
    "clause_openers",
    "particles",
)
"""The closed lists that make up the function words, with `further_function_words`."""


@cache
def all_abbreviations() -> frozenset[str]:
    """The abbreviations of every language with a profile."""
    return frozenset(word for tag in KNOWN for word in _words(table(f"profiles/{tag}")["abbreviations"]))


def profile_from(code: str, data: Mapping[str, Any]) -> LanguageProfile:
    """The profile of a language from the data of its files."""
    spelling = _Spelling(data.get("spelled_also", {}))
    words = {name: spelling.all_of(_words(data.get(name, ""))) for name in _WORDS}
    grammar = frozenset[str]().union(*(words[name] for name in _GRAMMAR))
    multi_word_verbs = tuple(_multi_word_verbs(data.get("multi_word_verbs", {})))
    verb_forms = {verb: spelling.all_of(forms) for verb, forms in _verb_forms(data.get("verbs", {})).items()}
    return LanguageProfile(
        code=code,
        name=data["name"],
        infinitive_marker=data.get("infinitive_marker", ""),
        verb_reach=data["verb_reach"],
        multi_word_verbs=multi_word_verbs,
        verb_forms=verb_forms,
        other_forms={
            **{
                word: forms
                for verb in multi_word_verbs
                for word in verb.words[1:]
                if len(forms := spelling.of(word)) > 1
            },
            **{
                bare(word): spelling.all_of((bare(word), *_words(forms)))
                for word, forms in data.get("forms", {}).items()
            },
            **_forms_behind_clitics(multi_word_verbs, frozenset(_words(data.get("clitics", ""))), verb_forms),
        },
        function_words=grammar.union(_words(data.get("further_function_words", ""))),
        **words,
        **{name: spelling.all_of(_phrases(data.get(name, ""))) for name in _PHRASES},
    )


class _Spelling:
    """Adds spellings with letters that are often replaced: `ё` by `е`."""

    def __init__(self, also: Mapping[str, str]) -> None:
        self._also = str.maketrans(dict(also))

    def of(self, word: str) -> frozenset[str]:
        return frozenset((word, word.translate(self._also)))

    def all_of(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(spelled for word in words for spelled in self.of(word))


def _words(text: str) -> Iterator[str]:
    return map(bare, text.split())


def _phrases(text: str) -> Iterator[str]:
    """Phrases separated by commas; line breaks do not matter."""
    for phrase in text.split(","):
        if words := phrase.split():
            yield bare(" ".join(words))


def _multi_word_verbs(groups: Mapping[str, Mapping[str, str]]) -> Iterator[MultiWordVerb]:
    """Verbs that are listed only as prepositional are not separable."""
    prepositional = frozenset(_listed(groups, "prepositional"))
    alone = set(prepositional)
    for group, separable in (("separable", True), ("joined", False)):
        for words in _listed(groups, group):
            yield MultiWordVerb(words, separable, words in prepositional)
            alone.discard(words)
    yield from (MultiWordVerb(words, separable=False, prepositional=True) for words in sorted(alone))


def _listed(groups: Mapping[str, Mapping[str, str]], group: str) -> Iterator[tuple[str, ...]]:
    for verb, rests in groups.get(group, {}).items():
        for rest in _phrases(rests):
            yield bare(verb), *rest.split()


def _verb_forms(verbs: Mapping[str, Any]) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = {}
    for verb in _words(verbs.get("regular", "")):
        _add(forms, verb, conjugated(verb, verbs.get("regular_forms", {})))
    for verb, others in verbs.get("irregular", {}).items():
        _add(forms, bare(verb), conjugated(bare(verb), verbs.get("irregular_forms", {})))
        _add(forms, bare(verb), _words(others))
    return forms


def _add(forms: dict[str, set[str]], verb: str, more: Iterable[str]) -> None:
    base = verb.rstrip("+")
    forms.setdefault(base, {base}).update(map(bare, more))


def _forms_behind_clitics(
    multi_word_verbs: Iterable[MultiWordVerb], clitics: frozenset[str], verb_forms: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """A multi-word verb may begin with a clitic pronoun; its second word is then the verb itself."""
    return {verb.words[1]: verb_forms[verb.words[1]] for verb in multi_word_verbs if verb.words[0] in clitics}


KNOWN: tuple[str, ...] = ("de", "en", "es", "fr", "it", "mk", "pt", "ru")
"""ISO 639-1 codes of the languages that have a data file."""


def profile_of(code: str) -> LanguageProfile | None:
    """The profile for a code or name of a language (`en`, `eng`, `English`); None if there is none."""
    tag = primary_tag(code)
    return _profile(tag) if tag in KNOWN else None


@cache
def _profile(tag: str) -> LanguageProfile:
    """Merge the two data files of a language: its words and its verbs."""
    return profile_from(tag, table(f"profiles/{tag}") | table(f"profiles/{tag}_verbs"))
