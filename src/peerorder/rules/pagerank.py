"""``pagerank``: a random walk towards better papers that trusts authors of good papers more.

Caragiannis et al. (2015) say of their further trials that they were variations of PageRank in which the confidence in
a student depends on the performance of their graders, and give no formulas. The variant here, at paper a:

- with probability ``restart`` the walk starts anew at any of the n papers;
- otherwise it draws one of the ballots that rank a, each in proportion to its weight, then one of the other papers
  on this ballot, and goes there if the ballot puts it above a (a tie is no reason to move).

A ballot weighs (n x)^trust, where x is the share of the walk that is at the paper its grader wrote: 1 for an average
paper. A grader who wrote none has the mean weight of all papers. The share of the walk and the weights depend on
each other, so both are found together: every step of the walk, from the uniform distribution, uses the weights that
follow from the shares before it, until nothing changes.

With ``trust=0`` all ballots weigh the same, and this is PageRank on a fixed weighted graph, in effect MC3 of Dwork
et al. with restarts. The walk stays where a ballot gives no reason to leave. Had it to leave for a better paper
always, as in PageRank on the web, one lost comparison would count as much as many.
"""

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.rules.rounding import level_scores
from peerorder.rules.rule import Rule

__all__ = ["RULE", "ballot_weights"]

CONVERGED = 1e-13
STEPS_AT_MOST = 10_000


def compute(profile: Profile, rng: Generator, restart: float, trust: float) -> RuleResult:  # noqa: ARG001
    """The share of the walk that is at each paper."""
    n = profile.n_papers
    uniform = 1 / max(n, 1)
    here = np.full(n, uniform)
    notes: tuple[str, ...] = (
        _("the walk and its weights had not settled after {steps} steps").format(steps=STEPS_AT_MOST),
    )
    for _step in range(STEPS_AT_MOST):
        weight = ballot_weights(profile, (n * here) ** trust)
        moved = step(profile.papers, profile.start, profile.tie_levels, weight, here)
        there = (1 - restart) * moved + restart * uniform
        change = float(np.abs(there - here).sum())
        here = there
        if change < CONVERGED:
            notes = ()
            break
    return RuleResult(level_scores(here), notes=notes)


def ballot_weights(profile: Profile, standing: FloatArray) -> FloatArray:
    """Return the standing of the paper that each ballot's grader wrote, or the mean standing where they wrote none."""
    known = np.append(standing, standing.mean() if len(standing) else 1.0)
    # -1, for no paper, reads the last entry.
    return known[profile.authored[profile.grader]]


@kernel
def step(papers, start, levels, weight, here):  # type: ignore[no-untyped-def]
    """Where the walk is after a step without restart.

    A paper receives equally from all below it on a ballot, so one pass from the bottom of each ballot with a running
    sum does it, without a list of pairs.
    """
    total = np.zeros(len(here))
    for row in range(len(start) - 1):
        if start[row + 1] - start[row] > 1:
            for at in range(start[row], start[row + 1]):
                total[papers[at]] += weight[row]
    there = here.copy()
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        others = last - first - 1
        if others < 1:
            continue
        rising = 0.0
        end = last
        while end > first:
            at = end - 1
            while at > first and levels[at - 1] == levels[end - 1]:
                at -= 1
            leaving = 0.0
            for t in range(at, end):
                paper = papers[t]
                # What goes from this paper to each one above it.
                each = here[paper] * weight[row] / (total[paper] * others)
                there[paper] += rising - each * (at - first)
                leaving += each
            rising += leaving
            end = at
    return there


RULE = Rule(
    name="pagerank",
    summary="random walk towards better papers that trusts authors of good papers more",
    citation="peerorder, after Page, Brin, Motwani, Winograd (1999) and Caragiannis, Krimpas, Voudouris (AAMAS 2015), "
    "section 5",
    compute=compute,
    options=(
        Option("restart", 0.5, "probability of a fresh start in every step", 0.05, 1),
        Option("trust", 1.0, "power of the grader's own standing in the weight of their ballots", 0, 4),
    ),
    needs="who wrote what: without it all ballots weigh the same; passes over the ballots until the walk settles",
)
