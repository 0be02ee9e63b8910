"""Glossaries: CSV and TBX."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.glossary import LONGEST_TERM, read_glossary
from burnish.kinds.manuscripts.model import Term


def read(text: str, source: str = "en", target: str = "es") -> tuple[Term, ...]:
    return read_glossary(text.encode(), "g.csv", source, target)


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.path == "g.csv"
    return caught.value


def test_a_glossary_with_all_columns() -> None:
    terms = read('source,target,note,do-not-translate\nbet,apuesta,"a wager, legal",\nNATO,,,yes\n')
    assert terms == (Term("bet", "apuesta", "a wager, legal"), Term("NATO", "NATO", keep=True))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_usual_delimiter_and_line_end(delimiter: str) -> None:
    text = "\ufeffSource|Target|Do_Not Translate\r\nbet|apuesta; la|no\r\n\r\nAda|Ada|X\r\n".replace("|", delimiter)
    if delimiter == ";":
        text = text.replace("apuesta; la", '"apuesta; la"')
    assert read(text) == (Term("bet", "apuesta; la"), Term("Ada", "Ada", keep=True))


def test_columns_may_be_called_by_their_language() -> None:
    assert read("en-GB;es;comment\nbet;apuesta;x\n") == (Term("bet", "apuesta", "x"),)


def test_a_list_of_names_needs_no_targets() -> None:
    assert read("term,dnt\nAda,yes\n") == (Term("Ada", "Ada", keep=True),)


def test_one_term_twice_with_one_target_is_one_term() -> None:
    assert read("source,target\nbet,apuesta\nbet , apuesta\nBet,Apuesta\n") == (
        Term("bet", "apuesta"),
        Term("Bet", "Apuesta"),
    )


def test_terms_are_composed() -> None:
    assert read("source,target\ncafe\u0301,cafe\u0301\n") == (Term("café", "café"),)


def test_two_targets_are_refused_with_both_lines() -> None:
    error = refusal("source,target,note\nbet,apuesta,\nodd,raro,\nbet,envite,\n")
    assert error.code == "two_targets" and error.line == 4
    assert "'apuesta' in line 2 and 'envite' in line 4" in error.message


def test_lines_count_those_inside_quotation_marks() -> None:
    assert refusal('source,target,note\na,b,"one\ntwo\nthree"\na,c,\n').line == 5


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "empty", None),
        ("\n\n", "empty", None),
        ("a,b\nc,d\n", "bad_header", 1),
        ("source,note\nc,d\n", "bad_header", 1),
        ("source,source,target\n", "bad_header", 1),
        ("source,target\n,x\n", "empty_field", 2),
        ("source,target\nx,\n", "empty_field", 2),
        ("source,target\nx,y,z\n", "bad_csv", 2),
        ('source,target\nx,"y\n', "bad_csv", 2),
        ("source,target,dnt\nx,y,maybe\n", "bad_field", 2),
        ("source,target,dnt\nx,y,yes\n", "two_targets", 2),
        ("source,target,dnt\nx,,yes\nx,y,\n", "two_targets", 3),
        (f"source,target\n{'x' * (LONGEST_TERM + 1)},y\n", "too_long", 2),
        (f"source,target\nx,{'y' * 200_000}\n", "bad_csv", 2),
    ],
)
def test_what_is_not_plain_is_named_with_its_line(text: str, code: str, line: int | None) -> None:
    error = refusal(text)
    assert (error.code, error.line) == (code, line)
    assert error.hint or error.field


def test_terms_without_target_are_named_all_at_once() -> None:
    error = refusal("source,target\n" + "".join(f"t{number},\n" for number in range(12)))
    assert error.message == "12 terms have no target: line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more."


OLD = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="c1"><descrip type="definition">a <hi>wager</hi></descrip>
<langSet xml:lang="en-US"><tig><term>bet</term></tig><ntig><termGrp><term>wager</term></termGrp></ntig></langSet>
<langSet xml:lang="es"><tig><term>apuesta</term></tig>
<tig><term>envite</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
<langSet xml:lang="fr"><tig><term>pari</term></tig></langSet></termEntry>
<termEntry><langSet xml:lang="en"><tig><term>NATO</term>
<termNote type="doNotTranslate">yes</termNote></tig></langSet></termEntry>
</body></text></martif>"""

NEW = """<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
 xmlns:min="http://www.tbxinfo.net/ns/min"><text><body>
<conceptEntry id="c1"><min:note>legal</min:note>
<langSec xml:lang="en"><termSec><term>bet</term></termSec></langSec>
<langSec xml:lang="es"><termSec><term>envite</term></termSec>
<termSec><term>apuesta</term><min:administrativeStatus>preferredTerm-admn-sts</min:administrativeStatus></termSec>
</langSec></conceptEntry></body></text></tbx>"""


def test_tbx_in_its_old_shape() -> None:
    assert read(OLD) == (
        Term("bet", "apuesta", "a wager"),
        Term("wager", "apuesta", "a wager"),
        Term("NATO", "NATO", keep=True),
    )


def test_tbx_in_its_new_shape() -> None:
    assert read(NEW) == (Term("bet", "apuesta", "legal"),)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (NEW.replace("preferredTerm-admn-sts", "admittedTerm-admn-sts"), "two_targets", 6),
        (OLD.replace(">apuesta<", "><"), "empty_field", 6),
        (OLD.replace('"es"', '"de"'), None, None),
        (NEW.replace('"es"', '"de"'), "no_entry", None),
        ("<html/>", "no_tbx", 1),
        (OLD[:-20], "broken_xml", 11),
        (OLD.replace(">yes<", ">perhaps<"), "bad_field", 10),
        (OLD.replace("<tig><term>apuesta</term></tig>", "<tig><term>a</term></tig>" * 1001), "too_complex", 6),
        (OLD.replace("SYSTEM", "[<!ENTITY a 'b'>]><x SYSTEM"), "entities", 2),
    ],
)
def test_tbx_that_is_not_plain(text: str, code: str | None, line: int | None) -> None:
    if code is None:
        assert [term.source for term in read(text)] == ["NATO"]
        return
    error = refusal(text)
    assert (error.code, error.line) == (code, line)


def test_a_tbx_with_one_source_in_two_concepts_is_refused() -> None:
    second = OLD[OLD.index("<termEntry id") : OLD.index("<termEntry><lang")].replace("apuesta", "quiniela")
    error = refusal(OLD.replace("<termEntry><lang", f"{second}<termEntry><lang"))
    assert error.code == "two_targets" and "'quiniela'" in error.message


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, max_size=4), max_size=5))
def test_any_table_is_read_or_refused(rows: list[list[str]]) -> None:
    try:
        terms = read("source,target,note,dnt\n" + "\n".join(",".join(row) for row in rows))
    except InputError as error:
        assert error.path == "g.csv"
    else:
        assert all(term.source and term.target for term in terms)
        assert len({term.source for term in terms}) == len(terms)
