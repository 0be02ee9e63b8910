"""The options that an answer names, read as people write them: "B", "b)", "**B**", "Option B", "B. Jupiter", "B and C".

A letter comes before a text, and an answer with two possible meanings has none: "B. Jupiter" is not read where Jupiter
is another option. What cannot be read is no vote, and is never taken for "none".
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import regex

from burnish.core.replies import ItemPart

if TYPE_CHECKING:
    from burnish.kinds.questions.model import Option

ItemT = TypeVar("ItemT", bound=ItemPart)

LONGEST = 2000
"""Longer answers are not read."""
MOST_AROUND = 12
"""The most words before and after a label that are passed over."""
MOST_PARTS = 30
SHORTEST_BEGINNING = 4
"""Letters of the beginning of an option's text that may follow its label in place of the whole."""

_WRITTEN_TOGETHER = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
WORD = regex.compile(
    rf"{_WRITTEN_TOGETHER}+|\p{{Hangul}}+"
    rf"|(?:(?!{_WRITTEN_TOGETHER}|\p{{Hangul}}|_)\w)+(?:['’](?:(?!{_WRITTEN_TOGETHER}|\p{{Hangul}}|_)\w)+)*"
)
AROUND_LABEL = " \t\n*_`\"'“”„‚‘’«»<>()[]{}$\\.,:;!…|-–—"
BEFORE_LABEL = AROUND_LABEL + "#№=•+"
LABEL_AND_TEXT = regex.compile(r"[^\w+-]*+([^\W_]++)[\s.):\]};,=>*_`\"'|”’»]*+(\S.*)")
TEXT_AND_LABEL = regex.compile(r"(.*?)\s*[(\[]\s*([^\W_]+)\s*[)\]][\s.*_`\"']*")
POSITION = regex.compile(r"\boptions?\s*\[\s*\d", regex.IGNORECASE)
"""A position may count from zero or from one: it names no option."""
COMMANDS = regex.compile(r"\\(?:boxed|fbox|mbox|text\w*|math(?:rm|bf|it|sf|tt)|operatorname|displaystyle|[,;!])\s*")
FRACTION = regex.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
TAG = regex.compile(r"</?[a-z]{1,6}\s*/?>", regex.IGNORECASE)
MARKS = {ord(mark): plain for plain, marks in {"'": "‘’‚´`", '"': "“”„«»", "-": "‐‑‒–—−"}.items() for mark in marks}
SYMBOLS = {r"\times": "×", r"\cdot": "·", r"\leq": "≤", r"\geq": "≥", r"\le": "≤", r"\ge": "≥", r"\neq": "≠"}
SYMBOLS |= {r"\pi": "π", r"\infty": "∞", r"\sqrt": "√", r"\alpha": "α", r"\beta": "β", r"\mu": "μ", r"\%": "%"}
NOTATION = str.maketrans("", "", "${}^_\\ *`\"'()[]")


@dataclass(frozen=True, slots=True)
class Choice:
    """What an answer chooses: one option, several, or none of them."""

    keys: tuple[str, ...] = ()

    @property
    def none(self) -> bool:
        return not self.keys


NONE = Choice()


def read_choice(options: Sequence[Option], given: str) -> Choice | None:
    """What the answer `given` chooses; None if that is not certain."""
    text = _spaced(given)
    if not text or len(text) > LONGEST or POSITION.search(text):
        return None
    if [option.key.strip() for option in options].count(text) == 1:
        return Choice((next(option.key for option in options if option.key.strip() == text),))
    return _Options(options).choice(text)


def named_id(ids: Iterable[str], given: str) -> str | None:
    """The id that `given` names in any case, with or without brackets, quotes and a word before it ("Question q-7")."""
    every = list(dict.fromkeys(ids))
    if given.strip() in every:
        return given.strip()
    bare = _bare(_compatible(given)).casefold()
    word = WORD.match(bare)
    wanted = {bare, _bare(bare[word.end() :]) if word else ""} - {""}
    named = [known for known in every if _bare(_compatible(known)).casefold() in wanted]
    return named[0] if len(named) == 1 else None


def entry_about(id: str, entries: Sequence[ItemT]) -> ItemT | None:
    """The entry of a reply about the item with this id. A request with one item is only answered about that item."""
    if len(entries) == 1:
        return entries[0]
    named = [entry for entry in entries if named_id([id], entry.id)]
    return named[0] if len(named) == 1 else None


class _Options:
    """The options of a question, by label and by text."""

    def __init__(self, options: Sequence[Option]) -> None:
        self._options = options
        self._letters = {_bare(_compatible(option.key)): option.key for option in options}
        folded = Counter(_bare(_compatible(option.key)).casefold() for option in options)
        self._labels = {
            letter.casefold(): key for letter, key in self._letters.items() if letter and folded[letter.casefold()] == 1
        }

    @cached_property
    def _texts(self) -> list[dict[str, list[str]]]:
        """For each form of a text, the keys of the options with that form."""
        tables: list[dict[str, list[str]]] = []
        for form in FORMS:
            table: defaultdict[str, list[str]] = defaultdict(list)
            for option in self._options:
                table[form(option.text)].append(option.key)
            table.pop("", None)
            tables.append(table)
        return tables

    @cached_property
    def _says_none(self) -> bool:
        """Whether an option is "None of the above" or the like: then "none" may mean that option."""
        return any(_is_none(option.text) for option in self._options)

    def choice(self, given: str) -> Choice | None:
        verbatim = self._texts[0].get(given)
        if verbatim:
            label = self._label(_compatible(given))
            return Choice((verbatim[0],)) if len(verbatim) == 1 and label in (None, verbatim[0]) else None
        text = COMMANDS.sub("", _compatible(given))
        readings = set(self._readings(text))
        if readings:
            return readings.pop() if len(readings) == 1 else None
        return self._several(text)

    def _several(self, text: str) -> Choice | None:
        """Several options, each named by a label or a text."""
        pieces = [piece for piece in _several().split(text) if piece.strip()]
        if not 1 < len(pieces) <= MOST_PARTS:
            return None
        found: dict[str, None] = {}
        for piece in pieces:
            readings = set(self._readings(piece))
            choice = readings.pop() if len(readings) == 1 else None
            if choice is None or choice.none:
                return None
            found.update(dict.fromkeys(choice.keys))
        return Choice(tuple(found))

    def _readings(self, text: str) -> Iterator[Choice | None]:
        """What the text can mean, with and without the words around it. None: a label and a text that disagree."""
        words = list(WORD.finditer(text))
        starts, noun = [(0, False)], False
        for at, word in enumerate(words[:MOST_AROUND]):
            following = words[at + 1].group() if at + 1 < len(words) else ""
            if not self._is_around(word.group(), following):
                break
            noun = noun or word.group().casefold() in _words("nouns")
            starts.append((word.end(), noun))
        ends = [len(text)]
        for word in reversed(words[-MOST_AROUND:]):
            if not self._is_around(word.group(), ""):
                break
            ends.append(word.start())
        for start, after_noun in starts:
            for end in ends:
                if start < end:
                    yield from self._bare_readings(text[start:end], after_noun)

    def _is_around(self, word: str, following: str) -> bool:
        """Whether the word says nothing of its own. One that is also a label ("A resposta", "I choose") does so only
        before another such word."""
        if not _says_nothing(word):
            return False
        return self._label(word) is None or (len(following) > 2 and _says_nothing(following))

    def _bare_readings(self, text: str, after_noun: bool) -> Iterator[Choice | None]:
        label = self._label(text)
        if label is not None:
            yield Choice((label,))
        if label is not None and _bare(text) in self._letters:
            return  # in the case of the key: a letter comes before a text
        plain = text.strip(" \t\n:=,")
        named = self._named(plain)
        if named and not (after_noun and plain.strip(" .").isdecimal()):
            yield Choice((named[0],)) if len(named) == 1 else None
        if _is_none(text) and not (named and " " in plain):
            yield None if self._says_none else NONE
        yield from self._label_and_text(text)

    def _label_and_text(self, text: str) -> Iterator[Choice | None]:
        """ "B. Jupiter" and "Jupiter (B)": the text must be that of the option, or its beginning, or a reason."""
        pairs: list[tuple[str | None, Sequence[str]]] = []
        if led := LABEL_AND_TEXT.fullmatch(text):
            rest = led[2]
            pairs.append((self._label(led[1]), [rest, rest.lstrip("-–— ([{\"'“‘«*_`"), rest.strip("-–— ()[]{}")]))
        if closed := TEXT_AND_LABEL.fullmatch(text):
            pairs.append((self._label(closed[2]), [closed[1]]))
        for key, rests in pairs:
            if key is None:
                continue
            named = next(filter(None, map(self._named, rests)), [])
            if named:
                yield Choice((key,)) if key in named else None
            elif any(self._fits(key, rest) for rest in rests):
                yield Choice((key,))

    def _fits(self, key: str, rest: str) -> bool:
        """Whether `rest` is the beginning of the option's text, or a reason for the choice."""
        own = next(FORMS[2](option.text) for option in self._options if option.key == key)
        lowered = FORMS[2](rest)
        reason = WORD.search(lowered.removeprefix(own))
        if reason and reason.group() in _words("because"):
            return True
        begun = lowered.rstrip("…. ")
        return len(begun) >= SHORTEST_BEGINNING and own.startswith(begun) and not own[len(begun) :][:1].isalnum()

    def _named(self, text: str) -> list[str]:
        """The keys of the options with this text, in the strictest form in which there is one."""
        return next(
            (keys for form, table in zip(FORMS, self._texts, strict=True) if (keys := table.get(form(text)))), []
        )

    def _label(self, text: str) -> str | None:
        return self._labels.get(_bare(text).casefold())


def _compatible(text: str) -> str:
    """The text with ordinary letters for full-width and circled ones."""
    return unicodedata.normalize("NFKC", text)


def _bare(text: str) -> str:
    """A label without the marks around it. A sign before a digit belongs to a number, not to a label."""
    ended = text.rstrip(AROUND_LABEL)
    bare = ended.lstrip(BEFORE_LABEL)
    is_signed = bare[:1].isdigit() and ended[: -len(bare)].endswith(("-", "–", "—", "+"))
    return "" if is_signed else bare


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _unquoted(text: str) -> str:
    bare = _spaced(_compatible(text)).translate(MARKS)
    return bare.replace("**", "").replace("__", "").strip("\"'*_` ").rstrip(".,;: ").strip("\"'*_` ")


def _lowered(text: str) -> str:
    return _unquoted(text).casefold()


def _plain(text: str) -> str:
    """The text without the notation of formulas: "\\frac{1}{2}" as "1/2", "x^{2}" as "x2"."""
    bare = FRACTION.sub(r"\1/\2", COMMANDS.sub("", TAG.sub("", _compatible(text)).translate(MARKS)))
    for command, symbol in SYMBOLS.items():
        bare = bare.replace(command, symbol)
    return bare.translate(NOTATION).casefold().rstrip(".,;:")


FORMS = (_spaced, _unquoted, _lowered, _plain)
"""The forms in which texts are compared, strictest first: "Bb" and "bb" are two options, "bb." is the second."""


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str | list[str]]]:
    tables: dict[str, dict[str, str | list[str]]] = tomllib.loads(
        Path(__file__).with_name("label_words.toml").read_text(encoding="utf-8")
    )
    return tables


@lru_cache(maxsize=8)
def _words(table: str) -> frozenset[str]:
    """All words, or all phrases, of a table."""
    listed = (words.split() if isinstance(words, str) else words for words in _tables()[table].values())
    return frozenset(word for words in listed for word in words)


@lru_cache(maxsize=1)
def _together() -> regex.Pattern[str]:
    """Words that say nothing, in writing without spaces."""
    words = [word for table in ("nouns", "around") for word in str(_tables()[table]["cjk"]).split()]
    return regex.compile(f"(?:{'|'.join(sorted(words, key=len, reverse=True))})+")


@lru_cache(maxsize=1)
def _several() -> regex.Pattern[str]:
    """What stands between several labels. A word of one letter counts in lower case only: "I and II"."""
    words = sorted(_words("several"))
    long, short = "|".join(word for word in words if len(word) > 1), "".join(word for word in words if len(word) == 1)
    return regex.compile(rf"\s*[,;/&+、](?:\s*(?i:{long})\b)?|\s(?i:{long})\s|\s[{short}]\s|[和与及或]")


def _says_nothing(word: str) -> bool:
    folded = word.casefold().replace("’", "'")
    return folded in _words("around") or folded in _words("nouns") or _together().fullmatch(word) is not None


def _is_none(text: str) -> bool:
    return " ".join(WORD.findall(text)).casefold().replace("’", "'") in _words("none")
