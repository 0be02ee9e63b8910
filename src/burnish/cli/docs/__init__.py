"""The generated pages: one for every rule and every command, the table of settings, the schemas.

`python -m burnish.cli.docs docs` writes them; a test fails when one is missing or stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from burnish.app.rulebook import rules as all_rules
from burnish.app.schemas import contracts, schema_of
from burnish.cli.docs.commands import command_index, command_page, page_name
from burnish.cli.docs.markdown import GENERATED, table
from burnish.cli.docs.rules import rule_index, rule_page
from burnish.cli.docs.settings import settings_page
from burnish.cli.group import paths
from burnish.cli.main import COMMANDS

FOLDERS = ("rules", "commands", "schemas")
"""Everything in these is ours: a page that is not written again is removed."""


def pages() -> dict[str, str]:
    """Path below docs/ -> content of every generated page."""
    known = list(all_rules())
    return {
        "rules/index.md": GENERATED + rule_index(known),
        **{f"rules/{rule.id}.md": GENERATED + rule_page(rule) for rule in known},
        "commands/index.md": GENERATED + command_index(),
        **{f"commands/{page_name(path)}": GENERATED + command_page(path) for path, _ in paths(COMMANDS)},
        "settings.md": GENERATED + settings_page(),
        "schemas/index.md": GENERATED + _schema_index(),
        **{f"schemas/{name}.json": _json(schema_of(name)) for name in contracts()},
    }


def write(folder: Path) -> None:
    """Write every page below `folder` and remove those of things that are gone."""
    wanted = pages()
    for name, content in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    for path in stale(folder, wanted):
        path.unlink()


def stale(folder: Path, wanted: dict[str, str]) -> list[Path]:
    """Pages of rules, commands or contracts that no longer exist."""
    found = (path for name in FOLDERS for path in sorted((folder / name).glob("*")))
    return [path for path in found if path.relative_to(folder).as_posix() not in wanted]


def _json(value: dict[str, Any]) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n"


def _schema_index() -> str:
    rows = ((f"[`{name}`]({name}.json)", what) for name, what in contracts().items())
    return f"# Schemas\n\n`burnish schema NAME` prints one.\n\n{table(('contract', 'what'), rows)}"
