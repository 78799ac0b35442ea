"""Who is asked, and the engine that asks."""
