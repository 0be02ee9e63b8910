"""Brackets and quotation marks that lack their other half, and marks that stand where none can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

from burnish.kinds.text.markdown import Markdown
from burnish.kinds.text.slips import Slip
from burnish.kinds.text.words import word_set

OPENS = dict(zip(")]}）】」』》〉］", "([{（【「『《〈［", strict=True))
"""Closing bracket -> the opening one."""
WIDE = str.maketrans("（）［］", "()[]")
"""A wide bracket may close a narrow one."""
BRACKETS = regex.compile("[" + regex.escape("".join(OPENS) + "".join(OPENS.values())) + "]")
LABEL = regex.compile(r"(?:^|[\s(,;])(?:\d{1,3}|\p{L}|[ivxIVX]{1,4})$")
"""The "a" of "a) first": such a bracket was never opened."""
EMOTICON = regex.compile(r"[:;=8xX]['’]?[-^o]?$")
QUOTES = regex.compile(r'["“”„‟]')
ANGLES = regex.compile("[«»]")
INVERTED = {"¿": "?", "¡": "!"}


def unbalanced(view: Markdown, source: Markdown) -> Iterator[Slip]:
    """Marks without a partner, where the source pairs its own."""
    if not any(_lone_brackets(source.prose)):
        yield from (_slip(view, place) for place in _lone_brackets(view.prose))
    if _lone_quote(source.prose) is None:
        place = _lone_quote(view.prose)
        if place is not None:
            yield _slip(view, place)
    yield from (_slip(view, place) for place in _open_questions(view.prose))


def _slip(view: Markdown, place: int) -> Slip:
    mark = view.text[place]
    suggestion = f"Set the mark that belongs to {mark}, or take {mark} away."
    return Slip(place, place + 1, f"The mark {mark} has no partner.", suggestion)


def _lone_brackets(prose: str) -> Iterator[int]:
    opened: dict[str, list[int]] = {}
    for match in BRACKETS.finditer(prose):
        place, mark = match.start(), match.group().translate(WIDE)
        if prose[place - 1 : place] == "\\":
            continue
        if mark not in OPENS:
            opened.setdefault(mark, []).append(place)
        elif opened.get(OPENS[mark]):
            opened[OPENS[mark]].pop()
        elif mark != ")" or not _is_label(prose, place):
            yield place
    yield from (
        place for places in opened.values() for place in places if not EMOTICON.search(prose[max(0, place - 3) : place])
    )


def _is_label(prose: str, place: int) -> bool:
    before = prose[max(0, place - 5) : place]
    return LABEL.search(before) is not None or EMOTICON.search(before) is not None


def _lone_quote(prose: str) -> int | None:
    """The last of an odd number of quotation marks; None where they may be paired, whatever their shape."""
    marks = [match.start() for match in QUOTES.finditer(prose)]
    if len(marks) % 2 and not any(prose[place - 1 : place].isdigit() for place in marks if prose[place] == '"'):
        return _unpaired_of(prose, marks)
    angles = Counter(match.group() for match in ANGLES.finditer(prose))
    if angles["«"] != angles["»"]:
        return max(prose.rfind("«"), prose.rfind("»"))
    return None


def _unpaired_of(prose: str, marks: list[int]) -> int:
    """The one that stands where neither an opening nor a closing mark can: between a word and a blank, opening."""
    is_open = False
    for place in marks:
        after = prose[place + 1 : place + 2]
        if not is_open and (not after or after.isspace()):
            return place
        is_open = not is_open
    return marks[-1]


def _open_questions(prose: str) -> Iterator[int]:
    """Spanish marks that open a question or an exclamation which never ends."""
    for mark, closing in INVERTED.items():
        place = prose.rfind(mark)
        if place >= 0 and closing not in prose[place:] and "?" not in prose[place:] and "!" not in prose[place:]:
            yield place


HANGING = regex.compile(r"(?<=\p{L})(?P<mark>[_^~@])(?=\s)")
TWO_MARKS = regex.compile(r"(?<=[\p{L}\p{N})\]\"”»])(?P<mark>,[.;:!?]|;[,.:]|:[,;](?!\))|(?<=\p{L}),-(?=\s))")
HYPHEN = regex.compile(r"(?<=\p{Ll})(?P<mark>-)[ \n](?P<next>\p{Ll}+)(?!-)")
DASHED = regex.compile(r"\s-\p{L}")
"""An aside between hyphens -like this- has one before a blank as well."""
STOP_INSIDE = regex.compile(r"(?<![.\p{L}])(?P<word>\p{L}+)(?P<mark>[.!?])[ \n](?P<next>\p{Ll}+)")
APOSTROPHE = regex.compile(r"(?<![\p{L}'’])(?P<word>\p{L}+)(?P<mark>['’])[ \n]\p{Ll}")
OPENING_SINGLE = regex.compile(r"(?<![\p{L}\p{N}])['‘’]\p{L}")
AFTER_HYPHEN = word_set(
    """
    and or to through by nor versus vs but as und oder bis noch als sowie et ou à y o e u a i и или до и и в но and/or
    und/oder og eller och en of oraz lub albo nebo či ni ili sau și ve
    """
)
"""Words that may follow a hyphen and a blank: short- and long-term."""
ABBREVIATED = word_set(
    """
    etc vs approx al cf eg ie viz ca incl esp ext vol no nos pp ed eds fig figs dept est min max sec hrs hr lbs oz ft
    jr sr st mr mrs ms dr prof inc ltd co corp am pm op cit ibid art arts par tel temp avg resp seq usw bzw ggf evtl
    vgl sog bspw geb gest inkl exkl zzgl abzgl allg ebd ehem engl franz jhdt dgl max mind näml od pág págs núm aprox
    ej tel admón dcha izq ss vid env éd apr chap fasc réf tél cap ecc pag sig dott prov hab dir séc nº obs гг тыс млн
    млрд трлн др пр см ср руб коп стр ул им род ред изд напр сокр англ нем фр лат греч рис табл др итд ит др сл проф
    """
)
"""What ends with a full stop and ends no sentence."""
LONGEST_ABBREVIATION = 5


def stray(view: Markdown, source: Markdown, language: str) -> Iterator[Slip]:
    """Marks that hang on a word where the sentence goes on."""
    prose, original = view.prose, source.prose
    for match in (*HANGING.finditer(prose), *TWO_MARKS.finditer(prose)):
        if match["mark"] not in original and not (match["mark"] in "_~" and prose.count(match["mark"]) % 2 == 0):
            yield _stray(match)
    if language in WESTERN:
        yield from _inside(prose, original)
    if language == "en" and not OPENING_SINGLE.search(prose):
        yield from (_stray(m) for m in APOSTROPHE.finditer(prose) if _ends_no_genitive(m["word"]))


WESTERN = word_set("en es fr de pt it nl ca gl ro sv da nb no pl cs sk ru mk bg uk sr hr")


def _inside(prose: str, original: str) -> Iterator[Slip]:
    if not HYPHEN.search(original) and not DASHED.search(prose):
        yield from (_stray(m) for m in HYPHEN.finditer(prose) if m["next"] not in AFTER_HYPHEN)
    excused = {m["mark"] for m in STOP_INSIDE.finditer(original)}
    for match in STOP_INSIDE.finditer(prose):
        mark, word = match["mark"], match["word"]
        if mark in excused or (mark != "." and mark in original):
            continue
        if mark == "." and (len(word) <= LONGEST_ABBREVIATION and not _is_whole(word)):
            continue
        yield _stray(match)


FUNCTION_WORDS = word_set(
    """
    the and that with from this which have has had were was are for his her their its our your they you she into over
    is in of to it be by on at as or an we he if los las del que con por para una como más pero sus die der das und
    den dem des ein eine mit von auf für ist les des une est que qui dans pour par avec sur gli della delle che con
    per sono uma dos das com para mais em или что как это для его она они был при кои што кај
    """
)


def _is_whole(word: str) -> bool:
    """A short word that no abbreviation looks like."""
    return word.lower() in FUNCTION_WORDS and word.lower() not in ABBREVIATED


def _ends_no_genitive(word: str) -> bool:
    """ "the companies' plan" and "nothin' much" are right, "in' terms" is not."""
    if word.lower() in FUNCTION_WORDS:
        return not word.endswith("s")
    return len(word) > LONGEST_ABBREVIATION and not word.lower().endswith(("s", "x", "z", "in"))


def _stray(match: regex.Match[str]) -> Slip:
    start, end = match.span("mark")
    return Slip(
        start, end, f"The mark {match['mark']!r} stands inside a sentence that goes on.", "Take the mark away.", ""
    )
