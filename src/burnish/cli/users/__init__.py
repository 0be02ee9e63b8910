"""`burnish users`: the people of a workbench, each with a token and a role."""

INTRODUCTION = """People who work together have a name, a token and a role each: read, decide, run (spends
money), admin. What somebody does is signed with the token. Alone on one machine you need none of this."""

COMMANDS: dict[str, str] = {
    "add": "Give somebody a token with a role.",
    "list": "Show who has access, and when they were last here.",
    "revoke": "End a token at once.",
}
MODULES = dict.fromkeys(("add", "list", "revoke"), "commands")
