"""How far the rule posterior can be trusted where much of a class ranks upside down: the table of docs/certainty.md.

``python docs/reversed_graders.py [CLASSES]`` simulates that many classes (20) for each share of reversed graders.
"""

import sys

import numpy as np

from peerorder import NOISES, RULES, SCHEMES, child, hand_out
from peerorder.files.grading import CHANCE, MANY_CONTRARY

N, K = 82, 6
SHARES = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5)
NOISE = "thurstone:sigma=0.5"


def simulate(share: float, number: int) -> tuple[float, float, float, float, bool]:
    """Grade a class: shares flagged and contrary, accuracy, that of `--upside-down`, whether chains disagree."""
    name = ("reversed graders", round(100 * share), number)
    bundles = SCHEMES["random"].build(N, K, child(0, *name, "bundles"))
    wrote = np.arange(N)
    bundle_of = hand_out(bundles, wrote, child(0, *name, "hand out"))
    truth = child(0, *name, "truth").permutation(N)
    noise = NOISES.parse(f"{NOISE},reversed={share}")
    profile = noise.draw(bundles, truth, child(0, *name, "noise"), bundle_of=bundle_of, wrote=wrote)
    rule = RULES["posterior"]
    found = rule.aggregate(profile, child(0, *name, "rule"))
    other = rule.aggregate(profile.reversed(), child(0, *name, "rule"))
    flagged = np.mean([flag == "reversed" for flag in found.findings.flags or ()])
    chains = any("chains" in note for note in found.findings.notes)
    contrary = np.mean(np.asarray(found.findings.reliability) < CHANCE)
    return float(flagged), float(contrary), found.recovered(truth), other.recovered(truth), chains


def main(classes: int) -> None:
    """Print the table."""
    print(
        "| reversed | flagged | contrary | warned | right way round | accuracy of these | else `--upside-down` helps |"
    )
    print("|---|---|---|---|---|---|---|")
    for share in SHARES:
        rows = [simulate(share, at) for at in range(classes)]
        flagged, contrary, right, other, chains = map(np.array, zip(*rows, strict=True))
        good = right > 0.5
        accuracy = f"{100 * right[good].mean():.1f}%" if good.any() else ""
        print(
            f"| {share:.0%} | {_range(flagged)} | {_range(contrary)} | {(contrary > MANY_CONTRARY).sum()} of {classes} "
            f"| {good.sum()} of {classes} | {accuracy} | {(other[~good] > 0.5).sum()} of {(~good).sum()} |",
            f"(chains disagree: {chains.sum()}; wrong and no warning: {(~good & (contrary <= MANY_CONTRARY)).sum()}, "
            f"and no note either: {(~good & (contrary <= MANY_CONTRARY) & ~chains).sum()})",
            flush=True,
        )


def _range(shares: np.ndarray) -> str:
    return f"{100 * shares.mean():.0f}% ({100 * shares.min():.0f} to {100 * shares.max():.0f})"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
