"""The canonical bundle of a manuscript, row by row: paragraphs, sentences, words, and all of them as places.

Excluded blocks stand in `paragraphs.jsonl` of the source and of the final text, for the record; they have no sentences
and no words. The bundles between hold only what has a translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import orjson

from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.segments import sentences_of, words_of

Of = Literal["source", "latin", "translation", "final"]
"""Which text a bundle is of. `latin`: the translation before it is rendered in another script. `final`: the final
text, in which excluded blocks stand as they are in the source."""
Row = dict[str, Any]


class _Said(NamedTuple):
    """A paragraph as one of the bundles has it."""

    paragraph: Paragraph
    text: str
    language: str


class BundleRows(NamedTuple):
    """All rows of one paragraph."""

    paragraph: Row
    sentences: list[Row]
    words: list[Row]


def bundle_rows(paragraphs: Iterable[Paragraph], of: Of) -> Iterator[BundleRows]:
    """The rows of every paragraph that the bundle has, in order, in one pass."""
    shift = lines = 0
    for paragraph in paragraphs:
        said = _said(paragraph, of)
        if of == "final":
            place = (paragraph.start + shift, paragraph.line + lines)
            block = paragraph.frame.around(paragraph.text if said is None else said.text)
            shift += len(block) - (paragraph.end - paragraph.start)
            lines += 0 if said is None else _line_ends(said.text) - _line_ends(paragraph.text)
            length = len(block)
        else:
            place, length = (paragraph.start, paragraph.line), paragraph.end - paragraph.start
        if said is not None:
            sentences, words = _parts(said)
            yield BundleRows(_paragraph_row(said, *place, length), sentences, words)


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _said(paragraph: Paragraph, of: Of) -> _Said | None:
    """None where the bundle has nothing of the paragraph."""
    if of == "source" or (of == "final" and paragraph.excluded is not None):
        return _Said(paragraph, paragraph.text, paragraph.source_language)
    text = paragraph.draft if of == "latin" else paragraph.translation
    if paragraph.excluded is not None or not text:
        return None
    return _Said(paragraph, text, paragraph.target_language)


def _paragraph_row(said: _Said, start: int, line: int, length: int) -> Row:
    paragraph = said.paragraph
    return {
        "paragraph_id": paragraph.id,
        "paragraph_index": paragraph.index,
        "kind": paragraph.block,
        "text": said.text,
        "content_hash": paragraph.source_hash,
        "start": start,
        "end": start + length,
        "line": line,
        "excluded_by_policy": paragraph.excluded is not None,
        "exclude_reason": paragraph.excluded,
    }


def _parts(said: _Said) -> tuple[list[Row], list[Row]]:
    """The rows of sentences and words; none for what is excluded."""
    sentences: list[Row] = []
    words: list[Row] = []
    paragraph, text = said.paragraph, said.text
    if paragraph.excluded is not None:
        return sentences, words
    for index, sentence in enumerate(sentences_of(text, said.language), 1):
        id = f"{paragraph.id}_s_{index:02d}"
        place = {"sentence_id": id, "paragraph_id": paragraph.id, "index": index}
        sentences.append({**place, "text": sentence.text, "start": sentence.start, "end": sentence.end})
        for number, (start, end) in enumerate(words_of(text, sentence.start, sentence.end), 1):
            where = {"paragraph_id": paragraph.id, "sentence_id": id, "index": number}
            words.append({**where, "text": text[start:end], "start": start, "end": end})
    return sentences, words


def paragraph_rows(bundle: Iterable[BundleRows]) -> Iterator[Row]:
    """The lines of `paragraphs.jsonl`."""
    return (rows.paragraph for rows in bundle)


def sentence_rows(bundle: Iterable[BundleRows]) -> Iterator[Row]:
    """The lines of `sentences.jsonl`."""
    return (row for rows in bundle for row in rows.sentences)


def word_rows(bundle: Iterable[BundleRows]) -> Iterator[Row]:
    """The lines of `words.jsonl`."""
    return (row for rows in bundle for row in rows.words)


def token_pieces(bundle: Iterable[BundleRows]) -> Iterator[bytes]:
    """`manuscript_tokens.json`, piece by piece: the counts come last, so that nothing has to be held."""
    paragraphs = sentences = words = 0
    yield b'{"tokens":['
    for rows in bundle:
        tokens = _tokens(rows)
        yield (b",\n" if paragraphs else b"\n") + orjson.dumps(tokens)
        paragraphs += 1
        sentences += len(rows.sentences)
        words += len(rows.words)
    counts = {"paragraphs": paragraphs, "sentences": sentences, "words": words}
    yield b'\n],"counts":' + orjson.dumps(counts) + b"}\n"


def _tokens(rows: BundleRows) -> Row:
    places: dict[str, list[tuple[int, int]]] = {}
    for word in rows.words:
        places.setdefault(word["sentence_id"], []).append((word["start"], word["end"]))
    return {
        "paragraph_id": rows.paragraph["paragraph_id"],
        "sentences": [
            {
                "sentence_id": sentence["sentence_id"],
                "start": sentence["start"],
                "end": sentence["end"],
                "words": places.get(sentence["sentence_id"], []),
            }
            for sentence in rows.sentences
        ],
    }
