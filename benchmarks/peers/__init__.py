"""peerorder's rules beside what else merges rankings: how much each recovers, how fast, in how much memory.

Every rule and every library runs in a process of its own, on the same ballots, which it reads from a file.
"""
