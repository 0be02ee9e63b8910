"""The kind as doors see it, and its small parts: reading, people's cuts, terms, facts, and what was tried before."""

import io
from dataclasses import replace
from typing import Any

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, UsageError
from burnish.core.presentation import UnitStory
from burnish.core.records import EventRecord
from burnish.core.tasks import Environment
from burnish.kinds.legos import text_format
from burnish.kinds.legos.attempt_history import best, reviewed
from burnish.kinds.legos.kind import KIND, LegosKind
from burnish.kinds.legos.policy import ACCEPTED, EXTRACTED, PENDING, SETTLED, STATES, WAITING, gate
from burnish.kinds.legos.resources import CourseFacts, Terms, gathered
from burnish.kinds.legos.rule_review import look
from burnish.kinds.legos.text_format import cut_by_person, shown
from tests.kinds.legos import course_samples
from tests.kinds.legos.seed_stories import (
    GOOD,
    ONE,
    TERMS,
    TORN,
    cut,
    decisions_of,
    fresh,
    review_attempt,
    story,
)
from tests.legos_model import MARKET, SEEDS

NOWHERE = Selection(())
ORDER = Environment(NOWHERE, ModelRoles((), {}))


class TestKind:
    def test_it_is_one_whose_units_move_through_stages(self) -> None:
        assert (KIND.name, KIND.noun, KIND.words.doing, KIND.words.done) == ("legos", "SEED", "Cutting", "cut")
        assert KIND.checks == ()
        assert KIND.exports() == {}
        assert KIND.profiles.keys() >= {"default"}
        assert [KIND.stage(name, ORDER).name for name in KIND.phases] == ["align", "extract", "review"]
        assert KIND.is_evident("taken_in.jsonl", b"") is False
        assert (KIND.recognise("x.jsonl", b""), KIND.recognise("x.md", b"")) == ("course", None)
        assert KIND.output_format("x", "course") == "course"
        assert KIND.describe({}) == ()
        assert KIND.said(EventRecord("x")) is None
        assert KIND.context([], {}) is None

    @pytest.mark.parametrize(
        "work",
        [
            lambda kind: kind.survey(io.BytesIO(), "x", "course"),
            lambda kind: kind.overview({}),
            lambda kind: kind.convert(iter(()), "course", io.BytesIO()),
        ],
    )
    def test_a_course_is_no_file(self, work: Any) -> None:
        with pytest.raises(UsageError, match=r"burnish legos extract|own format"):
            work(KIND)

    def test_no_blocker_is_anything_but_a_seed(self) -> None:
        assert not KIND.is_blocker(fresh())
        with pytest.raises(AssertionError):
            KIND.blocker("issue_0001", {})

    def test_the_terms_of_a_plan(self) -> None:
        options = {
            "course": "spa_for_eng_5seeds",
            "extractor": "model",
            "retry_below": 7.0,
            "max_attempts": 2,
            "iron_rule": "phrase_aware",
            "infinitive_to": False,
            "again": ["C0001"],
            "prompt_version": "1.2.0",
            "rules": ["Be brief."],
        }
        kind = LegosKind().supplied({}, options)
        assert (kind.terms.profile.name, kind.terms.commission.target, kind.most_attempts) == ("English", "Spanish", 2)
        assert (kind.terms.rule.variant, kind.terms.rule.infinitive_to) == ("phrase_aware", False)
        assert kind.terms.begins_anew(replace(fresh(), id="C0001"))
        assert not kind.terms.begins_anew(fresh())
        with pytest.raises(UsageError, match="does not support"):
            _ = Terms(course_code="eng_for_jpn_1seeds").profile

    def test_what_is_taken_in(self) -> None:
        accepted = {"lego_extraction_attempts": [course_samples.attempt()], "quality_status": "accepted"}
        cases = [
            (fresh(), PENDING),
            (fresh(**accepted), SETTLED),
            (fresh(**{**accepted, "quality_status": "pending_review"}), PENDING),
            (fresh(quality_status="accepted"), PENDING),
        ]
        assert [KIND.admitted(seed).state for seed, _ in cases] == [state for _, state in cases]
        anew = LegosKind(replace(TERMS, again=frozenset({"all"})))
        assert anew.admitted(cases[1][0]).state == PENDING
        assert KIND.readmitted(fresh(), fresh()) == fresh()
        assert KIND.why_incomplete(fresh()) is not None
        assert KIND.why_incomplete(cut(fresh(), ONE)) is None

    def test_a_persons_cut_is_held_to_the_line(self) -> None:
        kind = LegosKind(TERMS)
        [good, torn] = kind.examine_all([cut(fresh(), GOOD), cut(fresh(), TORN)], NOWHERE, None)
        assert kind.scores(good, None)["overall_score"] == look(cut(fresh(), GOOD), TERMS, None).review.overall
        assert not [finding for finding in good.findings if finding.blocks]
        assert {finding.rule for finding in torn.findings if finding.blocks} == {
            "c_iron_rule_violation",
            "c_guarantee_broken",
        }
        assert kind.gate(0).dimensions[-1].name == "overall_score"
        assert gate().dimensions[-1].minimum == 8.0

    def test_an_estimate_uses_the_legos_that_are_there(self) -> None:
        seed = cut(fresh(), TORN)
        assert KIND.pretended(seed) is seed
        assert LegosKind(TERMS).pretended(fresh()).texts()

    def test_every_state_has_a_way_on(self) -> None:
        ends = {state for state, moves in STATES.moves.items() if not moves}
        assert ends == {"written", SETTLED}
        for state in (PENDING, "aligned", EXTRACTED, "retry_scheduled", ACCEPTED):
            assert WAITING in STATES.moves[state], "a person can always be asked"


class TestReading:
    def test_a_course_is_read_back_as_it_was_written(self) -> None:
        seed = cut(fresh(), GOOD)
        lines = b"".join([*text_format.written([(seed.record, [])]), text_format.seed_line(seed)])
        bare, whole = text_format.read(io.BytesIO(lines), "x")
        assert (bare, whole) == (fresh(), seed)
        assert LegosKind(TERMS).is_published_as(seed, whole)

    @pytest.mark.parametrize("line", [b"{", b"[]", b"{}", b'{"translation": {}, "legos": []}', b"null", b'{"seed": 3}'])
    def test_what_is_no_course_is_refused_with_its_line(self, line: bytes) -> None:
        with pytest.raises(InputError) as refused:
            list(text_format.read(io.BytesIO(b"".join(text_format.written([(fresh().record, [])])) + line), "c.jsonl"))
        assert (refused.value.code, refused.value.line) == ("not_a_course", 2)

    def test_old_legos_are_looked_for(self) -> None:
        old = [{"source": "the market", "target": "пазар"}, {"source": "elsewhere", "target": "на", "metadata": {}}]
        found, lost = text_format.seed_of_records(fresh().record, old).legos
        assert (MARKET[found.start : found.end], found.confidence) == ("the market", 1.0)
        assert (lost.start, lost.end, lost.is_verbatim) == (-1, -1, False)


class TestPeople:
    def test_what_is_shown_can_be_handed_in(self) -> None:
        for legos in (GOOD, TORN, ONE):
            seed = cut(fresh(), legos)
            assert cut_by_person(fresh(), shown(seed), TERMS) == seed

    def test_words_in_no_lego_are_shown_and_passed_over(self) -> None:
        odd = replace(fresh(), source="to us", target="нам")
        seed = replace(odd, uncovered=("to",))
        text = f"{shown(seed)}\nus | нам\n"
        assert "(in no LEGO: to)" in text
        assert cut_by_person(odd, text, TERMS).uncovered == ("to",)

    def test_bars_and_tabs(self) -> None:
        odd = replace(fresh(), source="A | B | C", target="Г | Д")
        for line in ("A | B | C | Г | Д", "A | B | C\tГ | Д"):
            [lego] = cut_by_person(odd, line, TERMS).legos
            assert (lego.source, lego.target) == ("A | B | C", "Г | Д")

    def test_sentences_of_several_lines(self) -> None:
        odd = replace(fresh(), source="We go\nto the market.", target="Ние одиме\nна пазар.")
        text = f"{odd.source}\n{odd.target}\nWe go | Ние одиме\n"
        assert len(cut_by_person(odd, text, TERMS).legos) == 1

    def test_the_line_of_a_mistake_is_named(self) -> None:
        with pytest.raises(InputError) as refused:
            cut_by_person(fresh(), f"{MARKET}\n\n\nWe are going\n", TERMS)
        assert refused.value.line == 4


class TestFacts:
    def test_words_are_aligned_once_and_habits_counted_anew(self) -> None:
        seeds = [replace(fresh(source), id=f"C{place:04}") for place, source in enumerate(SEEDS, start=1)]
        first = gathered(seeds, TERMS, {}).facts
        assert set(first) == {"links", "cuts", "pairs", "habits"}
        facts = CourseFacts(first, TERMS)
        assert all(facts.evidence.links(seed) for seed in seeds)
        assert facts.habits.as_record() == {}, "nothing is cut yet"
        cuts = [cut(seed, ((seed.source.rstrip("."), seed.target.rstrip(".")),)) for seed in seeds]
        second = gathered(cuts, TERMS, first).facts
        assert all(second[name] is first[name] for name in ("links", "cuts", "pairs"))
        assert second["habits"] != first["habits"]
        assert second == gathered(reversed(cuts), TERMS, first).facts, "in whatever order"
        assert CourseFacts({}, TERMS).evidence.links(seeds[0]) == ()


class TestPast:
    def attempts(self, *made: tuple[float, bool, str]) -> Any:
        seed = cut(fresh(), ONE)
        return [
            review_attempt(number, seed, score, passed=passed, cause=cause)
            for number, (score, passed, cause) in enumerate(made, start=2)
        ]

    @pytest.mark.parametrize(
        ("made", "decided", "wanted"),
        [
            ([(6.0, False, "review"), (5.0, False, "review")], [], 2),
            ([(6.0, False, "review"), (6.0, False, "review")], [], 3),
            ([(9.0, False, "review"), (8.0, True, "review")], [], 3),
            ([(9.0, True, "review"), (8.0, True, "person")], [], 3),
            ([(9.0, True, "review"), (4.0, False, "person")], [], 3),
            ([(9.0, True, "person"), (8.0, True, "person")], [], 3),
            ([(9.0, True, "review"), (8.0, True, "review")], [("reject", 2)], 3),
            ([(9.0, True, "review"), (8.0, False, "review")], [("reject", 2)], 2),
            ([(9.0, True, "person"), (8.0, True, "review")], [("edit", 2), ("reject", 2)], 3),
            ([(9.0, True, "review"), (8.0, True, "review")], [("accept", 2)], 2),
        ],
    )
    def test_whose_legos_are_kept(self, made: Any, decided: Any, wanted: int) -> None:
        assert best(self.attempts(*made), decisions_of(*decided)).number == wanted

    def test_only_what_was_scored_is_an_attempt(self) -> None:
        told: UnitStory = story(WAITING, self.attempts((6.0, False, "review")))
        assert [one.number for one in reviewed(told.attempts)] == [2]
