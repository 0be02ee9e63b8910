"""A course that learns: sentence pairs, attempts that suggest rules, and a model that keeps to rules it is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from burnish.core.experiments import Evidence, PairedTest
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, Rule, TrialEvidence
from burnish.kinds.legos.evolution.trials import Ledger
from burnish.kinds.legos.pairs import Pair, record_of
from burnish.store.records import Store, open_records
from tests.app.desk import Desk, Said
from tests.loopback import Answer, Asked, LoopbackModel

COURSE = "mkd_for_eng_80seeds"
AT = "2026-11-15T10:00:00.000Z"
SUBJECTS = {"I see": "Ја гледам", "I meet": "Ја среќавам", "I know": "Ја знам", "I hear": "Ја слушам"}
PEOPLE = {"Ana": "Ана", "Marija": "Марија", "the teacher": "учителката", "my sister": "сестра ми"}
PLACES = {
    "in the garden": "во градината",
    "at the market": "на пазарот",
    "near the river": "покрај реката",
    "behind the house": "зад куќата",
    "every day": "секој ден",
}
"""The last one has no preposition: the model never cuts it badly."""
SEEDS = {" ".join(parts) + ".": parts for parts in product(SUBJECTS, PEOPLE, PLACES)}

NO_PREPOSITION = "Let no LEGO begin with a preposition, but take the word in front of it in."
SMALL_PIECES = "Cut the sentence into single words wherever you can."
POLITENESS = "Be polite and careful in all that you do here."
GOOD, HARMFUL, IDLE = (
    ("s_extend_beyond_preposition", NO_PREPOSITION),
    ("s_small_pieces", SMALL_PIECES),
    ("s_politeness", POLITENESS),
)
Cut = list[tuple[str, str]]


def target_of(source: str) -> str:
    subject, person, place = SEEDS[source]
    return f"{SUBJECTS[subject]} {PEOPLE[person]} {PLACES[place]}."


def torn(source: str) -> Cut:
    """The second LEGO begins with a preposition."""
    subject, person, place = SEEDS[source]
    return [(f"{subject} {person}", f"{SUBJECTS[subject]} {PEOPLE[person]}"), (place, PLACES[place])]


def lawful(source: str) -> Cut:
    first, (place, there) = torn(source)
    person = SEEDS[source][1]
    return [first, (f"{person} {place}", f"{PEOPLE[person]} {there}")]


def crumbs(source: str) -> Cut:
    """Single words, articles and prepositions among them."""
    words, theirs = source.rstrip(".").split(), target_of(source).rstrip(".").split()
    return [(word, theirs[min(place, len(theirs) - 1)]) for place, word in enumerate(words)]


def cut(source: str, system: str) -> Cut:
    """How the model cuts under the rules in its instructions."""
    if SMALL_PIECES in system:
        return crumbs(source)
    return lawful(source) if NO_PREPOSITION in system or "every day" in source else torn(source)


def reply(system: str, user: str) -> dict[str, Any]:
    work = json.loads(user.split("\n")[1])
    legos = [{"source": source, "target": target} for source, target in cut(work["source"], system)]
    return {"reasoning": "Cut as the rules say.", "legos": legos}


Interference = Callable[[Asked], Answer | None]


@contextmanager
def serving(interfere: Interference = lambda asked: None) -> Iterator[LoopbackModel]:
    """The model over HTTP; `interfere` may do something else than answer."""
    with LoopbackModel(lambda asked: interfere(asked) or Answer(reply(asked.system, asked.user))) as server:
        yield server


def suggestion(id: str, change: str) -> dict[str, Any]:
    return {
        "suggestion_id": id,
        "type": "prompt_improvement",
        "priority": "high",
        "suggested_change": change,
        "rationale": "It recurs.",
        "expected_improvement": "+1.0 points",
    }


def attempt(*suggestions: tuple[str, str]) -> dict[str, Any]:
    """A recorded attempt that was flagged."""
    dimensions = dict.fromkeys(
        ("iron_rule_compliance", "naturalness", "pedagogical_value", "consistency", "edge_case_handling"), 6
    )
    return {
        "attempt_number": 1,
        "timestamp": AT,
        "agent_version": "test",
        "prompt_version": "1.0.0",
        "legos_extracted": 2,
        "quality_score": {
            "overall_score": 6.0,
            "dimension_scores": dimensions,
            "calculated_at": AT,
            "scoring_version": "1.0",
        },
        "concerns": [],
        "suggestions": [suggestion(*one) for one in suggestions],
        "status": "flagged",
        "review_notes": "Could be better.",
    }


def reviewed(record: Mapping[str, Any], *suggestions: tuple[str, str]) -> dict[str, Any]:
    return {
        **record,
        "lego_extraction_attempts": [attempt(*suggestions)],
        "quality_status": "flagged",
        "current_quality_score": 6.0,
        "total_attempts": 1,
        "flagged_for_review": True,
        "last_reviewed_at": AT,
    }


def course(
    home: Path,
    *suggestions: tuple[str, str],
    size: int = len(SEEDS),
    store: Store = "files",
    name: str = "course",
    attempts: bool = True,
) -> Path:
    """A course whose attempts suggest these rules; or one that nobody has cut yet."""
    folder = home / name
    folder.mkdir()
    with open_records(folder, store) as records, records.batch():
        for number, source in enumerate(list(SEEDS)[:size], start=1):
            pair = Pair(source, target_of(source), number)
            record = record_of(pair, f"C{number:04}", COURSE, AT)
            records.put_translation(reviewed(record, *suggestions) if attempts else record)
    return folder


def adopt(folder: Path, *rules: tuple[str, str]) -> None:
    """Have the course learn these, as if they had been adopted earlier, by another model."""
    learnt, ledger = Overlay.of(None, "1.0.0"), Ledger()
    shown = Evidence(PairedTest(80, 1.0, 0.001, 1.0), 6.0, 7.0, 20, 1.0, 1.0)
    for number, (suggestion_id, text) in enumerate(rules):
        before, rule = learnt, Rule(f"r_{number}", text, suggestion_id)
        learnt = before.adopting(rule, shown, trial=f"t_{number}", at=AT)
        ledger = ledger.adding(
            LedgerRow(
                trial=f"t_{number}",
                at=AT,
                run_id="earlier",
                model="openai:earlier",
                seed=0,
                action="adopt",
                rule=rule.id,
                text=text,
                suggestion_id=suggestion_id,
                proposed_by=9,
                tested=("C0001",),
                held_out=("C0002",),
                version_before=str(before.version),
                version_after=str(learnt.version),
                evidence=TrialEvidence(**shown.as_record()),
                decision="adopted",
                reasons=(),
                why="It helps.",
            )
        )
    (folder / "prompts").mkdir(exist_ok=True)
    (folder / "prompts/overlay.json").write_bytes(learnt.to_bytes())
    (folder / "prompts/ledger.jsonl").write_bytes(ledger.data)


def evolve(
    desk: Desk, folder: Path, *more: object, interfere: Interference = lambda asked: None, id: str = "ev"
) -> tuple[Said, list[Asked]]:
    """`burnish legos evolve` against the model; and what it was asked."""
    with serving(interfere) as server:
        model = () if "--model" in more else ("--model", "openai:m")
        said = desk(
            "legos",
            "evolve",
            folder,
            *model,
            "--base-url",
            server.base_url,
            "--run-id",
            id,
            "--iron-rule",
            "strict",
            *more,
        )
        return said, list(server.requests)


def overlay(folder: Path) -> Any:
    return json.loads((folder / "prompts/overlay.json").read_text(encoding="utf-8"))


def ledger(folder: Path) -> list[Any]:
    path = folder / "prompts/ledger.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
