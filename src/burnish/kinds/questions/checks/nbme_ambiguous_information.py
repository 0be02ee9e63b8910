"""nbme_ambiguous_information: a stem that can be read in more than one way.

What it looks for: options that name numbered statements which the stem does not have, references to another question,
a chapter or a text that is missing, pronouns and "this patient" without a referent, two questions in one, answers that
change with time ("currently") without a date, "might" and "could" if any option might be right, "etc.", and blanks that
were lost.
Why it matters: learners who read it differently answer different questions, and only one reading is scored.
Fix: needs an author or a model: say which meaning is intended, or add what is missing.
"""

import re

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import topic, vocabulary
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.option_overlap import COMBINATION, combinations
from burnish.languages.sentences import Sentence
from burnish.languages.words import word_set

NUMBERED = {
    "roman": re.compile(r"\bII\b"),
    "digits": re.compile(r"(?:^|[\s(])\(?2[.):]|\b(?:statement|argument|item|claim|sentence) 2\b", re.IGNORECASE),
}

ELSEWHERE_WORDS = word_set(
    "chapter chapter's chapter’s lecture lecture's lesson question number problem exercise textbook class unit module"
)
ELSEWHERE = re.compile(
    r"\b(?:in|of|from|throughout|to) (?:this|the (?:previous|preceding|last|next)|our|your) "
    r"(?:chapter|lecture|lesson|textbook|unit|module|reading)\b(?:['’]s)?|\bthis chapter(?:['’]s)?"
    r"|\b(?:refer(?:ring)? (?:back )?to|see|answer (?:to|in)|solution to) (?:the )?(?:question|problem|exercise"
    r"|number|item)"
    r"(?: no\.?)? #?\d{1,3}\b|\b(?:from|in|of) (?:question|problem|exercise) #?\d{1,3}\b"
    r"|\b(?:previous|preceding|last|next) (?:question|problem|exercise)\b"
    r"|\bas (?:discussed|mentioned|stated|covered|seen) (?:in class|in lecture|earlier|before|previously)\b",
    re.IGNORECASE,
)
TEXT_MISSING = re.compile(
    r"\baccording to (?:the|this|your) (?:text|textbook|author|authors|lecture|article|passage|reading|book|excerpt)\b"
    r"|\b(?:in|from) (?:the|this) (?:passage|excerpt|article)(?: above| below)?\b",
    re.IGNORECASE,
)
SHORTEST_PASSAGE = 300
"""A stem and vignette with fewer characters contain no passage."""

NOW_WORDS = word_set("currently now present nowadays days recent recently today date far")
NOW = re.compile(
    r"\b(?:currently|right now|at present|nowadays|these days|in recent (?:years|times)|recent (?:research|stud(?:y"
    r"|ies)|surveys?)"
    r"|(?:in|across|around) the (?:United States|US|UK|world|country) today)\b",
    re.IGNORECASE,
)
PEOPLE = word_set("patient patient's he she his her him takes taking patients")
FIGURE = re.compile(r"(?<!\d)(?<!\d,)\d{1,4}(?!\d|,\d)")
"""A date or a calculation, for which "currently" is part of the set-up."""

ALSO = re.compile(r"\band (?:why|how|what|when|where|who)\b", re.IGNORECASE)
ASKING_FIRST = re.compile(r"\W*(?:what|which|who|where|when|how|why|in what|at what|name)\b", re.IGNORECASE)
PAIRED = re.compile(r"[;:,/–—]|\band\b|\bbecause\b|\s-\s", re.IGNORECASE)

MODAL_WORDS = word_set("might could may")
MODAL = re.compile(r"\b(?:which|what)\b[^.?!]{0,120}?\b(might(?: be)?|could be|may be)\b(?! not\b)", re.IGNORECASE)
SINGLED_OUT = word_set(
    "most best first least greatest highest lowest largest smallest main primary next only worst earliest"
)
NOT_SETTLED = re.compile(r"\b(?:is|are) (?:sometimes|occasionally|often|frequently)\b", re.IGNORECASE)

OPEN_LIST = re.compile(r"\betc\b\.?|\band so (?:on|forth)\b", re.IGNORECASE)
LOST_GAP = re.compile(r"\b(?:between and|from to|for each by|the (?:is|are|was|were|by)|serving -\w+)\b")
PRONOUN_FIRST = re.compile(
    r"(?:they|he|she|their|his|her|its"
    r"|it (?:is|was|can be) (?:caused|treated|produced|located|found|made|diagnosed|used|transmitted)(?! that))\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"\b(?:this|these) (?:patient|man|woman|boy|girl|child|infant|finding|symptom|condition|disorder|disease|drug|case"
    r"|result)s?\b|\bthe (?:patient|drug|condition|disease|disorder|procedure|lesion|organism)\b",
    re.IGNORECASE,
)


@check(
    id="nbme_ambiguous_information",
    title="Ambiguous stem",
    severity="warning",
    languages=("en",),
    bad=(
        {"stem": "Demand reduction.", "options": ("1,3,4", "2,3,4", "1,2,3", "1,2,4")},
        {
            "stem": "Which of the following scans show function?",
            "options": ("I only", "II only", "I and II", "III only"),
        },
        {"stem": "Refer to question 15 for details. Which condition keeps the population in equilibrium?"},
        {"stem": "In this chapter's interview, what does the author advise?"},
        {"stem": "They are too irrational and are best described as:"},
        {"stem": "Which of the following is the most likely diagnosis in this patient?"},
        {"stem": "What is the mechanism of action of the drug?"},
        {"stem": "It is caused by which of the following?"},
        {"stem": "What is the most common cause?"},
        {"stem": "What is the function of the enzyme and why is it needed?"},
        {"stem": "Which of the following drugs might be given to a man with chest pain?"},
        {"stem": "How many states have nuclear weapons right now?"},
        {"stem": "Which organ stores fat, glycogen, etc.?"},
        {"stem": "According to the passage, which trade was forbidden?"},
        {"stem": "What is the cause of the fever? Which drug is given first?"},
    ),
    good=(
        {"stem": "Which drug should be given first to a man who might be bleeding?"},
        {
            "stem": "Consider: I. Fever. II. Cough. III. Rash. Which of these are seen in measles?",
            "options": ("I only", "II only", "I and II", "I, II, and III"),
        },
        {
            "stem": "A man has fever. What is the cause, and what is the treatment?",
            "options": ("X; Y", "Y; Z", "Z; X", "X; Z"),
        },
        {"stem": "He-Ne lasers emit light of which color?"},
        {"stem": "What is the cause of the disease known as beriberi?"},
        {"stem": "It is found that light bends. Which theory explains this?"},
        {
            "stem": "Which drug is this patient currently taking?",
            "vignette": "A man has a slow pulse and halos around lights.",
        },
        {"stem": "Which of the following could best explain the findings?", "vignette": "A man has a fever."},
        {"stem": "A man asks, “Will I die?” Which of the following is the best reply?"},
        {"stem": "As of 2020, which country currently had the largest population?"},
    ),
)
def ambiguous_information(question: Question) -> Findings:
    asked = question.lead_in
    yield from _missing_statements(question)
    yield from _missing_text(question)
    yield from _two_questions(question, asked)
    yield from _wording(question, asked)
    if len(question.stem_sentences) == 1 and not question.vignette:
        first = PRONOUN_FIRST.match(asked.text)
        if first and not asked.text[first.end() :].startswith("-"):
            yield _finding(
                question, asked.shift(first.span()), f"{first.group()!r} refers to nobody and nothing in the text."
            )
            return
        if not topic((asked.text,)) and "the" in vocabulary(asked.text) and "following" not in asked.text:
            yield _finding(question, (asked.start, asked.end), "The question does not say what it is about.")
            return
        match = POINTING.search(asked.text)
        if match and not topic((asked.text[: match.start()],)) and not topic((asked.text[match.end() :],)):
            yield _finding(question, asked.shift(match.span()), f"{match.group()!r} has not been mentioned before.")


def _missing_statements(question: Question) -> Findings:
    if not question.options or not COMBINATION.fullmatch(question.options[0].text[:100]):
        return
    named = [c for c in combinations(question) if c.family != "letters"]
    # "1 only" may be an answer in itself; "1,2,4" names statements.
    several = sum(len(c.labels) > 1 for c in named)
    if not named or (named[0].family == "digits" and several * 2 <= len(question.options)):
        return
    if not NUMBERED[named[0].family].search(f"{question.vignette or ''}\n{question.stem}"):
        message = "The options name numbered statements that are not in the stem."
        advice = "Add the statements, or better, make each option a complete answer."
        yield question.finding("options", message, advice)


def _missing_text(question: Question) -> Findings:
    if not ELSEWHERE_WORDS.isdisjoint(question.stem_words) and question.type != "sequential_set":
        match = ELSEWHERE.search(question.stem)
        if match:
            yield _finding(question, match.span(), f"{match.group()!r} refers to something outside the question.")
            return
    if len(question.stem) + len(question.vignette or "") < SHORTEST_PASSAGE:
        match = TEXT_MISSING.search(question.stem)
        if match:
            yield _finding(question, match.span(), f"{match.group()!r} refers to a text that is not there.")


def _two_questions(question: Question, asked: Sentence) -> Findings:
    if not asked.text.endswith("?"):
        return
    before = next((s for s in question.stem_sentences if s.text.endswith("?")), asked)
    adjoin = asked.text[0].isupper() and not question.stem[before.end : asked.start].strip()
    if before.start < asked.start and adjoin and ASKING_FIRST.match(before.text):
        yield _finding(question, (before.start, asked.end), "The stem asks two questions, but one answer is chosen.")
        return
    also = ALSO.search(asked.text) if " and " in asked.text else None
    if also is None or not ASKING_FIRST.match(asked.text):
        return
    # Options in two parts answer two questions.
    if sum(PAIRED.search(option.text[:300]) is not None for option in question.options) * 2 < len(question.options):
        yield _finding(question, asked.shift(also.span()), "The lead-in asks two questions, but one answer is chosen.")


def _wording(question: Question, asked: Sentence) -> Findings:
    words = vocabulary(asked.text)
    figure = FIGURE.search(asked.text)
    if not NOW_WORDS.isdisjoint(words) and PEOPLE.isdisjoint(words) and asked.text.endswith("?") and not figure:
        yield from _found(question, asked, NOW, "The answer changes with time, and no date is given ({}).", 0)
    if not MODAL_WORDS.isdisjoint(words) and SINGLED_OUT.isdisjoint(words) and not figure:
        yield from _found(question, asked, MODAL, "More than one option may be possible ({}).", 1)
    if "hich of the following" in asked.text and SINGLED_OUT.isdisjoint(words):
        yield from _found(question, asked, NOT_SETTLED, "The text does not say how often ({}).", 0)
    if "etc" in words or "so" in words:
        yield from _found(question, asked, OPEN_LIST, "{} leaves open what belongs to it.", 0)
    yield from _found(question, asked, LOST_GAP, "A blank or a word seems to be missing ({}).", 0)


def _found(question: Question, asked: Sentence, pattern: re.Pattern[str], message: str, group: int) -> Findings:
    match = pattern.search(asked.text)
    if match:
        yield _finding(question, asked.shift(match.span(group)), message.format(repr(match.group(group))))


def _finding(question: Question, span: tuple[int, int], message: str) -> Finding:
    return question.finding("stem", message, "Say which meaning is intended, or add what is missing.", span)
