"""A small bank in which everything happens that the workbench shows of questions, and the model that works on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from burnish.cli.main import main

METADATA = {"course_id": "REN", "slo_ids": ["REN-07", "REN-11"], "bloom_level": "analyze", "difficulty": "medium"}
RATIONALE = (
    "Granular casts point to tubular necrosis. Concentrated urine, a low excretion of sodium and a high ratio point to "
    "a prerenal cause, and E is wrong because D is right."
)
HOSTILE = "Which drug is <script>alert(1)</script> NOT given first in \u202egnikcart hyperkalemia?"


def options(*texts: str) -> list[dict[str, str]]:
    return [{"key": key, "text": text} for key, text in zip("ABCDE", texts, strict=False)]


CASTS: dict[str, Any] = {
    "id": "RN-0412",
    "vignette": "A 54-year-old woman has been vomiting for two days. Blood pressure is 92/58 mm Hg.",
    "stem": "All of the following findings support a prerenal cause of her kidney injury EXCEPT:",
    "options": options(
        "Urine osmolality above 500 mOsm/kg",
        "Fractional excretion of sodium below 1 %",
        "BUN-to-creatinine ratio above 20:1",
        "Muddy brown granular casts, which are always seen in the urine sediment",
        "None of the above",
    ),
    "correct_answer": "D",
    "rationale": RATIONALE,
    "metadata": METADATA,
}
"""Corrected twice; the last option denies the others in every try."""
SET: dict[str, Any] = {
    "id": "RN-0413",
    "type": "extended_matching",
    "stem": "For each patient, select the most likely disorder.",
    "options": options("Minimal change disease", "Membranous nephropathy", "IgA nephropathy"),
    "items": [
        {"stem": "A 6-year-old boy has swelling around the eyes for 3 days.", "correct_answer": "A"},
        {
            "stem": "A man has red urine two days after a sore throat. Which disorder is most likely?",
            "correct_answer": "C",
            "rationale": "IgA nephropathy follows an infection within days; the other two do not begin with blood.",
        },
    ],
    "metadata": METADATA,
}
"""An item without an explanation; the model does not answer."""
SCRIPTED: dict[str, Any] = {
    "id": "RN-0414",
    "stem": HOSTILE,
    "options": options("Calcium gluconate", "Insulin with glucose", "<img src=x onerror=alert(2)>", "Salbutamol"),
    "correct_answer": "C",
    "rationale": "Calcium protects the heart; insulin and salbutamol move potassium into cells. C is a picture.",
    "metadata": METADATA,
}
ARABIC: dict[str, Any] = {
    "id": "عربي-1",
    "stem": "أي من التالي ليس من وظائف الكلية؟",
    "options": options("تنقية الدم", "إفراز الإنسولين", "تنظيم الماء", "إفراز الرينين"),
    "correct_answer": "B",
    "rationale": "الإنسولين يفرزه البنكرياس. أما الكلية فتنقي الدم وتنظم الماء وتفرز الرينين.",
    "language": "ar",
    "metadata": METADATA,
}
SOUND: dict[str, Any] = {
    "id": "RN-0500",
    "stem": "A patient has a serum potassium of 2.4 mmol/L after four days of treatment. "
    "Which of the following is the most likely explanation?",
    "options": options("Loss in the urine", "Shift into cells", "Low intake of food", "Gain from the diet"),
    "correct_answer": "A",
    "rationale": "A: the drug makes the kidney lose potassium. B, C and D would each give a different value.",
    "metadata": METADATA,
}
BANK = [CASTS, SET, SCRIPTED, ARABIC, SOUND]


def solved(question: dict[str, Any]) -> dict[str, Any]:
    reply = {"reasoning": "It is.", "choice": question["correct_answer"], "also_right": [], "confidence": "high"}
    return {"reply_name": "answer_reply", "unit": question["id"], "reply": reply}


def edit(field: str, find: str, replace: str) -> dict[str, str]:
    return {"unit": "RN-0412", "field": field, "find": find, "replace": replace}


RULES = [
    {
        "reply_name": "edit_reply",
        "unit": "RN-0412",
        "reply": {
            "reasoning": "Asked the other way round.",
            "edits": [
                edit("stem", CASTS["stem"], "Which of the following findings would suggest intrinsic kidney injury?"),
                edit("options.E", "None of the above", "None of these fits"),
            ],
        },
    },
    {"reply_name": "question_review_reply", "reply": {"reasoning": "Nothing to object to.", "violations": []}},
    solved(ARABIC),
    solved(SOUND),
]


def renal_runs(home: Path, *, decided: bool = False) -> Path:
    """The folder with the run `renal`. `decided`: a person has accepted one question and edited another."""
    bank, script, runs = home / "renal.json", home / "renal_model.json", home / "runs"
    bank.write_text(json.dumps(BANK, ensure_ascii=False), encoding="utf-8")
    script.write_text(json.dumps({"rules": RULES}), encoding="utf-8")
    arguments = ("polish", bank, "--model", f"scripted:{script}", "--run-id", "renal", "--runs", runs, "--no-color")
    assert main([str(argument) for argument in arguments]) == 3
    if decided:
        deciding = ("--by", "Lila", "--runs", str(runs), "--no-color")
        assert main(["decide", "renal", "RN-0412", "accept", "--note", "E is fine.", *deciding]) == 0
        text = home / "edit.json"
        text.write_text('{"stem": "Which drug is given last in hyperkalemia?"}', encoding="utf-8")
        assert main(["decide", "renal", "RN-0414", "edit", "--text-file", str(text), *deciding]) == 0
    return runs
