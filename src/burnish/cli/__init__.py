"""The command line: a module for each command or family of commands."""

MODULES = {
    "resume": "polish",
    "schema": "rules",
    **dict.fromkeys(("status", "report", "export"), "runs"),
    **dict.fromkeys(("show", "decide"), "units"),
}
"""Function of a command -> its module, where that has another name."""
