"""What we say to models: prompts with versions, filled strictly, with content between fences."""

from burnish.models.prompts.rendering import Prompt, Rendered, parse_prompt, prompt_named, render

__all__ = ["Prompt", "Rendered", "parse_prompt", "prompt_named", "render"]
