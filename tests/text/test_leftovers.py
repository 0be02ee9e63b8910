"""Placeholders: what a whole text is made of decides, in time that grows with its length."""

from __future__ import annotations

import pytest

from burnish.text.leftovers import chatbot_phrases, is_placeholder, placeholders, prompts
from burnish.text.markdown import markdown


@pytest.mark.parametrize("text", ["...", "…", "???", "xxx", "n/a", "none", "NaN", "nan...", "TODO", "string."])
def test_a_text_that_was_never_written(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("mark", [".", "?", "x", "…", "nan", "na"])
def test_a_long_row_of_marks_before_text_is_read_at_once(mark: str) -> None:
    """Once `....!` took twice as long with each further dot, so that 2,000 of them held up a run for ever."""
    assert not is_placeholder(mark * 20_000 + " and more")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("All is well.", []),
        ("TODO", [("TODO", "critical")]),
        ("TODO: write this. More here.", [("TODO", "critical")]),
        ("Todo lists help.", []),
        ("# Coming soon", [("# Coming soon", "critical")]),
        ("coming soon", [("coming soon", "critical")]),
        ("Text here", [("Text here", "critical")]),
        ("Some words. [Insert text here]", [("[Insert text here]", "critical")]),
        ("Some words. [Insert text here] Then more.", [("[Insert text here]", "critical")]),
        ("It was [insert text here] and more.", [("[insert text here]", "error")]),
        ("It was [year] when it began.", [("[year]", "warning")]),
        ("It was `[year]` then.", []),
        ('It was "[year]" then.', []),
        ("See [year](http://a).", []),
        ("See [the year][y].\n\n[y]: http://a", []),
        ("Press [ENTER] now.", []),
        ("The World Health Organization [WHO] says.", []),
        ("The words [WHO] say.", [("[WHO]", "warning")]),
        ("He came [back home] then.", [("[back home]", "warning")]),
        ("[back home] he came.", []),
        ("In 19XX it began.", [("19XX", "warning")]),
        ("We paid $XX for it.", [("$XX", "warning")]),
        ("The score was XXXX there.", [("XXXX", "warning")]),
        ("It is {first_name} here.", [("{first_name}", "warning")]),
        ("Dear {name}, hello.", [("{name}", "warning")]),
        ("Use {{ user_name }} there.", [("{{ user_name }}", "warning")]),
        ("Use `{{ user_name }}` there.", []),
        ("Lorem ipsum dolor sit amet.", [("Lorem ipsum dolor", "critical")]),
        ("The phrase lorem ipsum is old.", []),
        ('"Lorem ipsum dolor" is filler.', []),
        ("> Lorem ipsum dolor", []),
        ("It ends (link to be added).", [("(link to be added)", "warning")]),
        ("It is <company name> there.", [("<company name>", "warning")]),
        ("It is <b> there.", []),
        ("We ask: TBD for now.", [("TBD", "warning")]),
        ("Is it ??? , or not.", [("???", "warning")]),
        ("- [Insert image here]", [("[Insert image here]", "critical")]),
        ("Text: [insert text here]", [("[insert text here]", "critical")]),
        ("The form says [sic] there.", []),
    ],
)
def test_a_placeholder_is_told_by_where_it_stands(text: str, found: list[tuple[str, str]]) -> None:
    """Alone it stands for a whole text; in a sentence it may be meant; quoted, linked or in code it is."""
    slips = placeholders(markdown(text))
    assert [(text[slip.start : slip.end], slip.severity) for slip in slips] == found


def test_brackets_with_the_label_of_a_link_are_a_link() -> None:
    view = markdown("He came [back home] then.")
    assert list(placeholders(view)) != [] and list(placeholders(view, {"back home"})) == []


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Certainly! Here is the text you asked for:\n\nThe sea is blue.", "The sea is blue."),
        ("The sea is blue.\n\nI hope this helps! Let me know if you have questions.", "The sea is blue."),
        ("The sea is blue. As an AI language model, I cannot swim. It is deep.", "The sea is blue. It is deep."),
        ('He said: "As an AI language model, I cannot swim."', 'He said: "As an AI language model, I cannot swim."'),
        (
            "The robot says:\n\nAs an AI language model, I cannot swim.",
            "The robot says:\n\nAs an AI language model, I cannot swim.",
        ),
        ("As an AI language model, I cannot swim.", ""),
        ("Sure, the sea is blue.", "Sure, the sea is blue."),
        ("Sure!\n\nThe sea is blue.", "The sea is blue."),
        ("I hope this helps.", ""),
        ("Let me know if you have any questions. I hope this helps! The sea is blue.", "The sea is blue."),
        ("The sea is blue.", "The sea is blue."),
    ],
)
def test_what_a_chatbot_says_to_its_user_is_taken_away_and_nothing_else(text: str, after: str) -> None:
    rest = text
    for slip in reversed(list(chatbot_phrases(markdown(text)))):
        assert slip.replacement == ""
        rest = rest[: slip.start] + rest[slip.end :]
    assert rest == after


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<|im_end|> Text.", [("<|im_end|>", "error")]),
        ("Text </think> here.", [("</think>", "error")]),
        ("`</think>` is a tag.", []),
        ("```\n[INST]\n```", []),
        ("### Instruction: write a text", [("### Instruction: write a text", "error")]),
        ("Write a text of about 200 words.", [("Write a text of about 200 words.", "error")]),
        (
            "Describe the topic in 3 paragraphs for the reader. Use simple words.",
            [("Describe the topic in 3 paragraphs for the reader", "warning")],
        ),
        ("> Write 200 words.", []),
        ("The sea is blue.", []),
        ("Write 150-200 words on whales.", [("Write 150-200 words", "warning")]),
    ],
)
def test_what_is_left_of_a_prompt(text: str, found: list[tuple[str, str]]) -> None:
    assert [(text[slip.start : slip.end], slip.severity) for slip in prompts(markdown(text))] == found


def test_bold_instructions_are_told_from_their_first_word() -> None:
    text = "All is well.\n\n**Write a text of about 200 words.**"
    [slip] = prompts(markdown(text))
    assert text[slip.start : slip.end].rstrip("*") == "Write a text of about 200 words."


@pytest.mark.parametrize("end", ["", " ", "\t", "\n"])
def test_blanks_at_the_end_of_a_text_are_not_those_before_its_beginning(end: str) -> None:
    text = f"Sure!\n\nThe sea is blue.{end}"
    [slip] = chatbot_phrases(markdown(text))
    assert (slip.start, slip.end) == (0, 7)
    assert all(slip.start >= 0 for slip in chatbot_phrases(markdown(f"I hope this helps.{end}")))
