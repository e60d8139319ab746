"""The exact law of random serial dictatorship on a few papers, and a chi-square test against an exact law.

Written from the paper's text and nothing else: sets of pairs, every order of the ballots, every
choice of an undecided pair, every coin. Fractions, so that the probabilities are exact.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import factorial, prod

import numpy as np
from scipy.stats import chi2


def reaches(relation, a, b):
    """Whether the relations lead from a down to b."""
    seen, todo = set(), [a]
    while todo:
        here = todo.pop()
        if here == b:
            return True
        if here not in seen:
            seen.add(here)
            todo += [y for x, y in relation if x == here]
    return False


def serial_phase(ballots):
    """Copy each relation, ballot by ballot, pairs from the top, unless it closes a cycle."""
    copied = set()
    for ballot in ballots:
        for a, b in ballot:
            if not reaches(copied, b, a):
                copied.add((a, b))
    return copied


def closed(relation, n):
    """What follows by transitivity."""
    return frozenset((a, b) for a in range(n) for b in range(n) if a != b and reaches(relation, a, b))


@cache
def completions(relation, n):
    """Every complete order, best first, with the probability that random decisions lead to it."""
    open_pairs = [(a, b) for a, b in combinations(range(n), 2) if not {(a, b), (b, a)} & relation]
    if not open_pairs:
        return {tuple(sorted(range(n), key=lambda a: -sum(x == a for x, _ in relation))): Fraction(1)}
    law = Counter()
    for a, b in open_pairs:
        for decision in ((a, b), (b, a)):
            for order, probability in completions(closed({*relation, decision}, n), n).items():
                law[order] += probability / (2 * len(open_pairs))
    return law


def written_down(ballot):
    """Every way to write a ballot down, as its relations from the top; ballots are lists of groups of tied papers."""
    for groups in product(*map(permutations, ballot)):
        ranked = [(paper, level) for level, group in enumerate(groups) for paper in group]
        yield [(a, b) for i, (a, x) in enumerate(ranked) for b, y in ranked[i + 1 :] if x < y]


def rsd_law(ballots, n):
    """The probability of every order, best first, under random serial dictatorship."""
    ways = prod(factorial(len(group)) for ballot in ballots for group in ballot) * factorial(len(ballots))
    serial = Counter()
    for texts in product(*map(written_down, ballots)):
        serial.update(closed(serial_phase(turn), n) for turn in permutations(texts))
    law = Counter()
    for relation, many in serial.items():
        for order, probability in completions(relation, n).items():
            law[order] += probability * Fraction(many, ways)
    return law


def mean_places(law, n):
    """The expected place of every paper, from 0."""
    return [sum(probability * order.index(p) for order, probability in law.items()) for p in range(n)]


def p_value(counts, law):
    """Of a chi-square test that the counts come from the law; rare outcomes are counted as one."""
    if not set(counts) <= {outcome for outcome, probability in law.items() if probability}:
        return 0.0
    total = sum(counts.values())
    often = [outcome for outcome, probability in law.items() if probability * total >= 5]
    seen = np.array([counts[outcome] for outcome in often], float)
    expected = np.array([float(law[outcome]) * total for outcome in often])
    rest = 1 - float(sum(law[outcome] for outcome in often))
    if rest > 1e-12:
        seen, expected = np.append(seen, total - seen.sum()), np.append(expected, rest * total)
    if len(expected) == 1:
        return 1.0
    return float(chi2.sf(((seen - expected) ** 2 / expected).sum(), len(expected) - 1))
