"""What intervals and flags of posterior mean where tastes differ: numbers of docs/explanation/certainty.md.

``python docs/tastes.py [CLASSES]`` simulates that many classes of each kind (40): 100 students who rank 8 papers
each, and 20 graders who rank the same 10 papers.
"""

import sys

import numpy as np

from peerorder import NOISES, RULES, SCHEMES, Bundles, child, hand_out
from peerorder.noise import Noise

GRADERS = {
    "errors alone": "thurstone:sigma=0.76",
    "a taste each": "thurstone:sigma=0.3,taste=0.7",
    "three schools": "thurstone:sigma=0.3,taste=0.7,schools=3",
}
"""All are right about the common order as often: 0.3 and 0.7 together make a standard deviation of 0.76."""


def draw(kind: str, noise: Noise, truth: np.ndarray, name: tuple[object, ...]):  # type: ignore[no-untyped-def]
    """Return the ballots of one class."""
    n = len(truth)
    if kind == "lists":
        bundles = Bundles.from_matrix(np.tile(np.arange(n), (20, 1)), n)
        return noise.draw(bundles, truth, child(0, *name, "noise"), authored=np.full(20, -1))
    bundles = SCHEMES["random"].build(n, 8, child(0, *name, "bundles"))
    bundle_of = hand_out(bundles, np.arange(n), child(0, *name, "hand out"))
    return noise.draw(bundles, truth, child(0, *name, "noise"), bundle_of=bundle_of, authored=np.arange(n))


def main(classes: int) -> None:
    """Print the table."""
    print("| class | graders differ by | accuracy | true places in the interval | estimated reliability | flagged |")
    print("|---|---|---|---|---|---|")
    for kind, n in (("class", 100), ("lists", 10)):
        for graders, spec in GRADERS.items():
            found = []
            for number in range(classes):
                name = ("tastes", kind, spec, number)
                truth = child(0, *name, "truth").permutation(n)
                outcome = RULES["posterior"].aggregate(
                    draw(kind, NOISES.parse(spec), truth, name), child(0, *name, "rule")
                )
                low, high = np.asarray(outcome.result.intervals).T
                found.append(
                    (
                        100 * outcome.pairwise_accuracy(truth),
                        100 * np.mean((low <= truth + 1) & (truth + 1 <= high)),
                        np.mean(np.asarray(outcome.result.reliability)),
                        100 * np.mean([bool(flag) for flag in outcome.result.flags or ()]),
                    )
                )
            accuracy, inside, reliability, flagged = np.mean(found, axis=0)
            what = "100 students, 8 papers each" if kind == "class" else "20 graders, the same 10 papers"
            print(
                f"| {what} | {graders} | {accuracy:.1f}% | {inside:.0f}% | {reliability:.2f} | {flagged:.1f}% |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
