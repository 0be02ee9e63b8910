"""Pages as somebody without scripts uses them: forms are filled in and sent, links are followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx2


@dataclass
class Form:
    """A form with everything that it would send."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)
    """(name, value) of the buttons that send it."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[Form] = []
        self.words: list[str] = []
        self._form: Form | None = None
        self._named: dict[str, Form] = {}
        """By id: a field may stand elsewhere and name its form."""
        self._holder: Form | None = None
        """The form of the last field."""
        self._area: str | None = None
        self._choice: str | None = None
        self._option = False
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ("style", "script", "svg"):
            self._hidden += 1
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get"))
            self.forms.append(self._form)
            self._named[given.get("id", "")] = self._form
        elif (form := self._of(tag, given)) is not None:
            self._take(form, tag, given)

    def _of(self, tag: str, given: dict[str, str]) -> Form | None:
        """The form of a field; that of an option is its list's."""
        if tag != "option":
            self._holder = self._named.get(given.get("form", ""), self._form)
        return self._holder

    def _take(self, form: Form, tag: str, given: dict[str, str]) -> None:
        if tag == "input" and given.get("type") == "checkbox" and "checked" not in given:
            form.fields.pop(given.get("name", ""), None)
        elif tag == "input" and "name" in given:
            form.fields[given["name"]] = given.get("value", "")
        elif tag == "button":
            form.buttons.append((given.get("name", ""), given.get("value", "")))
        elif tag == "select" and "name" in given:
            self._choice = given["name"]
        elif tag == "option" and self._choice is not None:
            self._option = "selected" in given or self._choice not in form.fields
            if self._option:
                form.fields[self._choice] = ""
        elif tag == "textarea" and "name" in given:
            self._area = given["name"]
            form.fields[self._area] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script", "svg"):
            self._hidden -= 1
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._choice = None
        elif tag == "option":
            self._option = False
        elif tag == "textarea":
            if self._holder is not None and self._area is not None:
                # As a browser does: the first line end belongs to the markup.
                self._holder.fields[self._area] = self._holder.fields[self._area].removeprefix("\n")
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None and self._holder is not None:
            self._holder.fields[self._area] += data
        elif self._option and self._choice is not None and self._holder is not None:
            self._holder.fields[self._choice] += data
        elif not self._hidden:
            self.words.append(data)


def forms(page: str) -> list[Form]:
    reader = _Reader()
    reader.feed(page)
    return reader.forms


def form(page: str, action: str, **fields: str) -> Form:
    """The first form of the page that goes there and holds these fields."""
    for one in forms(page):
        held = {**one.fields, **dict(one.buttons)}
        if one.action.partition("?")[0] == action and all(held.get(name) == value for name, value in fields.items()):
            return one
    raise AssertionError(f"no form for {action} with {fields} among {[one.action for one in forms(page)]}")


def words(page: str) -> str:
    """What a reader reads."""
    reader = _Reader()
    reader.feed(page)
    return " ".join(" ".join(reader.words).split())


def read(browser: httpx2.Client, address: str) -> tuple[str, str]:
    """A page that is there: as it was sent, and its words."""
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    return answer.text, words(answer.text)


def send(browser: httpx2.Client, one: Form, **changes: str) -> httpx2.Response:
    """Send a form, with its first named button pressed, and follow to where it leads."""
    pressed = dict(button for button in one.buttons[:1] if button[0])
    data = {**one.fields, **pressed, **{name.replace("__", "."): value for name, value in changes.items()}}
    return browser.post(one.action, data=data, follow_redirects=True)
