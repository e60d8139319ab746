"""How far posterior can be trusted where much of a class ranks upside down: numbers of docs/explanation/certainty.md.

``python docs/reversed_graders.py [CLASSES]`` simulates that many classes (40) for each share of reversed graders, and
25 of each kind in which nobody is.
"""

import sys
from typing import NamedTuple

import numpy as np

from peerorder import NOISES, RULES, SCHEMES, child, hand_out
from peerorder.rounds.grading import CHANCE, MANY_CONTRARY

SHARES = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5)
HONEST = (
    (8, 3, "condorcet:level=30"),
    (12, 3, "condorcet:level=50"),
    (10, 4, "condorcet:level=30"),
    (25, 5, "condorcet:level=50"),
    (25, 3, "thurstone:sigma=1"),
    (40, 4, "condorcet:level=50,random=0.3"),
)


class Found(NamedTuple):
    """What came of one class."""

    flagged: float
    contrary: float
    accuracy: float
    turned: float
    """The accuracy with ``--upside-down``."""
    chains: bool
    """Whether the chains disagree."""


def simulate(n: int, k: int, noise: str, number: int) -> Found:
    """Grade one class, and once more upside down."""
    name = ("reversed graders", noise, number)
    bundles = SCHEMES["random"].build(n, k, child(0, *name, "bundles"))
    authored = np.arange(n)
    bundle_of = hand_out(bundles, authored, child(0, *name, "hand out"))
    truth = child(0, *name, "truth").permutation(n)
    profile = NOISES.parse(noise).draw(bundles, truth, child(0, *name, "noise"), bundle_of=bundle_of, authored=authored)
    rule = RULES["posterior"]
    found, turned = (rule.aggregate(each, child(0, *name, "rule")) for each in (profile, profile.reversed()))
    result = found.result
    return Found(
        flagged=float(np.mean([flag == "reversed" for flag in result.flags or ()])),
        contrary=float(np.mean(np.asarray(result.reliability) < CHANCE)),
        accuracy=found.pairwise_accuracy(truth),
        turned=turned.pairwise_accuracy(truth),
        chains=any("chains" in note for note in result.notes),
    )


def main(classes: int) -> None:
    """Print the table, and what it leaves out."""
    print("| reversed | flagged | contrary | warned | right way round | accuracy of these |")
    print("|---|---|---|---|---|---|")
    remarks = []
    for share in SHARES:
        found = Found(*map(np.array, zip(*(_reversed(share, at) for at in range(classes)), strict=True)))
        right, warned = found.accuracy > 0.5, found.contrary > MANY_CONTRARY
        print(
            f"| {share:.0%} | {_range(found.flagged)} | {_range(found.contrary)} | {warned.sum()} of {classes} "
            f"| {right.sum()} of {classes} | {100 * found.accuracy[right].mean():.1f}% |",
            flush=True,
        )
        remarks.append(
            f"{share:.0%}: the chains disagree in {found.chains.sum()}; of {(~right).sum()} the wrong way round, "
            f"{(~right & (found.turned > 0.5)).sum()} are right with --upside-down, {(~right & ~warned).sum()} have no "
            f"warning, and {(~right & ~warned & ~found.chains).sum()} no note either"
        )
    print(*remarks, sep="\n")
    for n, k, noise in HONEST:
        contrary = np.array([simulate(n, k, noise, at).contrary for at in range(25)])
        print(f"n={n}, k={k}, {noise}: {(contrary > MANY_CONTRARY).sum()} of 25 warned, {contrary.max():.0%} at most")


def _reversed(share: float, number: int) -> Found:
    return simulate(82, 6, f"thurstone:sigma=0.5,reversed={share}", number)


def _range(shares: np.ndarray) -> str:
    return f"{100 * shares.mean():.0f}% ({100 * shares.min():.0f} to {100 * shares.max():.0f})"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
