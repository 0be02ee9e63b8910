"""Questions for tests of the doors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SOUND: dict[str, Any] = {
    "id": "q1",
    "stem": "A 71-year-old man has had a resting tremor of the right hand and slow movements for 1 year. "
    "Loss of cells in which of the following structures is the most likely cause?",
    "options": [
        {"key": "A", "text": "Caudate nucleus"},
        {"key": "B", "text": "Cerebellar cortex"},
        {"key": "C", "text": "Substantia nigra"},
        {"key": "D", "text": "Ventral thalamus"},
    ],
    "correct_answer": "C",
    "language": "en",
}
"""No rule has anything to say about it."""


def question(id: str = "q1", **changes: Any) -> dict[str, Any]:
    """The sound question with some fields exchanged."""
    return {**SOUND, "id": id, **changes}


def negative(id: str = "q1", about: str = "drugs") -> dict[str, Any]:
    """One error, of nbme_negation_detection."""
    stem = f"A 71-year-old man has had a resting tremor of the right hand for 1 year. All of these {about} help EXCEPT:"
    return question(id, stem=stem)


def absolute(id: str = "q1") -> dict[str, Any]:
    """One warning, of nbme_absolute_terms."""
    options = [dict(option) for option in SOUND["options"]]
    options[1]["text"] = "Always the cortex"
    return question(id, options=options)


def bank(path: Path, *questions: dict[str, Any] | str) -> Path:
    """A JSON Lines file; text is written as it stands."""
    lines = (entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False) for entry in questions)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
