"""Faults of translations that people reported: each was accepted, damaged or flagged wrongly once."""

from collections.abc import Iterable

import pytest

from burnish.core.checks import apply_safe_fixes, select
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import examine
from burnish.kinds.manuscripts.kind import KIND
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.policy import rule_scores

SELECTION = select(KIND.checks)


def paragraph(languages: str, source: str, target: str) -> Paragraph:
    first, second = languages.split(">")
    return Paragraph("p_0001", 1, "paragraph", source, target, source_language=first, target_language=second)


def findings(one: Paragraph) -> tuple[Finding, ...]:
    return examine(one, SELECTION, ManuscriptContext()).findings


def rules(found: Iterable[Finding]) -> set[str]:
    return {finding.rule for finding in found if finding.blocks}


def fixed(one: Paragraph) -> str:
    def look(unit: Paragraph):  # type: ignore[no-untyped-def]
        return examine(unit, SELECTION, ManuscriptContext())

    after = apply_safe_fixes(one, look(one), look).unit  # type: ignore[arg-type]
    assert isinstance(after, Paragraph)
    return after.translation


def test_a_text_cut_off_in_a_word_is_not_made_whole_by_a_full_stop() -> None:
    one = paragraph("en>es", "He had lived there for a long time.", "Había vivido allí durante mucho tiemp")
    assert "text_breaks_off" in rules(findings(one))
    assert rule_scores(findings(one))["semantic_fidelity"] < 0.85
    assert fixed(one) == one.translation


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>tr", "We met from time to time.", "Zaman zaman buluştuk."),
        ("en>vi", "He is always late.", "Anh ấy luôn luôn đến muộn."),
        ("en>hi", "He walked slowly.", "वह धीरे धीरे चला।"),
        ("en>kab", "He walked slowly.", "Yelḥa cwiṭ cwiṭ."),
        ("en>es", "It was a really old house.", "Era una casa vieja vieja."),
        ("en>hu", "He comes now and then.", "Néha néha eljön."),
    ],
)
def test_a_word_that_the_language_doubles_stays_doubled(languages: str, source: str, target: str) -> None:
    one = paragraph(languages, source, target)
    assert fixed(one) == target
    assert "doubled_word" not in rules(findings(one))


def test_a_small_word_set_twice_is_still_taken_out() -> None:
    one = paragraph("en>es", "The lamp stood on the table.", "La lámpara estaba en la la mesa.")
    assert fixed(one) == "La lámpara estaba en la mesa."


@pytest.mark.parametrize(
    "wrapped",
    [
        "Here is the translation: {}",
        "Sure! Here is the Spanish version:\n{}",
        "**Translation:** {}",
        "¡Claro! Aquí tienes la traducción: {}",
        "Voici la traduction : {}",
        "Hier ist die Übersetzung: {}",
        "Вот перевод: {}",
        "{} (Note: I kept the translation literal.)",
        "{} I hope this helps!",
    ],
)
def test_chat_round_a_translation_is_an_error(wrapped: str) -> None:
    one = paragraph("en>es", "The sea was calm.", wrapped.format("El mar estaba en calma."))
    assert "chat_wrapping" in rules(findings(one))


def test_lost_bold_and_lost_backticks_are_errors() -> None:
    assert "emphasis_changed" in rules(
        findings(paragraph("en>es", "He was **very** tired then.", "Estaba muy cansado entonces."))
    )
    assert "placeholders_changed" in rules(
        findings(paragraph("en>es", "Run `make` in the folder.", "Ejecute make en la carpeta."))
    )


def test_a_missing_object_is_an_error() -> None:
    one = paragraph("es>en", "El templo era el más grande del país.", "The was the largest in the country.")
    assert "missing_word" in rules(findings(one))


@pytest.mark.parametrize(
    ("languages", "right", "wrong"),
    [
        ("en>tr", "Onun 3 kedisi var.", "Onun 4 kedisi var."),
        ("en>hu", "Három macskája van.", "Négy macskája van."),
        ("en>el", "Έχει τρεις γάτες.", "Έχει 4 γάτες."),
        ("en>vi", "Cô ấy có ba con mèo.", "Cô ấy có 4 con mèo."),
    ],
)
def test_three_cats_stay_three_in_every_language(languages: str, right: str, wrong: str) -> None:
    assert "numbers_changed" not in rules(findings(paragraph(languages, "She has 3 cats.", right)))
    assert "numbers_changed" in rules(findings(paragraph(languages, "She has 3 cats.", wrong)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("hi>en", "जर्मनी ने उम्मीद की थी.", "Northern hopes were high."),
        ("zh>en", "智利是登山者的首选目的地。", "Europe is the first choice of climbers."),
        ("pl>en", "Trenowali w Paryżu.", "They trained in Bali."),
    ],
)
def test_a_country_or_a_city_that_is_gone_is_an_error(languages: str, source: str, target: str) -> None:
    assert "names_changed" in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("pl>en", "Sąd w Gandawie ogłosił upadłość.", "A court in Ghent declared bankruptcy."),
        ("ru>en", "Он будет играть в чемпионате Швеции.", "He will play in the Swedish championship."),
        ("en>he", "When did you come back from Germany?", "מתי חזרת מגרמניה?"),
        ("es>en", "Trabaja para Médicos Sin Fronteras.", "He works for Doctors of the World."),
        ("ja>en", "誰かがそれを支払わなければいけない。", "Someone has to pay for it."),
        ("zh>en", "不管下不下雨，我都每天去公园跑步。", "Whether rain or shine, I go to the park every day to run."),
        ("cs>en", "Nechci s tebou žít.", "I don't want to live with you."),
        ("hi>en", "मैं कल रात सोया नहीं।", "I didn't sleep last night."),
        ("en>he", "I paid $200 in taxes.", "שילמתי מאתיים דולר מסים."),
        ("en>fr", "He left before she could answer.", "Il partit avant qu'elle n'ait pu répondre."),
    ],
)
def test_sound_translations_are_left_alone(languages: str, source: str, target: str) -> None:
    assert not rules(findings(paragraph(languages, source, target)))


def test_another_language_than_was_asked_for_is_an_error() -> None:
    spanish = "El viejo marinero miraba el puerto desde la ventana de su casa y pensaba en su juventud."
    source = "The old sailor looked at the harbour from the window of his house and thought of his youth."
    for target in ("fi", "tr", "hu", "de"):
        assert "untranslated_text" in rules(findings(paragraph(f"en>{target}", source, spanish)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("it>en", "Il ministro Brambilla ha risposto ieri.", "Minister Fitzgerald answered yesterday."),
        ("cs>en", "Podle slov Zelenského jde o chybu.", "According to Macron it is a mistake."),
        ("hi>en", "कल बर्लुस्कोनी ने शादी कर ली।", "Yesterday Ruhail got married."),
        ("ja>en", "昨日、ベルルスコーニは結婚した。", "Yesterday Fitzgerald got married."),
        ("de>en", "Das sagte Grindel am Abend.", "Genevieve said that in the evening."),
        ("en>ru", "Yesterday Fitzgerald answered.", "Вчера ответил Брамбилла."),
        ("ja>en", "喬木村では道路が流された。", "In Moscow the road was washed away."),
        ("zh>en", "他去年去了那个小镇。", "Last year he went to that town in Germany."),
    ],
)
def test_another_name_is_an_error_across_scripts(languages: str, source: str, target: str) -> None:
    assert "names_changed" in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("fr>en", "Il dirige le Parti Travailliste depuis mai.", "He has led the Labour Party since May."),
        ("pl>en", "To było po Wielkim Wybuchu.", "That was after the Big Bang."),
        ("de>en", "Das Bayerische Reinheitsgebot gilt noch.", "The Bavarian Purity Law still holds."),
        ("de>en", "Im nordwestkanadischen Gebirge fand man ihn.", "He was found in the mountains of Canada."),
        ("hi>en", "मि. चेन ने जूमलॉयन के बारे में लिखा।", "Mr Chen wrote about Zoomlion."),
        ("el>en", "Το όρος Φούτζι είναι ψηλό.", "Mount Fuji is high."),
        ("he>en", "הקרדינל ברגוליו נבחר.", "Cardinal Bergoglio was elected."),
        ("ar>en", "وُلد فاضل في مدينة واكو.", "Fadil was born in the town of Waco."),
        ("ja>en", "おじは私に昨日本をくれました。", "My uncle gave me a book yesterday."),
        ("tr>en", "Benim zamanım değerlidir.", "My time is valuable."),
        ("pt>en", "A embaixada dos Estados Unidos fechou.", "The U.S. embassy closed."),
    ],
)
def test_what_is_no_name_or_the_same_name_is_left_alone(languages: str, source: str, target: str) -> None:
    assert "names_changed" not in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("hu>en", "Nem jött el a gyűlésre.", "He came to the meeting."),
        ("el>en", "Δεν ήρθε στη συνάντηση.", "He came to the meeting."),
        ("ro>en", "Nu a venit la întâlnire.", "He came to the meeting."),
        ("de>en", "Er ist immer noch nicht hier.", "He is still here."),
        ("en>nl", "The bridge is open in winter.", "De brug is in de winter niet open."),
        ("es>en", "No vino y no llamó.", "He did not come and he called."),
    ],
)
def test_a_denial_that_is_lost_or_added_is_an_error(languages: str, source: str, target: str) -> None:
    assert "negation_changed" in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("es>en", "El resultado fue 6 a 3, su tercera derrota.", "The result was 6 to 4, his third defeat."),
        ("en>vi", "It opened in 2030.", "Nó mở cửa năm 5030."),
        ("en>tr", "The train leaves at 12:00.", "Tren 11:00'de kalkıyor."),
    ],
)
def test_digits_are_compared_with_digits(languages: str, source: str, target: str) -> None:
    assert "numbers_changed" in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>ru", "I have been waiting since 2:30.", "Я жду с половины третьего."),
        ("en>ja", "I get up at 7:30.", "私は七時半に起きます。"),
        ("en>es", "It was in nineteen seventy-five.", "Fue en mil novecientos setenta y cinco."),
        ("en>ja", "The ticket costs 100 euros.", "チケットは百ユーロだ。"),
    ],
)
def test_hours_and_years_in_words_are_the_same_number(languages: str, source: str, target: str) -> None:
    assert "numbers_changed" not in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>hu", "Put the smaller box into the bigger one.", "Rakd a kisebb dobozt a nagyobba!"),
        ("pl>en", "Wracać na statek!", "Get back to the ship."),
    ],
)
def test_a_request_may_end_with_an_exclamation_mark(languages: str, source: str, target: str) -> None:
    assert "question_or_exclamation" not in rules(findings(paragraph(languages, source, target)))


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>ja", "Keiko is kind, isn't she?", "ケイコは親切ですね。"),
        ("ja>en", "ケイコは親切じゃない？", "Keiko is kind."),
        ("en>de", "Could you please close the door?", "Mach bitte die Tür zu."),
        ("en>vi", "May I ask for your attention?", "Xin hãy chú ý."),
        ("en>fr", "Can you close the door, please?", "Ferme la porte, s'il te plaît."),
    ],
)
def test_a_tag_or_a_request_is_no_question_that_must_be_asked(languages: str, source: str, target: str) -> None:
    found = findings(paragraph(languages, source, target))
    assert [one.severity for one in found if one.rule == "question_or_exclamation"] == ["info"]


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>ar", "I am reading your book.", "أنا أقرأ كتابك"),
        ("en>vi", "I am reading your book.", "Tôi đang đọc quyển sách"),
        ("en>vi", "She never came back to our town.", "Cô ấy không bao giờ về làng của chúng tôi"),
    ],
)
def test_a_whole_sentence_without_its_mark_is_a_warning_where_many_write_so(
    languages: str, source: str, target: str
) -> None:
    found = findings(paragraph(languages, source, target))
    assert [one.severity for one in found if one.rule == "text_breaks_off"] == ["warning"]


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en>vi", "She came back to the house of my friend.", "Cô ấy đã quay trở lại ngôi nhà của"),
        ("en>hi", "He lives in the house of my friend.", "वह मेरे दोस्त के घर में रहता था और"),
    ],
)
def test_a_last_word_that_ends_no_sentence_is_an_error_even_where_marks_are_left_out(
    languages: str, source: str, target: str
) -> None:
    found = findings(paragraph(languages, source, target))
    assert [one.severity for one in found if one.rule == "text_breaks_off"] == ["error"]


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        (
            "en>es",
            "He said &ldquo;yes&rdquo; and left; Tom &amp; Mary stayed.",
            "Dijo &laquo;sí&raquo; y se fue; Tom y Mary se quedaron.",
        ),
        ("en>fr", "It costs 5&nbsp;euros &mdash; no more.", "Cela coûte 5&nbsp;euros&nbsp;&mdash; pas plus."),
        ("es>en", "El caf&eacute; y el t&eacute; son caros.", "Coffee and tea are expensive."),
    ],
)
def test_entities_are_no_punctuation(languages: str, source: str, target: str) -> None:
    assert not rules(findings(paragraph(languages, source, target)))


ENGLISH = (
    "The old banker walked up and down in his study and remembered the party of fifteen years before. "
    "There had been many clever men there. They talked about the law until midnight."
)
SPANISH = (
    "El viejo banquero caminaba por su despacho y recordaba la fiesta de quince años antes. "
    "Había allí muchos hombres inteligentes. Hablaron de la ley hasta la medianoche."
)


def test_a_half_and_a_text_without_its_last_sentence_are_errors() -> None:
    assert not rules(findings(paragraph("en>es", ENGLISH, SPANISH)))
    half = SPANISH[: len(SPANISH) // 2]
    assert "text_breaks_off" in rules(findings(paragraph("en>es", ENGLISH, half)))
    without = SPANISH.removesuffix(" Hablaron de la ley hasta la medianoche.")
    assert "text_left_out" in rules(findings(paragraph("en>es", ENGLISH, without)))
