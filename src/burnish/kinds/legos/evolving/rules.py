"""The text of a rule: what a suggestion proposes, made fit to stand in a prompt, or refused.

Suggestions come from models, which have read content. So a rule is one short line of plain words: it can close no
fence, fill no placeholder, look like no markup, and a person sees all of it at a glance.
"""

from __future__ import annotations

import re
import unicodedata

from burnish.core.hashing import text_digest

LONGEST = 300
"""Characters of a rule."""
SHORTEST = 12
"""What is shorter says nothing that a model could keep to."""

_LEAD_IN = re.compile(r"(?:please\s+)?(?:add|include|insert|state)\b[^:'\"“‘]{0,60}:\s*", re.IGNORECASE)
"""`Add explicit rule: '...'`: what is said about the rule is not the rule."""
_QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "„": "“"}
_MARKUP = re.compile(r"[<>`{}\\|#*_\[\]]|---|://")
_PLAIN = ("L", "M", "N", "P", "S", "Zs")
"""Letters, marks, numbers, punctuation, symbols, blanks: no control characters, nothing invisible, no private use."""


class RuleRefused(ValueError):
    """A suggestion that cannot become a rule; the message says why."""


def rule_text(change: str) -> str:
    """The rule that a suggestion proposes, or RuleRefused."""
    text = _unquoted(_LEAD_IN.sub("", " ".join(change.split()), count=1))
    if len(text) > LONGEST:
        raise RuleRefused(f"it has more than {LONGEST} characters")
    if len(text) < SHORTEST or not rule_words(text):
        raise RuleRefused("it says too little")
    if _MARKUP.search(text) or not all(unicodedata.category(letter).startswith(_PLAIN) for letter in text):
        raise RuleRefused("it is more than plain words: marks of a markup, a link, or characters that nobody sees")
    return text


def rule_words(text: str) -> str:
    """What a rule says, whatever its case and punctuation: the same words are the same rule, whoever suggests it."""
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def rule_id(suggestion: str, text: str) -> str:
    """The name of a rule: `r_preserve_phrasal_verbs_1a2b3c4d`."""
    return f"r_{suggestion.removeprefix('s_')}_{text_digest(rule_words(text)).removeprefix('sha256:')[:8]}"


def _unquoted(text: str) -> str:
    """Without the quotation marks around the whole."""
    end = _QUOTES.get(text[:1])
    inner = text[1:-1]
    around = end is not None and len(text) > 2 and text.endswith(end) and end not in inner.strip(end)
    return inner.strip() if around else text
