"""Manuscripts: a book in Markdown or text in, its translation out, with a gate at every paragraph."""
