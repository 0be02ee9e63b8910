"""LEGOs: teachable phrases, cut from the sentence pairs of a language course."""
