"""nbme_gratuitous_information: text that does not help to answer.

What it looks for: web addresses and source notes, notes of the author or for the editor, an answer or explanation left
in the stem, teaching remarks ("As you know", "It is important to remember"), and introductory sentences that have
nothing to do with what is asked.
Why it matters: the score then measures reading time too, and teaching belongs in the rationale.
Fix: needs an author or a model: remove the words, after making sure that nothing else depends on them.
"""

import re

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.questions.bank import points_back, topic, vocabulary
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.quantities import DIGIT
from burnish.languages.sentences import Sentence
from burnish.languages.words import word_set

ADDRESS_MARKS = ("://", "www.", "doi.org", "doi:", "©")
ADDRESS = re.compile(
    r"https?://[^\s<>\"]{1,500}|\bwww\.[^\s<>\"]{1,500}|\bdoi(?:\.org/|:)\s?[^\s<>\"]{1,200}|©[^\n]{0,80}"
)

NOTE_WORDS = word_set(
    """
    source sources reference references adapted reprinted courtesy copyright note hint todo tbd fixme answer explanation
    objective objectives slo insert credit question item placeholder rationale reviewer editor
    """
)
NOTES = (
    (
        re.compile(
            r"(?:^|[\n(\[])[ \t]*(?:sources?|references?|citation)[ \t]*:[^\n]{0,120}"
            r"|\(?\b(?:adapted|reprinted|modified|reproduced) (?:with permission )?from\b[^\n)]{0,120}\)?"
            r"|\bcopyright (?:\(c\)|\d{4})[^\n]{0,80}|\b(?:image|photo|figure|picture) (?:credit|courtesy)[^\n)]{0,80}",
            re.IGNORECASE,
        ),
        "A note on the source does not help to answer.",
    ),
    (
        re.compile(
            r"\b(?:TODO|TBD|FIXME)\b[^\n]{0,80}|\[[ \t]*(?:insert|todo|placeholder|note|image|figure)[^\]\n]{0,80}\]"
            r"|\b(?i:(?:note|message) (?:to|for) (?:the )?(?:editor|reviewer|author|self|faculty"
            r"|instructor)s?\b[^\n]{0,80})"
            r"|\b(?i:this (?:question|item) (?:was|is taken|comes|appeared) (?:on|in|from)\b[^\n.]{0,80})"
            r"|(?:^|[\n(\[])[ \t]*(?i:author'?s? note|editor'?s? note|reviewer comment)[^\n]{0,80}"
        ),
        "A note to the people who make the exam is left in the text.",
    ),
    (
        re.compile(
            r"(?:^|[\n(\[.?!])[ \t]*(?:correct answer|answer|answer key|explanation|rationale|hint)[ \t]*:[^\n]{1,120}"
            r"|\b(?:the )?correct answer is [A-H]\b",
            re.IGNORECASE,
        ),
        "The text gives away the answer or its explanation.",
    ),
    (
        re.compile(
            r"(?:^|[\n(\[])[ \t]*(?:learning objectives?|objectives?|slo)(?: [\d.]{1,8})?[ \t]*:[^\n]{0,120}",
            re.IGNORECASE,
        ),
        "A learning objective belongs in the metadata.",
    ),
)

TEACHING_WORDS = word_set(
    """
    know learned learnt recall discussed covered remember important essential crucial worth mind well-known knowledge
    interestingly reminder fun
    """
)
TEACHING = re.compile(
    r"\b(?:as (?:you|we) (?:(?:may|should|will|might|all|already|have) ){0,2}(?:know|learned|learnt|recall|remember"
    r"|saw|seen|discussed)\b(?! it)"
    r"|as (?:discussed|covered|mentioned|explained) (?:in|during) (?:class|lecture|the lecture|the course)"
    r"|it is (?:very )?(?:important|essential|worth|crucial|useful) to (?:note|remember|know|understand|recall"
    r"|recognize|mention)"
    r"|(?:always |please )?(?:remember|recall|keep in mind|bear in mind) that"
    r"|it is (?:well[- ]known|common knowledge|widely known) that|interestingly,|as a (?:quick )?reminder|fun fact"
    r"|did you know)",
    re.IGNORECASE,
)

PASSAGES = word_set(
    "passage excerpt excerpted chart table author author's poem poet document speech letter manifesto testimony"
)
"""Words that mark a passage, which names its source and is not checked for teaching."""

TRIVIA = re.compile(
    r"\b(?:(?:is|are|remains?) (?:one of the (?:most (?:common|important|prevalent|frequent|interesting)|leading)"
    r"|an? (?:very )?(?:common|major|growing|important|serious|fascinating) (?:problem|topic|issue|concern|subject"
    r"|challenge))"
    r"|affect(?:s|ing) millions|millions of (?:people|patients)|(?:has|have) been (?:studied|known|debated) (?:for"
    r"|since)"
    r"|(?:is|are|was|were) named after|throughout (?:human )?history"
    r"|plays? an? (?:important|key|crucial|vital|critical|central|major) role)\b",
    re.IGNORECASE,
)
"""Typical openings of a lecture."""

MOST_SENTENCES = 5
LONGEST_INTRODUCTION = 600
CASE_OPENERS = word_set(
    """
    a an use consider suppose assume let given read look two three four several during in on after when if for imagine
    """
)
"""First words of sentences that set up a case; unneeded sentences begin with their subject."""


@check(
    id="nbme_gratuitous_information",
    title="Unneeded information",
    severity="warning",
    languages=("en",),
    bad=(
        {"stem": "As you know, the heart has four chambers. Which of the following valves separates the left two?"},
        {"stem": "See https://example.org/ecg for details. Which of the following drugs should be given first?"},
        {"stem": "A man has chest pain. [TODO: add the ECG] Which of the following drugs should be given first?"},
        {"stem": "A man has chest pain.\nSource: Smith et al., 2019\nWhich drug should be given first?"},
        {"stem": "Diabetes affects millions of people. Which of the following enzymes breaks down starch?"},
        {"stem": "It is important to remember that time is muscle. Which drug should be given first?"},
        {"stem": "Hypertension is one of the most common diseases. Which drug class is given first for hypertension?"},
        {"vignette": "A man has chest pain. Note to reviewer: shorten this."},
        {"stem": "Which of the following drugs should be given first? Correct answer: A"},
    ),
    good=(
        {"stem": "A 54-year-old man says that he knows the risks. Which of the following drugs should be given first?"},
        {"stem": "Recall of names declines with age. Which of the following explains this decline?"},
        {"stem": "The density of iron is 7.9 g/cm3. What is the mass of a cube with edges of 2 cm?"},
        {"stem": "Insulin lowers blood glucose. Which of the following cells release insulin?"},
        {"stem": "Life as we know it needs water. Which of the following planets has liquid water on its surface?"},
        {"stem": "Which of the following sources of energy is renewable?"},
    ),
)
def gratuitous_information(question: Question) -> Findings:
    yield from _marked(question, "stem", question.stem, question.stem_words)
    if question.vignette:
        yield from _marked(question, "vignette", question.vignette, vocabulary(question.vignette))
    # Longer stems are cases or passages, in which every sentence may matter.
    if 1 < len(question.stem_sentences) <= MOST_SENTENCES and len(question.stem) <= LONGEST_INTRODUCTION:
        yield from _trivia(question)
        yield from _introduction(question)


def _trivia(question: Question) -> Findings:
    asked = question.lead_in
    if points_back(asked.text) or not PASSAGES.isdisjoint(question.stem_words):
        return
    for sentence in question.stem_sentences:
        match = TRIVIA.search(sentence.text) if sentence != asked and not DIGIT.search(sentence.text) else None
        if match:
            span = (sentence.start, sentence.end)
            yield _finding(question, "stem", span, f"{match.group()!r} introduces the subject instead of asking.")
            return


def _marked(question: Question, field: str, text: str, words: frozenset[str]) -> Findings:
    if any(mark in text for mark in ADDRESS_MARKS) and "—" not in text and (match := ADDRESS.search(text)):
        yield _finding(question, field, match.span(), "An address or notice does not help to answer.")
    quoted = not PASSAGES.isdisjoint(words)
    if not NOTE_WORDS.isdisjoint(words):
        for pattern, message in NOTES[1:] if quoted else NOTES:
            if (match := pattern.search(text)) is not None:
                start, end = match.span()
                start = end - len(match.group().lstrip("\n\t .?!("))
                yield _finding(question, field, (start, start + len(text[start:end].rstrip())), message)
    if not quoted and not TEACHING_WORDS.isdisjoint(words) and (match := TEACHING.search(text)):
        yield _finding(question, field, match.span(), f"{match.group()!r} teaches instead of asking.")


def _introduction(question: Question) -> Findings:
    """The introduction of a short stem, if the question neither refers to it nor shares a word with it."""
    sentences, asked = question.stem_sentences, question.lead_in
    before = sentences[: sentences.index(asked)]
    if not before or not asked.text.endswith("?") or any(DIGIT.search(sentence.text) for sentence in before):
        return
    if points_back(asked.text) or points_back(question.options_text):
        return
    topics = topic((asked.text, question.options_text))
    # A question without a topic of its own cannot share words.
    if len(topic((asked.text,))) < 2 or any(_is_case(s) or not topics.isdisjoint(topic((s.text,))) for s in before):
        return
    yield _finding(
        question, "stem", (before[0].start, before[-1].end), "The introduction has nothing to do with what is asked."
    )


def _is_case(sentence: Sentence) -> bool:
    """Whether the sentence is about a person or sets something up: the question may need it without sharing a word."""
    text = sentence.text
    first = text.partition(" ")[0].lower()
    if first in CASE_OPENERS or "following" in text or "below" in text or not set(':="“|').isdisjoint(text):
        return True
    return points_back(text) or not text.endswith(".")


def _finding(question: Question, field: str, span: tuple[int, int], message: str) -> Finding:
    return question.finding(field, message, "Leave it out, or move it to the rationale or the metadata.", span)
