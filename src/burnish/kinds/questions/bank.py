"""A bank as a whole: what checks may know of it, its language, the balance of its keys, and its blueprint.

The facts are tallies: they take one question after the other and hold no question.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from burnish.kinds.questions.formats import Format
from burnish.kinds.questions.model import Metadata, Option, Question, feedback_of
from burnish.kinds.questions.policy import UNFIT
from burnish.languages.detection import primary_tag, sure_language
from burnish.languages.words import content_stems, stem, word_list, word_set


@cache
def wording() -> dict[str, Any]:
    """The English word tables of `cue_words.toml`, read once."""
    return tomllib.loads(Path(__file__).with_name("cue_words.toml").read_text(encoding="utf-8"))


def listed_words(table: str, name: str) -> frozenset[str]:
    """One list of words."""
    return frozenset(wording()[table][name].split())


SPEECH = ('"', "“", "'", "‘", "«")
"""An option that begins so is what a person in the case says: people may say what they like."""
LONGEST_READ = 2000
"""Characters of an option that are read: one cue word is enough."""

Accept = Callable[[re.Match[str], str], bool]
"""Whether a match counts, given the option's text."""


def cue_words(
    question: Question, terms: frozenset[str], pattern: re.Pattern[str], accept: Accept
) -> list[tuple[Option, re.Match[str]]]:
    """The first cue word of each option that has one; none where most options have one, for then none stands out.

    `terms` are the words without which `pattern` cannot match: most questions need no closer look.
    """
    if terms.isdisjoint(question.options_words):
        return []
    having = [option for option in question.options if pattern.search(option.text[:LONGEST_READ])]
    if 2 * len(having) > len(question.options):
        return []
    found = []
    for option in having:
        read = option.text[:LONGEST_READ]
        if read.count(" ") >= LONGEST_CLAIM or SENTENCES.search(read):
            continue
        accepted = (match for match in pattern.finditer(read) if accept(match, read) and not _is_cited(question, match))
        if not option.text.lstrip().startswith(SPEECH) and (first := next(accepted, None)):
            found.append((option, first))
    return found


LONGEST_CLAIM = 30
"""Words of an option that is one claim. What is longer, or more than a sentence, explains: a word in it is no cue."""
SENTENCES = re.compile(r"[.;] [A-Z]")
CITED = 20
"""Characters on either side of a word by which it is found again."""


def _is_cited(question: Question, match: re.Match[str]) -> bool:
    """Whether the words stand in the stem or the case as well: then the option quotes them."""
    around = match.string[max(0, match.start() - CITED) : match.end() + CITED]
    return len(around) > CITED and (around in question.stem or around in (question.vignette or ""))


LONGEST_KEPT = 4_000
"""Characters: the vocabulary of a longer text is read again each time, so that what is kept stays small."""


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, with straight apostrophes."""
    return _kept(text) if len(text) <= LONGEST_KEPT else _read(text)


def _read(text: str) -> frozenset[str]:
    return frozenset(word_list(text.replace("’", "'")))


# Several rules ask for the same texts, and a few questions are examined together.
_kept = lru_cache(maxsize=400)(_read)


REFERENCES = listed_words("cue_words", "references")
"""Words that point back at a case, or at a person in it."""

GENERIC = frozenset(map(stem, listed_words("cue_words", "generic")))
"""Stems of words that ask without saying what about: a question made of them alone needs its case."""


def points_back(text: str) -> bool:
    """Whether the text speaks of something that must have been told before."""
    return not REFERENCES.isdisjoint(vocabulary(text))


def topic(texts: Iterable[str]) -> set[str]:
    """The stems of the words that say what the texts are about."""
    return {found for text in texts for found in content_stems(text)} - GENERIC


LEVELS = ("Remember", "Understand", "Apply", "Analyze", "Evaluate", "Create")
_NAMES = {
    1: "remember remembering recall knowledge k1 c1 1 i",
    2: "understand understanding comprehend comprehension c2 2 ii",
    3: "apply applying application c3 3 iii",
    4: "analyze analyse analyzing analysing analysis c4 4 iv",
    5: "evaluate evaluating evaluation judge c5 5 v",
    6: "create creating creation synthesis synthesize synthesise c6 6 vi",
}
_LEVEL_OF = {name: level for level, names in _NAMES.items() for name in names.split()}

CASE_WORDS = word_set(
    "year-old month-old week-old day-old comes presents brought admitted examination history patient patient's"
)
CASE = re.compile(r"\b[0-9]{1,3}[- ](?:year|month|week|day)s?[- ]old\b")
# These are looked for in small letters: a pattern that ignores case takes twice the time.
JUDGING = re.compile(
    r"\b(?:most likely|most appropriate|best next|next (?:best )?step|best explains?|most consistent|best supported"
    r"|would (?:most|best))\b"
)
RECALLING = re.compile(
    r"\b(?:define|(?:list|name|state|recall) the|definition of|is (?:also )?(?:defined as|called|known as|named|termed)"
    r"|is the (?:name|term|definition|capital|symbol|normal (?:range|value))"
    r"|stands? for|in what year|in which year|when (?:was|did)"
    r"|who (?:was|is|wrote|discovered|invented|first)|which (?:year|country|city)|what (?:year|color|colour)"
    r"|refers to|is an example of a)\b"
)
HIGHER = (
    (6, re.compile(r"\b(?:design|devise|construct|formulate|compose|propose a|develop a plan)\b")),
    (
        5,
        re.compile(
            r"\b(?:evaluate|critique|judge|justif(?:y|ies)|best supported by|strongest (?:evidence|argument)|most "
            r"(?:valid|weakens?))\b"
        ),
    ),
    (4, re.compile(r"\b(?:analy[sz]e|compare|contrast|differentiate|distinguish(?:es)? between|infer|inferred)\b")),
    (3, re.compile(r"\b(?:calculate|compute|solve|determine the|how many (?:milli|grams|mg|ml))")),
)


def level_number(name: str) -> int | None:
    """1 to 6 for a level's name in any of the usual forms, else None."""
    words = re.findall(r"[a-z0-9]+", name.lower()[:60])
    return next((_LEVEL_OF[word] for word in words if word in _LEVEL_OF), None)


def tells_a_case(question: Question) -> bool:
    """Whether there is a case to which knowledge has to be applied."""
    text = question.vignette or question.stem
    if len(text) <= 150:
        return False
    words = vocabulary(text) if question.vignette else question.stem_words
    return len(CASE_WORDS & words) >= 3 or CASE.search(text) is not None


def levels_shown(question: Question) -> tuple[int, int] | None:
    """The lowest and highest level that the question's words speak for, or None where they say nothing."""
    asked = question.lead_in.text[-600:].lower()
    if tells_a_case(question):
        return (3, 5) if JUDGING.search(asked) else None
    if RECALLING.search(asked) and len(question.stem) + len(question.vignette or "") < 200:
        return (1, 2)
    return next(((max(level - 1, 2), 6) for level, pattern in HIGHER if pattern.search(asked)), None)


FEWEST_EXPECTED = 5
"""The chi-square test is trusted only where this many keys are expected in every position."""
SIGNIFICANT = 0.01
NOTICEABLE = 0.1
"""How large the imbalance must be (Cohen's w) to be worth a word: in a huge bank the smallest one is significant."""

MOST_POSITIONS = 26
MOST_CELLS = 20_000
"""Cells of the blueprint that are kept apart; what goes beyond is counted together, so that memory has a bound."""
OTHER = "(other)"


@dataclass(frozen=True, slots=True)
class KeyBalance:
    """Where the key stands, over all questions with the same number of options."""

    options: int
    questions: int
    positions: tuple[int, ...]
    """How often the key is the first option, the second, ..."""
    chi_square: float
    p_value: float | None
    """How likely chance alone is to give such an imbalance; None where there are too few questions to say."""
    balanced: bool | None
    """None where there are too few questions to say."""

    @property
    def message(self) -> str:
        """One line for a person."""
        shares = ", ".join(f"{chr(65 + place)} {count}" for place, count in enumerate(self.positions))
        head = f"{self.questions} questions with {self.options} options: {shares}"
        if self.balanced is None:
            return f"{head} (too few to judge)."
        verdict = "balanced" if (self.p_value or 0) >= SIGNIFICANT else "slightly uneven"
        return f"{head} ({verdict if self.balanced else 'out of balance'}, p = {self.p_value:.2g})."


@dataclass(frozen=True, slots=True)
class BlueprintCell:
    """How many questions have one objective, level and difficulty. None: the question does not say."""

    objective: str | None
    bloom_level: str | None
    difficulty: str | None
    questions: int


Cell = tuple[str | None, str | None, str | None]


class BankFacts:
    """Tallies over a bank. Two of them, from two parts of a bank, can be merged."""

    def __init__(self) -> None:
        self._positions: dict[int, list[int]] = {}
        self._cells: Counter[Cell] = Counter()
        self._questions = 0

    def add(self, question: Question) -> None:
        """Count one question."""
        self._questions += 1
        for options, place in _keys(question):
            self._positions.setdefault(options, [0] * options)[place] += 1
        for cell in _cells(question):
            known = cell in self._cells or len(self._cells) < MOST_CELLS
            self._cells[cell if known else (OTHER, OTHER, OTHER)] += 1

    def key_balance(self) -> tuple[KeyBalance, ...]:
        """One judgement for each number of options."""
        return tuple(_balance(counts) for _, counts in sorted(self._positions.items()))

    def blueprint(self) -> tuple[BlueprintCell, ...]:
        """Objective x level x difficulty, sorted; empty where no question has any of the three."""
        if all(cell == (None, None, None) for cell in self._cells):
            return ()
        ordered = sorted(self._cells.items(), key=lambda item: tuple(part or "" for part in item[0]))
        return tuple(BlueprintCell(*cell, count) for cell, count in ordered)

    def result(self) -> Mapping[str, Any]:
        """The report's part, as JSON-ready data."""
        if not self._questions:
            return {}
        balance = [asdict(group) | {"message": group.message} for group in self.key_balance()]
        return {"key_balance": balance, "blueprint": [asdict(cell) for cell in self.blueprint()]}


def chi_square(counts: Sequence[int]) -> float:
    """How far the counts are from being equal."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def chi_square_p(statistic: float, degrees: int) -> float:
    """The probability of a chi-square at least as large: Q(degrees/2, statistic/2), exact for whole degrees.

    From Q(1/2, x) = erfc(sqrt x) or Q(1, x) = exp(-x) upwards by Q(a+1, x) = Q(a, x) + x^a exp(-x) / gamma(a+1).
    """
    x = statistic / 2
    if x <= 0:
        return 1.0
    a, q = (0.5, math.erfc(math.sqrt(x))) if degrees % 2 else (1.0, math.exp(-x))
    while a < degrees / 2:
        q += math.exp(a * math.log(x) - x - math.lgamma(a + 1))
        a += 1
    return min(q, 1.0)


def _balance(counts: Sequence[int]) -> KeyBalance:
    total = sum(counts)
    statistic = chi_square(counts)
    if len(counts) < 2 or total < FEWEST_EXPECTED * len(counts):
        return KeyBalance(len(counts), total, tuple(counts), statistic, None, None)
    p_value = chi_square_p(statistic, len(counts) - 1)
    noticed = p_value < SIGNIFICANT and math.sqrt(statistic / total) >= NOTICEABLE
    return KeyBalance(len(counts), total, tuple(counts), statistic, p_value, not noticed)


def _keys(question: Question) -> Iterator[tuple[int, int]]:
    """Number of options and place of the key, for the question or each item that brings its own options.

    The items of extended matching share one long list, in which every place is used on purpose: they say nothing.
    Nor do verdicts, and questions with several keys.
    """
    if not question.items:
        lists: list[tuple[tuple[Option, ...], str]] = [(question.options, question.correct_answer)]
    else:
        lists = [(item.options, item.correct_answer) for item in question.items if item.options is not None]
    if question.type == "extended_matching" or question.type in UNFIT:
        return
    for options, answer in lists:
        place = next((n for n, option in enumerate(options) if option.key == answer.strip()), None)
        if place is not None and len(options) <= MOST_POSITIONS:
            yield len(options), place


def _cells(question: Question) -> Iterator[Cell]:
    """One cell for each objective of the question."""
    metadata = question.metadata or Metadata()
    for objective in metadata.slo_ids or (None,):
        yield (_named(objective), _named(metadata.bloom_level), _named(metadata.difficulty))


def _named(value: str | None) -> str | None:
    return (value or "").strip()[:200] or None


DEFAULT_REQUIRED_METADATA = ("course_id", "slo_ids", "bloom_level", "difficulty")
"""Required where the bank carries the field at all and no institution says otherwise."""


@dataclass(frozen=True, slots=True)
class BankContext:
    """Facts about the whole bank, and the institution's demands."""

    carried: frozenset[str] = frozenset()
    """Optional fields that occur somewhere in the bank: `rationale`, `vignette`, `metadata.bloom_level`, ..."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata that the institution requires; None where it does not say."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The concept graph: concept id -> words that show it in a text. Empty: no graph."""
    language: str | None = None
    """What the bank is written in, as far as one language prevails: a question that is too short to tell is in it."""

    def carries(self, name: str) -> bool:
        """Whether the bank has this field at all: a bank without rationales is not full of missing ones."""
        return name in self.carried or any(known.startswith(f"{name}.") for known in self.carried)


LOOKED_AT = 200
"""Parts at the beginning of a bank by which its language is told."""
USUAL = 0.5
"""The share of questions that must have a rationale before one is missed in the others."""
FEWEST_WORDS = 5
"""Of the feedback of all options together: "Right." and "Wrong." explain nothing."""
FEWEST, MOST = 2, 0.9
"""So many questions must tell a language, and so large a share of those that tell one must tell the same."""


def survey(format: Format, stream: BinaryIO, path: str) -> dict[str, Any]:
    """JSON-ready facts about the whole bank."""
    # Read first: errors of `carried` do not name the file.
    beginning = [part for part in islice(format.read(stream, path), LOOKED_AT) if isinstance(part, Question)]
    stream.seek(0)
    carried = format.carried(stream) - {"rationale"}
    explained = sum(map(_explains, beginning))
    if explained and explained >= USUAL * len(beginning):
        # One question with general feedback does not make it missing in all the others.
        carried |= {"rationale"}
    return {"carried": sorted(carried), "language": prevailing(beginning)}


def _explains(question: Question) -> bool:
    """Whether the question, or an item of it, has a rationale: in one text, or as feedback of every option.

    A word on one option is none: a bank that has such words here and there misses no rationales elsewhere.
    """
    told = [question.rationale, *(item.rationale for item in question.items or ())]
    feedback = [feedback_of(option) for option in question.options]
    explains = bool(feedback) and all(feedback) and len(" ".join(feedback).split()) >= FEWEST_WORDS
    return explains or any(rationale and rationale.strip() for rationale in told)


def prevailing(questions: Iterable[Question]) -> str | None:
    """The language that nearly all questions are written in, of those that tell."""
    languages = (primary_tag(question.language) or sure_language(question.words_shown) for question in questions)
    told = Counter(filter(None, languages))
    for language, count in told.most_common(1):
        if count >= FEWEST and count >= MOST * told.total():
            return language
    return None
