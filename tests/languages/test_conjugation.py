"""Forms of verbs from patterns."""

from __future__ import annotations

import pytest

from burnish.languages.profiles import conjugated, profile_of


def test_the_longest_ending_wins() -> None:
    patterns = {"": "~s", "y": "~ies", "ay": "~ays"}
    assert [*conjugated("play", patterns)] == ["plays"]
    assert [*conjugated("try", patterns)] == ["tries"]
    assert [*conjugated("look", patterns)] == ["looks"]


def test_a_marked_verb_doubles_its_last_letter() -> None:
    assert [*conjugated("stop+", {"+": "~ ~^ed ~^ing"})] == ["stop", "stopped", "stopping"]


def test_no_pattern_gives_no_form() -> None:
    assert [*conjugated("parler", {"ir": "~it"})] == []


@pytest.mark.parametrize(
    ("code", "verb", "forms"),
    [
        ("en", "turn", "turn turns turned turning"),
        ("en", "stop", "stop stops stopped stopping"),
        ("en", "take", "take takes took taken taking"),
        ("en", "carry", "carry carries carried carrying"),
        ("en", "lie", "lie lies lay lain lied lying"),
        ("en", "travel", "travelled traveled travelling"),
        ("en", "be", "am is are was were been being"),
        ("es", "tener", "tengo tienes tuvo tendrá tenga tenido"),
        ("es", "llegar", "llego llegué llegue llegando"),
        ("es", "acercar", "acerqué acercarse acercándose"),
        ("fr", "avoir", "ai avez aurait j'ai eu"),
        ("fr", "commencer", "commence commençons commençait"),
        ("it", "prendere", "prendo presi preso prendersi"),
        ("it", "cercare", "cerco cerchi cercherò cercato"),
        ("pt", "ficar", "fico fiquei ficou fique"),
        ("pt", "começar", "começo comecei começou"),
        ("de", "rufen", "rufe rufst rief gerufen"),
        ("de", "warten", "warte wartest wartete gewartet"),
        ("ru", "принять", "приму принял приняла примите"),
        ("ru", "идти", "иду идёт идет шёл шел"),
        ("mk", "сеќава", "сеќавам сеќаваш сеќаваат"),
        ("mk", "сретне", "сретнам сретна сретнавме"),
    ],
)
def test_known_forms(code: str, verb: str, forms: str) -> None:
    profile = profile_of(code)
    assert profile is not None
    assert set(forms.split()) <= profile.forms_of(verb)


def test_an_unknown_verb_has_its_base_form_only() -> None:
    profile = profile_of("en")
    assert profile is not None
    assert profile.forms_of("zorp") == {"zorp"}
