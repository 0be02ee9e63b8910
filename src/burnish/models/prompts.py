"""Prompts: Markdown files with a version, filled strictly, with content between fences.

    ---
    version: 1
    reply: edit_reply
    ---
    # System

    You repair {{what}}.

    # Shared

    {{material}}

    # User

    {{question}}

A prompt begins with what most calls share, so that providers can cache it: first the task for all calls, then (if there
is any) the material of several calls of a run, then the text of this call.

A placeholder without a value and a value without a placeholder are errors. Trusted values (ours, the operator's) may be
used anywhere. Untrusted values (content) may not be in the system part, must be alone on their line, and are fenced.
Values are not searched for placeholders.

The token of the fences is the same for all calls of a run, also after a resume: it is derived from a secret nonce in
the run's manifest, which is drawn again if a source holds the token. If a text holds it anyway (a person wrote it
later), the next token is used, so no text can close its fence. The content cannot guess the token, so it cannot forge
a fence either.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from burnish.core.errors import UsageError
from burnish.core.replies import REPLIES

TOKEN_LENGTH = 12
"""Hex digits. The content was written before the nonce was drawn, so it has one guess; more digits would only cost
tokens."""
PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
STRAY_BRACES = re.compile(r"\{\{|\}\}")
FILE_SHAPE = re.compile(
    r"---\n(?P<head>.*?\n)---\n\s*# System\n(?P<system>.*?)\n(?:# Shared\n(?P<shared>.*?)\n)?# User\n(?P<user>.*)",
    re.DOTALL,
)
HEAD_LINE = re.compile(r"(version|reply): *(\S+)")
VERSION = re.compile(r"\d+(\.\d+){0,2}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as written in its file."""

    id: str
    """`package:name`."""
    version: str
    reply: str
    """Name of the requested reply in `core.replies`."""
    system: str
    user: str
    shared: str = ""
    """Text before the user's part that several calls of a run share."""

    @property
    def placeholders(self) -> frozenset[str]:
        return frozenset(PLACEHOLDER.findall(f"{self.system}\n{self.shared}\n{self.user}"))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt ready to send."""

    system: str
    user: str
    """The shared part and this call's part."""
    fence: str
    """The token of its fences."""
    shared: int = 0
    """How many characters of `user` several calls of a run share."""


@cache
def prompt_named(id: str) -> Prompt:
    """Return the prompt in `name`.md of a package, by `package:name`. Raise UsageError if the file is not valid."""
    package, _, name = id.partition(":")
    try:
        text = (resources.files(package) / f"{name}.md").read_text(encoding="utf-8")
    except (FileNotFoundError, ModuleNotFoundError):
        raise UsageError(f"There is no prompt {name!r} in {package}.") from None
    return parse_prompt(text, id=id)


def parse_prompt(text: str, *, id: str) -> Prompt:
    """Parse the text of a prompt's file."""
    shape = FILE_SHAPE.fullmatch(text)
    if shape is None:
        raise UsageError(f"The prompt {id} needs a header between --- lines, then # System, then # User.")
    head = _head(shape["head"], id)
    system, user, shared = (part.strip() for part in (shape["system"], shape["user"], shape["shared"] or ""))
    for part in (system, shared, user):
        if STRAY_BRACES.search(PLACEHOLDER.sub("", part)):
            raise UsageError(f"The prompt {id} has double braces that are not a placeholder.")
    return Prompt(id, head["version"], head["reply"], system, user, shared)


def _head(text: str, id: str) -> dict[str, str]:
    head: dict[str, str] = {}
    for line in text.splitlines():
        match = HEAD_LINE.fullmatch(line.strip())
        if match is None or match[1] in head:
            raise UsageError(f"The prompt {id} has a header line that is not understood: {line!r}.")
        head[match[1]] = match[2]
    if not VERSION.fullmatch(head.get("version", "")):
        raise UsageError(f"The prompt {id} needs a version such as 1 or 1.2.0 in its header.")
    if head.get("reply") not in REPLIES:
        raise UsageError(f"The prompt {id} asks for an unknown reply, {head.get('reply')!r}.")
    return head


def render(prompt: Prompt, trusted: Mapping[str, str], untrusted: Mapping[str, str], *, nonce: str) -> Rendered:
    """Fill a prompt. Equal arguments always give the same text, fences included."""
    _check_values(prompt, trusted, untrusted)
    content = {name: well_formed(text) for name, text in untrusted.items()}
    given = {name: well_formed(text) for name, text in trusted.items()}
    token = fence_token(nonce, [*content.values(), *given.values()])
    filled = given | {name: fenced(text, name=name, token=token) for name, text in content.items()}
    system = _fill(prompt.system, given)
    if content:
        system = f"{system}\n\n{_fill(_fence_notice(), {'fence': token})}"
    shared = f"{_fill(prompt.shared, filled)}\n\n" if prompt.shared else ""
    return Rendered(system, shared + _fill(prompt.user, filled), token, len(shared))


def _fill(template: str, values: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: values[match[1]], template)


def _check_values(prompt: Prompt, trusted: Mapping[str, str], untrusted: Mapping[str, str]) -> None:
    twice = trusted.keys() & untrusted.keys()
    missing = prompt.placeholders - trusted.keys() - untrusted.keys()
    unknown = (trusted.keys() | untrusted.keys()) - prompt.placeholders
    for names, fault in ((twice, "both trusted and untrusted"), (missing, "not filled"), (unknown, "not in it")):
        if names:
            raise UsageError(f"The prompt {prompt.id}: {', '.join(sorted(names))}: {fault}.")
    in_system = set(PLACEHOLDER.findall(prompt.system)) & untrusted.keys()
    if in_system:
        raise UsageError(f"The prompt {prompt.id}: untrusted {', '.join(sorted(in_system))} in the system part.")
    lines = f"{prompt.shared}\n{prompt.user}".splitlines()
    in_lines = {
        name for line in lines for name in ([] if PLACEHOLDER.fullmatch(line) else PLACEHOLDER.findall(line))
    } & untrusted.keys()
    if in_lines:
        raise UsageError(f"The prompt {prompt.id}: untrusted {', '.join(sorted(in_lines))} must stand alone on a line.")


@cache
def _fence_notice() -> str:
    return (resources.files("burnish.models") / "fence.md").read_text(encoding="utf-8").strip()


def fence_token(nonce: str, texts: Iterable[str] = ()) -> str:
    """Return the token of a run's fences; the next one if it occurs in one of `texts`, ignoring case."""
    lowered = [text.casefold() for text in texts]
    round = 0
    while True:
        token = hmac.new(nonce.encode(), f"{round}".encode(), hashlib.sha256).hexdigest()[:TOKEN_LENGTH]
        if not any(token in text for text in lowered):
            return token
        round += 1


def fenced(text: str, *, name: str, token: str) -> str:
    """Put `text` between fence lines; the opening line names it."""
    return f"<<<{token} {name}\n{well_formed(text)}\n{token}>>>"


def well_formed(text: str) -> str:
    """Return `text` without halves of surrogate pairs, which a request cannot contain."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
