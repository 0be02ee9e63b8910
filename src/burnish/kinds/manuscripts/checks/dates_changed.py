"""dates_changed: a different month or day of the week in the translation.

What it looks for: a month or a weekday that the source names and the translation does not, while the translation
names one that the source does not. A month may be a number in the other text.
Why it matters: readers act on dates, and a wrong date looks as good as the right one.
Fix: needs a translator or a model, because the form of the date depends on its sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.numbers import numbers
from burnish.languages.proper_nouns import DateWord, date_words, knows_dates


@check(
    id="dates_changed",
    title="Date changed",
    severity="error",
    languages=("en", "es", "fr", "de", "it", "pt", "ru", "mk", "bg", "pl", "cs", "hi", "zh", "ja"),
    bad=(
        pair("en>es", "The school closes in March.", "La escuela cierra en mayo."),
        pair("en>es", "The meeting is on Wednesday.", "La reunión es el jueves."),
        pair("ru>en", "Это произошло в октябре 2016 года.", "This happened in November 2016."),
        pair("en>es", "They left on 14 March 1871.", "Partieron el 14 de mayo de 1871."),
        pair("en>es", "You can see it on Tuesdays.", "Puede verlo los jueves."),
    ),
    good=(
        pair("de>en", "Das war am 3.10.1990, einem Mittwoch.", "That was on Wednesday, 3 October 1990."),
        pair("en>es", "It may rain in April.", "Puede llover en abril."),
        pair(
            "en>es",
            "Many march on Sundays; 5 may march in June.",
            "Muchos marchan los domingos; 5 pueden marchar en junio.",
        ),
    ),
)
def dates_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not (knows_dates(source.language) and knows_dates(target.language)):
        return
    ours, theirs = date_words(source.prose, source.language), date_words(target.prose, target.language)
    lost, new = _unanswered(ours, theirs, target), _unanswered(theirs, ours, source)
    for word in new:
        other = next((gone for gone in lost if gone.calendar == word.calendar), None)
        if other is not None:
            said, wanted = target.prose[word.start : word.end], source.prose[other.start : other.end]
            yield Finding.at(
                paragraph,
                span=(word.start, word.end),
                message=f"The translation says {said!r}, the source {wanted!r}.",
                suggestion="Write the date of the source.",
                data={"target": said, "source": wanted},
            )


def _unanswered(asked: tuple[DateWord, ...], answers: tuple[DateWord, ...], other: Side) -> list[DateWord]:
    named = {(word.calendar, word.number) for word in answers}
    # If the other side names no month, it may have it as a number.
    in_digits = (
        numbers(other.prose, other.language).offered if all(word.calendar != "month" for word in answers) else ()
    )
    return [
        word
        for word in asked
        if word.sure
        and (word.calendar, word.number) not in named
        and not (word.calendar == "month" and str(word.number) in in_digits)
    ]
