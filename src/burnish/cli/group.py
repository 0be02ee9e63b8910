"""Groups of commands: a command is imported only when it is called or its help is shown. Also the error messages: what
went wrong, where, and what to do next."""

from __future__ import annotations

import builtins
import importlib
import inspect
import keyword
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command as built

from burnish import __version__
from burnish.app.terminal import Screen, json_text
from burnish.core.errors import BurnishError, InputError

PACKAGE = "burnish.cli"
INTRODUCTION = """Finds what is wrong in learning content that a model wrote, repairs only that, and proves that nothing
else got worse."""
EPILOGUE = """`{name} COMMAND --help` explains a command. Settings: burnish.toml, then BURNISH_* variables, then flags;
the later one wins."""
HELP = {"help_option_names": ["-h", "--help"]}
GROUPS = ("legos", "lexicon", "users")
"""Commands that are groups of commands."""


class LazyCommand(TyperCommand):
    """A placeholder in the list of commands; the real command is imported when its arguments are read."""

    def __init__(self, path: str, line: str) -> None:
        super().__init__(path.rpartition(" ")[2], help=line, short_help=line, rich_markup_mode=None)
        self.path = path

    def make_context(self, info_name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return load(self.path).make_context(info_name, args, parent=parent, **extra)


@cache  # a process may run many commands
def load(path: str) -> TyperCommand | TyperGroup:
    """The real command: the function of the same name (`import_`, `list_` for names that Python uses)."""
    module = _module(path)
    if path in GROUPS:
        return _listing(path, module.COMMANDS, _app(f"burnish {path}", module.INTRODUCTION))
    name = path.rpartition(" ")[2]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, context_settings=HELP)(expanded(getattr(module, _python_name(name))))
    command = built(app)
    assert isinstance(command, TyperCommand), "an app with one command is that command"
    return command


def _module(path: str) -> Any:
    """The module of a command: `check` is in the module `check`, `legos extract` in a module of the package `legos`,
    `users add` in the module of `users`; MODULES of a package names the exceptions."""
    module = importlib.import_module(PACKAGE)
    for name in path.split():
        if hasattr(module, "__path__"):
            module = importlib.import_module(f"{module.__name__}.{module.MODULES.get(name, name)}")
    return module


def _python_name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or hasattr(builtins, name) else name


def expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with every bundle of options among its parameters replaced by the options in it."""
    hints = get_type_hints(function, include_extras=True)
    bundles: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    flat: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        bundle = bundles.get(parameter.name)
        if bundle is None:
            flat.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))
            continue
        options = get_type_hints(bundle, include_extras=True)
        flat += [
            inspect.Parameter(one.name, parameter.KEYWORD_ONLY, default=one.default, annotation=options[one.name])
            for one in fields(bundle)
        ]

    def command(**given: Any) -> Any:
        for name, bundle in bundles.items():
            given[name] = bundle(**{one.name: given.pop(one.name) for one in fields(bundle)})
        return function(**given)

    command.__doc__ = function.__doc__
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return command


def paths(commands: Mapping[str, str], above: str = "") -> Iterator[tuple[str, str]]:
    """Every command as it is called, and its line; the commands of a group follow the group."""
    for name, line in commands.items():
        path = f"{above} {name}".strip()
        yield path, line
        if name in GROUPS:
            yield from paths(_module(path).COMMANDS, path)


def _app(name: str, help: str) -> typer.Typer:
    return typer.Typer(
        name=name,
        help=help,
        epilog=EPILOGUE.format(name=name),
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=HELP,
    )


def _listing(path: str, commands: Mapping[str, str], app: typer.Typer) -> TyperGroup:
    """A group of commands with the help of the app; `path` is how the group itself is called."""
    if app.registered_callback is None:
        app.callback()(lambda: None)
    listing = built(app)
    assert isinstance(listing, TyperGroup), "an app with a callback is a group"
    for name, line in commands.items():
        listing.add_command(LazyCommand(f"{path} {name}".strip(), line))
    return listing


def group(commands: Mapping[str, str]) -> TyperGroup:
    """All commands as one group."""
    app = _app("burnish", INTRODUCTION)

    @app.callback()
    def options(
        version: Annotated[bool, typer.Option("--version", "-V", help="Print the version and stop.")] = False,
    ) -> None:
        """The options before the command."""
        if version:
            typer.echo(f"burnish {__version__}")
            raise typer.Exit

    return _listing("", commands, app)


REPORT = "This is a bug in Burnish. BURNISH_DEBUG=1 shows where; please report it with the command you ran."
WRONG_USE = 2
UNCHANGED = "Nothing was changed."


def print_error(error: Exception, arguments: list[str], internal_code: int) -> int:
    """Print the error on stderr and return the exit code."""
    if os.environ.get("BURNISH_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    if isinstance(error, BurnishError):
        names = ("path", "line", "field") if isinstance(error, InputError) else ()
        place = {name: getattr(error, name) for name in names}
        return _print(error.code, str(error), error.hint, error.exit_code, arguments, place)
    if isinstance(error, typer.TyperException):
        return _print_usage_error(error, arguments)
    message = f"{type(error).__name__}: {error}"
    return _print("internal_error", message, f"{REPORT} (Burnish {__version__})", internal_code, arguments)


def print_interrupted(state: str) -> None:
    """Print that the command was interrupted. `state` is its own message about what is kept; it may be empty."""
    head, *more = state.split("\n")
    screen = Screen(sys.stderr)
    screen.line(("strong", "Interrupted."), f" {head}" if head else "")
    for line in more:
        screen.line("  ", line)


def _print_usage_error(error: typer.TyperException, arguments: list[str]) -> int:
    context = getattr(error, "ctx", None)
    message = error.format_message()
    if context is not None and message == context.get_help():  # a group without a command shows its help
        sys.stderr.write(f"{message}\n")
        return WRONG_USE
    path = context.command_path if context is not None else " ".join(("burnish", *arguments[:1]))
    # typer's words before ours, and its list of choices, one a line
    message = message.replace(": Value error, ", ": ").replace("\n\t", " ")
    return _print("usage", message, f"`{path} --help` explains it.", WRONG_USE, arguments)


def _print(
    code: str, message: str, hint: str | None, exit_code: int, arguments: list[str], place: dict[str, Any] | None = None
) -> int:
    if wants_json(arguments):
        record = {"error": {"code": code, "message": message, "hint": hint, "exit_code": exit_code, **(place or {})}}
        sys.stderr.write(f"{json_text(record)}\n")
        return exit_code
    screen = Screen(sys.stderr)
    first, *more = message.split("\n")
    screen.line(("error", "burnish: "), first)
    for line in more:
        screen.line("  ", line)
    if hint:
        screen.line(("faint", "  hint: "), hint)
    return exit_code


def wants_json(arguments: list[str]) -> bool:
    """Whether the command was asked for JSON, so that its errors are JSON too."""
    if "--json" in arguments or "--format=json" in arguments:
        return True
    return any(pair == ("--format", "json") for pair in pairwise(arguments))
