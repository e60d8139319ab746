"""``kemeny``: the order that contradicts the ballots least, exact where it can be and a local optimum elsewhere.

Kemeny's order has the fewest disagreements with the ballots: pairs that a ballot puts one way and the order the
other. Finding it is NP-hard, but only cycles of majorities make it so. Papers fall into groups, the strongly
connected components of the majority graph. Between groups every majority can be followed, so an order is optimal
if and only if it does that and is optimal inside each group (Truchon 1998, extended Condorcet criterion). Groups of
up to ``exact`` papers are solved by dynamic programming over subsets, larger ones by local search from Borda's
order, until taking a single paper out and putting it back elsewhere no longer helps.

Few papers meet under peer grading, so a great number of orders are equally good: with perfect graders every order that
contradicts no ballot. Of those that follow the same majorities the rule takes one near Borda's: papers are put down
from the top, of those with nobody left above them the best by Borda first, then from the bottom likewise, and
ordered by the mean of their two places, which follows the same majorities. Borda's ties are broken by the generator,
and so are those of this rule, which therefore depends on nothing else: numbers of papers do not matter.
"""

from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, IntArray, group_by
from peerorder.core.outcome import RuleResult, order_by_score
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.rules import borda
from peerorder.rules.contests import contests
from peerorder.rules.kemeny_search import follow, improve, solve
from peerorder.rules.rule import Rule

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["RULE", "disagreements"]


def compute(profile: Profile, rng: Generator, exact: int) -> RuleResult:
    """The share of the other papers that a paper ends above."""
    n = profile.n_papers
    start = order_by_score(borda.RULE.compute(profile, rng).scores, rng)
    net = contests(profile)
    # From here on papers are called by their place in Borda's order, so nothing can depend on their numbers.
    place, is_exact = _places(net[start][:, start], exact)
    places = np.empty(n, np.int64)
    places[start] = place
    least = disagreements(net, places)
    if is_exact:
        note = _("exact: the majorities that the order contradicts lead by {lead} in all, the least possible")
    else:
        note = _(
            "local optimum: the majorities that the order contradicts lead by {lead} in all; moving one paper "
            "saves none"
        )
    return RuleResult((n - 1 - places) / max(n - 1, 1), notes=(note.format(lead=least),))


def disagreements(net: "csr_array", places: IntArray) -> int:
    """By how many ballots the majorities that an order contradicts are ahead, in all."""
    row = np.repeat(np.arange(len(places)), np.diff(net.indptr))
    contradicted = (net.data > 0) & (places[row] > places[net.indices])
    return int(net.data[contradicted].sum(dtype=np.int64))


def _places(net: "csr_array", exact: int) -> tuple[IntArray, bool]:
    """The place of every paper, and whether no order is better."""
    n = net.shape[0]
    net.sort_indices()
    _count, group = scipy.sparse.csgraph.connected_components(net > 0, directed=True, connection="strong")
    size = np.bincount(group, minlength=1)
    inside = _inside(net, group)
    key = np.arange(n, dtype=np.float64)
    first, members = group_by(group.astype(np.int32), len(size))
    for g in np.flatnonzero((size > 1) & (size <= exact)):
        papers = members[first[g] : first[g + 1]]
        key[papers[solve(inside.indptr, inside.indices, inside.data, papers)]] = papers
    searched = (size > max(exact, 1))[group]
    _search(inside, searched, key)
    while True:
        place = _nearest_borda(net, group, key)
        key = place.astype(np.float64)
        # An order nearer to Borda's follows the same majorities, and by luck some more: then the search goes on.
        if not _search(inside, searched, key):
            return place, not searched.any()


def _inside(net: "csr_array", group: IntArray) -> "csr_array":
    """The contests between papers of one group."""
    row = np.repeat(np.arange(len(group)), np.diff(net.indptr))
    same = (group[row] == group[net.indices]) & (net.data != 0)
    return scipy.sparse.csr_array((net.data[same], (row[same], net.indices[same])), shape=net.shape)


def _search(inside: "csr_array", searched: NDArray[np.bool_], key: FloatArray) -> bool:
    """Move single papers, in place, until no move helps; whether any did."""
    awake = searched.copy()
    moved = False
    while improve(inside.indptr, inside.indices, inside.data, awake, key):
        moved = True
        # Whole numbers again, so that there is room between any two.
        key[np.argsort(key, kind="stable")] = np.arange(len(key))
    return moved


def _nearest_borda(net: "csr_array", group: IntArray, key: FloatArray) -> IntArray:
    """Places that follow every majority which the keys follow or which joins two groups, near Borda's otherwise."""
    n = net.shape[0]
    row = np.repeat(np.arange(n), np.diff(net.indptr))
    followed = (net.data > 0) & ((group[row] != group[net.indices]) | (key[row] < key[net.indices]))
    down = scipy.sparse.csr_array(
        (np.ones(followed.sum(), np.int8), (row[followed], net.indices[followed])), shape=net.shape
    )
    up = down.T.tocsr()
    from_top = follow(down.indptr, down.indices, np.arange(n))
    from_bottom = n - 1 - follow(up.indptr, up.indices, np.arange(n)[::-1])
    place = np.empty(n, np.int64)
    place[np.argsort(from_top + from_bottom, kind="stable")] = np.arange(n)
    return place


RULE = Rule(
    name="kemeny",
    summary="the order that contradicts the ballots least; exact for small groups of papers in cycles",
    citation="Kemeny (1959); groups: Truchon (1998)",
    compute=compute,
    options=(Option("exact", 14, "largest group of papers joined by cycles that is solved exactly", 0, 18),),
    needs="memory in proportion to the pairs that share a ballot; time of a local search",
    most_papers=100_000,
)
