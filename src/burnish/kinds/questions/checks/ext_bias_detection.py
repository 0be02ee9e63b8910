"""ext_bias_detection: wording that demeans people, or a stereotype.

What it looks for: terms that are no longer acceptable for people ("mentally retarded", "wheelchair-bound", "illegal
alien"), claims about a whole group ("women are too emotional to ..."), and, as warnings, labels such as "drug addict",
remarks on someone's looks, and race, origin or religion that the answer does not depend on. A patient's descent in a
clinical case is accepted practice and not reported, nor are questions about prejudice.
Why it matters: such wording hurts some learners during the exam, and teaches it to the others.
Fix: needs an author or a model: use the wording of the suggestion, or leave it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.core.checks import check
from burnish.core.findings import Severity
from burnish.kinds.questions.bank import listed_words, vocabulary, wording
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import word_set

PERSON = (
    r"(?:man|men|woman|women|male|males|female|females|boy|boys|girl|girls|child|children|person|people|persons"
    r"|patient|patients"
    r"|student|students|teenager|teenagers|worker|workers|couple|family|families|lady|guy|guys|individual"
    r"|individuals|population)"
)


@dataclass(frozen=True, slots=True)
class Term:
    """A wording to avoid."""

    marks: frozenset[str]
    """The pattern is tried only on texts with at least one of these words."""
    pattern: re.Pattern[str]
    instead: str
    severity: Severity = "error"


def _terms() -> Iterator[Term]:
    for given in wording()["bias"]["terms"]:
        pattern = given["pattern"].replace("{PERSON}", PERSON)
        compiled = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
        yield Term(word_set(given["words"]), compiled, given["instead"], given["severity"])


TERMS = tuple(_terms())
MARKS = frozenset(mark for term in TERMS for mark in term.marks)

_GROUP = (
    r"(?:women|men|girls|boys|females|males|blacks?|whites?|african[- ]americans?|africans|asians?|hispanics?"
    r"|latinos?|latinas?"
    r"|mexicans?|arabs?|jews?|jewish|muslims?|christians?|chinese|japanese|indians?|native americans?|immigrants?"
    r"|foreigners|gays?"
    r"|homosexuals?|lesbians?|homeless|poor|elderly|old|teenagers|single mothers|obese|fat|disabled|wealthy|rural"
    r"|housewives)"
)
_TRAIT = (
    r"(?:lazy|violent|aggressive|dirty|dishonest|greedy|stupid|unintelligent|less intelligent|more intelligent"
    r"|emotional|hysterical"
    r"|irrational|weak|weaker|inferior|superior|promiscuous|criminals?|thieves|drunks?|unreliable|submissive|bossy"
    r"|cheap|stingy"
    r"|primitive|uneducated|ignorant|untrustworthy|noncompliant|bad (?:at|with|drivers)|(?:good|better) (?:at math"
    r"|with children)"
    r"|unable to (?:lead|reason|learn)|incapable)"
)
STEREOTYPE = re.compile(
    rf"\b{_GROUP}(?: \w{{3,14}})? (?:are|is|was|were|tend to be|seem to be|being) "
    rf"(?:(?:so|very|too|more|less|all|just|naturally|often|usually|generally|always|typically|known|to be) "
    rf"){{0,2}}{_TRAIT}\b"
    rf"|\blike (?:all|most|any) {_GROUP}(?: {PERSON})?,"
    rf"|\b(?:typical|expected (?:of|for|from)) (?:of )?(?:an? )?{_GROUP}(?: {PERSON})? (?:driver|behaviou?r|attitude)",
    re.IGNORECASE,
)
AS_A = re.compile(
    rf"\b(?:as|being) an? (?:woman|girl|man|boy|female|male|black|asian|jew|mexican)(?: {PERSON})?, (?:he|she) "
    r"(?:is|was|can|could|will|would|naturally|of course)\b",
    re.IGNORECASE,
)
"""A conclusion from the group about what a person is or can do."""
JUDGED = re.compile(
    rf"\b(?:hysterical|lazy|stupid|greedy|dirty|promiscuous|drunken|ignorant) (?:\w{{3,12}} )?(?:{PERSON}|mothers?"
    rf"|fathers?)\b",
    re.IGNORECASE,
)
TRAIT_MARKS = listed_words("bias", "traits")

LOOKS = re.compile(
    rf"\b(?:beautiful|pretty|attractive|sexy|gorgeous|ugly|handsome|fat|exotic[- ]looking),? (?:\w+[- "
    rf"]){{0,3}}{PERSON}\b",
    re.IGNORECASE,
)
ORIGIN = re.compile(
    r"\b(?:black|white|african[- ]american|asian|hispanic|latino|latina|caucasian|mexican|chinese|indian|arab|jewish"
    r"|muslim|nigerian"
    rf"|pakistani|gay|lesbian|immigrant|foreign|native american) {PERSON}\b",
    re.IGNORECASE,
)
"""Race, origin, religion or orientation of a person in the question."""

GROUP_MARKS = listed_words("bias", "groups")
JUDGED_MARKS = word_set("hysterical lazy stupid greedy dirty promiscuous drunken ignorant")
LOOKS_MARKS = word_set("beautiful pretty attractive sexy gorgeous ugly handsome fat exotic exotic-looking")
ABOUT_PREJUDICE = listed_words("bias", "about_prejudice")
"""Words of questions about prejudice or about a text, which may quote such wording."""
CLINICAL = listed_words("bias", "clinical")
"""Words of clinical cases, in which origin may matter."""


@check(
    id="ext_bias_detection",
    title="Biased wording",
    severity="error",
    languages=("en",),
    bad=(
        {"stem": "A mentally retarded man has chest pain. Which of the following drugs should be given first?"},
        {"stem": "A wheelchair-bound woman has a fever. Which of the following is the most likely cause?"},
        {"stem": "An illegal alien is seen in the clinic. Which of the following vaccines should be given?"},
        {"stem": "An Oriental man has a cough. Which of the following tests is indicated?"},
        {"options": ("Women are too emotional to lead", "Leaders listen", "Leaders speak", "Leaders plan")},
        {"stem": "Mexicans are usually lazy. Which of the following explains this?"},
        {"rationale": "The junkie should be given naloxone, because he took too much heroin."},
        {"stem": "A hysterical woman comes to the clinic. Which of the following is the next step?"},
        {"stem": "As a woman, she was bad at counting. Which of the following sums did she get wrong?"},
        {"stem": "A heroin addict has a murmur. Which of the following is the most likely diagnosis?"},
        {"stem": "A beautiful young woman buys three apples at 2 dollars each. How much does she pay?"},
        {"stem": "A Black man robs a shop and runs away. Which of the following crimes has he committed?"},
    ),
    good=(
        {"stem": "A 45-year-old African-American man with sickle cell disease has chest pain. What is the next step?"},
        {"stem": "A 30-year-old woman uses a wheelchair. Which of the following explains her fever?"},
        {"stem": "Which of the following is offensive to a mentally retarded person?"},
        {"stem": "Which of the following plants has red-colored flowers?"},
        {"stem": "Women are more likely than men to develop which of the following autoimmune diseases?"},
        {"stem": "Fetal growth is retarded by which of the following drugs?"},
        {"options": ("A white dwarf", "A black hole", "A primitive gun", "An attractive force")},
        {"stem": "A white man and a black man take part in a survey. Who is likely to live longer?"},
    ),
)
def bias_detection(question: Question) -> Findings:
    stem_words = question.stem_words
    if not ABOUT_PREJUDICE.isdisjoint(stem_words):
        return
    yield from _wording(question, "stem", question.stem, stem_words)
    if question.vignette:
        yield from _wording(question, "vignette", question.vignette, vocabulary(question.vignette))
    for option in question.options:
        yield from _wording(question, f"options.{option.key}", option.text, question.options_words)
    if question.rationale:
        yield from _wording(question, "rationale", question.rationale, vocabulary(question.rationale))
    if not JUDGED_MARKS.isdisjoint(stem_words) and (match := JUDGED.search(question.stem)):
        yield question.finding("stem", f"{match.group()!r} judges someone.", "Say what was observed.", match.span())
    if ("as" in stem_words or "being" in stem_words) and (match := AS_A.search(question.stem)):
        message = f"{match.group()!r} concludes from a group what a person is or can do."
        yield question.finding("stem", message, "Leave the inference out.", match.span())
    yield from _beside_the_point(question, stem_words)


def _wording(question: Question, field: str, text: str, words: frozenset[str]) -> Findings:
    marks = MARKS & words
    for term in TERMS if marks else ():
        match = None if term.marks.isdisjoint(marks) else term.pattern.search(text)
        if match:
            message, advice = f"{match.group()!r} labels people.", f"Say {term.instead!r}."
            yield question.finding(field, message, advice, match.span(), severity=term.severity)
    groups = not GROUP_MARKS.isdisjoint(words) and not TRAIT_MARKS.isdisjoint(words)
    if groups and (match := STEREOTYPE.search(text)):
        message = f"{match.group().strip()!r} speaks of a whole group."
        advice = "Remove the claim, or say in whom it was observed."
        yield question.finding(field, message, advice, match.span())


def _beside_the_point(question: Question, words: frozenset[str]) -> Findings:
    """Remarks on looks; origin only if it has no role in a case, the lead-in or the options."""
    if not LOOKS_MARKS.isdisjoint(words) and (match := LOOKS.search(question.stem)):
        message = f"{match.group()!r} judges someone's looks."
        yield question.finding("stem", message, "Leave it out.", match.span(), severity="warning")
    if GROUP_MARKS.isdisjoint(words) or not CLINICAL.isdisjoint(words) or question.vignette:
        return
    match = ORIGIN.search(question.stem)
    if match is None or len(ORIGIN.findall(question.stem)) > 1:
        return
    if GROUP_MARKS.isdisjoint(question.options_words) and not question.lead_in.start <= match.start():
        message = f"The answer does not depend on {match.group()!r}."
        advice = "Leave the origin out unless the answer depends on it."
        yield question.finding("stem", message, advice, match.span(), severity="warning")
