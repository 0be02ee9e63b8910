"""`burnish rules` and `burnish schema`: explain rules, and print the JSON Schema of every contract."""

from __future__ import annotations

import sys
from typing import Annotated

import orjson
import typer

from burnish.app.kinds import contracts, schema_of
from burnish.app.labels import counted
from burnish.app.rulebook import Example, Rule, rule_named
from burnish.app.rulebook import rules as all_rules
from burnish.app.terminal import Piece, Screen, json_text
from burnish.cli.options import TextOutput

SHOWN = 3
"""Examples of each sort; the rule's page and --json have them all."""


def rules(
    output: TextOutput,
    id: Annotated[str | None, typer.Argument(help="One rule, with its documentation and examples.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one rule a line.")] = False,
) -> None:
    """List the rules, or explain one of them.

    `--select`, `--ignore`, `burnish_ignore` and the settings take the id of a rule.
    """
    chosen = list(all_rules()) if id is None else [rule_named(id)]
    screen = output.screen
    if json:
        for rule in chosen:
            sys.stdout.write(f"{json_text(rule.as_wire())}\n")
    elif id is None:
        _list(screen, chosen)
    else:
        _explain(screen, chosen[0])


def _list(screen: Screen, chosen: list[Rule]) -> None:
    width = max(len(rule.id) for rule in chosen)
    for kind in dict.fromkeys(rule.kind for rule in chosen):
        of_kind = [rule for rule in chosen if rule.kind == kind]
        screen.line(("strong", kind.capitalize()), ("faint", f"  {counted(len(of_kind), 'rule')}"))
        for rule in of_kind:
            severity: Piece = (rule.severity, f"{rule.severity:<9}")
            first: tuple[Piece, ...] = (severity, ("strong", f"{rule.id:<{width}}"), f"  {rule.title}: ")
            screen.paragraph(rule.summary, indent=" " * (width + 11), first=first)
        screen.line()
    screen.line(("faint", f"{counted(len(chosen), 'rule')}. `burnish rules ID` explains one."))


def _explain(screen: Screen, rule: Rule) -> None:
    named: tuple[Piece, ...] = (("strong", rule.title), f" ({rule.id})  ")
    parts = [f"{severity} under the profile {name}" for name, severity in rule.profiles.items()]
    if rule.languages:
        parts.append(f"judges {', '.join(rule.languages)}")
    if rule.fatal:
        parts.append(f"no model is paid for a {rule.noun} that fails it")
    screen.line(*named, (rule.severity, rule.severity), ("faint", f"  ({'; '.join(parts)})" if parts else ""))
    screen.paragraph(sentence(rule.summary))
    for heading, text in rule.sections.items():
        screen.line()
        screen.line(("strong", heading))
        screen.paragraph(sentence(text), indent="  ")
    _examples(screen, "Reported", rule.bad, rule)
    _examples(screen, "Not reported", rule.good, rule)
    if rule.ignoring is not None:
        screen.line()
        screen.paragraph(f"--ignore {rule.id}, or {rule.ignoring}.", indent="  ", first=(("faint", "To ignore it: "),))


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _examples(screen: Screen, heading: str, examples: tuple[Example, ...], rule: Rule) -> None:
    if not examples:
        return
    screen.line()
    screen.line(("strong", heading))
    for number, example in enumerate(examples[:SHOWN]):
        if number:
            screen.line()
        for line in example.lines:
            screen.line("  ", line.text)
            if line.mark is not None:
                screen.line("  ", " " * line.mark[0], (rule.severity, "^" * line.mark[1]))
        if example.message:
            screen.paragraph(example.message, indent="    ", first=(("faint", "  = "),))
    if len(examples) > SHOWN:
        screen.line(("faint", f"  … and {len(examples) - SHOWN} more"))


def schema(name: Annotated[str | None, typer.Argument(help="One contract. Default: list all of them.")] = None) -> None:
    """Print the JSON Schema of a contract: a format that Burnish reads, writes or asks of models.

    Without NAME, all contracts are listed.
    """
    if name is not None:
        sys.stdout.write(orjson.dumps(schema_of(name), option=orjson.OPT_INDENT_2).decode() + "\n")
        return
    screen = Screen(sys.stdout)
    width = max(len(known) for known in contracts())
    for known, what in contracts().items():
        screen.line(("strong", f"{known:<{width}}"), f"  {what}")
