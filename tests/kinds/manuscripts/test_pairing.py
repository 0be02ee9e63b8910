"""Pairing an existing translation: block by block, and where the two part it is told."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.block_fit import pairs
from burnish.kinds.manuscripts.checks.misplaced_text import misplaced_text
from burnish.kinds.manuscripts.formats import BookFormat
from burnish.kinds.manuscripts.memory import align
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.pairing import Neighbours, pairing_with, pairings
from burnish.languages.lexicon import Comparison, Lexicon, Stem
from tests.kinds.manuscripts.manuscript_texts import paragraphs_of, sources

ENGLISH = "The old banker was pacing from corner to corner of his study and he was recalling the party that he gave."
SPANISH = "El viejo banquero paseaba de un rincón a otro de su despacho y recordaba la fiesta que dio en el otoño."


def paired(source: str, target: str, format: BookFormat = "markdown") -> tuple[list[tuple[str, str]], list[Problem]]:
    found = list(pairs(source.encode(), target.encode(), ("s", "t"), (format, format)))
    units = [(part.text, part.translation) for part in found if isinstance(part, Paragraph)]
    return units, [part for part in found if isinstance(part, Problem)]


def test_texts_are_paired_paragraph_by_paragraph() -> None:
    assert paired("a\nb\n\nc\n", "x\n\n\ny\nz\n", "text") == ([("a\nb", "x"), ("c", "y\nz")], [])


def test_markdown_is_paired_block_by_block_without_what_is_carried() -> None:
    source = "# A\n\n```\nx\n```\n\n- b\n- c\n\n> d\n"
    target = "# 1\n- 2\n- 3\n\n> 4\n"
    assert paired(source, target) == ([("A", "1"), ("b", "2"), ("c", "3"), ("d", "4")], [])


SOURCE = (
    "# The ferry",
    "It crosses the strait six times a day.",
    "Keep your ticket until you leave the ship.",
    "Dogs and horses must stay on the lower deck.",
    "## Prices",
    "A child under seven pays nothing; everyone else pays three euros.",
)
TARGET = (
    "# El transbordador",
    "Cruza el estrecho seis veces al día.",
    "Guarde su billete hasta que salga del barco.",
    "Los perros y los caballos deben quedarse en la cubierta inferior.",
    "## Precios",
    "Un niño menor de siete años no paga nada; todos los demás pagan tres euros.",
)


def laid(source: Sequence[str], target: Sequence[str]) -> tuple[list[tuple[str, str]], list[Problem]]:
    return paired("\n\n".join(source), "\n\n".join(target))


def bare(text: str) -> str:
    return text.removeprefix("## ").removeprefix("# ")


SOUND = [(bare(one), bare(other)) for one, other in zip(SOURCE, TARGET, strict=True)]


@pytest.mark.parametrize("number", range(6))
def test_one_block_too_few_leaves_the_others_paired(number: int) -> None:
    units, [problem] = laid(SOURCE, [*TARGET[:number], *TARGET[number + 1 :]])
    assert units == [pair for pair in SOUND if pair != SOUND[number]]
    assert (problem.code, problem.unit) == ("bitext_parts", f"p_{number + 1:04d}")
    assert bare(SOURCE[number])[:20] in problem.message


@pytest.mark.parametrize("number", range(7))
def test_one_block_too_many_leaves_the_others_paired(number: int) -> None:
    strange = "## Nota del traductor sobre la historia de este puerto"
    units, [problem] = laid(SOURCE, [*TARGET[:number], strange, *TARGET[number:]])
    assert units == SOUND
    assert (problem.code, problem.unit, problem.line) == ("bitext_parts", None, 2 * number + 1)
    assert "Nota del traductor" in problem.message


def test_two_paragraphs_may_be_answered_by_one() -> None:
    joined = f"{TARGET[2]} {TARGET[3]}"
    units, told = laid(SOURCE, [*TARGET[:2], joined, *TARGET[4:]])
    assert not told
    assert (f"{SOURCE[2]}\n{SOURCE[3]}", joined) in units
    units, told = laid([*SOURCE[:2], f"{SOURCE[2]} {SOURCE[3]}", *SOURCE[4:]], TARGET)
    assert not told
    assert (f"{SOURCE[2]} {SOURCE[3]}", f"{TARGET[2]}\n{TARGET[3]}") in units


@given(source=sources, target=sources)
@settings(max_examples=30, deadline=None)
def test_every_block_is_in_one_pairing(source: str, target: str) -> None:
    ours, theirs = paragraphs_of(source), paragraphs_of(target)
    found = pairings(ours, theirs, ("en", "es"))
    assert [place for pairing in found for place in pairing.ours] == list(range(len(ours)))
    assert [place for pairing in found for place in pairing.theirs] == list(range(len(theirs)))


def test_headings_of_another_level_and_lists_as_paragraphs_are_paired() -> None:
    units, told = paired("# A\n\na\n", "## 1\n\n2\n")
    assert (units, told) == ([("A", "1"), ("a", "2")], [])
    units, told = laid(SOURCE, [f"- {text}" if "#" not in text else text for text in TARGET])
    assert (units, told) == (SOUND, [])


def test_time_grows_with_the_files_not_with_their_square() -> None:
    counted = []
    for length in (100, 400):
        compared = 0

        class Counting(Lexicon):
            def compare_stems(self, source: list[Stem], target: list[Stem]) -> Comparison:
                nonlocal compared
                compared += 1
                return super().compare_stems(source, target)

        texts = [text for number in range(length // 6) for text in (f"{one} {number}." for one in SOURCE[1:4])]
        ours, theirs = (paragraphs_of("\n\n".join(some)) for some in (texts, texts[1:]))
        ways = Counting("en", "en", {}, {}, {})
        pairing_with(ways, ours, theirs)
        counted.append(compared)
    assert counted[1] < 6 * counted[0]


def test_a_text_may_stand_against_markdown() -> None:
    found = list(pairs(b"Title\n\nwords\n", b"# T\n\nw\n", ("s.txt", "t.md"), ("text", "markdown")))
    assert [part.translation for part in found if isinstance(part, Paragraph)] == ["T", "w"]


def test_languages_are_those_of_the_unit_or_of_its_file() -> None:
    source = f"# Yes\n\n{ENGLISH}\n\n{SPANISH}\n"
    target = f"# Sí\n\n{SPANISH}\n\n{SPANISH}\n"
    found = list(pairs(source.encode(), target.encode(), ("s", "t"), ("markdown", "markdown")))
    assert [(p.source_language, p.target_language) for p in found if isinstance(p, Paragraph)] == [
        ("en", "es"),
        ("en", "es"),
        ("es", "es"),
    ]


def test_a_short_paragraph_is_not_in_the_language_of_the_head_of_its_file() -> None:
    """Sound pairs of ten languages in one file: 26.6 % had an error."""
    source = (SPANISH, "Ich habe das nicht gewusst.", "Это очень старый дом.", "Je ne sais pas où il habite.")
    target = (ENGLISH, "I did not know that.", "This is a very old house.", "I do not know where he lives.")
    files = ("\n\n".join(side).encode() for side in (source, target))
    found = [p for p in pairs(*files, ("a.txt", "b.txt"), ("text", "text")) if isinstance(p, Paragraph)]
    assert [p.source_language for p in found] == ["es", "de", "ru", "fr"]
    assert {p.target_language for p in found} == {"en"}


def test_problems_of_both_files_are_told_and_an_empty_one_is_refused() -> None:
    _, told = paired("a\n\n```\nx\n", "b\n")
    assert [problem.code for problem in told] == ["never_closed"]
    with pytest.raises(InputError):
        paired("a", "\n")


def test_a_long_file_tells_its_language_from_its_beginning() -> None:
    source, target = (f"{text}\n\n" * 40 for text in (ENGLISH, SPANISH))
    units = [
        p for p in pairs(source.encode(), target.encode(), ("s", "t"), ("text", "text")) if isinstance(p, Paragraph)
    ]
    assert len(units) == 40 and {(p.source_language, p.target_language) for p in units} == {("en", "es")}


@given(source=sources)
@settings(max_examples=60, deadline=None)
def test_a_text_is_paired_with_itself(source: str) -> None:
    wanted = [p.text for p in paragraphs_of(source) if p.excluded is None]
    if wanted:
        units, told = paired(source, source)
        assert units == [(text, text) for text in wanted]
        assert "bitext_parts" not in {problem.code for problem in told}


VILLAGE = (
    "The old men of the village are sitting in front of their houses and talk about the sea.",
    "He has many boats and he does not want to sell any of them to the rich man.",
)
VILLAGE_ES = "Los viejos del pueblo están sentados delante de sus casas y hablan del mar que conocen."


def test_a_paragraph_that_was_left_as_it_was_is_judged_in_the_language_of_its_file() -> None:
    target = "\n\n".join((VILLAGE_ES, VILLAGE_ES, VILLAGE[1]))
    source = "\n\n".join((VILLAGE[0], VILLAGE[0], VILLAGE[1]))
    found = list(pairs(source.encode(), target.encode(), ("a.txt", "b.txt"), ("text", "text")))
    left = found[-1]
    assert isinstance(left, Paragraph)
    assert (left.source_language, left.target_language) == ("en", "es")


def test_two_files_in_one_language_are_told() -> None:
    text = "\n\n".join(VILLAGE).encode()
    first = next(pairs(text, text, ("a.txt", "b.txt"), ("text", "text")))
    assert isinstance(first, Problem) and first.code == "same_language"


LINES = (
    ("The dog sleeps in the garden.", "El perro duerme en el jardín."),
    ("My sister bought a new car.", "Mi hermana compró un coche nuevo."),
    ("Please close the window.", "Por favor, cierra la ventana."),
    ("We are waiting for the train.", "Estamos esperando el tren."),
    ("He drinks coffee every morning.", "Bebe café todas las mañanas."),
    ("The water is too cold.", "El agua está demasiado fría."),
)


def misplaced(order: Sequence[int], language: str = "es") -> dict[str, str]:
    neighbours = Neighbours()
    for number, place in enumerate(order):
        texts = LINES[number][0], LINES[place][1]
        neighbours.add(
            Paragraph(f"p_{number}", number + 1, "paragraph", *texts, source_language="en", target_language=language)
        )
    return neighbours.misplaced()


def test_translations_in_their_places_are_left_alone() -> None:
    assert misplaced(range(6)) == {}
    assert misplaced([0, 1, 2, 3, 5, 4], "tlh") == {}, "no lexicon"


def test_two_exchanged_neighbours_are_told_of_each_other() -> None:
    assert misplaced([0, 2, 1, 3, 4, 5]) == {"p_1": "p_2", "p_2": "p_1"}


def test_a_run_that_is_shifted_is_told_one_by_one() -> None:
    early = misplaced([1, 2, 3, 4, 5, 0])
    assert early == {"p_0": "p_1", "p_1": "p_2", "p_2": "p_3", "p_3": "p_4", "p_4": "p_5"}
    late = misplaced([5, 0, 1, 2, 3, 4])
    assert late == {"p_1": "p_0", "p_2": "p_1", "p_3": "p_2", "p_4": "p_3", "p_5": "p_4"}


def test_pairs_without_english_are_looked_at_through_it_and_only_warned_about() -> None:
    german = (
        "Der Hund schläft im Garten.",
        "Meine Schwester hat ein neues Auto gekauft.",
        "Bitte mach das Fenster zu.",
        "Wir warten auf den Zug.",
    )
    neighbours = Neighbours()
    for number, place in enumerate((0, 2, 1, 3)):
        texts = german[number], LINES[place][1]
        neighbours.add(
            Paragraph(f"p_{number}", number + 1, "paragraph", *texts, source_language="de", target_language="es")
        )
    found = neighbours.misplaced()
    assert found == {"p_1": "p_2", "p_2": "p_1"}
    one = Paragraph("p_1", 2, "paragraph", german[1], LINES[2][1], source_language="de", target_language="es")
    [finding] = misplaced_text.run(one, ManuscriptContext(misplaced=found))
    assert finding.severity == "warning"


BOOK = (
    ("The ferry crosses the strait six times a day.", "El transbordador cruza el estrecho seis veces al día."),
    ("Keep your ticket until you leave the ship.", "Guarde su billete hasta que salga del barco."),
    ("Dogs and horses must stay below.", "Los perros y los caballos deben quedarse abajo."),
    ("My father sold the old house.", "Mi padre vendió la casa vieja."),
    ("She writes a letter to her brother.", "Ella escribe una carta a su hermano."),
    ("It rained all night, and the river rose.", "Llovió toda la noche y el río creció."),
    ("The children are playing in the street.", "Los niños están jugando en la calle."),
    ("Nobody opened the door for us.", "Nadie nos abrió la puerta."),
)


def rejoined(*moved: str) -> tuple[list[tuple[str, str]], list[Problem]]:
    """The book beside a translation with as many paragraphs, which are not those that its own answer."""
    assert len(moved) == len(BOOK)
    return laid([one for one, _ in BOOK], moved)


def test_as_many_paragraphs_need_not_answer_each_other_one_by_one() -> None:
    answers = [other for _, other in BOOK]
    units, told = rejoined(*answers[1:], "Gracias a todos los lectores de este libro.")
    assert units == list(BOOK[1:])
    assert [problem.unit for problem in told] == ["p_0001", None]
    units, told = rejoined(f"{answers[0]} {answers[1]}", *answers[2:6], *answers[6:], "Fin.")
    assert units[1:7] == list(BOOK[2:])


def test_a_draft_with_as_many_paragraphs_is_not_taken_one_too_far() -> None:
    draft = "\n\n".join([*[other for _, other in BOOK][1:], "Gracias a todos los lectores de este libro."])
    ours = paragraphs_of("\n\n".join(one for one, _ in BOOK))
    aligned = align(ours, draft.encode(), "d.md", "markdown", languages=("en", "es"))
    assert aligned.texts == {f"p_{number:04}": other for number, (_, other) in enumerate(BOOK, 1) if number > 1}


def test_three_paragraphs_may_be_answered_by_one() -> None:
    answers = [other for _, other in BOOK]
    units, told = laid([one for one, _ in BOOK], [answers[0], " ".join(answers[1:4]), *answers[4:]])
    assert not told
    assert ("\n".join(one for one, _ in BOOK[1:4]), " ".join(answers[1:4])) in units
    assert len(units) == len(BOOK) - 2
