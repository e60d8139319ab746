"""The door for people in notebooks: ballots with ids of any kind in, labelled results out.

``peerorder.rank``, ``simulate``, ``plan`` and the other names here are those of the top level.
"""

from typing import TYPE_CHECKING

from peerorder._lazy import lazy_attributes

if TYPE_CHECKING:
    from peerorder.api.ballots import Ballots, pairs
    from peerorder.api.next_comparisons import next_pairs
    from peerorder.api.planning import plan
    from peerorder.api.preflib import read_preflib
    from peerorder.api.ranking import Ranking, rank
    from peerorder.api.simulation import simulate

__all__ = ["Ballots", "Ranking", "next_pairs", "pairs", "plan", "rank", "read_preflib", "simulate"]

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "ballots": ("Ballots", "pairs"),
        "next_comparisons": ("next_pairs",),
        "planning": ("plan",),
        "preflib": ("read_preflib",),
        "ranking": ("Ranking", "rank"),
        "simulation": ("simulate",),
    },
)
