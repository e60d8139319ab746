"""Assignments and their life: draft, handing in, ranking, review, released."""
