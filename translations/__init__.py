"""Collect the texts that people read, for translators; a tool of this repository, which is not installed."""
