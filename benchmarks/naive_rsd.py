"""RSD word by word as the paper states it, in plain Python: what the fast rule must be worth its bits beside."""

from peerorder import Profile
from peerorder.core.randomness import Generator

__all__ = ["naive_rsd"]


def naive_rsd(profile: Profile, rng: Generator) -> list[int]:
    """Order the papers, best first, by random serial dictatorship.

    ``below[a]`` is the set of papers known to be worse than a, kept transitively closed.
    """
    papers = range(profile.n_papers)
    below: list[set[int]] = [set() for _ in papers]

    def put_above(a: int, b: int) -> None:
        follows = {b} | below[b]
        for paper in papers:
            if paper == a or a in below[paper]:
                below[paper] |= follows

    levels = profile.tie_levels
    for ballot in rng.permutation(len(profile)):
        first, last = profile.start[ballot], profile.start[ballot + 1]
        for i in range(first, last):
            for j in range(i + 1, last):
                a, b = int(profile.papers[i]), int(profile.papers[j])
                if levels[i] < levels[j] and a not in below[b]:
                    put_above(a, b)
    while undecided := [(a, b) for a in papers for b in range(a) if a not in below[b] and b not in below[a]]:
        a, b = undecided[rng.integers(len(undecided))]
        put_above(*((a, b) if rng.random() < 0.5 else (b, a)))
    return sorted(papers, key=lambda paper: -len(below[paper]))
