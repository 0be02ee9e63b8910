"""Parts of pages, made fit for a page that stands alone: nothing in them leads elsewhere, sends anything, or clashes.

The same templates draw a part in the workbench and in a report. There, links into the workbench would be dead, forms
would have nobody to send to, and the same ids would occur once for every unit.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markupsafe import Markup

VOID = frozenset({"link", "meta", "base", "embed", "img", "source", "track"})
"""Left out; they have no content."""
LEFT_OUT = frozenset({"form", "button", "script", "style", "iframe", "object", "dialog", "select", "textarea"})
"""Left out with everything inside."""
OWN = "i-"
"""How the ids of our drawings begin: they are on every page once."""
_NAMED = re.compile(
    r'(?P<head>\s(?P<name>id|for|name|aria-labelledby|aria-describedby|aria-controls)=")(?P<value>[^"]*)"'
)
_INTO = re.compile(r'(\shref=")#(?!i-)([^"]*")')
_CLASS = re.compile(r'\sclass="[^"]*"')
_HREF = re.compile(r'\shref="([^"]*)"')


def standing_alone(markup: str, prefix: str) -> Markup:
    """Markup of ours without what needs a server, its ids behind a prefix."""
    reader = _Reader(prefix)
    reader.feed(markup)
    reader.close()
    return Markup("".join(reader.parts))


class _Reader(HTMLParser):
    """Writes down what it reads, tag by tag. Text and attributes keep the escapes that they came with."""

    def __init__(self, prefix: str) -> None:
        super().__init__(convert_charrefs=False)
        self.parts: list[str] = []
        self._prefix = prefix
        self._skipped: list[str] = []
        """Elements that are open and left out."""
        self._links: list[str] = []
        """What each open link has become."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped or tag in LEFT_OUT:
            if tag in LEFT_OUT:
                self._skipped.append(tag)
            return
        raw = self.get_starttag_text() or ""
        if tag == "a":
            self._link(raw)
        elif tag not in VOID and not (tag == "input" and ("type", "radio") not in attrs):
            self.parts.append(self._renamed(raw))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._skipped and tag not in VOID and tag not in LEFT_OUT:
            self.parts.append(self._renamed(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
        elif tag == "a" and self._links:
            self.parts.append(f"</{self._links.pop()}>")
        elif tag not in VOID and tag not in LEFT_OUT:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self.parts.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _link(self, raw: str) -> None:
        """A link inside the page stays one; any other is only its words."""
        target = _HREF.search(raw)
        if target is not None and target[1].startswith("#"):
            self._links.append("a")
            self.parts.append(self._renamed(raw))
            return
        look = _CLASS.search(raw)
        self._links.append("span")
        self.parts.append(f"<span{look.group() if look else ''}>")

    def _renamed(self, raw: str) -> str:
        return _INTO.sub(rf"\1#{self._prefix}\2", _NAMED.sub(self._rename, raw))

    def _rename(self, found: re.Match[str]) -> str:
        ids = " ".join(id if id.startswith(OWN) else f"{self._prefix}{id}" for id in found["value"].split())
        return f'{found["head"]}{ids}"'
