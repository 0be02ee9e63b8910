"""Words that decide what a sentence says: denials, quantifiers, modal verbs, opposites, words of one class; and words
that changed places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter

from burnish.languages.contrasts import Contrast, contrasts
from burnish.languages.voice import denied, knows_denials
from burnish.languages.words import word_set
from burnish.text.meaning.differences import Difference, Family, became, shown
from burnish.text.meaning.passages import Comparison, Version, key_of

STRICT = {
    "quantifier": frozenset({"all", "most", "only", "except", "few", "half", "twice", "thrice"}),
    "modal": frozenset({"must", "always", "rarely", "may", "usually", "should"}),
}
"""Sides that are a difference when they only go or only come; the others only when one stands for another."""
EXCEPT = re.compile(r"\b(?:except|but|excluding|other than)\b", re.IGNORECASE)
ALL_OF_THE_FOLLOWING = re.compile(
    r"\ball (?:of )?(?:the following|these|those|the (?:statements|options|answers))\b", re.I
)
ASKING = "?:…_"
LONGEST_MOVED = 4
"""The most words of one of two phrases that changed places."""
LISTING = word_set("and or und oder y o et ou e и или i lub a nebo och eller og en of ve ja tai és vagy και ή")


def found_contrasts(version: Version) -> list[Contrast]:
    """The listed words of the changed sentences; "least" in "at least" is no opposite of "most", and "every" in "every
    time" is no quantifier."""
    found = contrasts(version.changed, version.tokens, version.language)
    phrases = [
        one for one in found if one.family in ("comparison", "modal") and " " in version.changed[one.start : one.end]
    ]
    return [
        one
        for one in found
        if not any(
            phrase.start <= one.start < phrase.end and one.family not in ("comparison", phrase.family)
            for phrase in phrases
        )
    ]


def contrast_differences(
    compared: Comparison, found: tuple[Sequence[Contrast], Sequence[Contrast]], turned: int
) -> Iterator[Difference]:
    """Quantifiers and modal verbs that changed, went or came; opposites and words of a class that were exchanged.

    `turned`: how many denials came (or, below zero, went): one side of a pair with a denial may say the other.
    """
    families: tuple[tuple[str, Family], ...] = (("quantifier", "quantifier"), ("modal", "modal"))
    for family, name in families:
        old, new = ([one for one in side if one.family == family] for side in found)
        if family == "quantifier":
            old, new = _without_lead_in(compared.before, old), _without_lead_in(compared.after, new)
        yield from _of_group(compared, name, old, new, STRICT[family])
    for name in ("opposite", "kind"):
        yield from _exchanged(compared, name, found, turned)


def _without_lead_in(version: Version, found: Sequence[Contrast]) -> list[Contrast]:
    """Without the "all" of "all of the following ... except", which says nothing else than the exception."""
    lead_ins = [
        match.span()
        for match in ALL_OF_THE_FOLLOWING.finditer(version.changed)
        if EXCEPT.search(version.sentences[version.number_of(match.start())].text)
    ]
    return [one for one in found if not any(start <= one.start < end for start, end in lead_ins)]


def _of_group(
    compared: Comparison, family: Family, old: Sequence[Contrast], new: Sequence[Contrast], strict: frozenset[str]
) -> Iterator[Difference]:
    had, has = Counter(one.side for one in old), Counter(one.side for one in new)
    gone = _surplus(old, had, has)
    came = _surplus(new, has, had)
    for one in gone:
        other = came.pop(0) if came else None
        if other is not None:
            yield exchanged(compared, family, one, other)
        elif one.side in strict:
            yield _left_out(compared, family, one)
    for other in came:
        if other.side in strict:
            yield _added(compared, family, other)


def _surplus(found: Sequence[Contrast], own: Counter[str], other: Counter[str]) -> list[Contrast]:
    """The occurrences of sides that the other version has fewer of; one for each that is missing."""
    left = {side: count - other[side] for side, count in own.items()}
    surplus = []
    for one in found:
        if left.get(one.side, 0) > 0:
            left[one.side] -= 1
            surplus.append(one)
    return surplus


def exchanged(compared: Comparison, family: Family, one: Contrast, other: Contrast) -> Difference:
    before, after = compared.before, compared.after
    was, now = before.changed[one.start : one.end], after.changed[other.start : other.end]
    spans = before.span_of(one.start, one.end), after.span_of(other.start, other.end)
    return Difference(family, was, now, became(was, now), after.sentence_at(other.start), *spans)


def _left_out(compared: Comparison, family: Family, one: Contrast) -> Difference:
    before = compared.before
    was = before.changed[one.start : one.end]
    message = f'"{was}" was left out of "{shown(before.sentence_at(one.start))}".'
    return Difference(family, was, "", message, before.sentence_at(one.start), before.span_of(one.start, one.end))


def _added(compared: Comparison, family: Family, other: Contrast) -> Difference:
    after = compared.after
    now = after.changed[other.start : other.end]
    message = f'"{now}" was added to "{shown(after.sentence_at(other.start))}".'
    new_span = after.span_of(other.start, other.end)
    return Difference(family, "", now, message, after.sentence_at(other.start), None, new_span)


def _exchanged(
    compared: Comparison, family: Family, found: tuple[Sequence[Contrast], Sequence[Contrast]], turned: int
) -> Iterator[Difference]:
    """One side of a row that went while another came, in sentences that belong together; or two that changed places."""
    rows: dict[tuple[int, int], tuple[list[Contrast], list[Contrast]]] = {}
    for version, contrasted in enumerate(found):
        side = (compared.before, compared.after)[version]
        for one in contrasted:
            if one.family == family:
                group = compared.group_of[version].get(side.number_of(one.start), -1)
                rows.setdefault((group, one.group), ([], []))[version].append(one)
    told: set[tuple[int, int]] = set()
    for (group, _), (old, new) in rows.items():
        if group < 0:
            continue
        had, has = Counter(one.side for one in old), Counter(one.side for one in new)
        gone, came = _surplus(old, had, has), _surplus(new, has, had)
        if gone and came and gone[0].is_complement and turned % 2 and len(gone) == len(came) == 1:
            continue
        pairs = list(zip(gone, came, strict=False))
        if not pairs and len(old) == len(new) and not gone and not came and len(had) > 1:
            pairs = _crossed(compared, old, new)
        for one, other in pairs:
            # A word in several rows is told once.
            if (one.start, other.start) not in told:
                told.add((one.start, other.start))
                yield exchanged(compared, family, one, other)
        if family == "kind" and came and not gone:
            yield from (_added(compared, family, other) for other in came if other.side not in had)


def _crossed(compared: Comparison, old: Sequence[Contrast], new: Sequence[Contrast]) -> list[tuple[Contrast, Contrast]]:
    """Two sides that changed places: "A rises while B falls" and "A falls while B rises"."""
    was, now = _bound(compared.before, old), _bound(compared.after, new)
    changed = [key for key, one in was.items() if key in now and one.side != now[key].side]
    return [(was[key], now[key]) for key in changed[:1]] if len(changed) > 1 else []


def _bound(version: Version, found: Sequence[Contrast]) -> dict[str, Contrast]:
    """The content word before each occurrence -> the occurrence."""
    bound: dict[str, Contrast] = {}
    starts = {one.start: one for one in found}
    last = ""
    for token in version.tokens:
        if token.start in starts:
            if last:
                bound[last] = starts[token.start]
        else:
            last = key_of(token.lower, version.language) or last
    return bound


LARGE, SMALL = frozenset({"at least", "more than"}), frozenset({"at most", "less than"})
BESIDE = 4
"""The most characters between a bound and the number it was told with."""


def bound_differences(
    compared: Comparison,
    found: tuple[Sequence[Contrast], Sequence[Contrast]],
    told: Sequence[Difference],
    turned: int,
) -> Iterator[Difference]:
    """A bound for its opposite, where no number is told with it: "at least a day" and "at most a day".

    `told`: the bounds of numbers that changed.
    """
    sides: dict[int, tuple[list[Contrast], list[Contrast]]] = {}
    for version, contrasted in enumerate(found):
        side = (compared.before, compared.after)[version]
        for one in contrasted:
            group = compared.group_of[version].get(side.number_of(one.start), -1)
            if one.family == "comparison" and group >= 0:
                sides.setdefault(group, ([], []))[version].append(one)
    for old, new in sides.values():
        had, has = Counter(one.side for one in old), Counter(one.side for one in new)
        gone, came = _surplus(old, had, has), _surplus(new, has, had)
        for one, other in zip(gone, came, strict=False):
            if {one.side, other.side} <= LARGE or {one.side, other.side} <= SMALL or turned % 2:
                continue
            changed = exchanged(compared, "quantifier", one, other)
            if not any(_stands_beside(changed, bound) for bound in told):
                yield changed


def _stands_beside(changed: Difference, bound: Difference) -> bool:
    if changed.span is None or bound.span is None:
        return False
    return changed.span[0] - BESIDE <= bound.span[1] and bound.span[0] <= changed.span[1] + BESIDE


def denial_differences(
    compared: Comparison, found: tuple[Sequence[Contrast], Sequence[Contrast]]
) -> tuple[list[Difference], int]:
    """Denials that went, came or were moved; and how many more the new version has."""
    before, after = compared.before, compared.after
    if not knows_denials(before.language):
        return [], 0
    old, new = (_denials(version, side) for version, side in zip((before, after), found, strict=True))
    verbs = [[one for one in side if one.family == "denying"] for side in found]
    came = len(new) - len(old)
    flips = min(_complements(compared, found), abs(came))
    if came < 0:
        old = _unmatched(before, old, after, new)[flips:]
    else:
        new = _unmatched(after, new, before, old)[flips:]
    turned = len(new) - len(old)
    lexical = len(verbs[1]) - len(verbs[0])
    prefixed = _prefixed(compared)
    differences: list[Difference] = []
    if turned < 0:
        hidden = _hidden_instead(compared, verbs[1] if lexical > 0 else [], prefixed[1])
        lost = _unmatched(before, old, after, new)[:-turned]
        for place, span in enumerate(lost):
            if place < len(hidden):
                if _is_asked(before, span):
                    differences.append(_hides(compared, span, hidden[place]))
            else:
                differences.append(_denial_gone(compared, span))
    elif turned > 0:
        excuses = max(0, -lexical) + len(prefixed[0])
        gained = _unmatched(after, new, before, old)[:turned]
        differences += [_denial_came(compared, span) for span in gained[excuses:]]
    elif lexical < 0 and not prefixed[1]:
        differences += [_left_out(compared, "denial", one) for one in _surplus_of(verbs[0], verbs[1])[:-lexical]]
    elif lexical > 0 and not prefixed[0]:
        differences += [_added(compared, "denial", one) for one in _surplus_of(verbs[1], verbs[0])[:lexical]]
    if came == 0 and not lexical:
        differences += prefixed[2]
        differences += _denial_moved(compared, old, new) if len(old) == len(new) and old else []
    return differences, came


def _complements(compared: Comparison, found: tuple[Sequence[Contrast], Sequence[Contrast]]) -> int:
    """How many rows of complements have one side that went and one that came."""
    flips = 0
    for group in {one.group for side in found for one in side if one.is_complement and one.family == "opposite"}:
        had, has = (
            Counter(one.side for one in side if one.family == "opposite" and one.group == group) for side in found
        )
        flips += bool(had - has) and bool(has - had)
    return flips


def _denials(version: Version, found: Sequence[Contrast]) -> list[tuple[int, int]]:
    """The denials of the changed sentences, without those in a listed phrase: "no more than five" denies nothing, nor
    does "without exception"."""
    bounds = [(one.start, one.end) for one in found if one.family in ("comparison", "modal", "quantifier")]
    spans = denied(version.changed, version.language)
    return [span for span in spans if not any(start <= span[0] < end for start, end in bounds)]


def _surplus_of(ours: Sequence[Contrast], theirs: Sequence[Contrast]) -> Sequence[Contrast]:
    return ours[len(theirs) :] or ours


def _unmatched(
    version: Version, spans: Sequence[tuple[int, int]], other: Version, others: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The denials in the order of how likely they went: those before a word that the other version does not deny."""
    denied_there = {_denied_key(other, span) for span in others}
    return sorted(spans, key=lambda span: _denied_key(version, span) in denied_there)


def _denied_key(version: Version, span: tuple[int, int]) -> str:
    """The content word behind a denial."""
    for token in version.tokens:
        if token.start >= span[1]:
            key = key_of(token.lower, version.language)
            if key:
                return key
    return ""


def _prefixed(
    compared: Comparison,
) -> tuple[list[tuple[str, int]], list[tuple[str, int]], list[Difference]]:
    """Words with a negative prefix that went or came while the bare word came or went: unable, able.

    The words that went, those that came, and a difference for each that only lost or gained its prefix.
    """
    old = {token.lower: token for token in compared.before.tokens}
    new = {token.lower: token for token in compared.after.tokens}
    gone, came = old.keys() - new.keys(), new.keys() - old.keys()
    prefixes = PREFIXES.get(compared.before.language, ())
    lost = [(word, old[word].start) for word in gone if any(_bare(word, p) in new for p in prefixes)]
    gained = [(word, new[word].start) for word in came if any(_bare(word, p) in old for p in prefixes)]
    differences = []
    for pairs, ours, theirs in ((lost, old, new), (gained, new, old)):
        for word, _ in pairs:
            other = next(_bare(word, p) for p in prefixes if _bare(word, p) in theirs)
            one, two = (ours[word], theirs[other])
            if ours is new:
                one, two = two, one
            was, now = compared.before.changed[one.start : one.end], compared.after.changed[two.start : two.end]
            if (other in old) == (word in old):
                continue
            spans = compared.before.span_of(one.start, one.end), compared.after.span_of(two.start, two.end)
            sentence = compared.after.sentence_at(two.start)
            differences.append(Difference("denial", was, now, became(was, now), sentence, *spans))
    return lost, gained, differences


PREFIXES: dict[str, tuple[str, ...]] = {
    "en": ("un", "in", "im", "il", "ir", "dis", "non", "non-", "ab", "mis", "a", "an", "de"),
    "de": ("un", "in", "im", "miss"),
    "es": ("in", "im", "i", "des", "ir"),
    "fr": ("in", "im", "ir", "il", "mal", "dé"),
    "it": ("in", "im", "ir", "il", "s", "dis"),
    "pt": ("in", "im", "ir", "des", "i"),
    "nl": ("on", "in", "im"),
    "ru": ("не", "бес", "без"),
    "uk": ("не", "без"),
    "bg": ("не", "без"),
    "mk": ("не", "без"),
    "pl": ("nie", "bez"),
    "cs": ("ne", "bez"),
    "ro": ("ne", "in", "im"),
    "sv": ("o", "in"),
    "da": ("u", "in"),
    "no": ("u", "in"),
    "fi": ("epä",),
    "el": ("α", "αν", "μη"),
}
"""Prefixes that deny; the bare word must stand in the other version, so that "important" is no denial."""
SHORTEST_BARE = 4


def _bare(word: str, prefix: str) -> str:
    bare = word.removeprefix(prefix)
    return bare if bare != word and len(bare) >= SHORTEST_BARE else "\0"


def _hidden_instead(
    compared: Comparison, verbs: Sequence[Contrast], prefixed: Sequence[tuple[str, int]]
) -> list[tuple[str, int]]:
    """Words that deny without a negation and came in its place."""
    return [(compared.after.changed[one.start : one.end], one.start) for one in verbs] + list(prefixed)


def _is_asked(version: Version, span: tuple[int, int]) -> bool:
    """Whether the denial is what a question asks for ("which is NOT"): hidden in another word it misleads as before."""
    sentence = version.sentences[version.number_of(span[0])].text.rstrip()
    return sentence[-1:] in ASKING or version.changed[slice(*span)].isupper()


def _hides(compared: Comparison, span: tuple[int, int], hidden: tuple[str, int]) -> Difference:
    before, after = compared.before, compared.after
    was, (now, place) = before.changed[slice(*span)], hidden
    message = f'"{was}" became "{now}": the question still asks for what is not so, and says it less clearly.'
    spans = before.span_of(*span), after.span_of(place, place + len(now))
    return Difference("denial", was, now, message, after.sentence_at(place), *spans)


def _denial_gone(compared: Comparison, span: tuple[int, int]) -> Difference:
    before = compared.before
    was, sentence = before.changed[slice(*span)], before.sentence_at(span[0])
    message = f'The denial "{was}" was left out of "{shown(sentence)}".'
    return Difference("denial", was, "", message, sentence, before.span_of(*span))


def _denial_came(compared: Comparison, span: tuple[int, int]) -> Difference:
    after = compared.after
    now, sentence = after.changed[slice(*span)], after.sentence_at(span[0])
    message = f'The denial "{now}" was added to "{shown(sentence)}".'
    return Difference("denial", "", now, message, sentence, None, after.span_of(*span))


def _denial_moved(
    compared: Comparison, old: Sequence[tuple[int, int]], new: Sequence[tuple[int, int]]
) -> Iterator[Difference]:
    """A denial that stands before another word than it did, although both words are in both versions."""
    before, after = compared.before, compared.after
    had = [_denied_key(before, span) for span in old]
    has = [_denied_key(after, span) for span in new]
    for span, key in zip(old, had, strict=True):
        if key and key in after.keys and key not in has:
            other = next(
                (place for place, name in zip(new, has, strict=True) if name in before.keys and name not in had), None
            )
            if other is not None:
                was, now = before.changed[slice(*span)], after.changed[slice(*other)]
                message = f'"{was}" denies something else than it did: "{shown(after.sentence_at(other[0]))}".'
                spans = before.span_of(*span), after.span_of(*other)
                yield Difference("denial", was, now, message, after.sentence_at(other[0]), *spans)
                return


def order_differences(compared: Comparison) -> Iterator[Difference]:
    """Two phrases that changed places around a word that is no "and": "A is larger than B" and "B is larger than A"."""
    before, after = compared.before, compared.after
    for ours, theirs in compared.groups:
        if len(ours) != 1 or len(theirs) != 1:
            continue
        old, new = (_sentence_tokens(version, place[0]) for version, place in ((before, ours), (after, theirs)))
        if len(old) != len(new):
            continue
        crossed = _crossing([word for word, _, _ in old], [word for word, _, _ in new])
        if crossed is None:
            continue
        start, ends, new_ends = crossed
        first, last = old[start : start + ends], old[len(old) - new_ends[1] - new_ends[0] : len(old) - new_ends[1]]
        was = before.changed[first[0][1] : first[-1][2]]
        now = before.changed[last[0][1] : last[-1][2]]
        span = before.span_of(first[0][1], last[-1][2])
        message = f'"{shown(was)}" and "{shown(now)}" changed places.'
        yield Difference("order", was, now, message, after.sentence_at(new[start][1]), span)


def _sentence_tokens(version: Version, number: int) -> list[tuple[str, int, int]]:
    start = version.starts[number]
    end = start + len(version.sentences[number].text)
    first, last = (bisect_left(version.tokens, place, key=attrgetter("start")) for place in (start, end))
    return [(token.lower, token.start, token.end) for token in version.tokens[first:last]]


def _crossing(old: list[str], new: list[str]) -> tuple[int, int, tuple[int, int]] | None:
    """Where two phrases changed places: the first differing word, the length of the phrase there, and the length of the
    other with the number of words behind it. None if the texts differ in another way, or only list in another order."""
    if old == new or sorted(old) != sorted(new):
        return None
    start = next(place for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    behind = next(place for place, (a, b) in enumerate(zip(reversed(old), reversed(new), strict=True)) if a != b)
    one, other = old[start : len(old) - behind], new[start : len(new) - behind]
    for left in range(1, min(LONGEST_MOVED, len(one) - 1) + 1):
        for right in range(1, min(LONGEST_MOVED, len(one) - left) + 1):
            middle = one[left : len(one) - right]
            if (
                one[:left] == other[len(other) - left :]
                and one[-right:] == other[:right]
                and middle == other[right : len(other) - left]
            ):
                if all(word in LISTING for word in middle):
                    return None
                return start, left, (right, behind)
    return None
