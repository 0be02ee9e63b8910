"""The guides tell the truth: their commands print what they say, and their Python runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.guides import ANY, matches, run_guide

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted((DOCS / "guides").glob("*.md"))


@pytest.mark.guide
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_says_what_happens(guide: Path, tmp_path: Path) -> None:
    for _, commands in run_guide(guide.read_text(encoding="utf-8"), tmp_path.resolve()):
        for ran in commands:
            assert ran.kept, f"{ran.shown()}\n(make the guide anew: python -m tests.docs.guides {guide.name})"


def test_there_are_guides() -> None:
    assert [guide.stem for guide in GUIDES] == [
        "formats",
        "legos",
        "lessons",
        "manuscripts",
        "models",
        "prove",
        "questions",
        "workbench",
    ]


@pytest.mark.parametrize(
    ("promised", "printed", "same"),
    [
        (["a", "b"], ["a", "b"], True),
        (["a"], ["a", "b"], False),
        (["a", ANY], ["a", "b", "c"], True),
        ([ANY, "c"], ["a", "b", "c"], True),
        (["a", ANY, "d"], ["a", "b", "c"], False),
        ([], [], True),
        (["4 calls, 900 tokens (800 in, 100 out)."], ["4 calls, 1,234 tokens (1,000 in, 234 out)."], True),
        (["4 calls, 900 tokens"], ["5 calls, 900 tokens"], False),
    ],
)
def test_any_lines(promised: list[str], printed: list[str], same: bool) -> None:
    assert matches(promised, printed) is same
