"""nbme_longest_answer_correct: the key is clearly the longest option.

What it looks for: a key at least 50 % and 20 characters longer than the next longest option; for long options, 30 % and
40 characters. A key that is only slightly longer is not reported: one in five keys is the longest by chance.
Why it matters: authors tend to make the right answer more exact, and learners know that.
Fix: needs an author or a model: shorten the key, or make the distractors as exact as the key.
"""

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question

LONGER, BY = 1.5, 20
"""Factor and characters by which the key is longer than the next longest option."""

LONGER_SENTENCE, SENTENCE_BY = 1.3, 40
"""The same for long options, which differ noticeably by a smaller factor."""

EXACT = "Give aspirin at once, then arrange for percutaneous coronary intervention within 90 minutes"


@check(
    id="nbme_longest_answer_correct",
    title="Longest option is the key",
    severity="warning",
    bad=(
        {"options": (EXACT, "Give oxygen", "Give heparin", "Order a chest x-ray")},
        {
            "options": ("Aspirin", "Heparin", "Slow infusion of tissue plasminogen activator", "Oxygen"),
            "correct_answer": "C",
        },
        {
            "options": (
                "It lowers the glucose level by moving transporters to the membrane of muscle and fat cells",
                "It raises the glucose level by breaking down the stores",
                "It lowers the glucose level by blocking the kidney",
                "It has no effect on the level of glucose in the blood",
            )
        },
    ),
    good=(
        {"options": ("Aspirin and heparin", "Oxygen", "Heparin", "Morphine")},
        {"options": (EXACT, "Give oxygen", "Give heparin", "Order a chest x-ray"), "correct_answer": "B"},
        {"options": (EXACT, f"{EXACT[:80]} today", "Give heparin", "Order a chest x-ray")},
        {"options": ("Acetaminophen", "Aspirin", "Codeine", "Heparin")},
        {"options": (EXACT, "Give oxygen", "Give heparin"), "correct_answer": "Z"},
    ),
)
def longest_answer_correct(question: Question) -> Findings:
    key = question.key
    if key is None or len(question.distractors) < 2:
        return
    length = len(key.text.strip())
    next_longest = max(len(option.text.strip()) for option in question.distractors)
    ahead = length - next_longest
    short_options = length >= LONGER * next_longest and ahead >= BY
    long_options = length >= LONGER_SENTENCE * next_longest and ahead >= SENTENCE_BY
    if short_options or long_options:
        message = f"The key is clearly the longest option ({length} characters; the next has {next_longest})."
        yield question.finding(key, message, "Shorten the key, or make the distractors as exact as it is.")
