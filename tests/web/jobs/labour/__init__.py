"""Kinds of work for tests."""
