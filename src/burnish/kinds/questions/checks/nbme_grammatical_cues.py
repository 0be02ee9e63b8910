"""nbme_grammatical_cues: options that do not fit the end of the stem.

What it looks for: a stem that the options complete, where some fit and some do not: "an" before a consonant, "are"
before "a ...", "to" before "inhibits", "by" before "inhibit", or the last word of the stem repeated.
Why it matters: authors write the stem to fit the key, so learners rule out options with wrong grammar.
Fix: safe for "a" and "an" ("a(n)"); everything else needs an author or a model.
"""

import re
from collections.abc import Sequence

from burnish.core.checks import check
from burnish.core.edits import Edit
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.languages.grammar import sure_verb_form, verb_form
from burnish.languages.words import word_list, word_set

LAST_WORD = re.compile(r"(?<![\w/(])(?P<word>[A-Za-z]+)(?P<end>[\s:_.…-]*)$")
BEFORE_BLANK = re.compile(r"(?<![\w/(])(?P<word>[Aa]n?) +_{2,}")
BLANK = re.compile(r"__+")
LONGEST_STEM = 4000
NEAR = 80
LONGEST_READ = 200
VOWEL = re.compile(r"[aeiou8]|1[18]\b|hour|honest|honou?r|heir|[fhlmnrsx]-", re.IGNORECASE)
CONSONANT_VOWEL = re.compile(r"uni(?!n|m)|eu|u(?:se|su|r[aeio]|t[ei]|biq|k)|one\b|once\b|ewe", re.IGNORECASE)
SPELLED = re.compile(r"[A-Z]{2,}\b|[A-Z](?=[-\d\s]|$)")
SPELLED_VOWELS = frozenset("AEFHILMNORSX")
MODALS = word_set("can could will would should must may might cannot to")
TAKES_GERUND = word_set("by for of in from without before after while")
STOCK = word_set("all both any either neither none no")
"""First words of options that refer to the others and do not continue the stem."""

REPEATED = word_set("to the a an of by in is are was were that for with on from")


@check(
    id="nbme_grammatical_cues",
    title="Grammatical cue",
    severity="error",
    languages=("en",),
    bad=(
        {"stem": "The patient should be treated with an", "options": ("antibiotic", "diuretic", "steroid", "emetic")},
        {
            "stem": "The best first test is a",
            "options": ("CT scan", "x-ray", "ultrasound", "MRI"),
            "correct_answer": "A",
        },
        {
            "stem": "Insulin acts to",
            "options": ("lowers glucose", "store glucose", "raising glucose", "inhibit sodium"),
        },
        {"stem": "The drug works by", "options": ("inhibiting the pump", "inhibit the channel", "reducing flow")},
        {
            "stem": "The cells that make antibodies are",
            "options": ("plasma cells", "a neutrophil", "mast cells", "platelets"),
        },
        {"stem": "The signal is made high to", "options": ("enable the bus", "to latch data", "disable the bus")},
    ),
    good=(
        {"stem": "The patient should be treated with a(n)", "options": ("antibiotic", "diuretic", "steroid", "emetic")},
        {"stem": "The best first test is an", "options": ("MRI", "ultrasound", "x-ray", "ECG")},
        {"stem": "The best first test is a", "options": ("unilateral scan", "CT scan", "biopsy", "one-stage test")},
        {"stem": "Insulin acts to", "options": ("lower glucose", "store glucose", "raise glucose", "inhibit sodium")},
        {"stem": "Scurvy is caused by lack of", "options": ("vitamin C", "vitamin A", "iron", "iodine")},
        {"stem": "Which drug should be given to an adult?", "options": ("Aspirin", "Heparin", "Digoxin", "Oxygen")},
        {"stem": "Which of these is rich in vitamin A?", "options": ("Carrot", "Apple", "Bread", "Egg")},
    ),
)
def grammatical_cues(question: Question) -> Findings:
    if len(question.options) < 2:
        return
    place = _seam(question)
    if place is None:
        return
    word, start, end = place
    options = [option for option in question.options if not STOCK.intersection(word_list(option.text[:NEAR])[:1])]
    misfits = _misfits(word.lower(), options)
    if misfits and len(misfits) < len(options):
        named = ", ".join(option.key for option in misfits)
        message = f"{'Options' if len(misfits) > 1 else 'Option'} {named} cannot follow {word!r}; the others can."
        advice = "Rephrase the stem as a question, or let every option fit it."
        yield question.finding("stem", message, advice, (start, end), fix=_article_fix(question, word, start, end))


def _seam(question: Question) -> tuple[str, int, int] | None:
    """The word that the options follow, with its place in the stem."""
    stem = question.stem
    near = stem[-LONGEST_STEM:]
    blanks = len(BLANK.findall(near)) if "__" in near else 0
    blank = BEFORE_BLANK.search(near) if blanks == 1 else None
    if blank is not None:
        offset = len(stem) - len(near)
        return blank["word"], blank.start("word") + offset, blank.end("word") + offset
    if blanks > 1:
        return None
    tail = stem[-NEAR:]
    last = LAST_WORD.search(tail)
    # Not after a full stop, and the "A" of "vitamin A" is not an article.
    if last is None or (last["end"].strip() == "." or last["word"] == "A"):
        return None
    offset = len(stem) - len(tail)
    return last["word"], last.start("word") + offset, last.end("word") + offset


def _misfits(word: str, options: Sequence[Option]) -> list[Option]:
    if word in ("a", "an"):
        return [option for option in options if _begins_with_vowel(option.text) != (word == "an")]
    firsts = [(option, word_list(option.text[:LONGEST_READ])) for option in options]
    repeating = [option for option, words in firsts if len(words) > 1 and words[0] == word and word in REPEATED]
    if repeating:
        return repeating
    if word in ("are", "were"):
        return _singular(firsts)
    return _wrong_verb_forms(word, firsts)


def _singular(firsts: Sequence[tuple[Option, list[str]]]) -> list[Option]:
    """Options in the singular after "are" ("a neutrophil"), if all the others are plurals."""
    single = [option for option, words in firsts if len(words) > 1 and words[0] in ("a", "an")]
    others = [words for option, words in firsts if option not in single]
    return single if all(words and (words[-1].endswith("s") or "and" in words) for words in others) else []


def _wrong_verb_forms(word: str, firsts: Sequence[tuple[Option, list[str]]]) -> list[Option]:
    forms = [(option, sure_verb_form(words[0]) if words else None) for option, words in firsts]
    if word in MODALS and any(form == "base" for _, form in forms):
        return [option for option, form in forms if form in ("third", "gerund")]
    gerunds = sum(form == "gerund" for _, form in forms)
    if word not in TAKES_GERUND or gerunds == 0:
        return []
    # "blocks" may be a noun, but not if most of the others are verbs and no "of" or "in" follows.
    thirds = (o for o, w in firsts if len(w) > 1 and verb_form(w[0]) == "third" and w[1] not in ("of", "in"))
    verbs = list(thirds) if gerunds * 2 >= len(firsts) else []
    return [option for option, form in forms if form in ("base", "third") or option in verbs]


def _begins_with_vowel(text: str) -> bool:
    """Whether the text begins with a vowel sound: "an hour", "an MRI", "a unit"."""
    text = text.lstrip(" \"'“‘($")[:LONGEST_READ]
    if SPELLED.match(text):
        return text[0] in SPELLED_VOWELS
    return VOWEL.match(text) is not None and CONSONANT_VOWEL.match(text) is None


def _article_fix(question: Question, word: str, start: int, end: int) -> Edit | None:
    if word not in ("a", "an"):
        return None
    find = question.stem[max(0, start - NEAR) : end]
    if question.stem.count(find) != 1:
        return None
    return Edit(question.id, "stem", find, f"{find[: -len(word)]}a(n)")
