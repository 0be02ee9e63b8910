"""Generated books with their translations: English and Spanish sentence by sentence, the same ones for the same seed.

The sentences are sound in both languages, so that rules alone let them pass; names, numbers and words differ from
paragraph to paragraph. A smaller book is the beginning of a larger one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from burnish.core.json_bytes import dumps

SEED = 4
SENTENCES = (
    (
        "{name} walked along the {road} until the lights of the {place} were hidden by the trees.",
        "{name} caminó por {road} hasta que las luces de {place} quedaron ocultas por los árboles.",
    ),
    (
        "In the evening {count} men sat in the {room} and talked about the price of {goods}.",
        "Por la tarde {count} hombres se sentaron en {room} y hablaron del precio de {goods}.",
    ),
    (
        "Nobody had seen {name} since the day when the {place} was closed.",
        "Nadie había visto a {name} desde el día en que se cerró {place}.",
    ),
    (
        "The old woman put {goods} on the table and looked at the {road} for a long time.",
        "La anciana puso {goods} sobre la mesa y miró {road} durante mucho tiempo.",
    ),
    (
        "It was late, and the wind brought the smell of {goods} into the {room}.",
        "Era tarde, y el viento traía el olor de {goods} hasta {room}.",
    ),
    (
        "When {name} came back, the {room} was cold and {count} candles stood in the window.",
        "Cuando {name} regresó, {room} estaba en silencio y había {count} velas en la ventana.",
    ),
    (
        "The letter that lay in the {room} was written by {name} in the year {year}.",
        "La carta que estaba en {room} fue escrita por {name} en el año {year}.",
    ),
    (
        "They did not speak about the {place}, because the memory of it was too heavy.",
        "No hablaron de {place}, porque su recuerdo era demasiado pesado.",
    ),
    (
        "Every morning {name} bought {goods} at the {place} and carried it home along the {road}.",
        "Cada mañana {name} compraba {goods} en {place} y lo llevaba a casa por {road}.",
    ),
    (
        "The baker’s wife asked for {count} € for the {goods}, and {name} paid without a word.",
        "La mujer del panadero pidió {count} € por {goods}, y {name} pagó sin decir palabra.",
    ),
    (
        "There were {count} chairs in the {room}, and each of them had its own story.",
        "Había {count} sillas en {room}, y cada una de ellas tenía su propia historia.",
    ),
)
NAMES = ("Anna", "Victor", "Martin", "Clara", "Daniel", "Laura", "Samuel", "Elena", "Thomas", "Irene")
ROADS = (("river", "el río"), ("old road", "el camino viejo"), ("long street", "la calle larga"), ("wall", "el muro"))
PLACES = (("market", "el mercado"), ("mill", "el molino"), ("station", "la estación"), ("church", "la iglesia"))
ROOMS = (("kitchen", "la cocina"), ("garden", "el jardín"), ("library", "la biblioteca"), ("cellar", "el sótano"))
GOODS = (("bread", "pan"), ("fresh milk", "leche fresca"), ("coffee", "café"), ("salt", "sal"), ("honey", "miel"))
CONTRACTED = ((" de el ", " del "), (" a el ", " al "))


@dataclass(frozen=True, slots=True)
class Pair:
    """A block and its translation, with its marks of Markdown."""

    mark: str
    source: str
    target: str


def generate(sentences: tuple[int, int], seed: int = SEED) -> Iterator[Pair]:
    """Blocks without end, of so many sentences (at least, at most): a heading every fifty, some quotes."""
    chance = random.Random(seed)
    number = 0
    while True:
        number += 1
        if number % 50 == 1:
            chapter = number // 50 + 1
            yield Pair("## ", f"Chapter {chapter}", f"Capítulo {chapter}")
            continue
        spoken = [_sentence(chance) for _ in range(chance.randint(*sentences))]
        source, target = (" ".join(side) for side in zip(*spoken, strict=True))
        yield Pair("> " if number % 17 == 0 else "", source, target)


def _sentence(chance: random.Random) -> tuple[str, str]:
    english, spanish = chance.choice(SENTENCES)
    words = {
        name: chance.choice(pairs)
        for name, pairs in (("road", ROADS), ("place", PLACES), ("room", ROOMS), ("goods", GOODS))
    }
    same = {"name": chance.choice(NAMES), "count": chance.randint(13, 980), "year": chance.randint(1801, 1999)}
    target = spanish.format(**same, **{name: pair[1] for name, pair in words.items()})
    for apart, together in CONTRACTED:
        target = target.replace(apart, together)
    return english.format(**same, **{name: pair[0] for name, pair in words.items()}), target


def write_book(folder: Path, paragraphs: int, sentences: tuple[int, int] = (1, 5)) -> tuple[Path, Path]:
    """The book and its translation as Markdown files."""
    book, draft = folder / f"book-{paragraphs}.md", folder / f"draft-{paragraphs}.md"
    with book.open("w", encoding="utf-8") as source, draft.open("w", encoding="utf-8") as target:
        for place, pair in enumerate(islice(generate(sentences), paragraphs)):
            blank = "\n" if place else ""
            source.write(f"{blank}{pair.mark}{pair.source}\n")
            target.write(f"{blank}{pair.mark}{pair.target}\n")
    return book, draft


def write_memory(folder: Path, paragraphs: int, sentences: tuple[int, int] = (1, 5)) -> Path:
    """The same pairs as a translation memory."""
    path = folder / f"memory-{paragraphs}.jsonl"
    with path.open("wb") as file:
        for pair in islice(generate(sentences), paragraphs):
            file.write(dumps({"source": pair.source, "target": pair.target}) + b"\n")
    return path
