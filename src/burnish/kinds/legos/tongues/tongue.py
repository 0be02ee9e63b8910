"""What is known about a language a course is taught from: its words of grammar and its multi-word verbs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class MultiWordVerb:
    """A verb of several words that belong together, in its base form: `turn on`, `take care of`, `rufen an`."""

    words: tuple[str, ...]
    """The verb first, then what belongs to it. The verb and `one's` stand for all their forms."""
    separable: bool
    """Whether other words, such as an object, may stand inside: "turn the light on", "make a hard decision"."""
    prepositional: bool = False
    """Whether its last word asks for an object, although it could be a particle: `depend on`, `take part in`."""

    @property
    def base(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Tongue:
    """A language, as data. All words and phrases are bare (see `words.bare`); phrases have single blanks."""

    code: str
    """ISO 639-1: `en`."""
    name: str
    """In English: `English`."""
    prepositions: frozenset[str]
    """Of one word, with those that hold an article: `with`, `zum`, `del`."""
    complex_prepositions: frozenset[str]
    """Phrases that do the work of a preposition: `in front of`."""
    elided_prepositions: frozenset[str]
    """Openings of a word that are a preposition: `d'`, `dell'`."""
    fixed_words: frozenset[str]
    """Words that only look as if they began with one: `d'accord`."""
    infinitive_marker: str
    """The word in front of an infinitive, or nothing: `to`, `zu`."""
    particles: frozenset[str]
    """Words that can belong to a verb: `up`, `back`, `an`."""
    adverb_particles: frozenset[str]
    """Prepositions that can stand behind a verb without an object of their own: the `up` of `give up`."""
    stranding_words: frozenset[str]
    """Before these a preposition can stand whose object is elsewhere: "what I was waiting for is here". Only of
    languages that leave prepositions behind."""
    abbreviations: frozenset[str]
    """Words whose full stop ends no sentence, written without it: `dr`, `mrs`."""
    multi_word_verbs: tuple[MultiWordVerb, ...]
    verb_reach: int
    """How many words may stand between two neighbouring words of a separable verb."""
    verb_forms: Mapping[str, frozenset[str]]
    """Base form of a verb -> all its forms, the base form among them."""
    seldom_verbs: frozenset[str]
    """Forms of verbs that are something else in most sentences: `back`, `time`, `party`."""
    other_forms: Mapping[str, frozenset[str]]
    """The same for the words behind the first of multi-word verbs: plurals of nouns, `one's` -> `my`, `your`..."""
    determiners: frozenset[str]
    contractions: frozenset[str]
    """Whole words: `don't`, `i'm`, `j'ai`."""
    elisions: frozenset[str]
    """How contracted words begin: `l'`, `qu'`."""
    contraction_endings: frozenset[str]
    """How contracted words end: `n't`, `'re`."""
    split_contractions: frozenset[str]
    """Pieces that show that a contraction was torn: `n't`, `'re`, `l`."""
    pronouns: frozenset[str]
    """Personal pronouns, with those that are contracted with a verb: `you`, `you're`."""
    elided_pronouns: frozenset[str]
    """Openings of a word that are a pronoun: `j'`."""
    pronoun_endings: frozenset[str]
    """Endings of a word that are a pronoun: `-vous`, `-se`."""
    first_person: frozenset[str]
    """`i`, `ich`, `yo`, with their contractions."""
    auxiliaries: frozenset[str]
    """All forms of helping and modal verbs."""
    wh_words: frozenset[str]
    common_verbs: frozenset[str]
    """Forms of the most frequent verbs that stand behind "I"."""
    negations: frozenset[str]
    time_words: frozenset[str]
    courtesy: frozenset[str]
    """Words and phrases of politeness: `please`, `thank you`."""
    language_names: frozenset[str]
    incomplete_verbs: frozenset[str]
    """Forms that want something behind them: `want`, `going`, `able`."""
    frames: frozenset[str]
    """Phrases that end in an open slot: `i want to`, `can you`."""
    clause_openers: frozenset[str]
    """Conjunctions and relatives, in front of which a clause begins."""
    function_words: frozenset[str]
    """All words of grammar: the lists above that are closed, and what else carries no content of its own."""

    def is_preposition(self, word: str) -> bool:
        """Whether a bare word is a preposition, all of it."""
        return word in self.prepositions

    def begins_with_preposition(self, word: str) -> bool:
        """Whether a bare word is a preposition or holds one in front: `d'amérique`."""
        if word in self.prepositions:
            return True
        return word not in self.fixed_words and _begins(word, self.elided_prepositions)

    def is_pronoun(self, word: str) -> bool:
        """Whether a bare word is a personal pronoun or holds one: `i'm`, `j'ai`, `avez-vous`."""
        return word in self.pronouns or _begins(word, self.elided_pronouns) or _ends(word, self.pronoun_endings)

    def is_contraction(self, word: str) -> bool:
        """Whether a bare word is made of two that were drawn together."""
        return word in self.contractions or _begins(word, self.elisions) or _ends(word, self.contraction_endings)

    def is_verb(self, word: str) -> bool:
        """Whether a bare word can be a verb that we know, also drawn together with another word."""
        return word in self.verb_words

    def forms_of(self, word: str) -> frozenset[str]:
        """All forms of a verb by its base form, itself among them."""
        return self.verb_forms.get(word) or frozenset((word,))

    @cached_property
    def verb_words(self) -> frozenset[str]:
        """All forms of all verbs that are known, without those that are something else in most sentences."""
        known = frozenset[str]().union(*self.verb_forms.values())
        return (known - self.seldom_verbs) | self.auxiliaries | self.common_verbs

    @cached_property
    def multi_word_verbs_of(self) -> Mapping[str, tuple[MultiWordVerb, ...]]:
        """Form of a verb -> the multi-word verbs that can begin with it, the longest first."""
        found: dict[str, list[MultiWordVerb]] = {}
        for verb in self.multi_word_verbs:
            for form in self.forms_of(verb.words[0]):
                found.setdefault(form, []).append(verb)
        return {form: tuple(sorted(verbs, key=_longest_first)) for form, verbs in found.items()}


def _longest_first(verb: MultiWordVerb) -> tuple[int, tuple[str, ...]]:
    return -len(verb.words), verb.words


def _begins(word: str, openings: frozenset[str]) -> bool:
    """Whether a word begins with one of them, and something is left behind it."""
    return any(len(word) > len(opening) and word.startswith(opening) for opening in openings)


def _ends(word: str, endings: frozenset[str]) -> bool:
    return any(len(word) > len(ending) and word.endswith(ending) for ending in endings)
