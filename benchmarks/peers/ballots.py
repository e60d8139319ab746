"""Ballots as plain arrays in a file: what goes to every process, whatever is installed in its environment."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ballots", "Pairs", "load", "save"]

Int = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Every pair that a ballot decides; which of the two stands on the left says nothing about who won.

    A library may learn that a grader favours the left: with the winner always there, that would explain everything.
    """

    grader: Int
    left: Int
    right: Int
    left_won: NDArray[np.bool_]

    @property
    def winner(self) -> Int:
        """The paper that won."""
        return np.where(self.left_won, self.left, self.right)


@dataclass(frozen=True)
class Ballots:
    """Strict ballots of one size, a row each, best first, with the grader of each and what the graders wrote."""

    matrix: Int
    grader: Int
    authored: Int
    n_papers: int

    def pairs(self) -> Pairs:
        """Give all pairs of every ballot, the sides drawn from a fixed seed."""
        better, worse = np.array(list(combinations(range(self.matrix.shape[1]), 2))).T
        winner, loser = self.matrix[:, better].ravel(), self.matrix[:, worse].ravel()
        left_won = np.random.default_rng(0).random(len(winner)) < 0.5
        return Pairs(
            np.repeat(self.grader, len(better)),
            np.where(left_won, winner, loser),
            np.where(left_won, loser, winner),
            left_won,
        )


def save(path: Path, ballots: Ballots) -> None:
    """Write the ballots to an .npz file."""
    np.savez(path, matrix=ballots.matrix, grader=ballots.grader, authored=ballots.authored, n_papers=ballots.n_papers)


def load(path: Path) -> Ballots:
    """Read what ``save`` wrote."""
    with np.load(path) as file:
        return Ballots(file["matrix"], file["grader"], file["authored"], int(file["n_papers"]))
