"""The small parts of the extractor: what the Iron Rule and the alignment allow, texts with their marks, the search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.boundaries import Closures, Marks
from burnish.kinds.legos.cuts import Board, verbs_over
from burnish.kinds.legos.iron_rule import IronRule, unreachable, violations
from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.multiwords import Verb, multi_word_verbs
from burnish.kinds.legos.parts import Lawful, Part, Phrases
from burnish.languages.profiles import LanguageProfile, profile_of


def english() -> LanguageProfile:
    profile = profile_of("en")
    assert profile is not None
    return profile


VOCABULARY = "turn on off look up the light to go with me in called back it for wait depend is"
SENTENCES = st.lists(st.sampled_from(VOCABULARY.split()), min_size=1, max_size=12).map(" ".join)
RULES = st.builds(IronRule, st.sampled_from(["strict", "phrase_aware"]), st.booleans())


@given(SENTENCES, RULES)
def test_what_is_lawful_is_what_the_iron_rule_says(sentence: str, rule: IronRule) -> None:
    words, profile = words_of(sentence), english()
    verbs = multi_word_verbs(words, profile)
    lawful = Lawful(words, profile, rule, verbs)
    for first in range(len(words)):
        for end in range(first + 1, len(words) + 1):
            allowed = violations(words, profile, rule, verbs, (first, end)) is None
            assert lawful.allows(first, end) == allowed
            assert lawful.can_open(first) or not allowed
    beyond = unreachable(words, profile, rule, verbs)
    assert [place for place in range(len(words)) if not lawful.first <= place < lawful.end] == sorted(beyond)


LINKS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 6)), max_size=12).map(lambda links: tuple(sorted(links)))


@given(LINKS, st.integers(0, 7), st.integers(1, 8))
def test_closures_are_the_parts_that_stand_by_themselves(
    links: tuple[tuple[int, int], ...], first: int, size: int
) -> None:
    words, target_words = words_of("a b c d e f g h"), words_of("q r s t u v w")
    phrases = Phrases(words, target_words, links)
    wanted = [end for end in range(first + size, 9) if phrases.half(first, end) is not None]
    assert list(Closures(8, 7, links).ends(first, first + size)) == wanted


@pytest.mark.parametrize(
    ("sentence", "first", "end", "text"),
    [
        ('I voted "remain".', 0, 3, 'I voted "remain"'),
        ('"Stay here," he said.', 0, 4, '"Stay here," he said'),
        ('"Stay here," he said.', 0, 2, "Stay here"),
        ("He (my friend) left.", 1, 3, "my friend"),
        ("He (my friend) left.", 0, 3, "He (my friend)"),
        ("Well, no.", 0, 2, "Well, no"),
        ("I like „Алиса“ much", 2, 3, "Алиса"),
        ('He said "no one else" knew', 2, 4, "no one"),
    ],
)
def test_texts_hold_both_of_two_marks_or_none(sentence: str, first: int, end: int, text: str) -> None:
    words = words_of(sentence)
    start, stop = Marks(sentence, words).bounds(first, end)
    assert sentence[start:stop] == text and not Marks(sentence, words).are_stray(first, end)


def test_clauses_and_sentences_are_counted_over_abbreviations() -> None:
    sentence = "Dr. Light is in, I think. Come!"
    marks = Marks(sentence, words_of(sentence), english())
    assert marks.clauses == [0, 0, 0, 0, 1, 1, 2]
    assert marks.sentences == [0, 0, 0, 0, 0, 0, 1]
    assert Marks("", ()).clauses == Marks("", ()).sentences == []


def test_marks_that_no_edge_can_mend_are_seen() -> None:
    sentence = 'He said "no one else" knew'
    marks = Marks(sentence, words_of(sentence))
    assert marks.are_stray(1, 4)
    assert slice(*marks.bounds(1, 4)) == slice(3, 15)


def board(parts: list[Part], end: int, verbs: tuple[Verb, ...] = ()) -> Board:
    return Board(0, end, lambda first: [part for part in parts if part.first == first], verbs_over(verbs))


def test_the_highest_mean_is_found_not_the_highest_sum() -> None:
    small = [Part(place, place + 1, None, 2.0) for place in range(4)]
    large = [Part(0, 2, None, 3.0), Part(2, 4, None, 3.0)]
    assert board([*small, *large], 4).best() == tuple(large)


def test_a_wanted_size_is_kept_where_values_are_alike() -> None:
    parts = [Part(0, 2, None, 3.0), Part(2, 4, None, 3.0), Part(0, 1, None, 3.0), Part(1, 4, None, 3.0)]
    assert board(parts, 4).best(2) == tuple(parts[:2])


def test_parts_share_words_to_keep_a_verb_whole() -> None:
    parts = [Part(0, 2, None, 3.0), Part(2, 4, None, 3.0), Part(1, 4, None, 2.8)]
    assert board(parts, 4).best() == tuple(parts[:2])
    assert board(parts, 4, (Verb((1, 2), "turn on"),)).best() == (parts[0], parts[2])


def test_no_cover_is_nothing() -> None:
    assert board([Part(0, 2, None, 3.0)], 4).best() == ()
