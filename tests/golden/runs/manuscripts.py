"""Golden runs of manuscripts: the sample about a lighthouse, and a small book that the tests' small world knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import burnish
from tests.golden.runs.bench import Bench
from tests.loopback import Answer, Asked, LoopbackModel
from tests.manuscripts_model import BookWorld, Slip

BOOK, MODEL = "lighthouse.md", "lighthouse_model.json"
SAMPLES = (BOOK, MODEL, "lighthouse_terms.csv", "lighthouse_style.md")
BESIDE = ("--glossary", "lighthouse_terms.csv", "--style", "lighthouse_style.md")
ASKED = ("--source", BOOK, "--to", "es", *BESIDE, "--model", f"scripted:{MODEL}")
TRANSLATE = ("translate", "--run-id", "r", *ASKED, "--workers", 1, "--json")
LEFT_OVER = "p_0013"
"""The paragraph of the sample that the model never gets right."""

CALM = "The sea is calm and the boat with 12 men is at rest."
MARKET = "He did not go to the market on Monday."
SMALL = (
    f"# The Sea\n\n{CALM}\n\n\n{MARKET}\n\n```\ncode here\n```\n\n- The first thing is bread.\n- The second is wine.\n"
)
SPANISH = {
    "The Sea": "El mar",
    CALM: "El mar está en calma y la barca con 12 hombres descansa.",
    MARKET: "Él no fue al mercado el lunes.",
    "The first thing is bread.": "Lo primero es el pan.",
    "The second is wine.": "Lo segundo es el vino.",
}
TAMAZIGHT = {
    "The Sea": "Ilel",
    CALM: "Ilel yers, taflukt s 12 yergazen tersa.",
    MARKET: "Ur iddi ara ɣer ssuq ass n letniyen.",
    "The first thing is bread.": "Amezwaru d aɣrum.",
    "The second is wine.": "Wis sin d ccrab.",
}
TYPO = Slip("Él no fue al mercado el lune.", "grammar", "lune.", "lunes.")
HOPELESS = Slip("Él no fue al mercado el lune.", "grammar", "lune.", "lunes.", stubborn=True)
ASTRAY = Slip(
    "Él no fue al mercado el lunes con 40 amigos.", "meaning_change", score=0.3, dimension="semantic_fidelity"
)


def translated(bench: Bench, *more: object) -> None:
    bench.sample(*SAMPLES)
    bench(*TRANSLATE, *more)


@contextmanager
def serving(world: BookWorld, answers: int | None = None) -> Iterator[tuple[object, ...]]:
    """The world over HTTP; it breaks connections after so many answers. Gives the options that name it."""

    def answer(asked: Asked) -> Any:
        if answers is not None and asked.number > answers:
            return Answer(fault="reset")
        return Answer(world.reply(asked.reply_name, asked.user))

    with LoopbackModel(answer) as server:
        yield ("--base-url", server.base_url, "--workers", 1, "--json")


def small_run(bench: Bench, world: BookWorld, *more: object, answers: int | None = None, to: str = "es") -> None:
    source = bench.write("book.md", SMALL)
    with serving(world, answers) as where:
        bench("translate", "--run-id", "r", "--source", source, "--to", to, "--model", "openai:m", *where, *more)


def resumed(bench: Bench, world: BookWorld, *more: object) -> None:
    with serving(world) as where:
        bench("resume", "r", *where, *more)


def spanish(slip: Slip | None = None) -> BookWorld:
    return BookWorld(dict(SPANISH), slips={MARKET: slip} if slip is not None else {})


def plain(bench: Bench) -> None:
    translated(bench)
    bench("status", "r", "--json")
    bench("show", "r", "--json")
    bench.keep_run()


def approved(bench: Bench) -> None:
    """A slip is mended by an edit, the result waits for approval, and is published."""
    small_run(bench, spanish(slip=TYPO))
    bench("status", "r", "--json")
    resumed(bench, spanish(), "--approve", "--by", "Ada")
    bench.keep_run()


def merged_by_itself(bench: Bench) -> None:
    small_run(bench, spanish(slip=TYPO), "--auto-merge")
    bench.keep_run()


def astray(bench: Bench) -> None:
    """A paragraph that says something else: no edit mends it."""
    small_run(bench, spanish(slip=ASTRAY))
    bench.keep_run()


def decided(bench: Bench) -> None:
    translated(bench)
    bench("decide", "r", LEFT_OVER, "accept", "--by", "Ada", "--note", "It plays on a word.")
    bench("resume", "r", "--approve", "--by", "Ada", "--workers", 1, "--json")
    bench.keep_run()


def edited_and_undone(bench: Bench) -> None:
    translated(bench)
    text = bench.write("text.txt", "Una luz guardada, dice ella, es una promesa guardada.")
    bench("decide", "r", LEFT_OVER, "edit", "--by", "Ada", "--text-file", text)
    bench("decide", "r", LEFT_OVER, "undo", "--by", "Bo")
    bench("status", "r", "--json")
    bench("decide", "r", LEFT_OVER, "edit", "--by", "Ada", "--text-file", text)
    bench("resume", "r", "--approve", "--by", "Ada", "--workers", 1, "--json")
    bench.keep_run()


def sent_back(bench: Bench) -> None:
    small_run(bench, spanish(slip=HOPELESS))
    bench("decide", "r", "p_0003", "reject", "--by", "Ada", "--note", "Say which day it was.")
    resumed(bench, spanish(slip=TYPO), "--approve", "--by", "Ada")
    bench.keep_run()


def killed(place: str, nth: int) -> Any:
    def case(bench: Bench) -> None:
        bench.sample(*SAMPLES)
        bench.killed(place, nth, *TRANSLATE)
        bench("resume", "r", "--workers", 1, "--json")
        bench.keep_run()

    return case


def killed_while_publishing(bench: Bench) -> None:
    small_run(bench, spanish())
    bench.killed("publishing", 1, "resume", "r", "--approve", "--by", "Ada", "--json")
    bench("resume", "r", "--approve", "--by", "Ada", "--json")
    bench.keep_run()


def outage(bench: Bench) -> None:
    """The server breaks off after two answers; the run goes on with one that lives."""
    small_run(bench, spanish(slip=TYPO), answers=2)
    bench("status", "r", "--json")
    resumed(bench, spanish(slip=TYPO), "--approve", "--by", "Ada")
    bench.keep_run()


def garbled(bench: Bench) -> None:
    world = spanish()
    world.reviewers = "garbled"
    small_run(bench, world)
    bench.keep_run()


def limit(bench: Bench) -> None:
    translated(bench, "--max-tokens", 8_000)
    bench("status", "r", "--json")
    bench("resume", "r", "--max-tokens", 900_000, "--workers", 1, "--json")
    bench.keep_run()


def estimated(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    bench("translate", "--run-id", "r", *ASKED, "--estimate", "--json")
    assert not (bench.home / "runs").exists()


def terms(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    bench.write("terms.csv", bench("translate", "--source", BOOK, "--to", "es", "--terms"))
    bench.keep_file("terms.csv")


def two_scripts(bench: Bench) -> None:
    """Tamazight in Latin letters, then in Tifinagh."""
    profile = ("--pipeline-profile", "tamazight_two_pass", "--orthography", "kabyle", "--approve")
    small_run(bench, BookWorld(dict(TAMAZIGHT)), *profile, to="kab")
    bench.keep_run()


def draft(bench: Bench) -> None:
    """A translation by others is reviewed, one paragraph is reworked; a memory and exclusions stand beside it."""
    text = SMALL
    for source, target in SPANISH.items():
        text = text.replace(source, target)
    bench.write("draft.md", text.replace("el lunes.", "el lune."))
    bench.write("keep.txt", "p_0006 a motto\n")
    small_run(bench, spanish(slip=TYPO), "--draft", "draft.md", "--exclude", "keep.txt", "--approve")
    bench.keep_run()


def memory(bench: Bench) -> None:
    """A book from a memory alone: what it does not know waits."""
    source = bench.write("book.md", SMALL)
    entries = [f'{{"source": "{one}", "target": "{other}"}}\n' for one, other in list(SPANISH.items())[:4]]
    bench.write("memory.jsonl", "".join(entries))
    known = ("--translator", "memory", "--memory", "memory.jsonl", "--json")
    bench("translate", "--run-id", "r", "--source", source, "--to", "es", *known)
    bench.keep_run()


def checked(bench: Bench) -> None:
    bench.sample(*SAMPLES)
    bench("check", BOOK, "--format", "json", "--jobs", 1)


def bitext(bench: Bench) -> None:
    bench.write("ferry.md", "# The Ferry\n\nIt crosses the strait 6 times a day.\n\nKeep your ticket until you land.\n")
    bench.write("ferry_es.md", "# El transbordador\n\nCruza el estrecho 16 veces al día.\n\nGuarde su billete.\n")
    bench.write("terms.csv", "source,target\nticket,boleto\n")
    pair = ("check", "--bitext", "ferry.md", "ferry_es.md", "--format", "json", "--jobs", 1)
    bench(*pair)
    bench(*pair, "--glossary", "terms.csv")


def rendered(bench: Bench) -> None:
    bench.write("book.md", "# Azul\n\nYewεer `azul` deg Paris, yečča 10.\n")
    bench.write("names.txt", "Paris\n")
    bench("render", "book.md", "--to", "tifinagh", "--orthography", "kabyle", "--json")
    bench("render", "book.md", "--to", "tifinagh", "--keep", "names.txt", "--out", "out.md")
    bench.write("back.md", bench("render", "-", "--to", "latin", stdin=(bench.home / "out.md").read_text()))
    bench.keep_file("out.md")
    bench.keep_file("back.md")


def python(bench: Bench) -> None:
    world = spanish(slip=TYPO)
    model = burnish.ScriptedModel(lambda call: world.reply(call.reply_name, call.user))
    source = bench.write("book.md", SMALL)
    for approver in (None, "Ada"):
        call = burnish.translate(source, run_id="r", to="es", model=model, approved_by=approver, runs="runs")
        bench.python("translate", call)
    bench.keep_run()


def over_http(bench: Bench) -> None:
    translated(bench)
    with bench.http() as http:
        http.get("runs/r/units", waiting=True)
        decision = f"runs/r/units/{LEFT_OVER}/decision"
        http.post(decision, {"verdict": "reject", "by": "Ada", "note": "Keep the play on the word."})
        http.post(decision, {"verdict": "undo", "by": "Ada"})
        http.post(decision, {"verdict": "accept", "by": "Ada"})
    bench("resume", "r", "--approve", "--by", "Ada", "--workers", 1, "--json")
    bench.keep_run()


def source_changed(bench: Bench) -> None:
    translated(bench)
    bench.write(BOOK, (bench.home / BOOK).read_text().replace("nineteen", "twenty") + "\nOne more.\n")
    bench("resume", "r", "--json")
    bench(*TRANSLATE)


CASES = {
    "plain": plain,
    "approved": approved,
    "merged_by_itself": merged_by_itself,
    "astray": astray,
    "decided": decided,
    "edited_and_undone": edited_and_undone,
    "sent_back": sent_back,
    "killed_reply_not_recorded": killed("reply not recorded", 3),
    "killed_reply_recorded": killed("reply recorded", 6),
    "killed_batch_formed": killed("batch formed", 4),
    "killed_batch_settled": killed("batch settled", 2),
    "killed_while_publishing": killed_while_publishing,
    "outage": outage,
    "garbled": garbled,
    "limit": limit,
    "estimated": estimated,
    "terms": terms,
    "two_scripts": two_scripts,
    "draft": draft,
    "memory": memory,
    "checked": checked,
    "bitext": bitext,
    "rendered": rendered,
    "python": python,
    "over_http": over_http,
    "source_changed": source_changed,
}
