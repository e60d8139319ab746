"""Commands of the background jobs."""
