"""The door for people in notebooks: ballots with ids of any kind in, labelled results out.

``peerorder.rank``, ``simulate``, ``plan`` and the other names here are those of the top level.
"""

from typing import TYPE_CHECKING

from peerorder._lazy import loading

if TYPE_CHECKING:
    from peerorder.api.ballots import Ballots, pairs
    from peerorder.api.ranking import Ranking, rank

__all__ = ["Ballots", "Ranking", "pairs", "rank"]

__getattr__, __dir__ = loading(__name__, {"ballots": ("Ballots", "pairs"), "ranking": ("Ranking", "rank")})
