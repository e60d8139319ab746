"""Work in the background: its progress, its retries, and what a dead worker left behind."""
