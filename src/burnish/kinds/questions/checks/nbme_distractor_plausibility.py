"""nbme_distractor_plausibility: a distractor that nobody would choose.

What it looks for: a wrong option that is empty, a placeholder ("asdf", "option C", "TBD"), a note of the author
("wrong answer"), a joke or plainly out of place (a unicorn among drugs), or that repeats the whole stem.
Why it matters: an option that nobody picks tests nothing and makes guessing easier.
Fix: needs an author or a model: put an answer there that a learner with a common misconception would choose.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.questions.model import Option, Question
from burnish.kinds.text.words import word_list, word_set

LONGEST_READ = 400
LONGEST_PLACEHOLDER = 60
SHORTEST_ECHO = 40
"""Characters of a stem that is worth noticing inside an option."""

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
JOKE_WORDS = word_set(
    """
    know knows cares idea clue beats ask google coin hope miracle pray fingers kidding lol haha hahaha ha magic santa
    fairy bunny unicorn unicorns leprechaun leprechauns mermaid mermaids bigfoot pig pigs elephant elephants aliens
    voodoo witchcraft sorcery goat chicken horoscope horoscopes fortune-teller teller crystal laugh slap yell tell pizza
    candy cake cream cookie cookies lollipop hug beer zoo movies mall circus disneyland disney dance sing
    """
)
_PERSON = r"(?:him|her|them|the (?:patient|child|man|woman|boy|girl))"
JOKE = re.compile(
    r"\b(?:i (?:do not|don['’]t) know|who (?:knows|cares)|no (?:idea|clue)|i have no (?:idea|clue)|beats me|google it"
    r"|ask (?:your|my) (?:mom|mum|mother|neighbou?r)|flip a coin|hope for the best|pray for (?:a miracle|the best)"
    r"|cross your fingers|just kidding|lol|haha+|ha ha|(?:by|with) magic|magic (?:wand|beans|potion|spell|powers?)"
    r"|santa claus|tooth fairy|easter bunny|unicorns?|leprechauns?|mermaids?|bigfoot|flying (?:pigs?|elephants?)"
    r"|(?:purple|pink) elephants?|abducted by aliens|aliens (?:did|took|made)|voodoo|witchcraft|sorcery"
    r"|sacrific(?:e|ing) (?:a|the) (?:goat|chicken)|horoscopes?|fortune[- ]teller|crystal ball"
    rf"|(?:laugh|yell) at {_PERSON}|slap {_PERSON}|tell {_PERSON} to (?:go away|shut up|get lost|man up|stop whining)"
    r"|eat (?:more )?(?:pizza|candy|ice cream|cake)"
    rf"|(?:give|buy) {_PERSON} (?:a |an |some )?(?:pizza|candy|cookies?|lollipop|hug|beer|ice cream|cake)"
    rf"|take {_PERSON} to (?:disney\w*|the (?:zoo|movies|mall|beach|circus))|dance (?:around|with {_PERSON})"
    rf"|sing (?:to {_PERSON}|a (?:song|lullaby)))\b",
    re.IGNORECASE,
)
ABSURD = word_set(
    """
    unicorn unicorns pizza banana bananas sandwich hamburger cheeseburger burrito spaghetti taco tacos donut doughnut
    cupcake popcorn bicycle skateboard spaceship ufo aliens dragon dragons wizard wizardry hogwarts batman superman
    spiderman pokemon godzilla zombie zombies vampire vampires werewolf ghost ghosts karaoke netflix tiktok facebook
    instagram youtube guitar trampoline giraffe elephant hippopotamus kangaroo penguin dinosaur astrology horoscope
    homeopathy reiki exorcism telepathy
    """
)
CLINICAL = word_set("patient patients diagnosis physician nurse hospital clinic pharmacotherapy syndrome prognosis")


@check(
    id="nbme_distractor_plausibility",
    severity="error",
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
        {"options": ("Voodoo death", "Takotsubo syndrome", "Pheochromocytoma", "Panic"), "correct_answer": "A"},
        {"stem": "What does the Magic Flute open with?", "options": ("An overture", "A dragon", "An aria", "A chorus")},
        {"stem": "Which drink is laced with a drug?", "options": ("Zombie", "Kamikaze", "Mickey Finn", "Mojito")},
        {"stem": "What are sweets called?", "options": ("Dollies", "Mollies", "Lollies", "Jollies")},
        {"stem": "Which fruit is rich in potassium?", "options": ("Banana", "Apple", "Grape", "Melon")},
        {"stem": "Which word means the same?", "options": ("Test", "Exam", "Trial", "Quiz")},
        {"options": ("X-ray", "CT", "MRI", "ECG")},
        {"stem": "What is the value of x?", "options": ("0", "1", "-1", "+")},
    ),
)
def distractor_plausibility(question: Question) -> Iterator[Finding]:
    for option in question.distractors:
        reason = _reason(option, question)
        if reason is not None:
            yield Finding.at(
                question,
                field=f"options.{option.key}",
                span=(0, len(option.text)) if option.text else None,
                message=f"Nobody would choose option {option.key}: {reason}.",
                suggestion="Offer an answer that a learner with a common misconception would choose.",
            )


def _reason(option: Option, question: Question) -> str | None:
    text = option.text[:LONGEST_READ]
    if not text.strip():
        return "it is empty"
    if len(text) < LONGEST_PLACEHOLDER and PLACEHOLDER.fullmatch(text):
        return f"{text.strip()!r} is a placeholder"
    if NO_CONTENT.fullmatch(text) and not _is_symbolic(question):
        return f"{text.strip()!r} says nothing"
    reason = _not_serious(option, question) or _out_of_place(option, question)
    # The language is looked at last: only English jokes are known here.
    return reason if reason and question.language_shown == "en" else _repeats_stem(option, question)


def _not_serious(option: Option, question: Question) -> str | None:
    text = option.text[:LONGEST_READ]
    if not NOTE_WORDS.isdisjoint(question.options_words) and AUTHORS_NOTE.search(text):
        return "it says itself that it is wrong"
    joke = None if JOKE_WORDS.isdisjoint(question.options_words) else JOKE.search(text)
    if joke is None or _is_at_home(joke.group(), option, question):
        return None
    return f"{joke.group()!r} is no serious answer"


def _is_symbolic(question: Question) -> bool:
    """Signs can be answers beside other signs, numbers or formulas."""
    others = [option.text.strip() for option in question.options]
    return sum(len(text) <= 3 or not any(c.isalpha() for c in text) for text in others) >= 2


def _is_at_home(words: str, option: Option, question: Question) -> bool:
    """What the stem or another option speaks of too is not out of place."""
    looked_for = set(word_list(words))
    others = (other.text for other in question.options if other is not option)
    elsewhere = question.stem_words.union(*(word_list(text[:LONGEST_READ]) for text in others))
    return len(looked_for) == 1 and not looked_for.isdisjoint(elsewhere)


def _out_of_place(option: Option, question: Question) -> str | None:
    """Something from everyday life or a tale as the answer to a clinical question."""
    if ABSURD.isdisjoint(question.options_words):
        return None
    words = word_list(option.text[:LONGEST_READ])
    absurd = next((word for word in words if word in ABSURD), None)
    if absurd is None or len(words) > 4 or CLINICAL.isdisjoint(question.stem_words):
        return None
    if sum(not ABSURD.isdisjoint(word_list(other.text[:LONGEST_READ])) for other in question.options) > 1:
        return None
    return None if absurd in question.stem_words else f"{absurd!r} is out of place here"


def _repeats_stem(option: Option, question: Question) -> str | None:
    stem = question.stem.strip()
    if len(stem) < SHORTEST_ECHO or len(option.text) < SHORTEST_ECHO:
        return None
    first = question.stem_sentences[0].text
    repeated = stem in option.text or (len(first) >= SHORTEST_ECHO and first in option.text)
    return "it repeats the stem" if repeated else None
