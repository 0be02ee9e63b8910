"""From a dropped file to a download, without a terminal: every kind, in a real browser."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import Page, expect

from tests.workbench import Workbench, until_rested, workbench

SAMPLES = Path(str(files("burnish") / "samples"))
PATIENCE = 100_000
"""Milliseconds that a run may take on a busy machine."""
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


def decided(page: Page, bench: Workbench, address: str, number: int) -> None:
    """Accept what waits in one run, one key each; the first asks who decides. Other tests leave runs that wait too."""
    run = address.rpartition("/")[2]
    until_rested(bench.here, run)  # a decision that is made while its process ends takes effect after 30 seconds
    for at in range(number):
        page.goto(f"{bench.address}/queue?run={run}")
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
    expect(page.locator(".head")).to_contain_text("Published", timeout=PATIENCE)


def test_a_bank(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "biology.json")
    expect(page.locator("main")).to_contain_text("5 errors and 3 warnings in 6 of 12 questions")
    started(page, corrector="biology_model.json", judge1="biology_judge.json")
    address = page.url.partition("?")[0]
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=PATIENCE)
    decided(page, bench, address, 2)
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
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=PATIENCE)
    decided(page, bench, address, 1)
    page.goto(address)
    approve = page.get_by_role("button", name="Approve and publish")
    expect(approve).to_be_visible(timeout=PATIENCE)
    approve.click()
    published(page, address)
    assert "lámpara" in taken_home(page, "final.md" if page.locator("text=final.md").count() else ".md").decode()


def test_sentence_pairs(bench: Workbench, opened: Opened) -> None:
    page = opened()
    dropped(page, bench, "neighbours.tsv")
    expect(page.locator("#to")).to_have_value("Spanish")
    started(page)
    address = page.url.partition("?")[0]
    expect(page.locator("main")).to_contain_text("35 of 40", timeout=PATIENCE)
    page.goto(address)
    assert b"C0001" in taken_home(page, "Course")


def test_a_sample_with_one_click(bench: Workbench, opened: Opened) -> None:
    page = opened()
    page.goto(bench.link)
    page.goto(f"{bench.address}/new")
    page.locator("form[action='/samples/questions'] button").click()
    page.wait_for_url("**/runs/sample-questions-*")
    expect(page.locator("main")).to_contain_text("This is a sample.")
    expect(page.locator(".head")).to_contain_text("Waiting for people", timeout=PATIENCE)
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/runs")
    expect(page.locator("main")).not_to_contain_text("sample-questions-")


MOODLE = """<?xml version="1.0" encoding="UTF-8"?>
<quiz>
  <question type="multichoice">
    <name><text>Enzymes</text></name>
    <questiontext format="html"><text><![CDATA[<p>Which enzyme digests starch in the mouth ?</p>
      <p><img src="@@PLUGINFILE@@/mouth.png" alt="A mouth"></p>]]></text></questiontext>
    <generalfeedback format="html"><text>Amylase splits starch; the other three do not.</text></generalfeedback>
    <defaultgrade>1.0000000</defaultgrade><single>true</single>
    <answer fraction="100" format="html"><text>Amylase</text></answer>
    <answer fraction="0" format="html"><text>Pepsin</text></answer>
    <answer fraction="0" format="html"><text>Lipase</text></answer>
    <answer fraction="0" format="html"><text>Trypsin</text></answer>
  </question>
</quiz>
"""


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["ID", "Question", "A", "B", "C", "D", "Answer", "Points"])
    sheet.append(["q1", "Which  gas do plants take up ?", "Oxygen", "Carbon dioxide", "Helium", "Neon", "B", 2])
    sheet["H4"] = "=SUM(H2:H2)"
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def brought(page: Page, bench: Workbench, path: Path) -> None:
    page.goto(bench.link)
    page.goto(f"{bench.address}/new")
    page.set_input_files("form[data-drop] input[type=file]", str(path))
    page.wait_for_url("**/new/*")


def fixed(page: Page) -> bytes:
    """The file with its safe fixes, by the one button of the free check."""
    with page.expect_download() as saved:
        page.get_by_text("Download with the fixes").click()
    return Path(str(saved.value.path())).read_bytes()


def test_a_moodle_export_is_corrected_without_a_model(bench: Workbench, opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "autumn.xml"
    path.write_text(MOODLE, encoding="utf-8")
    page = opened()
    brought(page, bench, path)
    expect(page.locator(".filebar")).to_contain_text("Moodle XML")
    expect(page.locator(".small-diff")).to_be_visible()
    assert fixed(page).decode() == MOODLE.replace("mouth ?", "mouth?"), "nothing else changes in the file"


def test_a_workbook_is_corrected_and_keeps_its_formula(bench: Workbench, opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "bank.xlsx"
    path.write_bytes(workbook())
    page = opened()
    brought(page, bench, path)
    expect(page.locator(".filebar")).to_contain_text("Excel")
    sheet = openpyxl.load_workbook(io.BytesIO(fixed(page))).active
    assert sheet is not None
    assert (sheet["B2"].value, sheet["H4"].value) == ("Which gas do plants take up?", "=SUM(H2:H2)")


def test_a_file_that_cannot_be_read_says_what_to_do(bench: Workbench, opened: Opened, tmp_path: Path) -> None:
    path = tmp_path / "bank.pdf"
    path.write_bytes(b"%PDF-1.7 nothing to read")
    page = opened()
    brought(page, bench, path)
    expect(page.locator("[role=alert]")).to_contain_text("This is a PDF. Export the bank as Moodle XML or Excel")
