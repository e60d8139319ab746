"""The heart: hand-outs, and the rankings that people make of them."""
