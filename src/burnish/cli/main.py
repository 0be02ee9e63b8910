"""The command line: the list of commands, and how errors are reported.

To add a command: write `cli/<name>.py` with a function of the same name, and add one line to COMMANDS. A command that
lives in the module of its family is named in `MODULES` of the package.
A command's module is imported only when that command runs, so `burnish --version` stays quick whatever a command needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from burnish import __version__

COMMANDS: dict[str, str] = {
    "check": "Find what is wrong, without a model or network.",
    "review": "Check whether a lesson can be used, at the lowest cost.",
    "polish": "Find, repair, prove and publish. Can be resumed.",
    "prove": "Damage copies on purpose and count what rules and judges see.",
    "render": "Write Tamazight in the other script, by rules.",
    "translate": "Translate a book, paragraph by paragraph. Can be resumed.",
    "legos": "Cut a language course into phrases: extract, score, learn.",
    "lexicon": "List the bilingual lexicons, or build your own.",
    "resume": "Continue a run.",
    "status": "Show the state of a run and what blocks it.",
    "runs": "List the runs.",
    "show": "Show attempts, scores, findings and diffs of a unit.",
    "report": "Summarise a run: text, JSON or one HTML page.",
    "decide": "Accept, edit or send back a unit.",
    "dismiss": "Dismiss what a rule claims, once or in a run.",
    "reopen": "Put an accepted unit back before a person.",
    "export": "Write a run's files again from its journal.",
    "serve": "Start the workbench in a browser, and the HTTP API.",
    "users": "Give people access, each with a token and a role.",
    "models": "Show the model for each role and test the connection.",
    "demo": "Run the main job on bundled samples, without a key.",
    "rules": "Explain what each rule looks for, with examples.",
    "schema": "Print the JSON Schema of every contract.",
}
"""Command -> its line in the list of commands, in the order of that list."""

INTERNAL_ERROR = 70
"""A fault of Burnish itself (EX_SOFTWARE of sysexits.h)."""
INTERRUPTED = 130
READER_GONE = 141
"""The exit code of a program whose reader closed the pipe (128 + SIGPIPE). Not 0: some output may be unread."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        sys.stdout.write(f"burnish {__version__}\n")
        return 0
    # A terminal with a narrow encoding must not make the program fail on a letter it cannot show.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        import typer

        from burnish.cli.group import group

        try:
            with group(COMMANDS).make_context("burnish", given) as context:
                code = context.command.invoke(context)  # None for 0
        except typer.Exit as end:
            code = end.exit_code
        sys.stdout.flush()  # here a broken pipe can still be told from success
        return code or 0
    except BrokenPipeError:
        # The reader (`| head`) has closed the pipe. When Python exits, it would report the output that is not written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except KeyboardInterrupt as stop:
        from burnish.cli.group import print_interrupted

        print_interrupted(str(stop))
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last place where an error can be reported in a helpful way
        from burnish.cli.group import print_error

        return print_error(error, given, INTERNAL_ERROR)


if __name__ == "__main__":
    sys.exit(main())
