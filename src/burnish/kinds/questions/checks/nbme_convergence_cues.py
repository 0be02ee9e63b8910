"""nbme_convergence_cues: the key shares its parts with the other options.

What it looks for: a key of several parts, each of which occurs in another option too, while no other option shares as
much ("prednisone and albuterol" with "prednisone and tiotropium", "albuterol and theophylline").
Why it matters: authors vary the right answer to write wrong ones, so the option with the most common parts is the key.
Fix: needs an author or a model: use each part equally often, or write distractors that vary each other.
"""

from collections import Counter

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import STOP_WORDS, stem, token_list

LONGEST_READ = 2000
FEWEST_OPTIONS = 4
FEWEST_PARTS = 2
SHORTEST_WORD = 4


@check(
    id="nbme_convergence_cues",
    title="Convergence cue",
    severity="warning",
    languages=("en",),
    bad=(
        {
            "options": (
                "Prednisone and albuterol",
                "Prednisone and tiotropium",
                "Albuterol and theophylline",
                "Montelukast and albuterol",
            )
        },
        {"options": ("Acute hepatitis B", "Chronic hepatitis B", "Acute hepatitis A", "Past hepatitis C")},
        {
            "options": (
                "Irreversible inhibition of the proton pump",
                "Reversible inhibition of the proton pump",
                "Irreversible inhibition of histamine receptors",
                "Irreversible blockade of gastrin receptors",
            )
        },
    ),
    good=(
        {
            "options": (
                "High calcium, high phosphate",
                "High calcium, low phosphate",
                "Low calcium, high phosphate",
                "Low calcium, low phosphate",
            )
        },
        {"options": ("9/100", "1/10", "18/100", "9/10")},
        {"options": ("Acute pancreatitis", "Biliary colic", "Peptic ulcer", "Hepatitis")},
        {
            "options": (
                "Tiotropium and albuterol",
                "Prednisone and albuterol",
                "Prednisone and theophylline",
                "Montelukast and albuterol",
            )
        },
        {"options": ("Carcinoma of the lung", "Carcinoma of the liver", "Carcinoma of the colon", "Lymphoma")},
    ),
)
def convergence_cues(question: Question) -> Findings:
    key = question.key
    if key is None or len(question.options) < FEWEST_OPTIONS:
        return
    mine = _parts(key.text)
    # Digits and symbols recur in any list of numbers or formulas.
    if sum(len(part) >= SHORTEST_WORD and part.isalpha() for part in mine) < FEWEST_PARTS:
        return
    everything = question.options_text.lower()
    if any(everything.count(part) < 2 for part in mine):
        return
    theirs = [_parts(option.text) for option in question.distractors]
    shared = Counter(part for parts in (mine, *theirs) for part in parts)
    if any(shared[part] == 1 for part in mine) or sum(not mine.isdisjoint(parts) for parts in theirs) < 2:
        return
    score, *others = (sum(shared[part] - 1 for part in parts) for parts in (mine, *theirs))
    if score > max(others):
        message = f"Each part of the key ({key.key}) also occurs in other options; no other option shares as much."
        advice = "Use each part equally often, or write distractors that share parts with each other."
        yield question.finding("options", message, advice)


def _parts(text: str) -> set[str]:
    """The stems of the content words and numbers of an option."""
    return {stem(token) for token in token_list(text[:LONGEST_READ]) if token not in STOP_WORDS}
