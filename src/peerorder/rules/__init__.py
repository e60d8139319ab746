"""Aggregation rules. A new rule is one file, one line here, and one test file."""

from peerorder.core.registry import Registry
from peerorder.core.translation import message
from peerorder.rules import (
    borda,
    copeland,
    kemeny,
    markov,
    mixture,
    pagerank,
    pairwise,
    peerrank,
    plackett_luce,
    posterior,
    rsd,
)
from peerorder.rules.rule import Rule

__all__ = ["RULES", "Rule"]

RULES: Registry[Rule] = Registry(
    message("rule"),
    "peerorder.rules",
    [
        posterior.RULE,
        borda.RULE,
        rsd.RULE,
        markov.MC1,
        markov.MC2,
        markov.MC3,
        markov.MC4,
        markov.MC4_RESTART,
        copeland.RULE,
        kemeny.RULE,
        pagerank.RULE,
        peerrank.RULE,
        mixture.RULE,
        plackett_luce.RULE,
        pairwise.BRADLEY_TERRY,
        pairwise.THURSTONE,
    ],
)
