"""truncation: a text that breaks off.

What it looks for: a last sentence without a closing mark, a last word that needs another one (an article, a
conjunction, a preposition), an open bracket, link, tag or table row, a heading or a colon with nothing after it. A
missing mark alone is critical only at the end of the lesson, or if all other sections end properly; otherwise it is a
warning. An unclosed code fence is reported by code_fence; unclosed emphasis does not count.
Why it matters: the model ran out of tokens, and the rest of the text is missing. It makes no sense to judge the text
before that is repaired.
Fix: needs an author or a model: the end has to be written again, with a higher token limit.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import LessonFacts, facts, slip_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.text.markdown import markdown
from burnish.text.truncation import truncation as broken_off

SHORT_ANSWER = 12
"""Most words of a question, hint or solution that needs no full stop."""


@check(
    id="truncation",
    title="Text breaks off",
    severity="critical",
    fatal=True,
    bad=(
        {"text": "Plants turn light into sugar. They need water, air and the"},
        {"text": "Plants turn light into sugar, and the sugar feeds the"},
        {"text": "The sun warms the sea and vapour rises into the atmosphe"},
        {"text": "Read more in the [guide to plants](https://example.org/pla"},
        {"text": "Light reaches the leaf (which is green because of chlorophyll"},
        {"text": "Three things are needed:\n\n- Light from the sun.\n- Water from the soil.\n- Carbon diox"},
        {"text": "Plants need light.\n\n## What comes next"},
        {"text": "| part | job |\n| --- | --- |\n| leaf | makes sugar |\n| root | takes up wa"},
        {"text": "Las plantas convierten la luz en azúcar y", "language": "es"},
        {"text": "Растения превращают свет в сахар, а сахар питает", "language": "ru"},
    ),
    good=(
        {"text": "Plants turn light into sugar. They need water, air and light."},
        {"text": "You need:\n\n- light\n- water\n- carbon dioxide"},
        {"text": "Read more in the [guide to plants](https://example.org/plants)"},
        {"text": "To run the script, enter `./water.sh`"},
        {"text": "Plants turn light into **sugar and oxygen**"},
        {"text": "What do plants need?\n\n```\nlight, water and\n```"},
        {"text": "พืชเปลี่ยนแสงเป็นน้ำตาล", "language": "th"},
        {"text": "植物把光变成糖。", "language": "zh"},
        {"role": "exercise", "text": "Name three things that a plant needs", "solution": "light, water, air"},
    ),
)
def truncation(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    known = facts(context.lesson, context.language)
    is_last = unit.id == known.last_unit
    fields = list(unit.texts())
    for field, text in unit.texts().items():
        if not text.strip() or field == "title" or (field is not None and len(text.split()) <= SHORT_ANSWER):
            continue
        final = is_last and field == fields[-1]
        view = markdown(text)
        words = known.words if final and text.rstrip()[-1].isalpha() else ()
        strict = field is not None or _others_end_well(unit, known)
        slip = broken_off(view, context.language, final=final, strict=strict, known_words=words)
        if slip is not None:
            yield from slip_findings(unit, field, [slip])


def _others_end_well(unit: LessonUnit, known: LessonFacts) -> bool:
    others = [other.id for other in known.lesson.sections if other.id != unit.id]
    return bool(others) and known.unclosed.isdisjoint(others)
