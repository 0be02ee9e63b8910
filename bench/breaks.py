"""The code broken on purpose, one seeded slip at a time: the tests beside the code have to notice, or the wider ones.

A slip is made in a copy of the tree, never in the tree itself. Which slips are drawn follows the code (`slips.py`).
A slip that changes nothing anybody can see is set aside in `slips_aside.toml`, each with its reason, and another one
is drawn for it.

`python -m bench.breaks --seed 7 --number 50 core text` draws others; `--beside` runs only the tests beside the code.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from bench.lines import Line, above, table
from bench.slips import Slip, drawn

TITLE = "The code broken on purpose, and the tests that notice"
ROOT = Path(__file__).parent.parent
ASIDE = Path(__file__).parent / "slips_aside.toml"
ROOMS = ("core", "store", "models", "text", "engine")
SEED = 24
NUMBER, NUMBER_IN_FULL = 25, 200
BESIDE_SHARE, SHARE = 0.8, 0.95
"""Of the slips, how many the tests beside the code have to catch, and how many all chosen tests."""
BESIDE_SECONDS, SECONDS = 300, 1200
"""A slip that makes the tests hang is caught as well."""

EXAMPLES = ("tests/kinds/lessons/test_rules_examples.py", "tests/kinds/lessons/checks/test_lesson_checks.py")
"""The examples of rules that modules of `text` serve."""
BESIDE: dict[str, tuple[str, ...]] = {
    "engine/batches.py": ("tests/engine/test_steps.py",),
    "engine/publish.py": ("tests/engine/test_steps.py",),
    "engine/client.py": ("tests/engine/test_model_trouble.py", "tests/engine/test_billing.py"),
    "engine/endings.py": ("tests/engine/test_unending_runs.py",),
    "engine/interpreters.py": (
        "tests/engine/test_steps.py",
        "tests/engine/test_round_tasks.py",
        "tests/engine/test_run.py",
    ),
    "engine/rounds.py": ("tests/engine/test_round_tasks.py", "tests/engine/test_judging.py"),
    "engine/session.py": (
        "tests/engine/test_steps.py",
        "tests/engine/test_run.py",
        "tests/engine/test_model_trouble.py",
    ),
    "engine/exports.py": ("tests/engine/test_export.py", "tests/engine/test_undo.py"),
    "engine/units.py": ("tests/engine/test_runner.py", "tests/engine/test_round_tasks.py", "tests/engine/test_run.py"),
    "engine/versions.py": ("tests/app/test_reopen.py",),
    "store/read_model.py": ("tests/app/run_index/test_read_model.py", "tests/store/test_unit_sums.py"),
    "store/rows.py": ("tests/store/test_journals_alike.py",),
    "store/unit_queries.py": ("tests/app/run_index/test_unit_lists.py", "tests/store/test_unit_sums.py"),
    "text/foreign_letters.py": EXAMPLES,
    "text/foreign_markup.py": ("tests/text/test_slips.py", *EXAMPLES),
    "text/leftovers.py": EXAMPLES,
    "text/markdown.py": EXAMPLES,
    "text/truncation.py": EXAMPLES,
    "text/wrong_language.py": EXAMPLES,
}
"""Modules -> tests beside them that neither bear their name nor import them: above all examples of rules."""
WIDER = {
    "core": ("tests/core", "tests/engine", "tests/kinds", "tests/app/test_check_json.py", "tests/golden/runs"),
    "store": (
        "tests/store",
        "tests/engine",
        "tests/app/run_index",
        "tests/app/test_undo.py",
        "tests/web/test_people.py",
    ),
    "models": ("tests/models", "tests/engine", "tests/faults/test_f10_provider.py", "tests/faults/test_f11_rate.py"),
    "text": ("tests/text", "tests/kinds/lessons", "tests/kinds/manuscripts", "tests/kinds/questions/formats"),
    "engine": ("tests/engine", "tests/app/test_polish.py", "tests/app/test_resume.py", "tests/golden/runs"),
}
"""Room -> the tests that are run for a slip that the tests beside it miss."""

IMPORTED = re.compile(r"^(?:from|import) (burnish[\w.]*)", re.MULTILINE)

By = Literal["beside", "wider", "nothing"]


@dataclass(frozen=True, slots=True)
class Fate:
    slip: Slip
    by: By


def run(full: bool) -> list[Line]:
    """Every slip of the draw in turn: 25 of them, or 200."""
    return judged(ROOMS, SEED, NUMBER_IN_FULL if full else NUMBER)


def judged(rooms: Sequence[str], seed: int, number: int, *, only_beside: bool = False) -> list[Line]:
    with _copy() as copy:
        slips, aside = drawn(copy / "src" / "burnish", rooms, seed, number, reasons())
        return lines([*fates(copy, slips, only_beside=only_beside)], len(aside))


def lines(fates: list[Fate], aside: int) -> list[Line]:
    number = len(fates)
    beside = sum(fate.by == "beside" for fate in fates)
    caught = sum(fate.by != "nothing" for fate in fates)
    return [
        *(Line(f"NOT CAUGHT {place(fate.slip)}", 0, fate.slip.after) for fate in fates if fate.by == "nothing"),
        *(Line(f"only by wider tests {place(fate.slip)}", 1, fate.slip.after) for fate in fates if fate.by == "wider"),
        Line("set aside: nobody can see a difference", aside),
        above("caught beside the code", beside, f"of {number}", BESIDE_SHARE * number),
        above("caught by all chosen", caught, f"of {number}", SHARE * number),
    ]


def place(slip: Slip) -> str:
    return f"{slip.module}:{slip.line}: {slip.before}"


def reasons() -> dict[tuple[str, str, str], str]:
    """Module, before and after -> why nobody can see a difference."""
    entries = tomllib.loads(ASIDE.read_text(encoding="utf-8")).get("aside", [])
    return {(entry["module"], entry["before"], entry["after"]): entry["reason"] for entry in entries}


def beside(module: str, root: Path = ROOT) -> tuple[str, ...]:
    """The tests beside a module: those of its room that bear its name first, then those that import it,
    and all tests of the folder with the name of its package.

    Where there are none: those that import it anywhere, or those that are named for it in `BESIDE`.
    """
    room, name = module.split("/")[0], Path(module).stem
    dotted = ".".join(Path("burnish", module).with_suffix("").parts).removesuffix(".__init__")
    name = dotted.rpartition(".")[2] if name == "__init__" else name
    tests = _imports_of_tests(root)
    importing = [path for path, imported in tests.items() if dotted in imported]
    within = [path for path in tests if path.is_relative_to(root / "tests" / room)]
    named = [path for path in within if re.fullmatch(rf"test_{name}(_\w+)?", path.stem)]
    mirror = root / "tests" / Path(module).parent
    near = [path for path in tests if path.parent == mirror] if mirror != root / "tests" / room else []
    found = [*named, *(path for path in within if path in importing), *near] or importing
    extra = [root / test for test in BESIDE.get(module, ())]
    return tuple(dict.fromkeys(path.relative_to(root).as_posix() for path in [*found, *extra]))


@cache
def _imports_of_tests(root: Path) -> dict[Path, frozenset[str]]:
    """Each test -> the modules that it imports."""
    return {
        path: frozenset(IMPORTED.findall(path.read_text(encoding="utf-8")))
        for path in sorted((root / "tests").rglob("test_*.py"))
    }


def fates(copy: Path, slips: Sequence[Slip], *, only_beside: bool = False) -> Iterator[Fate]:
    """Make each slip in the copy of the tree in turn, and say who noticed."""
    sound: set[tuple[str, ...]] = set()

    def notice(slip: Slip, tests: tuple[str, ...], seconds: int) -> bool:
        if tests not in sound:
            if _fails(copy, tests, 2 * seconds):
                raise RuntimeError(f"{' '.join(tests)} fails before anything is broken.")
            sound.add(tests)
        with _broken(copy, slip):
            return _fails(copy, tests, seconds)

    for slip in slips:
        by: By = "nothing"
        if (tests := beside(slip.module, copy)) and notice(slip, tests, BESIDE_SECONDS):
            by = "beside"
        elif not only_beside and notice(slip, WIDER[slip.module.split("/")[0]], SECONDS):
            by = "wider"
        print(f"{by:8}{place(slip)}\n      ->  {slip.after}", flush=True)
        yield Fate(slip, by)


@contextmanager
def _copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        for name in ("src", "tests", "docs", "bench"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
        for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "Makefile"):
            shutil.copy(ROOT / name, copy)
        yield copy


@contextmanager
def _broken(copy: Path, slip: Slip) -> Iterator[None]:
    path = copy / "src" / "burnish" / slip.module
    source = path.read_bytes()
    try:
        _write(path, slip.applied(source))
        yield
    finally:
        _write(path, source)


def _write(path: Path, source: bytes) -> None:
    """Write a module and forget its compiled form: one of the same size and second would still be taken for it."""
    path.write_bytes(source)
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        compiled.unlink()


def _fails(copy: Path, tests: Sequence[str], seconds: int) -> bool:
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", "-p", "no:schemathesis", *tests]
    env = {**os.environ, "PYTHONPATH": str(copy / "src")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(
        command, cwd=copy, env=env, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    finally:
        _end(process)
    if code not in (0, 1, 2, 3):
        raise RuntimeError(f"pytest ended with {code}: {' '.join(tests)}")
    return code != 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the tests, and what they started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # all of them ended by themselves
    finally:
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.breaks", description=TITLE)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"some of: {', '.join(ROOMS)}. Default: all")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--number", type=int, default=NUMBER)
    parser.add_argument("--beside", action="store_true", help="only the tests beside the code")
    options = parser.parse_args()
    print(table(judged(options.rooms or ROOMS, options.seed, options.number, only_beside=options.beside)))


if __name__ == "__main__":
    main()
