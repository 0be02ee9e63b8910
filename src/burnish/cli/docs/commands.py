"""A page for every command."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from burnish.cli.docs.markdown import table
from burnish.cli.group import load, paths
from burnish.cli.main import COMMANDS


def command_index() -> str:
    rows = ((f"[`burnish {path}`]({page_name(path)})", line) for path, line in paths(COMMANDS))
    return f"# Commands\n\n{table(('command', 'what'), rows)}\n{EXIT_CODES}"


EXIT_CODES = """## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | findings, gate blocked or invalid |
| 2 | wrong usage or bad input |
| 3 | needs a person |
| 4 | the run is already active |
| 5 | corrupt state |
| 6 | stopped at a limit (budget, time); can be resumed |
| 70 | a fault of Burnish itself; `BURNISH_DEBUG=1` shows the traceback |
| 130 | interrupted; can be resumed |
| 141 | whoever read the output left before its end (`\\| head`) |
"""


def page_name(path: str) -> str:
    """The file of a command's page."""
    return f"{path.replace(' ', '_')}.md"


def command_page(path: str) -> str:
    command = load(path)
    if isinstance(command, TyperGroup):
        return _group_page(path, command)
    parameters: list[Any] = command.params
    usage = f"burnish {path} [OPTIONS] {' '.join(_argument(p) for p in parameters if _is_argument(p))}".rstrip()
    parts = [f"# burnish {path}\n\n```text\n{usage}\n```\n\n{(command.help or '').strip()}\n"]
    arguments = [(f"`{_metavar(p)}`", p.help or "") for p in parameters if _is_argument(p)]
    options = [(_option(p), _option_help(p)) for p in parameters if not _is_argument(p) and p.name != "help"]
    if arguments:
        parts.append("## Arguments\n\n" + table(("argument", "what"), arguments))
    if options:
        parts.append("## Options\n\n" + table(("option", "what"), options))
    return "\n".join(parts)


def _group_page(path: str, group: TyperGroup) -> str:
    rows = (
        (f"[`burnish {path} {name}`]({page_name(f'{path} {name}')})", command.help or "")
        for name, command in group.commands.items()
    )
    return f"# burnish {path}\n\n{(group.help or '').strip()}\n\n{table(('command', 'what'), rows)}"


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _argument(parameter: Any) -> str:
    shown = f"{_metavar(parameter)}{'...' if parameter.nargs == -1 else ''}"
    return shown if parameter.required else f"[{shown}]"


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _option(parameter: Any) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    if parameter.is_flag:
        return names
    choices = parameter.type_descriptor.choices
    value = parameter.metavar or ("|".join(str(choice) for choice in choices) if choices else parameter.name.upper())
    return f"{names} `{value}`"


def _option_help(parameter: Any) -> str:
    default = "" if parameter.is_flag or parameter.default in (None, ()) else f" Default: `{parameter.default}`."
    return f"{parameter.help or ''}{default}"
