"""Translation memories: TMX and JSONL, exact and nearly, hostile and broken."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.memory import LikenessIndex, Memory, normal

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
    '<tmx version="1.4"><header srclang="en-US"/>'
)


def tmx(body: str, head: str = HEAD) -> bytes:
    return f"{head}\n<body>\n{body}\n</body></tmx>\n".encode()


def tu(*variants: tuple[str, str]) -> str:
    return "<tu>" + "".join(f'<tuv xml:lang="{tag}"><seg>{text}</seg></tuv>' for tag, text in variants) + "</tu>"


def jsonl(*rows: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def memory(data: bytes, source: str = "en", target: str = "es", name: str = "m.tmx") -> Memory:
    return Memory.of([Material(name, name, data)], source, target)


def refusal(data: bytes, **more: str) -> InputError:
    with pytest.raises(InputError) as caught:
        memory(data, **more)
    assert caught.value.path
    return caught.value


def test_an_exact_match_ignores_blanks_and_regions() -> None:
    found = memory(tmx(tu(("en-US", "The  old\n man."), ("fr", "Le vieux."), ("es-MX", " El viejo. "))))
    assert found.exact(" The old man.") == "El viejo."
    assert found.exact("the old man.") is None
    assert len(found.targets) == 1


def test_old_tmx_says_lang_without_a_prefix() -> None:
    variants = '<tuv lang="EN"><seg>Yes</seg></tuv><tuv lang="ES"><seg>Sí</seg></tuv>'
    data = f'<tmx version="1.1"><header/><body><tu>{variants}</tu></body></tmx>'.encode()
    assert memory(data).exact("Yes") == "Sí"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "iso-8859-1"])
def test_encodings_that_xml_names(encoding: str) -> None:
    said = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{said}"?><tmx><body>{tu(("en", "Yes"), ("es", "Sí"))}</body></tmx>'
    assert memory(text.encode(encoding)).exact("Yes") == "Sí"


def test_the_very_region_goes_before_another() -> None:
    data = tmx(tu(("en", "lift"), ("es-MX", "elevador"), ("es-ES", "ascensor")))
    assert memory(data, target="es-ES").exact("lift") == "ascensor"
    assert memory(data, target="es").exact("lift") == "elevador"


def test_an_unknown_source_language_is_that_of_the_file() -> None:
    assert memory(tmx(tu(("en", "Yes"), ("es", "Sí"))), source="und").exact("Yes") == "Sí"


def test_tamazight_goes_by_several_tags() -> None:
    assert memory(tmx(tu(("en", "water"), ("zgh", "aman"))), target="tamazight").exact("water") == "aman"


def test_markup_of_other_programs_is_dropped_but_text_and_placeholders_stay() -> None:
    bold = '<bpt i="1">&lt;b&gt;</bpt><hi>Save</hi><ept i="1">&lt;/b&gt;</ept>'
    seg = f'Press {bold}, <ph x="1">{{name}}</ph><ph>&lt;img alt="<sub>no</sub>"/&gt;</ph>.'
    found = memory(tmx(tu(("en", seg), ("es", "Pulse"))))
    assert list(found.targets) == ["Press Save, {name}."]


def test_units_without_both_languages_are_passed_over() -> None:
    data = tmx(tu(("en", "a"), ("fr", "b")) + tu(("en", "c"), ("es", " ")) + tu(("en", "d"), ("es", "e")))
    assert memory(data).targets == {"d": "e"}


def test_of_two_targets_the_first_is_kept() -> None:
    found = memory(tmx("\n".join([tu(("en", "bank"), ("es", "banco")), tu(("en", "bank"), ("es", "orilla"))])))
    assert found.exact("bank") == "banco"


def test_jsonl_rows_of_other_languages_are_passed_over() -> None:
    data = jsonl(
        {"source": "Yes", "target": "Oui", "target_lang": "fr"},
        {"source": "Yes", "target": "Sí", "source_lang": "en-GB", "target_lang": "es"},
    )
    assert memory(data + b"\n\n").targets == {"Yes": "Sí"}


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "no_entry", None),
        (b'{"source": "a"}', "bad_field", 1),
        (b'{"source": "a", "target": "b"}\n{"source": 1, "target": "b"}', "bad_field", 2),
        (b'{"source": "a", "target": "b"}\n[1]', "no_object", 2),
        (b'{"source": "a", "target": "b"}\n{"source": "a", ', "invalid_json", 2),
        (b'{"source": "a", "source": "b", "target": "c"}', "invalid_json", 1),
        (b'{"source": "\xe9"}', "wrong_encoding", 1),
        (tmx("<tu><tuv><seg>a</seg></tuv></tu>"), "no_language", 5),
        (tmx(tu(("en", "a"), ("fr", "b"))), "no_entry", None),
        (tmx("<tu><tuv xml:lang='en'><seg>a</seg></tu>"), "broken_xml", 5),
        (tmx(tu(("en", "a &nbsp; b"), ("es", "b"))), "entities", 5),
        (b"<html></html>", "no_tmx", 1),
        (b"<tmx><body>", "broken_xml", 1),
        (b"<tmx>" + b"<a>" * 100, "too_deep", 1),
        (b'<?xml version="1.0" encoding="nonsense"?><tmx/>', "wrong_encoding", 1),
        (tmx("<tu>" + '<tuv xml:lang="en"><seg>a</seg></tuv>' * 300 + "</tu>"), "too_complex", 5),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(data: bytes, code: str, line: int | None) -> None:
    error = refusal(data)
    assert (error.code, error.line) == (code, line)


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    '<tmx><body><tu><tuv xml:lang="en"><seg>&b;</seg></tuv></tu></body></tmx>'
)
OUTSIDE = '<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]><tmx><body>&x;</body></tmx>'
PARAMETER = '<!DOCTYPE tmx [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]><tmx/>'


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, PARAMETER])
def test_entities_are_refused_before_anything_is_made_of_them(text: str) -> None:
    assert refusal(text.encode()).code == "entities"


@pytest.mark.parametrize("opening", ["<tmx><!--", "<tmx a='", "<!DOCTYPE tmx '"])
def test_a_tag_or_comment_without_end_is_refused(opening: str) -> None:
    assert refusal(opening.encode() + b"x" * (3 << 20)).code == "too_long"


def test_a_text_without_end_is_refused() -> None:
    assert refusal(tmx(tu(("en", "a" * (1 << 21)), ("es", "b")))).code == "too_long"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 400), st.binary(max_size=6), st.integers(0, 400))
def test_a_damaged_tmx_is_read_or_refused_and_nothing_else(at: int, put: bytes, cut: int) -> None:
    sound = tmx(tu(("en", "Hello <ph>x</ph>"), ("es", "Hola")) + tu(("en", "b"), ("es", "c")))
    damaged = sound[:at] + put + sound[at + cut % 9 :]
    try:
        found = memory(damaged)
    except InputError as error:
        assert error.message
    else:
        assert len(found.targets) >= 1


SOURCES = [
    "The old banker was pacing from corner to corner of his study.",
    "Chapter One",
    "It was a dark autumn night, and there were many clever people at the party.",
    "银行家在书房里踱来踱去，想着十五年前的聚会。",
]


def fuzzy_memory() -> Memory:
    return memory(jsonl(*({"source": source, "target": f"T{number}"} for number, source in enumerate(SOURCES))))


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("The old banker was pacing from corner to corner of the study.", "T0"),
        ("Chapter Two", None),
        ("Chapter Ones", "T1"),
        ("It was a dark autumn night and there were many clever people at that party.", "T2"),
        ("银行家在书房里走来走去，想着十五年前的聚会。", "T3"),
        ("Nothing of this sort has ever been said.", None),
        ("", None),
        ("?!", None),
    ],
)
def test_what_is_nearly_the_same_is_found(text: str, target: str | None) -> None:
    found = fuzzy_memory().fuzzy(text)
    assert (found.target if found else None) == target
    if found is not None:
        assert found.ratio == pytest.approx(Indel.normalized_similarity(normal(text), found.source))


def test_the_threshold_is_the_callers() -> None:
    found = fuzzy_memory().fuzzy("Chapter Two", threshold=0.6)
    assert found is not None and found.target == "T1" and 0.6 <= found.ratio < 0.75


def test_very_long_texts_get_no_suggestion() -> None:
    text = "word " * 5000
    found = memory(jsonl({"source": text, "target": "t"}))
    assert found.exact(text) == "t" and found.fuzzy(text + "s") is None


def test_an_empty_memory_finds_nothing() -> None:
    empty = Memory.of([], "en", "es")
    assert not empty.targets and empty.exact("a") is None and empty.fuzzy("a") is None
    assert LikenessIndex([]).nearest("a", 0.75) == []


def test_candidates_lead_to_what_comparing_everything_finds() -> None:
    chance = random.Random(7)
    words = [f"w{number}" for number in range(400)]
    sources = [" ".join(chance.choices(words, k=chance.randint(4, 30))) for _ in range(1500)]
    found = memory(jsonl(*({"source": source, "target": source.upper()} for source in sources)))
    for _ in range(60):
        changed = chance.choice(sources).split()
        for place in chance.sample(range(len(changed)), max(1, len(changed) // 5)):
            changed[place] = chance.choice(words)
        text = " ".join(changed)
        best = max(Indel.normalized_similarity(text, source) for source in found.targets)
        suggestion = found.fuzzy(text)
        assert (suggestion.ratio if suggestion else 0.0) == pytest.approx(best if best >= 0.75 else 0.0)


def test_of_equals_the_first_is_suggested() -> None:
    found = memory(
        jsonl({"source": "one two three four a", "target": "A"}, {"source": "one two three four b", "target": "B"})
    )
    suggestion = found.fuzzy("one two three four c")
    assert suggestion is not None and suggestion.target == "A"
