"""Words of another language, stretches that were copied, and what is meant to stay."""

from __future__ import annotations

import pytest

from burnish.kinds.manuscripts.checks.foreign_words import leftovers
from burnish.kinds.manuscripts.checks.untranslated_text import untranslated
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.sides import Side, copied_runs, source_of, target_of, words_of
from burnish.languages.detection import leaning
from burnish.languages.word_forms import ending_weight, has_strange_letters, is_at_home
from burnish.text.markdown import emphasised, enclosed, markdown, span_around


def sides(source: str, translation: str, languages: str) -> tuple[Side, Side]:
    ours, theirs = languages.split("-")
    paragraph = Paragraph("p_0001", 1, "paragraph", source, translation, source_language=ours, target_language=theirs)
    return source_of(paragraph), target_of(paragraph)


def found(source: str, translation: str, languages: str) -> list[tuple[str, bool]]:
    both = sides(source, translation, languages)
    return [(translation[one.start : one.end], one.certain) for one in leftovers(*both)]


@pytest.mark.parametrize(
    ("source", "translation", "languages", "expected"),
    [
        ("Tres semanas después volvió.", "Three semanas later he came back.", "es-en", [("semanas", True)]),
        ("Il y a toujours du vent.", "There is toujours wind.", "fr-en", [("toujours", True)]),
        ("Die Ausweitung begann.", "In June the Ausweitung began.", "de-en", [("Ausweitung", True)]),
        ("Eventualmente llovió.", "Eventualmente it rained.", "es-en", [("Eventualmente", True)]),
        ("Он закрыл дверь.", "Тој закрыл врата.", "ru-mk", [("закрыл", True)]),
        ("The sword broke.", "剑sword断了。", "en-zh", [("sword", True)]),
        ("The folder is open.", "El folder está abierto.", "en-es", [("folder", False)]),
    ],
)
def test_words_left_over(source: str, translation: str, languages: str, expected: list[tuple[str, bool]]) -> None:
    assert found(source, translation, languages) == expected


@pytest.mark.parametrize(
    ("source", "translation", "languages"),
    [
        ("Vive en Guadalajara.", "He lives in Guadalajara.", "es-en"),
        ("Universidad de los Andes", "The Universidad de los Andes", "es-en"),
        ("Die Menschen, die sterben.", "The people who die.", "de-en"),
        ("Rock 'n' roll 'the' word", "La palabra 'the' del rock", "en-es"),
        ("L'angle α et λόγος.", "The angle α and λόγος.", "fr-en"),
        ("Kъде е?", "Kъде is?", "bg-en"),
        ("Use the web app.", "Используйте web app.", "en-ru"),
        ("Write to because@example.org.", "Пишите на because@example.org.", "en-ru"),
        ("He said so.", "He said so.", "en-en"),
        ("He said so.", "He said so.", "en-und"),
        ("ɣef γef", "γef ɣef", "en-kab"),
        ('He read "a tale of two old cities" twice.', 'Leyó "a tale of two old cities" dos veces.', "en-es"),
    ],
)
def test_what_may_stay(source: str, translation: str, languages: str) -> None:
    assert [word for word, certain in found(source, translation, languages) if certain] == []


def test_runs_that_were_copied() -> None:
    both = sides("It was a dark and stormy night, he said.", "Era a dark and stormy night, he said.", "en-es")
    runs = copied_runs(*both)
    assert [(run.first, len(run.words)) for run in runs] == [(1, 7)]
    assert both[1].prose[runs[0].start : runs[0].end] == "a dark and stormy night, he said"
    two = sides("one two three four. five six seven", "one two three. x five six seven", "en-es")
    assert [run.small_words for run in copied_runs(*two)] == [["one", "two", "three"], ["five", "six", "seven"]]


def told(source: str, translation: str, languages: str) -> list[tuple[str, str]]:
    both = sides(source, translation, languages)
    return [(slip.severity, translation[slip.start : slip.end]) for slip in untranslated(*both)]


def test_a_bibliography_stays_as_it_is() -> None:
    entry = "Allemang, Dean and Hendler, James. Semantic Web for the Working Ontologist. Elsevier, 2011."
    assert {severity for severity, _ in told(entry, entry, "en-es")} <= {"warning"}


def test_commands_stay_as_they_are() -> None:
    query = "SELECT ?name WHERE { ?name <is> ?other and the { ?x = ?y } of them }"
    assert {severity for severity, _ in told(query, query, "en-es")} <= {"warning"}


def test_an_unknown_language_is_no_excuse() -> None:
    text = "blurp zorg flim narg"
    assert told(text, text, "und-es") == [("error", text)]
    assert told("Alice Springs", "Alice Springs", "und-es") == []


def test_a_sentence_written_anew_in_the_language_of_the_source() -> None:
    translation = "Se fue. And then there was nothing that he could have done for them."
    assert told("He left. Afterwards nobody could help.", translation, "en-es") == [
        ("error", "And then there was nothing that he could have done for them.")
    ]


def test_words_that_are_none_are_passed_over() -> None:
    side, _ = sides("See a/b, c.d, e_f, g() and mail@h.org or #tag here.", "", "en-es")
    assert [match.group() for match in words_of(side)] == ["See", "and", "or", "here"]


def test_what_is_enclosed() -> None:
    view = markdown('a „b” c “d” «e (f) g» *h* [i](j) "k" (l\nm)')
    shown = [view.text[start:end] for start, end in enclosed(view)]
    assert shown == ["b", "d", "e (f) g", "h", "i", "j", "k", "l\nm"]
    assert span_around(view, view.text.index("f")) == (view.text.index("e"), view.text.index("»"))
    assert span_around(view, 0) is None
    assert enclosed(markdown("(" + "x" * 500 + ")")) == ()
    assert [markdown("a *b* c").text[s:e] for s, e in emphasised(markdown("a *b* c"))] == ["b"]


def test_letters_endings_and_loans() -> None:
    assert has_strange_letters("señor", "en") and not has_strange_letters("señor", "es")
    assert not has_strange_letters("señor", "xx")
    assert ending_weight("regelmäßigen", "de", "en") > 0 > ending_weight("constitution", "fr", "en")
    assert ending_weight("constitution", "fr", "es") == 0
    assert is_at_home("pianos", "en") and is_at_home("software", "mk") and not is_at_home("semanas", "en")


def test_what_a_word_leans_to() -> None:
    assert leaning(" semanas ", "es", "en") > 1 > leaning(" weeks ", "es", "en")
    assert leaning("semanas", "es", "tlh") == 0.0
