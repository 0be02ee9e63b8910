"""The voice of a text in each language: persons, form of address, questions, exclamations, negations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import regex

from burnish.languages.sentences import sentences
from burnish.languages.tables import kept, patterns_by_language, table, words_by_language
from burnish.languages.words import Word, word_set, words

Person = str
"""`I`, `we`, `you`, `he` or `she`."""


KNOWN_PERSONS = tuple(table("voice")["subjects"])
KNOWN_ADDRESSES = tuple(table("voice")["address"])


@cache
def _persons(name: str, language: str) -> dict[Person, frozenset[str]]:
    return {person: frozenset(forms.split()) for person, forms in table("voice")[name].get(language, {}).items()}


class Cast(NamedTuple):
    """The grammatical persons of a text."""

    sure: dict[Person, Word]
    """Persons with a subject pronoun in the text, and the first such pronoun."""
    possible: frozenset[Person]
    """Persons that any word of the text may refer to."""


def cast(prose: str, language: str) -> Cast:
    found: dict[Person, Word] = {}
    possible: set[Person] = set()
    subjects, others = _persons("subjects", language), _persons("others", language)
    endings = {person: tuple(tails) for person, tails in _persons("verb_endings", language).items()}
    for word in words(prose):
        lower = word.lower.replace("’", "'")
        for person, forms in subjects.items():
            if lower in forms:
                found.setdefault(person, word)
        possible.update(person for person, forms in others.items() if lower in forms)
        possible.update(person for person, tails in endings.items() if lower.endswith(tails))
    return Cast(found, frozenset(possible | found.keys()))


Manner = Literal["familiar", "polite"]


class Address(NamedTuple):
    """The words by which a language addresses the reader."""

    familiar: regex.Pattern[str]
    polite: regex.Pattern[str]
    sure: bool
    """Whether the polite words are never familiar: French `vous` may be several friends."""


def _forms(listed: str, *, inside: bool = False) -> regex.Pattern[str]:
    """`inside`: only in the middle of a sentence, where a capital shows politeness."""
    forms = "|".join(listed.split())
    if inside:
        return regex.compile(rf"(?<=[\p{{Ll}}\p{{N}},;] )(?:{forms})(?![\p{{L}}'’])")
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{forms})(?![\p{{L}}'’])", regex.IGNORECASE)


@cache
def address_of(language: str) -> Address:
    """The address words of one of `KNOWN_ADDRESSES`."""
    listed = table("voice")["address"][language]
    polite = _forms(listed["polite"], inside=listed["polite_by_capital"])
    return Address(_forms(listed["familiar"]), polite, listed["sure"])


def manners(prose: str, language: str) -> dict[Manner, tuple[int, int]]:
    """The manners of address in a text, each with its first span."""
    address = address_of(language)
    patterns: dict[Manner, regex.Pattern[str]] = {"familiar": address.familiar, "polite": address.polite}
    return {manner: found.span() for manner, pattern in patterns.items() if (found := pattern.search(prose))}


def mixes_manners(prose: str, language: str) -> bool:
    """Whether a sentence uses both manners of address."""
    address = address_of(language)
    return any(
        address.familiar.search(sentence.text) and address.polite.search(sentence.text) for sentence in sentences(prose)
    )


MARKS_IN_A_ROW = regex.compile(r"[!?！？؟\"'”’“»«)\]）」』*_,.;…]+")
"""A run of marks: a sentence ends with the last of them."""
ASKS, EXCLAIMS = frozenset("?？؟"), frozenset("!！")
GOES_ON = regex.compile(r"[\p{L}\p{N}=&/]")
CAN_FOLLOW = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
"""Letters that follow a mark without a space."""
UNMARKED: dict[str, regex.Pattern[str]] = {
    "ja": regex.compile(r"(?:か|かい|のか|かな|だろう)[。」』]|か$"),
    "zh": regex.compile(r"[吗呢么][。」』”]|[吗呢么]$|难道|是否"),
    "ar": regex.compile(r"^\W*(?:هل|هلّا|أليس|لماذا|ماذا|متى|أين|كيف)\b"),
    "vi": regex.compile(r"(?:không|chưa|à|sao|gì|đâu|nhỉ)\W*$"),
    "ko": regex.compile(r"(?:까|나요|니|가요|는가)[.。]"),
}
"""Questions written without a question mark."""
LONGEST_LABEL = 20
LABEL = regex.compile(r"[\"'“«‘„「][¡¿]?[\p{L}\p{M}]+[!！][\"'”»’“」]$")
"""One word in quotation marks, such as the label of a button, which is no exclamation."""
OTHER_MARKS = word_set("el hy th lo my km bo ti am")
"""Languages whose questions end with another mark, or with none."""
TAG_QUESTION = regex.compile(
    r",? (?:\w+n['’]t (?:it|he|she|they|you|we|I|there|that)|(?:is|are|was|were|do|does|did|have|has|will|can) "
    r"(?:it|he|she|they|you|we|I|there)|right|you know|okay|ok|huh|eh|yeah|all right|alright)\?"
    r"|^(?:Why don['’]t|How about|May I)\b|you please\b|\bplease\?|(?:じゃない|でしょう?|だろう?|じゃん|よね)か?[?？]",
    regex.IGNORECASE,
)
"""Keiko is kind, isn't she? Why don't you stay? Could you wait, please?"""
ASKED_INDIRECTLY = regex.compile(
    r"\b(?:I wonder|I'd like to know|I want to know|tell me|may I|would you|could you|wonder (?:if|why|what|how|who)"
    r"|me pregunto|quisiera saber|ich frage mich|je me demande|mi chiedo|pergunto-me|интересно|ли)\b",
    regex.IGNORECASE,
)
"""Indirect questions: another language may use a direct one."""


class SentenceMarks(NamedTuple):
    """The positions of the marks that end questions and exclamations."""

    questions: list[int]
    exclamations: list[int]


def sentence_marks(prose: str) -> SentenceMarks:
    found = SentenceMarks([], [])
    for run in MARKS_IN_A_ROW.finditer(prose):
        after = prose[run.end() : run.end() + 1]
        if GOES_ON.match(after) and not CAN_FOLLOW.match(after):
            continue  # part of an address, of code, of a name
        characters = run.group()
        asked = next((place for place, mark in enumerate(characters) if mark in ASKS), None)
        exclaims = next((place for place, mark in enumerate(characters) if mark in EXCLAIMS), None)
        if asked is not None:
            found.questions.append(run.start() + asked)
        elif exclaims is not None and not LABEL.search(
            prose, max(0, run.start() - LONGEST_LABEL), run.start() + exclaims + 2
        ):
            found.exclamations.append(run.start() + exclaims)
    return found


def only_confirms(prose: str) -> bool:
    """Whether the question of an English text is a tag: other languages write a statement, or use another word."""
    return TAG_QUESTION.search(prose) is not None


def asks(prose: str, language: str) -> bool:
    """Whether a text asks a question without a question mark."""
    unmarked = UNMARKED.get(language)
    return bool(unmarked and unmarked.search(prose)) or ASKED_INDIRECTLY.search(prose) is not None


Span = tuple[int, int]

SENTENCE = re.compile(r"[^.?!…。！？؟\n]*+(?P<mark>[.?!…。！？؟\n]?)")
CZECH_VERB = (
    r"nejs(?:em|i|me|te|ou)|nejd\w{1,4}|nech(?:c|t|oď|áp|odi)\w*"
    r"|ne(?!j|bo\b|boť|ž|ch|děl|moc|st\w?\b|t\b|uro|utr|bez|apol|hod|rv|mec|co|kd|k\w|mal)"
    r"(?!\w+(?:[ýé]|ého|ému|ých|ým|ými)\b)\w{2,}"
)
"""Czech negates the verb by a prefix; other words begin alike (nebo, než, nejlepší, neděle), and an adjective
(nezdvořilé, rude) is as doubtful as English `un-`."""


class Denials(NamedTuple):
    """The negations of a text."""

    plain: tuple[Span, ...]
    """Words that can only be a negation."""
    clauses: int
    """The least number of negated statements: "no ... nada" counts once, and questions do not count."""
    faint: tuple[Span, ...]
    """Words that another language may express by a negation, though they mostly mean something else."""
    hidden: tuple[Span, ...]
    """Other words that another language may express by a negation."""
    idioms: tuple[Span, ...] = ()
    """Idioms that negate nothing, and excuse a negation in the other text."""
    too: int = 0
    """The number of words that negate as well: "not incorrect" is two negations."""


class _Patterns(NamedTuple):
    """The patterns of a language, explained in the data file."""

    tags: re.Pattern[str] | None
    without_denial: re.Pattern[str] | None
    idioms: re.Pattern[str] | None
    plain: re.Pattern[str]
    hidden: re.Pattern[str]
    turned: re.Pattern[str] | None
    denying_too: re.Pattern[str] | None = None
    faint: re.Pattern[str] | None = None
    presupposing: re.Pattern[str] | None = None


def knows_denials(language: str) -> bool:
    return language in table("negation")["denying"] or language in ("zh", "ja")


def counts_denials(language: str) -> bool:
    """Whether negations of the language can be counted reliably."""
    return language not in table("negation")["unsure"].split()


@cache
def _patterns(language: str) -> _Patterns:
    if language in ("zh", "ja"):
        signs = patterns_by_language("negation", "signs")
        tags, without_denial, idioms, faint = (
            re.compile(signs[f"{language}_{name}"]) for name in ("tags", "without_denial", "passed_over", "faint")
        )
        return _Patterns(tags, without_denial, idioms, re.compile(signs[language]), faint, None)
    denying_words = patterns_by_language("negation", "denying")[language]
    return _Patterns(
        _listed("tags", language),
        _listed("without_denial", language),
        _listed("passed_over", language),
        _words(denying_words + (f"|{CZECH_VERB}" if language == "cs" else ""), language),
        _words(patterns_by_language("negation", "hidden")[language], language),
        _listed("turned", language),
        _listed("denying_too", language),
        _listed("faint", language),
        _listed("presupposing", language),
    )


def _listed(name: str, language: str) -> re.Pattern[str] | None:
    listed = patterns_by_language("negation", name).get(language)
    return _words(listed, language) if listed is not None else None


def _words(listed: str, language: str) -> re.Pattern[str]:
    # For `re` the vowel signs of Hindi are not letters, so its words need other boundaries than \b.
    left, right = (r"(?<![\u0900-\u0963])", r"(?![\u0900-\u0963])") if language == "hi" else (r"\b", r"(?<=\W)|\b")
    return re.compile(rf"{left}(?:{listed})(?:{right})", re.IGNORECASE)


@kept
def denials(prose: str, language: str) -> Denials:
    """The negations of a text in a language for which `knows_denials` is true."""
    patterns = _patterns(language)
    read = prose
    idioms: tuple[Span, ...] = ()
    if patterns.tags is not None:
        read = patterns.tags.sub(lambda tag: f"{' ' * (len(tag[0]) - 1)}.", read)
    if patterns.without_denial is not None:
        read = patterns.without_denial.sub(_blanks, read)
    if patterns.idioms is not None:
        idioms = tuple(match.span() for match in patterns.idioms.finditer(read))
        read = blanked(read, idioms)
    plain = [match.span() for match in patterns.plain.finditer(read) if not _is_in_name(read, *match.span())]
    turned = [match.span() for match in patterns.turned.finditer(read)] if patterns.turned is not None else []
    too = sum(1 for _ in patterns.denying_too.finditer(read)) if patterns.denying_too is not None else 0
    apart: dict[bool, list[Span]] = {True: turned, False: []}
    taken = {place for start, end in (*plain, *turned) for place in range(start, end)}
    for match in patterns.hidden.finditer(read):
        if taken.isdisjoint(range(*match.span())):
            apart[patterns.faint is not None and patterns.faint.fullmatch(match[0]) is not None].append(match.span())
    clauses = _clauses(read, plain, patterns, language)
    return Denials(tuple(plain), clauses, tuple(apart[True]), tuple(apart[False]), idioms, too)


def _clauses(read: str, plain: Sequence[Span], patterns: _Patterns, language: str) -> int:
    """The least number of negated statements; a word that repeats another negation counts only alone."""
    clauses, waiting = 0, deque(plain)
    for sentence in SENTENCE.finditer(read):
        asked = _statement_start(patterns.presupposing, sentence)
        denying: list[bool] = []
        while waiting and waiting[0][0] < sentence.end():
            start, end = waiting.popleft()
            if start >= asked:
                denying.append(not _answers(read[start:end].lower(), language))
        clauses += sum(denying) or bool(denying)
    return clauses


def has_denial(prose: str, language: str) -> bool:
    """Whether a text holds a word that can only be a negation. False for a language without a table."""
    return bool(denied(prose, language))


def denied(prose: str, language: str) -> list[Span]:
    """One word for each negated statement, in questions and idioms too, for comparing two texts of one language. A word
    that repeats another negation counts only alone.

    Capitals do not count: "NOT" in a question is no name.
    """
    if not knows_denials(language):
        return []
    lower = prose.lower()
    if len(lower) != len(prose):  # a letter whose small form is two, as in Turkish
        lower = prose
    patterns = _patterns(language)
    read = patterns.without_denial.sub(_blanks, lower) if patterns.without_denial is not None else lower
    found: list[Span] = []
    waiting = deque(match.span() for match in patterns.plain.finditer(read))
    for sentence in SENTENCE.finditer(read) if waiting else ():
        here: list[Span] = []
        while waiting and waiting[0][0] < sentence.end():
            here.append(waiting.popleft())
        own = [span for span in here if not _answers(read[slice(*span)], language)]
        found += own or here[:1]
    return found


def denying_clauses(prose: str, language: str, found: Denials) -> list[Span]:
    """The span of the one negated clause, or without a negation, of all clauses with an excuse for one. Empty if more
    are negated, or one in a question."""
    if found.plain and found.clauses != 1:
        return []
    spans = found.plain or sorted((*found.faint, *found.hidden, *found.idioms))
    cuts = [0, *(match.start() for match in _cuts(language).finditer(prose)), len(prose)]
    places = sorted({bisect_right(cuts, start) for start, _ in spans})
    return [] if found.plain and len(places) > 1 else [(cuts[place - 1], cuts[place]) for place in places]


@cache
def _cuts(language: str) -> re.Pattern[str]:
    """A pattern for the ends of clauses: a mark, or a conjunction."""
    joining = table("negation")["joining_clauses"].get(language)
    return re.compile(
        r"[,;:.?!…—–，、。；：？！।]" + (rf"|(?<=\s)(?:{joining})(?=\s)" if joining else ""), re.IGNORECASE
    )


def _answers(word: str, language: str) -> bool:
    """Whether a negative word mostly accompanies another one in the same statement."""
    listed = words_by_language("negation", "answering").get(language, frozenset())
    return word in listed or any(one[-1] == "*" and word.startswith(one[:-1]) for one in listed)


def _is_in_name(text: str, start: int, end: int) -> bool:
    """Whether a negative word and the next one are capitalised inside a sentence: "Médicos Sin Fronteras"."""
    before, after = text[:start].rstrip(), text[end : end + 2].lstrip()
    return text[start].isupper() and before[-1:].isalnum() and after[:1].isupper()


def blanked(text: str, spans: Sequence[Span]) -> str:
    pieces: list[str] = []
    read = 0
    for start, end in spans:
        pieces += text[read:start], " " * (end - start)
        read = end
    return "".join((*pieces, text[read:]))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _statement_start(presupposing: re.Pattern[str] | None, sentence: re.Match[str]) -> int:
    """The start of the statement in a sentence: a question states only what it takes for granted ("Are you sure
    that ...")."""
    if sentence["mark"] not in ("?", "？", "؟"):
        return sentence.start()
    fact = presupposing.search(sentence[0]) if presupposing is not None else None
    return sentence.end() if fact is None else sentence.start() + fact.end()
