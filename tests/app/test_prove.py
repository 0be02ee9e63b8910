"""`burnish prove`: every damage damages, always the same; what is seen is counted; a killed proof goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.kinds import known_kinds
from burnish.app.proof_copies import Order, cases_of, subject_of
from burnish.app.proof_report import excerpts, record_of
from burnish.app.prove import Proof, Prover, new_findings
from burnish.app.settings import load
from burnish.cli.main import main
from burnish.core.damage import Damage
from burnish.core.findings import Finding
from burnish.languages.alignment import learned
from tests.golden.prove.reports import SAMPLES, TRANSLATION

ANSWERS = {"A": "Ampoule of water", "B": "Tablet of salt", "C": "Drop of oil", "D": "Spoon of sugar"}
QUESTIONS = [
    {
        "id": f"q{number}",
        "stem": f"A nurse gives a patient {dose} mg of a drug and writes it down. How many mg is the dose?",
        "options": {"A": "10 MG", "B": "20 MG", "C": "30 MG", "D": "40 MG"} if number else ANSWERS,
        "correct_answer": "ABCD"[number],
        "rationale": f"The nurse gave {dose} mg and neither more nor less, as the record says: 10, 20, 30 or 40 mg.",
        "metadata": {"bloom_level": "apply"},
    }
    for number, dose in enumerate((10, 20, 30, 40))
]
LESSON = """# Water

## Where it comes from

Water moves around the earth in a circle that has **four** parts. It rises from the sea in 1990 drops a second, forms \
clouds, falls as rain and returns. Nobody can see the whole circle at once, and that is why we draw it. The drawing is \
not exact. It helps us to talk about what happens in each of the parts.

## Where it goes

Rivers carry most of the water back to the sea. Some of it sinks into the ground and stays there for a long time. \
Plants drink it, and people pump 300 litres of it to the surface every day. What is left evaporates again, and the \
circle begins anew. This is how the same water is used again and again by everybody.
"""
SOURCE = """Ana Vidal did not sleep in Lisbon. The boat **never** came back after 12 days and 30 km.

The old man walked 12 km with Pedro before the storm began. Nobody followed him to the house.

In winter the road to Madrid is closed for 3 weeks. We do not know what Maria wants to do then.

The garden behind the house is very large and green. Carlos works there for 5 hours every day.

My sister wants to buy a new car next year. She has saved money for 7 months with Elena.

The school in Toledo opens at 8 in the morning. The teacher does not like to wait for anyone.
"""
TARGET = """Ana Vidal no durmió en Lisbon. El barco **nunca** volvió después de 12 días y 30 km.

El viejo caminó 12 km con Pedro antes de que empezara la tormenta. Nadie lo siguió hasta la casa.

En invierno la carretera a Madrid está cerrada durante 3 semanas. No sabemos qué quiere hacer Maria entonces.

El jardín detrás de la casa es muy grande y verde. Allí trabaja Carlos durante 5 horas cada día.

Mi hermana quiere comprar un coche nuevo el año que viene. Ha ahorrado dinero durante 7 meses con Elena.

La escuela de Toledo abre a las 8 de la mañana. Al profesor no le gusta esperar a nadie.
"""


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Order]:
    """A document of each kind in which every damage finds a place."""
    home = tmp_path_factory.mktemp("sound")
    files = {"bank.json": json.dumps(QUESTIONS), "water.md": LESSON, "a.md": SOURCE, "b.md": TARGET}
    for name, text in files.items():
        (home / name).write_text(text, encoding="utf-8")
    return {
        "questions": Order([str(home / "bank.json")], n=6),
        "lessons": Order([str(home / "water.md")], n=6),
        "manuscripts": Order([str(home / "a.md"), str(home / "b.md")], bitext=True, languages=("en", "es"), n=6),
        "legos": Order([str(SAMPLES / "neighbours.tsv")], course="spa_for_eng", n=6),
    }


def proof_of(order: Order) -> Proof:
    return Prover(subject_of(order, load(flags={}))).by_rules()


DAMAGES = [(name, damage) for name, kind in known_kinds().items() for damage in kind.damages]


@pytest.mark.parametrize(("kind", "damage"), DAMAGES, ids=lambda one: one if isinstance(one, str) else one.id)
def test_a_damage_damages_and_is_always_the_same(kind: str, damage: Damage, orders: dict[str, Order]) -> None:
    document = subject_of(orders[kind], load(flags={})).documents[0]
    places = [(document, at) for at in range(len(document.units))]
    made, again = (list(cases_of(damage, places, 6, 1)) for _ in range(2))
    assert made, "it finds a place in a sound document"
    assert [case.key for case in made] == [case.key for case in again]
    for case in made:
        before = {unit.id: unit for unit in case.originals}
        assert all(unit.content_hash != before[unit.id].content_hash for unit in case.damaged.units)
        field, span = case.damaged.field, case.damaged.span
        if span is not None:
            text = case.damaged.units[0].texts()[field]
            assert 0 <= span[0] < span[1] <= len(text)


@pytest.mark.parametrize("kind", known_kinds())
def test_phrases_come_in_both_halves_and_several_languages(kind: str) -> None:
    phrases = [phrase for damage in known_kinds()[kind].damages for phrase in damage.phrases]
    if not phrases:
        assert kind == "legos"
        return
    held_out = {phrase.language for phrase in phrases if phrase.half == "held_out"}
    assert len(held_out) >= 5
    open_texts = {phrase.text for phrase in phrases if phrase.half == "open"}
    assert not open_texts & {phrase.text for phrase in phrases if phrase.half == "held_out"}


def test_other_seeds_damage_other_places(orders: dict[str, Order]) -> None:
    document = subject_of(orders["lessons"], load(flags={})).documents[0]
    places = [(document, at) for at in range(len(document.units))]
    damage = next(one for one in known_kinds()["lessons"].damages if one.id == "foreign_letters")
    one, other = ([case.key for case in cases_of(damage, places, 6, seed)] for seed in (1, 2))
    assert one != other


def test_only_what_the_original_does_not_have_counts(orders: dict[str, Order]) -> None:
    proof = proof_of(orders["lessons"])
    case = proof.seen[0].case

    def finding(rule: str, unit: str = case.unit) -> Finding:
        return Finding(rule, "error", unit, None, "It is wrong.")

    known, new = finding("old"), finding("new")
    assert new_findings([known], [known, new], case, "warning") == [new]
    assert new_findings([], [finding("new", "elsewhere")], case, "warning") == []
    assert new_findings([], [Finding("soft", "warning", case.unit, None, "Perhaps.")], case, "error") == []


def test_what_has_a_form_is_seen_and_what_it_means_is_not(orders: dict[str, Order]) -> None:
    record = record_of(proof_of(orders["questions"]))
    shares = {line["id"]: line["share"] for line in record["damages"]}
    assert shares["no_key"] == shares["same_options"] == shares["all_of_the_above"] == 1.0
    assert shares["exchanged_key"] < 0.5
    assert record["models"] == [] and record["usage"] is None
    missed = next(one for one in record["missed"] if one["damage"] == "exchanged_key")
    assert "".join(missed["before"]) != "".join(missed["after"])


LEFT_BEHIND = [damage.id for damage in known_kinds()["lessons"].damages if damage.phrases and not damage.is_meaning]


@pytest.mark.parametrize("damage", LEFT_BEHIND)
def test_the_rules_of_lessons_see_what_they_were_written_with(damage: str, orders: dict[str, Order]) -> None:
    """At least 85 % of the open phrases. Those that are held out are counted by `make eval`, not here."""
    record = record_of(proof_of(replace(orders["lessons"], damages=(damage,), n=400)))
    [line] = record["damages"]
    assert line["halves"]["open"]["share"] >= 0.85, [one["phrase"] for one in record["missed"] if one["half"] == "open"]


def test_a_fix_that_hides_damage_is_told(orders: dict[str, Order]) -> None:
    record = record_of(proof_of(orders["lessons"]))
    lines = {line["id"]: line for line in record["damages"]}
    assert lines["lookalike"]["mended"] == lines["lookalike"]["copies"]
    assert lines["cut_off"]["mended"] == lines["cut_off"]["hidden"] == 0


def test_judges_see_what_rules_do_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = f"scripted:{SAMPLES / 'biology_judge.json'}"
    arguments = ["prove", str(SAMPLES / "biology.json"), "--damage", "exchanged_key", "--judges", judge]
    arguments += ["--runs", str(tmp_path), "--run-id", "keys", "--json"]
    assert main(arguments) == 0
    record = json.loads(capsys.readouterr().out)
    [line] = record["damages"]
    assert line["share"] == 1.0 and "scripted:biology_judge.json" in line["by"]
    calls = record["usage"]["calls"]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["usage"]["calls"] == calls, "nothing is paid twice"


def test_an_estimate_asks_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = f"scripted:{SAMPLES / 'biology_judge.json'}"
    arguments = ["prove", str(SAMPLES / "biology.json"), "--damage", "exchanged_key", "--judges", judge]
    assert main([*arguments, "--runs", str(tmp_path), "--estimate", "--json"]) == 0
    bill = json.loads(capsys.readouterr().out)
    assert bill["likely"]["calls"] > 0 and not list(tmp_path.iterdir())


def test_a_limit_ends_it_with_exit_code_6(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = f"scripted:{SAMPLES / 'biology_judge.json'}"
    arguments = ["prove", str(SAMPLES / "biology.json"), "--damage", "exchanged_key", "--judges", judge]
    assert main([*arguments, "--runs", str(tmp_path), "--max-tokens", "500", "--json"]) == 6
    said = capsys.readouterr()
    assert json.loads(said.out)["not_judged"] > 0 and "--run-id" in said.err


def test_at_least_fails_where_a_damage_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["prove", str(SAMPLES / "biology.json"), "--damage", "no_key,exchanged_key"]
    assert main([*arguments, "--at-least", "90"]) == 1
    assert "Key exchanged" in capsys.readouterr().err
    assert main(["prove", str(SAMPLES / "biology.json"), "--damage", "no_key", "--at-least", "90"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--damage", "nonsense"], "There is no damage 'nonsense'"),
        (["--severity", "awful"], "There is no severity 'awful'"),
        (["--kind", "legos"], "languages of the pairs are not known"),
        (["--html", str(SAMPLES / "biology.json")], "is one of the documents"),
    ],
)
def test_slips_are_told(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", str(SAMPLES / "biology.json"), *arguments]) == 2
    assert told in capsys.readouterr().err


def test_the_page_stands_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "proof.html"
    assert main(["prove", "--bitext", str(SAMPLES / "lighthouse.md"), str(TRANSLATION), "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text and "http://" not in text.replace("http://www.w3.org", "")
    assert 'class="heat"' in text and "Two translations exchanged" in text
    assert "<ins>" in text and "default-src &#39;none&#39;" in text


@pytest.mark.process
def test_a_killed_proof_goes_on_and_pays_nothing_twice(tmp_path: Path) -> None:
    rules = json.loads((SAMPLES / "biology_judge.json").read_text(encoding="utf-8"))
    for rule in rules["rules"]:
        rule["latency"] = 0.05
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(rules), encoding="utf-8")
    command = [sys.executable, "-m", "burnish.cli.main", "prove", str(SAMPLES / "biology.json"), "--damage"]
    command += ["exchanged_key,cut_stem", "--judges", f"scripted:{slow}", "--workers", "2", "--json", "--runs"]
    whole = _run([*command, str(tmp_path / "a"), "--run-id", "k"])
    killed = [*command, str(tmp_path / "b"), "--run-id", "k"]
    process = subprocess.Popen(killed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = tmp_path / "b" / "proofs" / "k" / "journal.sqlite"
    deadline = time.monotonic() + 30
    while _calls(journal) < 6 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = _calls(journal)
    assert 6 <= before < whole["usage"]["calls"]
    again = _run(killed)
    assert _calls(journal) == whole["usage"]["calls"], "every call is made once"
    assert again["damages"] == whole["damages"] and again["missed"] == whole["missed"]


def _calls(journal: Path) -> int:
    if not journal.is_file():
        return 0
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as opened:
            return int(opened.execute("SELECT count(*) FROM calls").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _run(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_replaced_option_is_not_seen_by_its_rationale(orders: dict[str, Order]) -> None:
    """One fault in a copy: a rationale that passes over the new option would be another."""
    wanted = ("all_of_the_above", "implausible_option", "placeholder_option", "same_options", "opposite_option")
    order = Order([str(SAMPLES / "biology.json")], damages=wanted, n=24)
    seen = proof_of(order).seen
    assert {one.case.damage.id for one in seen} == set(wanted)
    assert not [one for one in seen if "ext_rationale_completeness" in one.detectors]


def test_neighbours_are_looked_at_in_copies_of_translations(orders: dict[str, Order]) -> None:
    proof = proof_of(replace(orders["manuscripts"], damages=("exchanged", "shifted")))
    for id in ("exchanged", "shifted"):
        seen = [one for one in proof.seen if one.case.damage.id == id]
        assert seen and all("misplaced_text" in one.detectors for one in seen)


def test_an_article_that_fits_all_options_again_is_mended() -> None:
    order = Order([str(SAMPLES / "biology.json")], damages=("grammatical_cue",))
    fixes = [one.fix for one in proof_of(order).seen if one.findings]
    assert fixes and set(fixes) == {"mended"}


def test_originals_have_intervals(orders: dict[str, Order]) -> None:
    record = record_of(proof_of(replace(orders["manuscripts"], damages=("cut",))))
    alarms, fixes = record["originals"]["with_errors"], record["originals"]["with_fixes"]
    assert alarms["units"] == fixes["units"] == 0
    assert alarms["low"] == 0 < alarms["high"] < 0.5
    assert record["rules"] > 30


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("Sube los 96 escalones.", "Sube los 96 metros.", ("escalones", "metros")),
        ("El barco", "Esta es: El barco", ("", "Esta es: ")),
        ("Ana no durmió.", "Ana durmió.", ("no ", "")),
        ("1990", "1991", ("1990", "1991")),
        ("ab", "ab", ("", "")),
    ],
)
def test_excerpts_show_whole_words(before: str, after: str, changed: tuple[str, str]) -> None:
    parts = excerpts(before, after)
    assert tuple(part[1] for part in parts) == changed
    assert ["".join(part) for part in parts] == [before, after]


def test_a_users_lexicon_counts_in_a_proof(
    orders: dict[str, Order], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = list(orders["manuscripts"].paths)
    own = tmp_path / "own.gz"
    pairs = [(f"the dog sees {number} houses", f"el can ve {number} casas") for number in range(120)]
    own.write_bytes(learned(pairs, "en", "es").packed())
    shared = ["--from", "en", "--to", "es", "--damage", "cut", "--n", "1", "--runs", str(tmp_path), "--json"]
    assert main(["prove", "--bitext", *paths, "--lexicon", str(own), *shared]) == 0
    assert main(["prove", "--bitext", *paths, "--lexicon", str(paths[0]), *shared]) == 2
    assert "is not a lexicon" in capsys.readouterr().err
    assert main(["prove", paths[0], "--lexicon", str(own), "--runs", str(tmp_path)]) == 2
    assert "--lexicon needs --bitext" in capsys.readouterr().err
