"""Hand-outs, and the rankings that students make."""
