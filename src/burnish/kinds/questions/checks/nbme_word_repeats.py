"""nbme_word_repeats: only the key repeats a content word of the stem.

What it looks for: an uncommon word of the lead-in, of a short stem or vignette, or of a quotation in it that the key
repeats (also in another form: "unreal", "unrealistic") and no distractor does. In a long case only rare, long words
count. Nothing is reported if a distractor alone repeats another word: the repetition is no cue then.
Why it matters: a learner who knows nothing picks the option that sounds like the question.
Fix: needs an author or a model: use another word in the stem, or let a distractor repeat it too.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from burnish.core.checks import check
from burnish.kinds.questions.bank import listed_words
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import LONGEST_STEMMED, STOP_WORDS, WORD, stem, word_list

SHORT_TEXT = 50
"""Most different words of a stem or vignette in which every uncommon word counts."""

SHORTEST, SHORTEST_IN_CASE = 6, 10
"""Fewest letters of a repeated word: in a short text, and in a long case."""

LONGEST_READ, LONGEST_KEY = 20_000, 2_000
QUOTED = re.compile(r"[\"“]([^\"“”]{4,200})[\"”]")

_COMMON = listed_words("word_repeats", "common")
COMMON = frozenset(stem(word) for word in _COMMON)
CASE = (
    "A 30-year-old man comes to the clinic because of a strange feeling. He says that at night everything seems "
    "“unreal” to him. Which of the following best describes what he reports?"
)


@check(
    id="nbme_word_repeats",
    title="Stem word repeated in key",
    severity="warning",
    languages=("en",),
    bad=(
        {"stem": CASE, "options": ("Unrealistic perception", "Delirium", "Mania", "Panic", "Amnesia")},
        {
            "stem": "Which theory holds that reinforcement shapes what animals do?",
            "options": ("Reinforcement learning", "Gestalt psychology", "Psychoanalysis", "Structuralism"),
        },
        {
            "stem": "Which of the following receptors is the target of the toxin?",
            "options": ("CCR5", "CD21", "Acetylcholine receptor", "GABA"),
            "correct_answer": "C",
        },
    ),
    good=(
        {"stem": "Which drug lowers the glucose level?", "options": ("Insulin", "Aspirin", "Heparin", "Digoxin")},
        {
            "stem": "Which of the following receptors is the target of the toxin?",
            "options": ("Acetylcholine receptor", "GABA receptor", "Glycine receptor", "Opioid receptor"),
        },
        {
            "stem": "Which theory holds that reinforcement shapes what animals do?",
            "options": ("Reinforcement learning", "Animal magnetism", "Psychoanalysis", "Structuralism"),
        },
        {
            "stem": "Which patient needs treatment?",
            "options": ("The patient with fever", "A child", "An athlete", "None"),
        },
        {
            "stem": "Which theory holds that reinforcement shapes what animals do?",
            "options": ("Gestalt psychology", "Reinforcement learning", "Psychoanalysis", "Structuralism"),
        },
    ),
)
def word_repeats(question: Question) -> Findings:
    key = question.key
    if key is None or len(question.distractors) < 2:
        return
    # A fast test: whether the beginning of any word of the key occurs in the question.
    asked = f"{question.stem[-LONGEST_READ:]}\n{(question.vignette or '')[:LONGEST_READ]}".lower()
    if not any(w[: SHORTEST - 2] in asked for w in word_list(key.text[:LONGEST_KEY]) if len(w) >= SHORTEST - 1):
        return
    repeatable = _repeatable(question)
    mine = _repeated(key.text, repeatable)
    if not mine:
        return
    theirs = [_repeated(option.text, repeatable) for option in question.distractors]
    elsewhere = {word for repeated in theirs for word in repeated}
    own = min((word for word in mine if word not in elsewhere), default=None)
    counts = Counter(word for repeated in theirs for word in repeated)
    if own is None or any(counts[word] == 1 and word not in mine for word in counts):
        return
    start, end = mine[own]
    message = f"Only the key repeats a word of the question ({key.text[start:end]!r}; there {own!r})."
    advice = "Use another word in the stem, or let a distractor repeat it too."
    yield question.finding(key, message, advice, (start, end))


def _repeatable(question: Question) -> dict[str, str]:
    """The words of the question that can be repeated, by stem and as written."""
    every = word_list(question.lead_in.text[-LONGEST_READ:])
    rare: Iterable[str] = ()
    for text, found in ((question.stem, question.stem_words), (question.vignette or "", frozenset[str]())):
        words = found or frozenset(word_list(text[:LONGEST_READ]))
        if len(words) <= SHORT_TEXT:
            every.extend(words)
        else:
            rare = chain(rare, words)
            every.extend(word for quote in QUOTED.findall(text[:LONGEST_READ]) for word in word_list(quote))
    repeatable = _uncommon(rare, SHORTEST_IN_CASE)
    repeatable.update(_uncommon(every, SHORTEST))
    return repeatable


def _uncommon(words: Iterable[str], shortest: int) -> dict[str, str]:
    repeatable: dict[str, str] = {}
    for word in words:
        if len(word) >= shortest and word not in STOP_WORDS:
            kin = stem(word)
            if kin not in COMMON:
                # Words come from sets: of two with the same stem, name the alphabetically first, to be deterministic.
                repeatable[kin] = min(repeatable.get(kin, word), word)
                repeatable[word] = word
    return repeatable


def _repeated(text: str, repeatable: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Words of the question that the option repeats, with their spans in the option."""
    found: dict[str, tuple[int, int]] = {}
    for match in WORD.finditer(text[:LONGEST_READ]):
        word = match.group()
        if SHORTEST - 1 <= len(word) <= LONGEST_STEMMED:
            own = stem(word)
            # "unrealistic" repeats "unreal": the longer word begins with the shorter one.
            openings = (own[:length] for length in range(len(own), SHORTEST - 1, -1))
            kin = own if own in repeatable else next((opening for opening in openings if opening in repeatable), None)
            if kin is not None:
                found.setdefault(repeatable[kin], match.span())
    return found
