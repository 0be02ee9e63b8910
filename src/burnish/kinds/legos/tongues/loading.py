"""From data files to a Tongue. How the files are written: `data/README.md`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from importlib.resources import files
from typing import Any

from burnish.kinds.legos.tongues.conjugation import conjugated
from burnish.kinds.legos.tongues.tongue import MultiWordVerb, Tongue
from burnish.kinds.legos.words import bare

_PHRASES = ("complex_prepositions", "courtesy", "frames")
_WORDS = tuple(
    field.name
    for field in fields(Tongue)
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


def loaded(code: str) -> Tongue:
    """The language of two data files: its words, and its verbs."""
    folder = files("burnish.kinds.legos.tongues") / "data"
    texts = ((folder / name).read_text(encoding="utf-8") for name in (f"{code}.toml", f"{code}_verbs.toml"))
    words, verbs = map(tomllib.loads, texts)
    return tongue_from(code, {**words, **verbs})


def abbreviations_of() -> frozenset[str]:
    """The abbreviations of every language that there is a data file of."""
    folder = files("burnish.kinds.legos.tongues") / "data"
    names = (entry.name for entry in folder.iterdir())
    texts = (
        (folder / name).read_text(encoding="utf-8")
        for name in sorted(names)
        if name.endswith(".toml") and "_" not in name
    )
    return frozenset(word for text in texts for word in _words(tomllib.loads(text)["abbreviations"]))


def tongue_from(code: str, data: Mapping[str, Any]) -> Tongue:
    """A language from what its files say."""
    spelling = _Spelling(data.get("spelled_also", {}))
    words = {name: spelling.all_of(_words(data.get(name, ""))) for name in _WORDS}
    grammar = frozenset[str]().union(*(words[name] for name in _GRAMMAR))
    multi_word_verbs = tuple(_multi_word_verbs(data.get("multi_word_verbs", {})))
    verb_forms = {verb: spelling.all_of(forms) for verb, forms in _verb_forms(data.get("verbs", {})).items()}
    return Tongue(
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
    """Letters that are often written as another: `ё` as `е`."""

    def __init__(self, also: Mapping[str, str]) -> None:
        self._also = str.maketrans(dict(also))

    def of(self, word: str) -> frozenset[str]:
        return frozenset((word, word.translate(self._also)))

    def all_of(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(spelled for word in words for spelled in self.of(word))


def _words(text: str) -> Iterator[str]:
    return map(bare, text.split())


def _phrases(text: str) -> Iterator[str]:
    """Phrases are parted by commas; how they are laid out over lines means nothing."""
    for phrase in text.split(","):
        if words := phrase.split():
            yield bare(" ".join(words))


def _multi_word_verbs(groups: Mapping[str, Mapping[str, str]]) -> Iterator[MultiWordVerb]:
    """Those that are only called prepositional are joined ones."""
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
    """A multi-word verb may begin with a pronoun that is drawn to the verb: its second word is then the verb itself."""
    return {verb.words[1]: verb_forms[verb.words[1]] for verb in multi_word_verbs if verb.words[0] in clitics}
