"""The shapes of LEGOs that others may rely on, by name."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.presentation import Contract

_RECORDS = "burnish.kinds.legos.records"
_REPORTS = "burnish.kinds.legos.reports.shapes"
_EVOLUTION = "burnish.kinds.legos.evolution.overlay"

CONTRACTS: Mapping[str, Contract] = {
    "translation_amino_acid": Contract(
        "A SEED: a file in amino_acids/translations.", _RECORDS, "TranslationAminoAcid", alias="translation"
    ),
    "lego_amino_acid": Contract("A LEGO: a file in amino_acids/legos.", _RECORDS, "LegoAminoAcid", alias="lego"),
    "archived_attempts": Contract("A file in amino_acids/archive.", _RECORDS, "ArchivedAttempts"),
    "extraction_attempt": Contract("One extraction of a SEED and its review.", _RECORDS, "ExtractionAttempt"),
    "quality_score": Contract("What an extraction is worth.", _RECORDS, "QualityScore"),
    "concern": Contract("Something wrong with an extraction.", _RECORDS, "Concern"),
    "suggestion": Contract("How the extraction prompt could do better.", _RECORDS, "Suggestion"),
    "quality_report": Contract("quality_reports/quality_report.json of a course.", _REPORTS, "QualityReport"),
    "flagged_seeds": Contract("quality_reports/flagged_seeds.json.", _REPORTS, "FlaggedSeeds"),
    "failed_seeds": Contract("quality_reports/failed_seeds.json.", _REPORTS, "FailedSeeds"),
    "retry_queue": Contract("quality_reports/retry_queue.json.", _REPORTS, "RetryQueue"),
    "human_review_queue": Contract("quality_reports/human_review_queue.json.", _REPORTS, "HumanReviewQueue"),
    "teaching_order": Contract("teaching_order.json of a course.", _REPORTS, "TeachingOrder"),
    "prompt_overlay": Contract("prompts/overlay.json of a course.", _EVOLUTION, "OverlayFile"),
    "prompt_ledger_row": Contract("A line of prompts/ledger.jsonl.", _EVOLUTION, "LedgerRow"),
}
