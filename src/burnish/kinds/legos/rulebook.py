"""What each concern looks for, why it matters, and what to do: for `burnish rules` and its pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from burnish.core.checks import in_words
from burnish.core.findings import Severity
from burnish.core.kinds import DocumentRule
from burnish.kinds.legos.concerns import CONCERNS, LARGEST_MEAN, LARGEST_SPREAD, SMALLEST_MEAN, ConcernId

SEVERITIES: Mapping[str, Severity] = {"critical": "critical", "high": "error", "medium": "warning", "low": "info"}
"""The contract's words -> ours."""


class Words(NamedTuple):
    """A concern in words."""

    summary: str
    looks_for: str
    matters: str
    fix: str


TEXTS: Mapping[ConcernId, Words] = {
    "c_iron_rule_violation": Words(
        "a LEGO begins or ends with a preposition.",
        "A preposition at the edge of the source half, the `to` of an infinitive included. A particle whose verb "
        'stands in the same LEGO ("turn on", "called me back") is none. With `--iron-rule phrase_aware` a LEGO may '
        "begin with one.",
        "Such a phrase is torn from what it belongs to: a learner cannot say it, and cannot build on it.",
        "Extend the LEGO over the words that the preposition belongs to, or leave the preposition to its neighbour.",
    ),
    "c_phrasal_verb_split": Words(
        "a verb of several words is in no LEGO whole.",
        'Verbs such as "give up", "called me back" or "take care of", in any form, whole or split by their object.',
        "Its parts mean something else: who learns `give` and `up` has not learnt to give up.",
        "Cut so that one LEGO holds all words of the verb, with its object where that stands inside.",
    ),
    "c_unnatural_boundary": Words(
        "a LEGO is cut where no speaker would pause.",
        'It ends on a particle that has no verb in the same LEGO ("the way back | was"), or in the middle of a word.',
        "The phrase is not one that anybody says, and the next one begins in the air.",
        "Move the cut behind the words that complete it.",
    ),
    "c_incomplete_phrase": Words(
        "a phrase is not finished, words are missing, or a half is not in its sentence.",
        'A LEGO that ends on a verb that waits for something ("I want", "going", "able") while the clause goes on; '
        "source words that no LEGO holds although a lawful one could; and halves that are no part of their sentence "
        "letter for letter.",
        "Nobody says half a phrase; what is in no LEGO is never taught; and what is not in the sentence was made up.",
        "Take in what completes the verb, cover every word, and copy each half from its sentence.",
    ),
    "c_dangling_determiner": Words(
        "a LEGO ends on an article or another determiner.",
        '"I see the", "my" at the end of a source half while the clause goes on.',
        "A determiner without its noun teaches nothing.",
        "Take the noun in, or leave the determiner to the next LEGO.",
    ),
    "c_too_small": Words(
        "the LEGOs are too small.",
        f"The mean size of a SEED's LEGOs is below {SMALLEST_MEAN} words, and more than one was cut.",
        "Single words are a dictionary: phrases are what a learner can reuse.",
        "Join neighbours that are said together.",
    ),
    "c_too_large": Words(
        "the LEGOs are too large.",
        f"The mean size of a SEED's LEGOs is above {LARGEST_MEAN:g} words.",
        "A long piece fits one sentence only.",
        "Cut at the seams between phrases.",
    ),
    "c_low_reusability": Words(
        "hardly anything in it can be reused.",
        "Most LEGOs hold neither a pronoun nor a frame with an open slot, and the sentence is not one LEGO as a whole.",
        "A course of phrases that fit one sentence each has to be learnt by heart.",
        'Cut so that frames ("I want to ...", "Can you ...") stay in one piece.',
    ),
    "c_inconsistent_granularity": Words(
        "the LEGOs of a SEED differ too much in size.",
        f"The standard deviation of their sizes is above {LARGEST_SPREAD} words.",
        "One long and three short pieces are uneven steps for a learner.",
        "Aim at pieces of a like size, 3 to 5 words each.",
    ),
    "c_pattern_mismatch": Words(
        "the rest of the course cuts the same words otherwise.",
        "Neighbouring words that other SEEDs keep together and this one parts, or the other way round.",
        "A learner who met a pattern in one piece should find it in one piece again.",
        "Cut it as the other SEEDs do.",
    ),
    "c_contraction_error": Words(
        "a contraction is torn.",
        "A LEGO that begins or ends inside a word such as `don't`, `I'm` or `l'eau`.",
        "`n't` is no word.",
        "Keep the contraction in one LEGO.",
    ),
    "c_punctuation_error": Words(
        "marks are in the wrong place.",
        "A LEGO that begins with a mark, ends with one that is not the sentence's own, or runs over the end of a "
        "sentence.",
        "Marks are no part of a phrase; what runs over them is two phrases.",
        "Leave outer marks out, and cut where a sentence ends.",
    ),
    "c_whitespace_error": Words(
        "a half has blanks around it.",
        "Blanks, tabs or line ends at the edge of a half.",
        "Two LEGOs that only differ in blanks are not the same to a program.",
        "It is mended without asking: the only concern that code settles alone.",
    ),
}

BEYOND: Mapping[str, tuple[Severity, Words]] = {
    "c_guarantee_broken": (
        "error",
        Words(
            "a cut breaks a rule that no score makes up for.",
            "A half that does not stand in its sentence letter for letter, a source word that no LEGO holds although a "
            "lawful one could, a preposition at the edge of a LEGO, halves of which no word is linked to a word of the "
            "other, and a target of which most is in no LEGO.",
            "A learner would be taught something that is wrong or incomplete, however well the rest of the cut scores.",
            "Cut the SEED again, or decide on it as a person: the message names the LEGO and what it breaks.",
        ),
    ),
    "c_meaning_mismatch": (
        "error",
        Words(
            "the halves of a LEGO do not mean the same.",
            "A reviewer, be it a model or a person, says that the target half says more, less or something else than "
            "the source half. Rules cannot see it; they only know which words of the course stand for each other.",
            "Whoever learns such a LEGO learns a wrong translation.",
            "Move the edge of one half so that both say the same.",
        ),
    ),
}
"""What findings can name beside the concerns of the catalogue."""


def _document_rule(id: str, severity: Severity, words: Words) -> DocumentRule:
    told = {"What it looks for": words.looks_for, "Why it matters": words.matters, "Fix": words.fix}
    return DocumentRule(id, in_words(id.removeprefix("c_")), severity, words.summary, told)


RULES: tuple[DocumentRule, ...] = (
    *(_document_rule(id, SEVERITIES[kind.severity], TEXTS[id]) for id, kind in CONCERNS.items()),
    *(_document_rule(id, *told) for id, told in BEYOND.items()),
)
