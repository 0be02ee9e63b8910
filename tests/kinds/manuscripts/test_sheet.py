"""The sheet of a book: names, terms and forms of address with their renderings, made before and between rounds."""

from dataclasses import replace

import pytest

from burnish.core.documents import Material
from burnish.kinds.manuscripts.document_facts import gathered, prepared
from burnish.kinds.manuscripts.model import Paragraph, Term
from burnish.kinds.manuscripts.requests import Commission, translate_ask
from burnish.kinds.manuscripts.resources import Equipment, Terms, equipped
from burnish.kinds.manuscripts.sheet import Sheet, candidates, sheet_of

PAIRS = [
    ("In the morning Anna lit the iron lantern.", "Por la mañana Ana encendió el farol de hierro."),
    ("The ship from London was late, said Anna.", "El barco de Londres venía con retraso, dijo Ana."),
    ("Nobody in London had an iron lantern.", "En Londres nadie tenía un farol de hierro."),
    ("The old iron lantern belonged to Anna.", "El viejo farol de hierro era de Ana."),
    ("She sold her iron lantern and left.", "Vendió su farol de hierro y se fue."),
    ("From London they wrote about an iron lantern.", "Desde Londres escribieron sobre un farol de hierro."),
    ("It rained, and then Anna went to London.", "Llovió, y luego Ana se marchó a Londres."),
]
TALK = [
    ("You are late.", "Usted llega tarde."),
    ("Take your coat.", "Tome usted su abrigo."),
    ("What do you want?", "¿Qué desea usted?"),
]


def book(pairs: list[tuple[str, str]] = PAIRS, *, translated: bool = True) -> list[Paragraph]:
    return [
        Paragraph(f"p_{at:04}", at, "paragraph", source, target if translated else "")
        for at, (source, target) in enumerate(pairs, 1)
    ]


def with_memory(pairs: list[tuple[str, str]]) -> Equipment:
    rows = "\n".join(f'{{"source": "{source}", "target": "{target}"}}' for source, target in pairs)
    memory = Material("memory", "memory.jsonl", rows.encode())
    return equipped({"memory": [memory]}, {"source": "en", "target": "es"})


PLAIN = replace(equipped({}, {}), terms=Terms("en", "es"))


def test_names_terms_and_address_with_their_renderings() -> None:
    pairs = [*PAIRS, *TALK]
    sheet = sheet_of(candidates(book(), ()), pairs, "es")
    assert {"Anna": "Ana", "London": "Londres"}.items() <= sheet.renderings.items()
    assert sheet.renderings["iron lantern"] == "farol de hierro"
    assert sheet.address == "polite (usted)"


def test_what_is_rendered_now_so_and_now_otherwise_is_not_on_it() -> None:
    torn = [
        (source, target.replace("farol", "candil") if at % 2 else target) for at, (source, target) in enumerate(PAIRS)
    ]
    sheet = sheet_of(candidates(book(), ()), torn, "es")
    assert "iron lantern" not in sheet.renderings and sheet.renderings["Anna"] == "Ana"
    mixed = [("You.", "Tú."), ("You go.", "Usted va."), ("Go, you.", "Ve tú."), ("You!", "¡Usted!")]
    assert sheet_of([], mixed, "es").address == ""
    assert sheet_of([], TALK, "kab").address == "", "nobody knows how that language addresses"


def test_what_the_glossary_says_is_not_said_twice() -> None:
    assert "iron lantern" not in candidates(book(), [Term("Iron lantern", "farola")])


def test_before_anything_is_translated_the_memory_tells() -> None:
    facts = prepared(book(translated=False), with_memory(PAIRS)).facts
    assert Sheet.of(facts).renderings["Anna"] == "Ana"
    assert not Sheet.of(prepared(book(translated=False), PLAIN).facts).renderings, "nobody has rendered anything yet"


def test_between_rounds_it_is_made_anew_from_what_was_accepted() -> None:
    first = prepared(book(translated=False), PLAIN)
    nothing = gathered(book(), PLAIN, first.facts, lambda id: False)
    accepted = gathered(book(), PLAIN, first.facts, lambda id: True)
    assert not nothing.facts["sheet"]["renderings"]
    assert accepted.facts["sheet"]["renderings"]["London"] == "Londres"
    hashes = [note.data["hash"] for each in (first, nothing, accepted) for note in each.notes]
    assert hashes[0] == hashes[1] != hashes[2], "journalled by hash"
    wrong = [(source, target.replace("Londres", "Lima")) for source, target in PAIRS]
    mixed = [*book(), *(replace(one, id=f"x_{one.index}") for one in book(wrong))]
    only = gathered(mixed, PLAIN, first.facts, lambda id: id.startswith("p_"))
    assert only.facts["sheet"]["renderings"]["London"] == "Londres", "what was not accepted is not heard"


@pytest.mark.parametrize(("text", "shown"), [("In London.", {"London": "Londres"}), ("At home.", None)])
def test_a_translator_is_shown_the_entries_of_the_batch(text: str, shown: dict[str, str] | None) -> None:
    sheet = Sheet({"London": "Londres", "Paris": "París"}, "polite (usted)")
    ask = translate_ask(book([(text, "")]), Commission("en", "es"), sheet=sheet)
    work = ask.untrusted["work"]
    assert ('{"sheet":{"London":"Londres"}}' in work) == (shown is not None)
    assert '{"address":"polite (usted)"}' in work and "París" not in work
