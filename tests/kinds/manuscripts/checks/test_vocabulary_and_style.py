"""Rules of vocabulary and style: their examples, their fixes, and whatever text they are given."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.checks import HEADINGS, Check, run_checks, select
from burnish.core.edits import apply_edits
from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.manuscripts.findings import illustration
from burnish.kinds.manuscripts.policy import RULES

PACKAGE = "burnish.kinds.manuscripts.checks"
IDS = (
    *("emphasis_changed", "end_punctuation", "foreign_words", "glossary_term", "inconsistent_name", "length_ratio"),
    *("name_not_kept", "sentence_shape", "spacing", "stray_punctuation", "target_typography", "untranslated_text"),
)


def check_of(id: str) -> Check:
    module = importlib.import_module(f"{PACKAGE}.{id}")
    return next(value for value in vars(module).values() if isinstance(value, Check))


def said(check: Check, partial: Mapping[str, Any]) -> list[Finding]:
    shown = illustration(check, partial)
    return run_checks(select([check]), [check], shown.unit, shown.context)


CHECKS = [check_of(id) for id in IDS]
BAD = [pytest.param(check, one, id=f"{check.id}-{n}") for check in CHECKS for n, one in enumerate(check.bad)]
GOOD = [pytest.param(check, one, id=f"{check.id}-{n}") for check in CHECKS for n, one in enumerate(check.good)]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_documented_and_placed(check: Check) -> None:
    assert check.doc.startswith(f"{check.id}: ") and all(check.section(heading) for heading in HEADINGS)
    assert RULES[check.id].dimension in ("vocabulary", "style")


@pytest.mark.parametrize(("check", "partial"), BAD)
def test_speaks_on_its_bad_examples(check: Check, partial: Mapping[str, Any]) -> None:
    findings = said(check, partial)
    assert findings and all(finding.rule == check.id for finding in findings)
    for finding in findings:
        assert finding.quote is None or partial["translation"][finding.start : finding.end] == finding.quote


@pytest.mark.parametrize(("check", "partial"), GOOD)
def test_is_silent_on_its_good_examples(check: Check, partial: Mapping[str, Any]) -> None:
    assert said(check, partial) == []


@pytest.mark.parametrize(("check", "partial"), BAD)
def test_a_fix_settles_what_it_answers(check: Check, partial: Mapping[str, Any]) -> None:
    before = said(check, partial)
    for finding in before:
        if finding.fix is None:
            continue
        mended = apply_edits(illustration(check, partial).unit, [finding.fix], smallest_remainder=0.0).texts()[None]
        assert len(said(check, {**partial, "translation": mended})) < len(before), finding.message


@pytest.mark.parametrize("other", CHECKS, ids=lambda check: check.id)
def test_silent_on_a_sound_paragraph(other: Check) -> None:
    sound = {
        "text": "The old man sat by the fire, and nobody spoke. “Who is there?” he asked.",
        "translation": "El anciano estaba sentado junto al fuego y nadie hablaba. «¿Quién está ahí?», preguntó.",
        "source_language": "en",
        "target_language": "es",
        "terms": {"fire": "fuego"},
        "kept": ["Alice"],
        "names": {"Alice": 1.0},
    }
    assert said(other, sound) == []


LANGUAGES = st.sampled_from(["en", "es", "fr", "de", "ru", "mk", "kab", "zgh", "zh", "ja", "th", "el", "und", "xx", ""])
PIECES = st.sampled_from(
    [
        *(
            "the",
            "old",
            "señor",
            "дом",
            "彗星",
            "ⴰⵡⴰⵍ",
            "Alice",
            "because",
            "«",
            "»",
            "“",
            "”",
            '"',
            "'",
            "„",
            "(",
            ")",
        ),
        *(" ", "  ", "\n", ".", ",", ";", ":", "!", "?", "¿", "¡", "…", "-", "—", "*", "_", "`x`", "[a](b)", "{x}"),
        *("\u0301", "\u200b", "\x00", "🙂", "1,5", "http://a.b/c", "Dr.", "~", "^", "@", "[^1]", "don't", "|"),
    ]
)
TEXTS = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=40)


@settings(max_examples=60, deadline=None)
@given(source=TEXTS, translation=TEXTS, ours=LANGUAGES, theirs=LANGUAGES)
def test_whatever_it_is_given(source: str, translation: str, ours: str, theirs: str) -> None:
    partial = {"text": source, "translation": translation, "source_language": ours, "target_language": theirs}
    context = {"terms": {"old": "viejo"}, "kept": ["Alice"], "names": {"Alice": 1.0, "Dr": 0.9}}
    for check in CHECKS:
        for finding in said(check, {**partial, **context}):
            assert finding.rule == check.id, finding.message
            assert finding.severity in SEVERITIES
            if finding.quote is not None:
                assert finding.quote and translation[finding.start : finding.end] == finding.quote
            if finding.fix is not None:
                assert translation.count(finding.fix.find) == 1


@pytest.mark.parametrize("piece", ["   ", "«a", '"a', "(a ", "a,", "a_ ", "¿a? ", "a\n", "the ", "[a](", "Ж ", "-a- "])
def test_long_rows_of_one_thing_are_told_at_most_two_hundred_times(piece: str) -> None:
    partial = {
        "text": "the old man " * 50,
        "translation": piece * 700,
        "source_language": "en",
        "target_language": "es",
    }
    for check in CHECKS:
        assert len(said(check, partial)) <= 200
