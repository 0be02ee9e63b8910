"""stray_punctuation: a punctuation mark in the wrong place inside a sentence.

What it looks for: other signs at the end of a word, two marks that exclude each other, a hyphen without the second half
of its word, a full stop or a question mark before a lower-case letter, a colon or a comma between an article and its
noun, an apostrophe without a function. Marks that the source has in the same way are ignored.
Why it matters: it makes a reader stop and look for a meaning that is not there.
Fix: safe for signs and apostrophes, which are removed; else a translator decides whether the mark or its place is
wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.scripts import BERBER
from burnish.languages.sentences import never_ends, seldom_ends
from burnish.languages.words import Slip, word_set

SIGN = re.compile(r"(?<=[^\W_])[_^~@](?=[ ]\w)")
HANGING = re.compile(r"(?<=[^\W\d_])-(?=[ ]([^\W\d_]+))")
LEADING_HYPHEN = re.compile(r"(?:^|\s)-(?=\w)")
DOUBLED = re.compile(r",[.;:,!?-](?=\s|$)|;[.,;:](?=\s|$)|:[,;.](?=\s|$)|(?<=\w{3})\.\.(?=[\s\"”»)]|$)")
CLOSED_EARLY = re.compile(r"(?<=\w)[?!](?=[ ](\w+))")
FULL_STOP = re.compile(r"(?<=\w)\.(?=[ ](\w+))")
AFTER_FUNCTION_WORD = re.compile(r"(?<=[^\W\d_]{2})[;:,](?=[ ]\w)")
APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’](?=[ ][^\W\d_])")
OPENING_APOSTROPHE = re.compile(r"(?:^|[\s(\"“\[])['‘](?=\w)")
WORD_BEFORE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*$")
NEAR = 40

JOINERS = word_set(
    """
    and or nor to but und oder bis bzw sowie noch als y o e u ni ou et ni i lub albo oraz a nebo či ili и или до да та
    або й і та e od en of
    """
)
"""Words after the hyphen of "two- and three-storey"."""
DETERMINERS: dict[str, frozenset[str]] = {
    "en": word_set("the an my your our their every"),
    "es": word_set("el los las una unos unas mis tus sus"),
    "fr": word_set("le les une des du mes tes ses ces"),
    "de": word_set("den dem des einen einem eines meine deine seine"),
    "it": word_set("il gli una uno dello della degli delle"),
    "pt": word_set("os umas uns dos das nos nas"),
}
"""Words that no colon or comma follows, because their noun must come first."""
LEADING: dict[str, frozenset[str]] = {"en": word_set("to is are was were be has as from with")}
"""Words that no semicolon follows, besides those that never end a phrase."""
ABBREVIATIONS = word_set(
    """
    approx dept univ assn prof capt corp messrs govt appt max min incl excl resp esp inkl exkl bzgl evtl ggf sogen usw
    etc aufl abschn abbildung kap abs nr núm num págs pág aprox admón dcha izda izq env chap fasc réf ill éd ital ecc
    cfr pagg vol vols тыс руб млн млрд англ напр нем прим стр изд ред итд итн сл гр ing mag dipl phil theol jur med
    sec fig figs tel avda ctra gral sras sres uds vds vid trad tom part ch chs art arts cap caps lib lit mr mrs dr st
    ca cca tzv např resp tzn atd apod ul nám sv str čl tj tys mln mld godz prof inż mgr itp itd św zob por ok
    """
)
LONG_DOTTED = 4
"""Words with this many letters are rarely abbreviations."""
DIALECT = ("in", "an", "th", "ol", "wi", "tho", "ma", "o", "ha", "po", "mo", "don", "em")
"""Words cut short in speech: runnin', an' so on."""
PLURALS = ("s", "x", "z", "S")
CASELESS = frozenset({"zh", "ja", "yue", "th", "lo", "km", "my", "ko", "ar", "he", "fa", "ur", "hi", "ka", "zgh"})
TO_ASCII = str.maketrans("？！؟；：，。", "?!?;:,.")
SUGGESTION = "Remove the mark, or put it where it belongs."


def strays(source: Side, target: Side) -> Iterator[Slip]:
    """Marks inside a sentence that its source does not have."""
    yield from _signs(source, target)
    yield from _doubled(source, target)
    yield from _apostrophes(source, target)
    if target.language not in CASELESS:
        yield from _hanging(source, target)
        yield from _ends_inside(source, target)
        yield from _behind_function_words(target)


def _found(pattern: re.Pattern[str], side: Side) -> Iterator[re.Match[str]]:
    """Matches in prose: blanked code and links differ from the text."""
    text, prose = side.view.text, side.prose
    for match in pattern.finditer(prose):
        start, end = max(0, match.start() - 1), match.end() + 1
        if text[start:end] == prose[start:end]:
            yield match


def _before(prose: str, place: int) -> str:
    """The word that ends at a place."""
    word = WORD_BEFORE.search(prose[max(0, place - NEAR) : place])
    return word.group() if word is not None else ""


def _slip(match: re.Match[str], *, replacement: str | None = None) -> Slip:
    shown = " ".join(match.string[max(0, match.start() - 12) : match.end() + 12].split())
    message = f"There is a stray {match.group()!r} inside a sentence ({shown!r})."
    return Slip(match.start(), match.end(), message, SUGGESTION, replacement=replacement)


def _signs(source: Side, target: Side) -> Iterator[Slip]:
    """it_ is, it@ is: signs that are not punctuation."""
    found = list(_found(SIGN, target))
    if not found:
        return
    in_source = Counter(source.view.text)
    in_target = Counter(target.view.text)
    for match in found:
        sign = match.group()
        paired = sign in "_~" and in_target[sign] % 2 == 0
        if in_target[sign] > in_source[sign] and not paired:
            yield _slip(match, replacement="")


def _doubled(source: Side, target: Side) -> Iterator[Slip]:
    written = source.view.text.translate(TO_ASCII)
    for match in _found(DOUBLED, target):
        if match.group() not in written:
            yield _slip(match)


def _hanging(source: Side, target: Side) -> Iterator[Slip]:
    """organic- matter, but not two- and three-storey, nor a dash without the space before it."""
    matches = list(_found(HANGING, target))
    if target.language in BERBER or not matches or LEADING_HYPHEN.search(target.prose) or HANGING.search(source.prose):
        return
    for match in matches:
        if match[1].lower() not in JOINERS and not _before(target.prose, match.start()).isupper():
            yield _slip(match)


def _ends_inside(source: Side, target: Side) -> Iterator[Slip]:
    """A sentence ends and continues in lower case."""
    written = source.view.text.translate(TO_ASCII)
    here = target.view.text
    closes = {mark: here.count(mark) > written.count(mark) for mark in "?!"}
    for match in _found(CLOSED_EARLY, target):
        if closes[match.group()] and (match[1][0].islower() or match[1].isdigit()):
            yield _slip(match)
    for match in _found(FULL_STOP, target):
        word = _before(target.prose, match.start())
        if _goes_on(match[1]) and _is_full(word, target.language) and f"{word}." not in written:
            yield _slip(match)


def _goes_on(word: str) -> bool:
    """Whether a word is in lower case throughout, unlike iPhone."""
    return word.isalpha() and word.islower()


def _is_full(word: str, language: str) -> bool:
    """Whether a word before a dot is not an abbreviation."""
    lower = word.lower()
    if seldom_ends(word, language) and len(word) > 1 and word.islower():
        return True
    if lower in ABBREVIATIONS or not word.islower() or not word.isalpha():
        return False
    # Abbreviations mostly end with a consonant.
    return len(word) >= LONG_DOTTED and (lower[-1] in VOWELS or len(word) > 2 * LONG_DOTTED - 2)


VOWELS = frozenset("aeiouyáéíóúàèìòùâêîôûäöüãõąęěýаеиоуыэюяёѐѝ")


def _behind_function_words(target: Side) -> Iterator[Slip]:
    own = DETERMINERS.get(target.language, frozenset())
    for match in _found(AFTER_FUNCTION_WORD, target):
        word = _before(target.prose, match.start())
        if not word.islower() or _is_listed(target.prose, match):
            continue
        leads_on = never_ends(word, target.language) or word in LEADING.get(target.language, ())
        if word in own or (match.group() == ";" and leads_on):
            yield _slip(match)


def _is_listed(prose: str, match: re.Match[str]) -> bool:
    """ "el, la, los": words about words."""
    around = prose[max(0, match.start() - NEAR // 2) : match.end() + NEAR // 2]
    return around.count(",") > 1 or any(mark in around for mark in "\"“«*_'‘`")


def _apostrophes(source: Side, target: Side) -> Iterator[Slip]:
    """in' terms: an apostrophe that neither closes a quotation nor replaces a letter. English only."""
    if target.language != "en" or OPENING_APOSTROPHE.search(target.prose) or "'" in source.view.text:
        return
    for match in _found(APOSTROPHE, target):
        word = _before(target.prose, match.start())
        cut_short = word.lower() in DIALECT[1:] or (word.lower().endswith("in") and word.lower() != "in")
        if not word.endswith(PLURALS) and not cut_short:
            yield _slip(match, replacement="")


FOG = "Der Nebel hing über dem Tal, und niemand kam."


@check(
    id="stray_punctuation",
    severity="error",
    bad=(
        pair("de>en", FOG, "The fog hung_ over the valley, and nobody came."),
        pair("de>en", FOG, "The fog hung over the valley,. and nobody came."),
        pair("de>en", FOG, "The fog hung over- the valley, and nobody came."),
        pair("de>en", FOG, "The fog hung? over the valley, and nobody came."),
        pair("de>en", FOG, "The fog hung over the: valley, and nobody came."),
        pair("de>en", FOG, "The fog hung over' the valley, and nobody came."),
        pair("en>es", "The fog hung over the valley.", "La niebla colgaba. sobre el valle."),
    ),
    good=(
        pair("de>en", FOG, "The _fog_ hung over the two- and three-storey houses, and the soldiers' wives came."),
        pair("de>en", FOG, "It weighed approx. ten tons, etc. and so on. “Who?” he asked. Runnin' is fun."),
        pair(
            "de>en",
            "Ein- und Ausgang: Wer? fragte er, usw. und ging.",
            "Entrance and exit: who? he asked, etc. and left.",
        ),
        pair("en>es", "The articles are el, la, los, las.", "Los artículos son el, la, los, las."),
    ),
)
def stray_punctuation(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, strays(source_of(paragraph), target_of(paragraph)))
