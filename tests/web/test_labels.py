"""Problems and names in the words of pages."""

from __future__ import annotations

import pytest

from burnish.api.messages import Problem
from burnish.web.labels import GONE, NO_PAGE, Said, for_pages, on_a_page


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (
            Problem(404, "not_found", "There is no run x in /srv/runs.", "See `burnish runs`."),
            "There is no run x.",
        ),
        (Problem(404, "not_found", "Not Found"), NO_PAGE),
        (Problem(405, "method_not_allowed", "Method Not Allowed"), "This address does not accept this request."),
        (Problem(400, "usage", "It is sent back with a note."), "It is sent back with a note."),
    ],
)
def test_a_page_says_it_without_the_terminal(problem: Problem, said: str) -> None:
    found = on_a_page(problem)
    assert found.message == said and "burnish" not in (found.hint or "")


def test_hints_for_the_terminal_are_left_out() -> None:
    assert on_a_page(Problem(404, "not_found", "There is no unit x.", None)) == Said("There is no unit x.", GONE)
    assert for_pages("Choose another with --port.") is None and for_pages(None) is None
    assert for_pages("Go back and write yours.") == "Go back and write yours."
