"""Golden reports of `burnish prove` on samples, by rules alone. (The guide shows all four, and is run.)

`python -m tests.golden.prove.reports` writes them again after a change that was meant; read the diff before you commit.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from importlib.resources import files
from pathlib import Path

from burnish.cli.main import main

HERE = Path(__file__).parent
SAMPLES = Path(str(files("burnish") / "samples"))
TRANSLATION = HERE / "lighthouse.es.md"
ARGUMENTS = {"questions": ["biology.json"], "lessons": ["bread.json", "--spec", "bread_spec.json"]}


def report(kind: str) -> tuple[int, str]:
    """Exit code and text of the proof of a sample."""
    before = Path.cwd()
    os.chdir(SAMPLES)
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), tempfile.TemporaryDirectory() as runs:
            code = main(["prove", *ARGUMENTS[kind], "--n", "12", "--runs", runs, "--no-color"])
    finally:
        os.chdir(before)
    return code, output.getvalue()


def path_of(kind: str) -> Path:
    return HERE / f"{kind}.txt"


if __name__ == "__main__":
    for kind in ARGUMENTS:
        path_of(kind).write_text(report(kind)[1], encoding="utf-8")
