"""Reads model answers about a SEED, and verifies them.

LEGOs: both halves must be in their sentences. Reviews: a model's statements are claims, which are verified before they
count. Prepositions at the edges of a LEGO, its length and blanks around it are counted by rules, so a model's opinion
on them is ignored. Only a model can see whether the two halves have the same meaning, and whether people speak like
that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Self

from burnish.core.documents import Field
from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused
from burnish.core.replies import ConcernPart, EditReply, LegoPart, LegoReviewReply, SuggestionPart, scores_of
from burnish.kinds.legos.model import DIMENSIONS, HALVES, NOWHERE, Dimension, Lego, Seed, plain_line, words_of
from burnish.kinds.legos.placement import Favour, Half, Links, Sentence, grouped, placed
from burnish.kinds.legos.policy import CONCERNS, PRIORITIES, Concern, ConcernKind, Suggestion
from burnish.kinds.legos.requests import with_spares
from burnish.kinds.legos.rule_review import Review
from burnish.kinds.legos.scoring import one_decimal, overall
from burnish.text.quotes import refutes_itself

LEGO_REFUSALS = {
    "no_word": "a half holds no word",
    "not_in_source": "its source half is not in the source sentence, letter for letter",
    "not_in_target": "its target half is not in the target sentence, letter for letter",
    "torn_word": "a half begins or ends inside a word of its sentence",
    "repeated": "its source half is a LEGO already",
    "too_many": "the LEGOs before it hold every word of the sentence many times over",
}
"""The reasons for refusing a LEGO."""
MENDING_REFUSALS = {
    **LEGO_REFUSALS,
    "half_missing": "a LEGO would lose one of its halves only",
    "nothing_left": "no LEGO would be left",
}
"""The reasons for refusing edits that could be applied; for those that cannot, see `core.edits.REFUSALS`."""
MOST_TIMES_HELD = 10
"""LEGOs may overlap, but together they hold at most this many times the words of the SEED; later LEGOs are not
located."""
LONGEST_QUOTE = 100
"""The most characters of a half that are quoted."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A LEGO of an answer that is not used, with the reason."""

    part: LegoPart
    reason: str
    """One of `LEGO_REFUSALS`."""

    @property
    def message(self) -> str:
        """The refusal in words, for the next request and for people."""
        source, target = (plain_line(half, LONGEST_QUOTE) for half in (self.part.source, self.part.target))
        return f'The LEGO "{source}" = "{target}" was refused: {LEGO_REFUSALS[self.reason]}.'


@dataclass(frozen=True, slots=True)
class Extracted:
    """The LEGOs of an answer."""

    seed: Seed
    """With the usable LEGOs, in the order of the sentence. Uncovered words are not computed here."""
    refused: tuple[Refused, ...] = ()


def located(parts: Sequence[LegoPart], seed: Seed, links: Links | None = None) -> Extracted:
    """Locate LEGOs from a model or a person in their sentences. `links` help to choose between places with the same
    words."""
    pair = _Pair.of(seed, links)
    pairs: list[tuple[Half, Half]] = []
    kept: list[LegoPart] = []
    refused: list[Refused] = []
    within = pair.as_many_as_fit([(part.source, part.target) for part in parts])
    for part in parts[:within]:
        found = pair.halves(part.source, part.target)
        if isinstance(found, str):
            refused.append(Refused(part, found))
        else:
            pairs.append(found)
            kept.append(part)
    legos, repeated = pair.distinct_legos(pairs)
    refused += [Refused(kept[place], "repeated") for place in repeated]
    refused += [Refused(part, "too_many") for part in parts[within:]]
    return Extracted(_with_legos(seed, legos), tuple(refused))


def _with_legos(seed: Seed, legos: Iterable[Lego]) -> Seed:
    ordered = sorted(legos, key=lambda lego: (lego.start, lego.end, lego.target_start))
    return replace(seed, legos=tuple(ordered), uncovered=())


@dataclass(frozen=True)
class _Pair:
    """The two sentences of a SEED."""

    source: Sentence
    target: Sentence
    links: Links | None

    @classmethod
    def of(cls, seed: Seed, links: Links | None) -> Self:
        return cls(Sentence(seed.source), Sentence(seed.target), links)

    def halves(self, source: str, target: str) -> tuple[Half, Half] | str:
        """Both halves in their sentences, or the reason why one is not found."""
        halves = self.source.half(source), self.target.half(target)
        if halves[0] is None:
            return _absence(self.source, source, "not_in_source")
        if halves[1] is None:
            return _absence(self.target, target, "not_in_target")
        return halves[0], halves[1]

    def as_many_as_fit(self, parts: Sequence[tuple[str, str]]) -> int:
        """The number of LEGOs, from the first, that together hold no more words than `MOST_TIMES_HELD` allows."""
        most = MOST_TIMES_HELD * max(len(self.source.words), len(self.target.words))
        held = accumulate(max(len(words_of(half)) for half in part) for part in parts)
        return sum(1 for _ in takewhile(lambda so_far: so_far <= most, held))

    def distinct_legos(self, pairs: Sequence[tuple[Half, Half]]) -> tuple[list[Lego], list[int]]:
        """The located LEGOs without those that hold the same source words as an earlier one, and the indexes of those
        left out. Two meanings of the same words at the same place cannot both be right."""
        seen: dict[range, Lego] = {}
        repeated = []
        for place, lego in enumerate(self.legos(pairs)):
            if seen.setdefault(self.source.inside(lego.start, lego.end), lego) is not lego:
                repeated.append(place)
        return list(seen.values()), repeated

    def legos(self, pairs: Sequence[tuple[Half, Half]]) -> list[Lego]:
        """The located LEGOs, in the order given."""
        starts = placed([source for source, _ in pairs])
        order = sorted(range(len(pairs)), key=lambda place: (starts[place], place))
        spans = [(starts[place], starts[place] + len(pairs[place][0].text)) for place in order]
        targets = placed(
            [pairs[place][1] for place in order],
            spans[0][0] * len(self.target.text) // len(self.source.text) if spans else 0,
            [self._favour(span) for span in spans] if self.links is not None else None,
        )
        found: dict[int, Lego] = {}
        for place, (start, end), target_start in zip(order, spans, targets, strict=True):
            source, target = pairs[place]
            target_end = target_start + len(target.text)
            found[place] = Lego(source.text, target.text, start, end, target_start, target_end)
        return [found[place] for place in range(len(pairs))]

    @cached_property
    def _linked(self) -> Mapping[int, Sequence[int]]:
        """Word of the source -> words of the target that are linked to it."""
        return grouped(self.links or ())

    def _favour(self, span: tuple[int, int]) -> Favour:
        linked = sorted(target for word in self.source.inside(*span) for target in self._linked.get(word, ()))

        def favour(start: int, end: int) -> int:
            inside = self.target.inside(start, end)
            return bisect_left(linked, inside.stop) - bisect_left(linked, inside.start)

        return favour


def _absence(sentence: Sentence, part: str, reason: str) -> str:
    """The reason why a part has no place in a sentence."""
    if not words_of(part):
        return "no_word"
    return "torn_word" if sentence.tears(part) else reason


def mended(reply: EditReply, seed: Seed, links: Links | None = None) -> Seed:
    """The SEED after all edits of an answer. Raise EditRefused if one cannot be applied; then none is."""
    edits = [Edit(part.unit, part.field, part.find, part.replace) for part in reply.edits]
    texts = _edited(with_spares(seed), edits)
    pair = _Pair.of(seed, links)
    kept = {
        place: (texts[f"L{place}.source"], texts[f"L{place}.target"])
        for place in range(1, len(texts) // len(HALVES) + 1)
        if _is_kept(place, texts)
    }
    if pair.as_many_as_fit(list(kept.values())) < len(kept):
        raise _refusal("too_many")
    pairs = [_mended_pair(pair, place, halves, seed) for place, halves in kept.items()]
    if not pairs:
        raise _refusal("nothing_left")
    legos, repeated = pair.distinct_legos(pairs)
    if repeated:
        raise _refusal("repeated", pairs[repeated[0]][0].text)
    return _with_legos(seed, legos)


def _edited(seed: Seed, edits: Sequence[Edit]) -> Mapping[Field, str]:
    """The halves after the edits. LEGOs may be removed or replaced by any text of the sentence: the guards for longer
    texts are not needed, because every half must be part of its sentence."""
    try:
        return apply_edits(seed, edits, smallest_remainder=0.0).texts()
    except EditRefused as refusal:
        if refusal.reason not in ("protected", "drops_heading", "control_character"):
            raise
    for edit in edits:
        seed = seed.with_text(edit.field, seed.texts()[edit.field].replace(edit.find, edit.replace, 1))
    return seed.texts()


def _is_kept(place: int, texts: Mapping[Field, str]) -> bool:
    halves = [bool(texts[f"L{place}.{half}"].strip()) for half in HALVES]
    if any(halves) and not all(halves):
        raise _refusal("half_missing", f"L{place}")
    return all(halves)


def _mended_pair(pair: _Pair, place: int, texts: tuple[str, str], seed: Seed) -> tuple[Half, Half]:
    found = pair.halves(*texts)
    if isinstance(found, str):
        raise _refusal(found, f"L{place}")
    source, target = found
    if place > len(seed.legos):
        return source, target
    lego = seed.legos[place - 1]
    return _near(source, lego.start), _near(target, lego.target_start)


def _near(half: Half, start: int) -> Half:
    return half if start == NOWHERE else replace(half, near=start)


def _refusal(reason: str, where: str = "") -> EditRefused:
    return EditRefused(reason, f"{where}: {MENDING_REFUSALS[reason]}." if where else f"{MENDING_REFUSALS[reason]}.")


COUNTED = frozenset(
    {
        "c_iron_rule_violation",
        "c_misaligned_halves",
        "c_too_small",
        "c_too_large",
        "c_inconsistent_granularity",
        "c_whitespace_error",
    }
)
"""Concerns that rules raise by counting: a model's own are dropped."""
COUNTED_DIMENSIONS: frozenset[Dimension] = frozenset({"iron_rule_compliance"})
MOST_CONCERNS, MOST_SUGGESTIONS = 20, 10
LONGEST_TEXT = 600
"""The most characters of a description or a suggestion that are kept."""
MODEL = "model"

DROPPED = {
    "unknown_lego": "it names no LEGO of this SEED",
    "self_refuting": "it contradicts itself",
    "duplicate": "it repeats another concern",
    "counted": "rules count this, and found nothing",
    "too_many": "there are too many",
}
"""The reasons for dropping a claim."""


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A concern or a suggestion of a model that is not used. It is kept with the reason."""

    id: str
    text: str
    reason: str
    """One of `DROPPED`."""


@dataclass(frozen=True)
class ModelReview:
    """The verified claims of a model about the LEGOs of a SEED."""

    scores: Mapping[Dimension, float]
    concerns: tuple[Concern, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    dropped: tuple[DroppedClaim, ...] = ()


def review_of(reply: LegoReviewReply, seed: Seed, *, by: str = MODEL) -> ModelReview:
    """Verify a model's answer against the SEED. `by`: its author, such as `model:openai:gpt`."""
    known = {seed.provenance(place) for place in range(1, len(seed.legos) + 1)}
    held: dict[object, Concern] = {}
    dropped: list[DroppedClaim] = []
    for part in reply.concerns:
        # The claim as a concern. The catalogue, not the model, decides the severity of a known one.
        kind = CONCERNS.get(part.concern_id, ConcernKind(part.severity, "naturalness"))
        legos = tuple(dict.fromkeys(name for name in part.affected_legos if name in known))
        said, fix = _text(part.description), _text(part.suggested_fix)
        concern = Concern(part.concern_id, kind.severity, kind.category, said, legos, fix, kind.auto_fixable, source=by)
        reason = _doubt(part, concern, held)
        if reason is None:
            held[_key(concern)] = concern
        else:
            dropped.append(DroppedClaim(part.concern_id, concern.description, reason))
    given = scores_of(reply.dimension_scores)
    return ModelReview(
        {dimension: one_decimal(given[dimension]) for dimension in DIMENSIONS},
        tuple(held.values()),
        tuple(_suggestions(reply)),
        tuple(dropped),
    )


def _doubt(part: ConcernPart, concern: Concern, held: Mapping[object, Concern]) -> str | None:
    if part.affected_legos and not concern.affected_legos:
        return "unknown_lego"
    if refutes_itself(part.description):
        return "self_refuting"
    if _key(concern) in held:
        return "duplicate"
    return "too_many" if len(held) >= MOST_CONCERNS else None


def _key(concern: Concern) -> tuple[str, tuple[str, ...]]:
    """Two concerns with the same key are duplicates."""
    return concern.concern_id, tuple(sorted(concern.affected_legos))


def _suggestions(reply: LegoReviewReply) -> Iterator[Suggestion]:
    """Each suggestion once, the most urgent first."""
    parts: dict[str, SuggestionPart] = {}
    for part in reply.suggestions:
        parts.setdefault(part.suggestion_id, part)
    for part in sorted(parts.values(), key=lambda part: PRIORITIES.index(part.priority))[:MOST_SUGGESTIONS]:
        missing = 10 - min(scores_of(reply.dimension_scores).values())
        gain = f"up to +{missing:.1f} points in the weakest dimension"
        yield Suggestion(part.suggestion_id, part.priority, _text(part.suggested_change), _text(part.rationale), gain)


def _text(text: str) -> str:
    """One line of a model's text, safe for a terminal and a table; a dash if nothing is left."""
    return plain_line(text, LONGEST_TEXT) or "-"


def together(rules: Review, said: ModelReview) -> Review:
    """Merge both reviews: the lowest score of a dimension counts, and every concern names its author.

    Counted dimensions come from the rules alone.
    """
    scores = {
        dimension: own if dimension in COUNTED_DIMENSIONS else min(own, said.scores[dimension])
        for dimension, own in rules.scores.items()
    }
    total = overall(scores)
    lower = [dimension for dimension in DIMENSIONS if scores[dimension] < rules.scores[dimension]]
    known = {suggestion.suggestion_id for suggestion in rules.suggestions}
    new = [suggestion for suggestion in said.suggestions if suggestion.suggestion_id not in known]
    return replace(
        rules,
        scores=scores,
        overall=total,
        concerns=(*rules.concerns, *heard(rules, said).concerns),
        suggestions=tuple(sorted((*rules.suggestions, *new), key=lambda one: PRIORITIES.index(one.priority))),
        notes=f"{rules.notes} With a model's lower {', '.join(lower)} it is {total:.1f} of 10."
        if lower
        else rules.notes,
    )


def heard(rules: Review, said: ModelReview) -> ModelReview:
    """The parts of a model's review that are used with that of the rules; the rest is dropped with reasons."""
    raised = {_key(concern) for concern in rules.concerns}
    kept: list[Concern] = []
    dropped = list(said.dropped)
    for concern in said.concerns:
        if _key(concern) in raised:
            dropped.append(DroppedClaim(concern.concern_id, concern.description, "duplicate"))
        elif concern.concern_id in COUNTED:
            dropped.append(DroppedClaim(concern.concern_id, concern.description, "counted"))
        else:
            kept.append(concern)
    return replace(said, concerns=tuple(kept), dropped=tuple(dropped))
