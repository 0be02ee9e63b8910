"""Thirty things that chatbots say to their users, and thirty sentences that only speak of such things."""

from __future__ import annotations

LEAKS_BEFORE = (
    "Sure! Here is the lesson:",
    "Certainly! Here's the revised section:",
    "Of course! Below is the content you asked for.",
    "Absolutely! Let me walk you through it.",
    "Great question! I'll explain it step by step.",
    "Here is the updated lesson with the requested changes:",
    "Okay, here's a rewritten version of the text:",
    "Happy to help! Here is your section:",
    "¡Claro! Aquí tienes la lección:",
    "Por supuesto. A continuación te presento la sección revisada:",
    "Bien sûr ! Voici la leçon :",
    "Gerne! Hier ist die überarbeitete Fassung:",
    "Certo! Ecco la lezione:",
    "Claro! Aqui está a lição revisada:",
    "Конечно! Вот урок:",
)
LEAKS_AFTER = (
    "I hope this helps! Let me know if you have any questions.",
    "Feel free to ask if anything is unclear.",
    "Would you like me to add more exercises?",
    "Let me know if you'd like a shorter version.",
    "In conclusion, I hope this lesson was useful.",
    "If you need anything else, just let me know!",
    "I'd be happy to expand on any of these points.",
    "Espero que esto te ayude. Avísame si necesitas más ejemplos.",
    "N'hésitez pas à me demander plus de détails.",
    "Надеюсь, это поможет! Дайте знать, если нужны примеры.",
)
LEAKS_ANYWHERE = (
    "As an AI language model, I do not have personal experience with this tool.",
    "As an AI, I cannot browse the internet to check this.",
    "I'm sorry, but I can't provide the rest of this section.",
    "My knowledge cutoff is September 2021, so newer versions may differ.",
    "Como modelo de lenguaje, no puedo acceder a internet.",
)
LEAKS = (*LEAKS_BEFORE, *LEAKS_AFTER, *LEAKS_ANYWHERE)

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
