"""The verifier: whether a repair is kept. A missing, unreadable or doubtful answer means that it is not.

Code checks first (length, readability), because it is free; then the delta judge; and after the iteration the section
is judged again, and criteria that were good must still be good.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import regex

from burnish.core.gate import is_number
from burnish.core.replies import DeltaReply
from burnish.kinds.lessons.policy import (
    LENGTH_TOLERANCE,
    LOCK_LINE,
    PARAGRAPH_RATIO_MIN,
    REGRESSION_TOLERANCE,
    SENTENCE_MAX,
    WORD_MAX,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement import (
    DeltaJudgeResult,
    JudgeCriterion,
    JudgeIssue,
    QualityLockViolation,
    SectionRefinementTask,
    UniversalReadabilityMetrics,
)
from burnish.kinds.lessons.verdicts import SectionJudgement, judge_issue, unit_scores
from burnish.languages.sentences import sentences
from burnish.text.markdown import markdown

# The full stops of all scripts become one that the sentence splitter knows; the length is unchanged.
STOPS = str.maketrans(dict.fromkeys("।॥።։۔؟។။᠃꘎⸮", "。"))
UNSPACED_STOP = regex.compile(r"(?<=[\p{Thai}\p{Lao}]) +(?=[\p{Thai}\p{Lao}])")
"""Thai and Lao end a sentence with a space only."""

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’\-][\p{L}\p{M}\p{N}]+)*")
TWO_LETTERS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
"""Chinese and Japanese words have about two letters ..."""
FIVE_LETTERS = regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
"""... and those of South-East Asia about five, without marks."""
MARKS = regex.compile(r"\p{M}+")
SPECIAL = re.compile("[\u0300-\u036f\u0483-\u1fff\u2c00-\U0010ffff]")
"""Letters that need more than splitting at spaces. Most texts have none, and take the fast path."""
PLAIN_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
READ_IN_SENTENCES = frozenset({"paragraph", "item"})


def readability(text: str) -> UniversalReadabilityMetrics:
    """The measures of a Markdown text. A text without prose has no problems."""
    # Only prose has sentences: paragraphs and list items, without code, formulas and addresses.
    view = markdown(text)
    prose = (view.prose_of(block) for block in view.blocks if block.kind in READ_IN_SENTENCES)
    plain = (one for one in prose if WORD.search(one))
    # With full stops that the sentence splitter knows.
    paragraphs = [UNSPACED_STOP.sub("。", one.translate(STOPS)) if SPECIAL.search(one) else one for one in plain]
    counts = [count_words(sentence.text) for paragraph in paragraphs for sentence in sentences(paragraph)]
    words = sum(number for number, _ in counts)
    if not words:
        return UniversalReadabilityMetrics(avg_sentence_length=0, avg_word_length=0, paragraph_break_ratio=1)
    letters = sum(number for _, number in counts)
    spoken = sum(1 for number, _ in counts if number)
    return UniversalReadabilityMetrics(
        avg_sentence_length=round(words / spoken, 3),
        avg_word_length=round(letters / words, 3),
        paragraph_break_ratio=round(min(1.0, len(paragraphs) / spoken), 3),
    )


def count_words(sentence: str) -> tuple[int, int]:
    """The number of words in a sentence, and of their letters."""
    if SPECIAL.search(sentence) is None:
        found = PLAIN_WORD.findall(sentence)
        return len(found), sum(map(len, found))
    plain = MARKS.sub("", sentence)
    paired, fives = len(TWO_LETTERS.findall(plain)), len(FIVE_LETTERS.findall(plain))
    spaced = WORD.findall(FIVE_LETTERS.sub(" ", TWO_LETTERS.sub(" ", plain)))
    words = len(spaced) + -(-paired // 2) + -(-fives // 5)
    return words, sum(map(len, spaced)) + paired + fives


LIMITS = (
    ("sentence_length", "avg_sentence_length", 1, SENTENCE_MAX),
    ("word_length", "avg_word_length", 1, WORD_MAX),
    ("paragraph_breaks", "paragraph_break_ratio", -1, PARAGRAPH_RATIO_MIN),
)
"""Measure, its field, whether higher (1) or lower (-1) values are harder to read, and its limit."""


def readability_problems(metrics: UniversalReadabilityMetrics) -> tuple[str, ...]:
    """The names of the measures beyond their limits."""
    return tuple(name for name, field, sign, limit in LIMITS if exceeds(sign * getattr(metrics, field), sign * limit))


def readability_regressions(before: str, after: str) -> tuple[str, ...]:
    """The measures that a repair pushed beyond the limit, or further beyond it. Older problems do not count."""
    old, new = readability(before), readability(after)
    fields = {name: (field, sign) for name, field, sign, _ in LIMITS}
    changes = {name: sign * (getattr(new, field) - getattr(old, field)) for name, (field, sign) in fields.items()}
    return tuple(name for name in readability_problems(new) if exceeds(changes[name], 0))


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a repair is kept, and all reasons why not."""

    passed: bool
    reasons: tuple[str, ...] = ()
    """`length_change`, `readability:<measure>`, `not_verified`, `own_work` (only its writer could verify it),
    `issue_not_settled`, `low_confidence`, `new_issue`."""
    new_issues: tuple[JudgeIssue, ...] = ()
    tokens_used: int = 0
    duration_ms: int = 0


def length_refusal(before: str, after: str, *, may_grow: bool = False) -> str | None:
    """`length_change` if a repair makes the text more than 10 % longer or shorter; an empty text may be filled.

    `may_grow`: something was missing, so that the text must become longer.
    """
    if not before.strip() or (may_grow and len(after) >= len(before)):
        return None
    change = abs(len(after) - len(before)) / len(before)
    return "length_change" if exceeds(change, LENGTH_TOLERANCE) else None


def text_reasons(task: SectionRefinementTask, before: str, after: str) -> tuple[str, ...]:
    """The reasons of code alone against a repair. If there are any, no model is asked."""
    # A section that is written again may be longer than the old one if that was incomplete.
    may_grow = task.action_type == "REGENERATE_SECTION" and "completeness" in task.criteria
    length = length_refusal(before, after, may_grow=may_grow)
    measures = tuple(f"readability:{name}" for name in readability_regressions(before, after))
    return ((length,) if length else ()) + measures


def delta_result(reply: DeltaReply, unit: str, *, tokens: int = 0, ms: int = 0) -> DeltaJudgeResult:
    """The result of the delta judge's reply about a repair in `unit`."""
    return DeltaJudgeResult(
        passed=reply.passed,
        confidence=reply.confidence,
        reasoning=reply.reasoning,
        new_issues=tuple(judge_issue(part, unit) for part in reply.newIssues),
        tokens_used=tokens,
        duration_ms=ms,
    )


def delta_failed(reason: str, *, tokens: int = 0, ms: int = 0) -> DeltaJudgeResult:
    """The result for a delta judge that failed or could not be read: NOT verified."""
    return DeltaJudgeResult(passed=False, confidence="low", reasoning=reason, tokens_used=tokens, duration_ms=ms)


def verify_repair(results: Sequence[DeltaJudgeResult], reasons: Iterable[str] = ()) -> Verification:
    """The verdict on a repair from the delta judge's results (none: not verified) and the reasons of code."""
    found = [*reasons]
    if not results and not found:
        found.append("not_verified")
    new_issues = tuple(issue for result in results for issue in result.new_issues)
    if any(not result.passed for result in results):
        found.append("issue_not_settled")
    if any(result.confidence == "low" for result in results):
        found.append("low_confidence")
    if any(issue.severity != "minor" for issue in new_issues):
        found.append("new_issue")
    return Verification(
        passed=not found,
        reasons=tuple(dict.fromkeys(found)),
        new_issues=new_issues,
        tokens_used=sum(result.tokens_used for result in results),
        duration_ms=sum(result.duration_ms for result in results),
    )


def quality_locks(
    scores: Mapping[JudgeCriterion, float], held: Mapping[JudgeCriterion, float] | None = None
) -> dict[JudgeCriterion, float]:
    """The criteria that are good enough to be locked, each with its best score."""
    locks = dict(held or {})
    for criterion, score in scores.items():
        if is_number(score) and reaches(score, LOCK_LINE):
            locks[criterion] = max(score, locks.get(criterion, 0.0))
    return locks


def lock_violations(
    locks: Mapping[JudgeCriterion, float], scores: Mapping[JudgeCriterion, float], section_id: str
) -> tuple[QualityLockViolation, ...]:
    """Every locked criterion that fell by more than .05, or has no score any more."""
    found: list[QualityLockViolation] = []
    for criterion, locked in locks.items():
        new = scores.get(criterion)
        score = float(new) if is_number(new) else 0.0
        if exceeds(locked - score, REGRESSION_TOLERANCE):
            fell = {"locked_score": locked, "new_score": score, "delta": round(score - locked, 9)}
            found.append(QualityLockViolation(criterion=criterion, section_id=section_id, **fell))
    return tuple(found)


def section_violations(
    before: Iterable[SectionJudgement], after: Iterable[SectionJudgement], unit: str
) -> tuple[QualityLockViolation, ...]:
    """The criteria that got worse in one unit, by the judges that read both versions. Without any, all of them."""
    old, new = [one for one in before if one.unit == unit], [one for one in after if one.unit == unit]
    both = {one.judge for one in old} & {one.judge for one in new}
    judges: Collection[str] = both or {one.judge for one in old}
    locks = quality_locks(unit_scores((one for one in old if one.judge in judges), unit))
    return lock_violations(locks, unit_scores((one for one in new if one.judge in judges), unit), unit)
