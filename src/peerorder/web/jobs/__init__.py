"""Background jobs: one table of them, their progress and retries, and the workers that run them."""
