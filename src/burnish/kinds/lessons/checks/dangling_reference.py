"""dangling_reference: a reference to something that does not exist.

What it looks for: figures, tables, sections, chapters, equations and pages whose number is `??` or X, `[?]`, commands
such as `\\ref{...}` and `\\cite{...}` in prose, the messages of word processors for a lost reference, and links to
anchors that no heading of the lesson has (a warning). Code and quotations are ignored.
Why it matters: a learner searches for the thing and does not find it.
Fix: needs an author or a model to find the intended target.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.lessons.findings import facts, text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, anchor_key

NOUNS = (
    r"(?:fig(?:ure|ura|\.)?|abb(?:ildung|\.)?|рис(?:унок|унке|\.)?|table(?:au)?|tab(?:elle|ela|la|\.)?|табл(?:ица|ице|\.)?"
    r"|section|sección|abschnitt|seção|secção|sezione|раздел[еа]?|chapter|capítulo|capitolo|chapitre|kapitel|глав[аеу]"
    r"|eq(?:uation|\.)?|ecuación|gleichung|équation|equação|equazione|уравнени[ея]|formula|page|página|pagina|seite|страниц[аеу]"
    r"|exercise|example|appendix|listing|step|lesson|part|figuur|rysun(?:ek|ku)|obráz(?:ek|ku)|şekil)"
)
UNNUMBERED = re.compile(rf"(?<![^\W\d_]){NOUNS}\s*[(\[]?\s*\?{{2,}}|\(\?{{2,}}\)|\[\?{{1,3}}\](?!\()", re.IGNORECASE)
LETTERED = re.compile(rf"(?<![^\W\d_])(?:{NOUNS})\s+(?:X(?:\.X+)+|[XN](?![\w’'.-])|[XYN]\.[XYN]\b)", re.IGNORECASE)
"""A number to be filled in. As a Roman numeral, X is a valid chapter number."""
ROMAN = re.compile(r"(?:chapter|cap[íi]t|chapitre|kapitel|глав|part|lesson|exercise|page|book)", re.IGNORECASE)
COMMAND = re.compile(
    r"\\(?:ref|eqref|autoref|cref|pageref|cite[a-z]{0,6}|label)\{[^{}\n]{0,80}\}|(?<!\w)@(?:fig|tbl|eq|sec):[\w-]+"
)
LOST = re.compile(
    r"reference source not found|bookmark not defined|no se encuentra el origen de la referencia"
    r"|source du renvoi introuvable|verweisquelle konnte nicht gefunden"
    r"|fonte de referência não encontrada|origine riferimento non è stata trovata"
    r"|источник ссылки не найден",
    re.IGNORECASE,
)
SUGGESTION = "Name what is meant, or remove the reference."
NOT_OF_TEXT = ("fn", "fnref", "top", "ref", "note", "footnote", "_ftn", "/")
"""Prefixes of anchors that Markdown renderers and word processors generate."""


def without_number(view: Markdown) -> Iterator[Slip]:
    """References whose number or target was never filled in."""
    for block in view.prose_blocks:
        if block.quoted:
            continue
        for pattern in (UNNUMBERED, LOST, COMMAND, LETTERED):
            for match in pattern.finditer(view.prose, block.start, block.end):
                if pattern is LETTERED and "." not in match.group().split()[-1] and ROMAN.match(match.group()):
                    continue
                message = f"The reference {match.group()[:60]!r} leads nowhere."
                severity: Severity = "warning" if pattern is LETTERED else "error"
                yield Slip(*match.span(), message, SUGGESTION, severity=severity)


@check(
    id="dangling_reference",
    severity="error",
    bad=(
        {"text": "This is shown in Figure ??."},
        {"text": "Siehe Abbildung ?? weiter unten.", "language": "de"},
        {"text": "Look at Figure \\ref{fig:cycle}; it was measured \\cite{smith2019}."},
        {"text": "As in Section X.X, we begin with rain."},
        {"text": "Error! Reference source not found."},
        {"text": "See [the part on snow](#a-part-on-snow)."},
    ),
    good=(
        {"text": "This is shown in Figure 2, in Chapter X and on page 10. Really? Why?"},
        {"text": "See [the part on rain](#the-part-on-rain).\n\n### The part on rain\n\nRain falls."},
        {"text": "In LaTeX you write `\\ref{fig:cycle}`. The letter X stands for ten."},
    ),
)
def dangling_reference(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    anchors = facts(context.lesson, context.language).anchors

    def look(view: Markdown) -> Iterator[Slip]:
        yield from without_number(view)
        # Links to anchors that the lesson does not have.
        for link in view.links:
            target = view.text[link.target_start : link.target_end].strip()
            if link.form != "inline" or not target.startswith("#") or len(target) < 2:
                continue
            name = unquote(target[1:])
            if name.lower().startswith(NOT_OF_TEXT) or anchor_key(name) in anchors:
                continue
            message = f"No heading of the lesson has the anchor {target[:60]!r}."
            yield Slip(link.start, link.end, message, SUGGESTION, severity="warning")

    yield from text_findings(unit, look)
