"""Assignments: what to hand in, who ranks how much of it, and until when."""
