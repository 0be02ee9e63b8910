"""The guard of meaning: what a repair changed in what a text says, and whether it was allowed to.

    differences(before, after, language="en")  -> what changed in the meaning, as a list that people can read
    guard(before, after, language="en", ...)   -> for each difference: claimed, sourced, known, declared, noted, refused
    has_denial(sentence, "en")                 -> whether a sentence denies something

Pure, for every kind and every language with tables (`languages/`). What a language has no table for is not guessed: it
is named in `not_judged`.

    >>> verdict = guard(
    ...     "Give 500 ml of saline before the transfusion.",
    ...     "Give 5 ml of saline before the transfusion.",
    ...     language="en",
    ... )
    >>> verdict.is_refused
    True
    >>> verdict.reasons
    ('"500 ml" became "5 ml". Nothing asks for it: keep the old words, or name the change in `changes`.',)

A difference is allowed where the words of a claim hold it, where the passage of the source or the rest of the unit says
it. Where the repair names it in `changes`, a reader who sees both versions has to confirm it (`needs_reader`):

    >>> guard(
    ...     "Give 500 ml of saline.",
    ...     "Give 250 ml of saline.",
    ...     language="en",
    ...     claims=[Words(message="The volume is wrong for a child.", suggestion="Write 250 ml.", quote="500 ml")],
    ... ).is_refused
    False
    >>> verdict = guard("Give 500 ml.", "Give 250 ml.", language="en", changes=["500 ml becomes 250 ml"])
    >>> verdict.is_refused, verdict.needs_reader
    (False, True)

`claims` takes findings as they are. Differences that are not grave (other content words, which may be synonyms) never
refuse; readers see them in `verdict.listed`.
"""

from __future__ import annotations

from burnish.languages.voice import has_denial
from burnish.text.meaning.differences import FAMILIES, Difference, Family
from burnish.text.meaning.verdict import ClaimWords, Ruling, Verdict, Words, differences, guard

__all__ = [
    "FAMILIES",
    "ClaimWords",
    "Difference",
    "Family",
    "Ruling",
    "Verdict",
    "Words",
    "differences",
    "guard",
    "has_denial",
]
