import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.store.redaction import _SHAPES, REDACTED, SHORTEST_SHAPE, Redactor

KEY = "sk-proj-T3BlbkFJabcdef0123456789ABCDEF"
CANARY = 'can"ary/ßecret+value'
PLAIN = Redactor()

SECRET_SHAPES = [
    ("Incorrect API key provided: sk-abcdef0123456789abcdef.", "sk-abcdef0123456789abcdef"),
    (f"key {KEY}", KEY),
    ("sk-ant-api03-Zx81Kq0123456789_abcdef-ABCDEFGHIJ was refused", "sk-ant-api03-Zx81Kq0123456789_abcdef-ABCDEFGHIJ"),
    ("Authorization: Bearer abc123DEF456ghi789", "abc123DEF456ghi789"),
    ("{'authorization': 'Bearer abc123DEF456ghi789'}", "abc123DEF456ghi789"),
    ('"Authorization": "Basic dXNlcjpwYXNz"', "dXNlcjpwYXNz"),
    ("Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
    ("sent Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "eyJzdWIiOiIxMjM0NTY3ODkwIn0"),
    ("GET /v1?api_key=hunter2hunter2&x=1", "hunter2hunter2"),
    ("api_key=topsecret", "topsecret"),
    ('{"api_key": "abc12345xyz"}', "abc12345xyz"),
    ("x-api-key: 0123456789abcdef", "0123456789abcdef"),
    ("client_secret = 's3cr3tvalue'", "s3cr3tvalue"),
    ("password=correcthorse", "correcthorse"),
    ("https://user:pa55@host/v1", "pa55"),
    ("postgres://me:secret@db:5432/x", "secret"),
    ("token gsk_abcdefghij0123456789XYZ", "gsk_abcdefghij0123456789XYZ"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
]

PROSE = [
    "We used sk-learn and sk-learn-contrib-projects for the regression, as in sk-nearest-neighbours.",
    "The bearer of the gene is asymptomatic; bearer responsibilities are described in chapter 12.",
    "Authorization: see the institution's policy. Prior authorization: required for MRI.",
    "Basic understanding of physiology; basic electrophysiology, 2nd edition.",
    "Which password rule is safest? password: something only you know.",
    "An API key is a secret. api_key is the name of the field; api key: ask your administrator.",
    "Write to nurse@example.org or see https://example.org:8080/a@b and http://example.org/path?x=1&y=2.",
    "The token budget is 4,000 tokens; the secretary kept secrets: all of them.",
    "A 54-year-old man takes 5 mg/day: ratio 1:2, pH 7.35, AKI stage 2, sk- and SK-MEL-28 cells.",
    "Die Trägerin (engl. bearer) der Mutation: BRCA1/2. Авторизация: токен не нужен.",
    "Use Bearer tokens: the header is `Authorization: Bearer <token>`.",
]


@pytest.mark.parametrize(("text", "secret"), SECRET_SHAPES)
def test_shapes_of_secrets_leave_diagnostics(text: str, secret: str) -> None:
    clean = PLAIN.diagnostics(text)
    assert secret not in clean
    assert REDACTED in clean
    assert PLAIN.conversation(text) == text


@pytest.mark.parametrize("text", PROSE)
def test_ordinary_prose_is_left_alone(text: str) -> None:
    assert PLAIN.diagnostics(text) == text


VOCABULARY = (
    *("the", "patient", "bearer", "of", "basic", "authorization", "sk-learn", "key", "password", "token", "secret"),
    *(
        "API",
        "Which",
        "following",
        "54-year-old",
        "7.35",
        "mg/dL",
        "α-blocker",
        "naïve",
        "user@example.org",
        "A:",
        "B=",
    ),
    *("https://example.org/a?b=c", "12%", "BRCA1/2", "non-insulin-dependent"),
)
WORDS = st.sampled_from(VOCABULARY)


@given(st.lists(WORDS, max_size=60), st.sampled_from([" ", ", ", "\n", ": "]))
def test_random_prose_without_secrets_stays_identical(words: list[str], glue: str) -> None:
    text = glue.join(words)
    assert PLAIN.diagnostics(text) == text
    assert Redactor([CANARY, KEY]).conversation(text) == text
    assert not Redactor([CANARY, KEY]).holds_key(text)


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from([KEY, CANARY]))
def test_a_known_secret_never_stays_and_a_second_time_changes_nothing(before: str, after: str, secret: str) -> None:
    redactor = Redactor([CANARY, KEY])
    for clean in (redactor.conversation, redactor.diagnostics):
        once = clean(before + secret + after)
        assert secret not in once
        assert clean(once) == once


@given(
    st.sampled_from(["", "AKIA", "AIza", "eyJ", "hf_", "ghp_", "github_pat_", "apikey"]),
    st.text("aZ0_9bearerBASIC", min_size=1, max_size=SHORTEST_SHAPE),
)
def test_short_words_have_no_shape_of_a_secret(beginning: str, rest: str) -> None:
    word = (beginning + rest)[: SHORTEST_SHAPE - 1]
    assert not any(shape.search(word) for shape, _ in _SHAPES)
    assert PLAIN.diagnostics(word) == word


@pytest.mark.parametrize("text", [text for text, _ in SECRET_SHAPES])
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = PLAIN.diagnostics(text)
    assert PLAIN.diagnostics(once) == once


def test_a_secret_is_found_in_urls_in_json_and_in_base64() -> None:
    redactor = Redactor([CANARY])
    texts = ["can%22ary%2F%C3%9Fecret%2Bvalue", r"can\"ary/\u00dfecret+value", "Y2FuImFyeS/Dn2VjcmV0K3ZhbHVl"]
    assert [redactor.conversation(text) for text in texts] == [REDACTED] * 3


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redactor(["abcdefgh", "abcdefgh-ijkl"]).diagnostics("abcdefgh-ijkl") == REDACTED


def test_short_values_are_no_secrets() -> None:
    text = "none of the above; ollama; EMPTY; [redacted]"
    assert Redactor(["none", "ollama", "EMPTY", "", "redacted"]).diagnostics(text) == text


def test_json_is_cleaned_in_values_and_keys_and_keeps_its_shape() -> None:
    value: dict[str, Any] = {"a": [KEY, 1, None, True, 2.5], KEY: {"b": (f"x {KEY} y",)}}
    assert Redactor([KEY]).conversation(value) == {
        "a": [REDACTED, 1, None, True, 2.5],
        REDACTED: {"b": [f"x {REDACTED} y"]},
    }
    assert PLAIN.conversation(value) is value


def test_fields_that_hold_secrets_are_emptied_in_diagnostics_only() -> None:
    headers = {"Authorization": "anything", "X-Api-Key": "anything", "password": "", "api_key": None, "accept": "*/*"}
    assert PLAIN.diagnostics(headers) == {**headers, "Authorization": REDACTED, "X-Api-Key": REDACTED}
    assert PLAIN.conversation(headers) == headers


@pytest.mark.parametrize("word", ["postgres", "changeme", "mysecretpassword", "COVID-19", "interleukin-12"])
def test_an_ordinary_word_leaves_diagnostics_and_nothing_else(word: str) -> None:
    redactor = Redactor([word])
    text = f"Which of the following is true of {word}?"
    assert word not in redactor.diagnostics(text)
    assert redactor.conversation(text) == text
    assert not redactor.holds_key(text)


@pytest.mark.parametrize("value", [KEY, f"a {KEY}.", {"a": [1, {"b": KEY}]}, {KEY: None}, ("x", [KEY])])
def test_a_key_is_found_wherever_it_stands(value: object) -> None:
    assert Redactor(["postgres", KEY]).holds_key(value)
    assert not PLAIN.holds_key(value)


@pytest.mark.parametrize("written", [r"sk\u002dcan/ary-0123456789", r"sk-can\/ary-0123456789", "sk-can/ary-0123456789"])
def test_a_key_is_seen_through_the_escapes_of_json(written: str) -> None:
    assert json.loads(f'"{written}"') == "sk-can/ary-0123456789"
    assert Redactor(["sk-can/ary-0123456789"]).holds_key(f'{{"replace": "x {written} y"}}')


@pytest.mark.parametrize("piece", ["Authorization=", "bearer ", "eyJ-", "sk-", "api_key:", "a://a:", "x", "api_key= "])
def test_hostile_text_is_worked_through(piece: str) -> None:
    """A pattern slower than linear would take hours here."""
    text = piece * (300_000 // len(piece))
    once = PLAIN.diagnostics(text)
    assert once == PLAIN.diagnostics(once)
