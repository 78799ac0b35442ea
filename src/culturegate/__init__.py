"""Measure what a language model does with culture, and gate upgrades on the difference."""

from culturegate.selection import Selection, cases

__all__ = ["Selection", "cases"]
