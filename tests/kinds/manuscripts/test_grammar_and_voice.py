"""Every rule of grammar and voice: its own examples, its fixes, and what it does with anything at all."""

import importlib
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.checks import HEADINGS, Check, run_checks, select
from burnish.core.edits import apply_edits
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.policy import RULES
from burnish.languages.words import word_set

IDS = [id for id, placed in RULES.items() if placed.dimension in ("grammar", "voice")]


def check_named(id: str) -> Check:
    module = importlib.import_module(f"burnish.kinds.manuscripts.checks.{id}")
    return next(value for value in vars(module).values() if isinstance(value, Check))


CHECKS = [check_named(id) for id in IDS]


def pair(partial: Mapping[str, Any]) -> Paragraph:
    return Paragraph(**{"id": "p_0001", "index": 1, "block": "paragraph", **partial})


def said(check: Check, paragraph: Paragraph) -> list[Finding]:
    raised = run_checks(select([check]), [check], paragraph, ManuscriptContext())
    assert all(finding.rule == check.id for finding in raised), raised
    return raised


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(check, example, id=f"{check.id}-{index}")
        for check in CHECKS
        for index, example in enumerate(getattr(check, kind))
    ]


@pytest.mark.parametrize("check", CHECKS, ids=IDS)
def test_documented(check: Check) -> None:
    assert check.doc.startswith(f"{check.id}: ") and check.summary.endswith(".")
    assert all(check.section(heading) for heading in HEADINGS)


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_speaks_on_bad_examples(check: Check, example: Mapping[str, Any]) -> None:
    paragraph = pair(example)
    raised = said(check, paragraph)
    assert raised
    for finding in raised:
        assert finding.suggestion and finding.message.endswith(".")
        if finding.quote is not None:
            assert paragraph.translation[finding.start : finding.end] == finding.quote


@pytest.mark.parametrize(("check", "example"), examples("good"))
def test_silent_on_good_examples(check: Check, example: Mapping[str, Any]) -> None:
    assert said(check, pair(example)) == []


@pytest.mark.parametrize(("check", "example"), examples("bad"))
def test_a_fix_settles_its_finding(check: Check, example: Mapping[str, Any]) -> None:
    paragraph = pair(example)
    for finding in said(check, paragraph):
        if finding.fix is not None:
            mended = apply_edits(paragraph, [finding.fix])
            assert finding.key not in {left.key for left in said(check, mended)}


def test_a_rendered_text_is_mended_before_it_is_rendered() -> None:
    check = check_named("doubled_word")
    [finding] = said(
        check, pair({"text": "A house.", "translation": "axxam axxam axxam", "latin": "axxam axxam axxam"})
    )
    assert finding.fix is None


TEXTS = st.text(
    st.sampled_from("aeimnorstдеи ÄñЯ.,;:!?¿¡()[]«»“”„\"'’-—_*`\n0123ɣⵣ他か\u0301\ufffc"), max_size=80
) | st.lists(
    st.sampled_from(
        sorted(word_set('the he will was un posición du Sie ты Вы ella él yo I you « ( " ? ! . , i recieve wаter'))
    ),
    max_size=20,
).map(" ".join)
LANGUAGES = st.sampled_from(["en", "es", "fr", "de", "ru", "mk", "pt", "it", "kab", "zgh", "zh", "ja", "th", "und"])
WITHOUT_DICTIONARY = [check for check in CHECKS if check.id != "spelling"]


@settings(max_examples=150, deadline=None)
@given(source=TEXTS, translation=TEXTS, languages=st.tuples(LANGUAGES, LANGUAGES))
def test_no_text_makes_a_rule_crash(source: str, translation: str, languages: tuple[str, str]) -> None:
    paragraph = pair(
        {
            "text": source,
            "translation": translation,
            "source_language": languages[0],
            "target_language": languages[1],
        }
    )
    able, _ = select(WITHOUT_DICTIONARY).for_language(languages[1])
    for check in able:
        for finding in said(check, paragraph):
            if finding.quote is not None:
                assert finding.quote == translation[finding.start : finding.end] != ""


COMPARING = [check_named(id) for id in IDS if id not in ("spelling", "agreement", "mixed_letters", "formality_mixed")]


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, language=LANGUAGES)
def test_a_text_keeps_its_own_voice(text: str, language: str) -> None:
    """What is compared with itself has changed nothing; only marks that never close may be told."""
    paragraph = pair({"text": text, "translation": text, "source_language": language, "target_language": language})
    able, _ = select(COMPARING).for_language(language)
    for check in able:
        raised = said(check, paragraph)
        assert (
            raised == []
            or (check.id == "unbalanced_marks" and {f.quote for f in raised} <= {"¿", "¡"})
            or (check.id == "sentence_case" and {f.quote for f in raised} == {"i"})
        )
