"""What is read beside a manuscript: memories, glossaries, drafts, exclusions, reviews, critics, style sheets."""
