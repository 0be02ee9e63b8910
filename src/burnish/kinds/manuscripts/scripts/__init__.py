"""Scripts of Tamazight: Latin and Tifinagh, by rules."""

from burnish.kinds.manuscripts.scripts.letters import ORTHOGRAPHIES, SCRIPTS, Orthography, Script
from burnish.kinds.manuscripts.scripts.rendering import Note, Rendered, normalise, render
from burnish.kinds.manuscripts.scripts.words import Reason

__all__ = ["ORTHOGRAPHIES", "SCRIPTS", "Note", "Orthography", "Reason", "Rendered", "Script", "normalise", "render"]
