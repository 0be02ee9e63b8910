"""The five dimensions of a translation, and which rule speaks to which. One place for each fact."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

DimensionName = Literal["grammar", "vocabulary", "style", "voice", "semantic_fidelity"]
DIMENSIONS: tuple[DimensionName, ...] = get_args(DimensionName)

THRESHOLDS: dict[DimensionName, float] = {
    "grammar": 0.80,
    "vocabulary": 0.80,
    "style": 0.80,
    "voice": 0.80,
    "semantic_fidelity": 0.85,
}
HARD_FLOOR = 0.50
"""Below it, semantic_fidelity sends a paragraph to a person at once."""

BLOCKING_CATEGORIES = frozenset(
    {"meaning_change", "negation", "numbers_units", "named_entity", "timeline", "who_did_what"}
)
"""An issue of one of these fails its paragraph whatever its severity; so does a critical one of any other."""


class Placed(NamedTuple):
    """Where a rule's findings count."""

    dimension: DimensionName
    category: str
    """As in review rows; one of BLOCKING_CATEGORIES makes an error of the rule a hard fail."""


RULES: dict[str, Placed] = {
    # grammar
    "agreement": Placed("grammar", "grammar"),
    "doubled_word": Placed("grammar", "grammar"),
    "mixed_letters": Placed("grammar", "spelling"),
    "sentence_case": Placed("grammar", "grammar"),
    "spelling": Placed("grammar", "spelling"),
    "unbalanced_marks": Placed("grammar", "punctuation"),
    # vocabulary
    "foreign_words": Placed("vocabulary", "untranslated"),
    "glossary_term": Placed("vocabulary", "terminology"),
    "inconsistent_name": Placed("vocabulary", "terminology"),
    "name_not_kept": Placed("vocabulary", "terminology"),
    "untranslated_text": Placed("vocabulary", "untranslated"),
    # style
    "emphasis_changed": Placed("style", "shape"),
    "end_punctuation": Placed("style", "punctuation"),
    "length_ratio": Placed("style", "length"),
    "sentence_shape": Placed("style", "shape"),
    "spacing": Placed("style", "typography"),
    "stray_punctuation": Placed("style", "punctuation"),
    "target_typography": Placed("style", "typography"),
    # voice
    "formality_mixed": Placed("voice", "formality"),
    "person_changed": Placed("voice", "person"),
    "question_or_exclamation": Placed("voice", "question_exclamation"),
    "tense_changed": Placed("voice", "tense"),
    # semantic fidelity
    "dates_changed": Placed("semantic_fidelity", "timeline"),
    "links_changed": Placed("semantic_fidelity", "markup"),
    "names_changed": Placed("semantic_fidelity", "named_entity"),
    "negation_changed": Placed("semantic_fidelity", "negation"),
    "numbers_changed": Placed("semantic_fidelity", "numbers_units"),
    "placeholders_changed": Placed("semantic_fidelity", "markup"),
    "repeated_text": Placed("semantic_fidelity", "meaning_change"),
    "sentences_missing": Placed("semantic_fidelity", "meaning_change"),
    "translation_missing": Placed("semantic_fidelity", "meaning_change"),
    "units_changed": Placed("semantic_fidelity", "numbers_units"),
    "unrelated_text": Placed("semantic_fidelity", "meaning_change"),
}
