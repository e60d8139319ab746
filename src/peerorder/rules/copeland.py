"""``copeland``: the share of a paper's opponents that it beats by a majority, so that each counts once.

Copeland's score is the number of opponents beaten by a majority of the ballots that compare the two, less the
number that beat it. It supposes that everybody meets everybody. With bundles papers meet different numbers of
others, so the score here is (2 won + even) / (2 contests) in integers until the last division, as Borda's is for
comparisons: the same order as Copeland's where all papers have equally many opponents. Where no two papers share
more than one ballot, every contest is one comparison and the rule is Borda's.
"""

import numpy as np

from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.rules.contests import contests
from peerorder.rules.rule import Rule

__all__ = ["RULE"]


def compute(profile: Profile, rng: Generator) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """The share of majority contests won, an even one as half, 1/2 where there was none."""
    net = contests(profile)
    opponents = np.diff(net.indptr)
    # A row is summed at once: signs are whole numbers, so the order of the sum does not matter.
    lead = np.asarray(net.sign().sum(axis=1)).astype(np.int64)
    # lead = won - lost and opponents = won + even + lost, so their sum is 2 won + even.
    return RuleResult(np.where(opponents > 0, (opponents + lead) / (2 * np.maximum(opponents, 1)), 0.5))


RULE = Rule(
    name="copeland",
    summary="the share of opponents beaten by a majority",
    citation="Copeland (1951)",
    compute=compute,
    needs="memory in proportion to the pairs that share a ballot",
)
