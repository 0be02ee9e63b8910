"""The rules of manuscripts: one check, one file."""
