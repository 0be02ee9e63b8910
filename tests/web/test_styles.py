"""The look keeps its promises: contrast in both themes, no inline style or script, nothing from elsewhere."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from burnish.web.rendering import SCRIPTS, environment, styles

WEB = Path(str(files("burnish.web")))
TEMPLATES = sorted((WEB / "templates").rglob("*.html"))
STATIC = WEB / "static"
TEXT, SHAPE = 4.5, 3.0
ON_SURFACES = ("ink", "ink-2", "ink-3", "accent", "critical", "error", "warning", "info", "ok")
GROUNDS = ("surface", "bg", "hover")
TINTED = ("accent", "critical", "error", "warning", "info", "ok")
OTHER_TEXT = (
    ("on-accent", "accent"),
    ("ink-2", "sunken"),
    ("ink", "sunken"),
    ("ink", "ins-bg"),
    ("ink", "del-bg"),
    *(("ink", f"{name}-bg") for name in TINTED),
    *(("surface", name) for name in ("critical", "error", "warning", "info", "ink-2", "ok")),
    ("ink-3", "accent-bg"),
    ("ink-2", "warning-bg"),
)
FILLS = ("edge", "d-ok", "d-work", "d-rework", "d-person", "d-fail")


def tokens(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6});", css))


LIGHT, DARK = (STATIC / "tokens.css").read_text(encoding="utf-8").split("prefers-color-scheme: dark")
THEMES = {"light": tokens(LIGHT), "dark": {**tokens(LIGHT), **tokens(DARK)}}


def luminance(colour: str) -> float:
    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read(theme: str) -> None:
    colours = THEMES[theme]
    pairs = [(text, ground) for text in ON_SURFACES for ground in GROUNDS]
    pairs += [(name, f"{name}-bg") for name in TINTED] + list(OTHER_TEXT)
    low = {pair: ratio for pair in pairs if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < TEXT}
    assert not low


@pytest.mark.parametrize("theme", THEMES)
def test_borders_of_fields_and_fills_of_charts_can_be_seen(theme: str) -> None:
    colours = THEMES[theme]
    low = {name: ratio for name in FILLS if (ratio := contrast(colours[name], colours["surface"])) < SHAPE}
    assert not low


def test_the_measure_is_right() -> None:
    assert round(contrast("#000000", "#ffffff"), 1) == 21.0
    assert round(contrast("#2450c8", "#ffffff"), 1) == 6.9


def test_the_dark_theme_names_every_colour_again() -> None:
    assert set(tokens(LIGHT)) == set(tokens(DARK))


def test_every_token_that_is_used_is_there() -> None:
    css = "\n".join((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in styles())
    defined = set(re.findall(r"(--[a-z0-9-]+)\s*:", css))
    assert set(re.findall(r"var\((--[a-z0-9-]+)\)", css)) <= defined


def test_colours_are_named_nowhere_else() -> None:
    for path in STATIC.glob("*.css"):
        if path.name != "tokens.css":
            assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", path.read_text(encoding="utf-8"))) <= {"#ffffff"}, path.name


def test_nothing_comes_from_elsewhere() -> None:
    for path in [*STATIC.glob("*.css"), *STATIC.glob("*.js"), *TEMPLATES]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\((?!#)", text), path.name


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_hold_no_inline_style_or_script_and_trust_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|<style|<[a-z][^>]*\son[a-z]+=|javascript:", text)
    assert not re.search(r"<script(?![^>]*src=)", text)
    assert "|safe" not in text.replace(" ", "") and "autoescape" not in text


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_every_control_has_a_label(path: Path) -> None:
    """Every field that a person fills in is named by a `label for`, wraps one, or says itself what it is."""
    text = path.read_text(encoding="utf-8")
    for tag in re.findall(r"<(?:input|textarea|select)\b[^>]*>", text):
        if 'type="hidden"' in tag or "aria-label" in tag:
            continue
        found = re.search(r'\bid="([^"]+)"', tag)
        assert (found and f'for="{found.group(1)}"' in text) or re.search(
            r"<label[^>]*>[^<]*" + re.escape(tag), text
        ), tag


def test_every_template_can_be_read() -> None:
    made = environment()
    assert [made.get_template(name).name for name in made.list_templates()]


def test_scripts_never_write_markup() -> None:
    for name in SCRIPTS:
        text = (STATIC / f"{name}.js").read_text(encoding="utf-8")
        assert text.startswith("//") and '"use strict"' in text
        assert not re.search(r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def test_motion_and_print_are_thought_of() -> None:
    css = "\n".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.css"))
    assert "prefers-reduced-motion: reduce" in css and "@media print" in css and "forced-colors" in css


def test_every_template_and_style_sheet_is_used() -> None:
    """What nothing names is left over from something that is gone. Kinds name theirs inside their folder."""
    code = "".join(path.read_text(encoding="utf-8") for path in WEB.rglob("*.py"))
    names = {path.relative_to(WEB / "templates").as_posix() for path in TEMPLATES}
    inside = {name: (WEB / "templates" / name).read_text(encoding="utf-8") for name in names}
    fresh = {name for name in names if f'"{name}"' in code or (name.count("/") > 1 and f"/{Path(name).name}" in code)}
    reached = set[str]()
    while fresh:
        reached |= fresh
        fresh = {name for name in names - reached if any(f'"{name}"' in inside[other] for other in fresh)}
    assert sorted(names - reached) == []
    sheets = {path.stem for path in STATIC.glob("*.css")} - set(styles())
    assert sorted(name for name in sheets if f"{name}.css" not in code) == []
