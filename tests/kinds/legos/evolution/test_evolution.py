"""The course of an evolution: what is tried when, and what becomes of it."""

from burnish.core.experiments import Evidence
from burnish.kinds.legos.evolution.overlay import Overlay, Rule
from burnish.kinds.legos.evolution.trials import Evolution, Settled
from burnish.kinds.legos.policy import MOST_RULES
from tests.kinds.legos.evolution.samples import GOOD, NOTHING_GAINED, OTHER, evidence

AT = "2026-11-15T10:00:00.000000Z"


def all_settled(evolution: Evolution, shown: dict[str, Evidence]) -> list[Settled]:
    """Go through an evolution in which each rule shows this."""
    done = []
    while (trial := evolution.next()) is not None:
        done.append(evolution.settle(trial, shown[trial.rule.id], name=f"t_{trial.number}", at=AT))
    return done


def test_a_rule_with_evidence_is_adopted_and_the_next_is_tried_on_top_of_it() -> None:
    evolution = Evolution(Overlay.of(None, "1"), (GOOD, OTHER))
    first, second = all_settled(evolution, {GOOD.id: evidence(), OTHER.id: NOTHING_GAINED})
    assert (first.decision, second.decision) == ("adopted", "rejected")
    assert (first.trial.before, first.trial.after) == ((), (GOOD.text,))
    assert (second.trial.before, second.trial.after) == ((GOOD.text,), (GOOD.text, OTHER.text))
    assert evolution.overlay.texts == (GOOD.text,)
    assert (str(first.before.version), str(first.after.version)) == ("1.0.0", "1.1.0")
    assert second.after == second.before


def test_what_was_adopted_earlier_is_tried_first_and_taken_back_when_it_harms() -> None:
    earlier = Overlay.of(None, "1").adopting(GOOD, evidence(), trial="t", at=AT)
    taken, adopted = all_settled(Evolution(earlier, (OTHER,)), {GOOD.id: evidence(), OTHER.id: evidence()})
    assert (taken.trial.action, taken.decision) == ("take_back", "taken_back")
    assert (taken.trial.before, taken.trial.after) == ((GOOD.text,), ())
    assert adopted.trial.before == ()
    assert adopted.after.texts == (OTHER.text,)
    assert str(adopted.after.version) == "1.3.0"


def test_a_rule_that_does_no_harm_is_kept() -> None:
    earlier = Overlay.of(None, "1").adopting(GOOD, evidence(), trial="t", at=AT)
    evolution = Evolution(earlier, ())
    [kept] = all_settled(evolution, {GOOD.id: NOTHING_GAINED})
    assert kept.decision == "kept"
    assert evolution.overlay == earlier
    assert evolution.most_trials == 1


def test_an_old_overlay_that_says_the_same_twice_is_tried_once() -> None:
    earlier = Overlay.of(None, "1")
    for trial in ("t_1", "t_2"):
        earlier = earlier.adopting(GOOD, evidence(), trial=trial, at=AT)
    evolution = Evolution(earlier, (OTHER,))
    taken, adopted = all_settled(evolution, {GOOD.id: evidence(), OTHER.id: evidence()})
    assert (taken.trial.before, taken.trial.after) == ((GOOD.text, GOOD.text), ())
    assert adopted.after.texts == (OTHER.text,)


def test_chance_is_shared_among_the_candidates_and_among_the_rules_in_use() -> None:
    """What was adopted gives its share to those that are left."""
    third = Rule("r_third", "Never cut behind a determiner.", "s_third")
    fourth = Rule("r_fourth", "Never cut behind a pronoun.", "s_fourth")
    earlier = Overlay.of(None, "1").adopting(fourth, evidence(), trial="t", at=AT)
    shown = {fourth.id: NOTHING_GAINED, GOOD.id: evidence(), OTHER.id: NOTHING_GAINED, third.id: NOTHING_GAINED}
    done = all_settled(Evolution(earlier, (GOOD, OTHER, third)), shown)
    assert [one.trial.p_below for one in done] == [0.05, 0.05 / 3, 0.025, 0.025]


def test_a_full_overlay_takes_no_more() -> None:
    overlay = Overlay.of(None, "1")
    for number in range(MOST_RULES):
        rule = Rule(f"r_{number}", f"Keep the words of group {number} whole.", "s_x")
        overlay = overlay.adopting(rule, evidence(), trial="t", at=AT)
    evolution = Evolution(overlay, (GOOD,))
    shown = {rule.id: NOTHING_GAINED for rule in overlay.rules}
    assert {done.trial.action for done in all_settled(evolution, shown)} == {"take_back"}


def test_every_trial_shares_an_arm_with_those_before_it() -> None:
    """So a run asks about each SEED once for every trial, and once more."""
    earlier = Overlay.of(None, "1").adopting(GOOD, evidence(), trial="t", at=AT)
    third = Rule("r_third", "Never cut behind a determiner.", "s_third")
    for shown in (evidence(), NOTHING_GAINED):
        done = all_settled(Evolution(earlier, (OTHER, third)), dict.fromkeys((GOOD.id, OTHER.id, third.id), shown))
        known = {done[0].trial.before}
        for one in done:
            assert one.trial.before in known
            known.add(one.trial.after)


def test_people_read_why() -> None:
    [adopted] = all_settled(Evolution(Overlay.of(None, "1"), (GOOD,)), {GOOD.id: evidence(p=0.0004)})
    assert adopted.why == (
        "With the rule +0.80 points over 80 SEEDs (p < 0.001, effect 0.90); 1.00 to 0.50 concerns a SEED on 20 others."
    )
    [rejected] = all_settled(Evolution(Overlay.of(None, "1"), (GOOD,)), {GOOD.id: NOTHING_GAINED})
    assert rejected.why == "With the rule -0.10 points over 80 SEEDs (p 0.700, effect -0.05): no gain."
    [chance] = all_settled(Evolution(Overlay.of(None, "1"), (GOOD,)), {GOOD.id: evidence(p=0.2, effect=0.1)})
    assert chance.why.endswith("it may be chance (p is not below 0.05); the effect is not above 0.2.")
    [risen] = all_settled(Evolution(Overlay.of(None, "1"), (GOOD,)), {GOOD.id: evidence(concerns=(0.5, 0.6))})
    assert risen.decision == "rejected"
    assert risen.why.endswith("concerns rise on held-out SEEDs, from 0.50 to 0.60 concerns a SEED on 20 others.")
