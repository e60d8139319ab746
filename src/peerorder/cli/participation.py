"""Participation in the terminal: graders with no, partial, tied or random rankings; and papers that nobody ranked."""

from typing import TYPE_CHECKING

from peerorder.cli import display
from peerorder.core.translation import gettext as _, ngettext

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
    display.say_names(
        papers(unread),
        ngettext(
            "{count:,} paper was ranked by nobody, so its place is a guess: {names}.",
            "{count:,} papers were ranked by nobody, so their places are guesses: {names}.",
            len(unread),
        ),
    )
    display.say_names(
        papers(alone),
        ngettext(
            "{count:,} paper is on ballots, but compared with no other paper, so its place is a guess: {names}.",
            "{count:,} papers are on ballots, but compared with no other paper, so their places are guesses: {names}.",
            len(alone),
        ),
    )
    silent, idle = map(graders, read.absent)
    display.say_names(
        silent,
        ngettext(
            "{count:,} grader submitted nothing: {names}.", "{count:,} graders submitted nothing: {names}.", len(silent)
        ),
    )
    display.say_names(
        idle,
        ngettext(
            "{count:,} grader ranked none of their papers: {names}.",
            "{count:,} graders ranked none of their papers: {names}.",
            len(idle),
        ),
    )
    if read.asked is not None:
        partly = np.flatnonzero(read.partly).tolist()
        done = [
            _("{grader} ({ranked} of {papers})").format(
                grader=read.graders[index], ranked=read.judged[index], papers=read.asked[index]
            )
            for index in partly
        ]
        display.say_names(
            done,
            ngettext(
                "{count:,} grader did not rank all of their papers: {names}.",
                "{count:,} graders did not rank all of their papers: {names}.",
                len(done),
            ),
        )
    tied = np.flatnonzero(read.tied)
    display.say_names(
        graders(tied),
        ngettext(
            "**{count:,} grader tied all of their papers**, so their ballot does not count: {names}.",
            "**{count:,} graders tied all of their papers**, so their ballots do not count: {names}.",
            len(tied),
        ),
    )
    some_tied = np.setdiff1d(profile.grader[_with_ties(profile)], tied)
    display.say_names(
        graders(some_tied),
        ngettext(
            "{count:,} grader gave papers the same rank, which is a tie: {names}.",
            "{count:,} graders gave papers the same rank, which is a tie: {names}.",
            len(some_tied),
        ),
    )
    flags = np.array(graded.outcome.result.flags or ())
    random, upside_down = (np.flatnonzero(flags == flag) for flag in ("random", "reversed"))
    display.say_names(
        graders(random),
        ngettext(
            "{count:,} grader seems to have ranked at random: {names}.",
            "{count:,} graders seem to have ranked at random: {names}.",
            len(random),
        ),
    )
    display.say_names(
        graders(upside_down),
        ngettext(
            "{count:,} grader seems to have ranked upside down: {names}.",
            "{count:,} graders seem to have ranked upside down: {names}.",
            len(upside_down),
        ),
    )


def _with_ties(profile: "Profile") -> "IntArray":
    """Return the ballots on which two papers have the same rank."""
    import numpy as np

    if profile.strict:
        return np.zeros(0, np.int64)
    levels = profile.tie_levels
    same = np.concatenate([[False], levels[1:] == levels[:-1]])[: len(levels)]
    same[profile.start[:-1]] = False
    return np.unique(np.searchsorted(profile.start, np.flatnonzero(same), side="right") - 1)
