"""Numbers, moments and names as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.app.terminal import UNSAFE
from burnish.web import formatting as wording
from burnish.web.formatting import NO_BREAK, age, clean, clock, delta, exact, keyed, lasting, money, score, share

NOW = datetime(2026, 11, 16, 12, 3, 24, tzinfo=UTC)


def ago(**past: float) -> str:
    return age((NOW - timedelta(**past)).isoformat(), NOW)


class TestNumbers:
    def test_counts(self) -> None:
        assert wording.count(1_842_906) == "1,842,906"
        assert wording.roughly(999_999) == "999,999"
        assert wording.roughly(2_370_000) == f"2.37{NO_BREAK}M"
        assert wording.thousands(300_000) == f"300{NO_BREAK}k"
        assert wording.thousands(1_500_000) == f"1.5{NO_BREAK}M"
        assert wording.thousands(50) == "50"
        assert wording.plural(1, "paragraph") == "1 paragraph"
        assert wording.plural(1204, "entry", "entries") == "1,204 entries"

    def test_scores(self) -> None:
        assert score(0.85) == ".85"
        assert score(0.877, 0.9) == ".877"
        assert score(0.94, 0.85) == ".94"
        assert score(0.9, 0.9) == ".90"
        assert score(1.0) == "1.00"
        assert score(-0.19) == "−.19"
        assert score(8.94, kind="legos") == "8.9"

    def test_a_score_below_its_line_never_reads_as_if_it_reached_it(self) -> None:
        assert score(0.8499, 0.85) == ".849"
        assert score(7.96, 8.0, "legos") == "7.9"

    @given(st.floats(0, 1), st.sampled_from([0.5, 0.75, 0.8, 0.85, 0.9, 1.0]))
    def test_below_stays_below(self, value: float, line: float) -> None:
        assert value >= line or float(score(value, line)) < line

    def test_differences(self) -> None:
        assert delta(0.053) == "+.053"
        assert delta(-0.07) == "−.07"
        assert delta(0.0001) == "0"
        assert delta(1.25, "legos") == "+1.2"

    def test_money_that_was_spent_is_never_nothing(self) -> None:
        assert [money(0.91), money(0.0006), money(0.0), money(1204.5)] == ["$0.91", "$0.0006", "$0", "$1,204.50"]
        assert money(0.00001) == "under $0.0001"
        assert money(None) == "no price known"

    @given(st.floats(min_value=1e-12, max_value=1e9))
    def test_no_amount_reads_as_zero(self, amount: float) -> None:
        assert money(amount).strip("$0.,") != ""

    def test_shares_carry_count_and_interval(self) -> None:
        assert share(48, 50, 0.87, 0.99).replace(NO_BREAK, " ") == "48 of 50 (96 %, 87 to 99 %)"
        assert share(1, 2).replace(NO_BREAK, " ") == "1 of 2 (50 %)"
        assert share(0, 0) == "0 of 0"

    def test_only_all_is_all(self) -> None:
        assert wording.percent(0.999) == f"99{NO_BREAK}%"
        assert wording.percent(0.001) == f"1{NO_BREAK}%"
        assert [wording.percent(0), wording.percent(1)] == [f"0{NO_BREAK}%", f"100{NO_BREAK}%"]


class TestMoments:
    def test_ages(self) -> None:
        assert [ago(seconds=40), ago(minutes=18), ago(hours=5), ago(days=2)] == ["40 s", "18 min", "5 h", "2 d"]
        assert ago(seconds=-5) == "0 s"
        assert age("", NOW) == ""

    def test_a_moment_without_a_zone_is_of_greenwich(self) -> None:
        assert exact("2026-11-16T12:03:24.5") == "2026-11-16 12:03:24 UTC"
        assert clock("2026-11-16T12:03:24Z", UTC) == "12:03:24"
        assert clock("") == "" and exact("") == ""

    def test_stretches(self) -> None:
        assert [lasting(1.7), lasting(0.01), lasting(3), lasting(61)] == ["1.7 s", "0.1 s", "3 s", "1 min"]


class TestNames:
    def test_hashes(self) -> None:
        assert wording.short_hash("sha256:4be1" + "0" * 56 + "90c7") == "sha256:4be1…90c7"
        assert wording.short_hash("abc") == "abc"

    def test_lists(self) -> None:
        assert [wording.listed(list(x)) for x in ("", "a", "ab", "abc")] == ["", "a", "a and b", "a, b and c"]

    @pytest.mark.parametrize(
        ("name", "letters"), [("Lila Benali", "LB"), ("robin", "RO"), ("a.b-c", "AC"), (" ", "?"), ("ⵍⵉⵍⴰ ⴱ", "ⵍⴱ")]
    )
    def test_initials(self, name: str, letters: str) -> None:
        assert wording.initials(name) == letters

    def test_words(self) -> None:
        assert wording.sentence(wording.in_words("needs_manual_review")) == "Needs manual review"


class TestCleaning:
    def test_what_turns_or_hides_text_is_shown(self) -> None:
        assert clean("a\u202eb\x00c\u200bd") == "a\\u202eb\\x00c\\u200bd"
        assert clean("one\n\ttwo") == "one\n\ttwo"
        assert clean("ⵜⴰⴳⵔⴻⵙⵜ العربية می‌خواهم") == "ⵜⴰⴳⵔⴻⵙⵜ العربية می‌خواهم"

    @given(st.text())
    def test_nothing_unsafe_is_left(self, text: str) -> None:
        assert set(UNSAFE.findall(clean(text))) <= {"\n", "\t"}
        assert clean(clean(text)) == clean(text)


def test_the_key_of_a_question_on_one_line_has_a_tick() -> None:
    assert keyed("Which organ? A. Kidney * B. Pancreas C. Liver") == (
        f"Which organ? A. Kidney ✓{NO_BREAK}B. Pancreas C. Liver"
    )
    assert keyed("2 * 3 is 6") == "2 * 3 is 6"
