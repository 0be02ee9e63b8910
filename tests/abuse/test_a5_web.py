"""A5, in the web: content with markup, scripts, links and escapes, on every page that shows it. Nothing of it is more
than text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import httpx2
import pytest

from tests.abuse.web_payloads import PAYLOADS
from tests.workbench import Workbench, workbench

EACH = 10
"""Payloads in one question."""
OWN_TAGS_WITH_ADDRESSES = ("a", "link", "script", "form", "use", "button", "area")
RESOURCES = ("img", "iframe", "object", "embed", "base", "portal", "video", "audio", "source", "frame", "template")
"""Tags that no page of ours has."""


def question(number: int, payloads: tuple[str, ...]) -> dict[str, object]:
    """One with payloads in every part that a person sees; its stem is negative, so it waits."""
    return {
        "id": f"q{number}",
        "stem": f"{payloads[0]} Which of the following is NOT {payloads[1]}? {payloads[2]}",
        "options": [{"key": key, "text": text} for key, text in zip("ABCD", payloads[3:7], strict=True)],
        "correct_answer": "A",
        "explanation": payloads[7],
        "metadata": {"topic": payloads[8], payloads[9]: "x"},
    }


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile")
    whole = [*PAYLOADS, *PAYLOADS[: -len(PAYLOADS) % EACH]]
    groups = [tuple(whole[at : at + EACH]) for at in range(0, len(whole), EACH)]
    bank = home / "<img src=x onerror=window.pwned=1>.json"
    bank.write_text(json.dumps([question(number, group) for number, group in enumerate(groups)]), encoding="utf-8")
    command = [sys.executable, "-m", "burnish.cli.main", "polish", str(bank), "--run-id", "h"]
    end = subprocess.run([*command, "--runs", str(home / "runs")], capture_output=True, text=True, check=False)
    assert end.returncode == 3, end.stderr
    return home / "runs"


@pytest.fixture(scope="module")
def bench(runs: Path) -> Iterator[Workbench]:
    with workbench(runs, settings={"serve.requests_per_second": 10_000}) as served:
        yield served


class Reading(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in RESOURCES:
            self.wrong.append(f"<{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name in ("style", "srcdoc", "formaction"):
                self.wrong.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action", "xlink:href") and not (value or "").startswith(("/", "#", "?")):
                self.wrong.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action") and (value or "").startswith("//"):
                self.wrong.append(f"{tag} {name}={value}")
        if tag == "script" and not dict(attributes).get("src", "").startswith("/static/"):  # type: ignore[union-attr]
            self.wrong.append(f"script {attributes}")


def read(answer: httpx2.Response) -> None:
    assert answer.status_code == 200, f"{answer.url}: {answer.status_code}"
    reading = Reading()
    reading.feed(answer.text)
    assert reading.wrong == [], f"{answer.url}"
    # A field holds its text as it is, or what is sent back would be another; everything else is shown in symbols.
    for character in re.sub(r'(?s)<textarea[^>]*>.*?</textarea>|value="[^"]*"', "", answer.text):
        code = ord(character)
        assert code >= 0x20 or character in "\n\t", f"{answer.url}: control character {code:#x}"


def test_there_are_enough_payloads() -> None:
    assert len(PAYLOADS) >= 200
    assert len(set(PAYLOADS)) == len(PAYLOADS)


def test_every_page_shows_text(bench: Workbench) -> None:
    number = len(PAYLOADS) // EACH
    with bench.browser("<img src=x onerror=window.pwned=1>") as browser:
        for path in ("/runs", "/queue", "/precision", "/runs/h"):
            read(browser.get(path))
        for tab in ("units", "findings", "events", "settings", "overview"):
            read(browser.get(f"/runs/h?tab={tab}"))
        for unit in range(number):
            read(browser.get(f"/runs/h/units/q{unit}?replies=1"))
            read(browser.get(f"/queue?run=h&of=h&unit=q{unit}"))


def test_what_a_visitor_asks_for_is_text_too(bench: Workbench) -> None:
    with bench.browser() as browser:
        for payload in PAYLOADS[::7]:
            for answer in (
                browser.get("/runs", params={"find": payload, "kind": payload, "state": payload}),
                browser.get("/queue", params={"kind": payload, "cause": payload, "run": payload}),
                browser.get("/runs/h", params={"tab": payload, "rule": payload, "text": payload}),
            ):
                assert answer.status_code < 500
                reading = Reading()
                reading.feed(answer.text)
                assert reading.wrong == [], str(answer.url)


def test_templates_in_content_are_not_filled_in(bench: Workbench) -> None:
    pages = []
    with bench.browser() as browser:
        for unit in range(len(PAYLOADS) // EACH):
            pages.append(browser.get(f"/runs/h/units/q{unit}").text)
    shown = "".join(pages)
    assert "{{ 7 * 7 }}" in shown
    assert "here.access.token" in shown
    assert str(bench.here.access.token) not in shown


def test_exports_cannot_be_run_where_they_are_opened(bench: Workbench) -> None:
    with bench.program() as program:
        listed = program.get("/api/v1/runs/h/exports").json()
        names = [one["name"] for one in listed["exports"]]
        assert names
        for name in names:
            answer = program.get(f"/api/v1/runs/h/exports/{name}")
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].startswith("attachment")
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "html" not in answer.headers["content-type"]
