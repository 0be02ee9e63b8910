"""A full, valid reply for every name: what the malformed ones are made from."""

from typing import Any

ISSUE = {
    "unit": "intro",
    "criterion": "clarity_readability",
    "severity": "major",
    "quotedText": "the the",
    "description": "A word is doubled.",
    "suggestedFix": "Drop one.",
}
CRITERIA = {
    "learning_objective_alignment": 0.9,
    "pedagogical_structure": 0.8,
    "factual_accuracy": None,
    "clarity_readability": 0.7,
    "engagement_examples": 1,
    "completeness": 0.5,
}
DIMENSIONS = {"grammar": 0.9, "vocabulary": 0.8, "style": 1, "voice": None, "semantic_fidelity": 0}

VALID_REPLIES: dict[str, dict[str, Any]] = {
    "edit_reply": {
        "reasoning": "One word.",
        "edits": [{"unit": "q1", "field": "stem", "find": "NOT", "replace": "", "changes": ["NOT is dropped"]}],
        "contested": [{"claim": "2", "why": "It is fine."}],
    },
    "section_reply": {"reasoning": "Rewritten.", "unit": "intro", "text": "ⵜⴰⵎⴰⵣⵉⵖⵜ — new text 🙂"},
    "judge_reply": {
        "reasoning": "Mostly good.",
        "units": [{"unit": "intro", "criteria": CRITERIA}],
        "issues": [ISSUE],
    },
    "lesson_judge_reply": {
        "reasoning": "Mostly good.",
        "criteria": CRITERIA,
        "objectives": [{"id": "LO1", "covered": "partly", "unit": "intro", "quote": "the the"}],
        "confidence": "high",
        "issues": [ISSUE],
        "strengths": ["short"],
    },
    "delta_reply": {
        "reasoning": "Settled.",
        "passed": True,
        "confidence": "medium",
        "differences": [{"id": "1", "wanted": False}],
        "newIssues": [ISSUE],
    },
    "self_review_reply": {
        "reasoning": "Cut off.",
        "status": "REGENERATE",
        "issues": [
            {"type": "TRUNCATION", "severity": "CRITICAL", "location": "end", "quote": None, "description": "No end."}
        ],
    },
    "claims_reply": {"reasoning": "One.", "claims": [{"unit": "s1", "quote": "in 1990", "claim": "It was 1990."}]},
    "claim_verdict_reply": {
        "reasoning": "Found.",
        "verdicts": [{"claim": "It was 1990.", "verdict": "supported", "passage": "p3"}],
    },
    "answer_reply": {
        "items": [
            {
                "id": "q1",
                "reasoning": "Ferns have no thorns.",
                "choice": "C",
                "also_right": ["D"],
                "confidence": "high",
            }
        ]
    },
    "question_review_reply": {
        "reasoning": "Two keys.",
        "items": [
            {
                "id": "q1",
                "claims": [{"claim": "1", "upheld": False, "quote": ""}],
                "violations": [
                    {
                        "ruleId": "nbme_multiple_correct",
                        "field": "options.B",
                        "quote": "aspirin",
                        "message": "B is right too.",
                        "suggestion": None,
                    }
                ],
            }
        ],
    },
    "translation_reply": {"translations": [{"paragraph_id": "p_0001", "text": "Здраво."}]},
    "translation_review_reply": {
        "reasoning": "Fine.",
        "paragraphs": [
            {
                "paragraph_id": "p_0001",
                "scores": DIMENSIONS,
                "issues": [
                    {
                        "category": "negation",
                        "severity": "critical",
                        "quote": "не",
                        "description": "Lost.",
                        "suggested_fix": "не е",
                    }
                ],
            }
        ],
    },
    "critic_reply": {
        "reasoning": "Line 3.",
        "issues": [
            {
                "lens": "readability",
                "category": "style",
                "severity": "minor",
                "line": 3,
                "start_line": None,
                "end_line": None,
                "quote": None,
                "description": "Stiff.",
                "suggested_fix": None,
            }
        ],
        "scores": DIMENSIONS,
    },
    "lego_reply": {"reasoning": "Two.", "legos": [{"source": "I want to", "target": "Сакам да"}]},
    "lego_review_reply": {
        "reasoning": "Good.",
        "dimension_scores": {
            "iron_rule_compliance": 10,
            "naturalness": 8.5,
            "pedagogical_value": 9,
            "consistency": 8,
            "edge_case_handling": 0,
        },
        "concerns": [
            {
                "concern_id": "c_too_small",
                "severity": "low",
                "description": "Short.",
                "affected_legos": ["S5L2"],
                "suggested_fix": "Join them.",
            }
        ],
        "suggestions": [
            {
                "suggestion_id": "s_longer",
                "priority": "high",
                "suggested_change": "Ask for three words.",
                "rationale": "Short ones teach little.",
            }
        ],
    },
}
