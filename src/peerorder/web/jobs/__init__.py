"""Background jobs: one table, their progress and retries, and the workers that run them."""
