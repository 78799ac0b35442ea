"""Files to validated items."""
