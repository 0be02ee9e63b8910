"""nbme_negation_detection: a lead-in that asks for the exception.

What it looks for: NOT, EXCEPT, LEAST and their paraphrases ("is false", "cannot", "has never", "the incorrect
statement", "is unlikely") in the main clause of the lead-in, in capitals or not. A negation in a subordinate clause
("in a patient who does not smoke") belongs to the case and is not reported. In a true/false question, a negated
statement is a warning.
Why it matters: a learner who overlooks one word answers a different question.
Fix: needs an author or a model, because the positive question is a different question.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import Word, word_set, words

NEAR_THE_END = 600
"""Characters of the lead-in that are read: the question is at its end."""

SUSPECT = re.compile(
    r"n[o'’]t\b|never|except|least|false|other than|wrong|\bno\W*$|odd (?:one|man) out"
    r"|un(?:true|likely|suit|nec|rel|char|acc)|in(?:correct|accur|approp|consis|compat)"
)
"""A fast test on lower-case text: without a match there is no negation."""

AUXILIARIES = word_set(
    """
    is are was were be been does do did has have had can could will would should shall may might must need cannot
    isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't can't couldn't won't wouldn't shouldn't
    """
)
CLOSING = AUXILIARIES - {"be", "been"}
INVERTING = word_set("does do did has have had can could will would should shall may might must")
"""Auxiliaries that allow the subject between them and "not": "What should the nurse not do?"."""

SUBORDINATORS = word_set(
    """
    who whom whose that which if when whenever while because unless although though since after before where why how
    whether until so assuming given suppose supposing provided despite without or lest
    """
)
"""Words that open a subordinate clause: a negation after them is part of the case."""

ADVERBS = word_set(
    "most more very likely usually generally typically normally commonly probably also always necessarily considered"
)
NEGATIVE = word_set("not never false incorrect incorrectly untrue inaccurate unlikely")
MILDLY_NEGATIVE = word_set(
    "inappropriate unsuitable unnecessary inconsistent incompatible unrelated uncharacteristic unacceptable"
)
PREPOSITIONS = word_set("about regarding concerning of in for on to with from by at between among under during")
DETERMINERS = word_set("the a an this these those his her its their he she it they we you i")

ALL_OF = re.compile(
    r"\b(?:all|each|every one|any)(?: of)?(?: the)? (?:following|these|those|statements|listed|below|above)\b",
    re.IGNORECASE,
)
EXCEPT = re.compile(
    r"\b(?:except(?:ing|ion)?(?: for| in| that)?|with the exception of|other than)\b(?P<tail>[^\n]{0,30})",
    re.IGNORECASE,
)
OPEN_TAIL = re.compile(r"\W*(?:$|(?:for |to )?(?:which|what|one\b|the following))", re.IGNORECASE)
LEAST = re.compile(
    r"\b(?<!at )(?:least (?:(?:likely|prob|appropriate|consistent|suit|compatib|helpful|useful|importan|accura|support|"
    r"desirab|relat|associat|relevan|plausib|similar|frequent|often|affect|justif|convinc|correct|characteristic|typical|"
    r"prefer|true|depend|benefi)\w*|common\b(?! multiple| denominator)|effective\b(?! dose| concentration))"
    r"|the least(?=\W*$))",
    re.IGNORECASE,
)
EXCEPTION_IN_WORDS = re.compile(
    r"\bodd (?:one|man) out\b|\b(?P<not>not) (?:\w{1,20} ){0,2}which (?:one|of)\b"
    r"|\b(?:does|do)(?: not|n['’]t) belong\b|\bthe exception\W*$"
    r"|\b(?:select|choose|pick|identify|find|mark|indicate|which (?:one )?is|which of (?:the following|these) is)\b"
    r"[^?.\n]{0,25}\b(?P<adjective>false|incorrect|wrong|inaccurate|untrue)\b (?!positive|negative)"
    r"|\b(?:statement|option|answer|one|choice|item|response|alternative)s? (?:that|which) (?:\w{1,20} ){0,2}"
    r"(?:(?:is|are|does|do|did|was|were|has|have|can|could|would|should) not|cannot|\w{2,7}n['’]t"
    r"|(?:is|are) (?:false|incorrect|wrong|untrue|inaccurate))\b",
    re.IGNORECASE,
)
ABOUT_QUESTION = (
    "The lead-in asks for the exception",
    "Ask for the one right answer instead, and make the other options wrong.",
)
ABOUT_STATEMENT = (
    "The statement denies something, so that to call it false is to deny it twice",
    "State what is true, and change the key if the statement was reversed.",
)
CAPITALS = re.compile(r"\b(?:(?<!AT )LEAST|CANNOT|NEVER|(?<!\()NOT(?! (?:gate|\()))\b")


@check(
    id="nbme_negation_detection",
    title="Negative question",
    severity="error",
    languages=("en",),
    bad=(
        {"stem": "Which of the following is NOT a treatment for myocardial infarction?"},
        {"stem": "All of these lower blood pressure EXCEPT:"},
        {"stem": "Each of the following lowers blood pressure except which one?"},
        {"stem": "In a patient with gout, which drug should not be given?"},
        {"stem": "Which of the following is least likely to cause a dry cough?"},
        {"stem": "Which of the following statements about the liver is false?"},
        {"stem": "Which of these drugs doesn't cross the placenta?"},
        {"stem": "Which policies did the new government not pursue?"},
        {"stem": "Identify the incorrect statement about insulin."},
        {"stem": "A prokaryotic cell does not contain"},
        {"stem": "Which of the following has never been shown to lower mortality?"},
        {"stem": "Select the statement that is not true of enzymes."},
        {"stem": "The following are risk factors for stroke, except:"},
        {"stem": "Find the one that is incorrect."},
        {"stem": "Three of these are hormones. Which one is the odd one out?"},
        {"stem": "Insulin does not lower blood glucose.", "type": "true_false", "options": ("True", "False")},
    ),
    good=(
        {"stem": "A man who does not smoke coughs up blood. Which of the following is the best next step?"},
        {"stem": "In a patient who does not smoke, which of the following is the most likely cause?"},
        {"stem": "Which drug should be given whether or not the culture grows?"},
        {"stem": "If this condition is not treated, which of the following is most likely to follow?"},
        {"stem": "Which of the following best explains why the patient should not be given a nitrate?"},
        {"stem": "She is kept on nothing by mouth. Which of the following should be given?"},
        {"stem": "How many tablets are needed to give at least 250 mg?"},
        {"stem": "Which of the following is not only a hormone but also a neurotransmitter?"},
        {"stem": "The exam is normal except for a rash. Which of the following is the diagnosis?"},
        {"stem": "What is the most likely cause of the false positive result?"},
        {"stem": "These are costs that do not change with the number of units made:"},
        {"stem": "Which of the following is a form of the least common multiple?"},
        {"stem": "In which of the following cases does the judge, not the jury, decide?"},
        {"stem": "A man who does not eat loses weight.", "type": "true_false", "options": ("True", "False")},
    ),
)
def negation_detection(question: Question) -> Findings:
    sentence = question.lead_in
    offset = max(0, len(sentence.text) - NEAR_THE_END)
    text = sentence.text[offset:]
    if SUSPECT.search(text.lower()) is None:
        return
    judged = question.type == "true_false"
    found = _by_pattern(text) or (_denied(text) if judged else _by_grammar(text))
    if found is None:
        return
    start, end = found
    quote = text[start:end]
    mild = judged or quote.lower() in MILDLY_NEGATIVE
    message, suggestion = ABOUT_STATEMENT if judged else ABOUT_QUESTION
    message = f"{message} ({quote!r})."
    yield question.finding(
        "stem",
        message,
        suggestion,
        sentence.shift((start + offset, end + offset)),
        severity="warning" if mild else "error",
    )


def _denied(text: str) -> tuple[int, int] | None:
    """The negation of a statement's main verb."""
    tokens = list(words(text))
    lower = [token.text.lower().replace("’", "'") for token in tokens]
    for index, word in enumerate(lower):
        if word in SUBORDINATORS:
            return None
        denies = index > 0 and lower[index - 1] in AUXILIARIES and _negates(lower, index)
        if denies or word.endswith("n't") or word == "cannot":
            return tokens[index].span
    return None


def _by_pattern(text: str) -> tuple[int, int] | None:
    """The span of a negation in fixed phrases."""
    for match in EXCEPT.finditer(text):
        emphasised = match.group()[:6].isupper() and not text.isupper()
        asks_all = match.group()[0] in "eEwW" and ALL_OF.search(text[: match.start()])
        if emphasised or asks_all or OPEN_TAIL.match(match["tail"]):
            return match.start(), match.start("tail")
    least = LEAST.search(text)
    if least is not None:
        return least.span()
    exception = EXCEPTION_IN_WORDS.search(text)
    if exception is not None:
        return exception.span(exception.lastgroup or 0)
    return None


def _by_grammar(text: str) -> tuple[int, int] | None:
    """The span of a negation of the main verb."""
    tokens = list(words(text))
    lower = [token.text.lower().replace("’", "'") for token in tokens]
    asking = [place for place in range(len(lower)) if _asks(lower, place, text, tokens)]
    for place in asking:
        negation = _negated_question(lower, place)
        if negation is None and place > 2:
            # "The disease is not caused by which of the following?"
            negation = _negated_completion(lower[:place])
        if negation is not None:
            return tokens[negation].span
    if not asking and not text.endswith((".", "?", "!")):
        negation = _negated_completion(lower)
        if negation is not None:
            return tokens[negation].span
    return _emphasised(text)


def _asks(lower: list[str], place: int, text: str, tokens: list[Word]) -> bool:
    """Whether the word asks, rather than opening a relative clause ("costs which do not vary")."""
    word = lower[place]
    if word == "what":
        return True
    if word == "who":
        return place == 0
    if word != "which":
        return False
    if lower[place + 1 : place + 2] in (["of"], ["one"]) or place == 0 or (place == 1 and lower[0] in PREPOSITIONS):
        return True
    opens = lower[place - 1] in PREPOSITIONS or text[: tokens[place].start].rstrip().endswith((",", ";", ":"))
    return opens and text.endswith("?") and "which" not in lower[place + 1 :] and "what" not in lower[place + 1 :]


def _negated_question(lower: list[str], place: int) -> int | None:
    """ "which ... is not", "which ... doesn't", "which ... should the nurse not ..."."""
    verb = _main_verb(lower, place)
    if verb is None:
        return None
    if lower[verb].endswith("n't") or lower[verb] == "cannot":
        return verb
    after = verb + 1
    while after < len(lower) and lower[after] in ADVERBS:
        after += 1
    if lower[after : after + 1] and _negates(lower, after):
        return after
    inverted = lower[verb] in INVERTING or (place > 0 and lower[place - 1] in PREPOSITIONS)
    return _behind_subject(lower, verb) if inverted else None


def _main_verb(lower: list[str], place: int) -> int | None:
    """The first auxiliary after the question word, without a subordinate clause between them."""
    for index in range(place + 1, min(place + 16, len(lower))):
        word = lower[index]
        if word in AUXILIARIES:
            return index
        if word in SUBORDINATORS:
            return None
        # A determiner without a preposition before it is the object of a full verb: the auxiliary is not the main one.
        if word in DETERMINERS and lower[index - 1] not in PREPOSITIONS:
            return None
    return None


def _behind_subject(lower: list[str], verb: int) -> int | None:
    for index in range(verb + 2, min(verb + 8, len(lower))):
        if lower[index] in SUBORDINATORS or lower[index] in AUXILIARIES:
            return None
        if lower[index] == "not":
            following = lower[index + 1 : index + 2]
            # "does the judge, not the jury, decide" is a contrast, not a negation.
            contrasts = not following or following[0] in DETERMINERS or following[0] == "to"
            return None if contrasts or following[0].endswith("ing") else index
    return None


def _negates(lower: list[str], place: int) -> bool:
    word, following = lower[place], lower[place + 1 : place + 2]
    if word == "not":
        return following != ["only"]
    if word == "false":
        return not following or following[0] in PREPOSITIONS
    return word in NEGATIVE or word in MILDLY_NEGATIVE


def _negated_completion(lower: list[str]) -> int | None:
    """ "A prokaryotic cell does not contain", "In a vacuum, an object has no"."""
    for index, word in enumerate(lower):
        if word in SUBORDINATORS:
            return None
        negated = word.endswith("n't") or word == "cannot"
        if not negated and lower[index - 1] in AUXILIARIES and index > 0:
            negated = _negates(lower, index) and word not in MILDLY_NEGATIVE
        # The main clause must extend to the end, so that the options complete the negated verb.
        rest = lower[index + 1 :]
        stays_open = len(rest) <= 8 and not any(word in CLOSING or word in SUBORDINATORS for word in rest)
        if (negated and stays_open) or (word in ("no", "not") and not rest):
            return index
    return None


def _emphasised(text: str) -> tuple[int, int] | None:
    """The span of a negation in capitals, which warns the learner, anywhere in the main clause."""
    match = CAPITALS.search(text)
    if match is None or text.isupper() or re.search(r"\b(?:AND|OR|XOR|NAND)\b", text):
        return None
    if match.group() == "LEAST":
        return match.span()
    clause = text[: match.start()].rpartition(",")[2].lower().split()[-10:]
    inner = SUBORDINATORS - {"which"}
    return None if any(word in inner for word in clause) else match.span()
