"""Measure what a language model does with culture, and gate upgrades on the difference."""
