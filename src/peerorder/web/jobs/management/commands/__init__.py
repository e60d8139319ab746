"""Commands of the background."""
