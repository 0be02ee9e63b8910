"""nbme_distractor_plausibility: a distractor that nobody would choose.

What it looks for: a wrong option that is empty, a placeholder ("asdf", "option C", "TBD"), an author's note
("wrong answer"), a joke or clearly out of place (a unicorn among drugs), or that repeats the whole stem.
Why it matters: an option that nobody picks tests nothing and makes guessing easier.
Fix: needs an author or a model: write an answer that a learner with a common misconception would choose.
"""

import re

from burnish.core.checks import check
from burnish.core.findings import Standing
from burnish.kinds.questions.bank import listed_words
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.languages.words import word_list, word_set

LONGEST_READ = 400
LONGEST_PLACEHOLDER = 60
SHORTEST_ECHO = 40
"""Shortest stem, in characters, that is reported if an option repeats it."""

NO_CONTENT = re.compile(r"[\W_]*")
PLACEHOLDER = re.compile(
    r"[\W_]*(?:(?:option|choice|answer|alternative|response|item)(?: text)?[ _#:-]*"
    r"(?:[a-h]|\d{1,2}|here|goes here|text)"
    r"|(?:distractor|placeholder|filler|foil|dummy)(?: ?(?:text|option|answer))?[ _#:-]*(?:[a-h]|\d{1,2}|here)?"
    r"|(?:incorrect|wrong|correct|right|another wrong|some other|false) (?:answer|option|choice|distractor)s?"
    r"(?: ?(?:[a-h]|\d{1,2}))?"
    r"|n ?/ ?a|not applicable|tb[adc]|to be (?:added|determined|done|written)|todo|fixme|x{2,}|lorem ipsum.{0,300}"
    r"|foo|foobar|asdf\w{0,20}|qwert\w{0,20}|zxcv\w{0,20}|hjkl\w{0,20}|(?:blah[ ,]*){1,9}|test \d+|insert .{0,40}here"
    r"|fill (?:me )?in|sample text|text here|nonsense|gibberish|bogus|something(?: else)?|whatever)[\W_]*",
    re.IGNORECASE,
)
NOTE_WORDS = word_set("answer wrong incorrect distractor obviously joke pick choose select false correct")
AUTHORS_NOTE = re.compile(
    r"\((?:wrong|incorrect|distractor|not correct|false|obviously wrong|joke)\)|\bobviously (?:wrong|incorrect)\b"
    r"|\bthis (?:is|option is|answer is) (?:not the|the wrong|an incorrect) (?:answer|option|one|choice)\b"
    r"|\b(?:do not|don['’]t) (?:pick|choose|select) this\b",
    re.IGNORECASE,
)
SHRUG = re.compile(
    r"\W*(?:i (?:do not|don['’]t) (?:know|care)|i have no (?:idea|clue)|no (?:idea|clue)|who (?:knows|cares)|beats me"
    r"|google it|just google it|ask (?:your|my) (?:mom|mum|mother|neighbou?r)|(?:just )?hope for the best|just kidding"
    r"|cross your fingers|lol|(?:ha[ -]?){2,9}|magic|by magic|pure magic|your mom)\W*",
    re.IGNORECASE,
)
"""Words of a person who does not want to answer. They must be the whole option, or they may belong to a case."""

_PERSON = r"(?:him|her|them|the (?:patient|child|man|woman|boy|girl))"
MOCKERY = re.compile(
    rf"\b(?:(?:laugh|yell|scream) at {_PERSON}|slap {_PERSON}|tell {_PERSON} to (?:go away|shut up|get lost|man up)"
    rf"|tell {_PERSON} to stop whining|(?:give|buy) {_PERSON} (?:a |an |some )?(?:pizza|candy|cookies?|beer|cake)"
    rf"|take {_PERSON} to (?:disney\w*|the (?:zoo|movies|mall|beach|circus))|dance with {_PERSON})\b",
    re.IGNORECASE,
)
MOCKERY_WORDS = word_set("laugh yell scream slap tell give buy take dance")
ABSURD = listed_words("distractors", "absurd")
ABSURD_PHRASE = re.compile(
    r"\b(?:rain dance|ice cream|healing crystals|crystal ball|fortune[- ]teller|mickey mouse|santa claus|tooth fairy"
    r"|easter bunny|flying (?:pig|elephant)s?|(?:purple|pink) elephants?|magic (?:wand|potion|spell)|and crystals)\b",
    re.IGNORECASE,
)
ABSURD_MARKS = ABSURD | word_set(
    "dance cream crystals crystal teller fortune-teller mickey santa fairy bunny flying magic pink"
)
FOOD = word_set(
    "food foods eat eats eating ate eaten diet dietary meal ingested ingestion consumed allergy allergic source"
)
"""If the stem has one of these, a banana is a serious answer."""

CLINICAL = word_set("patient patients diagnosis physician nurse hospital clinic pharmacotherapy syndrome prognosis")


@check(
    id="nbme_distractor_plausibility",
    title="Implausible distractor",
    severity="error",
    proven="sometimes",
    bad=(
        {"options": ("Aspirin", "Heparin", "", "Oxygen")},
        {"options": ("Aspirin", "Heparin", "asdf", "Oxygen")},
        {"options": ("Aspirin", "Option B", "Heparin", "Oxygen")},
        {"options": ("Aspirin", "Heparin", "???", "Oxygen")},
        {"options": ("Aspirin", "Heparin", "Wrong answer 3", "Oxygen")},
        {"options": ("Aspirin", "Heparin", "I don't know", "Oxygen")},
        {"options": ("Aspirin", "Tell the patient to go away", "Heparin", "Oxygen")},
        {"stem": "Which drug should the patient be given?", "options": ("Aspirin", "Heparin", "A banana", "Oxygen")},
        {
            "stem": "Which of the following best explains why the patient has jaundice?",
            "options": (
                "Hemolysis",
                "Which of the following best explains why the patient has jaundice? Fasting",
                "Gallstones",
            ),
        },
    ),
    good=(
        {"options": ("Aspirin", "No treatment", "Heparin", "Oxygen")},
        {"stem": "What do villagers fear most?", "options": ("Drought", "Witchcraft", "War", "Floods")},
        {"stem": "Which food made the patient ill?", "options": ("Raw oysters", "Banana", "Eggs", "Rice")},
        {"options": ("“I don't know why you smoke.”", "“Tell me more.”", "“Please go on.”", "“I see.”")},
        {"stem": "What does the Magic Flute open with?", "options": ("An overture", "A dragon", "An aria", "A chorus")},
        {"stem": "Which drink is laced with a drug?", "options": ("Zombie", "Kamikaze", "Mickey Finn", "Mojito")},
        {"stem": "What are sweets called?", "options": ("Dollies", "Mollies", "Lollies", "Jollies")},
        {"stem": "Which fruit is rich in potassium?", "options": ("Banana", "Apple", "Grape", "Melon")},
        {"stem": "Which word means the same?", "options": ("Test", "Exam", "Trial", "Quiz")},
        {"options": ("X-ray", "CT", "MRI", "ECG")},
        {"stem": "What is the value of x?", "options": ("0", "1", "-1", "+")},
    ),
)
def distractor_plausibility(question: Question) -> Findings:
    for option in question.distractors:
        reason = _reason(option, question)
        if reason is not None:
            message = f"Nobody would choose option {option.key}: {reason}."
            advice = "Offer an answer that a learner with a common misconception would choose."
            standing: Standing | None = None if option.text.strip() else "proven"
            yield question.finding(option, message, advice, standing=standing)


def _reason(option: Option, question: Question) -> str | None:
    text = option.text[:LONGEST_READ]
    if not text.strip():
        return "it is empty"
    if len(text) < LONGEST_PLACEHOLDER and PLACEHOLDER.fullmatch(text):
        return f"{text.strip()!r} is a placeholder"
    if NO_CONTENT.fullmatch(text) and not _is_symbolic(question):
        return f"{text.strip()!r} says nothing"
    reason = _not_serious(option, question) or _out_of_place(option, question)
    # The language is detected last, because that is slow. The patterns are English.
    return reason if reason and question.language_shown == "en" else _repeats_stem(option, question)


def _not_serious(option: Option, question: Question) -> str | None:
    text = option.text[:LONGEST_READ]
    if not NOTE_WORDS.isdisjoint(question.options_words) and AUTHORS_NOTE.search(text):
        return "it says itself that it is wrong"
    if len(text) < LONGEST_PLACEHOLDER and SHRUG.fullmatch(text):
        return f"{text.strip()!r} is no answer"
    mockery = None if MOCKERY_WORDS.isdisjoint(question.options_words) else MOCKERY.search(text)
    return f"{mockery.group()!r} is no serious answer" if mockery is not None else None


def _is_symbolic(question: Question) -> bool:
    """Whether other options are signs, numbers or formulas too, so that a sign can be an answer."""
    others = [option.text.strip() for option in question.options]
    return sum(len(text) <= 3 or not any(c.isalpha() for c in text) for text in others) >= 2


def _out_of_place(option: Option, question: Question) -> str | None:
    """Why an everyday or fairy-tale thing is out of place as the answer to a clinical question."""
    if ABSURD_MARKS.isdisjoint(question.options_words) or not FOOD.isdisjoint(question.stem_words):
        return None
    absurd = _absurd(option.text)
    if absurd is None or CLINICAL.isdisjoint(question.stem_words):
        return None
    # If several options or the stem mention such things, they are the subject.
    alone = sum(_absurd(other.text) is not None for other in question.options) == 1
    return f"{absurd!r} is out of place here" if alone and absurd.lower() not in question.stem.lower() else None


def _absurd(text: str) -> str | None:
    if len(text) > LONGEST_PLACEHOLDER:
        return None
    phrase = ABSURD_PHRASE.search(text)
    if phrase is not None:
        return phrase.group()
    words = word_list(text)
    return next((word for word in words if word in ABSURD), None) if len(words) <= 4 else None


def _repeats_stem(option: Option, question: Question) -> str | None:
    stem = question.stem.strip()
    if len(stem) < SHORTEST_ECHO or len(option.text) < SHORTEST_ECHO:
        return None
    first = question.stem_sentences[0].text
    repeated = stem in option.text or (len(first) >= SHORTEST_ECHO and first in option.text)
    return "it repeats the stem" if repeated else None
