"""nbme_logical_cues: some options cover all possibilities, so one of them must be the key.

What it looks for: "it increases", "it decreases" and "it does not change" next to options of another kind; and two
opposite options ("increase the dose", "reduce the dose") next to unrelated ones, if the key is one of the two.
Why it matters: a learner sees that one of them must be right and ignores the rest.
Fix: needs an author or a model: make all options the same kind, or give every option an opposite.
"""

import re
from typing import Literal

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import word_set

Direction = Literal["up", "down", "same", "mixed"]

UP = word_set(
    """
    increase increases increased increasing rise rises rising rose raise raises raising raised elevate elevates
    accelerates elevated elevation higher high more greater larger faster upward gain stimulates stimulation
    activates activation agonist overestimate overestimates alkalosis lengthen lengthens longer expand expands
    accelerate
    """
)
DOWN = word_set(
    """
    decrease decreases decreased decreasing fall falls falling fell lower lowers lowering lowered reduce reduces
    reduced reducing reduction low less smaller slower downward loss inhibits inhibition deactivates antagonist
    underestimate underestimates acidosis shorten shortens shorter contract contracts decelerate decelerates declines
    """
)
_DIRECTIONS: dict[str, Direction] = {
    **dict.fromkeys(UP, "up"),
    **dict.fromkeys(DOWN, "down"),
    **dict.fromkeys(word_set("unchanged same constant unaffected"), "same"),
}
NO_CHANGE = re.compile(
    r"\b(?:no (?:change|effect|difference)|(?:does|do|will|would) not (?:change|vary)|not affected)\b"
)
TOKEN = re.compile(r"[a-z]+|\d+")
DIRECTION_PREFIX = re.compile(r"(?P<up>hyper)|(?P<down>hypo)(?=[a-z]{4})")
STOCK = re.compile(r"\W*(?:all|none|both|neither|cannot|can['’]?t|not enough|it depends|other)\b", re.IGNORECASE)
FILLERS = word_set("it the a an is are be will would does do remain remains stay stays in of and its to much about")
LONGEST_READ = 200
FEWEST_OPTIONS = 4


@check(
    id="nbme_logical_cues",
    title="Logical cue",
    severity="warning",
    languages=("en",),
    bad=(
        {"options": ("It increases", "It decreases", "It does not change", "The pump fails")},
        {
            "options": (
                "Increase the insulin dose",
                "Reduce the insulin dose",
                "Reassurance",
                "Add diazepam",
                "Stop exercise",
            ),
            "correct_answer": "B",
        },
        {"options": ("Hyponatremia", "Hypernatremia", "Anemia", "Jaundice")},
        {"options": ("Higher in the sky", "Lower in the sky", "Brighter", "Of another colour")},
    ),
    good=(
        {"options": ("It increases", "It decreases", "It does not change")},
        {"options": ("Hyponatremia", "Hypernatremia", "Hypokalemia", "Hyperkalemia")},
        {
            "options": ("Increase the insulin dose", "Reduce the insulin dose", "Reassurance", "Add diazepam"),
            "correct_answer": "D",
        },
        {"options": ("Anterior cerebral artery", "Posterior cerebral artery", "Basilar artery", "Carotid artery")},
        {"options": ("Increased sodium", "Decreased potassium", "Increased chloride", "Decreased calcium")},
        {"options": ("Lower", "Higher", "About the same", "Cannot be told")},
        {"options": ("It rises and then falls", "It falls", "It rises", "It varies with the dose")},
    ),
)
def logical_cues(question: Question) -> Findings:
    key = question.key
    if key is None or len(question.options) < FEWEST_OPTIONS:
        return
    words, text = question.options_words, question.options_text
    if (UP.isdisjoint(words) or DOWN.isdisjoint(words)) and not ("yper" in text and "ypo" in text):
        return
    read = [(option, *_direction(option.text)) for option in question.options]
    mine = next((direction, rest) for option, direction, rest in read if option is key)
    group = [(option, direction) for option, direction, rest in read if direction is not None and rest == mine[1]]
    others = [direction for option, direction, rest in read if rest != mine[1] and not STOCK.match(option.text)]
    directions = {direction for _, direction in group}
    # The group stands out if there are options of another kind and none of them has a direction.
    stands_out = bool(others) and not any(others) and any(option is key for option, _ in group)
    opposed = {"up", "down"} <= directions <= {"up", "down", "same"} and len(group) == len(directions)
    if opposed and stands_out:
        named = ", ".join(option.key for option, _ in group)
        kind = "leave no other possibility" if "same" in directions else "are opposites"
        message = f"Options {named} {kind} and the key is one of them; the others are of another kind."
        yield question.finding("options", message, "Make all options of one kind, or give each of them its opposite.")


def _direction(text: str) -> tuple[Direction | None, tuple[str, ...]]:
    """The direction of an option (None if it has none), and its other words."""
    text = text[:LONGEST_READ].lower()
    if NO_CHANGE.search(text):
        return "same", _rest(NO_CHANGE.sub(" ", text))
    found: set[Direction] = {_DIRECTIONS[token] for token in TOKEN.findall(text) if token in _DIRECTIONS}
    prefixes = [match.lastgroup for match in DIRECTION_PREFIX.finditer(text)]
    found.update("up" if prefix == "up" else "down" for prefix in prefixes)
    rest = _rest(DIRECTION_PREFIX.sub("", text))
    if not found:
        return None, rest
    return (found.pop() if len(found) == 1 and len(prefixes) <= 1 else "mixed"), rest


def _rest(text: str) -> tuple[str, ...]:
    return tuple(token for token in TOKEN.findall(text) if token not in _DIRECTIONS and token not in FILLERS)
