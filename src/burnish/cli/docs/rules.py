"""A page for every rule."""

from __future__ import annotations

from burnish.app.rulebook import Example, Rule
from burnish.cli.docs.markdown import sentence, table


def rule_index(known: list[Rule]) -> str:
    kinds = {kind: [rule for rule in known if rule.kind == kind] for kind in dict.fromkeys(rule.kind for rule in known)}
    parts = [
        f"# Rules\n\nAll {len(known)} rules run without a model. `burnish rules ID` shows a page on the terminal.\n"
    ]
    for kind, rules in kinds.items():
        rows = ((f"[`{rule.id}`]({rule.id}.md)", rule.severity, sentence(rule.summary)) for rule in rules)
        parts.append(f"## {sentence(kind)} ({len(rules)})\n\n{table(('rule', 'severity', 'what'), rows)}")
    return "\n".join(parts)


def rule_page(rule: Rule) -> str:
    facts = [f"Severity: `{rule.severity}`"]
    facts += [f"`{severity}` under the profile `{name}`" for name, severity in rule.profiles.items()]
    facts.append(f"judges: {', '.join(rule.languages) or 'every language'}")
    facts += [f"no model is paid for a {rule.noun} that fails it"] * rule.fatal
    parts = [f"# {rule.id}\n\n{sentence(rule.summary)}\n\n{'; '.join(facts)}.\n"]
    parts += [f"## {heading}\n\n{sentence(text)}\n" for heading, text in rule.sections.items()]
    parts += _examples("Speaks on", rule.bad)
    parts += _examples("Silent on", rule.good)
    if rule.ignoring is not None:
        parts.append(
            f"## Passing over it\n\n`--ignore {rule.id}` on the command line, `ignore` in the `[check]` table of the\n"
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
