"""How a case is asked and judged."""
