"""Templates, one file a language."""
