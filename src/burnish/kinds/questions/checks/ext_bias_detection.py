"""ext_bias_detection: wording that demeans people, or a stereotype.

What it looks for: terms that are no longer acceptable for people ("mentally retarded", "wheelchair-bound", "illegal
alien"), claims about a whole group ("women are too emotional to ..."), and, as warnings, labels such as "drug addict",
remarks on someone's looks, and race, origin or religion mentioned where nothing in the question turns on it. A
patient's descent in a clinical case is sound practice and passed over, and so are questions about prejudice itself.
Why it matters: such wording hurts some of the learners while they are being tested, and teaches it to the others.
Fix: needs an author or a model: say it as the suggestion shows, or leave it out.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.questions.inclusive import (
    ABOUT_PREJUDICE,
    AS_A,
    CLINICAL,
    GROUP_MARKS,
    JUDGED,
    JUDGED_MARKS,
    LOOKS,
    LOOKS_MARKS,
    MARKS,
    ORIGIN,
    STEREOTYPE,
    TERMS,
    TRAIT_MARKS,
)
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.wording import vocabulary


@check(
    id="ext_bias_detection",
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
def bias_detection(question: Question) -> Iterator[Finding]:
    stem_words = question.stem_words
    if not ABOUT_PREJUDICE.isdisjoint(stem_words):
        return
    yield from _wording(question, "stem", question.stem, stem_words)
    if question.vignette:
        yield from _wording(question, "vignette", question.vignette, vocabulary(question.vignette))
    if not (MARKS.isdisjoint(question.options_words) and GROUP_MARKS.isdisjoint(question.options_words)):
        for option in question.options:
            yield from _wording(question, f"options.{option.key}", option.text, question.options_words)
    if question.rationale:
        yield from _wording(question, "rationale", question.rationale, vocabulary(question.rationale))
    yield from _judging(question, stem_words)
    yield from _beside_the_point(question, stem_words)


def _wording(question: Question, field: str, text: str, words: frozenset[str]) -> Iterator[Finding]:
    if not MARKS.isdisjoint(words):
        marks = MARKS & words
        for term in TERMS:
            match = None if term.marks.isdisjoint(marks) else term.pattern.search(text)
            if match:
                yield _finding(
                    question, field, match, f"{match.group()!r} labels people.", f"Say {term.instead!r}.", term.severity
                )
    if not GROUP_MARKS.isdisjoint(words) and not TRAIT_MARKS.isdisjoint(words):
        match = STEREOTYPE.search(text)
        if match:
            message = f"{match.group().strip()!r} speaks of a whole group."
            yield _finding(
                question, field, match, message, "Leave the claim out, or say whom it was observed in.", "error"
            )


def _judging(question: Question, words: frozenset[str]) -> Iterator[Finding]:
    if not JUDGED_MARKS.isdisjoint(words) and (match := JUDGED.search(question.stem)):
        yield _finding(question, "stem", match, f"{match.group()!r} judges someone.", "Say what was observed.", "error")
    if ("as" in words or "being" in words) and (match := AS_A.search(question.stem)):
        message = f"{match.group()!r} infers from a group what someone is or can do."
        yield _finding(question, "stem", match, message, "Leave the inference out.", "error")


def _beside_the_point(question: Question, words: frozenset[str]) -> Iterator[Finding]:
    """Looks anywhere; origin only where it plays no part in a case, the lead-in or the options."""
    if not LOOKS_MARKS.isdisjoint(words):
        match = LOOKS.search(question.stem)
        if match:
            yield _finding(
                question, "stem", match, f"{match.group()!r} judges someone's looks.", "Leave it out.", "warning"
            )
    if GROUP_MARKS.isdisjoint(words) or not CLINICAL.isdisjoint(words) or question.vignette:
        return
    match = ORIGIN.search(question.stem)
    if match is None or len(ORIGIN.findall(question.stem)) > 1:
        return
    if GROUP_MARKS.isdisjoint(question.options_words) and not question.lead_in.start <= match.start():
        message = f"Nothing in the question turns on {match.group()!r}."
        yield _finding(
            question, "stem", match, message, "Leave the origin out unless the answer depends on it.", "warning"
        )


def _finding(
    question: Question, field: str, match: re.Match[str], message: str, suggestion: str, severity: Severity
) -> Finding:
    return Finding.at(
        question, field=field, span=match.span(), message=message, suggestion=suggestion, severity=severity
    )
