"""Records to estimates."""
