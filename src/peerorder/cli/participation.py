"""Who handed in what, in the terminal: nothing, a part, or with ties."""

from typing import TYPE_CHECKING

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.core.arrays import IntArray
    from peerorder.core.profile import Profile
    from peerorder.rounds.round import Round

__all__ = ["show"]


def show(read: "Round") -> None:
    """A sentence for each kind that there is; a slip of the pen that made a tie can be found by it."""
    import numpy as np

    asked, judged = read.asked, read.judged
    (nothing, blank), partly = read.absent, np.flatnonzero(read.partly)
    tied = np.setdiff1d(read.profile.grader[_with_ties(read.profile)], np.flatnonzero(read.tied))
    for who, said in ((nothing, "handed in nothing"), (blank, "judged none of their papers")):
        if len(who):
            names = [read.graders[at] for at in who.tolist()]
            display.say(f"{display.count(len(who), 'grader')} {said}: {display.some(names)}.")
    if len(partly) and asked is not None:
        names = [f"{read.graders[at]} ({judged[at]} of {asked[at]})" for at in partly.tolist()]
        display.say(f"{display.count(len(partly), 'grader')} did not judge all of their papers: {display.some(names)}.")
    if read.tied.any():
        names = [read.graders[at] for at in np.flatnonzero(read.tied).tolist()]
        their = "their ballot says" if len(names) == 1 else "their ballots say"
        display.say(
            f"**{display.count(len(names), 'grader')} tied all of their papers**, so {their} nothing: "
            f"{display.some(names)}."
        )
    if len(tied):
        names = [read.graders[at] for at in tied.tolist()]
        display.say(
            f"{display.count(len(tied), 'grader')} gave papers the same rank, which is a tie: {display.some(names)}."
        )


def _with_ties(profile: "Profile") -> "IntArray":
    """The ballots on which two papers have the same rank."""
    import numpy as np

    levels = profile.tie_levels
    same = np.concatenate([[False], levels[1:] == levels[:-1]])[: len(levels)]
    same[profile.start[:-1]] = False
    return np.unique(np.searchsorted(profile.start, np.flatnonzero(same), side="right") - 1)
