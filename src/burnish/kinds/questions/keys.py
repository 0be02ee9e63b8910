"""Keys as authors write them: `b.`, `(B)`, `Option B`, or the right answer's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from burnish.kinds.questions.model import Option

LONGEST_KEY = 200
KEY_WORDS = re.compile(
    r"(?:the\s+)?(?:correct\s+)?(?:option|answer|choice|key)?\s*(?:is\b)?\s*[:(\[]?\s*", re.IGNORECASE
)
SEVERAL = re.compile(r"\s*(?:,|;|/|&|\+|\band\b|\bor\b)\s*", re.IGNORECASE)


def meant_keys(options: Sequence[Option], given: str) -> list[str]:
    """The letters that the answer means, as far as that is certain."""
    if len(given) > LONGEST_KEY:
        return []
    by_text = [option.key for option in options if option.text.strip().lower() == given.lower()]
    if by_text:
        return by_text[:1]
    letters = {option.key.strip().lower(): option.key for option in options}
    wanted = KEY_WORDS.sub("", given, count=1).strip(" .:()[]").lower()
    if wanted in letters:
        return [letters[wanted]]
    parts = [part.strip(" .()") for part in SEVERAL.split(wanted)]
    return [letters[part] for part in parts] if all(part in letters for part in parts) else []
