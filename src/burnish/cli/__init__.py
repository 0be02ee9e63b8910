"""The command line: a module for each command or family of commands."""

MODULES = {"resume": "polish", **dict.fromkeys(("status", "report", "export"), "runs"), "schema": "rules"}
"""Function of a command -> its module, where that has another name."""
