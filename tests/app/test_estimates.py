"""`burnish polish --estimate`: the bill before the work."""

import re
import shutil
from contextlib import closing
from importlib.resources import as_file, files

import pytest

from burnish.core.records import Usage
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import create_journal
from tests.app.desk import Desk
from tests.engine.questions_bench import biased, keyless, sound
from tests.store.samples import call


def test_it_says_what_would_be_done_and_does_nothing(desk: Desk) -> None:
    bank = desk.bank(sound(0), biased(1), keyless(2))
    model = desk.model("q1")
    before = sorted(path.name for path in desk.home.iterdir())
    said = desk("polish", bank, "--model", model, "--estimate")
    assert said.code == 0
    assert "3 questions read, no call made, nothing written." in said.out
    assert "1  pass the rules" in said.out
    assert "1  to correct" in said.out
    assert "1  for a person" in said.out
    assert "  likely   4 calls, " in said.out, "all solved, all read, one correction, both versions of it compared"
    assert "  at most  28 calls, " in said.out
    assert said.out.count(" tokens, free\n") == 2
    assert "asked for once more with four times the room" in said.out
    assert "$" not in said.out
    assert sorted(path.name for path in desk.home.iterdir()) == before


def test_money_is_named_where_the_price_is_known(desk: Desk) -> None:
    model = desk.model()
    (desk.home / "burnish.toml").write_text(f'[prices."{model}"]\ninput = 1.0\noutput = 10.0\n')
    said = desk("polish", desk.bank(biased(0)), "--model", model, "--estimate")
    assert said.out.count("$0.") == 2


def test_without_a_model_it_costs_nothing(desk: Desk) -> None:
    said = desk("polish", desk.bank(biased(0)), "--estimate")
    assert said.code == 0
    assert "No model is set, so it costs nothing." in said.out


def test_for_programs_it_is_one_object(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), biased(1)), "--model", desk.model(), "--estimate", "--json")
    assert said.json["units"] == 2
    assert said.json["likely"]["calls"] == 4
    assert said.json["at_most"]["calls"] >= said.json["likely"]["calls"]


def test_of_a_model_that_thinks_a_range_is_told_until_it_is_known(desk: Desk) -> None:
    bank = desk.bank(sound(0), sound(1))

    def likely() -> str:
        said = desk("polish", bank, "--model", "openai:gpt-5-mini", "--estimate")
        return next(line for line in said.out.splitlines() if line.startswith("  likely"))

    first = likely()
    assert re.fullmatch(r"  likely   2 calls, [\d,]+ to [\d,]+ tokens, about \$0\.\d+ to \$0\.\d+", first)
    journal = RunFolder.at(desk.home / "runs", "earlier").journal
    journal.parent.mkdir(parents=True)
    with closing(create_journal(journal, clock=system_clock)) as earlier:
        used = Usage(500, 1_000, None, 900)
        earlier.write_now(*(call(f"c{n}", role="reviewer", model="openai:gpt-5-mini", usage=used) for n in range(20)))
    assert re.fullmatch(r"  likely   2 calls, [\d,]+ tokens, about \$0\.\d+", likely())
    (journal.parent / "journal.sqlite").write_bytes(b"no journal")
    assert likely() == first, "what cannot be read says nothing"


@pytest.mark.parametrize(
    "command",
    [
        "polish biology.json",
        "polish bread.json --spec bread_spec.json --judges opnai:a,other:b",
        "translate --source lighthouse.md --to es",
        "review bread.json --spec bread_spec.json",
        "prove bread.json --spec bread_spec.json",
        "legos extract course",
    ],
)
@pytest.mark.parametrize("model", ["opnai:gpt-5", "scripted:nowhere.json"])
def test_a_model_that_the_run_refuses_gets_no_price(desk: Desk, command: str, model: str) -> None:
    for name in ("biology.json", "bread.json", "bread_spec.json", "lighthouse.md", "neighbours.tsv"):
        with as_file(files("burnish") / "samples" / name) as sample:
            shutil.copyfile(sample, desk.home / name)
    desk("legos", "import", "neighbours.tsv", "--course", "spa_for_eng_40seeds", "--dir", "course")
    words = command.replace("opnai:a", model).split()
    asked = () if "--judges" in words else ("--model", model)
    run, estimate = desk(*words, *asked), desk(*words, *asked, "--estimate")
    assert (run.code, estimate.code) == (2, 2)
    assert estimate.out == ""
    told = [line for line in run.err.splitlines() if line.startswith(("burnish: ", "  hint: "))]
    assert estimate.err.splitlines()[-2:] == told
