"""The workbench: the review pages, and the server for them and the HTTP API."""

from types import SimpleNamespace

Drawn = SimpleNamespace
"""Values for templates only, ready to print. A template that reads a missing name fails."""
