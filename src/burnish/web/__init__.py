"""The workbench: pages for the people who review, and the server that carries them and the HTTP API."""

from types import SimpleNamespace

Drawn = SimpleNamespace
"""What only templates read: words and numbers, ready to be drawn. They fail on a name that is not there."""
