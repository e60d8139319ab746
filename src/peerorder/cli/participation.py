"""Who handed in what, in the terminal: nothing, a part, with ties or at random; and papers that nobody ranked."""

from typing import TYPE_CHECKING

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.core.arrays import IntArray
    from peerorder.core.profile import Profile
    from peerorder.rounds.grading import GradedRound

__all__ = ["show"]


def show(graded: "GradedRound") -> None:
    """A sentence for each kind that there is; a slip of the pen that made a tie can be found by it."""
    import numpy as np

    from peerorder.rounds.marking import unranked_papers

    read, profile = graded.round, graded.round.profile

    def papers(which: "IntArray") -> list[str]:
        return [read.papers[at] for at in which.tolist()]

    def graders(which: "IntArray") -> list[str]:
        return [read.graders[at] for at in which.tolist()]

    unread, uncompared = np.flatnonzero(profile.rankings == 0), unranked_papers(profile)
    alone = uncompared[profile.rankings[uncompared] > 0]
    for which, one, many in (
        (unread, "was ranked by nobody", "were ranked by nobody"),
        (alone, "is on ballots, but compared with no other paper", "are on ballots, but compared with no other paper"),
    ):
        guess = f"{one}, so its place is a guess" if len(which) == 1 else f"{many}, so their places are a guess"
        display.say_names(papers(which), guess, "paper")
    for which, did in zip(read.absent, ("handed in nothing", "judged none of their papers"), strict=True):
        display.say_names(graders(which), did)
    if read.asked is not None:
        partly = np.flatnonzero(read.partly).tolist()
        done = [f"{read.graders[at]} ({read.judged[at]} of {read.asked[at]})" for at in partly]
        display.say_names(done, "did not judge all of their papers")
    tied = np.flatnonzero(read.tied)
    if len(tied):
        their = "their ballot says" if len(tied) == 1 else "their ballots say"
        who = f"**{display.count(len(tied), 'grader')} tied all of their papers**"
        display.say(f"{who}, so {their} nothing: {display.some(graders(tied))}.")
    some_tied = np.setdiff1d(profile.grader[_with_ties(profile)], tied)
    display.say_names(graders(some_tied), "gave papers the same rank, which is a tie")
    flags = np.array(graded.outcome.findings.flags or ())
    for flag, meaning in (("random", "as if at random"), ("reversed", "upside down, it seems")):
        display.say_names(graders(np.flatnonzero(flags == flag)), f"ranked {meaning}")


def _with_ties(profile: "Profile") -> "IntArray":
    """The ballots on which two papers have the same rank."""
    import numpy as np

    if profile.strict:
        return np.zeros(0, np.int64)
    levels = profile.tie_levels
    same = np.concatenate([[False], levels[1:] == levels[:-1]])[: len(levels)]
    same[profile.start[:-1]] = False
    return np.unique(np.searchsorted(profile.start, np.flatnonzero(same), side="right") - 1)
