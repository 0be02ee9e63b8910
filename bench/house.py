"""How much there is to read: modules, lines, names, imports, and what one question runs through.

The goals are those of the renovation (docs/design/README.md). `at_start` is the tree of 16 November 2026, before it.
"""

from __future__ import annotations

import ast
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from bench.lines import Line

TITLE = "The house: what a newcomer has to read"
SRC = Path(__file__).parent.parent / "src"
ESTABLISHED = frozenset(
    {"hashing", "logging", "matching", "parsing", "rendering", "routing", "scoring", "serving", "string", "testing"}
)
"""Gerunds that the trade uses as nouns."""

TRACE = """
import json, sys, threading
modules, functions, deepest = set(), set(), 0
def profile(frame, event, argument):
    global deepest
    code, depth = frame.f_code, 0
    if event != "call" or not code.co_filename.startswith(ROOT):
        return
    while frame is not None:
        if frame.f_code.co_filename.startswith(ROOT):
            if frame.f_code.co_name == "<module>":
                return  # an import is not the work
            depth += 1
        frame = frame.f_back
    modules.add(code.co_filename)
    functions.add((code.co_filename, code.co_qualname))
    deepest = max(deepest, depth)
ROOT, *sys.argv = sys.argv[1:]
from burnish.cli.main import main
threading.setprofile(profile)
sys.setprofile(profile)
try:
    main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
print(json.dumps([len(modules), len(functions), deepest]), file=sys.stderr)
"""


def run(full: bool) -> list[Line]:
    paths = sorted(SRC.rglob("*.py"))
    modules, functions, depth = _polish_trace()
    rooms, inside = _mutual_imports(paths)
    return [
        _goal("modules under src", len(paths), 842, 450),
        _goal("lines under src", sum(map(_lines, paths)), 103_478, 80_000),
        _goal("isinstance on a kind", sum(map(_kind_tests, paths)), 57, 0),
        _goal("modules that polish runs through on the sample bank", modules, 166, 80),
        _goal("depth of its stack", depth, 28, 18),
        Line("functions that it runs through", functions, against="at the start: 1,249"),
        _goal("gerunds as module names", len([p for p in paths if _is_gerund(p)]), 160, 15),
        _goal("packages of two rooms that import each other", rooms, 30, 0),
        _goal("packages of one room that import each other", inside, 30, 5),
        Line("modules with one importer", _single_importers(paths), against="at the start: 219"),
        Line("lines of a function, median", statistics.median(_function_lengths(paths)), against="at the start: 6"),
        Line("lines of a file, median", statistics.median(map(_lines, paths)), against="at the start: 107"),
    ]


def _goal(what: str, figure: int, start: int, goal: int) -> Line:
    """A figure beside its goal; what may not occur at all has no ratio to it but the figure itself."""
    against = f"goal {goal:,}; at the start: {start:,}"
    return Line(
        what, figure, against=against, ratio=figure / goal if goal else float(figure), at_most=1.0 if goal else 0.0
    )


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _kind_tests(path: Path) -> int:
    """Calls of isinstance that ask which kind of content something is."""
    calls = (node for node in ast.walk(_tree(path)) if isinstance(node, ast.Call))
    return sum(isinstance(c.func, ast.Name) and c.func.id == "isinstance" and _names_kind(c.args[1]) for c in calls)


def _names_kind(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id.endswith("Kind") for part in ast.walk(node))


def _is_gerund(path: Path) -> bool:
    return path.stem.endswith("ing") and path.stem not in ESTABLISHED


def _function_lengths(paths: list[Path]) -> list[int]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for path in paths for node in ast.walk(_tree(path)) if isinstance(node, kinds))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes]


def _imports(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Every import of one of our modules by another, as dotted names; those for type checkers do not count."""
    known = {_name(path) for path in paths}
    for path in paths:
        for node in _runtime_nodes(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("burnish"):
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    yield _name(path), full if full in known else node.module


def _runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from _runtime_nodes(child)


def _name(path: Path) -> str:
    parts = path.relative_to(SRC).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _mutual_imports(paths: list[Path]) -> tuple[int, int]:
    """Pairs of packages that import each other: of two rooms, and inside one room."""
    packages = {_name(path): ".".join(path.relative_to(SRC).parts[:-1]) for path in paths}
    edges = {(packages[a], packages[b]) for a, b in _imports(paths) if packages[a] != packages[b]}
    pairs = [(a, b) for a, b in edges if a < b and (b, a) in edges and "burnish" not in (a, b)]
    between = sum(_room(a) != _room(b) for a, b in pairs)
    return between, len(pairs) - between


def _room(package: str) -> str:
    return package.split(".")[1]


def _single_importers(paths: list[Path]) -> int:
    importers = Counter(imported for _, imported in {(a, b) for a, b in _imports(paths) if a != b})
    return sum(importers[_name(path)] == 1 for path in paths if path.stem != "__init__")


def _polish_trace() -> tuple[int, int, int]:
    """Modules and functions that `polish` runs through on the bundled bank, and how deep its stack gets."""
    samples = SRC / "burnish" / "samples"
    command = [sys.executable, "-c", TRACE, str(SRC / "burnish"), "burnish", "polish", str(samples / "biology.json")]
    with tempfile.TemporaryDirectory() as runs:
        script = f"scripted:{samples / 'biology_model.json'}"
        options = ["--model", script, "--runs", runs, "--run-id", "house", "--no-color"]
        ended = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    modules, functions, depth = json.loads(ended.stderr.strip().splitlines()[-1])
    if not modules:
        raise RuntimeError(f"No module under {SRC} was run: another tree is installed. Set PYTHONPATH=src.")
    return modules, functions, depth
