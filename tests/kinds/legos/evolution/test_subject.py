"""What a run is about: drawn once, and the same whenever it goes on. And what an answer is worth."""

import json
from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.core.replies import LegoPart, LegoReply
from burnish.kinds.legos.evidence import CourseEvidence, learn
from burnish.kinds.legos.evolution.overlay import rule_text
from burnish.kinds.legos.evolution.subject import CourseView, Subject
from burnish.kinds.legos.evolution.trials import Extractions
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.pairs import Pair, record_of
from burnish.kinds.legos.policy import SUGGESTIONS
from burnish.kinds.legos.requests import Commission
from burnish.kinds.legos.resources import Terms
from burnish.languages.profiles import profile_of
from tests.kinds.legos.evolution.samples import record as suggesting
from tests.kinds.legos.evolution.samples import suggestion

AT = "2026-11-15T10:00:00.000Z"
CODE = "mkd_for_eng_60seeds"


def translation(number: int, code: str = CODE) -> dict[str, Any]:
    made = record_of(Pair(f"I see {number} birds.", f"Гледам {number} птици.", number), f"C{number:04}", code, AT)
    return made | {"lego_extraction_attempts": suggesting(number, [suggestion()])["lego_extraction_attempts"]}


def lego(of: dict[str, Any], end: int = 5) -> dict[str, Any]:
    return {
        "uuid": "f" * 32,
        "type": "lego",
        "provenance": f"S{int(of['seed_id'][1:])}L1",
        "source_translation_uuid": of["uuid"],
        "source_seed_id": of["seed_id"],
        "source": of["source"][:end],
        "target": of["target"][:6],
        "metadata": {
            "course_code": CODE,
            "phase": "phase_3",
            "word_count": 2,
            "start_index": 0,
            "end_index": end,
            "target_start_index": 0,
            "target_end_index": 6,
            "alignment_confidence": 1.0,
            "iron_rule_compliant": True,
            "created_at": AT,
        },
    }


def rows(count: int = 60) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    translations = [translation(number) for number in range(1, count + 1)]
    return [(one, [lego(one)]) for one in translations]


FACTS = {
    "links": {f"C{n:04}": "0-0" for n in range(1, 61)},
    "cuts": {f"C{n:04}": "" for n in range(1, 61)},
    "pairs": {},
}


def test_what_a_run_is_about_comes_back_from_its_journal() -> None:
    subject = Subject.of(CourseView.of(rows()), FACTS, b'{"version":"1.0.0"}', (), size=50, seed=4)
    again = Subject.from_record(json.loads(json.dumps(subject.as_record())))
    assert again == subject
    assert len(again.seeds) == 50
    assert again.suggested.rules[0].proposed_by == 60
    assert set(again.seeds) == set(again.split.units)


def test_the_habits_are_those_of_the_legos_that_stand() -> None:
    habits = CourseView.of(rows()).habits
    assert habits.share_joined("i", "see") == 1.0


def test_a_lego_that_is_not_valid_makes_no_habit() -> None:
    broken = [(one, [cut | {"uuid": "x"} for cut in cuts]) for one, cuts in rows()]
    subject = Subject.of(CourseView.of(broken), FACTS, None, (), size=50, seed=4)
    assert subject.habits is None


def test_too_few_seeds_and_several_courses_are_refused() -> None:
    with pytest.raises(InputError, match="62 SEEDs of the course can be used"):
        CourseView.of(rows(62)).refuse_too_few("course")
    CourseView.of(rows(63)).refuse_too_few("course")
    mixed = [*rows(), (translation(77, "rus_for_eng"), [])]
    with pytest.raises(InputError, match="several courses: mkd_for_eng_60seeds, rus_for_eng"):
        CourseView.of(mixed).course_code("course")
    assert CourseView.of(rows()).course_code("course") == CODE


SEED = Seed("C0001", "a" * 32, "I see Ana in the garden.", "Ја гледам Ана во градината.", "mkd_for_eng")


def evidence() -> CourseEvidence:
    """What one SEED says of itself, with the lexicon of its languages."""
    languages = Terms(course_code="mkd_for_eng").languages
    return CourseEvidence(learn([SEED], languages, IronRule("strict", True)), languages)


def worth(*legos: tuple[str, str]) -> float:
    profile = profile_of("eng")
    assert profile is not None
    extractions = Extractions(
        {"C0001": SEED}, Commission(profile, "Macedonian", IronRule("strict", True)), None, evidence()
    )
    reply = LegoReply(reasoning="", legos=tuple(LegoPart(source=one, target=other) for one, other in legos))
    return extractions.measured("C0001", reply).score


def test_a_lawful_cut_is_worth_more_than_a_torn_one_and_that_more_than_none() -> None:
    lawful = worth(("I see Ana", "Ја гледам Ана"), ("Ana in the garden", "Ана во градината"))
    torn = worth(("I see Ana", "Ја гледам Ана"), ("in the garden", "во градината"))
    assert lawful > torn > worth(("You see Eve", "Ја гледам Ева")) == worth() == 0


def test_a_rule_that_makes_a_model_stop_cutting_gains_nothing() -> None:
    cut = worth(("I see Ana", "Ја гледам Ана"), ("Ana in the garden", "Ана во градината"))
    assert cut > worth(("I see Ana in the garden", "Ја гледам Ана во градината"))


def test_an_arm_asks_with_its_rules_and_an_answer_that_cannot_be_read_is_worth_nothing() -> None:
    profile = profile_of("eng")
    assert profile is not None
    extractions = Extractions(
        {"C0001": SEED}, Commission(profile, "Macedonian", IronRule("strict", True)), None, evidence()
    )
    assert extractions.ask("C0001", ()).trusted["rules"] == ""
    assert "Keep verbs whole." in extractions.ask("C0001", ("Keep verbs whole.",)).trusted["rules"]
    assert extractions.measured("C0001", None).score == 0


def test_whatever_our_own_review_suggests_can_become_a_rule() -> None:
    for advice in SUGGESTIONS.values():
        assert rule_text(advice.rule) == advice.rule
