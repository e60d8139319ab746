"""The model of ``mixture`` written down literally: every grader, every type, every stage, in plain Python."""

from math import exp, log

import numpy as np

from peerorder.rules.mixture.model import LANE_OF, SLOPE
from peerorder.rules.mixture.sums import BEST, Lanes

from ..profiles import groups_of


def chance(ballot, x, slope, handicap):
    """The chance of a ballot, given as groups of tied papers in the order in which they are picked."""
    result = 1.0
    for stage, picked in enumerate(ballot):
        others = [paper for group in ballot[stage + 1 :] for paper in group]
        level = sum(exp(slope * x[paper]) for paper in picked)
        for paper in picked:
            result *= exp(slope * x[paper]) / (level + handicap * sum(exp(slope * x[other]) for other in others))
    return result


def chances(ballots, x, lanes: Lanes):
    """The chance of all ballots of a grader, by type."""
    by_type = []
    for lane in LANE_OF:
        turned = ballots if lane < BEST else [ballot[::-1] for ballot in ballots]
        by_type.append(np.prod([chance(ballot, x, SLOPE[lane], lanes.handicap[lane]) for ballot in turned]))
    return np.array(by_type)


def ballots_by_grader(profile):
    ballots = groups_of(profile)
    return {g: [ballots[b] for b in np.flatnonzero(profile.grader == g)] for g in np.unique(profile.grader).tolist()}


def shares(ballots, x, lanes):
    joint = chances(ballots, x, lanes) * lanes.weight[LANE_OF]
    return joint / joint.sum()


def value(profile, x, lanes):
    """-log of the probability of all ballots."""
    return -sum(
        log(np.sum(chances(ballots, x, lanes) * lanes.weight[LANE_OF]))
        for ballots in ballots_by_grader(profile).values()
    )


def slope(function, x, step=1e-5):
    """The derivatives of a function by all coordinates, by differences."""
    result = []
    for i in range(len(x)):
        there, back = (np.array([*x[:i], x[i] + move, *x[i + 1 :]]) for move in (step, -step))
        result.append((function(there) - function(back)) / (2 * step))
    return np.array(result)


def bend(function, x, step=1e-4):
    """The second derivatives by each coordinate alone."""
    result = []
    for i in range(len(x)):
        there, back = (np.array([*x[:i], x[i] + move, *x[i + 1 :]]) for move in (step, -step))
        result.append((function(there) + function(back) - 2 * function(x)) / step**2)
    return np.array(result)
