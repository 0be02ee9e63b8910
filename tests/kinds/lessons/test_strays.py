"""A repair is the old text mended: one of the same length about something else is refused."""

import pytest

from burnish.kinds.lessons.drafts import explanation, strays
from tests.kinds.lessons.work_driver import Stage
from tests.lessons_model import EVAPORATION, PRECIPITATION, SOUND, WRONG_YEAR, Question, World, lesson

TEXT = EVAPORATION.format(**SOUND)
NONSENSE = " ".join(["Lamps sing over velvet parliaments while seven orange engines marry the alphabet."] * 6)


def test_a_text_about_something_else_is_refused() -> None:
    same = NONSENSE[: len(TEXT)]
    assert (strays(TEXT, same, is_edit=False) or "").startswith("other_text")
    assert strays(TEXT, TEXT.replace("warms", "heats"), is_edit=False) is None
    shorter = "Sun warms seas and lakes. Warm water rises as vapour, plants give off water, and wind carries it away."
    assert strays(TEXT, shorter, is_edit=False) is None, "another wording of the same is none"


def test_a_small_edit_replaces_at_most_a_third() -> None:
    half = TEXT[: len(TEXT) // 2] + NONSENSE[: len(TEXT) - len(TEXT) // 2]
    assert (strays(TEXT, half, is_edit=True) or "").startswith("replaces_much")
    assert strays(TEXT, TEXT.replace("A wet shirt", "A damp shirt"), is_edit=True) is None
    assert strays("A few words only.", "Others.", is_edit=True) is None


def test_terms_in_bold_stay() -> None:
    before = f"**Transpiration** is water in the air. {TEXT}"
    assert (strays(before, before.replace("**Transpiration**", "Steam"), is_edit=True) or "").startswith(
        "drops_terms: Transp"
    )
    assert strays(before, before.replace("**Transpiration**", "Transpiration"), is_edit=True) is None


@pytest.mark.parametrize("reason", ["other_text", "drops_terms", "replaces_much"])
def test_whoever_tries_again_is_told_why(reason: str) -> None:
    assert "JSON" not in explanation(f"{reason}: x")


def test_a_rewrite_of_the_same_length_that_says_nothing_is_refused_in_a_run() -> None:
    """Its delta judge and the judges of the section would have liked it."""

    def raves(question: Question) -> object:
        text = PRECIPITATION.format(**{**SOUND, "year": WRONG_YEAR.bad})
        if question.reply == "section_reply":
            return {"reasoning": "Better.", "unit": "precipitation", "text": NONSENSE[: len(text) - 1] + "."}
        return None

    done = Stage(World(base=0.9, override=raves), sources=True).perform(lesson(WRONG_YEAR))
    assert WRONG_YEAR.bad in done.text("precipitation")
    failures = [draft.failure or "" for draft in done.drafts["precipitation"] if draft.failure]
    assert failures and all(failure.startswith("other_text") for failure in failures)
