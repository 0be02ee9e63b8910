"""Burnish finds what is wrong in model-written learning content, repairs only that, and proves it."""

__version__ = "0.1.0"
