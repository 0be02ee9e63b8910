"""Text tools for every kind: Markdown, links, placeholders, truncation, leftovers of models, wrong languages."""
