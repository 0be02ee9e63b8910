"""The canonical bundle: slicing a paragraph's text with any row's places gives the row's text back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.json_bytes import loads
from burnish.kinds.manuscripts.block_fit import final_pieces
from burnish.kinds.manuscripts.bundle import (
    Bundle,
    BundleRows,
    ManuscriptTokens,
    Of,
    ParagraphRow,
    SentenceRow,
    Tokens,
    WordRow,
    words_of,
)
from burnish.kinds.manuscripts.formats import blocks_of
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.sentences import sentences_in
from tests.kinds.manuscripts.manuscript_texts import paragraphs_of, sources, translations

LANGUAGES = ("en", "es", "fr", "de", "ru", "mk", "pt", "it", "kab", "zgh", "und")
SCRIPTS = (
    "ⴰⵣⵓⵍ ⴰⵎⴰⴹⴰⵍ. Ɛli yenna-d: “D acu-t?” Zdat n t\u0323awla. 𝔘𝔫𝔦. "
    "你好。再见！ Он пришёл. यह है। वह। سلام؟ نعم. z.B. 3,5 kg."
)


def bundle_rows(paragraphs: list[Paragraph], of: Of) -> list[BundleRows]:
    bundle = Bundle(of)
    return [rows for paragraph in paragraphs if (rows := bundle.rows(paragraph)) is not None]


def tokens_of(rows: list[BundleRows]) -> bytes:
    tokens = Tokens()
    return b"".join([*map(tokens.take, rows), tokens.end()])


def said(text: str, language: str) -> list[str]:
    return [sentence.text for sentence in sentences_in(text, language)]


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in words_of(text, 0, len(text))]


@given(text=st.text(max_size=80) | translations | st.just(SCRIPTS), language=st.sampled_from(LANGUAGES))
@settings(max_examples=300, deadline=None)
def test_every_place_gives_its_token_back(text: str, language: str) -> None:
    paragraph = Paragraph("p_0001", 1, "paragraph", text, source_language=language)
    [rows] = bundle_rows([paragraph], "source")
    covered = 0
    for sentence in rows.sentences:
        assert text[sentence["start"] : sentence["end"]] == sentence["text"] != ""
        assert sentence["start"] >= covered and not text[covered : sentence["start"]].strip()
        covered = sentence["end"]
    assert not text[covered:].strip()
    for word in rows.words:
        assert text[word["start"] : word["end"]] == word["text"] != ""


@given(source=sources, new=translations)
@settings(max_examples=150, deadline=None)
def test_rows_of_the_final_text_stand_where_the_final_text_has_them(source: str, new: str) -> None:
    text = " ".join(new.split()) or "x"
    paragraphs = [replace(p, translation="" if p.excluded else text) for p in paragraphs_of(source)]
    if not paragraphs:
        return
    final = "".join(final_pieces(source, paragraphs))
    for (row, _, _), paragraph in zip(bundle_rows(paragraphs, "final"), paragraphs, strict=True):
        assert final[row["start"] : row["end"]] == paragraph.frame.around(row["text"])
        before = final[: row["start"]].replace("\r\n", "\n").replace("\r", "\n")
        assert row["line"] == before.count("\n") + 1


def test_rows_have_their_shapes_and_the_tokens_are_one_json() -> None:
    source = "# Title\n\n```\ncode\n```\n\nOne sentence. And 3.5 more, isn't it?\n"
    bundle = bundle_rows(paragraphs_of(source), "source")
    rows = [ParagraphRow.model_validate(row) for row, _, _ in bundle]
    assert [(row.kind, row.excluded_by_policy, row.exclude_reason) for row in rows] == [
        ("heading", False, None),
        ("code", True, "code block"),
        ("paragraph", False, None),
    ]
    assert [SentenceRow.model_validate(row).sentence_id for one in bundle for row in one.sentences] == [
        "p_0001_s_01",
        "p_0003_s_01",
        "p_0003_s_02",
    ]
    assert [WordRow.model_validate(row).text for one in bundle for row in one.words][-4:] == [
        "3.5",
        "more",
        "isn't",
        "it",
    ]
    tokens = ManuscriptTokens.model_validate_json(tokens_of(bundle))
    assert (tokens.counts.paragraphs, tokens.counts.sentences, tokens.counts.words) == (3, 3, 8)
    assert tokens.tokens[1].sentences == () and len(tokens.tokens[2].sentences[0].words) == 2
    empty = loads(tokens_of([]))
    assert empty == {"tokens": [], "counts": {"paragraphs": 0, "sentences": 0, "words": 0}}


def test_each_bundle_has_its_own_text_and_one_hash() -> None:
    paragraph = Paragraph("p_0001", 1, "paragraph", "Hello.", translation="ⴰⵣⵓⵍ", latin="Azul", end=6)
    code = Paragraph("p_0002", 2, "code", "x", excluded="code block", start=8, end=9, line=3)
    fresh = Paragraph("p_0003", 3, "paragraph", "New", start=11, end=14, line=5)
    texts = {
        of: [row["text"] for row, _, _ in bundle_rows([paragraph, code, fresh], of)]
        for of in ("source", "latin", "translation", "final")
    }  # type: ignore[misc]
    assert texts == {
        "source": ["Hello.", "x", "New"],
        "latin": ["Azul"],
        "translation": ["ⴰⵣⵓⵍ"],
        "final": ["ⴰⵣⵓⵍ", "x"],
    }
    [(first, _, _)] = bundle_rows([paragraph], "latin")
    assert first["content_hash"] == paragraph.source_hash


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("es", "El Sr. Pérez llegó. La Dra. Ruiz no vino.", 2),
        ("es", "«Ven aquí.» Luego se fue.", 2),
        ("fr", "M. Dupont est là. Mme. Blanc aussi.", 2),
        ("de", "Das ist z.B. Wasser. Am 3. Mai kam er.", 2),
        ("de", "„Komm her.“ Dann ging er.", 2),
        ("ru", "Он жил в г. Москве. Потом уехал.", 2),
        ("mk", "Тој е од ул. Партизанска. Дојде вчера.", 2),
        ("pt", "O Sr. Silva chegou. A Dra. Lima não.", 2),
        ("it", "Il sig. Rossi arriva. Poi va via.", 2),
        ("kab", "Yenna-d Atg. Md. Ali. Yerna yewwet.", 2),
        ("und", "See Dr. Who. Then go.", 2),
        ("hi", "यह एक वाक्य है। यह दूसरा है।", 2),
        ("ar", "هل هذا؟ نعم هذا.", 2),
        ("zh", "你好。再见。", 2),
        ("zgh", "ⴰⵣⵓⵍ. ⵎⴰⵏⵣⴰⴽⵉⵏ?", 2),
    ],
)
def test_abbreviations_and_marks_of_each_language(language: str, text: str, count: int) -> None:
    assert len(said(text, language)) == count, said(text, language)


def test_words_of_every_script() -> None:
    assert words("l'homme aujourd’hui well-known yenna-d") == ["l'homme", "aujourd’hui", "well-known", "yenna-d"]
    assert words("ⵜⴰⵎⴰⵣⵉⵖⵜ, ⴽⵯ!") == ["ⵜⴰⵎⴰⵣⵉⵖⵜ", "ⴽⵯ"]
    assert words("t\u0323awla e\u0301te\u0301") == ["t\u0323awla", "e\u0301te\u0301"]
    assert words("1,000.50 3.5kg 7th 𝔘𝔫𝔦") == ["1,000.50", "3.5kg", "7th", "𝔘𝔫𝔦"]
    assert words("हिन्दी 你好世界 می‌خواهم") == ["हिन्दी", "你好世界", "می‌خواهم"]
    assert words("-- ' \u0301 … 🙂") == []


@given(text=st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_plain_text_is_read_to_its_last_character(text: str) -> None:
    joined = "".join(block.text for block in blocks_of(text, "text"))
    assert "".join(joined.split()) == "".join(text.split())
