"""R-hat and effective sample sizes that are usual: numbers of docs/explanation/certainty.md.

``python docs/sampler_diagnostics.py [CLASSES]`` grades that many simulated classes (20) of each size, and diagnoses
independent draws of as many papers, where all that is left is chance.
"""

import sys

import numpy as np

from peerorder import NOISES, RULES, SCHEMES, child, hand_out
from peerorder.core.diagnostics import Diagnostics, diagnose

SIZES = ((30, 5), (60, 6), (100, 8), (300, 8))
CROWDS = ("condorcet:level=30,random=0.1,reversed=0.05,missing=0.2", "thurstone:sigma=0.5")


def graded(n: int, k: int, number: int) -> Diagnostics:
    """Grade one class."""
    name = ("diagnostics", n, number)
    bundles = SCHEMES["random"].build(n, k, child(0, *name, "bundles"))
    authored = np.arange(n)
    bundle_of = hand_out(bundles, authored, child(0, *name, "hand out"))
    truth = child(0, *name, "truth").permutation(n)
    noise = NOISES.parse(CROWDS[number % 2])
    profile = noise.draw(bundles, truth, child(0, *name, "noise"), bundle_of=bundle_of, authored=authored)
    samples = RULES["posterior"].aggregate(profile, child(0, *name, "rule")).result.samples
    assert samples is not None
    return samples.diagnose()


def independent(n: int, number: int) -> Diagnostics:
    """Diagnose independent orders."""
    rng = child(0, "independent", n, number)
    return diagnose(rng.permuted(np.tile(np.arange(n), (4, 64, 1)), axis=2), np.nan)


def line(found: list[Diagnostics]) -> str:
    """Return the columns of a row: medians, and the least and the most."""
    r_hat, bulk, tail = (
        np.array([getattr(each, name) for each in found]) for name in ("r_hat", "ess_bulk", "ess_tail")
    )
    cells = [f"{np.median(r_hat):.2f} ({r_hat.min():.2f} to {r_hat.max():.2f})"]
    cells += [f"{np.median(each):.0f} ({each.min():.0f} to {each.max():.0f})" for each in (bulk, tail)]
    rough = (r_hat > 1.2) | (np.minimum(bulk, tail) < 20)
    return " | ".join([*cells, f"{rough.sum()} of {len(found)}"])


def main(classes: int) -> None:
    """Print the table."""
    print("| papers | largest R-hat | smallest bulk ESS | smallest tail ESS | R-hat above 1.2 or ESS below 20 |")
    print("|---|---|---|---|---|")
    for n, k in SIZES:
        print(f"| {n:,} | {line([graded(n, k, at) for at in range(classes)])} |", flush=True)
    for n in (100, 1_000, 16_384):
        print(f"| {n:,}, independent draws | {line([independent(n, at) for at in range(5)])} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
