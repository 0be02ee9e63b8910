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


def tongue_from(code: str, data: Mapping[str, Any]) -> Tongue:
    """A language from what its file says."""
    words = {name: frozenset(_words(data.get(name, ""))) for name in _WORDS}
    grammar = frozenset[str]().union(*(words[name] for name in _GRAMMAR))
    return Tongue(
        code=code,
        name=data["name"],
        infinitive_marker=data.get("infinitive_marker", ""),
        verb_reach=data["verb_reach"],
        multi_word_verbs=tuple(_multi_word_verbs(data)),
        verb_forms=_verb_forms(data.get("verbs", {})),
        other_forms=_other_forms(data.get("forms", {})),
        function_words=grammar.union(_words(data.get("further_function_words", ""))),
        **words,
        **{name: frozenset(_phrases(data.get(name, ""))) for name in _PHRASES},
    )


def _words(text: str) -> Iterator[str]:
    return map(bare, text.split())


def _phrases(text: str) -> Iterator[str]:
    """Phrases are parted by commas; how they are laid out over lines means nothing."""
    for phrase in text.split(","):
        if words := phrase.split():
            yield bare(" ".join(words))


def _multi_word_verbs(data: Mapping[str, Any]) -> Iterator[MultiWordVerb]:
    for group, separable in (("separable", True), ("joined", False)):
        for verb, rests in data.get("multi_word_verbs", {}).get(group, {}).items():
            for rest in _phrases(rests):
                yield MultiWordVerb((*bare(verb).split(), *rest.split()), separable)


def _verb_forms(verbs: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    forms: dict[str, set[str]] = {}
    for verb in _words(verbs.get("regular", "")):
        _add(forms, verb, conjugated(verb, verbs["regular_forms"]))
    for verb, others in verbs.get("irregular", {}).items():
        _add(forms, bare(verb), conjugated(bare(verb), verbs.get("irregular_forms", {})))
        _add(forms, bare(verb), _words(others))
    return {verb: frozenset(all_of_it) for verb, all_of_it in forms.items()}


def _add(forms: dict[str, set[str]], verb: str, more: Iterable[str]) -> None:
    base = verb.rstrip("+")
    forms.setdefault(base, {base}).update(map(bare, more))


def _other_forms(forms: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {bare(word): frozenset((bare(word), *_words(others))) for word, others in forms.items()}
