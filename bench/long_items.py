"""Two large items with one bad field each: a question with all its metadata, and a sequential set of five items."""

from __future__ import annotations

from typing import Any

CASE = (
    "A 63-year-old retired welder comes to the clinic because of a cough that has become worse over the past three "
    "months. He brings up small amounts of white sputum in the morning. He has smoked a pack of cigarettes a day for "
    "forty years and stopped two years ago. His temperature is 36.9 C, his pulse is 88/min, his respirations are "
    "20/min and his blood pressure is 134/82 mm Hg. Breath sounds are faint over both lungs and expiration is "
    "prolonged. The rest of the examination shows no abnormalities. His haemoglobin is 16.8 g/dL. A radiograph of the "
    "chest shows flat diaphragms and a narrow heart. Spirometry shows an FEV1 of 52 % of predicted, with an FEV1/FVC "
    "ratio of 0.58, and hardly any change after an inhaled bronchodilator."
)
COURSE = (
    "He is advised to keep away from smoke and begins to use a long-acting inhaled bronchodilator. Four weeks later he "
    "returns because his ankles have been swollen for several days and he now becomes short of breath after climbing a "
    "single flight of stairs. He sleeps on two pillows. His oxygen saturation at rest is 86 % while he breathes room "
    "air, and an arterial sample drawn at the same time shows a carbon dioxide pressure of 51 mm Hg. The veins of his "
    "neck are distended, his liver can be felt two fingers below the costal margin, and pressing on the shins leaves a "
    "dent. An electrocardiogram shows tall P waves in the inferior leads and a right axis. Echocardiography shows a "
    "dilated right ventricle with a normal left one. His daughter asks what can be done for him at home."
)
STEPS = (
    (
        "Which of the following is NOT a likely cause of his limited airflow?",
        "Loss of elastic recoil",
        "Pleural scarring",
        "Chest wall stiffness",
        "Weakness of the diaphragm",
    ),
    (
        "Which of the following treatments prolongs life in patients such as this one?",
        "Oxygen at low saturation",
        "Inhaled corticosteroids",
        "Oral theophylline",
        "A long course of antibiotics",
    ),
    (
        "Which of the following findings best explains the flat diaphragms?",
        "Trapped air",
        "Fluid in the pleural space",
        "Paralysis of the phrenic nerve",
        "Collapse of the lower lobes",
    ),
    (
        "Which of the following vaccines is most important for him this autumn?",
        "Influenza vaccine",
        "Rabies vaccine",
        "Yellow fever vaccine",
        "Typhoid vaccine",
    ),
    (
        "Which of the following changes in the blood is a consequence of his illness?",
        "More red cells",
        "Fewer platelets",
        "More eosinophils",
        "Fewer lymphocytes",
    ),
)
BECAUSE = (
    "{0} fits best: years of smoke destroy the walls of the alveoli, so that the small airways lose their support and "
    "close early during expiration. {1} would show in the examination and in other volumes. {2} would lower the vital "
    "capacity and leave the ratio as it is. {3} would come with other complaints that this patient does not have."
)


def long_question() -> dict[str, Any]:
    stem, *options = STEPS[0]
    extra = {
        f"reviewer_{n}_comment": "Sound; checked against the current guideline of the society." for n in range(1, 9)
    }
    return {
        "id": "pulm-0417",
        "type": "single_best_answer",
        "vignette": f"{CASE}\n\n{COURSE}",
        "stem": stem,
        "options": _options(options),
        "correct_answer": "A",
        "rationale": " ".join(BECAUSE.format(*step[1:]) for step in STEPS[:2]),
        "metadata": {
            "course_id": "internal-medicine-2",
            "slo_ids": ["slo-211", "slo-212"],
            "concept_ids": ["copd", "spirometry"],
            "bloom_level": "Apply",
            "difficulty": "medium",
            "usmle_system": "Respiratory",
            "usmle_discipline": "Pathology",
            "keywords": ["emphysema", "smoking", "airflow"],
            "author": "Department of Internal Medicine, examination board",
            "source": "Case collection of the teaching hospital, third edition, chapter 12",
            **extra,
        },
    }


def sequential_set() -> dict[str, Any]:
    items = [
        {
            "stem": stem,
            "options": _options(options),
            "correct_answer": "A",
            "rationale": BECAUSE.format(*options),
        }
        for stem, *options in STEPS
    ]
    return {"id": "pulm-set-9", "type": "sequential_set", "vignette": CASE, "stem": "", "options": [], "items": items}


def _options(texts: list[str]) -> list[dict[str, str]]:
    return [{"key": key, "text": text} for key, text in zip("ABCDE", texts, strict=False)]
