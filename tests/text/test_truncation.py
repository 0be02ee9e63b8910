"""How a text ends: broken off, open or whole, and where it is told."""

import pytest

from burnish.text.markdown import markdown
from burnish.text.truncation import ending, truncation

LIST = "- One is done.\n- Two is done.\n- "
TABLE = "| a | b |\n|---|---|\n| c | d"


@pytest.mark.parametrize(
    ("text", "middle", "end"),
    [
        ("All is well.", "whole", "whole"),
        ("All is well", "open", "open"),
        ("All is well…", "whole", "whole"),
        ("All is well[^1]", "open", "open"),
        ("All is well.[^1]", "whole", "whole"),
        ("All is well. {: .note}", "whole", "whole"),
        ("It is fine&hellip;", "whole", "whole"),
        ("It is 5 &amp;", "broken", "broken"),
        ("The list has 5", "whole", "whole"),
        ("", "whole", "whole"),
        # words and marks after which something has to come
        ("The cat sat on the", "broken", "broken"),
        ("He asked and", "broken", "broken"),
        ("The cat sat on,", "broken", "broken"),
        ("What is it;", "broken", "broken"),
        ("It ends -", "broken", "broken"),
        ("It ends--", "whole", "whole"),
        ("It is so:", "whole", "broken"),
        ("All is well.\n\n# Heading", "whole", "broken"),
        ("[", "whole", "broken"),
        # what was opened and not closed
        ("Read <a href=", "broken", "broken"),
        ("Read [this](http://a", "broken", "broken"),
        ("Read [this](http://a) now.", "whole", "whole"),
        ("Read it now ![", "broken", "broken"),
        ("Read {% include a", "broken", "broken"),
        ("He went (away", "broken", "broken"),
        ("He went (away)", "whole", "whole"),
        ("He went (away.", "whole", "whole"),
        ("He went («away", "broken", "broken"),
        ("1) He went (a) home.", "whole", "whole"),
        ('He said "never', "broken", "broken"),
        ('He said "never"', "whole", "whole"),
        ("Use `code", "broken", "broken"),
        ("Use `code`", "whole", "whole"),
        ("```\nRead <a href=\n```", "whole", "whole"),
        ("<!-- note", "broken", "broken"),
        ("All is well.\n\n[m]: https://a.example", "whole", "whole"),
        ("The cat sat on the\n\n[m]: https://a.example", "whole", "whole"),
        ("The cat sat on the\n\n***", "broken", "broken"),
        # labels, names and code need no full stop
        ("Author: Jane Doe", "whole", "whole"),
        (f"Author: {'Jane Doe ' * 8}", "open", "open"),
        ("— Jane Austen", "whole", "whole"),
        ("Sincerely", "whole", "whole"),
        ("Sincerely yours", "open", "open"),
        ("Look at user_name", "whole", "whole"),
        ("See /usr/bin/env", "whole", "whole"),
        # lists are held to the items before
        (f"{LIST}Three goes home", "open", "open"),
        (f"{LIST}Three goes home.", "whole", "whole"),
        ("- One\n- Two\n- Three goes home", "whole", "whole"),
        ("- One is done.\n- Two goes home", "whole", "whole"),
        ("- Done then. Two goes home", "whole", "open"),
        ("- One.\n-", "whole", "broken"),
        # tables
        (f"{TABLE} |", "whole", "whole"),
        (TABLE, "broken", "broken"),
        # quotations may break off in the middle of a document
        ("> It was said so", "whole", "open"),
        # elements that are still open at the end
        ("All is well.\n\n<div>\n<p>x</p>\n</div>", "whole", "whole"),
        ("All is well.\n\n<div>\n<section>\nx\n</section>", "whole", "broken"),
        ("<div>\n\nAll is well.\n\n<ul>\n</ul>", "whole", "broken"),
        ("<div>\n\nAll is well.\n\n</div>", "whole", "whole"),
        ("All is well.\n\n<ul>\n<li>a\n</ul>", "whole", "whole"),
        ("`<div>`\n\n<ul>\n</ul>", "whole", "whole"),
        ("`<div>`\n\n<section>x</section>", "whole", "whole"),
    ],
)
def test_how_an_english_text_ends(text: str, middle: str, end: str) -> None:
    view = markdown(text)
    assert [ending(view, "en", final=final).certainty for final in (False, True)] == [middle, end]


@pytest.mark.parametrize(
    ("language", "text", "certainty"),
    [
        ("hy", "Ան է:", "whole"),
        ("el", "Τι κάνεις;", "whole"),
        ("th", "นี่คือประโยค", "whole"),
        ("de", "Er sagte „so“", "whole"),
        ("de", "Er sagte „so", "open"),
        ("de", "Er sagte „", "broken"),
    ],
)
def test_languages_end_in_their_own_ways(language: str, text: str, certainty: str) -> None:
    assert ending(markdown(text), language, final=True).certainty == certainty


def test_what_is_told_is_the_last_words_before_their_notes() -> None:
    text = f"{'Many words stand here. ' * 10}The cat sat on the [^1]"
    found = ending(markdown(text), "en", final=True)
    assert text[: found.end].endswith("sat on the") and found.end - found.start == 60
    assert "'the'" in found.message


@pytest.mark.parametrize(
    ("word", "final", "is_cut"),
    [
        ("transla", True, True),
        ("transla", False, False),
        ("translation", True, False),
        ("scope", True, False),
        ("unknown", True, False),
    ],
)
def test_a_last_word_is_cut_if_it_only_begins_words_of_the_document(word: str, final: bool, is_cut: bool) -> None:
    known = {"translation", "scopes", "it", "was"}
    found = ending(markdown(f"It was a {word}"), "en", final=final, known_words=known)
    assert ("inside a word" in found.message) is is_cut
    assert found.certainty == ("broken" if is_cut else "open")


@pytest.mark.parametrize(
    ("text", "final", "strict", "severity"),
    [
        ("All is well.", True, True, None),
        ("The cat sat on the", False, False, "critical"),
        ("All is well", False, False, "warning"),
        ("All is well", True, False, "critical"),
        ("All is well", False, True, "critical"),
    ],
)
def test_how_severe_it_is(text: str, final: bool, strict: bool, severity: str | None) -> None:
    slip = truncation(markdown(text), "en", final=final, strict=strict)
    assert (slip and slip.severity) == severity
