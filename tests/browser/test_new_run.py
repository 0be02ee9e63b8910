"""From a dropped file to a download, without a terminal: every kind, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.workbench import Workbench, workbench

SAMPLES = Path(str(files("burnish.samples")))
Opened = Callable[..., Page]


def script(name: str) -> str:
    return f"scripted:{SAMPLES / name}"


MODELS = tuple(
    script(f"{name}.json")
    for name in (
        *("biology_model", "biology_judge", "bread_model", "bread_judge_1", "bread_judge_2"),
        "lighthouse_model",
    )
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    runs = tmp_path_factory.mktemp("new") / "runs"
    with workbench(runs, grace=0.3, settings={"serve.models": MODELS}) as served:
        yield served


def dropped(page: Page, bench: Workbench, *names: str) -> None:
    """Drop files on the page: chosen ones are sent at once."""
    page.goto(bench.link)
    page.goto(f"{bench.address}/new")
    page.set_input_files("form[data-drop] input[type=file]", [str(SAMPLES / name) for name in names])
    page.wait_for_url("**/new/*")


def started(page: Page, **roles: str) -> None:
    for role, model in roles.items():
        page.select_option(f"#m-{role}", script(model))
    page.locator(".big-btn").click()
    page.wait_for_url("**/runs/*")


def decided(page: Page, bench: Workbench, number: int) -> None:
    """Accept what waits, one key each; the first asks who decides."""
    for at in range(number):
        page.goto(f"{bench.address}/queue")
        page.keyboard.press("a")
        if page.locator("input[name=name]").count() or at == 0:
            name = page.locator("input[name=name]")
            name.wait_for()
            name.fill("Ada")
            page.keyboard.press("Enter")
        expect(page.locator(".toast").first).to_contain_text("Accepted")


def taken_home(page: Page, name: str) -> bytes:
    """The published file, by the link among the downloads."""
    link = page.locator(".rowlist a", has_text=name).first
    expect(link).to_be_visible(timeout=30_000)
    with page.expect_download() as saved:
        link.click()
    return Path(str(saved.value.path())).read_bytes()


def published(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".head")).to_contain_text("Published", timeout=40_000)


def test_a_bank(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "biology.json")
    expect(page.locator("main")).to_contain_text("5 errors and 3 warnings in 6 of 12 questions")
    started(page, corrector="biology_model.json", judge1="biology_judge.json")
    address = page.url.partition("?")[0]
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=40_000)
    decided(page, bench, 2)
    published(page, address)
    assert b"bio-012" in taken_home(page, "biology.json")


def test_a_lesson(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "bread.json", "bread_spec.json", "bread_source.md")
    started(
        page,
        reviewer="bread_model.json",
        corrector="bread_model.json",
        judge1="bread_judge_1.json",
        judge2="bread_judge_2.json",
    )
    published(page, page.url.partition("?")[0])
    assert b"bread-rises" in taken_home(page, "bread.json")


def test_a_book(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "lighthouse.md", "lighthouse_terms.csv", "lighthouse_style.md")
    page.fill("#to", "Spanish")
    model = "lighthouse_model.json"
    started(page, corrector=model, reviewer=model, patcher=model)
    address = page.url.partition("?")[0]
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=40_000)
    decided(page, bench, 1)
    page.goto(address)
    approve = page.get_by_role("button", name="Approve and publish")
    expect(approve).to_be_visible(timeout=40_000)
    approve.click()
    published(page, address)
    assert "lámpara" in taken_home(page, "final.md" if page.locator("text=final.md").count() else ".md").decode()


def test_sentence_pairs(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "neighbours.tsv")
    expect(page.locator("#to")).to_have_value("Spanish")
    started(page)
    address = page.url.partition("?")[0]
    expect(page.locator("main")).to_contain_text("39 of 40", timeout=40_000)
    page.goto(address)
    assert b"C0001" in taken_home(page, "Course")


def test_a_sample_with_one_click(bench: Workbench, opened: Opened) -> None:
    page = opened()
    page.goto(bench.link)
    page.goto(f"{bench.address}/new")
    page.locator("form[action='/samples/questions'] button").click()
    page.wait_for_url("**/runs/sample-questions-*")
    expect(page.locator("main")).to_contain_text("This is a sample.")
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=40_000)
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/runs")
    expect(page.locator("main")).not_to_contain_text("sample-questions-")
