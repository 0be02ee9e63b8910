"""Marks in a paragraph: in the translation, in its other script, and in the words of the source that findings name."""

from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph
from burnish.web.kinds.manuscripts import marked_paragraph
from burnish.web.pieces import Piece, joined

ONE_SCRIPT = Paragraph("p_0001", 1, "paragraph", "He has 9 books, not 90.", "Tiene 19 libros.")
TWO_SCRIPTS = Paragraph(
    "p_0002", 2, "paragraph", "He did not go.", translation="ⵉⴷⴷⴰ ⵖⴻⵔ ⵙⵙⵓⵇ.", latin="Idda ɣer ssuq."
)


def said(
    message: str,
    quote: str | None = None,
    severity: Severity = "error",
    source: str = "rule",
    of_source: str | list[str] = "",
) -> Finding:
    data = {"source": of_source}
    return Finding("numbers_changed", severity, "p_0001", None, message, quote=quote, source=source, data=data)


def words(pieces: tuple[Piece, ...] | None) -> list[str]:
    return [piece.text for piece in pieces or () if piece.marks]


def test_translation_and_source_are_marked() -> None:
    text = marked_paragraph(ONE_SCRIPT, [said("The number is another one.", "19", of_source="9")])
    assert (words(text.target), words(text.source), text.latin) == (["19"], ["9"], None)
    assert joined(text.source) == ONE_SCRIPT.text and joined(text.target or ()) == ONE_SCRIPT.translation


def test_a_quote_inside_a_longer_word_of_the_source_is_no_place() -> None:
    text = marked_paragraph(ONE_SCRIPT, [said("Numbers are missing.", of_source=["0", "oo"])])
    assert words(text.source) == []


def test_a_quote_of_latin_letters_is_marked_in_both_scripts() -> None:
    text = marked_paragraph(TWO_SCRIPTS, [said("It denies nothing.", "ɣer ssuq")])
    assert (words(text.latin), words(text.target)) == (["ɣer ssuq"], ["ⵖⴻⵔ ⵙⵙⵓⵇ."])


def test_a_quote_of_tifinagh_is_marked_in_both_scripts() -> None:
    text = marked_paragraph(TWO_SCRIPTS, [said("The source denies something.", "ⵉⴷⴷⴰ", of_source="did not")])
    assert (words(text.latin), words(text.target), words(text.source)) == (["Idda"], ["ⵉⴷⴷⴰ"], ["did not"])


def test_scripts_with_another_number_of_words_are_not_guessed_at() -> None:
    odd = Paragraph("p", 1, "paragraph", "x", translation="ⵉⴷⴷⴰ", latin="Idda ɣer")
    text = marked_paragraph(odd, [said("Wrong.", "ɣer")])
    assert (words(text.latin), words(text.target)) == (["ɣer"], [])


def test_what_reviewers_say_alike_is_said_once_and_the_worst_comes_first() -> None:
    twice = [said("Wrong.", "19", "warning"), said("Bad.", None, "critical", "model:grammar")]
    text = marked_paragraph(ONE_SCRIPT, [*twice, said("Bad.", None, "critical", "model:fidelity")], first=7)
    assert [(one.number, one.finding.message, one.who) for one in text.raised] == [
        (7, "Bad.", "grammar and fidelity"),
        (8, "Wrong.", "check"),
    ]
    quiet = text.without_numbers()
    assert words(quiet.target) == ["19"] and not quiet.raised
    assert not any(piece.ends for piece in (*quiet.source, *(quiet.target or ())))


def test_a_paragraph_without_a_translation() -> None:
    bare = Paragraph("p", 1, "paragraph", "Text.")
    text = marked_paragraph(bare, [said("There is no translation.")])
    assert text.target is None and words(text.source) == []
