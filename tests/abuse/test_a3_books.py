"""A3: injection in every place of a manuscript. It never leaves its fence, and never reaches the system part."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from burnish.core.effects import Request
from burnish.engine.client import rendered
from burnish.kinds.manuscripts.memory import Suggestion
from burnish.kinds.manuscripts.model import Paragraph, Term
from burnish.kinds.manuscripts.requests import (
    Commission,
    Rework,
    Shown,
    critic_ask,
    review_ask,
    rework_edit_ask,
    rework_paragraph_ask,
    translate_ask,
)
from burnish.kinds.manuscripts.review_rows import Placement, ReviewIssue
from burnish.kinds.manuscripts.terminology import TermIndex
from burnish.models.prompts import well_formed
from tests.abuse.test_a3_fences import outside
from tests.models.test_fences import payloads

NONCE = "0123456789abcdef" * 2
COMMISSION = Commission("en", "es")
PLAIN = Paragraph("p_0001", 1, "paragraph", "The sea is calm.", "El mar está en calma.")


def translated(text: str) -> Request:
    """In the paragraph, its neighbours, and a suggestion of the memory."""
    paragraph = replace(PLAIN, text=text)
    return translate_ask(
        [paragraph], COMMISSION, before=text, after=text, suggestions={PLAIN.id: Suggestion(text, text, 0.9)}
    )


def with_materials(text: str) -> Request:
    """In a glossary and in the samples of a style sheet."""
    terms = (Term("sea", text, text), Term("calm", "calm", keep=True))
    return translate_ask([PLAIN], replace(COMMISSION, samples=text, terms=TermIndex(terms)))


def reworks(text: str) -> Sequence[Rework]:
    issue = ReviewIssue("style", "critical", text, suggested_fix=text, quote=text, reviewer="critic:x")
    paragraph = replace(PLAIN, text=text, translation=text)
    return [Rework(paragraph, (issue,), ("critical_style",), note=text, before=text, after=text)]


def edited(text: str) -> Request:
    return rework_edit_ask(reworks(text), COMMISSION)


def rewritten(text: str) -> Request:
    return rework_paragraph_ask(reworks(text), COMMISSION)


def window(text: str) -> list[Shown]:
    place = Placement("p_0001", 1, 1, 1 + text.count("\n"), text)
    return [Shown(replace(PLAIN, text=text, translation=text), place)]


def reviewed(text: str) -> Request:
    return review_ask(window(text), COMMISSION)


def criticised(text: str) -> Request:
    return critic_ask({"style": "Look at the style."}, window(text), COMMISSION)


@pytest.mark.parametrize(
    "ask", [translated, with_materials, edited, rewritten, reviewed, criticised], ids=lambda ask: ask.__name__
)
def test_no_payload_gets_out(ask: Callable[[str], Request]) -> None:
    texts = payloads()
    assert len(texts) >= 300
    harmless = rendered(ask("harmless"), nonce=NONCE)
    for payload in texts:
        prompt = rendered(ask(payload), nonce=NONCE)
        assert outside(prompt.user, prompt.fence) == outside(harmless.user, harmless.fence)
        assert prompt.system.replace(prompt.fence, "") == harmless.system.replace(harmless.fence, "")
        for line in filter(lambda line: len(line.strip()) > 12, well_formed(payload).splitlines()):
            assert line not in outside(prompt.user, prompt.fence)
            assert line not in prompt.system
