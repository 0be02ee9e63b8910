"""Words and marks of a translation beside those of its source: what the rules of vocabulary and style look at."""
