"""How fast peerorder is beside what else does the same work: ratios, because seconds are the machine's.

``python -m benchmarks`` from the root of the repository runs everything; see README.md.
"""
