"""Prompts: one Markdown file each, with its version in the header, filled in strictly.

    ---
    version: 1
    reply: edit_reply
    ---
    # System
    ... {{trusted_value}} ...
    # User
    ... {{untrusted_value}} ...

A placeholder that is not given, or a value that no placeholder takes, is an error: a prompt that lacks its content
would be answered all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from burnish.core.errors import UsageError
from burnish.core.hashing import digest
from burnish.prompts.fencing import fence_for, fenced

HEADER = re.compile(r"\A---\n(?P<header>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
PARTS = re.compile(r"\A\s*# System\n(?P<system>.*?)\n# User\n(?P<user>.*)\Z", re.DOTALL)
PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is written, before it is filled in."""

    id: str
    """Package and name, such as `burnish.kinds.questions.prompts:correct`."""
    version: str
    reply: str
    """Name of the reply that it asks for."""
    system: str
    user: str

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(PLACEHOLDER.findall(self.system) + PLACEHOLDER.findall(self.user))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as it is sent."""

    system: str
    user: str
    fence: str


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """Read a prompt file of a package. UsageError says what is wrong with one that cannot be used."""
    id = f"{package}:{name}"
    text = (files(package) / f"{name}.md").read_text(encoding="utf-8")
    header, parts = HEADER.match(text), None
    if header is not None:
        parts = PARTS.match(header["body"])
    if header is None or parts is None:
        raise UsageError(f"The prompt {id} needs a header, a part `# System` and a part `# User`.")
    fields = dict(line.split(": ", 1) for line in header["header"].splitlines() if ": " in line)
    missing = {"version", "reply"} - fields.keys()
    if missing:
        raise UsageError(f"The header of the prompt {id} lacks: {', '.join(sorted(missing))}.")
    return Prompt(id, fields["version"], fields["reply"], parts["system"].strip(), parts["user"].strip())


def render(
    prompt: Prompt, trusted: Mapping[str, str], untrusted: Mapping[str, str], *, nonce: str, shaping: object
) -> Rendered:
    """Fill a prompt in. `shaping` is all else that shapes the reply (model, limits): the fence depends on it."""
    given = {**trusted, **untrusted}
    if given.keys() != prompt.placeholders or len(given) != len(trusted) + len(untrusted):
        wrong = ", ".join(sorted(given.keys() ^ prompt.placeholders)) or "a name that is given twice"
        raise UsageError(f"The prompt {prompt.id} and the values for it do not match: {wrong}.")
    unfenced = digest(prompt.id, prompt.version, dict(trusted), dict(untrusted), shaping)
    fence = fence_for(nonce, unfenced, given.values())
    values = {**trusted, **{name: fenced(name, text, fence) for name, text in untrusted.items()}}
    system = f"{_filled(prompt.system, values)}\n\n{_filled(_about_fences(), {'fence': fence})}"
    return Rendered(system, _filled(prompt.user, values), fence)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """One pass: what a value brings with it is never taken for a placeholder."""
    return PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


@cache
def _about_fences() -> str:
    return (files("burnish.prompts") / "shared" / "fences.md").read_text(encoding="utf-8").strip()
