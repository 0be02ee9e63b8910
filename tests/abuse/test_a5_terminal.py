"""A5, on the terminal: no byte of content moves the cursor, sets a title, hides or reorders text.

Over two hundred payloads stand in every place that content can reach: texts, ids, option keys, metadata, file names,
and what a user types. Only our own colours may be on the screen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from burnish.cli.main import main

# Hundreds of payloads through code that has tests of its own: tracing each of them tells nothing new, and costs.
pytestmark = pytest.mark.no_cover

OUR_COLOURS = re.compile(r"\x1b\[(?:0|1|2|1;3[1356]|3[126])m")
PRINTED_FORMAT = {"\u200c", "\u200d", *map(chr, range(0x600, 0x606)), "\u06dd", "\u070f", "\u0890", "\u0891", "\u08e2"}

CONTROL_SEQUENCES = [
    "\x1b[2J",
    "\x1b[H",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[1;1H",
    "\x1b[999D",
    "\x1b[6n",
    "\x1b[c",
    "\x1b[>c",
    "\x1b[5i",
    "\x1b[?1049h",
    "\x1b[?25l",
    "\x1b[?2004h",
    "\x1b[8m",
    "\x1b[3J",
    "\x1b[s",
    "\x1b[u",
    "\x1b[20l",
    "\x1b[4i",
    "\x1b[21t",
    "\x1bc",
    "\x1b7",
    "\x1b8",
    "\x1bD",
    "\x1bM",
    "\x1b#8",
    "\x1b(0",
    "\x1b)B",
    "\x1b%G",
    "\x1bZ",
    "\x1b]0;owned\x07",
    "\x1b]2;owned\x1b\\",
    "\x1b]52;c;Y3VybA==\x07",
    "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b]4;1;?\x07",
    "\x1b]10;?\x07",
    "\x1b]11;?\x07",
    "\x1b]50;?\x07",
    "\x1b]1337;File=inline=1:AAAA\x07",
    "\x1b]777;notify;a;b\x07",
    "\x1b]9;4;1;50\x07",
    "\x1b]633;A\x07",
    "\x1b]133;A\x07",
    "\x1b]7;file://x/\x07",
    "\x1b]104\x07",
    "\x1bP+q544e\x1b\\",
    "\x1bPq#0;2;0;0;0\x1b\\",
    '\x1bP$q"p\x1b\\',
    "\x1b_Gf=24;AAAA\x1b\\",
    "\x1b^private\x1b\\",
    "\x1bXstart\x1b\\",
    "\x9b31m",
    "\x9b2J",
    "\x9d0;owned\x9c",
    "\x90q\x9c",
    "\x9f\x9c",
    "\x84",
    "\x85",
    "\x88",
    "\x8d",
    "\x8e",
    "\x8f",
    "\x96",
    "\x97",
    "\x98",
]
TRICKS = [
    "safe\rEVIL",
    "abc\b\b\bxyz",
    "bell\x07",
    "\x00null",
    "form\x0cfeed",
    "vertical\x0btab",
    "\x7fdelete",
    "\x0eshift\x0f",
    "\u202eesrever\u202c",
    "\u202dforced",
    "\u202aembed",
    "\u202bembed",
    "\u2066isolate\u2069",
    "\u2067iso\u2069",
    "\u2068iso\u2069",
    "a\u200eb",
    "a\u200fb",
    "a\u061cb",
    "zero\u200bwidth",
    "word\u2060joiner",
    "\ufeffbom",
    "soft\u00adhyphen",
    "line\u2028separator",
    "paragraph\u2029separator",
    "\U000e0041\U000e0042tags",
    "\U0001d173musical",
    "\ufff9ruby\ufffb",
    "[bold red]markup[/bold red]",
    "[link=http://evil.example]x[/link]",
    "[/]",
    "{0.__class__}",
    "%s%s%n",
    "${HOME}",
    "$(id)",
    "`id`",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "=cmd|'/c calc'!A1",
    "'; DROP TABLE x; --",
]
SINGLE_CONTROLS = [f"x{chr(code)}y" for code in (*range(0x01, 0x20), *range(0x7F, 0xA0))]
SPLIT = [f"\x1b{middle}[31m" for middle in ("\x00", "\r", "\n", "\u200b", " ")] + [
    "\x1b" * 20,
    "\x1b[" + "9" * 500 + "m",
]
EVERY_FINAL = [f"\x1b[2{chr(final)}" for final in range(0x40, 0x7F)]
"""A control sequence with each of the letters that can end one."""
PAYLOADS = [*CONTROL_SEQUENCES, *EVERY_FINAL, *TRICKS, *SINGLE_CONTROLS, *SPLIT]


def assert_harmless(shown: str) -> None:
    rest = OUR_COLOURS.sub("", shown)
    leaking = {
        f"U+{ord(character):04X}"
        for character in rest
        if character != "\n"
        and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        and character not in PRINTED_FORMAT
    }
    assert not leaking


def question(payload: str, number: int) -> dict[str, object]:
    """The payload in every field; the flaws make sure that each field is shown."""
    return {
        "id": f"q{number}{payload}",
        "stem": f"{payload} Which of the following is NOT {payload} a drug?",
        "vignette": f"{payload} A man {payload}",
        "options": [
            {"key": "A", "text": f"All of the above {payload}"},
            {"key": f"B{payload}", "text": f"Always {payload} aspirin"},
            {"key": "C", "text": payload},
            {"key": "D", "text": payload},
        ],
        "correct_answer": f"Z{payload}",
        "rationale": payload,
        "language": "en",
        "metadata": {"bloom_level": payload, "course_id": payload, payload: payload},
    }


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a5")
    path = folder / "bank.jsonl"
    questions = [question(payload, number) for number, payload in enumerate(PAYLOADS)]
    lines = [json.dumps(entry) for entry in questions] + [f'{{"id": {json.dumps(p)}, "stem": 3' for p in PAYLOADS[:40]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_there_are_enough_payloads() -> None:
    assert len(set(PAYLOADS)) >= 200


@pytest.mark.parametrize("format", ["text", "json"])
@pytest.mark.parametrize("colour", ["1", ""])
def test_a_hostile_bank(
    bank: Path, format: str, colour: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", colour)
    monkeypatch.delenv("NO_COLOR", raising=False)
    code = main(["check", str(bank), "--format", format, "--jobs", "1"])
    out, err = capsys.readouterr()
    assert code == 2
    assert len(out) > 100_000
    assert_harmless(out)
    assert_harmless(err)
    if format == "json":
        report = json.loads(out)
        assert len(report["documents"][0]["units"]) >= 200


def test_hostile_names_of_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    names = [payload for payload in PAYLOADS if "/" not in payload and "\0" not in payload and len(payload) < 100]
    for number, name in enumerate(names):
        (tmp_path / f"{number}{name}.jsonl").write_text(
            '{"id": "a", "stem": "All are true EXCEPT:", "language": "en"}\n'
        )
        (tmp_path / f"{number}{name}.dat").write_bytes(b"\x00\x01")
    for format in ("text", "json"):
        main(["check", str(tmp_path), "--format", format, "--jobs", "1"])
        out, err = capsys.readouterr()
        assert len(out) > 10_000
        assert_harmless(out + err)


@pytest.mark.parametrize(
    "arguments",
    [["check", "--select"], ["check", "--kind"], ["rules"], ["schema"], ["check", "--institution"], ["check"], []],
)
def test_hostile_words_on_the_command_line(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"id": "a", "stem": "Which is it?"}\n')
    for payload in PAYLOADS[::5]:
        given = [*arguments, payload, *(["a.jsonl"] if len(arguments) == 2 else [])]
        assert main(given) == 2
        out, err = capsys.readouterr()
        assert err or out
        assert_harmless(out + err)


def test_hostile_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    (tmp_path / "a.jsonl").write_text('{"id": "a", "stem": "Which is it?"}\n')
    for payload in PAYLOADS[::8]:
        (tmp_path / "burnish.toml").write_text(
            f"[check]\nselect = [{json.dumps(payload)}]\n{json.dumps(payload)} = 1\n"
        )
        assert main(["check", "a.jsonl"]) == 2
        out, err = capsys.readouterr()
        assert_harmless(out + err)
