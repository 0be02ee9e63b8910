"""nbme_single_best_answer: the question does not have the form of one question with one answer.

What it looks for: a key that is missing, names no option, names several (a multiple response may name several) or is
a position that counts from zero, as all keys of the bank show;
options without text, with the same letter or with the same text; and, for a single-best-answer question, fewer than
three options or more than five.
Why it matters: such a question cannot be scored.
Fix: safe if the key names its option in another form ("b.", "Option B", or the text of the option); everything else
needs an author.
"""

from collections import Counter

from burnish.core.checks import check
from burnish.core.edits import Edit
from burnish.core.findings import Finding, Standing
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.model import Findings, Option, Question, counted_position, meant_keys

FEWEST, MOST = 3, 5
SHOWN = 40


@check(
    id="nbme_single_best_answer",
    title="Not one best answer",
    severity="error",
    proven="sometimes",
    fatal=True,
    bad=(
        {"correct_answer": ""},
        {"correct_answer": "F"},
        {"correct_answer": "A, C"},
        {"correct_answer": "0", "_context": {"keys_from_zero": True}},
        {"correct_answer": "(a)"},
        {"correct_answer": "Aspirin"},
        {"options": ("Aspirin", "Digoxin")},
        {"options": ()},
        {"options": ("Aspirin", "Digoxin", "Furosemide", "Lidocaine", "Verapamil", "Oxygen")},
        {"options": ("Aspirin", "", "Digoxin", "Furosemide")},
        {"type": "multiple_response", "correct_answer": ""},
        {"type": "multiple_response", "correct_answer": "A, Z"},
        {"options": ("Aspirin", "Digoxin", "Digoxin", "Furosemide")},
        {
            "options": (
                {"key": "A", "text": "Aspirin"},
                {"key": "A", "text": "Digoxin"},
                {"key": "B", "text": "Furosemide"},
            )
        },
    ),
    good=(
        {"type": "multiple_response", "correct_answer": "A, C"},
        {"type": "true_false", "options": ("True", "False")},
        {"options": ("Aspirin", "Digoxin", "Furosemide")},
        {"options": ("Bb", "bb", "BB", "bB")},
        {"correct_answer": " B "},
        {
            "type": "extended_matching",
            "options": ("Aspirin", "Digoxin", "Furosemide", "Lidocaine", "Verapamil", "Oxygen", "Heparin"),
        },
        {
            "options": (
                {"key": "1", "text": "Aspirin"},
                {"key": "2", "text": "Digoxin"},
                {"key": "3", "text": "Furosemide"},
            ),
            "correct_answer": "3",
        },
    ),
)
def single_best_answer(question: Question, context: BankContext) -> Findings:
    yield from _count(question)
    yield from _letters(question)
    yield from _texts(question)
    position = counted_position(question) if context.keys_from_zero else None
    if position is not None and position < len(question.options):
        yield _counted(question, question.options[position])
    elif question.options and not question.right:
        yield _key(question)


def _count(question: Question) -> Findings:
    count = len(question.options)
    if count and (question.type != "single_best_answer" or FEWEST <= count <= MOST):
        return
    suggestion = f"Give it {FEWEST} to {MOST}: {'add plausible ones' if count < FEWEST else 'drop the weakest'}."
    message = f"The question has {({0: 'no options', 1: 'one option'}).get(count, f'{count} options')}."
    data = {"option_count": count} if count else {}
    # Two or six options are a matter of house style; without options there is no question.
    standing: Standing | None = "proven" if count <= 1 else None
    advice = suggestion if count else "Give it three to five options."
    yield question.finding("options", message, advice, data=data, standing=standing)


def _letters(question: Question) -> Findings:
    for key, times in Counter(option.key.strip() for option in question.options).items():
        if times > 1 or not key:
            message = "An option has no letter." if times == 1 else f"{times} options have the letter {key[:SHOWN]!r}."
            suggestion = "Give each option a letter of its own."
            yield question.finding("options", message, suggestion, standing="proven")


def _texts(question: Question) -> Findings:
    first: dict[str, str] = {}
    for option in question.options:
        text = " ".join(option.text.split())
        field = f"options.{option.key}"
        if not text:
            message = f"Option {option.key} has no text."
            yield question.finding(field, message, "Write the option, or remove it.", standing="proven")
        elif text in first:
            message = f"Options {first[text]} and {option.key} are the same."
            yield question.finding(field, message, "Replace one of the two.", standing="proven")
        first.setdefault(text, option.key)


def _counted(question: Question, option: Option) -> Finding:
    message = f"The correct answer {question.correct_answer.strip()!r} counts from zero, as in the whole bank."
    suggestion = f"Write {option.key!r}, if {option.text.strip()[:SHOWN]!r} is the right answer."
    return question.finding("correct_answer", message, suggestion, data={"counts_from": 0, "option": option.key})


def _key(question: Question) -> Finding:
    given = question.correct_answer.strip()
    if not given:
        advice = "Name the letter of the right option."
        return question.finding("correct_answer", "No correct answer is given.", advice, standing="proven")
    meant = meant_keys(question.options, given)
    if len(meant) > 1:
        message, suggestion = f"{len(meant)} correct answers are given ({given[:SHOWN]}).", "Keep one right option."
    else:
        message = f"The correct answer {given[:SHOWN]!r} names no option."
        suggestion = (
            f"Write {meant[0]!r}." if meant else f"Name one of {', '.join(o.key for o in question.options[:10])}."
        )
    return question.finding(
        "correct_answer",
        message,
        suggestion,
        fix=Edit(question.id, "correct_answer", question.correct_answer, meant[0]) if len(meant) == 1 else None,
        standing="proven",
    )
