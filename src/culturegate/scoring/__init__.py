"""Reply to reading."""
