"""placeholders_changed: code, a formula or a placeholder is missing, or a placeholder is new.

What it looks for: `{name}` and `%s` that are not the same in both texts, and inline code and formulas missing in the
translation, even if only their marks are. Changed code is a warning; it is reported for information if only words in
it changed, because translators rename the files and variables of examples on purpose.
Why it matters: a program that fills in the text breaks, and readers type code that does not work.
Fix: needs a translator or a model, who can find the place in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import carried_difference

SIGNS = ("{", "%", "$", "`", "\\", "<")
"""Without one of these signs there is nothing to compare."""
SHOWN = 100
WORDS = re.compile(r"`+ ?(?:[^\W\d_]|[ -])+ ?`+")
"""Text marked as code that may be the name of a button or a field."""
NAMED = re.compile(r"[^\W\d_]{2,}")


@check(
    id="placeholders_changed",
    title="Placeholder or code changed",
    severity="error",
    bad=(
        pair("en>es", "Hello {name}, you have %s messages.", "Hola {nombre}, tienes %s mensajes."),
        pair("en>es", "Run `setup.py` first.", "Ejecútelo primero."),
        pair("en>es", "Run `make` first.", "Ejecute make primero."),
    ),
    good=(
        pair(
            "en>es",
            "Hello {name}, run `make test` and 50% of it works.",
            "Hola {name}, ejecute `make test` y el 50% funciona.",
        ),
        pair("en>es", "It costs $5 or $6.", "Cuesta 5 o 6 $."),
        pair("en>es", "Search for `64183282` in it.", "Busque allí` 64183282`."),
    ),
)
def placeholders_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = paragraph.text, paragraph.translation
    if not target.strip() or not any(sign in text for text in (source, target) for sign in SIGNS):
        return
    strict = carried_difference(source, target, ("placeholder",))
    code = carried_difference(source, target, ("code", "formula"))
    for lost in strict.lost[:1]:
        yield _missing(paragraph, lost, "error")
    for new in strict.new[:1] if not strict.lost else ():
        start = target.find(new)
        yield Finding.at(
            paragraph,
            span=(start, start + len(new)) if start >= 0 else None,
            message=f"{new[:SHOWN]!r} is not in the source.",
            suggestion="Remove it, or write it as the source does.",
        )
    if code.lost:
        shapes = {_shape(new) for new in code.new} if code.fewer <= 0 else set()
        strange = [lost for lost in code.lost if _shape(lost) not in shapes]
        # Code with other marks is not lost, and a word marked as code may be translated.
        gone = next((lost for lost in strange if _is_gone(lost, target)), None)
        severity: Severity = "warning" if strange else "info"
        yield _missing(paragraph, gone or (strange or code.lost)[0], "error" if gone and code.fewer > 0 else severity)


def _shape(code: str) -> str:
    """The code without its words: it stays the same if files and variables of an example are renamed."""
    return NAMED.sub("a", code)


def _is_gone(lost: str, target: str) -> bool:
    """Whether code is missing, or has lost its marks, so that it reads as a word of the sentence."""
    words = lost.strip("` ")
    if words not in target:
        return not WORDS.fullmatch(lost)
    return re.search(rf"(?<![\w`'\"“«*_<\[(]){re.escape(words)}(?![\w`'\"”»*_>\])])", target) is not None


def _missing(paragraph: Paragraph, lost: str, severity: Severity) -> Finding:
    return Finding.at(
        paragraph,
        severity=severity,
        message=f"{lost[:SHOWN]!r} of the source is missing in the translation.",
        suggestion="Add it exactly as in the source, unless the whole translation has another name for it.",
        data={"source": lost},
    )
