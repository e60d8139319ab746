"""The page of an assignment, and its transitions."""
