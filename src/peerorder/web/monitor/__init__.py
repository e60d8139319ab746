"""The progress of a round, and what staff can do about it."""
