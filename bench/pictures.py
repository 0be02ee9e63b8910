"""Pictures of the terminal for the README: the real output of real commands, as SVG.

python -m bench.pictures docs/pictures
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH = 104
PAPER = TerminalTheme(
    (250, 250, 248),
    (38, 38, 36),
    [
        (38, 38, 36),
        (178, 34, 34),
        (46, 110, 50),
        (150, 95, 0),
        (30, 80, 160),
        (130, 40, 130),
        (0, 110, 120),
        (90, 90, 86),
    ],
    [
        (120, 120, 116),
        (178, 34, 34),
        (46, 110, 50),
        (150, 95, 0),
        (30, 80, 160),
        (130, 40, 130),
        (0, 110, 120),
        (38, 38, 36),
    ],
)
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""
"""Rich's own frame names a font from elsewhere; ours takes what the reader has."""


PICTURES = {
    "check": ("$ burnish check biology.json",),
    "translate": ("$ burnish translate",),
    "legos": ("$ burnish legos report",),
}
"""Name of a picture -> the commands in it."""
_COMMAND = re.compile(r"^(?=(?:\x1b\[[0-9;]*m)*(?:\$ |Scripts stood in for models|Everything is in ))", re.MULTILINE)


def main(target: str) -> None:
    outputs = [Text.from_ansi(output.strip()) for output in _COMMAND.split(demo_output())]
    for name, commands in PICTURES.items():
        shown = [next(output for output in outputs if output.plain.startswith(command)) for command in commands]
        for output in shown:
            output.rstrip()
        picture(Text("\n\n").join(shown), Path(target, f"{name}.svg"), f"burnish {name}")


def demo_output() -> str:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
        command = [sys.executable, "-m", "burnish.cli.main", "demo", "--verbose", "--keep", "demo"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.replace(folder + "/", "")


def picture(text: Text, path: Path, title: str) -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(text)
    path.write_text(
        console.export_svg(title=title, theme=PAPER, code_format=FRAME, unique_id=path.stem), encoding="utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1])
