"""``mc1`` to ``mc4`` and ``mc4-restart``: papers in the order of a random walk towards better ones.

Dwork, Kumar, Naor, Sivakumar (WWW 2001) define four chains for partial lists. At paper a:

- MC1 goes to a paper drawn from all that some ballot puts at least as high as a, counted once for
  each such ballot (a itself included);
- MC2 draws a ballot that ranks a, then a paper that this ballot puts at least as high as a;
- MC3 draws a ballot that ranks a, then any paper on it, and goes there if it is ranked above a;
- MC4 draws any of the n papers, and goes there if strictly more ballots put it above a than below.

Caragiannis et al. (2015) rank by the distribution after 1000 steps from the uniform one (measured: their table
fits that, not the stationary distribution). With perfect graders the true stationary distribution sits on
the papers that never lose, and says nothing about the others. ``mc4-restart`` starts anew at a random
paper with some probability in every step, and runs to the end: its stationary distribution is unique
and ranks everybody.

Incomplete and unequal ballots need nothing special. A tie is "at least as high" to MC1 and MC2, and no
reason to move to MC3 and MC4. A paper that no ballot compares keeps its share of the start.

A score is the share of the walk that is at a paper. The share of a paper that mostly loses falls by a
factor in every step, soon below the smallest float: with perfect graders MC1 would tie four papers of
five at 0. So shares are fractions with a power of two of their own, and where they are below 2^-1000
the score keeps their order alone. Shares that differ by no more than rounding are made equal, because
sums over the same papers in another order differ in their last bits: without that, papers that
nothing but their numbers tells apart would be ordered by number.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, Int32Array, IntArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.rules.rounding import group_equal
from peerorder.rules.rule import Rule

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["MC1", "MC2", "MC3", "MC4", "MC4_RESTART"]

CONVERGED = 1e-13
STEPS_AT_MOST = 100_000

# Steps until fractions are rescaled: in these no share falls below 2^-850 of itself, with up to
# 10,000 papers on a ballot.
RESCALE = 64
# Shares this close, relatively, are one: rounding stays below it, and true differences are almost never so small.
SAME = 1e-9
# The power of two below which a score is no longer the share itself.
LOWEST = -1000


def mc1(profile: Profile, rng: Generator, steps: int) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """From a paper to any that some ballot puts at least as high."""
    return _walk(mc1_chain(profile), steps)


def mc2(profile: Profile, rng: Generator, steps: int) -> RuleResult:  # noqa: ARG001
    """From a paper to one that a random ballot puts at least as high."""
    return _walk(mc2_chain(profile), steps)


def mc3(profile: Profile, rng: Generator, steps: int) -> RuleResult:  # noqa: ARG001
    """From a paper to a random one on a random ballot, if that is better."""
    return _walk(mc3_chain(profile), steps)


def mc4(profile: Profile, rng: Generator, steps: int) -> RuleResult:  # noqa: ARG001
    """From a paper to a random one of all, if a majority puts that above."""
    return _walk(mc4_chain(profile), steps)


def mc4_restart(profile: Profile, rng: Generator, restart: float) -> RuleResult:  # noqa: ARG001
    """MC4 that starts anew now and then, to the end."""
    chain = mc4_chain(profile)
    uniform = 1 / max(profile.n_papers, 1)
    here = np.full(profile.n_papers, uniform)
    notes: tuple[str, ...] = (_("the walk had not settled after {steps} steps").format(steps=STEPS_AT_MOST),)
    for _step in range(STEPS_AT_MOST):
        there = (1 - restart) * (chain @ here) + restart * uniform
        moved = float(np.abs(there - here).sum())
        here = there
        if moved < CONVERGED:
            notes = ()
            break
    return RuleResult(_scores(*np.frexp(here)), notes=notes)


@dataclass(frozen=True)
class _Moves:
    """Every step that a single ballot suggests: from a paper to another that it puts at least as high."""

    here: Int32Array
    there: Int32Array
    strictly: NDArray[np.bool_]
    """Whether the other paper stands strictly higher."""
    entry: IntArray
    """The entry of the profile that stands for ``here``."""
    at_least: IntArray
    """For every entry of the profile, how many papers of its ballot stand at least as high, itself included."""


def _moves(profile: Profile) -> _Moves:
    levels = profile.tie_levels
    at_least = count_at_least(profile.start, levels)
    entry, other = list_moves(profile.start, at_least)
    return _Moves(profile.papers[entry], profile.papers[other], levels[other] < levels[entry], entry, at_least)


def mc1_chain(profile: Profile) -> "csr_array":
    """MC1's chain: every ballot that puts b at least as high as a adds one way from a to b."""
    moves = _moves(profile)
    choices = np.bincount(profile.papers, moves.at_least, minlength=profile.n_papers)
    return _chain(profile.n_papers, moves.here, moves.there, 1 / choices[moves.here])


def mc2_chain(profile: Profile) -> "csr_array":
    """Return MC2's chain: all ballots that rank a count equally, and so do all papers on each ballot down to a."""
    moves = _moves(profile)
    weight = 1 / (moves.at_least[moves.entry] * profile.rankings[moves.here])
    return _chain(profile.n_papers, moves.here, moves.there, weight)


def mc3_chain(profile: Profile) -> "csr_array":
    """Return MC3's chain: all ballots that rank a count equally, and so do all papers on each ballot."""
    moves = _moves(profile)
    size = np.repeat(profile.sizes, profile.sizes)[moves.entry]
    weight = moves.strictly / (size * profile.rankings[moves.here])
    return _chain(profile.n_papers, moves.here, moves.there, weight)


def mc4_chain(profile: Profile) -> "csr_array":
    """MC4's chain: every paper that beats a is reached from a with probability 1/n."""
    n = profile.n_papers
    moves = _moves(profile)
    loser, winner = moves.here[moves.strictly], moves.there[moves.strictly]
    ones = np.ones(len(loser), np.int32)
    balance = scipy.sparse.csr_array((ones, (loser, winner)), shape=(n, n)) - scipy.sparse.csr_array(
        (ones, (winner, loser)), shape=(n, n)
    )
    here, there = (balance > 0).nonzero()
    return _chain(n, here, there, np.full(len(here), 1 / max(n, 1)))


def _chain(n: int, here: NDArray[np.integer], there: NDArray[np.integer], weight: FloatArray) -> "csr_array":
    """Build the transposed transition matrix; what the moves leave of a paper's probability stays there."""
    stay = 1 - np.bincount(here, weight, minlength=n)
    papers = np.arange(n)
    rows, columns = np.concatenate([there, papers]), np.concatenate([here, papers])
    return scipy.sparse.csr_array((np.concatenate([weight, stay]), (rows, columns)), shape=(n, n))


def _walk(chain: "csr_array", steps: int) -> RuleResult:
    """Walk that many steps from the uniform distribution."""
    n = chain.shape[0]
    there, here = np.repeat(np.arange(n), np.diff(chain.indptr)), chain.indices
    fraction, power = np.frexp(np.full(n, 1 / max(n, 1)))
    scaled = chain.copy()
    for done in range(0, steps, RESCALE):
        # Multiplied by powers of two alone, so the bits are those of a walk without them. No entry can overflow:
        # from a uniform start a share never grows beyond n times what it was before (by induction over the steps).
        scaled.data = np.ldexp(chain.data, power[here] - power[there])
        for _step in range(min(RESCALE, steps - done)):
            fraction = scaled @ fraction
        fraction, more = np.frexp(fraction)
        power += more
    return RuleResult(_scores(fraction, power))


def _scores(fraction: FloatArray, power: Int32Array) -> FloatArray:
    """Scores for the shares fraction * 2^power: equal where these are equal but for rounding."""
    log: FloatArray = np.log2(fraction) + power.astype(np.float64)
    like = group_equal(log, SAME / np.log(2))
    shares = np.ldexp(fraction, np.maximum(power, 2 * LOWEST))[like]
    below = LOWEST - np.minimum(log[like], LOWEST)
    return np.where(below > 0, np.ldexp(1 / (1 + below), LOWEST), shares)


STEPS = Option("steps", 1000, "power steps from the uniform distribution", 0, 1_000_000)
DWORK = "Dwork, Kumar, Naor, Sivakumar (WWW 2001)"
# A thousand steps over all pairs that share a ballot.
LARGEST = 200_000
NEEDS = "memory in proportion to the pairs that share a ballot"


@kernel
def count_at_least(start, levels):  # type: ignore[no-untyped-def]
    """For every entry, how many entries of its ballot stand at least as high, itself included."""
    count = np.empty(len(levels), np.int64)
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        at = first
        while at < last:
            end = at
            while end < last and levels[end] == levels[at]:
                end += 1
            for t in range(at, end):
                count[t] = end - first
            at = end
    return count


@kernel
def list_moves(start, at_least):  # type: ignore[no-untyped-def]
    """Pairs of entries of one ballot, the second at least as high as the first and another paper."""
    total = 0
    for at in range(len(at_least)):
        total += at_least[at] - 1
    entry = np.empty(total, np.int64)
    other = np.empty(total, np.int64)
    t = 0
    for row in range(len(start) - 1):
        first = start[row]
        for at in range(first, start[row + 1]):
            for up in range(first, first + at_least[at]):
                if up != at:
                    entry[t] = at
                    other[t] = up
                    t += 1
    return entry, other


MC1 = Rule(
    name="mc1",
    summary="random walk to any paper that some ballot puts at least as high",
    citation=DWORK,
    compute=mc1,
    options=(STEPS,),
    needs=NEEDS,
    most_papers=LARGEST,
)
MC2 = Rule(
    name="mc2",
    summary="random walk to a paper that a random ballot puts at least as high",
    citation=DWORK,
    compute=mc2,
    options=(STEPS,),
    needs=NEEDS,
    most_papers=LARGEST,
)
MC3 = Rule(
    name="mc3",
    summary="random walk to a random paper of a random ballot, if it is better",
    citation=DWORK,
    compute=mc3,
    options=(STEPS,),
    needs=NEEDS,
    most_papers=LARGEST,
)
MC4 = Rule(
    name="mc4",
    summary="random walk to a random paper, if a majority puts it above; stopped after 1000 steps",
    citation=f"{DWORK}; Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 4",
    compute=mc4,
    options=(STEPS,),
    needs=NEEDS,
    most_papers=LARGEST,
)
MC4_RESTART = Rule(
    name="mc4-restart",
    summary="MC4 with a restart at a random paper now and then, run to the end",
    citation=f"{DWORK}; the restart: peerorder, after Page, Brin, Motwani, Winograd (1999)",
    compute=mc4_restart,
    options=(Option("restart", 0.1, "probability of a fresh start in every step", 0.0001, 1),),
    needs=NEEDS,
    most_papers=LARGEST,
)
