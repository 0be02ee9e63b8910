"""Facts about a whole bank: the fields it uses, its language, the balance of its keys, and its blueprint.

The facts are counts: questions are added one by one, and none is kept in memory.
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
from burnish.kinds.questions.model import Metadata, Option, Question, counted_position, feedback_of
from burnish.kinds.questions.policy import UNFIT
from burnish.languages.detection import primary_tag, sure_language
from burnish.languages.words import content_stems, stem, word_list, word_set


@cache
def wording() -> dict[str, Any]:
    """The English word tables of `cue_words.toml`, read once."""
    return tomllib.loads(Path(__file__).with_name("cue_words.toml").read_text(encoding="utf-8"))


def listed_words(table: str, name: str) -> frozenset[str]:
    """One word list of the tables, as a set."""
    return frozenset(wording()[table][name].split())


SPEECH = ('"', "“", "'", "‘", "«")
"""An option that begins with one of these quotes a person in the case: its words are no cue."""
LONGEST_READ = 2000
"""Characters of an option that are searched for cue words."""

Accept = Callable[[re.Match[str], str], bool]
"""Decides from the text of the option whether a match counts."""


def cue_words(
    question: Question, terms: frozenset[str], pattern: re.Pattern[str], accept: Accept
) -> list[tuple[Option, re.Match[str]]]:
    """The first cue word of each option; nothing if more than half of the options have one, as none stands out then.

    `pattern` cannot match without one of the words in `terms`, so most questions are skipped quickly.
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
"""Words of an option that is one claim. A longer one, or one with several sentences, explains: its words are no cue."""
SENTENCES = re.compile(r"[.;] [A-Z]")
CITED = 20
"""Characters on either side of a word that are searched in the stem and the case."""


def _is_cited(question: Question, match: re.Match[str]) -> bool:
    """Whether the stem or the case contains the same words: the option then quotes them."""
    around = match.string[max(0, match.start() - CITED) : match.end() + CITED]
    return len(around) > CITED and (around in question.stem or around in (question.vignette or ""))


LONGEST_KEPT = 4_000
"""Characters. Longer texts are not cached, so that the cache stays small."""


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, with straight apostrophes."""
    return _cached_words(text) if len(text) <= LONGEST_KEPT else _words_of(text)


def _words_of(text: str) -> frozenset[str]:
    return frozenset(word_list(text.replace("’", "'")))


# Several rules use the same texts, and a few questions are examined together.
_cached_words = lru_cache(maxsize=400)(_words_of)


REFERENCES = listed_words("cue_words", "references")
"""Words that refer back to a case or to a person in it."""

GENERIC = frozenset(map(stem, listed_words("cue_words", "generic")))
"""Stems of words that ask without naming a topic: a question with no other words needs its case."""


def points_back(text: str) -> bool:
    """Whether the text refers to something that must have been mentioned before."""
    return not REFERENCES.isdisjoint(vocabulary(text))


def topic(texts: Iterable[str]) -> set[str]:
    """The stems of the words that name the topic of the texts."""
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
# Searched in lower-case text: a case-insensitive pattern takes twice the time.
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
    """The level, 1 to 6, from its name in any of the usual forms; None if unknown."""
    words = re.findall(r"[a-z0-9]+", name.lower()[:60])
    return next((_LEVEL_OF[word] for word in words if word in _LEVEL_OF), None)


def tells_a_case(question: Question) -> bool:
    """Whether the question has a case to which knowledge must be applied."""
    text = question.vignette or question.stem
    if len(text) <= 150:
        return False
    words = vocabulary(text) if question.vignette else question.stem_words
    return len(CASE_WORDS & words) >= 3 or CASE.search(text) is not None


def levels_shown(question: Question) -> tuple[int, int] | None:
    """The lowest and highest level that the wording suggests, or None if it suggests none."""
    asked = question.lead_in.text[-600:].lower()
    if tells_a_case(question):
        return (3, 5) if JUDGING.search(asked) else None
    if RECALLING.search(asked) and len(question.stem) + len(question.vignette or "") < 200:
        return (1, 2)
    return next(((max(level - 1, 2), 6) for level, pattern in HIGHER if pattern.search(asked)), None)


FEWEST_EXPECTED = 5
"""Keys that must be expected in every position for the chi-square test to be reliable."""
SIGNIFICANT = 0.01
NOTICEABLE = 0.1
"""The smallest imbalance to report (Cohen's w): in a huge bank even a tiny one is significant."""

MOST_POSITIONS = 26
MOST_CELLS = 20_000
"""Cells of the blueprint that are counted separately; the rest is counted together, to bound memory."""
OTHER = "(other)"


@dataclass(frozen=True, slots=True)
class KeyBalance:
    """The positions of the key, over all questions with the same number of options."""

    options: int
    questions: int
    positions: tuple[int, ...]
    """How often the key is the first option, the second, ..."""
    chi_square: float
    p_value: float | None
    """The probability of such an imbalance by chance; None if there are too few questions."""
    balanced: bool | None
    """None if there are too few questions."""

    @property
    def message(self) -> str:
        """A one-line summary for people."""
        shares = ", ".join(f"{chr(65 + place)} {count}" for place, count in enumerate(self.positions))
        words = balance_words(self.balanced, self.p_value)
        return f"{self.questions} questions with {self.options} options: {shares} ({words})."


def balance_words(balanced: bool | None, p_value: float | None) -> str:
    """The verdict on the positions of a key, for people."""
    if balanced is None:
        return "too few to judge"
    verdict = "balanced" if (p_value or 0) >= SIGNIFICANT else "slightly uneven"
    return f"{verdict if balanced else 'out of balance'}, p = {p_value:.2g}"


@dataclass(frozen=True, slots=True)
class BlueprintCell:
    """The number of questions with one objective, level and difficulty. None: the question does not state it."""

    objective: str | None
    bloom_level: str | None
    difficulty: str | None
    questions: int


Cell = tuple[str | None, str | None, str | None]


class BankFacts:
    """The counts over a bank."""

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
        """The balance for each number of options."""
        return tuple(_balance(counts) for _, counts in sorted(self._positions.items()))

    def blueprint(self) -> tuple[BlueprintCell, ...]:
        """Objective x level x difficulty, sorted; empty if no question has any of the three."""
        if all(cell == (None, None, None) for cell in self._cells):
            return ()
        ordered = sorted(self._cells.items(), key=lambda item: tuple(part or "" for part in item[0]))
        return tuple(BlueprintCell(*cell, count) for cell, count in ordered)

    def result(self) -> Mapping[str, Any]:
        """The facts for the report, as JSON-ready data."""
        if not self._questions:
            return {}
        balance = [asdict(group) | {"message": group.message} for group in self.key_balance()]
        return {"key_balance": balance, "blueprint": [asdict(cell) for cell in self.blueprint()]}


def chi_square(counts: Sequence[int]) -> float:
    """The chi-square statistic of the counts against equal counts."""
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
    """Number of options and position of the key, for the question or for each item with its own options.

    Extended matching is left out, because its items share one long list and use every position on purpose; so are
    true/false questions and questions with several keys.
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
    """The cells of a question, one for each objective."""
    metadata = question.metadata or Metadata()
    for objective in metadata.slo_ids or (None,):
        yield (_named(objective), _named(metadata.bloom_level), _named(metadata.difficulty))


def _named(value: str | None) -> str | None:
    return (value or "").strip()[:200] or None


DEFAULT_REQUIRED_METADATA = ("course_id", "slo_ids", "bloom_level", "difficulty")
"""Required if the bank has the field anywhere and the institution does not decide otherwise."""


@dataclass(frozen=True, slots=True)
class BankContext:
    """Facts about the whole bank, and the requirements of the institution."""

    carried: frozenset[str] = frozenset()
    """Optional fields that occur somewhere in the bank: `rationale`, `vignette`, `metadata.bloom_level`, ..."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata that the institution requires; None if it does not decide."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The concept graph: concept id -> words that show it in a text. Empty if there is none."""
    language: str | None = None
    """The prevailing language of the bank: used for questions too short for detection. None if there is none."""
    sparse: frozenset[str] = frozenset()
    """Fields that occur in the bank, but that hardly any question uses: `rationale`."""
    surveyed: int = 0
    """The questions of the banks with such fields."""
    keys_from_zero: bool = False
    """Whether the bank gives right answers as positions that count from zero, although its options have keys."""

    def carries(self, name: str) -> bool:
        """Whether the bank uses this field: in a bank without rationales none is missing."""
        return name in self.carried or any(known.startswith(f"{name}.") for known in self.carried)

    def leaves_empty(self, name: str) -> bool:
        """Whether an empty field of this name is a fault of the question, although few others use it: in a bank this
        small that is no custom of the bank."""
        return name in self.sparse and self.surveyed < FEWEST_OF_BANK


LOOKED_AT = 200
"""Parts at the beginning of a bank that are read to detect its language."""
USUAL = 0.5
"""The share of questions that must have a rationale before it is missing in the others."""
FEWEST_WORDS = 5
"""Words that the feedback of all options must have together: "Right." and "Wrong." explain nothing."""
FEWEST_OF_BANK = 10
"""Questions that a bank needs before something can be said of the bank as a whole."""
FEWEST, MOST = 2, 0.9
"""The questions with a detected language that a bank needs, and the share of them that must agree."""


def survey(format: Format, stream: BinaryIO, path: str) -> dict[str, Any]:
    """JSON-ready facts about the whole bank."""
    # Read first: errors of `carried` do not name the file.
    beginning = [part for part in islice(format.read(stream, path), LOOKED_AT) if isinstance(part, Question)]
    stream.seek(0)
    carried, is_sparse = set(format.carried(stream)), False
    explained = sum(map(explains, beginning))
    if explained and explained >= USUAL * len(beginning):
        carried.add("rationale")
    elif explained or "rationale" in carried:
        # A single question with general feedback does not make it missing in all the others.
        carried.discard("rationale")
        is_sparse = True
    return {
        "carried": sorted(carried),
        "language": prevailing(beginning),
        **({"sparse": ["rationale"], "surveyed": len(beginning)} if is_sparse else {}),
        **({"keys_from_zero": True} if keys_from_zero(beginning) else {}),
    }


def keys_from_zero(questions: Iterable[Question]) -> bool:
    """Whether these answers count from zero: some are 0, and none is the number of options.

    Where the options have numbers as keys, a single 0 may be a slip, and it takes more of them.
    """
    counted = [(question, at) for question in questions if (at := counted_position(question)) is not None]
    zeros = sum(at == 0 for _, at in counted)
    if not zeros or any(at >= len(question.options) for question, at in counted):
        return False
    named = any(question.right for question, _ in counted)
    return not named or (zeros > 1 and len(counted) >= FEWEST_OF_BANK)


def explains(question: Question) -> bool:
    """Whether the question or an item has a rationale: as one text, or as feedback on every option.

    Feedback on a single option does not count.
    """
    rationales = [question.rationale, *(item.rationale for item in question.items or ())]
    feedback = [feedback_of(option) for option in question.options]
    explains = bool(feedback) and all(feedback) and len(" ".join(feedback).split()) >= FEWEST_WORDS
    return explains or any(rationale and rationale.strip() for rationale in rationales)


def prevailing(questions: Iterable[Question]) -> str | None:
    """The language of nearly all questions whose language is known."""
    languages = (primary_tag(question.language) or sure_language(question.words_shown) for question in questions)
    known = Counter(filter(None, languages))
    for language, count in known.most_common(1):
        if count >= FEWEST and count >= MOST * known.total():
            return language
    return None
