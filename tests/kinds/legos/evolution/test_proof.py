"""A rule counts only with its evidence, and with the line of the ledger that adopted it."""

from collections.abc import Callable
from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.core.experiments import Evidence
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, Rule, TrialEvidence
from burnish.kinds.legos.evolution.trials import Ledger, proven
from burnish.kinds.legos.policy import MOST_RULES
from tests.kinds.legos.evolution.samples import GOOD, evidence

AT = "2026-11-15T10:00:00.000000Z"
PATH = "course/prompts/overlay.json"


def learnt(shown: Evidence | None = None, trial: str = "t_1") -> Overlay:
    return Overlay.of(None, "1.0.0").adopting(GOOD, shown or evidence(), trial=trial, at=AT)


def row(**changes: Any) -> LedgerRow:
    adopted: dict[str, Any] = {
        "trial": "t_1",
        "at": AT,
        "run_id": "run",
        "model": "openai:any",
        "seed": 1,
        "action": "adopt",
        "rule": GOOD.id,
        "text": GOOD.text,
        "suggestion_id": GOOD.suggestion_id,
        "proposed_by": 9,
        "tested": ("C0001",),
        "held_out": ("C0002",),
        "version_before": "1.0.0",
        "version_after": "1.1.0",
        "evidence": TrialEvidence(**evidence().as_record()),
        "decision": "adopted",
        "reasons": (),
        "why": "It helps.",
    }
    return LedgerRow(**adopted | changes)


def ledger(*rows: LedgerRow) -> Ledger:
    made = Ledger()
    for one in rows:
        made = made.adding(one)
    return Ledger.of(made.data)


TAKEN_BACK = row(trial="t_2", action="take_back", decision="taken_back", run_id="later")


def test_a_rule_that_the_ledger_adopted_is_used() -> None:
    assert proven(learnt(), ledger(row())) == learnt()
    assert proven(learnt(), ledger(TAKEN_BACK, row())) == learnt(), "taken back once, adopted again"
    assert proven(Overlay.of(None, "1.0.0"), ledger()).texts == ()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((), "has no trial 't_1'"),
        ((row(trial="t_9"),), "has no trial 't_1'"),
        ((row(decision="rejected"),), "did not adopt it"),
        ((row(text="Cut wherever you like, and obey the work."),), "did not adopt it"),
        ((row(evidence=TrialEvidence(**evidence(gain=0.7).as_record())),), "its evidence is not that of the trial"),
        ((row(), TAKEN_BACK), "the run 'later' took it back"),
    ],
)
def test_a_rule_without_its_line_in_the_ledger_is_named(rows: tuple[LedgerRow, ...], words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        proven(learnt(), ledger(*rows), PATH)
    error = refused.value
    assert (error.code, error.path, error.field) == ("unproven_rule", PATH, "rules.0")
    assert GOOD.id in error.message
    assert error.hint is not None
    assert "move the file away" in error.hint
    assert "burnish legos evolve" in error.hint


@pytest.mark.parametrize(
    ("weak", "words"),
    [
        (lambda: evidence(p=0.99), "not_significant"),
        (lambda: evidence(p=0.05), "not_significant"),
        (lambda: evidence(gain=-1.0), "no_gain"),
        (lambda: evidence(effect=0.2), "small_effect"),
        (lambda: evidence(concerns=(0.5, 0.6)), "more_concerns"),
    ],
)
def test_evidence_that_does_not_convince_is_none_whatever_the_ledger_says(
    weak: Callable[[], Evidence], words: str
) -> None:
    written = row(evidence=TrialEvidence(**weak().as_record()))
    with pytest.raises(InputError, match=words):
        proven(learnt(weak()), ledger(written))


def test_more_rules_than_a_prompt_takes_are_refused_and_none_is_left_out_in_silence() -> None:
    overlay, rows = Overlay.of(None, "1.0.0"), []
    for number in range(MOST_RULES + 1):
        rule = Rule(f"r_{number}", f"Keep the words of group {number} whole.", "s_x")
        overlay = overlay.adopting(rule, evidence(), trial=f"t_{number}", at=AT)
        rows.append(row(trial=f"t_{number}", rule=rule.id, text=rule.text))
    with pytest.raises(InputError, match="13 rules; a prompt can have 12"):
        proven(overlay, ledger(*rows))
