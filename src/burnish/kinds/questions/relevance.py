"""Whether a question leans on the text that goes before it."""

from __future__ import annotations

from collections.abc import Iterable

from burnish.kinds.questions.wording import vocabulary
from burnish.languages.words import content_stems, stem, word_set

REFERENCES = word_set(
    """
    this these that those such it its he him his she her hers they them their theirs above described shown
    mentioned patient patient's patients man man's woman woman's boy girl child child's infant infant's newborn mother
    mother's father physician physician's doctor nurse student student's resident family parents couple person person's
    individual study experiment trial researcher researchers investigator investigators author authors passage data
    table results scenario case situation presentation you your we our
    """
)
"""Words that point back at a case, or at whoever is in it."""

GENERIC = frozenset(
    stem(word)
    for word in word_set(
        """
        common commonly frequent usual
        following likely appropriate best next step diagnosis diagnoses management treatment therapy cause causes
        finding findings explanation mechanism most initial additional underlying expected associated increased
        decreased risk factor complication test study evaluation intervention action response course pharmacotherapy
        drug medication agent statement true correct describes explains associate accurate answer option question type
        kind value pathogenesis observed seen present likely responsible confirm establish prevent indicated
        recommended required used use condition symptom symptoms disease disorder feature characteristic result outcome
        """
    )
)
"""Stems of words that ask without saying what about: a question made of them alone needs its case."""


def points_back(text: str) -> bool:
    """Whether the text speaks of something that must have been told before."""
    return not REFERENCES.isdisjoint(vocabulary(text))


def topic(texts: Iterable[str]) -> set[str]:
    """The stems of the words that say what the texts are about."""
    return {found for text in texts for found in content_stems(text)} - GENERIC
