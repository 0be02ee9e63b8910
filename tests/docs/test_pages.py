"""Generated pages: none missing, none stale, none of things that are gone."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from burnish.app.kinds import contracts, known_kinds
from burnish.app.settings import SHORT_NAMES, known_keys
from burnish.cli.group import paths
from burnish.cli.main import COMMANDS
from tests.docs.pages import page_name, pages, stale, write

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = "run `make docs` and commit the result"


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return pages()


def test_no_page_is_missing_or_stale(generated: dict[str, str]) -> None:
    wrong = [
        name
        for name, content in generated.items()
        if not (DOCS / name).is_file() or (DOCS / name).read_text(encoding="utf-8") != content
    ]
    assert wrong == [], AGAIN


def test_no_page_of_something_that_is_gone(generated: dict[str, str]) -> None:
    assert stale(DOCS, generated) == [], AGAIN


def test_every_rule_command_setting_and_contract_is_there(generated: dict[str, str]) -> None:
    rules = [check.id for kind in known_kinds().values() for check in kind.checks]
    assert all(f"rules/{rule}.md" in generated and f"`{rule}`" in generated["rules/index.md"] for rule in rules)
    assert all(f"commands/{page_name(path)}" in generated for path, _ in paths(COMMANDS))
    assert all(f"schemas/{name}.json" in generated for name in contracts())
    assert all(f"`{name}`" in generated["settings.md"] for name in SHORT_NAMES)
    assert all(f"`{key}" in generated["settings.md"] for key in known_keys())


def test_a_rule_page_shows_examples_as_an_author_sees_them(generated: dict[str, str]) -> None:
    page = generated["rules/nbme_all_of_the_above.md"]
    assert "D. All of the above\n   ^^^^^^^^^^^^^^^^\n" in page
    assert "## Why it matters" in page and "burnish_ignore" in page


def test_a_command_page_names_every_option(generated: dict[str, str]) -> None:
    page = generated["commands/check.md"]
    for option in ("--fix", "--select", "--baseline", "--against", "--strict-input", "`text\\|json`", "PATH..."):
        assert option in page
    assert "130" in generated["commands/index.md"]


def test_every_setting_is_one_row(generated: dict[str, str]) -> None:
    rows = generated["settings.md"].partition("| key |")[2].splitlines()
    assert [row for row in rows if row and not row.endswith("|")] == []


def test_writing_removes_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "nbme_gone.md").write_text("old")
    (tmp_path / "guide.md").write_text("by hand")
    write(tmp_path)
    assert not (tmp_path / "rules" / "nbme_gone.md").exists()
    assert (tmp_path / "guide.md").read_text() == "by hand"
    assert (tmp_path / "settings.md").is_file()


def test_the_pages_are_written_by_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["docs", str(tmp_path)])
    monkeypatch.delitem(sys.modules, "tests.docs.pages")
    runpy.run_module("tests.docs.pages", run_name="__main__")
    assert (tmp_path / "rules" / "index.md").is_file()
