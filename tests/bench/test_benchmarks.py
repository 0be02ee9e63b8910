"""The benchmarks run, at tiny size. Nothing here asserts a time: figures are for `make bench`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from bench import (
    banks,
    check_scaling,
    correction_tokens,
    deciding,
    duplicates,
    formats,
    journal,
    lesson_checks,
    lessons_cost,
    lessons_repair,
    manuscript_cost,
    read_model,
    throughput,
)
from bench.__main__ import NAMES
from bench.lesson_defects import DEFECTS, mended
from bench.lines import Line, above, below, beside, shown, table
from bench.processes import measured
from burnish.kinds.questions.formats import FORMATS

# What only a benchmark reaches is not tested by that.
pytestmark = pytest.mark.no_cover


@pytest.fixture(autouse=True)
def own_banks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(banks, "FOLDER", tmp_path / "banks")


def by_name(lines: list[Line]) -> dict[str, Line]:
    return {line.what.strip(): line for line in lines}


def test_a_line_is_over_only_beyond_its_bound() -> None:
    assert below("memory", 300, "MB", 300).verdict == "ok"
    assert below("memory", 301, "MB", 300).verdict == "over"
    assert above("speed", 1_499, "q/s", 1_500).verdict == "over"
    assert beside("time", 2.0, "s", "a peer", 1.0).verdict == ""
    assert beside("time", 2.0, "s", "a peer", 1.0, at_most=1.5).verdict == "over"


def test_the_table_has_a_row_for_each_line() -> None:
    text = table([below("memory", 120, "MB", 300), Line("just a figure", 3.14159, "s")])
    assert [line.split("  ")[0] for line in text.splitlines()] == ["what", "memory", "just a figure"]
    assert "<= 300 MB" in text and "0.40" in text and "ok" in text


@pytest.mark.parametrize(("figure", "text"), [(0, "0"), (0.01234, "0.0123"), (12.345, "12.3"), (1234.5, "1,234")])
def test_figures_are_short(figure: float, text: str) -> None:
    assert shown(figure) == text


def test_a_smaller_bank_is_the_beginning_of_a_larger_one() -> None:
    small, large = banks.bank(3).read_bytes(), banks.bank(5).read_bytes()
    assert large.startswith(small) and small.count(b"\n") == 3
    assert banks.bank(4).read_bytes() == b"".join(large.splitlines(keepends=True)[:4])


def test_what_a_command_takes_is_seen() -> None:
    taken = measured([sys.executable, "-c", "import time; held = bytearray(30_000_000); time.sleep(0.3)"])
    assert taken.exit_code == 0 and taken.seconds > 0.3 and taken.resident_megabytes >= taken.megabytes > 30


def test_memory_of_several_processes_is_counted_in_both_ways() -> None:
    child = "import time; held = bytearray(30_000_000); time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    taken = measured([sys.executable, "-c", parent])
    assert taken.exit_code == 0 and taken.resident_megabytes >= taken.megabytes > 30


def test_check_scaling() -> None:
    lines = by_name(check_scaling.run(full=False, sizes=(20, 40)))
    assert lines["memory, 40 questions"].figure > 0
    assert lines["questions a second a core, 40"].figure > 0
    assert "by the clock" in lines["questions a second a core, 40"].against
    together = lines["memory with --jobs 2, 40 questions"]
    assert 0 < together.figure <= lines["the same, shared pages counted for each process"].figure
    assert lines["only parsing the file (line by line)"].ratio is not None


def test_duplicates() -> None:
    lines = by_name(duplicates.run(full=False, sizes=(30, 60)))
    assert lines["copies with one word changed that are found"].figure > 50


def test_correction_tokens() -> None:
    for line in correction_tokens.run(full=False):
        assert line.verdict != "over", f"{line.what}: {line.ratio}"


def test_journal() -> None:
    lines = by_name(journal.run(full=False, units=600, records=128))
    assert lines["one by one"].figure > 0 and lines["opening a run of 600 units"].figure > 0


def test_every_format_is_read() -> None:
    assert [line.what for line in formats.run(full=False, questions=5)] == [known.name for known in FORMATS]


def test_throughput() -> None:
    lines = by_name(throughput.run(full=False, workers=4, rounds=2, latency=0.05))
    assert lines["8 calls, journal included"].figure > 0


@pytest.mark.parametrize("benchmark", [lessons_repair, lessons_cost], ids=lambda module: module.__name__)
def test_what_a_lesson_costs_does_not_grow_with_it(benchmark: ModuleType) -> None:
    lines = benchmark.run(full=False, sizes=(12, 24))
    assert [line.what for line in lines if line.verdict == "over"] == []
    assert sum(line.verdict == "ok" for line in lines) >= 2


def test_a_change_outside_of_the_defects_is_noticed() -> None:
    one = mended(12, DEFECTS[:1])
    with pytest.raises(RuntimeError, match="not the old one"):
        lessons_repair.refuse_other_changes(replace(one, after=one.after + b" "))


def test_lesson_checks() -> None:
    lines = lesson_checks.run(full=False, sizes=(7_000, 14_000))
    assert len(lines) == 3 and all(line.ratio is not None for line in lines)


def test_deciding() -> None:
    found = by_name(deciding.run(full=False, units=200, decisions=2))
    assert "8 decisions, 99 of 100 within" in found and found["the run meanwhile"].figure > 0


def test_read_model() -> None:
    lines = read_model.run(full=False, sizes=(40, 700), many=2, decided=60, apart=False)
    found = by_name(lines)
    assert "60 decisions: precision, the first time" in found
    assert "700 questions: the journal" in found
    assert {"a page of units", "the queue", "a unit's story"} <= set(found)
    assert all(line.figure >= 0 for line in lines)


def test_every_benchmark_is_listed() -> None:
    modules = {path.stem for path in (Path(banks.__file__).parent).glob("*.py") if "\nTITLE = " in path.read_text()}
    assert modules == set(NAMES)


def test_readers_of_a_book_are_few_share_their_text_and_find_what_was_sown() -> None:
    found = by_name(manuscript_cost.run(full=False, paragraphs=60))
    assert found["calls a paragraph"].verdict == found["tokens a paragraph"].verdict == "ok"
    assert found["shared by the readers of a window, at least"].verdict == "ok"
    assert found["damage that was found and mended"].figure == 1.0
