"""How many tokens a text is, without a tokeniser.

The estimate leans high. Tokenisers make one token of about four characters of English, of two or three of Cyrillic or
Greek, of one of Chinese, Japanese or Korean, and they spell scripts that they hardly know (Tifinagh, N'Ko) byte by
byte. So a character's weight follows from the length of its UTF-8 form.
"""

from __future__ import annotations

import re

ASCII_WEIGHT = 0.34
TWO_BYTE_WEIGHT = 0.75
THREE_BYTE_WEIGHT = 1.5
FOUR_BYTE_WEIGHT = 2.5
MESSAGE_OVERHEAD = 24
"""Role markers and separators that a chat format adds around two messages."""
MOST_CHARACTERS_PER_TOKEN = 12
"""Natural text has four to five at the most favourable; a count below one in twelve is not a count."""

BLANKS = re.compile(r"\s+")


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is, rather too many than too few."""
    if text.isascii():
        return round(len(text) * ASCII_WEIGHT) + 1
    size = len(text)
    ascii_count = len(text.encode("ascii", "ignore"))
    # The length of each encoding tells how many characters are of which width, without a loop over them.
    utf8 = len(text.encode("utf-8", "surrogatepass"))
    four_byte = len(text.encode("utf-16-le", "surrogatepass")) // 2 - size
    wide = size - ascii_count - four_byte
    three_byte = utf8 - ascii_count - 4 * four_byte - 2 * wide
    two_byte = wide - three_byte
    weight = (
        ascii_count * ASCII_WEIGHT
        + two_byte * TWO_BYTE_WEIGHT
        + three_byte * THREE_BYTE_WEIGHT
        + four_byte * FOUR_BYTE_WEIGHT
    )
    return round(weight) + 1


def least_tokens(text: str) -> int:
    """Fewer tokens than any tokeniser makes of `text`; runs of blanks count as nothing."""
    return len(BLANKS.sub("", text)) // MOST_CHARACTERS_PER_TOKEN
