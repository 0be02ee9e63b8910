"""ext_vignette_relevance: the question can be answered without its vignette.

What it looks for: a vignette that the stem never refers to ("this patient", "these findings") and that shares no word
with stem or options, although the stem has a topic of its own.
Why it matters: an unneeded case costs reading time and makes recall look like judgement.
Fix: needs an author or a model: ask about the case, or leave it out.
"""

from burnish.core.checks import check
from burnish.kinds.questions.bank import points_back, topic
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.quantities import DIGIT, quantity
from burnish.languages.words import word_set

JUDGEMENT = word_set(
    "likely consistent appropriate would should indicated marked arrow arrows culprit observed diagnostic"
)
LONGEST_READ = 4000


@check(
    id="ext_vignette_relevance",
    title="Vignette not needed",
    severity="warning",
    languages=("en",),
    bad=(
        {
            "vignette": "A 60-year-old man comes to the clinic because of a cough.",
            "stem": "Which of the following vitamins is fat-soluble?",
            "options": ("Vitamin A", "Vitamin B1", "Vitamin B12", "Vitamin C"),
        },
        {
            "vignette": "A man is brought in with chest pain.",
            "stem": "Which of the following enzymes digests starch?",
            "options": ("Amylase", "Lipase", "Pepsin", "Trypsin"),
        },
    ),
    good=(
        {"vignette": "A man has chest pain.", "stem": "Which of the following is the most likely diagnosis?"},
        {
            "vignette": "A man has chest pain.",
            "stem": "Which of the following drugs should this patient be given first?",
        },
        {
            "vignette": "A man takes warfarin for atrial fibrillation.",
            "stem": "Which of the following clotting factors is inhibited by warfarin?",
        },
        {
            "vignette": "A tank holds 400 liters.",
            "stem": "What is the mass of the water?",
            "options": ("200 kg", "400 kg", "800 kg"),
        },
        {"vignette": "", "stem": "Which of the following vitamins is fat-soluble?"},
    ),
)
def vignette_relevance(question: Question) -> Findings:
    vignette = question.vignette
    if not vignette or not vignette.strip() or points_back(question.stem):
        return
    # Questions about what is most likely or indicated need the case, whatever the words.
    if not JUDGEMENT.isdisjoint(question.stem_words):
        return
    # The answer may be computed from a number in the case.
    if DIGIT.search(vignette) and any(quantity(option.text) for option in question.options):
        return
    asked = topic((question.stem,))
    if not asked:
        return
    case = topic((vignette[:LONGEST_READ],))
    if case.isdisjoint(asked) and case.isdisjoint(topic((question.options_text,))):
        message = "The question can be answered without the vignette."
        advice = "Ask about the case in the vignette, or remove the vignette."
        yield question.finding("vignette", message, advice)
