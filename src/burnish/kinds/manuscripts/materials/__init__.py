"""The materials of a manuscript: memories, glossaries, drafts, exclusions, reviews, critics, style sheets."""
