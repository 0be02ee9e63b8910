"""`burnish serve` and `burnish users`: the workbench with the HTTP API, and the people who have access to it."""

from __future__ import annotations

import getpass
import logging
import stat
import sys
import webbrowser
from contextlib import ExitStack
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from burnish.app.settings import load
from burnish.cli.options import Runs, TextOutput
from burnish.core.errors import UsageError
from burnish.store.paths import operator_path
from burnish.store.people import ROLES, People

LARGEST_TOKEN_FILE = 4096


def serve(
    output: TextOutput,
    runs: Runs = None,
    host: Annotated[str, typer.Option(metavar="HOST", help="Address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, metavar="N", help="Port; 0 takes any free one.")] = 8642,
    open: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    token_file: Annotated[
        str | None, typer.Option(metavar="F", help="File with the token, for services. Default: a new one each start.")
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Require no token; on loopback only.")] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another host name that browsers may use. Repeatable.")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where browsers find it behind a proxy: https://desk.example.")
    ] = None,
    no_continue: Annotated[
        bool, typer.Option("--no-continue", help="Do not resume runs automatically when their last unit is decided.")
    ] = False,
) -> int:
    """Show runs, record decisions, and drive Burnish over HTTP (`/api/v1`).

    It prints a link with a token: anyone who has it may decide and spend money. Ctrl-C stops the server; its active
    runs stop cleanly and can be resumed.
    """
    # Imported only here, because `burnish users` needs no server.
    from burnish.api.access import Access
    from burnish.api.workplace import workplace_of
    from burnish.web.server import bound
    from burnish.web.server import serve as serve_on

    if no_token and token_file is not None:
        raise UsageError("--no-token and --token-file contradict each other.", hint="Leave one of them out.")
    loaded = load(flags={"runs": ("--runs", runs)})
    token = None if no_token else _token(token_file)
    # Checked before the port opens, so that others can never reach a server without a token.
    Access.of(host, port, token, public=public_url)
    folder = Path(loaded.settings.runs)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder.", hint="Name the folder of the runs with --runs.")

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    screen = output.screen
    with bound(host, port) as listener, ExitStack() as stack:
        access = Access.of(host, listener.getsockname()[1], token, names=allow_host or (), public=public_url)
        here = workplace_of(loaded, access, continues=not no_continue)

        def started() -> None:
            link = access.link if token_file is None else f"{access.address}/?token=(the one in {token_file})"
            screen.line(("strong", "Workbench: "), link)
            screen.line(("faint", f"Runs in {here.runs}. Ctrl-C stops the server."))
            sys.stdout.flush()
            if open:
                _open_privately(access.link, stack)

        serve_on(here, listener, started=started)
    return 0


def _open_privately(link: str, stack: ExitStack) -> None:
    """Open the link through a page that only this user can read: command lines are visible to all users."""
    page = Path(stack.enter_context(TemporaryDirectory(prefix="burnish-"))) / "workbench.html"
    markup = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={escape(link)}">'
    page.write_text(markup, encoding="utf-8")
    webbrowser.open(page.as_uri())


def _token(file: str | None) -> str:
    from burnish.api.access import checked_token, new_token

    if file is None:
        return new_token()
    path = operator_path(file)
    try:
        with path.open("r", encoding="utf-8") as stream:
            text = stream.read(LARGEST_TOKEN_FILE)
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The token cannot be read from {file}: {error}.", hint="Name a readable file.") from error
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"Others can read {path}.", hint=f"Make it private: chmod 600 {path}")
    return checked_token(text, file)


INTRODUCTION = """People who work together have a name, a token and a role each: read, decide, run (spends
money), admin. Every action is signed with the token. If you work alone on one machine, you need none of this."""

COMMANDS: dict[str, str] = {
    "add": "Give a person a token with a role.",
    "list": "List who has access, and when each was last seen.",
    "revoke": "End a token at once.",
}

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name or initials, as decisions will show it.")]


def _people(runs: str | None) -> People:
    return People(Path(load(flags={"runs": ("--runs", runs)}).settings.runs).absolute())


def _operator() -> str:
    """The name of the user at this terminal."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have no name for its user
        return "operator"


def add(
    name: Name,
    output: TextOutput,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help=f"{', '.join(ROLES)}; each includes the ones before it.")
    ] = "decide",
    runs: Runs = None,
) -> int:
    """Give a person a token. It is shown only once; Burnish keeps only its digest."""
    token = _people(runs).add(name, role, _operator())
    output.screen.line(("strong", f"{name} has the role {role}."))
    output.screen.line(f"Token: {token}")
    output.screen.line(("faint", "In a browser: the workbench's address with /?token=TOKEN. It is not shown again."))
    return 0


def list_(output: TextOutput, runs: Runs = None) -> int:
    """Show who has access."""
    members = _people(runs).members()
    if not members:
        output.screen.line("Nobody has a token. The link that `burnish serve` prints opens everything.")
    for member in members:
        state = f"revoked by {member.revoked_by}, {member.revoked_at}" if member.revoked_at else member.role
        last_seen = f"last seen {member.seen_at}" if member.seen_at else "not seen yet"
        output.screen.line(("strong", member.name), f"  {state}  ", ("faint", f"{last_seen}; token {member.mark}"))
    return 0


def revoke(name: Name, output: TextOutput, runs: Runs = None) -> int:
    """End a token at once. Decisions made with it stay."""
    _people(runs).revoke(name, _operator())
    output.screen.line(f"The token of {name} no longer works. Decisions made with it stay.")
    return 0
