"""The shapes of LEGOs that others may rely on, by name."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.kinds import Contract

_RECORDS = "burnish.kinds.legos.records"

CONTRACTS: Mapping[str, Contract] = {
    "translation_amino_acid": Contract(
        "A SEED: a file in amino_acids/translations.", _RECORDS, "TranslationAminoAcid", alias="translation"
    ),
    "lego_amino_acid": Contract("A LEGO: a file in amino_acids/legos.", _RECORDS, "LegoAminoAcid", alias="lego"),
    "extraction_attempt": Contract("One extraction of a SEED and its review.", _RECORDS, "ExtractionAttempt"),
    "quality_score": Contract("What an extraction is worth.", _RECORDS, "QualityScore"),
    "concern": Contract("Something wrong with an extraction.", _RECORDS, "Concern"),
    "suggestion": Contract("How the extraction prompt could do better.", _RECORDS, "Suggestion"),
}
