"""Stage 1 in portions: a long lesson is read piece by piece, and a piece that nobody could read loses no other."""

from tests.kinds.lessons.work_driver import ROLES, Performance, Stage
from tests.lessons_model import EVAPORATION, PRECIPITATION, SOUND, Question, World, lesson

READER = {**ROLES, "reviewer": "openai:reader"}
PARAGRAPHS = [paragraph for text in (EVAPORATION, PRECIPITATION) for paragraph in text.format(**SOUND).split("\n\n")]
LONG = "\n\n".join(f"Station {number} of the way. {PARAGRAPHS[number % 4]}" for number in range(170))
"""More than the reader gets at once."""


def flag(location: str, quote: str) -> dict[str, str]:
    return {
        "type": "TONE",
        "severity": "INFO",
        "location": location,
        "quote": quote,
        "description": f"A remark on {location}.",
    }


def reads(question: Question) -> object:
    """A remark on whatever is shown first."""
    if question.reply != "self_review_reply":
        return None
    shown = [unit for unit in ("intro", "condensation") if f"unit: {unit}\n" in question.parts["lesson"]]
    quote = {"intro": "Rain falls", "condensation": "Billions of these drops"}
    issues = [flag(unit, quote[unit]) for unit in shown[:1]]
    return {"reasoning": "Read.", "status": "PASS_WITH_FLAGS", "issues": issues}


def remarks(done: Performance) -> list[str]:
    """Where the reader, not a rule, remarked something."""
    return [issue["location"] for issue in done.data("self_reviewed")["issues"] if issue["type"] == "TONE"]


def test_a_long_lesson_is_read_in_portions_and_all_remarks_count() -> None:
    done = Stage(World(override=reads), roles=READER).perform(lesson(evaporation=LONG))
    assert len(done.asked("reviewer")) == 3
    assert remarks(done) == ["intro", "condensation"]
    assert done.data("self_reviewed")["degraded"] is False
    told = [request.ask.trusted["part"] for request in done.asked("reviewer")]
    assert [text.split(":")[0].strip() for text in told] == [f"This is part {number} of 3" for number in (1, 2, 3)]
    short = Stage(World(override=reads), roles=READER).perform(lesson())
    assert [request.ask.trusted["part"] for request in short.asked("reviewer")] == [""]


def test_a_portion_that_nobody_reads_degrades_the_review_and_keeps_the_rest() -> None:
    def half(question: Question) -> object:
        if question.reply == "self_review_reply" and "unit: evaporation\n" in question.parts["lesson"]:
            return "I have no idea."
        return reads(question)

    done = Stage(World(override=half), roles=READER).perform(lesson(evaporation=LONG))
    reviewed = done.data("self_reviewed")
    assert reviewed["degraded"] is True
    assert remarks(done) == ["intro"]
    assert len(done.asked("reviewer")) == 1 + 3
    assert done.ending.status == "accepted"


def test_claims_that_cannot_be_read_or_checked_accuse_nobody() -> None:
    def silent_on(reply: str) -> World:
        claims = [("precipitation", "in the year 1580", "Palissy explained springs in the year 1580.")]
        return World(claims=claims, override=lambda q: "what?" if q.reply == reply else None)

    for reply, asked in (("claims_reply", 4), ("claim_verdict_reply", 5)):
        done = Stage(silent_on(reply), roles=READER, sources=True).perform(lesson())
        assert len(done.asked("reviewer")) == asked
        assert done.of("claim_verified") == []
        assert done.data("self_reviewed")["status"] == "PASS"
        assert done.data("self_reviewed")["degraded"] is True, "nobody has checked them, and that is said"


def test_remarks_that_do_not_hold_are_dropped_and_told() -> None:
    world = World(review_issues=[flag("intro", "words that stand nowhere")])
    done = Stage(world, roles=READER).perform(lesson())
    assert done.data("finding_dropped")["reason"] == "quote_not_found"
    assert done.data("self_reviewed")["issues"] == []
