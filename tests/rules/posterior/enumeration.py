"""The posterior by enumeration, for a few papers: every order, every type of every grader, Mallows types alone.

Written from the model and nothing else: ballots are lists of groups of tied papers, and a tie is worth the
sum of all ways to write it down.
"""

from itertools import combinations, permutations, product
from math import prod

import numpy as np

from ..profiles import groups_of


def mallows(ballot, order, q):
    """Pr[ballot], a strict list of papers, for a grader of quality q when the papers stand in this order."""
    place = {paper: at for at, paper in enumerate(order)}
    phi = (1 - q) / q

    def weight(ranking):
        return phi ** sum(place[a] > place[b] for a, b in combinations(ranking, 2))

    return weight(ballot) / sum(weight(ranking) for ranking in permutations(ballot))


def written(ballot):
    """Every strict ballot that a ballot with ties may stand for."""
    for groups in product(*(permutations(group) for group in ballot)):
        yield [paper for group in groups for paper in group]


def joint(profile, qualities, weights):
    """Every order, best first, with its probability, and the probabilities of every grader's types given it."""
    ballots = groups_of(profile)
    orders = list(permutations(range(profile.n_papers)))
    chances = np.zeros((len(orders), profile.n_graders, len(qualities)))
    for o, order in enumerate(orders):
        for g in range(profile.n_graders):
            own = [ballots[b] for b in np.flatnonzero(profile.grader == g)]
            for t, q in enumerate(qualities):
                said = prod(sum(mallows(strict, order, q) for strict in written(ballot)) for ballot in own)
                chances[o, g, t] = weights[t] * said
    each = chances.sum(axis=2)
    law = each.prod(axis=1)
    return orders, law / law.sum(), chances / each[:, :, None], each


def mean_places(orders, law):
    places = np.array([np.argsort(order) for order in orders])
    return law @ places
