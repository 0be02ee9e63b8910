"""Characters as XML writes them."""

from __future__ import annotations

import html

import regex

from burnish.kinds.questions.formats.mapped import Setting
from burnish.kinds.questions.formats.places import NotCarried

REFERENCE = regex.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
PREDEFINED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
FORBIDDEN = regex.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""What XML 1.0 cannot hold in any form."""


def escaped(text: str) -> str:
    """Text as it stands between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(text: str) -> str:
    """Text as it stands between the double quotes of an attribute."""
    value = escaped(text).replace('"', "&quot;")
    return value.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def unreferenced(text: str) -> str:
    """Text with its character and entity references resolved."""
    return PREDEFINED.get(text) or REFERENCE.sub(lambda match: html.unescape(match.group()), text)


def refuse_forbidden(text: str) -> None:
    found = FORBIDDEN.search(text)
    if found:
        raise NotCarried("text", f"XML cannot hold the character U+{ord(found.group()):04X}.")


def written(character: str, codec: str) -> str:
    """The character, or its reference where line ends or the file's encoding would lose it."""
    if character == "\r":
        return "&#13;"
    if codec == "utf-8" or character.isascii():
        return character
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return f"&#{ord(character)};"
    return character


def closes_cdata(new: str, setting: Setting) -> bool:
    """Whether `]]>`, which XML forbids in text, would stand there once `new` is in its place."""
    return "]]>" in setting.before[-2:] + new + setting.after[:2]


def guarded(text: str, new: str, setting: Setting) -> str:
    """Encoded `text` that keeps `]]>` apart."""
    return (text.replace("]", "&#93;") or "<![CDATA[]]>") if closes_cdata(new, setting) else text
