"""``peerorder demo``: a whole round with simulated students, in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, rehearse

if TYPE_CHECKING:
    from peerorder.core.outcome import Outcome
    from peerorder.noise import Noise

__all__ = ["demo"]

TOP = 8
GRADERS = 3
WIDTH, HEIGHT = 32, 12


@click.command(short_help="Play a whole round with simulated students, in seconds.")
@click.option("-n", type=int, default=200, show_default=True, help="Students, each with a paper.")
@click.option("-k", type=int, default=8, show_default=True, help="Papers each student ranks.")
@click.option("--scheme", help="The allocation scheme.  [default: girth6, and random for a small class]")
@click.option(
    "--noise",
    default="condorcet:level=30,random=0.1,reversed=0.05",
    show_default=True,
    help="The noise model of the students.",
)
@click.option("--rule", default=options.RULE, show_default=True, help="How to merge their rankings.")
@click.option(
    "--files",
    type=options.FILE,
    metavar="DIR",
    help="Write the roster and gradebook of an invented class, and nothing else.",
)
@click.option(
    "--answer", type=options.FILE, metavar="HANDOUT", help="Simulate the rankings for this hand-out, and nothing else."
)
@click.option("--roster", type=options.FILE, help="With --answer: the roster.")
@click.option("--codes", type=options.FILE, help="With --answer: the file of codes.")
@click.option(
    "--out",
    type=options.FILE,
    default=Path("rankings.csv"),
    show_default=True,
    help="With --answer: where to write the rankings.",
)
@options.seed
@options.as_json
def demo(
    n: int,
    k: int,
    scheme: str | None,
    noise: str,
    rule: str,
    files: Path | None,
    answer: Path | None,
    roster: Path | None,
    codes: Path | None,
    out: Path,
    seed: int,
    as_json: bool,
) -> None:
    """Play a whole round of peer grading with simulated students, and see how it went.

    Or rehearse a round with files: --files writes the roster of an invented class, and --answer
    simulates its rankings for the hand-out of `peerorder assign`.

    Example: peerorder demo -n 300 -k 6 --noise condorcet:level=50
    """
    if files is not None or answer is not None:
        if files is not None:
            rehearse.write_class(files, n, seed)
        if answer is not None:
            rehearse.write_answers(answer, roster, codes, noise, seed, out)
        return
    import numpy as np

    from peerorder.core import child
    from peerorder.noise import NOISES
    from peerorder.rules import RULES
    from peerorder.schemes import SCHEMES, hand_out
    from peerorder.schemes.girth6 import smallest_n

    model, method = NOISES.parse(noise), RULES.parse(rule)
    design = SCHEMES.parse(scheme or ("girth6" if n >= smallest_n(k) else "random"))
    say = display.silent if as_json else display.say
    bundles = design.build(n, k, child(seed, "bundles"))
    bundle_of = hand_out(bundles, np.arange(n), child(seed, "hand out"))
    say(f"**1. Allocation.** {n} students rank {k} papers by others each (scheme {design.spec}).")
    apart = "" if bundles.four_cycles else ", and no pair of papers shares two graders"
    whole = (
        "All papers are linked by comparisons"
        if bundles.components == 1
        else f"There are {bundles.components} separate groups"
    )
    say(f"   Nobody has their own paper, and every paper has {k} graders. {whole}{apart}.")
    first = ", ".join(f"{paper:03d}" for paper in sorted(bundles[int(bundle_of[0])].tolist()))
    say(f"   Student 000, for example, gets the papers {first}.")
    truth = child(seed, "truth").permutation(n)
    profile = model.draw(bundles, truth, child(seed, "noise"), bundle_of=bundle_of)
    say(f"**2. Students rank**, simulated with `{model.spec}`{_in_words(model, n)}.")
    ballots = np.flatnonzero(profile.grader == 0).tolist()
    rankings = [", ".join(f"{paper:03d}" for paper in profile[ballot].tolist()) for ballot in ballots]
    say(f"   Student 000 submits, best first: {rankings[0]}." if rankings else "   Student 000 submits nothing.")
    with display.merging([method.name]):
        outcome = method.aggregate(profile, child(seed, "rule"))
    borda = RULES["borda"].aggregate(profile, child(seed, "rule"))
    say(
        f"**3. The rankings are merged** by `{method.spec}` ({method.summary}): "
        f"{display.count(len(profile), 'ballot')}, one order."
    )
    result = _result(outcome, truth)
    if as_json:
        display.show_json(
            {**result, "recovered_by_borda": 100 * borda.pairwise_accuracy(truth), "provenance": outcome.provenance}
        )
        return
    _show_order(result["order"], say)
    if "graders" in result:
        _show_graders(result["graders"], say)
    say("**The place of every paper against its true place.** The diagonal is a perfect order.")
    display.show_plain(_scatter(np.asarray(truth), outcome.places, n))
    beside = "" if method.name == "borda" else f" (Borda: {100 * borda.pairwise_accuracy(truth):.1f}%)"
    say(
        f"**{result['recovered']:.1f}% of all pairs of papers are in the right order**{beside}; a paper is "
        f"{result['mean_error']:.1f} places from its true one on average, {result['worst_error']} at worst."
    )
    for note in outcome.result.notes:
        say(f"Note: {note}.")
    say(
        "Next: `peerorder simulate --help` for experiments, `peerorder reproduce all` for the tables of Caragiannis et "
        "al. (2015)."
    )


def _in_words(model: "Noise", n: int) -> str:
    """Explain a Condorcet noise level (qualities are uniform from 1 - level to 1), and name other graders."""
    words = ""
    if model.name == "condorcet":
        quality = 100 - model.values["level"] / 2
        words = f": asked to compare two papers, an average student is right {quality:g}% of the time"
    crowd = [("random", "rank at random"), ("reversed", "rank upside down"), ("team", "collude")]
    result = [f"{round(model.values[kind] * n)} {what}" for kind, what in crowd if model.values.get(kind)]
    return words + (f"; {' and '.join(result)}" if result else "")


def _result(outcome: "Outcome", truth: Any) -> dict[str, Any]:
    import numpy as np

    error = np.abs(outcome.places - truth)
    results = outcome.result
    order: list[dict[str, Any]] = [
        {
            "place": place + 1,
            "paper": int(paper),
            "score": float(outcome.scores[paper]),
            "true_place": int(truth[paper]) + 1,
        }
        for place, paper in enumerate(outcome.order)
    ]
    if results.intervals is not None:
        for row in order:
            row["low"], row["high"] = results.intervals[row["paper"]].tolist()
    result = {
        "recovered": 100 * outcome.pairwise_accuracy(truth),
        "mean_error": float(error.mean()),
        "worst_error": int(error.max()),
        "order": order,
    }
    if results.reliability is not None and results.reliability_intervals is not None and results.flags is not None:
        ends = results.reliability_intervals.tolist()
        result["graders"] = [
            {"grader": g, "reliability": float(each), "low": ends[g][0], "high": ends[g][1], "flag": results.flags[g]}
            for g, each in enumerate(results.reliability)
        ]
    return result


def _show_order(order: list[dict[str, Any]], say: display.Say) -> None:
    """Show the first places, with intervals where the rule has them."""
    display.show_table(
        ("place", "paper", "score", "90% interval", "true place"),
        [
            (row["place"], f"{row['paper']:03d}", f"{row['score']:.3f}", display.interval(row), row["true_place"])
            for row in order[:TOP]
        ],
        title=f"The first {min(TOP, len(order))} of {len(order)}",
    )
    if "low" in order[0]:
        held = sum(row["low"] <= row["true_place"] <= row["high"] for row in order)
        say(f"The 90% intervals contain the true place of {held} of {len(order)} papers.")


def _show_graders(graders: list[dict[str, Any]], say: display.Say) -> None:
    """Show some graders of every flag, the least reliable first, and the most reliable ones of all."""
    ranked = sorted(graders, key=lambda row: row["reliability"])
    flagged = {flag: [row for row in ranked if row["flag"] == flag] for flag in ("reversed", "random")}
    shown = [*flagged["reversed"][:GRADERS], *flagged["random"][:GRADERS], *ranked[-GRADERS:]]
    display.show_table(
        ("grader", "reliability", "90% interval", "flag"),
        [
            (f"{row['grader']:03d}", f"{row['reliability']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}", row["flag"])
            for row in shown
        ],
        title="Reliability: the probability that a grader puts two papers in the right order",
    )
    counts = (len(flagged["reversed"]), len(flagged["random"]))
    say("Flagged: {} seem to rank upside down, {} seem to rank at random.".format(*counts))


def _scatter(truth: Any, places: Any, n: int) -> str:
    """Return a scatter plot in Braille dots, 2 by 4 per character."""
    import numpy as np

    dots = np.zeros((4 * HEIGHT, 2 * WIDTH), bool)
    span = max(n - 1, 1)
    dots[places * (4 * HEIGHT - 1) // span, truth * (2 * WIDTH - 1) // span] = True
    bits = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    cells = dots.reshape(HEIGHT, 4, WIDTH, 2).transpose(0, 2, 1, 3)
    lines = ["".join(chr(0x2800 + int(bits[cell].sum())) for cell in row).rstrip("\u2800") for row in cells]
    labels = ["place 1".rjust(14), *[""] * (HEIGHT - 2), f"place {n}".rjust(14)]
    plot = [f"{label:14} \u2502{line}" for label, line in zip(labels, lines, strict=True)]
    axis = " " * 15 + "\u2514" + "\u2500" * WIDTH
    return "\n".join([*plot, axis, " " * 16 + "true place 1" + str(n).rjust(WIDTH - 12)])
