"""How a round is going, and what staff can do about it."""
