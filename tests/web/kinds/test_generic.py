"""Why a unit waits: one sentence, with the words that it is about marked."""

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import Finding, Severity
from burnish.web.kinds.generic import LONGEST, foremost, reason_words, shortened
from burnish.web.labels import lang_tag, language_word

TEXT = "High above the ground the air is cold, and for some reason or other it does turn into tiny drops of water."


def finding(message: str = "This is vague.", quote: str | None = None, severity: Severity = "error") -> Finding:
    return Finding("clarity", severity, "u", None, message, quote=quote)


def sentence(one: Finding, text: str = TEXT, lang: str | None = "en") -> list[tuple[str, str | None]]:
    return [(words.text, words.severity) for words in reason_words(one, {None: text}, lang)]


def test_words_that_the_message_names_are_marked_there() -> None:
    said = sentence(finding("The words “for some reason” are not right.", "for some reason"))
    assert said == [("The words “", None), ("for some reason", "error"), ("” are not right.", None)]


def test_other_words_are_shown_in_their_place() -> None:
    assert sentence(finding(quote="for some reason or other it does")) == [
        ("This is vague: “", None),
        ("High above the ground the air is cold, and ", None),
        ("for some reason or other it does", "error"),
        (" turn into tiny drops of water.", None),
        ("”", None),
    ]


def test_a_long_line_is_cut_at_words() -> None:
    said = sentence(finding(quote="middle"), "before " * 20 + "middle " + "after " * 20)
    assert said[1][0].startswith("…before") and said[3][0].endswith("after…")
    assert len(said[1][0]) < 50 > len(said[3][0])


def test_what_is_about_nothing_in_the_text_is_the_message_alone() -> None:
    assert sentence(finding("Two sentences are missing.", "words of nobody")) == [("Two sentences are missing.", None)]


def test_only_what_is_content_has_a_language() -> None:
    found = reason_words(finding(quote="cold"), {None: TEXT}, "mk")
    assert [words.lang for words in found] == [None, "mk", "mk", "mk", None]


def test_the_worst_comes_first_and_of_two_the_one_that_quotes() -> None:
    mild, bare, quoting = finding(severity="warning", quote="cold"), finding("A."), finding("B.", "air")
    assert foremost([mild, bare, quoting]) is quoting
    assert foremost([]) is None


@given(st.text(max_size=2_000))
def test_a_message_is_one_line_and_no_page(message: str) -> None:
    said = shortened(message)
    assert len(said) <= LONGEST + 1 and "\n" not in said


@given(st.text(max_size=200), st.text(max_size=20), st.text(max_size=20))
def test_whatever_is_quoted_a_sentence_comes_of_it(text: str, quote: str, message: str) -> None:
    said = reason_words(finding(message, quote), {None: text}, None)
    assert all(words.text for words in said) or not message.strip()


def test_languages() -> None:
    assert (lang_tag("es"), lang_tag("kab", "Tfng"), lang_tag("tamazight")) == ("es", "kab-Tfng", "zgh")
    assert [lang_tag(odd) for odd in (None, "und", "", 'x" onload="', "a b")] == [None] * 5
    assert (language_word("es"), language_word("xx"), language_word("und")) == ("Spanish", "xx", None)
