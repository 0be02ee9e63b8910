"""Golden runs of LEGOs: a course of eight SEEDs that the tests' small world knows, and the sample course."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import burnish
from tests.golden.runs import seams
from tests.golden.runs.bench import Bench
from tests.legos_model import COURSE, CRUMBS, CUTS, MARKET, SEEDS, TORN, LegoWorld, Slip, tsv
from tests.loopback import Answer, Asked, LoopbackModel

BAD = "C0006"
"""The SEED that a slip is about."""
STUBBORN = Slip(TORN, mending="idle", again=TORN, heeds="Keep the preposition inside.")
SAMPLE, MODEL, CODE = "neighbours.tsv", "neighbours_model.json", "spa_for_eng_40seeds"
CUT_ANEW = "C0012,C0014,C0019"


def course(bench: Bench, *more: object) -> None:
    pairs = bench.write("pairs.tsv", tsv(SEEDS))
    bench("legos", "import", pairs, "--course", COURSE, "--dir", "course", "--json", *more)


@contextmanager
def serving(world: LegoWorld, answers: int | None = None) -> Iterator[tuple[object, ...]]:
    """The world over HTTP; it breaks connections after so many answers. Gives the options that name it."""

    def answer(asked: Asked) -> Any:
        if answers is not None and asked.number > answers:
            return Answer(fault="reset")
        return Answer(world.reply(asked.reply_name, asked.user))

    with LoopbackModel(answer) as server:
        yield ("--base-url", server.base_url, "--workers", 1, "--json")


def extracted(bench: Bench, world: LegoWorld, *more: object, answers: int | None = None) -> None:
    course(bench)
    with serving(world, answers) as where:
        bench("legos", "extract", "course", "--run-id", "r", "--model", "openai:m", *where, *more)


def resumed(bench: Bench, world: LegoWorld, *more: object) -> None:
    with serving(world) as where:
        bench("resume", "r", *where, *more)


def slipping(slip: Slip) -> LegoWorld:
    return LegoWorld(slips={MARKET: slip})


def kept(bench: Bench) -> None:
    bench.keep_run()
    bench.keep_folder("course")


def plain(bench: Bench) -> None:
    """A model cuts, one SEED badly; its edit mends that."""
    extracted(bench, slipping(Slip(TORN)))
    bench("status", "r", "--json")
    bench("show", "r", "--json")
    kept(bench)


def built_in(bench: Bench) -> None:
    """The sample course, without a model; then a model cuts three SEEDs anew."""
    bench.sample(SAMPLE, MODEL)
    bench("legos", "import", SAMPLE, "--course", CODE, "--dir", "course", "--json")
    bench("legos", "extract", "course", "--run-id", "r", "--extractor", "built-in", "--json")
    bench("legos", "report", "course", "--json")
    anew = ("--again", CUT_ANEW, "--model", f"scripted:{MODEL}", "--workers", 1)
    bench("legos", "extract", "course", "--run-id", "anew", *anew, "--json")
    bench.keep_run("anew")
    bench.keep_file("course/teaching_order.json")
    bench.keep_folder("course/quality_reports")


def reviewer(bench: Bench) -> None:
    extracted(bench, slipping(Slip(CRUMBS, mending="whole")), "--reviewer", "openai:r")
    kept(bench)


def waiting(bench: Bench) -> None:
    extracted(bench, slipping(STUBBORN))
    bench("status", "r", "--json")
    bench("legos", "report", "course", "--json")
    kept(bench)


def held(bench: Bench) -> None:
    """A person sees every cut: some are accepted, one is undone."""
    extracted(bench, LegoWorld(), "--hold")
    bench("decide", "r", "C0001", "accept", "--by", "Ada", "--also", "C0002", "--also", "C0003")
    bench("decide", "r", "C0002", "undo", "--by", "Ada")
    resumed(bench, LegoWorld())
    kept(bench)


def decided(bench: Bench) -> None:
    extracted(bench, slipping(STUBBORN))
    bench("decide", "r", BAD, "accept", "--by", "Ada")
    resumed(bench, LegoWorld())
    kept(bench)


def edited(bench: Bench) -> None:
    extracted(bench, slipping(STUBBORN))
    text = bench.write("cut.txt", "".join(f"{source} | {target}\n" for source, target in CUTS[MARKET]))
    bench("decide", "r", BAD, "edit", "--by", "Ada", "--text-file", text)
    bench("status", "r", "--json")
    resumed(bench, LegoWorld())
    kept(bench)


def sent_back(bench: Bench) -> None:
    extracted(bench, slipping(STUBBORN))
    bench("decide", "r", BAD, "reject", "--by", "Ada", "--note", STUBBORN.heeds)
    resumed(bench, slipping(STUBBORN))
    kept(bench)


def killed(place: str, nth: int) -> Any:
    """The sample course: the built-in extractor is killed, or a model that cuts three SEEDs anew."""

    def case(bench: Bench) -> None:
        bench.sample(SAMPLE, MODEL)
        pairs = "".join((bench.home / SAMPLE).read_text().splitlines(keepends=True)[:21])
        bench("legos", "import", bench.write("some.tsv", pairs), "--course", CODE, "--dir", "course", "--json")
        extract = ("legos", "extract", "course", "--run-id", "r", "--workers", 1, "--json")
        if place.startswith("reply"):
            bench("legos", "extract", "course", "--run-id", "first", "--json")
            # So that a cut is tried again: the model has four replies at least.
            extract = (*extract, "--model", f"scripted:{MODEL}", "--again", CUT_ANEW, "--only", "--retry-below", 8.5)
        bench.killed(place, nth, *extract)
        bench("resume", "r", "--workers", 1, "--json")
        kept(bench)

    return case


def outage(bench: Bench) -> None:
    extracted(bench, slipping(Slip(TORN)), answers=3)
    bench("status", "r", "--json")
    resumed(bench, slipping(Slip(TORN)))
    kept(bench)


def limit(bench: Bench) -> None:
    extracted(bench, slipping(Slip(TORN)), "--max-tokens", 6_000)
    bench("status", "r", "--json")
    resumed(bench, slipping(Slip(TORN)), "--max-tokens", 900_000)
    kept(bench)


def estimated(bench: Bench) -> None:
    course(bench)
    estimate = ("--model", "openai:m", "--estimate", "--json")
    bench("legos", "extract", "course", "--run-id", "r", *estimate, "--reviewer", "openai:r")
    assert not (bench.home / "runs").exists()


def scored(bench: Bench) -> None:
    lines = [
        f"{MARKET}\t{SEEDS[MARKET]}\t{source}\t{target}\n" for cut in (CUTS[MARKET], TORN) for source, target in cut
    ]
    score = ("legos", "score", bench.write("cuts.tsv", "".join(lines) + "a\tb\n"), "--course", "mkd_for_eng", "--json")
    bench(*score)
    bench(*score, "--iron-rule", "phrase_aware")


def stores(bench: Bench) -> None:
    """A course in a database, validated, exported to files and reported on."""
    course(bench, "--store", "sqlite")
    bench("legos", "extract", "course", "--run-id", "r", "--json")
    bench("legos", "validate", "course", "--json")
    bench("legos", "report", "course", "--json")
    bench("export", "r", "--json")
    bench.keep_run()


def evolved(bench: Bench) -> None:
    """The model is away after 40 answers; the same command goes on, and a good rule is adopted."""
    seams.learning_course(bench.home)
    evolve = (
        "legos",
        "evolve",
        "course",
        "--run-id",
        "ev",
        "--model",
        "openai:m",
        "--seeds",
        63,
        "--seed",
        3,
        "--iron-rule",
        "strict",
    )
    bench(*evolve, "--estimate", "--json")
    for answers in (40, None):
        with LoopbackModel(_learning(answers)) as server:
            bench(*evolve, "--base-url", server.base_url, "--workers", 1, "--json")
    bench.keep_folder("course/prompts")
    bench.recorded["calls"] = seams.rows(bench.home / "runs/ev", seams.CALLS)


def _learning(answers: int | None) -> Any:
    def answer(asked: Asked) -> Answer:
        if answers is not None and asked.number > answers:
            return Answer(fault="reset")
        return Answer(seams.learning_reply(asked.system, asked.user))

    return answer


def python(bench: Bench) -> None:
    world = slipping(Slip(TORN))
    model = burnish.ScriptedModel(lambda call: world.reply(call.reply_name, call.user))
    pairs = bench.write("pairs.tsv", tsv(SEEDS))
    bench.python("import_pairs", lambda: burnish.legos.import_pairs(pairs, COURSE, "course"))
    bench.python("extract", burnish.legos.extract("course", model=model, run_id="r"))
    bench.python("report", lambda: burnish.legos.report("course"))
    bench.python("score", lambda: burnish.legos.score(MARKET, SEEDS[MARKET], TORN, "mkd_for_eng"))
    with burnish.legos.open_records(Path("course")) as records:
        legos = [records.legos(of=translation["uuid"]) for translation in records.translations()]
    bench.recorded["legos"] = sorted(legos, key=str)
    bench.keep_run()


def over_http(bench: Bench) -> None:
    extracted(bench, slipping(STUBBORN))
    with bench.http() as http:
        http.get("runs/r/units", waiting=True)
        http.post(f"runs/r/units/{BAD}/decision", {"verdict": "reject", "by": "Ada", "note": STUBBORN.heeds})
        http.post(f"runs/r/units/{BAD}/decision", {"verdict": "undo", "by": "Ada"})
        http.post("runs/r/decisions", {"verdict": "accept", "by": "Ada", "where": {}, "expected": 1})
        http.get("courses")
    resumed(bench, LegoWorld())
    kept(bench)


CASES = {
    "plain": plain,
    "built_in": built_in,
    "reviewer": reviewer,
    "waiting": waiting,
    "held": held,
    "decided": decided,
    "edited": edited,
    "sent_back": sent_back,
    "killed_reply_not_recorded": killed("reply not recorded", 4),
    "killed_reply_recorded": killed("reply recorded", 2),
    "killed_batch_settled": killed("batch settled", 1),
    "killed_writing_the_course": killed("course", 1),
    "outage": outage,
    "limit": limit,
    "estimated": estimated,
    "scored": scored,
    "stores": stores,
    "evolved": evolved,
    "python": python,
    "over_http": over_http,
}
