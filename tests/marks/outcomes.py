"""Outcomes made by hand: an order, ties, and places that are more or less known."""

import numpy as np

from peerorder.core.outcome import Outcome, RuleResult, order_by_score
from peerorder.core.profile import Profile
from peerorder.core.samples import Samples


def outcome(scores, *, rng, intervals=None, draws=None, profile=None, **more):
    scores = np.array(scores, float)
    samples = None
    if draws is not None:
        samples = Samples(np.array(draws, np.uint16), np.zeros((len(draws), 1), np.float32))
        intervals = samples.intervals(0.9)
    return Outcome(
        order=order_by_score(scores, rng),
        result=RuleResult(
            scores=scores, intervals=None if intervals is None else np.array(intervals), samples=samples, **more
        ),
        rule="by hand",
        options={},
        profile=Profile.from_ballots([], len(scores)) if profile is None else profile,
        generator={},
    )


def in_places(places, *, rng, **more):
    """Everybody's place, from 1, known for sure."""
    return outcome(-np.array(places, float), rng=rng, **more)


def blurred(n, width, rng, draws=64):
    """Papers 0 to n-1 stand in about these places; draws differ from that by about this many."""
    orders = np.argsort(np.argsort(np.arange(n) + rng.normal(0, width, (draws, n)), axis=1), axis=1)
    mean = orders.mean(axis=0)
    return outcome(1 - (mean + 0.5) / n, rng=rng, draws=orders)
