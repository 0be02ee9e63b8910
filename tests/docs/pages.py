"""The generated pages: one for every rule and every command, the table of settings, the schemas.

`python -m tests.docs.pages FOLDER` writes them; a test fails when one is missing or stale.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.core import TyperGroup

from burnish.app.kinds import contracts, schema_of
from burnish.app.rulebook import Example, Rule
from burnish.app.rulebook import rules as all_rules
from burnish.app.settings import PREFIX, SHORT_NAMES, Settings
from burnish.cli.group import load, paths
from burnish.cli.main import COMMANDS
from burnish.core.json_bytes import dumps

GENERATED = "<!-- Written by `make docs`; changes made here are lost. -->\n\n"
FOLDERS = ("rules", "commands", "schemas")
"""Everything in these is ours: a page that is not written again is removed."""


def pages() -> dict[str, str]:
    """Path below docs/ -> content of every generated page."""
    known = list(all_rules())
    short = {key: name for name, key in SHORT_NAMES.items()}
    rows = (
        (f"`{key}`", type_name, default, f"`{short.get(key) or variable}`" if variable else "", what)
        for key, type_name, default, variable, what in _settings_rows(Settings, "")
    )
    return {
        "rules/index.md": GENERATED + rule_index(known),
        **{f"rules/{rule.id}.md": GENERATED + rule_page(rule) for rule in known},
        "commands/index.md": GENERATED + command_index(),
        **{f"commands/{page_name(path)}": GENERATED + command_page(path) for path, _ in paths(COMMANDS)},
        "settings.md": GENERATED + (SETTINGS_HEAD + table(("key", "type", "default", "environment", "what"), rows)),
        "schemas/index.md": GENERATED + _schema_index(),
        **{f"schemas/{name}.json": _json(schema_of(name)) for name in contracts()},
    }


def write(folder: Path) -> None:
    """Write every page below `folder` and remove those of things that are gone."""
    wanted = pages()
    for name, content in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    for path in stale(folder, wanted):
        path.unlink()


def stale(folder: Path, wanted: dict[str, str]) -> list[Path]:
    """Pages of rules, commands or contracts that no longer exist."""
    found = (path for name in FOLDERS for path in sorted((folder / name).glob("*")))
    return [path for path in found if path.relative_to(folder).as_posix() not in wanted]


def _json(value: dict[str, Any]) -> str:
    return dumps(value, indent=2).decode() + "\n"


def _schema_index() -> str:
    rows = ((f"[`{name}`]({name}.json)", what) for name, what in contracts().items())
    return f"# Schemas\n\n`burnish schema NAME` prints one.\n\n{table(('contract', 'what'), rows)}"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, with every bar in a cell escaped and every cell on one line."""
    lines = (head, tuple("---" for _ in head), *rows)
    cells = ([" ".join(cell.replace("|", "\\|").split()) for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


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
| 6 | stopped at a limit (budget, time), a model is away, or calls are submitted in a batch; can be resumed |
| 70 | a fault of Burnish itself; `BURNISH_DEBUG=1` shows the traceback |
| 130 | interrupted; can be resumed |
| 141 | the reader of the output closed it early (`\\| head`) |
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


def rule_index(known: list[Rule]) -> str:
    kinds = {kind: [rule for rule in known if rule.kind == kind] for kind in dict.fromkeys(rule.kind for rule in known)}
    parts = [
        f"# Rules\n\nAll {len(known)} rules run without a model. `burnish rules ID` shows a page on the terminal.\n"
    ]
    for kind, listed in kinds.items():
        rows = (
            (f"[{rule.title} (`{rule.id}`)]({rule.id}.md)", rule.severity, sentence(rule.summary)) for rule in listed
        )
        parts.append(f"## {sentence(kind)} ({len(listed)})\n\n{table(('rule', 'severity', 'what'), rows)}")
    return "\n".join(parts)


def rule_page(rule: Rule) -> str:
    facts = [f"Severity: `{rule.severity}`"]
    facts += [f"`{severity}` under the profile `{name}`" for name, severity in rule.profiles.items()]
    facts.append(f"judges: {', '.join(rule.languages) or 'every language'}")
    facts.append(rule.standing)
    facts += [f"no model is paid for a {rule.noun} that fails it"] * rule.fatal
    parts = [f"# {rule.title} (`{rule.id}`)\n\n{sentence(rule.summary)}\n\n{'; '.join(facts)}.\n"]
    parts += [f"## {heading}\n\n{sentence(text)}\n" for heading, text in rule.sections.items()]
    parts += _examples("Reported", rule.bad)
    parts += _examples("Not reported", rule.good)
    if rule.ignoring is not None:
        parts.append(
            f"## Ignoring it\n\n`--ignore {rule.id}` on the command line, `ignore` in the `[check]` table of the\n"
            f"settings, or {rule.ignoring}.\n"
        )
    return "\n".join(parts)


def _examples(heading: str, examples: tuple[Example, ...]) -> list[str]:
    return [f"## {heading}\n", *(_example(example) for example in examples)] if examples else []


def _example(example: Example) -> str:
    lines: list[str] = []
    for line in example.lines:
        lines.append(line.text)
        if line.mark is not None:
            lines.append(" " * line.mark[0] + "^" * line.mark[1])
    said = f"\n{example.message}\n" if example.message else ""
    return "```text\n" + "".join(f"{line}\n" for line in lines) + f"```\n{said}"


SETTINGS_HEAD = """# Settings

From `burnish.toml`, or the table `[tool.burnish]` of `pyproject.toml`, whichever is nearest above the current folder
(`BURNISH_SETTINGS` names another file); then from the environment; then from flags. Each overrides the one
before. A setting that is wrong or unknown is an error that names its file (or variable) and its key.

In the environment a key is written `BURNISH_SECTION__KEY`, lists have commas between their items, and the settings
people change most have short names. Tables of your own names (`prices`, `families`, `endpoints`, `institutions`) go
into the file.

```toml
[models]
model = "openai:gpt-4o-mini"
judges = ["openai:gpt-4o", "anthropic:claude-sonnet-4-5", "ollama:qwen3"]

[prices."openai:gpt-4o-mini"]  # US dollars for a million tokens
input = 0.15
output = 0.60

[endpoints.openai]
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "MY_SERVER_KEY"

[check]
ignore = ["ext_difficulty_calibration"]

[institutions.ACME]
disabled_rules = ["nbme_lead_in"]
severity_overrides = { nbme_absolute_terms = "error" }
required_metadata = ["course_id", "bloom_level"]
```

"""


TYPE_NAMES = {
    "dict": "table",
    "tuple": "list of text",
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
}
"""How people who write TOML call a type, by the first of these that its annotation mentions."""


def _settings_rows(model: type[BaseModel], above: str, *, own_names: bool = False) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        key = f"{above}{name}"
        inner = _section(field.annotation)
        if inner is None:
            default = field.get_default(call_default_factory=True)
            shown = (
                ""
                if default is PydanticUndefined or default in (None, (), {})
                else f"`{str(default).lower() if isinstance(default, bool) else default}`"
            )
            variable = "" if own_names or "dict" in str(field.annotation) else PREFIX + key.upper().replace(".", "__")
            yield key, _type_name(field.annotation), shown, variable, field.description or ""
        elif _is_section(field.annotation):
            yield from _settings_rows(inner, f"{key}.")
        else:
            yield from _settings_rows(inner, f"{key}.NAME.", own_names=True)


def _section(annotation: Any) -> type[BaseModel] | None:
    """The table behind a setting, or behind the entries of one."""
    return next((candidate for candidate in (annotation, *get_args(annotation)) if _is_section(candidate)), None)


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _type_name(annotation: Any) -> str:
    """In words that a person who writes TOML knows."""
    text = str(annotation)
    return next((name for mark, name in TYPE_NAMES.items() if mark in text), "text")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
