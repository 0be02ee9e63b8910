"""ext_leftovers: a phrase of a chatbot, a placeholder or a part of a prompt.

What it looks for: words of a chatbot to its user ("Here is the corrected question:", "As an AI language model, I
..."), placeholders ("[insert option]", "TODO", "Lorem ipsum dolor"), and instructions to a model. The word lists are
those of lessons, in seven languages. Quoted ones are not reported. An option such as "None" or "XXX" is an answer; a
wrong option that is only a placeholder is reported by nbme_distractor_plausibility.
Why it matters: learners see that the question was not read before it was published.
Fix: needs an author or a model: the missing text has to be written.
"""

import re
from itertools import chain, filterfalse

from burnish.core.checks import check
from burnish.kinds.questions.checks.nbme_distractor_plausibility import LONGEST_READ, PLACEHOLDER
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import Slip, at_most
from burnish.text.leftovers import DOTS as UNWRITTEN
from burnish.text.leftovers import chatbot_phrases, placeholders, prompts
from burnish.text.markdown import markdown

NOT_PROSE = re.compile(r"^metadata\.|correct_answer$")


@check(
    id="ext_leftovers",
    title="Chatbot phrase or placeholder",
    severity="error",
    bad=(
        {"stem": "Here is the corrected question: Which drug is given first?"},
        {"rationale": "As an AI language model, I cannot give medical advice."},
        {"options": ("Aspirin", "[insert option]", "Furosemide", "Lidocaine")},
        {"options": ("TODO", "Digoxin", "Furosemide", "Lidocaine")},
        {"stem": "Lorem ipsum dolor sit amet?"},
        {"stem": "<|im_start|>Which drug is given first?"},
    ),
    good=(
        {"options": ("XXX", "XXY", "XYY", "None")},
        {"options": ("n/a", "null", "undefined", "NaN")},
        {"stem": 'Which program answers "As an AI language model, I cannot do that"?'},
        {"options": ("Aspirin", "TODO", "Furosemide", "Lidocaine")},
        {"metadata": {"usmle_system": "none", "difficulty": "n/a"}},
        {"stem": "Which drug [or drugs] does the physician give to the patient first?"},
    ),
)
def leftovers(question: Question) -> Findings:
    fillers = {f"options.{o.key}" for o in question.distractors if PLACEHOLDER.fullmatch(o.text[:LONGEST_READ])}
    for field, text in question.texts().items():
        if field in fillers or NOT_PROSE.search(str(field)):
            continue
        if not text.strip() or (".options." in f".{field}" and UNWRITTEN.fullmatch(text.strip()) is not None):
            continue
        view = markdown(text)
        found = chain(chatbot_phrases(view), placeholders(view), prompts(view))
        # No warnings: they may be gaps for learners to fill in.
        for slip in at_most(filterfalse(is_warning, found)):
            span = (slip.start, slip.end) if slip.end > slip.start else None
            yield question.finding(field, slip.message, slip.suggestion, span)


def is_warning(slip: Slip) -> bool:
    return slip.severity == "warning"
