"""How each library is called: a function that prepares its kind of data, and gives the call that is measured.

Lists and frames are made beforehand at no charge; what the library itself does with them counts. A call gives
a score for every paper, higher is better. Libraries are imported where they are needed: each has an
environment that need not hold the others.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.ballots import Ballots

__all__ = ["OTHERS", "PEERS", "PREVIOUS", "Call", "Peer", "Prepare", "rule"]

Call = Callable[[], NDArray[np.float64]]
Prepare = Callable[[Ballots], Call]


@dataclass(frozen=True)
class Peer:
    """A library's way to merge rankings: how it is called, where it runs, and up to how many papers.

    ``environment`` names the environment of its own that it needs; without one it comes with the extra ``bench``.
    """

    distribution: str
    call: str
    prepare: Prepare
    environment: str | None = None
    at_most: int | None = None

    @property
    def name(self) -> str:
        """What the library and its function are called."""
        return f"{self.distribution} {self.call}"


def rule(spec: str) -> Prepare:
    """Prepare a rule of peerorder, written as on the command line."""

    def prepare(ballots: Ballots) -> Call:
        from peerorder import RULES, Profile, child

        profile = Profile.from_matrix(
            ballots.matrix, ballots.n_papers, grader=ballots.grader, authored=ballots.authored
        )
        return lambda: -RULES.parse(spec).aggregate(profile, child(0, spec)).places.astype(np.float64)

    return prepare


def choix_ilsr(ballots: Ballots) -> Call:
    from choix import ilsr_rankings

    rankings = ballots.matrix.tolist()
    return lambda: ilsr_rankings(ballots.n_papers, rankings, alpha=0.01)


def choix_mm(ballots: Ballots) -> Call:
    from choix import mm_rankings

    rankings = ballots.matrix.tolist()
    return lambda: mm_rankings(ballots.n_papers, rankings, alpha=0.1, tol=1e-3)


def evalica_bradley_terry(ballots: Ballots) -> Call:
    """Add one more item, tied with every paper: without it a paper that never lost makes the order random."""
    from evalica import Winner, bradley_terry

    n, (xs, ys, winners) = ballots.n_papers, _duels(ballots)
    xs, ys, winners = xs + list(range(n)), ys + [n] * n, winners + [Winner.Draw] * n
    return lambda: bradley_terry(xs, ys, winners).scores.reindex(range(n)).to_numpy()


def evalica_pagerank(ballots: Ballots) -> Call:
    from evalica import pagerank

    xs, ys, winners = _duels(ballots)
    return lambda: pagerank(xs, ys, winners).scores.reindex(range(ballots.n_papers)).to_numpy()


def _duels(ballots: Ballots) -> tuple[list[int], list[int], list[object]]:
    from evalica import Winner

    pairs = ballots.pairs()
    return pairs.left.tolist(), pairs.right.tolist(), [Winner.X if won else Winner.Y for won in pairs.left_won]


def crowd_kit(ballots: Ballots) -> Call:
    from crowdkit.aggregation import NoisyBradleyTerry
    from pandas import DataFrame

    pairs = ballots.pairs()
    frame = DataFrame({"worker": pairs.grader, "left": pairs.left, "right": pairs.right, "label": pairs.winner})
    return lambda: NoisyBradleyTerry().fit_predict(frame).reindex(range(ballots.n_papers)).to_numpy()


def arena_rank(ballots: Ballots) -> Call:
    """Fit the ratings alone: the intervals that the library can add need a dense matrix."""
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset
    from pandas import DataFrame

    pairs = ballots.pairs()
    winner = np.where(pairs.left_won, "model_a", "model_b")
    frame = DataFrame({"model_a": pairs.left, "model_b": pairs.right, "winner": winner})

    def call() -> NDArray[np.float64]:
        dataset = PairDataset.from_pandas(frame)
        model = BradleyTerry(n_competitors=len(dataset.competitors)).fit(dataset)
        scores = np.full(ballots.n_papers, np.nan)
        scores[dataset.competitors] = np.asarray(model.params["ratings"])
        return scores

    return call


PEERS = {
    peer.name: peer
    for peer in (
        Peer("choix", "ilsr_rankings(alpha=0.01)", choix_ilsr),
        Peer("choix", "mm_rankings(alpha=0.1, tol=1e-3)", choix_mm),
        Peer("evalica", "bradley_terry, with a prior item", evalica_bradley_terry),
        Peer("evalica", "pagerank", evalica_pagerank),
        # Its gradient is a loop in Python over all pairs.
        Peer("crowd-kit", "NoisyBradleyTerry", crowd_kit, environment="crowd-kit", at_most=1000),
        Peer("arena-rank", "BradleyTerry.fit", arena_rank, environment="arena-rank"),
    )
}
# Ours as it was released before its sampler was rewritten.
PREVIOUS = Peer("peerorder", "0.8.0 posterior", rule("posterior"), environment="peerorder-0.8.0")
OTHERS = {**PEERS, PREVIOUS.name: PREVIOUS}
