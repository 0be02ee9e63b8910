"""`burnish users`: the people of a workbench, each with a token and a role."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.settings import load
from burnish.cli.options import Runs, TextOutput
from burnish.store.people import ROLES, People

INTRODUCTION = """People who work together have a name, a token and a role each: read, decide, run (spends
money), admin. What somebody does is signed with the token. Alone on one machine you need none of this."""

COMMANDS: dict[str, str] = {
    "add": "Give somebody a token with a role.",
    "list": "Show who has access, and when they were last here.",
    "revoke": "End a token at once.",
}

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name or initials, as decisions will show it.")]


def _people(runs: str | None) -> People:
    return People(Path(load(flags={"runs": ("--runs", runs)}).settings.runs).absolute())


def _operator() -> str:
    """Who types commands here: whoever may read the folder."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have no name for its user
        return "operator"


def add(
    name: Name,
    output: TextOutput,
    role: Annotated[
        str, typer.Option("--role", metavar="ROLE", help=f"{', '.join(ROLES)}; each adds to the one before.")
    ] = "decide",
    runs: Runs = None,
) -> int:
    """Give somebody a token. It is shown this once; only its digest is kept."""
    token = _people(runs).add(name, role, _operator())
    output.screen.line(("strong", f"{name} has the role {role}."))
    output.screen.line(f"Token: {token}")
    output.screen.line(("faint", "In a browser: the workbench's address with /?token=TOKEN. It is not shown again."))
    return 0


def list(output: TextOutput, runs: Runs = None) -> int:
    """Show who has access."""
    members = _people(runs).members()
    if not members:
        output.screen.line("Nobody has a token. The link that `burnish serve` prints opens everything.")
    for member in members:
        state = f"revoked by {member.revoked_by}, {member.revoked_at}" if member.revoked_at else member.role
        seen = f"last seen {member.seen_at}" if member.seen_at else "not seen yet"
        output.screen.line(("strong", member.name), f"  {state}  ", ("faint", f"{seen}; token {member.mark}"))
    return 0


def revoke(name: Name, output: TextOutput, runs: Runs = None) -> int:
    """End a token at once. Decisions made with it stay."""
    _people(runs).revoke(name, _operator())
    output.screen.line(f"The token of {name} no longer works. Decisions made with it stay.")
    return 0
