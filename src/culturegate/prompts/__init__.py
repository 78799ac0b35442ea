"""Templates, one file a language."""

from culturegate.prompts.templates import Template, languages, prompt_hash, templates

__all__ = ["Template", "languages", "prompt_hash", "templates"]
