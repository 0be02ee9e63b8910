"""nbme_stem_clarity: a stem that cannot be understood without the options.

What it looks for: a stem that is empty, or only a topic about which each option makes a statement ("Business cycles"
with "are ...", "occur ..."). As warnings: any other topic without a question; "Which of the following is true?" with
nothing before it; a statement that neither asks nor is completed by the options; text that breaks off or lacks words;
and references to something that is missing ("question 15", "this chapter", "the figure above", options about statements
I and II that the stem does not list).
Why it matters: a learner who knows the subject should be able to answer before looking at the options.
Fix: needs an author or a model: write one complete question in the stem, with all that is needed to answer it.
"""

import re

from burnish.core.checks import check
from burnish.core.findings import Severity
from burnish.kinds.questions.bank import listed_words
from burnish.kinds.questions.model import OPEN_ENDS, Findings, Question
from burnish.kinds.questions.option_overlap import STATEMENT_LIST, combinations
from burnish.languages.grammar import AUXILIARIES, sure_verb_form, verb_form
from burnish.languages.words import word_list, word_set

Trouble = tuple[str, tuple[int, int] | None, Severity]
"""Message, span in the stem, and severity."""

GENERIC = listed_words("stem_clarity", "generic")
"""Words that ask without naming a topic."""

ASKS = re.compile(
    r"\?|\b(?:which|what|whom?|whose|how|why|when|where)\b|_{2,}|(?:^|\s)_[\s.]|\.\.\.|…|"
    r"(?:^|[.,;:!]\s+|\b(?:then|and|to|please|must|should)\s+)"
    r"(?:select|choose|identify|find|determine|calculate|compute|evaluate|name|match|solve|pick|indicate|state|give|list"
    r"|complete|simplify|round|estimate|write|use|add|subtract|multiply|divide|express|convert|factor|show|describe"
    r"|explain|circle|mark|compare|order|rank|arrange|label|define|fill|translate|prove|graph|decide|tell)\b",
    re.IGNORECASE,
)
DEFINITION = re.compile(r"\W*(?:this|these|those|that|it)\b.{25,}", re.IGNORECASE | re.DOTALL)
"""Defines something that the options name."""

LOST_WORDS = re.compile(
    r"\b(?:the|an|its|their) (?:of|is|are|was|were|by|has|have|can|will|from|than)\b(?!['’\"])"
    r"|[a-z] -(?:year|day|week|month|hour|minute|point|step|fold|percent|dimensional)\b|\beach by\b"
)
BROKEN_OFF = re.compile(
    r"\b(?:which|what)(?: one)? of the\s*$|^\W*(?:which|what)(?: one)? of the following\s*$", re.IGNORECASE
)
BROKEN_ENDS = ("of the", "following")
VERDICTS = word_set("true false")
POINTERS = word_set(
    """
    question questions refer answer solution chapter chapter's textbook handout lecture notes discussed covered
    figure diagram graph chart figures diagrams graphs charts
    """
)
ELSEWHERE = re.compile(
    r"\b(?:refer(?:ring)? (?:back )?to|see|using|answer (?:to|in|for)|results? (?:of|from|in)|data (?:of|in|from)"
    r"|information (?:in|from)|(?:described|given|found) in|solution to) "
    r"(?:question|item|problem|exercise|number|no\.) \d{1,3}\b"
    r"|\b(?:previous|preceding|prior) (?:question|item|problem)s?\b"
    r"|\b(?:this|your|our) (?:chapter|textbook|handout|lecture notes)(?:['’]s)?\b"
    r"|\bas (?:discussed|described|seen|shown|covered) in (?:class|lecture|the (?:lecture|text|book|chapter))\b"
    r"|\b(?:the|this) (?:figure|diagram|graph|chart)s? "
    r"(?:above|below|at (?:left|right)|on the (?:left|right|next page))\b"
    r"|\bthe (?:above|accompanying|adjacent) (?:figure|diagram|graph|chart)s?\b",
    re.IGNORECASE,
)
PICTURED = re.compile(
    r"!\[|<img|\[(?:image|figure|picture)|https?://|\b(?:marked|label|number|picture|image|figure)", re.IGNORECASE
)
DRAWN = re.compile(r"!\[|<img|\[(?:image|figure|picture)|https?://")
ASPECT = word_set("of for in with on to at by from")
"""Prepositions between the aspect that is asked for and its object: "SI unit of force"."""
LONGEST_READ = 200
SHORT_SAYING = 5
"""Words of an option. With shorter ones, a topic is an abbreviated question: "Size of the lens", "increases"."""
ROWS = 3
"""Lines with digits that make a table, or a graph in words."""

NEAR_THE_END = 4000
"""Characters of the stem that are searched for references."""

LISTED = re.compile(r"(?:^|[\s(\[])(?:II|ii|2|B|b)[.):\]|–-]|\bstatement (?:2|II)\b", re.IGNORECASE)
NUMBERED = ("I only", "II only", "III only", "I and II")


@check(
    id="nbme_stem_clarity",
    title="Unclear stem",
    severity="error",
    bad=(
        {"stem": ""},
        {"stem": "Insulin:"},
        {
            "stem": "Business cycles",
            "options": ("occur rarely", "are predictable ups and downs", "refer to reuse", "can be avoided by law"),
        },
        {"stem": "Enamel lamellae"},
        {"stem": "Which of the following is true?"},
        {"stem": "Choose the correct statement about this."},
        {"stem": "Hypertension is common in older people."},
        {"stem": "The need to head off bad publicity."},
        {"stem": "A man has chest pain. Which of the"},
        {"stem": "The board of governors has seven members, each serving -year terms."},
        {"stem": "Refer to question 15 for details. Which of the following is needed to keep this population stable?"},
        {"stem": "In this chapter's interview, the author advises you to"},
        {"stem": "Which point in the figure above is the equilibrium?"},
        {"stem": "Which of the following scans can show how the brain works?", "options": NUMBERED},
    ),
    good=(
        {"stem": "Which of the following is true?", "vignette": "A 40-year-old man has had a cough for 3 weeks."},
        {"stem": "Photosynthesis occurs in"},
        {"stem": "Acromegaly occurs:"},
        {"stem": "SI unit of force"},
        {"stem": "_ is the capital of France."},
        {"stem": "The fibres of the cortex project to which of the following"},
        {"stem": "It measures a country's level of I. production. II. stability. III. income.", "options": NUMBERED},
        {"stem": "La diabetes es", "language": "es"},
        {"stem": "12 + 5 ="},
        {"stem": "Simplify (2 + 5)^2 - 42."},
        {"stem": "Who discovered penicillin?"},
        {"stem": "If 2x = 22, find x."},
        {"stem": "Most likely diagnosis?", "vignette": "A 40-year-old man has had a cough for 3 weeks."},
        {"stem": "Which scans can show function? I. MRI II. PET III. CT", "options": NUMBERED},
        {"stem": "A photograph of the rash is shown. Which of the following is the most likely diagnosis?"},
        {"stem": "Lucy wrote the number 186 on the board. What is the value of the digit 8?"},
    ),
)
def stem_clarity(question: Question) -> Findings:
    trouble: Trouble | None = ("The stem is empty.", None, "error")
    if question.stem.strip():
        trouble = _in_english(question)
    if trouble is not None:
        message, span, severity = trouble
        advice = "Write one complete question in the stem, with everything that is needed to answer it."
        yield question.finding("stem", message, advice, span, severity=severity)


def _in_english(question: Question) -> Trouble | None:
    """The fault that the English patterns find. The language is detected last, because it is rarely needed."""
    for look in (_bare_topic, _about_nothing, _broken, _asks_nothing, _statements_missing, _points_elsewhere):
        trouble = look(question)
        if trouble is not None:
            language = question.language_shown
            return trouble if language == "en" or (language is None and question.stem.isascii()) else None
    return None


def _whole(question: Question) -> tuple[int, int]:
    return (0, len(question.stem))


def _bare_topic(question: Question) -> Trouble | None:
    """A topic of a few words that neither asks nor states anything. It is an error if each option makes another
    statement about the topic: there is no single question then."""
    stem = question.stem
    if len(stem) > 60 or question.vignette or any(c.isdigit() or c in "=+?_$" for c in stem):
        return None
    words = word_list(stem)
    if len(words) > 4 or ASKS.search(stem) or (words and words[-1] in OPEN_ENDS):
        return None
    if words and verb_form(words[-1]) == "third" and len(words) > 1:
        return None  # "Acromegaly occurs:" is completed by the options
    sizes = [len(option.text.split()) for option in question.options]
    names_aspect = not ASPECT.isdisjoint(words[1:])
    if _says_of_topic(question) and not (names_aspect and sum(sizes) < SHORT_SAYING * len(sizes)):
        return "The stem is only a topic, and each option makes another statement about it.", _whole(question), "error"
    says = any(word in AUXILIARIES or verb_form(word) in ("third", "base") for word in words[1:])
    if (says and len(words) > 2) or names_aspect:
        return None
    return "The stem is only a topic, not a question.", _whole(question), "warning"


def _says_of_topic(question: Question) -> bool:
    """Whether the options are predicates rather than names: all but one of them begin with a finite verb."""
    firsts = [word for option in question.options for word in word_list(option.text[:LONGEST_READ])[:1]]
    saying = sum(
        word in AUXILIARIES or sure_verb_form(word) in ("third", "base") or verb_form(word) == "third"
        for word in firsts
    )
    return len(question.options) > 2 and saying >= len(question.options) - 1


def _about_nothing(question: Question) -> Trouble | None:
    """A stem with only words that any question could have."""
    if len(question.stem) > 160 or question.vignette or any(c.isdigit() for c in question.stem):
        return None
    words = word_list(question.stem)
    if not words or not GENERIC.issuperset(words):
        return None
    return "The stem does not say what the question is about.", _whole(question), "warning"


def _broken(question: Question) -> Trouble | None:
    lead_in = question.lead_in
    text = lead_in.text[-1000:]
    offset = len(lead_in.text) - len(text)
    broken = BROKEN_OFF.search(text[-80:]) if text.rstrip().lower().endswith(BROKEN_ENDS) else None
    if broken is not None and lead_in == question.stem_sentences[-1]:
        start = max(0, len(text) - 80) + broken.start()
        return "The stem breaks off.", lead_in.shift((offset + start, offset + len(text))), "warning"
    lost = LOST_WORDS.search(text)
    if lost is not None:
        span = lead_in.shift((offset + lost.start(), offset + lost.end()))
        return f"Words seem to be lost here ({lost.group()!r}).", span, "warning"
    return None


def _asks_nothing(question: Question) -> Trouble | None:
    """A stem that ends in a full stop and asks nothing."""
    stem = question.stem.rstrip()
    if not stem.endswith(".") or len(stem) > 1500 or ASKS.search(stem) or ASKS.search((question.vignette or "")[-600:]):
        return None
    if VERDICTS & question.options_words or DEFINITION.match(stem) or STATEMENT_LIST.search(stem):
        return None
    if not ASPECT.isdisjoint(word_list(stem[:LONGEST_READ])[1:2]):
        return None  # "Staging of a tumour." names what is asked for
    return "The stem states something and asks nothing.", _whole(question), "warning"


def _statements_missing(question: Question) -> Trouble | None:
    named = [c for c in combinations(question) if c.family != "letters"]
    if len(named) < 2 or LISTED.search(question.stem) or LISTED.search(question.vignette or ""):
        return None
    if PICTURED.search(question.stem):
        return None
    shown = named[0].option.text.strip()
    return f"The options name statements ({shown!r}) that the stem does not list.", _whole(question), "warning"


def _points_elsewhere(question: Question) -> Trouble | None:
    if POINTERS.isdisjoint(question.stem_words):
        return None
    offset = max(0, len(question.stem) - NEAR_THE_END)
    text = question.stem[offset:]
    match = ELSEWHERE.search(text)
    rows = sum(any(c.isdigit() for c in line) for line in text.split("\n"))
    if match is None or rows >= ROWS or DRAWN.search(text):
        return None
    start, end = match.span()
    message = f"The stem refers to something that is not there ({match.group()!r})."
    return message, (start + offset, end + offset), "warning"
