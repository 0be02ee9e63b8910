"""Templates: what every page has, and that content stays content in all of them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from jinja2 import UndefinedError
from starlette.requests import Request

from burnish.api.messages import Problem
from burnish.core.findings import Finding
from burnish.kinds.registry import KINDS
from burnish.web.kinds import EditField, Words
from burnish.web.labels import ICONS, RUN_LOOKS, STATE_LOOKS, kind_icon, kind_words, look_of, run_look
from burnish.web.pieces import Mark, Piece
from burnish.web.rendering import (
    coded,
    crumbs,
    environment,
    exactly,
    name_of,
    page,
    rule_name,
    static_link,
    styles,
    stylesheet,
)

HOSTILE = "<script>alert(1)</script>\"'\u202e\x1b"
TAMED = "&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;\\u202e\\x1b"


def request(path: str = "/runs", *headers: tuple[bytes, bytes]) -> Request:
    return Request({"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": list(headers)})


def drawn(template: str, **given: object) -> str:
    return environment().from_string(template).render(**given)


class TestEveryPage:
    def test_has_landmarks_a_way_past_them_and_the_keys(self) -> None:
        made = page(request("/rules"), "keys.html").body
        text = bytes(made).decode()
        for part in ('<a class="skip" href="#main">', "<header", 'aria-label="Main"', '<main id="main"', "<dialog"):
            assert part in text
        assert '<a href="/rules" aria-current="page">Rules</a>' in text
        assert text.count('aria-current="page"') == 1
        assert '<html lang="en">' in text and '<meta name="viewport"' in text

    def test_an_error_is_a_page_that_needs_nothing_behind_it(self) -> None:
        problem = Problem(404, "not_found", f"There is no run `{HOSTILE}`.", "`burnish runs` lists them.")
        answer = page(request(), "error.html", status=404, problem=problem)
        text = bytes(answer.body).decode()
        assert answer.status_code == 404
        assert f"There is no run <code>{TAMED}</code>." in text and "burnish runs" not in text
        assert "removed or renamed" in text and 'href="/runs"' in text and 'href="/queue"' in text

    def test_crumbs_lead_back(self) -> None:
        text = bytes(page(request(), "keys.html", crumbs=crumbs(("Runs", "/runs"), (HOSTILE, None))).body).decode()
        assert f'<a href="/runs"><bdi>Runs</bdi></a><span aria-current="page"><bdi>{TAMED}</bdi></span>' in text

    def test_only_a_page_with_events_says_that_it_is_live(self) -> None:
        assert b"data-events" not in page(request(), "keys.html").body
        live = bytes(page(request(), "keys.html", events="/live").body).decode()
        assert 'data-events="/live"' in live and "data-live-words" in live and 'role="status" data-lost hidden' in live

    def test_who_decides_is_in_the_header(self) -> None:
        named = request("/runs", (b"cookie", b"burnish_name=Lila%20Benali"))
        assert name_of(named) == "Lila Benali" and name_of(request()) is None
        assert ">LB</a>" in bytes(page(named, "keys.html").body).decode()


class TestContent:
    def test_is_shown_as_text(self) -> None:
        assert drawn("{{ text }}", text=HOSTILE) == TAMED
        assert drawn('<a title="{{ text }}">', text=HOSTILE) == f'<a title="{TAMED}">'

    def test_goes_back_from_a_field_as_it_came(self) -> None:
        assert exactly("a\u202e<b>") == "a\u202e&lt;b&gt;"
        field = EditField("stem", "Stem", "\nfirst\u200f <x>", lang="ar", rows=3, help="Mind the gap.")
        text = drawn('{% from "lists.html" import edit_field %}{{ edit_field(one) }}', one=field)
        assert 'dir="auto" aria-describedby="e-stem-help">\n\nfirst\u200f &lt;x&gt;</textarea>' in text
        assert '<label for="e-stem">Stem</label>' in text and 'lang="ar"' in text

    def test_fields_of_one_line_and_of_choices(self) -> None:
        one = drawn(
            '{% from "lists.html" import edit_field %}{{ edit_field(one) }}', one=EditField("a", "A", '"', rows=1)
        )
        assert '<input class="field" id="e-a" name="a" value="&#34;" dir="auto">' in one
        chosen = EditField("k", "Key", "B", choices=("A", "B"))
        assert "<option selected>B</option>" in drawn(
            '{% from "lists.html" import edit_field %}{{ edit_field(one) }}', one=chosen
        )

    def test_our_own_sentences_may_hold_code(self) -> None:
        assert coded("Run `burnish <x>` now.") == "Run <code>burnish &lt;x&gt;</code> now."

    def test_what_is_not_given_is_an_error(self) -> None:
        with pytest.raises(UndefinedError):
            drawn("{{ nothing_like_that }}")


class TestMacros:
    def test_pieces(self) -> None:
        mark = Mark(1, "critical")
        parts = (
            Piece("Jida ", 0),
            Piece("tettaggad", 5, marks=(mark,), ends=(mark,)),
            Piece("ɛecra", 0, change="del"),
            Piece(HOSTILE, 0, change="ins"),
        )
        macros = '{% from "text.html" import pieces, lang_attrs %}'
        text = drawn(macros + '<p class="text"{{ lang_attrs("kab") }}>{{ pieces(parts) }}</p>', parts=parts)
        assert text.startswith('<p class="text" lang="kab" dir="auto">Jida <mark class="critical">tettaggad</mark>')
        assert '<a class="ref critical" href="#f1" aria-label="Finding 1, critical">1</a>' in text
        assert f"<del>ɛecra</del><ins>{TAMED}</ins>" in text

    def test_words_of_a_reason(self) -> None:
        parts = (Words("ends with "), Words("со", "critical", "mk"), Words("слово", lang="mk"))
        text = drawn('{% from "text.html" import words %}{{ words(parts) }}', parts=parts)
        expected = '<mark class="critical" lang="mk"><bdi>со</bdi></mark><bdi lang="mk">слово</bdi>'
        assert text == f"ends with {expected}"

    def test_a_finding_with_and_without_a_page_of_its_rule(self) -> None:
        found = Finding("nbme_negation_detection", "error", "q", "stem", f"m {HOSTILE}", "Ask positively.")
        text = drawn('{% from "text.html" import finding %}{{ finding(1, found, "check", "Settled") }}', found=found)
        assert 'id="f1"' in text and '<a href="/rules/nbme_negation_detection">' in text and TAMED in text
        assert "Ask positively." in text and "Settled" in text
        other = Finding("made_up", "info", "q", None, "m")
        text = drawn('{% from "text.html" import finding %}{{ finding(none, found) }}', found=other)
        assert ">made_up</code>" in text and "/rules/" not in text
        known = rule_name("nbme_negation_detection")
        assert known == 'Negative question <code class="rid">nbme_negation_detection</code>'
        assert rule_name("made_<up>") == 'Made &lt;up&gt; <code class="rid">made_&lt;up&gt;</code>'

    def test_moments_carry_the_exact_time(self) -> None:
        at = "2026-11-16T12:03:24.123456Z"
        text = drawn('{% from "lists.html" import ago, at_clock %}{{ ago(at) }}{{ at_clock(at) }}{{ ago("") }}', at=at)
        assert text.count(f'<time datetime="{at}" title="2026-11-16 12:03:24 UTC"') == 2

    def test_panels_and_empty_places(self) -> None:
        text = drawn(
            '{% from "lists.html" import panel, empty %}'
            '{% call panel("T", "beside", id="x") %}in{% endcall %}{{ empty("None", "Use `x`.") }}'
        )
        assert '<section class="panel" id="x" aria-labelledby="h-x">' in text and '<div class="body">in</div>' in text
        assert "<h2>None</h2><p>Use <code>x</code>.</p>" in text

    def test_a_finder_keeps_the_other_filters(self) -> None:
        text = drawn(
            '{% from "lists.html" import finder %}{{ finder("/runs", "Name", value, keep) }}',
            keep={"kind": "legos", "state": None},
            value='a"\u202e',
        )
        assert '<input type="hidden" name="kind" value="legos">' in text and 'name="state"' not in text
        assert 'value="a&#34;\u202e"' in text and '<label class="vh" for="find">Name</label>' in text


class TestIcons:
    def test_all_that_are_named_are_drawn_and_all_that_are_drawn_are_named(self) -> None:
        symbols = drawn('{% from "icons.html" import symbols %}{{ symbols() }}')
        assert {part.partition('"')[0] for part in symbols.split('<symbol id="i-')[1:]} == ICONS

    def test_an_unknown_one_is_an_error(self) -> None:
        with pytest.raises(UndefinedError):
            drawn('{% from "icons.html" import icon %}{{ icon("nothing") }}')

    def test_looks(self) -> None:
        assert look_of("ready_to_merge", "ready").words == "ready to merge"
        assert look_of("brand_new", "work").words == "brand new"
        assert look_of("brand_new", "person").words == "needs a person"
        looks = [*STATE_LOOKS.values(), *(run_look(standing, "x") for standing in RUN_LOOKS)]
        assert all(look.icon is None or look.icon in ICONS for look in looks)
        assert [kind_icon("legos"), kind_icon("poems")] == ["k-legos", "ring"]
        assert kind_words("legos") == "LEGOs"
        assert all(kind_icon(kind) in ICONS for kind in KINDS)

    def test_a_state_has_a_word_and_a_sign(self) -> None:
        text = drawn(
            '{% from "icons.html" import state_pill, severity %}'
            '{{ state_pill(look, boxed=true) }}{{ severity("error") }}',
            look=STATE_LOOKS["needs_manual_review"],
        )
        assert '<span class="pill boxed wait"><svg' in text and "needs a person</span>" in text
        assert '<span class="sev error"><svg class="i solid"' in text and "Error</span>" in text


class TestFiles:
    def test_a_changed_file_has_another_address(self) -> None:
        assert static_link("keys.js").startswith("/static/keys.js?v=")
        assert static_link("keys.js") != static_link("live.js").replace("live", "keys")

    def test_all_styles_in_one(self) -> None:
        assert "--accent" in stylesheet() and ".keys" in stylesheet()
        assert styles()[0] == "tokens" and styles()[-1] == "narrow"
        assert static_link("burnish.css").startswith("/static/burnish.css?v=")


@dataclass
class Odd:
    """Something that is printed although it is no text."""

    def __str__(self) -> str:
        return HOSTILE


def test_what_is_no_text_is_escaped_all_the_same() -> None:
    assert drawn("{{ odd }}", odd=Odd()) == TAMED
    assert drawn("{{ 3 }} {{ none }} {{ 1.5 }}") == "3 None 1.5"
