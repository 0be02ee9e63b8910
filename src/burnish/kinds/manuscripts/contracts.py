"""The shapes of manuscripts that others may rely on, by name."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.presentation import Contract

_SHAPES = "burnish.kinds.manuscripts.shapes"
_BUNDLE = "burnish.kinds.manuscripts.bundle"

CONTRACTS: Mapping[str, Contract] = {
    "paragraph_state": Contract("A line of state/paragraph_state.jsonl.", _SHAPES, "ParagraphState"),
    "paragraph_scores": Contract("A line of state/paragraph_scores.jsonl.", _SHAPES, "ParagraphScores"),
    "rework_packet": Contract("A line of state/rework_queue.jsonl.", _SHAPES, "ReworkPacketRow"),
    "review_row": Contract("A line of review/normalized/*.jsonl.", _SHAPES, "NormalizedReviewRow"),
    "candidate_map_row": Contract("A line of final/candidate_map.jsonl.", _SHAPES, "CandidateMapRow"),
    "gate_report": Contract("gate/gate_report.json.", _SHAPES, "GateReport"),
    "manuscript_manifest": Contract("What manifest.json of a manuscript holds.", _SHAPES, "ManuscriptManifest"),
    "paragraph_row": Contract("A line of */paragraphs.jsonl.", _BUNDLE, "ParagraphRow"),
    "sentence_row": Contract("A line of */sentences.jsonl.", _BUNDLE, "SentenceRow"),
    "word_row": Contract("A line of */words.jsonl.", _BUNDLE, "WordRow"),
    "manuscript_tokens": Contract("*/manuscript_tokens.json.", _BUNDLE, "ManuscriptTokens"),
}
