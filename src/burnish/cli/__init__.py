"""The command line: a module for each command or family of commands."""

MODULES = {
    "resume": "polish",
    **dict.fromkeys(("rules", "schema"), "check"),
    **dict.fromkeys(("status", "report", "export"), "runs"),
    **dict.fromkeys(("show", "decide", "reopen"), "units"),
    "users": "serve",
    **dict.fromkeys(("render", "lexicon"), "languages"),
}
"""Command, or group of commands -> its module, if that has another name."""
