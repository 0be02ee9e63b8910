"""Golden runs of questions: the sample bank, and a few questions more."""

from __future__ import annotations

import json
from typing import Any

import burnish
from tests.golden.runs.bench import Bench
from tests.loopback import Answer, LoopbackModel

BANK, MODEL, JUDGE = "biology.json", "biology_model.json", "biology_judge.json"
MODELS = ("--model", f"scripted:{MODEL}", "--judges", f"scripted:{JUDGE}")
POLISH = ("polish", BANK, "--run-id", "r", *MODELS, "--workers", 1, "--json")
REVIEW = "question_review_reply"
STEM = json.dumps({"stem": "Which of the following statements about the enzymes of the human body is right?"})
FERN: dict[str, Any] = {
    "id": "fern-1",
    "type": "single_best_answer",
    "vignette": "A gardener has watered a fern in a pot three times a day for a month.",
    "stem": "Which of the following is NOT an effect on the fern?",
    "options": [
        {"key": "A", "text": "Its roots rot away"},
        {"key": "B", "text": "Its fronds droop"},
        {"key": "C", "text": "Its thorns grow"},
        {"key": "D", "text": "Its soil smells"},
    ],
    "correct_answer": "C",
    "rationale": "Wet roots rot, so fronds droop and soil smells; thorns do not grow on a fern.",
    "metadata": {
        "course_id": "c-1",
        "slo_ids": ["s-1"],
        "concept_ids": ["k-1"],
        "bloom_level": "Apply",
        "difficulty": "medium",
        "usmle_system": "none",
        "usmle_discipline": "Botany",
        "keywords": ["water"],
    },
}
MENDED = {
    "reasoning": "The stem asks for what does happen.",
    "edits": [{"unit": "fern-1", "field": "stem", "find": "is NOT an effect", "replace": "is an effect"}],
}
IDLE = {"reasoning": "Nothing to do.", "edits": []}
SOUND = {"reasoning": "One option is best.", "violations": []}


def bank(bench: Bench) -> None:
    bench.sample(BANK, MODEL, JUDGE)


def rules(bench: Bench, name: str = MODEL) -> list[dict[str, Any]]:
    return list(json.loads((bench.home / name).read_text())["rules"])


def polished(bench: Bench, *more: object) -> None:
    bank(bench)
    bench(*POLISH, *more)


def plain(bench: Bench) -> None:
    polished(bench)
    bench("status", "r", "--json")
    bench("show", "r", "--json")
    bench.keep_run()


def without_a_model(bench: Bench) -> None:
    bank(bench)
    bench("polish", BANK, "--rules-only", "--run-id", "r", "--json")
    bench.keep_run()


def decided(bench: Bench) -> None:
    polished(bench)
    bench("decide", "r", "bio-009", "accept", "--by", "Ada", "--note", "Not the same at all.")
    bench("decide", "r", "bio-011", "edit", "--by", "Ada", "--text-file", bench.write("stem.json", STEM))
    bench("status", "r", "--json")
    bench("resume", "r", "--json")
    bench.keep_run()


def decided_and_undone(bench: Bench) -> None:
    polished(bench)
    bench("decide", "r", "bio-009", "accept", "--by", "Ada")
    bench("decide", "r", "bio-009", "undo", "--by", "Ada")
    still = bench.write("stem.json", json.dumps({"stem": "Which of these is NOT true of enzymes in the body?"}))
    bench("decide", "r", "bio-011", "edit", "--by", "Ada", "--text-file", still)
    bench("status", "r", "--json")
    bench.keep_run()


def sent_back(bench: Bench) -> None:
    polished(bench)
    bench("decide", "r", "bio-011", "reject", "--by", "Ada", "--note", "Ask what enzymes do.")
    bench("decide", "r", "bio-009", "accept", "--by", "Ada")
    answer = {"unit": "bio-011", "field": "stem", "find": "Enzymes:", "replace": json.loads(STEM)["stem"]}
    told = {
        "unit": "bio-011",
        "contains": "Ask what enzymes do.",
        "reply": {"reasoning": "As told.", "edits": [answer]},
    }
    bench.write_json(MODEL, {"rules": [told, *rules(bench)]})
    bench("resume", "r", "--json")
    bench.keep_run()


def killed(place: str, nth: int = 1) -> Any:
    def case(bench: Bench) -> None:
        bank(bench)
        bench.killed(place, nth, *POLISH)
        bench("resume", "r", "--json")
        bench.keep_run()

    return case


def killed_while_publishing(bench: Bench) -> None:
    polished(bench)
    bench("decide", "r", "bio-009", "accept", "--by", "Ada", "--also", "bio-011")
    bench.killed("publishing", 1, "resume", "r", "--json")
    bench("status", "r", "--json")
    bench("resume", "r", "--json")
    bench.keep_run()


def killed_twice(bench: Bench) -> None:
    bank(bench)
    bench.killed("reply not recorded", 2, *POLISH)
    bench.killed("repair", 2, "resume", "r", "--json")
    bench("resume", "r", "--json")
    bench.keep_run()


def outage(bench: Bench) -> None:
    """The judge reviews five questions, is away, and is back when the run goes on."""
    bank(bench)
    good = rules(bench, JUDGE)
    gone = {"reply_name": REVIEW, "fault": {"status": 503}}
    first = [{**good[0], "nth": nth} for nth in range(1, 6)]
    bench.write_json(JUDGE, {"rules": [*first, gone, *good[1:]]})
    bench(*POLISH)
    bench("status", "r", "--json")
    bench.write_json(JUDGE, {"rules": good})
    bench("resume", "r", "--json")
    bench.keep_run()


def dead_endpoint(bench: Bench) -> None:
    """Nobody listens where the model should be; then somebody does."""
    bank(bench)
    script = burnish.ScriptedModel.from_file(MODEL)
    with LoopbackModel(script) as server:
        address = server.base_url
    asking = ("--model", "openai:m", "--base-url", address, "--workers", 1, "--json")
    bench("polish", BANK, "--run-id", "r", *asking)
    with LoopbackModel(burnish.ScriptedModel.from_file(MODEL)) as server:
        bench("resume", "r", "--base-url", server.base_url, "--workers", 1, "--json")
    bench.keep_run()


def dying_server(bench: Bench) -> None:
    """The server answers six requests and then breaks every connection."""
    bank(bench)
    good = LoopbackModel(burnish.ScriptedModel.from_file(MODEL))
    dying = LoopbackModel(lambda asked: good._answer(asked) if asked.number <= 6 else Answer(fault="reset"))
    with dying:
        asking = ("--model", "openai:m", "--base-url", dying.base_url, "--workers", 1, "--json")
        bench("polish", BANK, "--run-id", "r", *asking)
    with good:
        bench("resume", "r", "--base-url", good.base_url, "--workers", 1, "--json")
    bench.keep_run()


def limit(bench: Bench) -> None:
    polished(bench, "--max-tokens", 5_000)
    bench("status", "r", "--json")
    bench("resume", "r", "--max-tokens", 200_000, "--workers", 1, "--json")
    bench.keep_run()


def no_time(bench: Bench) -> None:
    polished(bench, "--max-seconds", 0)
    bench("resume", "r", "--max-seconds", 600, "--json")
    bench.keep_run()


def priced(bench: Bench) -> None:
    prices = "".join(f'[prices."scripted:{name}"]\ninput = 1.0\noutput = 10.0\n' for name in (MODEL, JUDGE))
    bench.write("burnish.toml", f"[limits]\nmax_tries = 1\n{prices}")
    polished(bench, "--max-cost", 0.006)
    bench("resume", "r", "--max-cost", 5, "--json")
    bench.keep_run()


def estimated(bench: Bench) -> None:
    bank(bench)
    bench("polish", BANK, "--model", f"scripted:{MODEL}", "--estimate", "--json")
    bench("polish", BANK, "--model", f"scripted:{MODEL}", "--estimate", "--json", "--judges", "openai:a,anthropic:b")
    assert not (bench.home / "runs").exists()


def panel(bench: Bench) -> None:
    """Three judges, of whom two object to one question; the corrector mends it."""
    bank(bench)
    quote = {
        "ruleId": "nbme_multiple_correct",
        "field": "stem",
        "quote": "the",
        "message": "Two.",
        "suggestion": "One.",
    }
    objecting = {"reply_name": REVIEW, "unit": "bio-001", "reply": {"reasoning": "Two hold.", "violations": [quote]}}
    for name in ("first.json", "second.json"):
        bench.write_json(name, {"rules": [objecting, *rules(bench, JUDGE)]})
    bench.write_json("third.json", {"rules": rules(bench, JUDGE)})
    judges = ",".join(f"scripted:{name}" for name in ("first.json", "second.json", "third.json"))
    bench("polish", BANK, "--run-id", "r", "--model", f"scripted:{MODEL}", "--judges", judges, "--workers", 1, "--json")
    bench.keep_run()


def several_banks(bench: Bench) -> None:
    """A folder with three formats, one part of which cannot be read, held against an earlier bank."""
    (bench.home / "banks").mkdir()
    rows = json.dumps(FERN) + "\n" + json.dumps({**FERN, "id": "fern-2", "stem": "Which effect is seen?"}) + "\n{torn\n"
    bench.write("banks/ferns.jsonl", rows)
    bench.write("banks/towns.gift", "::t1::Which of these towns is a capital? {=Vienna ~Graz ~Linz ~Salzburg}\n")
    bench.write("banks/seas.txt", "Which of these is a sea?\nA. Baltic\nB. Rhine\nC. Etna\nANSWER: A\n")
    earlier = {**FERN, "id": "old", "stem": "Which of the following is an effect on the fern?"}
    bench.write_json("earlier.json", [earlier])
    bench("polish", "banks", "--rules-only", "--run-id", "r", "--against", "earlier.json", "--json")
    bench("check", "banks", "--format", "json", "--jobs", 1, "--against", "earlier.json")
    bench.keep_run()


def other_format(bench: Bench) -> None:
    bench.write_json("fern.json", [{**FERN, "stem": "Which of the  following is an effect on the fern?"}])
    bench("polish", "fern.json", "--rules-only", "--run-id", "r", "--out", "fern.gift", "--json")
    bench("polish", "fern.json", "--rules-only", "--run-id", "s", "--out", "fern.xml", "--json")
    bench.keep_file("fern.gift")
    bench.keep_file("fern.xml")
    bench.keep_run()


def exported(bench: Bench) -> None:
    polished(bench)
    (bench.home / "runs/r/receipt.json").write_text("edited by hand")
    bench("export", "r", "--json")
    bench("report", "r", "--json")
    bench.keep_run()


def checked(bench: Bench) -> None:
    bank(bench)
    bench("check", BANK, "--format", "json", "--jobs", 1)
    bench("check", BANK, "--format", "json", "--jobs", 1, "--profile", "strict", "--ignore", "nbme_negation_detection")
    bench("check", BANK, "--jobs", 1, "--write-baseline", "known.json")
    bench("check", BANK, "--format", "json", "--jobs", 1, "--baseline", "known.json", "--select", "nbme_lead_in")
    bench.keep_file("known.json")


def fixed(bench: Bench) -> None:
    bank(bench)
    bench("check", BANK, "--fix", "--format", "json", "--jobs", 1)
    bench.keep_file(BANK)


def refused(bench: Bench) -> None:
    bench.write("torn.json", '[{"id": "q0", "stem": "x"')
    bench("check", "torn.json", "--format", "json", "--jobs", 1)
    bench("polish", "torn.json", "--rules-only", "--run-id", "torn", "--json")
    bench("polish", "nowhere.json", "--json")
    bench("resume", "nothing", "--json")
    polished(bench)
    bench.write_json("other.json", [FERN])
    bench("polish", "other.json", "--rules-only", "--run-id", "r", "--json")
    bench("decide", "r", "bio-001", "accept", "--by", "Ada")
    bench("decide", "r", "nobody", "accept", "--by", "Ada")


def python(bench: Bench) -> None:
    bank(bench)
    model = burnish.ScriptedModel.from_file(MODEL)
    settings = {"limits.workers": 1}
    bench.python("polish", burnish.polish(BANK, model=model, run_id="r", runs="runs", settings=settings))
    bench.python("check", lambda: burnish.check(BANK, profile="strict"))
    bench.keep_run()


def in_memory(bench: Bench) -> None:
    validation = bench.python("validate", lambda: burnish.questions.validate(FERN))
    model = burnish.ScriptedModel([burnish.Rule(MENDED, reply_name="edit_reply"), burnish.Rule(SOUND)])
    bench.python("correct", burnish.questions.correct(FERN, validation, model=model))
    bench.keep_calls(model.asked)


def in_memory_in_vain(bench: Bench) -> None:
    """Two answers that change nothing, and one call that fails."""
    validation = burnish.questions.validate(FERN)
    away = burnish.Rule(fault=burnish.Fault(status=400), reply_name="edit_reply", nth=2)
    model = burnish.ScriptedModel([away, burnish.Rule(IDLE, reply_name="edit_reply"), burnish.Rule(SOUND)])
    bench.python("correct", burnish.questions.correct(FERN, validation, model=model))
    bench.keep_calls(model.asked)


def over_http(bench: Bench) -> None:
    """Decisions over the API; the run goes on from the command line."""
    polished(bench)
    with bench.http() as http:
        http.get("runs/r/units", waiting=True)
        http.post("runs/r/units/bio-009/decision", {"verdict": "accept", "by": "Ada", "note": "Fine."})
        http.post("runs/r/units/bio-009/decision", {"verdict": "undo", "by": "Ada"})
        http.post("runs/r/units/bio-011/decision", {"verdict": "edit", "by": "Bo", "text": STEM})
        http.post("runs/r/units/bio-011/decision", {"verdict": "reject", "by": "Bo"})
        http.post("runs/r/decisions", {"verdict": "accept", "by": "Ada", "units": ["bio-009"], "expected": 1})
    bench("resume", "r", "--json")
    bench.keep_run()


def started_over_http(bench: Bench) -> None:
    """A run that the API starts, and that goes on in a process of its own once all is decided."""
    bench.write_json("fern.json", [FERN])
    bench("polish", "fern.json", "--rules-only", "--run-id", "r", "--json")
    with bench.http() as http:
        http.post("runs/r/units/fern-1/decision", {"verdict": "accept", "by": "Ada"})
        http.post("runs/r/continue")
        http.wait("r")
        http.get("runs/r/exports")
    bench.keep_run()


CASES = {
    "plain": plain,
    "without_a_model": without_a_model,
    "decided": decided,
    "decided_and_undone": decided_and_undone,
    "sent_back": sent_back,
    "killed_reply_not_recorded": killed("reply not recorded", 4),
    "killed_reply_recorded": killed("reply recorded", 7),
    "killed_after_a_commit": killed("commit", 9),
    "killed_during_exports": killed("export", 2),
    "killed_while_publishing": killed_while_publishing,
    "killed_twice": killed_twice,
    "outage": outage,
    "dead_endpoint": dead_endpoint,
    "dying_server": dying_server,
    "limit": limit,
    "no_time": no_time,
    "priced": priced,
    "estimated": estimated,
    "panel": panel,
    "several_banks": several_banks,
    "other_format": other_format,
    "exported": exported,
    "checked": checked,
    "fixed": fixed,
    "refused": refused,
    "python": python,
    "in_memory": in_memory,
    "in_memory_in_vain": in_memory_in_vain,
    "over_http": over_http,
    "started_over_http": started_over_http,
}
