"""The phases of a manuscript, each a generator over a batch of paragraphs."""
