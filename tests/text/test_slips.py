"""What the text modules find in one text, beyond the examples of the rules."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.lessons.checks.broken_list import broken_lists
from burnish.kinds.lessons.checks.code_fence import open_fences
from burnish.kinds.lessons.checks.duplicate_paragraph import repeats
from burnish.kinds.lessons.checks.heading_order import heading_slips
from burnish.kinds.lessons.checks.unclosed_emphasis import unpaired
from burnish.languages.scripts import homoglyphs
from burnish.languages.words import MOST_SLIPS, Slip, at_most, exchange
from burnish.text.foreign_letters import pervasive, stray_letters
from burnish.text.leftovers import chatbot_phrases, placeholders
from burnish.text.markdown import broken_links, labels, markdown
from burnish.text.truncation import ending, truncation
from burnish.text.wrong_language import strange_language
from tests.text.test_markdown import TEXTS


def slips(text: str, language: str = "en") -> list[Slip]:
    view = markdown(text)
    looks: list[Iterable[Slip]] = [
        chatbot_phrases(view), unpaired(view), open_fences(view), heading_slips(view),
        homoglyphs(view.prose, language), broken_links(view, labels(view)), broken_lists(view),
        placeholders(view), stray_letters(view, language),
    ]  # fmt: skip
    found = [slip for look in looks for slip in look]
    cut = truncation(view, language, final=True, strict=True, known_words=("word", "wording"))
    return [*found, cut] if cut is not None else found


@settings(deadline=None)
@given(TEXTS)
def test_every_slip_lies_in_the_text_and_every_fix_changes_it(text: str) -> None:
    for slip in slips(text):
        assert 0 <= slip.start <= slip.end <= len(text) and slip.message and slip.suggestion
        if slip.replacement is not None:
            assert text[slip.start : slip.end] != slip.replacement


@given(st.text("ab ", max_size=60), st.integers(0, 59), st.integers(0, 5))
def test_an_exchange_is_unique_and_changes_only_its_span(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    found = exchange(text, start, end, "X")
    if found is not None:
        find, replaced = found
        assert text.count(find) == 1 and text.replace(find, replaced) == text[:start] + "X" + text[end:]


def test_what_stands_everywhere_alike_cannot_be_exchanged() -> None:
    assert exchange("ab" * 5_000, 4_000, 4_001, "X") is None


def test_only_so_many_slips_are_told() -> None:
    assert len(list(at_most(Slip(0, 1, "a", "b") for _ in range(MOST_SLIPS * 2)))) == MOST_SLIPS


def fixed(text: str, language: str = "en") -> str:
    """The text with every fix made, from its end to its beginning."""
    for slip in sorted(slips(text, language), key=lambda slip: -slip.start):
        if slip.replacement is not None:
            text = text[: slip.start] + slip.replacement + text[slip.end :]
    return text


@pytest.mark.parametrize(
    ("text", "mended", "language"),
    [
        ("Sure! Here is the lesson:\n\nWater moves.", "Water moves.", "en"),
        ("Sure! Here is the lesson: Water moves.", "Water moves.", "en"),
        ("Water moves.\n\nI hope this helps! Let me know if you need more.\n", "Water moves.", "en"),
        ("Water moves. As an AI, I cannot swim. It falls.", "Water moves. It falls.", "en"),
        ("Water **moves in a circle.", "Water moves in a circle.", "en"),
        ("The 的 water moves 水.", "The water moves.", "en"),
        # A letter without a look-alike may stand for one that is missing without it: an author has to say which.
        ("Waжter moves.", "Waжter moves.", "en"),
        ("He said: Напиши урок о воде, and left.", "He said: Напиши урок о воде, and left.", "en"),
        ("Νous allons à la mer.", "Nous allons à la mer.", "fr"),
        ("The folder _posts and *nix systems.", "The folder _posts and *nix systems.", "en"),
        ("Set **bold** and **「quoted」**so it stays.", "Set **bold** and **「quoted」**so it stays.", "en"),
        ("A **bold** word and *one* **more.", "A **bold** word and *one* more.", "en"),
        ("Wаter mоves.", "Water moves.", "en"),
        ("Вoда движется.", "Вода движется.", "ru"),
        (
            "A [guide] (https://a.org) and (one)[https://b.org].",
            "A [guide](https://a.org) and [one](https://b.org).",
            "en",
        ),
        ("See [guide](https://a.org/x, then go.", "See [guide](https://a.org/x), then go.", "en"),
        ("- a b\n-water flows\n- c d.", "- a b\n- water flows\n- c d.", "en"),
        ("1. a b\n2.water flows\n3. c d.", "1. a b\n2. water flows\n3. c d.", "en"),
        ("• one\n• two.", "- one\n- two.", "en"),
        ("##Rain\n\nIt falls.", "## Rain\n\nIt falls.", "en"),
    ],
)
def test_fixes(text: str, mended: str, language: str) -> None:
    assert fixed(text, language).strip() == mended


@pytest.mark.parametrize(
    "text",
    [
        "In Tokyo 東京 is large, Сковорода Никита is a name, and Толстой (Tolstoy) wrote.",
        "The first (logos, λόγος) is Greek; 翠 / green is a name; the value is ΔT, kΩ, μmol and NF-κB.",
        "Use the file воды_1.txt and x = 水1.",
        "An $2*3$ and 2**8, *.txt, a*b, **kwargs and _private_ names; f(*args) too.",
        "The element a[0][1], a note [1] and [sic] are no markdown.",
        "Press [Insert] and choose <your-name>; [Add row](https://a.org) and `[Insert text here]` are fine.",
        "Write to info@a.org or see /usr/bin and C:\\temp\\x.",
        "Cite it as “Water”, 2020. Is that all? Yes!",
    ],
)
def test_sound_prose_has_no_slips(text: str) -> None:
    assert [slip for slip in slips(text) if slip.severity != "warning"] == []


@pytest.mark.parametrize(
    ("text", "final", "certainty"),
    [
        ("Water moves and", False, "broken"),
        ("Water moves in circles", False, "open"),
        ("Water moves (in circles", False, "broken"),
        ("Water moves “in circles", False, "broken"),
        ("„So“ steht es, „gut“", False, "whole"),
        ("Water moves, e.g.", False, "broken"),
        ("Water moves in `circles", False, "broken"),
        ('Change it to "file:///Users/a', False, "broken"),
        ("Water moves:", True, "broken"),
        ("Water moves:", False, "whole"),
        ("Water <a href='x", True, "broken"),
        ("Water moves {% include a", True, "broken"),
        ("{% include a", True, "broken"),
        ("[a]:", True, "broken"),
        ("a\n\n| one", True, "broken"),
        ("<div>\n\n<table>", True, "broken"),
        ("<div>\n\n</div>", True, "whole"),
        ("- a b\n- ", True, "broken"),
        ("- a word.\n- a word.\n- a wor", True, "broken"),
        ("> A hint without an end", False, "whole"),
        ("Author: Jane Austen", True, "whole"),
        ("It is done.{: .note}", True, "whole"),
        ("A note.[^1]", True, "whole"),
        ("***", True, "whole"),
        ("", True, "whole"),
        ("    indented code", True, "whole"),
        ("Thai พืชเปลี่ยนแสงเป็นน้ำตาล", True, "whole"),
    ],
)
def test_endings(text: str, final: bool, certainty: str) -> None:
    known = ("word", "a") if "wor" in text else ()
    assert ending(markdown(text), "en", final=final, known_words=known).certainty == certainty


def test_a_word_with_an_ending_of_grammar_is_whole() -> None:
    view = markdown("- scopes\n- a list of scope")
    assert ending(view, "en", final=True, known_words=("scopes", "list", "a", "of")).certainty == "whole"


def test_repeats_are_found_across_texts() -> None:
    twice = " ".join(f"word{chr(97 + n)}" for n in range(20))
    found = list(repeats([("a", markdown(f"{twice}.\n\nShort.")), ("b", markdown(f"Short.\n\n**{twice}**"))]))
    assert [(repeat.name, repeat.first_name) for repeat in found] == [("b", "a")]


NORWEGIAN = (
    "Vannet beveger seg i en sirkel. Solen varmer havet, og dampen stiger opp i luften, der den avkjøles og blir til "
    "skyer. Regn og snø faller, og elvene fører vannet tilbake til havet."
)
FINNISH = (
    "Vesi liikkuu ympyrässä. Aurinko lämmittää merta, ja höyry nousee ilmaan, jossa se jäähtyy ja muuttuu pilviksi. "
    "Sade ja lumi putoavat, ja joet kuljettavat veden takaisin mereen, jossa kierto alkaa alusta."
)


@pytest.mark.parametrize(
    ("text", "language", "wrong"),
    [
        (FINNISH, "en", True),
        (FINNISH, "fi", False),
        (NORWEGIAN, "no", False),
        (NORWEGIAN, "xx", False),
        (FINNISH, "und", False),
        ("The water moves because the sun warms it and then it is in the air. " * 2, "xx", True),
        ("The water moves because the sun warms it and then it is in the air. " * 2, "ja", True),
        ("API, React, SQL.", "ru", False),
    ],
)
def test_languages(text: str, language: str, wrong: bool) -> None:
    assert bool(list(strange_language(markdown(text), language))) is wrong


def test_pervasive_foreign_letters_are_told_once() -> None:
    text = "Water 水在大海和天空之间循环往复不止息 moves."
    view = markdown(text)
    whole = pervasive(view, "en")
    assert whole is not None and whole.severity == "critical"
    assert list(stray_letters(view, "en")) == []
    assert pervasive(markdown("Вода движется."), "und") is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("More of it stands on the next page &raquo;", "en"),
        ("The list is wrapped in a `<div>` of its own.\n\n<p>That is all.</p>", "en"),
        ("Write `<div` and close it later.", "en"),
        ("Read [the guide][g] first.\n\n[g]:\n  https://example.net/guide", "en"),
        ("Read [the guide][g] first.\n\n[g]: https://example.net/guide\n  'The guide'", "en"),
        ("Մենք գիտենք, թե ինչ է պատահում:", "hy"),
        ("Τι είναι αυτό;", "el"),
    ],
)
def test_what_only_looks_broken_off(text: str, language: str) -> None:
    assert truncation(markdown(text), language, final=True, strict=True) is None


REFERENCES = (
    "Lutz, Learning Python\n\n- Ch. 9: Tuples, Files, and Everything Else\n- Ch. 11: Assignment and print\n\n"
    "Pilgrim, Diving into Python\n\n- Ch. 7: Regular Expressions\n\n"
    "Blei, David M. (2012). Probabilistic Topic Models. Communications of the ACM 55 (4), pp. 77-84. "
    "For an Introduction to the Subject and the Methods in the Digital Humanities.\n\n"
    "*The Programming Historian and all that is said in it about the teaching of history with the help of computers*"
)


def test_references_and_titles_keep_their_language() -> None:
    assert list(strange_language(markdown(REFERENCES), "pt")) == []


def test_nothing_is_critical_against_a_guess() -> None:
    spanish = "El agua se mueve en un círculo. El sol calienta el mar, y el vapor sube al aire, donde se enfría."
    assert [slip.severity for slip in strange_language(markdown(spanish), "en")] == ["critical"]
    assert [slip.severity for slip in strange_language(markdown(spanish), "en", is_guess=True)] == ["error"]


GREEK = "Every line of the poem begins with καὶ εἶπεν, goes on with λόγος and ends with ἀρχή or with θεός again."


def test_the_script_that_a_lesson_is_about_is_no_slip() -> None:
    view = markdown(GREEK)
    assert list(stray_letters(view, "en", document="How to read Greek texts")) == []
    assert list(stray_letters(view, "pt", document="Como ler textos gregos")) == []
    assert pervasive(view, "en", document="Ancient Greek for beginners") is None
    assert pervasive(view, "en", document="How to cook") is not None
    attached = markdown("The theθory is old.")
    assert list(stray_letters(attached, "en", document="Ancient Greek for beginners"))


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I cannot taste bread, but yeast is a fungus that eats sugar.",
        "As an AI, I do not have opinions; yeast is a fungus.",
        "Como IA, no puedo probar el pan, pero la levadura es un hongo.",
    ],
)
def test_what_a_chatbot_says_of_the_subject_is_not_taken_away(text: str) -> None:
    [slip] = chatbot_phrases(markdown(f"{text} Bread rises in an hour."))
    assert slip.replacement is None
    [alone] = chatbot_phrases(markdown("As an AI language model, I cannot taste bread. Bread rises in an hour."))
    assert alone.replacement == ""
