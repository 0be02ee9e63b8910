"""The phases of an extraction: align the course, cut every SEED, review every cut."""
