"""`burnish lexicon`: the bilingual lexicons by which translations are compared with their sources."""

INTRODUCTION = """A bilingual lexicon knows which words of two languages translate each other. Burnish compares
translations with their sources by it, without a model."""

COMMANDS: dict[str, str] = {
    "build": "Learn a lexicon from sentence pairs or a TMX file.",
    "list": "The lexicons that come with Burnish, and how good each is.",
}
MODULES = dict.fromkeys(("build", "list"), "commands")
