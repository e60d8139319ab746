"""The monitor keeps nothing of its own."""
