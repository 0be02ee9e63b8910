"""Sentences that only speak of what chatbots say: no rule may take them for a leak."""

from __future__ import annotations

import pytest

from burnish.text.leftovers import chatbot_phrases
from burnish.text.markdown import markdown

MENTIONS = (
    'Chatbots often open with "Sure! Here is the lesson:" before they write anything.',
    "Delete phrases such as “Certainly! Here's the revised section:” before you publish.",
    "The words *As an AI language model, I* give a copied answer away.",
    "> As an AI language model, I do not have personal experience.",
    "A refusal usually reads like this:\n\nI'm sorry, but I can't help with that.",
    "Search your corpus for `As an AI, I cannot` to find generated pages.",
    "Typical endings are:\n\n- I hope this helps!\n- Let me know if you have questions.\n- Feel free to ask for more.",
    "When a model says that as an AI it has no opinions, it repeats its training.",
    'Students who paste "I hope this helps! Let me know if you have questions." have not read their own text.',
    "The phrase “my knowledge cutoff” tells you that the text was generated.",
    "Of course, the files you put in your corpus will shape your results.",
    "Certainly the most common of these tools is the command line.",
    "Feel free to ask your instructor if anything is unclear.",
    "If you have any questions, let us know in the forum.",
    "If you need help, open an issue on GitHub or write us an email.",
    "Here is the script that does all of this:",
    "Here is a brief overview of the sections of the interface:",
    "As an AI researcher, I have worked with such corpora for years.",
    "We hope that this lesson was useful to you.",
    "Sure enough, the file appears in the folder.",
    "Great care is needed with these commands.",
    "Claro está que los datos deben limpiarse antes.",
    "Por supuesto, también puedes usar otra herramienta.",
    "Los chatbots suelen empezar con «¡Claro! Aquí tienes la lección:» y terminar con «Espero que esto te ayude».",
    "Let the reader know what the script does.",
    "As a language model learns, its loss becomes smaller.",
    "An assistant may answer: “I am an AI, I cannot see pictures.” That is a template.",
    'One bot wrote: "Sure. I am just an AI language model. I cannot answer." Such answers are templates.',
    "I hope they did not put you off.",
    "Would you like to see the result? Run the command again.",
)
BODY = "Water moves in a circle. The sun warms the sea, vapour rises into the air, and rain falls on the land again."


@pytest.mark.parametrize("mention", MENTIONS)
@pytest.mark.parametrize("place", ["first", "between", "last"])
def test_a_mention_is_no_leak(mention: str, place: str) -> None:
    before, after = {"first": ("", BODY), "between": (BODY, BODY), "last": (BODY, "")}[place]
    text = "\n\n".join(part for part in (before, mention, after) if part)
    assert not list(chatbot_phrases(markdown(text)))
