"""Golden runs of lessons: the sample about bread, and the lesson about water that the tests' small world knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import burnish
from tests.golden.runs.bench import Bench
from tests.lessons_model import BOILS, DRY, SOURCE, SPEC, VAGUE, WRONG_YEAR, Down, World, as_text, lesson
from tests.loopback import Answer, Asked, LoopbackModel

LESSON, READER = "bread.json", "bread_model.json"
JUDGES = ("bread_judge_1.json", "bread_judge_2.json")
SAMPLES = (LESSON, "bread_spec.json", "bread_source.md", READER, *JUDGES)
BESIDE = ("--spec", "bread_spec.json", "--source", "bread_source.md")
MODELS = ("--model", f"scripted:{READER}", "--judges", ",".join(f"scripted:{name}" for name in JUDGES))
POLISH = ("polish", LESSON, "--run-id", "r", *BESIDE, *MODELS, "--workers", 1, "--json")
BAD = (BOILS, VAGUE, WRONG_YEAR, DRY)
COSTLY = tuple(replace(defect, cost=0.9) for defect in BAD)
PANEL = (
    "--judges",
    "openai:judge-a,openai:judge-b,openai:judge-c",
    "--allow-same-family",
    "--patcher",
    "openai:patcher",
)
DIRTY = (
    "The sun warms the surface of seas and lakes. Where it is **warm enough, the water turns into vapour and rises.\n\n"
    "Certainly! Here is the rest of the section:\n\nWind carries the vapour away, and a wet shirt on a line shows it."
)


def polished(bench: Bench, *more: object) -> None:
    bench.sample(*SAMPLES)
    bench(*POLISH, *more)


def water(bench: Bench, *defects: Any, **parts: str) -> str:
    """The lesson about water with its spec and source."""
    bench.write_json("spec.json", SPEC)
    bench.write("source.md", SOURCE)
    return bench.write("water.json", as_text(lesson(*defects, **parts)))


@contextmanager
def serving(world: World, answers: int | None = None) -> Iterator[tuple[object, ...]]:
    """The world over HTTP; it breaks connections after so many answers. Gives the options that name it."""

    def answer(asked: Asked) -> Any:
        if answers is not None and asked.number > answers:
            return Answer(fault="reset")
        try:
            return Answer(world.reply(asked.reply_name, asked.model, asked.user))
        except Down:
            return Answer(status=401)

    with LoopbackModel(answer) as server:
        yield ("--base-url", server.base_url, "--workers", 1, "--json")


def water_run(bench: Bench, world: World, *more: object, answers: int | None = None, bad: Any = BAD) -> None:
    path = water(bench, *bad)
    with serving(world, answers) as where:
        bench("polish", path, "--run-id", "r", "--spec", "spec.json", "--source", "source.md", *PANEL, *where, *more)


def resumed(bench: Bench, world: World, *more: object) -> None:
    with serving(world) as where:
        bench("resume", "r", *where, *more)


def honest() -> World:
    return World(defects=COSTLY)


def stubborn() -> World:
    """The patcher mends nothing, so that sections wait for people."""
    return World(defects=COSTLY, base=0.8, characters={"patcher": "disobedient"})


def plain(bench: Bench) -> None:
    polished(bench)
    bench("status", "r", "--json")
    bench("show", "r", "--json")
    bench.keep_run()


def panel(bench: Bench) -> None:
    """Four defects, three honest judges, and a patcher that mends."""
    water_run(bench, honest())
    bench.keep_run()


def tie_break(bench: Bench) -> None:
    """One judge cannot be read, so that the third is asked."""
    water_run(bench, World(defects=COSTLY, characters={"judge-a": "garbled"}))
    bench.keep_run()


def waiting(bench: Bench) -> None:
    water_run(bench, stubborn())
    bench("status", "r", "--json")
    bench.keep_run()


def best_effort(bench: Bench) -> None:
    water_run(bench, stubborn(), "--mode", "full-auto")
    bench.keep_run()


def decided(bench: Bench) -> None:
    water_run(bench, stubborn())
    waits = [one["unit"] for one in bench("status", "r", "--json")["blockers"]]
    for unit in waits:
        bench("decide", "r", unit, "accept", "--by", "Ada")
    resumed(bench, honest())
    bench.keep_run()


def edited_and_undone(bench: Bench) -> None:
    water_run(bench, stubborn())
    waits = [one["unit"] for one in bench("status", "r", "--json")["blockers"]]
    text = lesson()["content"]["sections"][0]["content"]
    bench("decide", "r", waits[0], "edit", "--by", "Ada", "--text-file", bench.write("text.md", text))
    bench("decide", "r", waits[0], "undo", "--by", "Bo")
    bench("status", "r", "--json")
    bench.keep_run()


def sent_back(bench: Bench) -> None:
    """People send all back; the patcher that the run goes on with mends it."""
    water_run(bench, stubborn())
    waits = [one["unit"] for one in bench("status", "r", "--json")["blockers"]]
    for unit in waits:
        bench("decide", "r", unit, "reject", "--by", "Ada", "--note", "Mend what the judges found.")
    resumed(bench, honest())
    bench("status", "r", "--json")
    bench.keep_run()


def killed(place: str, nth: int) -> Any:
    def case(bench: Bench) -> None:
        bench.sample(*SAMPLES)
        bench.killed(place, nth, *POLISH)
        bench("resume", "r", "--workers", 1, "--json")
        bench.keep_run()

    return case


def outage(bench: Bench) -> None:
    """The server breaks off after twelve answers; the run goes on with one that lives."""
    water_run(bench, honest(), answers=12)
    bench("status", "r", "--json")
    resumed(bench, honest())
    bench.keep_run()


def judge_away(bench: Bench) -> None:
    water_run(bench, World(defects=COSTLY, characters={"judge-a": "down", "judge-b": "down"}))
    resumed(bench, honest())
    bench.keep_run()


def limit(bench: Bench) -> None:
    polished(bench, "--max-tokens", 12_000)
    bench("status", "r", "--json")
    bench("resume", "r", "--max-tokens", 900_000, "--workers", 1, "--json")
    bench.keep_run()


def estimated(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    bench("polish", LESSON, *BESIDE, *MODELS, "--estimate", "--json")


def checked(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    bench("check", LESSON, *BESIDE, "--format", "json", "--jobs", 1)
    bench("check", water(bench, evaporation=DIRTY), "--spec", "spec.json", "--format", "json", "--jobs", 1)


def fixed(bench: Bench) -> None:
    bench("check", water(bench, evaporation=DIRTY), "--spec", "spec.json", "--fix", "--format", "json", "--jobs", 1)
    bench.keep_file("water.json")


def reviewed(bench: Bench) -> None:
    review = ("review", "water.json", "--spec", "spec.json", "--format", "json")
    water(bench)
    bench(*review)
    flag = {
        "type": "ALIGNMENT",
        "severity": "COMPLEX",
        "location": "evaporation",
        "quote": "The sun warms the surface",
        "description": "The objective is touched on and not explained.",
    }
    with serving(World(review_issues=[flag])) as (option, address, *_):
        bench(*review, "--source", "source.md", "--model", "openai:reader", option, address)
    water(bench, evaporation=DIRTY)
    bench(*review)
    bench.write("water.json", (bench.home / "water.json").read_text()[:700])
    bench(*review)


def python(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    judges = [f"scripted:{name}" for name in JUDGES]
    call = burnish.polish(
        LESSON,
        model=f"scripted:{READER}",
        judges=judges,
        run_id="r",
        runs="runs",
        spec="bread_spec.json",
        sources=["bread_source.md"],
        settings={"limits.workers": 1},
    )
    bench.python("polish", call)
    bench.keep_run()


def in_memory(bench: Bench) -> None:
    """All stages at once, and one by one."""
    world, sources = honest(), {"source.md": SOURCE}

    def model() -> burnish.ScriptedModel:
        return burnish.ScriptedModel(lambda call: world.reply(call.reply_name, call.model, call.user))

    made, first, judges = lesson(*BAD), model(), [model(), model()]
    bench.python("refine", burnish.lessons.refine(made, SPEC, sources, model=first, judges=judges))
    bench.keep_calls([*first.asked, *(call for judge in judges for call in judge.asked)])
    bench.python("review", burnish.lessons.review(made, SPEC, sources, model=model()))
    judged = bench.python("judge", burnish.lessons.judge(made, SPEC, sources, judges=[model(), model()]))
    bench.python("arbitrate", lambda: burnish.lessons.arbitrate(made, judged))


def over_http(bench: Bench) -> None:
    water_run(bench, stubborn())
    with bench.http() as http:
        listed = http.get("runs/r/units", waiting=True)["units"]
        names = [one["id"] for one in listed]
        http.get("runs/r/refinement")
        http.post(f"runs/r/units/{names[0]}/decision", {"verdict": "reject", "by": "Ada", "note": "Once more."})
        http.post(f"runs/r/units/{names[0]}/decision", {"verdict": "undo", "by": "Ada"})
        http.post("runs/r/decisions", {"verdict": "accept", "by": "Ada", "units": names, "expected": len(names)})
    resumed(bench, honest())
    bench.keep_run()


def exported(bench: Bench) -> None:
    polished(bench)
    (bench.home / "runs/r/report.json").unlink()
    bench("export", "r", "--json")
    bench("report", "r", "--json")
    bench.keep_run()


CASES = {
    "plain": plain,
    "panel": panel,
    "tie_break": tie_break,
    "waiting": waiting,
    "best_effort": best_effort,
    "decided": decided,
    "edited_and_undone": edited_and_undone,
    "sent_back": sent_back,
    "killed_reply_not_recorded": killed("reply not recorded", 5),
    "killed_after_an_answer": killed("ask answered", 3),
    "killed_after_a_commit": killed("commit", 12),
    "killed_while_publishing": killed("publishing", 1),
    "outage": outage,
    "judge_away": judge_away,
    "limit": limit,
    "estimated": estimated,
    "checked": checked,
    "fixed": fixed,
    "reviewed": reviewed,
    "python": python,
    "in_memory": in_memory,
    "over_http": over_http,
    "exported": exported,
}
