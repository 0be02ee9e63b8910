"""How long it takes until Burnish says its first word, and what it does not load before it must."""

from __future__ import annotations

import subprocess
import sys

from bench.banks import bank
from bench.lines import Line, below
from bench.processes import burnish, compiled, measured

TITLE = "Start-up (best of five, compiled modules)"
ROUNDS = 5
MODEL_LIBRARIES = ("pydantic_ai", "openai", "anthropic", "httpx2", "httpx")

PROBE = """
import sys
from burnish.cli.main import main
sys.argv = ["burnish", "check", "--format", "json", "--jobs", "1", sys.argv[1]]
try:
    main()
except SystemExit:
    pass
print(*(name for name in {libraries} if name in sys.modules), file=sys.stderr)
"""


def run(full: bool) -> list[Line]:
    with compiled() as environment:

        def best(command: list[str]) -> float:
            measured(command, environment=environment)
            return min(measured(command, environment=environment).seconds for _ in range(ROUNDS))

        bare = best([sys.executable, "-c", "pass"])
        imported = best([sys.executable, "-c", "import burnish"])
        version = best(burnish("--version"))
        questions = best([sys.executable, "-c", "import burnish.questions"])
        loaded = _model_libraries(environment)
    return [
        Line("python itself", bare, "s"),
        below("import burnish", imported, "s", 0.2),
        below("burnish --version", version, "s", 0.3),
        Line("import burnish.questions", questions, "s"),
        Line(
            "model libraries loaded by check",
            float(len(loaded)),
            against=", ".join(loaded) or "none of them",
            ratio=float(len(loaded)),
            at_most=0.0,
        ),
    ]


def _model_libraries(environment: dict[str, str]) -> list[str]:
    probe = PROBE.format(libraries=MODEL_LIBRARIES)
    ended = subprocess.run(
        [sys.executable, "-c", probe, str(bank(100))], env=environment, capture_output=True, text=True, check=True
    )
    return ended.stderr.splitlines()[-1].split()  # above it the progress of a slow machine
