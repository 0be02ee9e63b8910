"""Apertium: a small stand-in on the PATH that speaks its protocol, and the real one where it is installed."""

import os
import shutil
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.edits import protected_parts
from burnish.core.errors import ModelFailed, UsageError
from burnish.models import apertium
from burnish.models.apertium import Apertium, installed, prepare, restore

REAL = shutil.which("apertium")

STAND_IN = """\
#!{python}
import os, re, sys, time
if sys.argv[1:] == ["-l"]:
    print("  eng-spa\\n  spa-eng")
    sys.exit(0)
assert sys.argv[1:] == ["-u", "-f", "none", "-z", "eng-spa"], sys.argv
given = sys.stdin.buffer.read().decode()
with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as calls:
    calls.write(f"{{given.count(chr(0))}}\\n")
{behaviour}
sys.stdout.buffer.write(said.encode())
"""
SHOUTING = r"""
def word(match):
    return match.group() if match.group()[0] in "\\[" else match.group().upper()
said = re.sub(r"\\.|\[\d*\]|[^\W\d_]+", word, given) + "\0" * 9
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Puts a program called apertium on the PATH that behaves as the given lines say."""

    def install(behaviour: str = SHOUTING) -> Path:
        program = tmp_path / "apertium"
        program.write_text(STAND_IN.format(python=sys.executable, behaviour=textwrap.dedent(behaviour)))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return tmp_path

    return install


MARKED = (
    'The **old man** had [a /dog](http://x.org/a(b)c "t") and `code x` in {name}.\n'
    "He lost 5/6 of it @ home <b>now</b>; see me@a.com & $x^2$ [ref][1] [^2]."
)


def test_texts_keep_apart_and_protected_parts_as_they_are(stand_in) -> None:  # type: ignore[no-untyped-def]
    stand_in()
    texts = ["Chapter one", "", "***", MARKED, "one. two! [x] \\* a+b {} ^ $5 / ~ #1"]
    assert Apertium("eng-spa").translate(texts) == [
        "CHAPTER ONE",
        "",
        "***",
        'THE **OLD MAN** HAD [A /DOG](http://x.org/a(b)c "t") AND `code x` IN {name}.\n'
        "HE LOST 5/6 OF IT @ HOME <b>NOW</b>; SEE me@a.com & $x^2$ [REF][1] [^2].",
        "ONE. TWO! [X] \\* A+B {} ^ $5 / ~ #1",
    ]


def test_a_target_that_is_among_the_links_words(stand_in) -> None:  # type: ignore[no-untyped-def]
    stand_in()
    assert Apertium("eng-spa").translate(["a [/x/y](/x/y) b"]) == ["A [/X/Y](/x/y) B"]


def test_a_text_that_lost_a_blank_is_translated_around_them(stand_in) -> None:  # type: ignore[no-untyped-def]
    folder = stand_in(SHOUTING + 'said = said.replace("[1]", "", 1) if "[1]" in said else said\n')
    assert Apertium("eng-spa").translate(["use `a` and `b` here"]) == ["USE `a` AND `b` HERE"]
    assert (folder / "calls").read_text() == "1\n3\n"


def test_many_texts_go_in_batches(stand_in, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    folder = stand_in()
    monkeypatch.setattr(apertium, "BATCH_TEXTS", 2)
    assert Apertium("eng-spa").translate(["a", "b", "", "c"]) == ["A", "B", "", "C"]
    assert (folder / "calls").read_text() == "2\n1\n"
    assert Apertium("eng-spa").translate([]) == []


def test_blanks_that_a_dropped_pronoun_leaves_go_with_it(stand_in) -> None:  # type: ignore[no-untyped-def]
    stand_in('said = given.replace("he ", " ").replace("end", "end ")')
    assert Apertium("eng-spa").translate(["he came, he saw\nhe slept to its end."]) == ["came, saw\nslept to its end."]


def test_where_it_is_not_installed_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        Apertium("eng-spa")
    assert "apt install apertium apertium-eng-spa" in (caught.value.hint or "")
    assert installed() == []


def test_a_direction_that_is_not_there_names_those_that_are(stand_in) -> None:  # type: ignore[no-untyped-def]
    stand_in()
    assert installed() == ["eng-spa", "spa-eng"]
    with pytest.raises(UsageError) as caught:
        Apertium("eng-mkd")
    assert "eng-spa, spa-eng" in (caught.value.hint or "")


@pytest.mark.parametrize("pair", ["", "eng", "-l", "../eng-spa", "eng-spa; rm", "eng-spa\n", "--help-me"])
def test_what_is_no_direction_never_reaches_a_command_line(pair: str) -> None:
    with pytest.raises(UsageError, match="is not a direction"):
        Apertium(pair)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ('print("no\\x1bsuch file", file=sys.stderr); sys.exit(3)', r"failed \(3\): no such file"),
        ("sys.exit(1)", "it said nothing"),
        ('said = ""', "was given 2 texts and answered 1"),
        ('said = "a\\0b\\0c\\0"', "was given 2 texts and answered 4"),
        ("time.sleep(60)", "did not answer within"),
    ],
)
def test_its_failures_are_told(stand_in, monkeypatch, behaviour: str, message: str) -> None:  # type: ignore[no-untyped-def]
    stand_in(behaviour)
    translator = Apertium("eng-spa")
    monkeypatch.setattr(apertium, "SECONDS", 0.5)
    with pytest.raises(ModelFailed, match=message):
        translator.translate(["a", "b"])


def test_a_program_that_cannot_be_started(stand_in) -> None:  # type: ignore[no-untyped-def]
    folder = stand_in()
    translator = Apertium("eng-spa")
    (folder / "apertium").write_text("#!/nonexistent/interpreter\n")
    with pytest.raises(ModelFailed, match="cannot be started"):
        translator.translate(["a"])


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab .,*_`[](){}<>\\^$/@#+~|&;:-\n1é"), max_size=40))
def test_what_comes_back_unchanged_is_the_text(text: str) -> None:
    prepared = prepare(text)
    restored = restore(prepared.stream, prepared)
    assert restored is not None
    assert "".join(restored.split()) == "".join(text.split())


@pytest.mark.parametrize("answer", ["[0] a [0]", "a", "[1] a [0]", "[0] [1] [2]"])
def test_blanks_that_are_not_all_there_are_noticed(answer: str) -> None:
    assert restore(answer, prepare("*a*")) is None


@pytest.mark.skipif(REAL is None, reason="Apertium is not installed here")
def test_the_real_one() -> None:
    if "eng-spa" not in installed():
        pytest.skip("Apertium's English-Spanish is not installed here")
    texts = ["Chapter One", MARKED, "He did not come", "1870"]
    title, marked, sentence, number = Apertium("eng-spa").translate(texts)
    assert title == "Capítulo Un" and sentence == "No vino" and number == "1870"
    assert protected_parts(marked) == protected_parts(MARKED) and "**hombre viejo**" in marked
