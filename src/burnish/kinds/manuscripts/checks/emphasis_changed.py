"""emphasis_changed: emphasis of the source that is missing in the translation.

What it looks for: Markdown's `*` and `_` around words. An error where the source has words in bold and the translation
emphasises nothing, a warning where the source has italics; which words are emphasised, and whether foreign words are as
well, is the translator's choice.
Why it matters: emphasis is part of the meaning.
Fix: needs a translator, who knows which words to emphasise.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.text.markdown import emphasised


@check(
    id="emphasis_changed",
    title="Emphasis lost",
    severity="error",
    bad=(
        {"text": "Press **Save** before you close it.", "translation": "Pulse Guardar antes de cerrarlo."},
        {"text": "He was *very* tired.", "translation": "Estaba muy cansado."},
        {"text": "__Never__ open it, he said.", "translation": "Nunca lo abras, dijo. Usa snake_case_o_no."},
    ),
    good=(
        {"text": "He was *very* tired.", "translation": "Estaba _muy_ cansado."},
        {"text": "Use snake_case and a * b * c.", "translation": "Usa snake_case y a * b * c."},
        {"text": "*a* and *b* and *c*", "translation": "*a*, *b* y c"},
        {"text": "The shell is open.", "translation": "La *shell* está abierta."},
        {"text": "It is in the *Old Bailey Online*.", "translation": "Está en el «Old Bailey Online»."},
    ),
)
def emphasis_changed(paragraph: Paragraph) -> Iterator[Finding]:
    if not paragraph.translation:
        return
    wanted = emphasised(source_of(paragraph).view)
    if wanted and not emphasised(target_of(paragraph).view):
        shown = paragraph.text[slice(*wanted[0])][:40]
        if re.search(rf"[\"“«„‘']{re.escape(shown)}", paragraph.translation):
            return  # in quotation marks instead
        message, suggestion = f"The source emphasises {shown!r}, the translation nothing.", "Emphasise the same words."
        bold = any(paragraph.text[place - 2 : place] in ("**", "__") for place, _ in wanted)
        severity: Severity = "error" if bold else "warning"
        yield Finding.at(paragraph, message=message, suggestion=suggestion, severity=severity)
