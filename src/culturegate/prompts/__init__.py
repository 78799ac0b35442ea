"""Templates, one file a language."""

from culturegate.prompts.templates import Template, prompt_hash, templates

__all__ = ["Template", "prompt_hash", "templates"]
