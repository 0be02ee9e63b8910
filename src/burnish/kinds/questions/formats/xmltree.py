"""Elements of a piece of XML with their places in its text.

Only for text that expat has found well-formed: this is about places, not about errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from burnish.kinds.questions.formats.escaping import unreferenced
from burnish.kinds.questions.formats.limits import ELEMENTS
from burnish.kinds.questions.formats.places import bounded
from burnish.kinds.questions.formats.xmltext import character_layer

TAGS = regex.compile(
    r"""<!\[CDATA\[.*?\]\]> | <!--.*?--> | <\?.*?\?>
      | <(?P<close>/?)(?P<name>[^\s/>!?"'<]+)(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*?)(?P<alone>/?)>""",
    regex.VERBOSE | regex.DOTALL,
)
ATTRIBUTES = regex.compile(r"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute and its place, quotes not included."""

    value: str
    start: int
    end: int


@dataclass(slots=True)
class Element:
    """An element; places are positions in the text that was parsed."""

    name: str
    """Without prefix."""
    start: int
    open_end: int
    """Where the content begins."""
    attributes: dict[str, Attribute]
    close_start: int = 0
    """Where the content ends."""
    end: int = 0
    children: list[Element] = field(default_factory=list)

    @property
    def alone(self) -> bool:
        """Written as `<name/>`: there is no place for content."""
        return self.open_end == self.end

    def attribute(self, name: str, default: str = "") -> str:
        found = self.attributes.get(name)
        return default if found is None else found.value

    def child(self, name: str) -> Element | None:
        return next((child for child in self.children if child.name == name), None)

    def all(self, name: str) -> list[Element]:
        """The children of that name."""
        return [child for child in self.children if child.name == name]

    def walk(self) -> Iterator[Element]:
        """Every element inside, in document order."""
        for child in self.children:
            yield child
            yield from child.walk()

    def plain(self, source: str) -> str:
        """The element's own characters, blanks at the ends left out."""
        return character_layer(source[self.open_end : self.close_start]).text.strip()


def element_tree(text: str) -> Element:
    """The root element of `text`."""
    top = Element("", 0, 0, {})
    open_elements = [top]
    for match in bounded(TAGS.finditer(text), ELEMENTS):
        close, name, alone = match.group("close", "name", "alone")
        if name is None:
            continue
        if close:
            element = open_elements.pop()
            element.close_start, element.end = match.span()
            continue
        element = Element(name.rpartition(":")[2], match.start(), match.end(), _attributes(match))
        open_elements[-1].children.append(element)
        if alone:
            element.close_start = element.end = match.end()
        else:
            open_elements.append(element)
    return top.children[0]


def _attributes(match: regex.Match[str]) -> dict[str, Attribute]:
    found: dict[str, Attribute] = {}
    written = match.group("attributes")
    if not written:
        return found
    base = match.start("attributes")
    for part in ATTRIBUTES.finditer(written):
        group = 2 if part.group(2) is not None else 3
        value = unreferenced(part.group(group))
        found[part.group(1)] = Attribute(value, base + part.start(group), base + part.end(group))
    return found
