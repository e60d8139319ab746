"""The sampler's kernel: one chain that walks through orders of the papers and types of the graders.

The model. Paper i stands at a quantile x_i, uniform and independent beforehand; grader g is of a type z_g of the
``grid``, drawn from weights that have a Dirichlet prior; their ballots are drawn from their type's law at the
quantiles. A sweep of the chain:

1. *Assortativity*: draw how similar the papers on one ballot are (``assortativity``).
2. *Papers*: move every paper in turn, by a draw from its full conditional distribution (``paper_moves``).
3. *Ties*: draw the order of tied papers, which their grader did not tell (``tie_moves``).
4. *Graders*: draw the type of every grader (``grader_moves``), then the population and the weights of the types
   (``weight_moves``).

Papers at one quantile, of which there are few, count as a pair that is the less probable way round: if both
ways were right, ballots that contradict each other would draw papers together.

The memory. What a move needs are the quantiles of all papers on the ballots of one paper. They are kept in the
ballots, two bytes each, so that a ballot of eight is a quarter of a cache line: a move touches as many
lines as the paper has ballots. Accepted moves write to the same lines. Beyond some 100,000 papers these lines are no
longer in any cache, and they are in no order that the processor could guess, so they are sent for in advance.
"""

import numpy as np

from peerorder.core.jit import kernel, subroutine
from peerorder.rules.posterior.assortativity import draw_assortativity
from peerorder.rules.posterior.grader_moves import draw_grader_types, make_tables
from peerorder.rules.posterior.grid import Grid
from peerorder.rules.posterior.layout import Layout
from peerorder.rules.posterior.paper_moves import move_papers
from peerorder.rules.posterior.state import State, Tally
from peerorder.rules.posterior.tie_moves import draw_ties

__all__ = ["run"]


@kernel
def run(
    layout: Layout,
    grid: Grid,
    state: State,
    tally: Tally,
    sweeps: int,
    adapting: int,
    tallying: bool,
    tied_to_place: bool,
    rng: np.random.Generator,
) -> None:
    """Run ``sweeps`` sweeps; if ``tallying``, tally all, and keep as many draws as the tally has room for."""
    draws = len(tally.places) if tallying else 0
    order = np.empty((2, len(state.x)), np.int32)
    tables = make_tables(grid)
    # Not -1 alone, a type of its own, for which all would be compiled a second time.
    nothing = np.int64(-1)
    draw_grader_types(layout, grid, tables, state, tally, nothing, tied_to_place, rng)
    for sweep in range(sweeps):
        kept = np.int64(sweep * draws // sweeps)
        if (sweep + 1) * draws // sweeps == kept:
            kept = nothing
        half = 1 if 2 * sweep >= sweeps else 0
        degrees_of_freedom = draw_assortativity(layout, grid, state, rng)
        surplus = tally.surplus[half, : len(state.x) if tallying else 0]
        move_papers(layout, grid, state, degrees_of_freedom, surplus, sweep < adapting, tied_to_place, rng)
        draw_ties(layout, grid, state, rng)
        draw_grader_types(layout, grid, tables, state, tally, kept, tied_to_place, rng)
        if tallying:
            tally_places(state.x, order, tally, half, kept)
            tally.assortativity[0] += state.assortativity[0] > 0


@subroutine
def tally_places(x, order, tally, half, kept):  # type: ignore[no-untyped-def]
    """Note the place of every paper, from 0; papers at one quantile share the mean of theirs."""
    sort_by_quantile(x, order)
    n = len(x)
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and x[order[0, end]] == x[order[0, begin]]:
            end += 1
        # The order rises and places fall.
        place = n - 0.5 * (begin + end + 1)
        for t in range(begin, end):
            i = order[0, t]
            tally.sums[half, i] += place
            tally.squares[half, i] += place * place
            if kept >= 0:
                tally.places[kept, i] = np.int64(place)
        begin = end
    if kept >= 0 and tally.quantiles.shape[1] == n:
        for i in range(n):
            tally.quantiles[kept, i] = x[i]


@subroutine
def sort_by_quantile(x, order):  # type: ignore[no-untyped-def]
    """Put the papers by rising quantile into ``order[0]``: by the low byte, then by the high one."""
    counts = np.empty(257, np.int64)
    for digit in range(2):
        for byte in range(257):
            counts[byte] = 0
        for i in range(len(x)):
            counts[((x[i] >> (8 * digit)) & 255) + 1] += 1
        for byte in range(256):
            counts[byte + 1] += counts[byte]
        for t in range(len(x)):
            i = t if digit == 0 else order[1, t]
            byte = (x[i] >> (8 * digit)) & 255
            order[1 - digit, counts[byte]] = i
            counts[byte] += 1
