"""English verbs that exam options are made of, and the form in which one stands. A list, not a parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burnish.languages.words import word_set

VerbForm = Literal["base", "third", "gerund", "past"]

AUXILIARIES = word_set(
    """
    is are was were am has have had does do did can could will would shall should may might must cannot
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't
    """
)
"""They make a clause wherever they stand."""

_PLAIN = """
    open close produce treat dilate constrict depolarize hyperpolarize carry consume compete concentrate
    contribute cooperate
    accept achieve acquire activate add adjust administer admit advise affect agree allow alter appear apply
    arise ask assess assign assume avoid become begin believe belong bind bring catalyze choose come compare
    compute conclude confirm conserve consider consist constitute construct contain continue contract convert
    convince create cross decide declare define degrade delay deliver demonstrate deny depend deplete derive
    describe destroy detect determine develop differ diffuse diminish direct disclose discontinue discuss
    disrupt dissolve divide document eliminate emit enable encode encourage enhance ensure enter establish
    evaluate examine exceed exclude exhibit exist expand explain express extend facilitate fail follow generate
    give grow have hydrolyze identify ignore improve include indicate induce inform inhibit initiate inject
    insert instruct interact interfere introduce involve keep lead let locate lose lower maintain make
    metabolize migrate modify monitor neutralize notify obtain occur oppose oxidize participate perform permit
    phosphorylate predict prepare prescribe preserve prevent proceed promote protect prove provide raise receive
    recognize recommend recruit reduce refer reflect refuse regulate relate relax rely remain remove repeat
    replace represent require resemble resolve respond restrict resume retain reveal secrete seek select send
    separate serve slow solve stimulate strengthen suggest suppress surround synthesize take tell tend terminate
    transform transmit undergo utilize vary weaken
"""
# The same word names a thing as well ("increase", "a block"), so it tells nothing at the head of an option.
_NOUNS_TOO = """
    act aim attack balance benefit block break call cause change charge check claim contact control cost cover
    cut damage decay decline decrease demand design display drop effect exercise fall flow focus force form
    function gain help impact increase influence interest issue lack limit link loss measure move need offer
    order place plan play practice present process progress project rate reach release report request
    research result return rise risk schedule search shift show sign start state stop store stress study supply
    support switch target test touch trade transfer transport trigger turn use view visit vote watch work
"""
NOUN_LIKE = word_set(_NOUNS_TOO)
VERBS = word_set(_PLAIN) | NOUN_LIKE
_DOUBLING = word_set("admit begin cut drop let permit plan refer stop transfer transmit transfer occur")


def _third(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


def _gerund(verb: str) -> str:
    if verb in _DOUBLING:
        return f"{verb}{verb[-1]}ing"
    return f"{verb[:-1]}ing" if verb.endswith("e") and not verb.endswith("ee") else f"{verb}ing"


def _past(verb: str) -> str:
    if verb in _DOUBLING:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}ed"


_FORMS: dict[str, VerbForm] = {
    **{_past(verb): "past" for verb in VERBS},
    **{_third(verb): "third" for verb in VERBS},
    **{_gerund(verb): "gerund" for verb in VERBS},
    **dict.fromkeys(VERBS, "base"),
}
_AMBIGUOUS = NOUN_LIKE | {_third(verb) for verb in NOUN_LIKE}


def verb_form(word: str) -> VerbForm | None:
    """The form of a known verb, also where the word could be a noun; None for any other word."""
    return _FORMS.get(word)


def sure_verb_form(word: str) -> VerbForm | None:
    """The form of a known verb that is hardly ever a noun in that form."""
    return None if word in _AMBIGUOUS else _FORMS.get(word)


def has_clause(lower_words: Sequence[str]) -> bool:
    """Whether the words hold a finite verb after a subject, so that they state something."""
    return any(_is_finite(word, lower_words[index]) for index, word in enumerate(lower_words[1:]))


def _is_finite(word: str, before: str) -> bool:
    if word in AUXILIARIES:
        return True
    return before not in ("to", "and", "or") and sure_verb_form(word) in ("third", "base")
