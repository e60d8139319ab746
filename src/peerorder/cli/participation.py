"""Participation in the terminal: graders with no, partial, tied or random rankings; and papers that nobody ranked."""

from typing import TYPE_CHECKING

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.core.arrays import IntArray
    from peerorder.core.profile import Profile
    from peerorder.rounds.grading import GradedRound

__all__ = ["show"]


def show(graded: "GradedRound") -> None:
    """Print one sentence per group of graders or papers; it also helps to find accidental ties."""
    import numpy as np

    from peerorder.rounds.marking import unranked_papers

    read, profile = graded.round, graded.round.profile

    def papers(which: "IntArray") -> list[str]:
        return [read.papers[index] for index in which.tolist()]

    def graders(which: "IntArray") -> list[str]:
        return [read.graders[index] for index in which.tolist()]

    unread, uncompared = np.flatnonzero(profile.rankings == 0), unranked_papers(profile)
    alone = uncompared[profile.rankings[uncompared] > 0]
    for which, one, several in (
        (unread, "was ranked by nobody", "were ranked by nobody"),
        (alone, "is on ballots, but compared with no other paper", "are on ballots, but compared with no other paper"),
    ):
        guess = f"{one}, so its place is a guess" if len(which) == 1 else f"{several}, so their places are guesses"
        display.say_names(papers(which), guess, "paper")
    for which, did in zip(read.absent, ("submitted nothing", "ranked none of their papers"), strict=True):
        display.say_names(graders(which), did)
    if read.asked is not None:
        partly = np.flatnonzero(read.partly).tolist()
        done = [f"{read.graders[index]} ({read.judged[index]} of {read.asked[index]})" for index in partly]
        display.say_names(done, "did not rank all of their papers")
    tied = np.flatnonzero(read.tied)
    if len(tied):
        their = "their ballot does" if len(tied) == 1 else "their ballots do"
        who = f"**{display.count(len(tied), 'grader')} tied all of their papers**"
        display.say(f"{who}, so {their} not count: {display.some(graders(tied))}.")
    some_tied = np.setdiff1d(profile.grader[_with_ties(profile)], tied)
    display.say_names(graders(some_tied), "gave papers the same rank, which is a tie")
    flags = np.array(graded.outcome.result.flags or ())
    for flag, manner in (("random", "at random"), ("reversed", "upside down")):
        which = np.flatnonzero(flags == flag)
        display.say_names(graders(which), f"{'seems' if len(which) == 1 else 'seem'} to have ranked {manner}")


def _with_ties(profile: "Profile") -> "IntArray":
    """Return the ballots on which two papers have the same rank."""
    import numpy as np

    if profile.strict:
        return np.zeros(0, np.int64)
    levels = profile.tie_levels
    same = np.concatenate([[False], levels[1:] == levels[:-1]])[: len(levels)]
    same[profile.start[:-1]] = False
    return np.unique(np.searchsorted(profile.start, np.flatnonzero(same), side="right") - 1)
