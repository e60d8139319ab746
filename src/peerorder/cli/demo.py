"""``peerorder demo``: a whole round with simulated students, in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from peerorder.cli import display, options, rehearse
from peerorder.core.translation import gettext as _, ngettext, translate

if TYPE_CHECKING:
    from peerorder.core.bundles import Bundles
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
    step = _("**1. Allocation.** {n} students rank {k} papers by others each (scheme {scheme}).")
    say(step.format(n=n, k=k, scheme=design.spec))
    say("   " + _("Nobody has their own paper, and every paper has {k} graders.").format(k=k) + f" {_links(bundles)}")
    first = ", ".join(f"{paper:03d}" for paper in sorted(bundles[int(bundle_of[0])].tolist()))
    say("   " + _("Student 000, for example, gets the papers {papers}.").format(papers=first))
    truth = child(seed, "truth").permutation(n)
    profile = model.draw(bundles, truth, child(seed, "noise"), bundle_of=bundle_of)
    step = _("**2. Students rank**, simulated with `{noise}`{details}.")
    say(step.format(noise=model.spec, details=_in_words(model, n)))
    ballots = np.flatnonzero(profile.grader == 0).tolist()
    rankings = [", ".join(f"{paper:03d}" for paper in profile[ballot].tolist()) for ballot in ballots]
    nothing, ranked = _("Student 000 submits nothing."), _("Student 000 submits, best first: {papers}.")
    say("   " + (ranked.format(papers=rankings[0]) if rankings else nothing))
    with display.merging([method.name]):
        outcome = method.aggregate(profile, child(seed, "rule"))
    borda = RULES["borda"].aggregate(profile, child(seed, "rule"))
    step = ngettext(
        "**3. The rankings are merged** by `{rule}` ({summary}): {count:,} ballot, one order.",
        "**3. The rankings are merged** by `{rule}` ({summary}): {count:,} ballots, one order.",
        len(profile),
    )
    say(step.format(rule=method.spec, summary=translate(method.summary), count=len(profile)))
    result = _result(outcome, truth)
    if as_json:
        display.show_json(
            {**result, "recovered_by_borda": 100 * borda.pairwise_accuracy(truth), "provenance": outcome.provenance}
        )
        return
    _show_order(result["order"], say)
    if "graders" in result:
        _show_graders(result["graders"], say)
    say(_("**The place of every paper against its true place.** The diagonal is a perfect order."))
    display.show_plain(_scatter(np.asarray(truth), outcome.places, n))
    text = _(
        "**{recovered:.1f}% of all pairs of papers are in the right order** (Borda: {borda:.1f}%); a paper is "
        "{mean_error:.1f} places from its true one on average, {worst_error} at worst."
    )
    if method.name == "borda":
        text = _(
            "**{recovered:.1f}% of all pairs of papers are in the right order**; a paper is {mean_error:.1f} places "
            "from its true one on average, {worst_error} at worst."
        )
    say(text.format(borda=100 * borda.pairwise_accuracy(truth), **result))
    for note in outcome.result.notes:
        say(_("Note: {note}.").format(note=note))
    say(
        _(
            "Next: `peerorder simulate --help` for experiments, `peerorder reproduce all` for the tables of "
            "Caragiannis et al. (2015)."
        )
    )


def _links(bundles: "Bundles") -> str:
    """Return how the papers are linked by comparisons."""
    if bundles.components == 1:
        if bundles.four_cycles:
            return _("All papers are linked by comparisons.")
        return _("All papers are linked by comparisons, and no pair of papers shares two graders.")
    if bundles.four_cycles:
        return _("There are {groups} separate groups.").format(groups=bundles.components)
    text = _("There are {groups} separate groups, and no pair of papers shares two graders.")
    return text.format(groups=bundles.components)


def _in_words(model: "Noise", n: int) -> str:
    """Explain a Condorcet noise level (qualities are uniform from 1 - level to 1), and name other graders."""
    words = ""
    if model.name == "condorcet":
        quality = 100 - model.values["level"] / 2
        words = _(": asked to compare two papers, an average student is right {percent:g}% of the time")
        words = words.format(percent=quality)
    crowd = (
        ("random", _("{count} rank at random")),
        ("reversed", _("{count} rank upside down")),
        ("team", _("{count} collude")),
    )
    result = [text.format(count=round(model.values[kind] * n)) for kind, text in crowd if model.values.get(kind)]
    return words + (f"; {display.join_with_and(result)}" if result else "")


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
        (_("place"), _("paper"), _("score"), _("90% interval"), _("true place")),
        [
            (row["place"], f"{row['paper']:03d}", f"{row['score']:.3f}", display.interval(row), row["true_place"])
            for row in order[:TOP]
        ],
        title=_("The first {shown} of {papers}").format(shown=min(TOP, len(order)), papers=len(order)),
    )
    if "low" in order[0]:
        held = sum(row["low"] <= row["true_place"] <= row["high"] for row in order)
        text = _("The 90% intervals contain the true place of {held} of {papers} papers.")
        say(text.format(held=held, papers=len(order)))


def _show_graders(graders: list[dict[str, Any]], say: display.Say) -> None:
    """Show some graders of every flag, the least reliable first, and the most reliable ones of all."""
    ranked = sorted(graders, key=lambda row: row["reliability"])
    flags = {"reversed": _("reversed"), "random": _("random")}
    flagged = {flag: [row for row in ranked if row["flag"] == flag] for flag in ("reversed", "random")}
    shown = [*flagged["reversed"][:GRADERS], *flagged["random"][:GRADERS], *ranked[-GRADERS:]]
    display.show_table(
        (_("grader"), _("reliability"), _("90% interval"), _("flag")),
        [
            (
                f"{row['grader']:03d}",
                f"{row['reliability']:.2f}",
                _("{low:.2f} to {high:.2f}").format(**row),
                flags.get(row["flag"], row["flag"]),
            )
            for row in shown
        ],
        title=_("Reliability: the probability that a grader puts two papers in the right order"),
    )
    text = _("Flagged: {reversed} seem to rank upside down, {random} seem to rank at random.")
    say(text.format(reversed=len(flagged["reversed"]), random=len(flagged["random"])))


def _scatter(truth: Any, places: Any, n: int) -> str:
    """Return a scatter plot in Braille dots, 2 by 4 per character."""
    import numpy as np

    dots = np.zeros((4 * HEIGHT, 2 * WIDTH), bool)
    span = max(n - 1, 1)
    dots[places * (4 * HEIGHT - 1) // span, truth * (2 * WIDTH - 1) // span] = True
    bits = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    cells = dots.reshape(HEIGHT, 4, WIDTH, 2).transpose(0, 2, 1, 3)
    lines = ["".join(chr(0x2800 + int(bits[cell].sum())) for cell in row).rstrip("\u2800") for row in cells]
    first, last = (_("place {place}").format(place=place).rjust(14) for place in (1, n))
    labels = [first, *[""] * (HEIGHT - 2), last]
    below = _("true place {place}").format(place=1)
    wide = len(first)
    plot = [f"{label:{wide}} \u2502{line}" for label, line in zip(labels, lines, strict=True)]
    axis = " " * (wide + 1) + "\u2514" + "\u2500" * WIDTH
    return "\n".join([*plot, axis, " " * (wide + 2) + below + f" {n}".rjust(WIDTH - len(below))])
