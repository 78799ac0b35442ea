"""Lines and estimates to verdicts."""
