"""The rules of semantic fidelity: their own examples, hostile text, and what they must not say."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.checks import Check
from burnish.core.edits import apply_edits
from burnish.kinds.manuscripts.checks.chat_wrapping import chat_wrapping
from burnish.kinds.manuscripts.checks.dates_changed import dates_changed
from burnish.kinds.manuscripts.checks.links_changed import links_changed
from burnish.kinds.manuscripts.checks.misplaced_text import misplaced_text
from burnish.kinds.manuscripts.checks.missing_word import missing_word
from burnish.kinds.manuscripts.checks.names_changed import names_changed
from burnish.kinds.manuscripts.checks.negation_changed import negation_changed
from burnish.kinds.manuscripts.checks.numbers_changed import numbers_changed
from burnish.kinds.manuscripts.checks.placeholders_changed import placeholders_changed
from burnish.kinds.manuscripts.checks.repeated_text import repeated_text
from burnish.kinds.manuscripts.checks.sentences_missing import sentences_missing
from burnish.kinds.manuscripts.checks.text_added import text_added
from burnish.kinds.manuscripts.checks.text_breaks_off import text_breaks_off
from burnish.kinds.manuscripts.checks.text_left_out import text_left_out
from burnish.kinds.manuscripts.checks.translation_missing import translation_missing
from burnish.kinds.manuscripts.checks.units_changed import units_changed
from burnish.kinds.manuscripts.checks.unrelated_text import unrelated_text
from burnish.kinds.manuscripts.policy import RULES
from burnish.languages.counterparts import Gap, Gaps
from tests.kinds.manuscripts.checks.semantic import blocks, of, pair, raised

CHECKS = [
    chat_wrapping,
    dates_changed,
    links_changed,
    misplaced_text,
    names_changed,
    negation_changed,
    numbers_changed,
    placeholders_changed,
    repeated_text,
    sentences_missing,
    text_added,
    text_breaks_off,
    text_left_out,
    translation_missing,
    units_changed,
    unrelated_text,
]
BAD = [pytest.param(check, example, id=f"{check.id}-{n}") for check in CHECKS for n, example in enumerate(check.bad)]
GOOD = [pytest.param(check, example, id=f"{check.id}-{n}") for check in CHECKS for n, example in enumerate(check.good)]
LANGUAGES = ["en", "es", "fr", "de", "it", "pt", "ru", "mk", "bg", "pl", "cs", "hi", "zh", "ja", "kab", "zgh", "und"]
HOSTILE = [
    "1" * 5_000,
    "1,1." * 2_000,
    "1 111" * 2_000,
    "no not " * 2_000,
    "[" * 3_000,
    "Aaa Bbb " * 2_000,
    "a" * 2_000,
    "XIVI " * 2_000,
    "万千" * 3_000,
    "la la la " * 2_000,
    "`{%$" * 2_000,
    "\ud800\u0000\ufffc" * 1000,
]


def test_every_rule_of_the_dimension_is_here() -> None:
    placed = {rule for rule, place in RULES.items() if place.dimension == "semantic_fidelity"}
    assert placed == {check.id for check in CHECKS}


@pytest.mark.parametrize(("check", "example"), BAD)
def test_bad_examples_are_told(check: Check, example: dict[str, Any]) -> None:
    findings = raised(check, of(example), example.get("misplaced"))
    assert any(finding.blocks for finding in findings)
    assert all(finding.quote is None or finding.quote in example["translation"] for finding in findings)


@pytest.mark.parametrize(("check", "example"), GOOD)
def test_good_examples_pass(check: Check, example: dict[str, str]) -> None:
    assert raised(check, of(example)) == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    for languages in ("en-es", "cs-en"):
        for one in (pair(text, "Nada.", languages), pair("Nothing.", text, languages)):
            for check in CHECKS:
                assert all(finding.rule == check.id for finding in raised(check, one))


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(LANGUAGES), st.sampled_from(LANGUAGES))
def test_no_text_crashes_a_rule(source: str, translation: str, from_language: str, to_language: str) -> None:
    one = pair(source, translation, f"{from_language}-{to_language}")
    for check in CHECKS:
        for finding in raised(check, one):
            assert finding.rule == check.id
            assert finding.quote is None or translation[finding.start : finding.end] == finding.quote


@given(st.text(alphabet="abc XYZ 0123456789.,'()[]{}%$`", max_size=60))
def test_a_text_beside_itself_keeps_its_facts(text: str) -> None:
    one = pair(text, text, "en-es")
    for check in (
        numbers_changed,
        links_changed,
        placeholders_changed,
        units_changed,
        dates_changed,
        sentences_missing,
    ):
        assert raised(check, one) == []


@pytest.mark.parametrize(
    ("source", "translation", "languages"),
    [
        ("In the 1990s it was 5 pm.", "En los años 90 eran las 17 horas.", "en-es"),
        ("Louis XIV reigned for 72 years.", "Ludwig der 14. regierte 72 Jahre.", "en-de"),
        ("It grew by half, from 2.5 million.", "Creció un 50 %, desde 2.500.000.", "en-es"),
        ("भारत में २५ लाख लोग हैं।", "There are 2.5 million people in India.", "hi-en"),
        ("See note.[^3]", "Véase la nota.[^12]", "en-es"),
        ("Run `step 5` twice.", "Ejecute el paso 5 dos veces.", "en-es"),
        ("Двадцать пять человек пришли девятнадцатого мая.", "25 people came on 19 May.", "ru-en"),
        ("Fünfundzwanzig Kinder", "Venticinque bambini", "de-it"),
    ],
)
def test_numbers_that_are_the_same(source: str, translation: str, languages: str) -> None:
    assert raised(numbers_changed, pair(source, translation, languages)) == []


@pytest.mark.parametrize(
    ("source", "translation", "languages"),
    [
        ("Son las 12:00 en punto.", "It is exactly 11:00.", "es-en"),
        ("Тысяча девятьсот человек и 42 коня.", "1,900 people and 24 horses.", "ru-en"),
        ("Ccan-d 1954 n medden.", "1945 people came.", "kab-en"),
        ("今月９日に拘束された。", "He was detained on the 19th.", "ja-en"),
    ],
)
def test_numbers_that_differ(source: str, translation: str, languages: str) -> None:
    assert blocks(numbers_changed, source, translation, languages)


def test_a_number_that_is_gone_has_no_place_but_is_named() -> None:
    [finding] = raised(numbers_changed, pair("It has 1200 rooms.", "Tiene habitaciones."))
    assert finding.quote is None and "'1200'" in finding.message


@pytest.mark.parametrize(
    ("source", "translation", "languages"),
    [
        ("Tu ne manges que du pain.", "You eat only bread.", "fr-en"),
        ("Вы не могли бы помочь?", "Could you help?", "ru-en"),
        ("Sin embargo, llegó.", "However, she came.", "es-en"),
        ("Not only he but she came.", "Vinieron él y también ella.", "en-es"),
        ("Nobody came.", "Nadie vino nunca.", "en-es"),
        ("It is unlikely.", "No es probable.", "en-es"),
        ("未来三天有雨。", "It will rain for the next three days.", "zh-en"),
        ("აქ არის.", "It is not here.", "ka-en"),
    ],
)
def test_denials_that_are_the_same_or_unknown(source: str, translation: str, languages: str) -> None:
    assert raised(negation_changed, pair(source, translation, languages)) == []


@pytest.mark.parametrize(
    ("source", "translation", "languages"),
    [
        ("La población creció mucho.", "The population did not grow much.", "es-en"),
        ("Nebyl tam.", "He was there.", "cs-en"),
        ("यह सही नहीं है।", "This is right.", "hi-en"),
        ("Das ist nicht wahr und nicht gut.", "That is true and good.", "de-en"),
        ("雨が降りませんでした。", "It rained.", "ja-en"),
    ],
)
def test_denials_that_differ(source: str, translation: str, languages: str) -> None:
    assert blocks(negation_changed, source, translation, languages)


@pytest.mark.parametrize(
    ("source", "translation", "languages", "told"),
    [
        ("Ayer vimos a Liggins en el parque.", "Yesterday we saw Putin in the park.", "es-en", True),
        ("Das sagte Grindel am Abend.", "He told Putin that in the evening.", "de-en", True),
        ("他来自菲斯克大学（Fisk University）。", "He comes from Oxford.", "zh-en", True),
        ("Los pacientes con VIH y la ONU.", "Patients with HIV and the UN.", "es-en", False),
        ("W maju METI ogłosiło wyniki.", "In May the company published results.", "pl-en", False),
        ("Ayer hablé con Артём Суворов.", "Yesterday I talked to Artem Suvorov.", "es-en", False),
        ("We met Agatha Crymble there.", "Allí encontramos a Agatha Crymble.", "en-es", False),
        ("We met Agatha Crymble there.", "Allí encontramos a una mujer.", "en-es", True),
        ("Die Republik Moldau", "The Republic of Moldova", "de-en", False),
        ("MENÚ PRINCIPAL DE LA CASA", "MAIN MENU OF THE HOUSE", "es-en", False),
        ("Singapour est sûr.", "The city is safe.", "fr-en", True),
    ],
)
def test_names(source: str, translation: str, languages: str, told: bool) -> None:
    assert blocks(names_changed, source, translation, languages) is told


def test_another_name_is_shown_with_its_place() -> None:
    [finding] = raised(names_changed, pair("Lo dijo Ricardo Salazar.", "So said Quentin Chabert.", "es-en"))
    assert finding.quote is None or finding.quote in ("Quentin", "Chabert")
    assert "'Salazar'" in finding.message


@pytest.mark.parametrize(
    ("source", "translation", "languages", "told"),
    [
        ("On May 5 he left.", "El 5 de mayo se fue.", "en-es", False),
        ("5月3日，星期三。", "Wednesday, 3 May.", "zh-en", False),
        ("水曜日に来た。", "He came on Thursday.", "ja-en", True),
        ("V úterý 3. března přijel.", "He came on Tuesday, 3 April.", "cs-en", True),
        ("It rained on Monday.", "Ageffur.", "en-kab", False),
        ("Am 3. Mai 2010 kam er.", "He came on 3 March 2010.", "de-en", True),
        ("He came on May 3, 2010.", "Vino el 3 de mayo de 2010.", "en-es", False),
        ("May I come in June? March on!", "¿Puedo venir en junio? ¡Adelante!", "en-es", False),
        ("Closed on Sundays.", "Fechado às segundas-feiras.", "en-pt", True),
    ],
)
def test_dates(source: str, translation: str, languages: str, told: bool) -> None:
    assert blocks(dates_changed, source, translation, languages) is told


@pytest.mark.parametrize(
    ("source", "translation", "languages", "told"),
    [
        ("Es kostet 5 Dollar.", "It costs 5 euros.", "de-en", True),
        ("100公里", "100 miles", "zh-en", True),
        ("100公里外", "100 km away", "zh-en", False),
        ("It is 20 °C.", "Hace 20 °F.", "en-es", True),
        ("She paid ¥500.", "Pagó 500 yenes.", "en-es", False),
        ("Take 5 mg daily.", "Tome 5 al día.", "en-es", False),
        ("Take 5 mg daily.", "Tome 5 g al día.", "en-es", True),
        ("It climbed 850 m.", "Subía 850 metros.", "en-es", False),
        ("It has 5 G and 5 mg.", "Tiene 5 G y 5 mg.", "en-es", False),
    ],
)
def test_units(source: str, translation: str, languages: str, told: bool) -> None:
    assert blocks(units_changed, source, translation, languages) is told


@pytest.mark.parametrize(
    ("source", "translation", "told"),
    [
        ("Chapter 1", "Capítulo 2", True),
        ("Chapter 1", "Capítulo 1", False),
        ("Chapter 1: The mule", "Capítulo I: La mula", False),
        ("Only 1 hour left", "Quedan 60 minutos", False),
        ("Section 1.2", "Apartado 1.2", False),
    ],
)
def test_a_heading_keeps_its_number(source: str, translation: str, told: bool) -> None:
    assert blocks(numbers_changed, source, translation) is told


def test_wrong_numbers_alone_are_no_other_text() -> None:
    source, target = "He was forty-two and had buried two wives.", "Tenía veinticuatro años y enterró a tres esposas."
    assert raised(unrelated_text, pair(source, target)) == []
    assert blocks(numbers_changed, source, target)


def test_a_missing_footnote_is_named() -> None:
    [finding] = raised(links_changed, pair("It climbed.[^1] It fell.[^2]", "Subía. Caía.[^2]"))
    assert finding.severity == "error" and "'[^1]'" in finding.message
    [finding] = raised(links_changed, pair("It climbed.", "Subía.[^7]"))
    assert finding.quote == "[^7]" and finding.severity == "warning"


def test_a_note_itself_is_no_mark() -> None:
    assert raised(links_changed, pair("[^1]: A note.", "Una nota.")) == []
    assert raised(links_changed, pair("He said:[^1]", "Dijo[^10]:")) == []


def test_a_unit_is_called_as_it_is_written() -> None:
    [finding] = raised(units_changed, pair("It climbed 850 m.", "Subía 850 kilómetros."))
    assert finding.message == "The unit is 'kilómetros', in the source it is 'm'."


@pytest.mark.parametrize(
    ("source", "translation", "languages", "severities"),
    [
        ("Ludwig XIV. starb im Alter von 76 Jahren.", "Louis XIV died at the age of 76.", "de-en", []),
        ("Weiß Gott, der Preis stieg auf 1,2 Milliarden Pfund.", "God knows, it rose to £1.2bn.", "de-en", []),
        ("Der Erste Weltkrieg endete. Kommen Sie herein!", "The First World War ended. Come in!", "de-en", []),
        ("Zwei Seemeilen vor der Küste sank es.", "It sank two nautical miles off the coast.", "de-en", []),
        ("Er kam mit Humor davon.", "He got off with a joke.", "de-en", []),
        ("Das sagte Grindel gestern.", "He said that yesterday.", "de-en", ["error"]),
        ("Gestern kam Stephen Colbert zu uns.", "He came to us yesterday.", "de-en", ["error"]),
        ("Au XIXe siècle, on vivait mieux.", "Life was better in the 19th century.", "fr-en", ["info"]),
        ("| la posada El Ciervo |", "| the inn The Stag |", "es-en", []),
        ("We met Mr Oldfield there.", "Allí encontramos al señor Whitmore.", "en-es", ["error"]),
        ("We met Mr Oldfield there.", "Allí encontramos al señor.", "en-es", ["error"]),
        ("Then the English left.", "Luego los ingleses dejaron Calais.", "en-es", ["warning"]),
        ("Ms. Swan is our teacher.", "Нашата учителка е г-жа Суон.", "en-bg", []),
    ],
)
def test_only_what_is_surely_a_name_is_an_error(
    source: str, translation: str, languages: str, severities: list[str]
) -> None:
    assert [found.severity for found in raised(names_changed, pair(source, translation, languages))] == severities


def test_an_exchanged_address_is_a_warning() -> None:
    [finding] = raised(
        links_changed,
        pair("See [it](https://en.example.org/a).", "Vea [esto](https://fr.example.org/a)."),
    )
    assert finding.severity == "warning" and finding.quote == "https://fr.example.org/a"


def test_the_same_site_in_the_language_of_the_translation_is_no_finding() -> None:
    source = "See [it](https://en.example.org/a)."
    assert raised(links_changed, pair(source, "Vea [esto](https://es.example.org/a).")) == []


def test_a_definition_may_have_another_label_and_title() -> None:
    source, target = '[guide]: https://example.org/ "Guide"', "[guía]: https://example.org/"
    assert raised(links_changed, pair(source, target)) == []


@pytest.mark.parametrize(
    ("code", "other", "severity"),
    [("greet.py", "saludo.py", "info"), ("ls -l", "ls -a", "warning"), ("<br/>", "<p>", "warning")],
)
def test_exchanged_code_is_a_warning_but_for_its_words(code: str, other: str, severity: str) -> None:
    [finding] = raised(placeholders_changed, pair(f"Open `{code}`.", f"Abra `{other}`."))
    assert finding.severity == severity


def test_a_free_translation_is_told_for_information() -> None:
    source = "When Toolbox launches, it will look like this."
    [finding] = raised(unrelated_text, pair(source, "Al iniciarse, Toolbox se verá como en la siguiente figura:"))
    assert finding.severity == "info"


def test_words_that_cannot_stand_together_may_be_out_of_order() -> None:
    [finding] = raised(missing_word, pair("Идёт испытание ракеты.", "Testing a of missile is proceeding.", "ru-en"))
    assert finding.message.startswith("'a of': ") and "wrong place" in finding.message


def test_a_new_placeholder_has_its_place() -> None:
    [finding] = raised(placeholders_changed, pair("Hello.", "Hola {name}."))
    assert finding.quote == "{name}" and finding.severity == "error"


def test_repeats_are_taken_out_by_code() -> None:
    one = pair("El barco llegó de noche.", "Late the ship arrived the ship arrived at night.", "es-en")
    [finding] = raised(repeated_text, one)
    assert finding.fix is not None
    assert apply_edits(one, [finding.fix]).translation == "Late the ship arrived at night."


def test_what_was_rendered_is_not_mended_here() -> None:
    one = of({"text": "A.", "translation": "ⴰⴷ ⵢⵉⵍⵉ ⴰⴷ ⵢⵉⵍⵉ ⴷ.", "latin": "ad yili ad yili d."}, "en", "zgh")
    [finding] = raised(repeated_text, one)
    assert finding.fix is None


def test_a_source_that_repeats_may_be_repeated() -> None:
    assert raised(repeated_text, pair("Go away go away now.", "Vete ya vete ya ahora.")) == []


def test_joined_sentences_are_not_missing() -> None:
    assert raised(sentences_missing, pair("Er kam. Er sah. Er siegte.", "He came, he saw, he won.", "de-en")) == []


def test_only_whole_sentences_that_were_added_are_an_error() -> None:
    source = "The children went to school early in the morning. Their mother worked in the garden."
    target = "Los niños fueron a la escuela temprano por la mañana. Su madre trabajaba en el jardín."
    more = "Hacía mucho frío y los perros del vecino ladraban sin parar toda la noche."
    whole, part = f"{target} {more}", f"{target.removesuffix('.')}, donde {more[0].lower()}{more[1:]}"
    severities = [[finding.severity for finding in raised(text_added, pair(source, text))] for text in (whole, part)]
    assert severities == [["error"], ["warning"]]


def severities_of(monkeypatch: pytest.MonkeyPatch, source: str, found: Gaps) -> list[str]:
    """What text_left_out says of a source beside a short translation, if the lexicon found this."""
    monkeypatch.setattr("burnish.kinds.manuscripts.checks.text_left_out.gaps_of", lambda *_: found)
    return [finding.severity for finding in raised(text_left_out, pair(source, "La lluvia cesó al mediodía."))]


def test_whole_sentences_missing_at_the_end_need_little_to_be_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "The rain stopped at noon. We went home."
    gaps = (Gap(26, 39, 3.0, True), Gap(26, 39, 3.0, False), Gap(0, 26, 3.0, True))
    severities = [severities_of(monkeypatch, source, Gaps(gap, None, True)) for gap in gaps]
    assert severities == [["error"], [], []]


def test_what_is_beyond_doubt_is_an_error_by_a_lexicon_that_is_only_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "The rain stopped at noon. We went home."
    gaps = (Gap(26, 39, 3.0, True), Gap(26, 39, 12.0, True))
    severities = [
        severities_of(monkeypatch, source, Gaps(gap, None, False, fair)) for gap in gaps for fair in (False, True)
    ]
    assert severities == [["warning"], ["warning"], ["warning"], ["error"]]


def test_short_texts_are_translated_more_freely(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "The rain stopped at noon and we went home."
    two = f"Then {source[0].lower()}{source[1:]} It was late and the road was long."
    long = f"When the children came back from school, {source[0].lower()}{source[1:-1]} by the way along the river."
    severities = [
        severities_of(monkeypatch, text, Gaps(Gap(25, len(text), score, False), None, True))
        for text, score in ((source, 5.2), (source, 8.0), (source, 10.0), (two, 5.2), (long, 6.0), (long, 8.0))
    ]
    assert severities == [[], ["info"], ["error"], ["error"], ["info"], ["error"]]
