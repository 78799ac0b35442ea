"""A run as people read it."""
