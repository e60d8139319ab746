"""Rounds beyond one machine: many courses, and rounds larger than memory."""
