"""The group of commands: each is imported only when it is called or asked for its own help."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as built

from burnish import __version__

PACKAGE = "burnish.surfaces.cli"
INTRODUCTION = """Finds what is wrong in model-written learning content, repairs only that, and proves that nothing else
got worse."""
EPILOGUE = "`burnish COMMAND --help` explains a command. Settings: burnish.toml, then BURNISH_*, then flags."


class LazyCommand(TyperCommand):
    """Stands in for a command in the list of commands; the real one is imported when its arguments are read."""

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        assert self.name is not None, "every command is listed under its name"
        return load(self.name).make_context(info_name, args, parent=parent, **extra)


def load(name: str) -> TyperCommand:
    """The real command: the function `name` of the module of that name."""
    function: Callable[..., Any] = getattr(importlib.import_module(f"{PACKAGE}.{name}"), name)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, context_settings={"help_option_names": ["-h", "--help"]})(function)
    command = built(app)
    assert isinstance(command, TyperCommand), "an app with one command is that command"
    return command


def group(commands: Mapping[str, str]) -> TyperGroup:
    """All commands under one roof."""
    app = typer.Typer(
        name="burnish",
        help=INTRODUCTION,
        epilog=EPILOGUE,
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def options(
        version: Annotated[bool, typer.Option("--version", "-V", help="Print the version and stop.")] = False,
    ) -> None:
        """The options before the command."""
        if version:
            typer.echo(f"burnish {__version__}")
            raise typer.Exit

    roof = built(app)
    assert isinstance(roof, TyperGroup), "an app with a callback is a group"
    for name, line in commands.items():
        roof.add_command(LazyCommand(name, help=line, short_help=line, rich_markup_mode=None))
    return roof


def run(commands: Mapping[str, str], arguments: list[str]) -> int:
    """Run what `arguments` ask for. A command returns its exit code, or None for 0."""
    roof = group(commands)
    try:
        with roof.make_context("burnish", arguments) as context:
            result = roof.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    return result if isinstance(result, int) else 0
