"""Parts of pages for a page that stands alone: nothing leads elsewhere, nothing is sent, no id occurs twice."""

from __future__ import annotations

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.web.pages.report import standalone_markup


def test_links_into_the_page_stay_and_others_are_only_words() -> None:
    markup = (
        '<p id="a"><a class="ref" href="#v1">1</a> <a class="chip" href="/runs/x?a=1&amp;b=2">Runs</a> <a>x</a></p>'
    )
    assert standalone_markup(markup, "u1-") == (
        '<p id="u1-a"><a class="ref" href="#u1-v1">1</a> <span class="chip">Runs</span> <span>x</span></p>'
    )


def test_forms_and_everything_that_loads_are_left_out() -> None:
    markup = (
        '<div><form action="/x"><input name="a"><button>Go</button></form><button>B</button><script>1</script>'
        '<link href="/s.css"><meta http-equiv="refresh"><img src="/p.png"><iframe src="/"></iframe><select><option>'
        'o</select><base href="/">kept<input type="hidden" name="x"><!-- c --></div>'
    )
    assert standalone_markup(markup, "p-") == "<div>kept</div>"


def test_choices_keep_apart_and_drawings_stay_what_they_are() -> None:
    markup = (
        '<label for="n"><input type="radio" name="now" id="n" checked>With marks</label>'
        '<h2 id="h" aria-labelledby="a b">T</h2><svg viewBox="0 0 1 1"><use href="#i-check"/>'
        '<rect fill="url(#i-hatch)" width="3"/></svg>'
    )
    assert standalone_markup(markup, "u-") == (
        '<label for="u-n"><input type="radio" name="u-now" id="u-n" checked>With marks</label>'
        '<h2 id="u-h" aria-labelledby="u-a u-b">T</h2><svg viewBox="0 0 1 1"><use href="#i-check"/>'
        '<rect fill="url(#i-hatch)" width="3"/></svg>'
    )


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_content_comes_through_as_it_was_escaped(text: str) -> None:
    said = escape(text).replace("\x00", "")
    markup = f'<p title="{said}" dir="auto">{said}</p>'
    assert standalone_markup(markup, "u-") == markup
