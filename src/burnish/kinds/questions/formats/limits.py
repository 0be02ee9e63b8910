"""How much a bank may ask of us. Content is hostile: what exceeds these is refused, not loaded."""

from __future__ import annotations

ITEM_BYTES = 8 << 20
"""One question: a line of JSON Lines, an item of a JSON array, a record of a table, a block of GIFT or Aiken."""
XML_ITEM_BYTES = 32 << 20
"""One question in XML, where pictures and sounds travel along as base64."""
ITEM_LINES = 100_000
"""Lines of one question in a text format."""
FIELD_CHARACTERS = 1 << 18
"""One text of a question."""
ID_CHARACTERS = 500
OPTIONS = 100
ITEMS = 1000
"""Items of one set."""
XML_DEPTH = 64
ELEMENTS = 100_000
"""Elements of one question in XML."""
TOKENS = 200_000
"""Words, blanks, tags and escapes of one text: a text of FIELD_CHARACTERS has fewer."""
COLUMNS = 10_000
"""Cells of one row of a table."""
BRACKETS = 100_000
"""Objects and arrays inside one JSON item; beyond it the item is a bomb, not a question."""
COMMAS = 500_000
PACKAGE_MEMBERS = 100_000
PACKAGE_BYTES = 2 << 30
"""All files of a package together, unpacked."""
PACKAGE_RATIO = 200
"""Unpacked size against packed size of one file: text shrinks to a tenth, a bomb to a thousandth."""
