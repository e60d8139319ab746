"""Hand-outs: bundles for graders by perfect matching, so that nobody sees what they must not see.

Graders may not get a bundle with their own paper, a team-mate's, or one they have declared a conflict with.
The graph of what is allowed is nearly complete (n - k of n bundles each), so it is never written
down: a random hand-out is repaired along augmenting paths found through the few pairs that are
forbidden, in O(n + forbidden pairs) per path. Where no path exists, the search itself has found the
graders and bundles that prevent it (Hall's theorem). docs/decisions/0003 says why not SciPy's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import Int32Array, IntArray, as_array, as_indices, freeze
from peerorder.core.bundles import Bundles
from peerorder.core.errors import HandoutError
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator, generator
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.schemes.balanced import Forbidden

__all__ = ["hand_out"]

NAMED = 8


def hand_out(
    bundles: Bundles,
    authored: ArrayLike,
    rng: Generator | int,
    *,
    teams: Sequence[object] | None = None,
    conflicts: Iterable[tuple[int, int]] = (),
    names: Sequence[str] | None = None,
) -> Int32Array:
    """Choose a bundle for every grader, at random among what is allowed.

    Parameters
    ----------
    bundles
        One per grader.
    authored
        The paper that each grader wrote, -1 for none. Graders who wrote the same paper are a team.
    teams
        A label for each grader; graders with the same label (None: no team) may not get each
        other's papers.
    conflicts
        Pairs (grader, paper) never to be brought together.
    names
        The graders' names in error messages; their numbers by default.

    Returns
    -------
    Int32Array
        The bundle of each grader.

    Raises
    ------
    HandoutError
        Where there is no such hand-out; the message names the graders who prevent it.
    """
    rng = generator(rng)
    own = as_indices(authored, "authored", -1, bundles.n_papers, HandoutError)
    n = len(own)
    if len(bundles) != n:
        raise HandoutError(
            ngettext(
                "there is {graders} grader but {count} bundles; every grader gets exactly one",
                "there are {graders} graders but {count} bundles; every grader gets exactly one",
                n,
            ).format(graders=n, count=len(bundles))
        )
    if names is not None and len(names) != n:
        raise HandoutError(
            ngettext(
                "there is {graders} grader but {count} names; give one per grader, or none at all",
                "there are {graders} graders but {count} names; give one per grader, or none at all",
                n,
            ).format(graders=n, count=len(names))
        )
    forbidden = _forbidden_papers(own, bundles.n_papers, teams, conflicts)
    start, banned = bundles_with(forbidden.grader, forbidden.paper, *bundles.by_paper, n)
    bundle_of = rng.permutation(n).astype(np.int32)
    stuck, seen = repair(bundle_of, start, banned, rng.permutation(n))
    if stuck >= 0:
        raise HandoutError(_explain_obstruction(seen, start, banned, n, names))
    return freeze(bundle_of)


def _forbidden_papers(
    own: Int32Array, n_papers: int, teams: Sequence[object] | None, conflicts: Iterable[tuple[int, int]]
) -> Forbidden:
    """Return the pairs of grader and paper that must not meet."""
    n = len(own)
    writers = np.flatnonzero(own >= 0)
    graders, papers = [writers], [own[writers]]
    if teams is not None:
        if len(teams) != n:
            raise HandoutError(
                ngettext(
                    "there is {graders} grader but teams for {count}; give one per grader, None for no team",
                    "there are {graders} graders but teams for {count}; give one per grader, None for no team",
                    n,
                ).format(graders=n, count=len(teams))
            )
        members: dict[object, list[int]] = {}
        for g, team in enumerate(teams):
            if team is not None:
                if not isinstance(team, Hashable):
                    raise HandoutError(
                        _("the team of grader {grader} is {team!r}; a team is a name or a number").format(
                            grader=g, team=team
                        )
                    )
                members.setdefault(team, []).append(g)
        mates = [(g, own[h]) for team in members.values() for g in team for h in team if own[h] >= 0]
        graders.append(np.array([grader for grader, _paper in mates], np.int64))
        papers.append(np.array([paper for _grader, paper in mates], np.int32))
    declared = as_array(list(conflicts), "conflicts", HandoutError)
    if len(declared):
        if declared.ndim != 2 or declared.shape[1] != 2 or declared.dtype.kind not in "iu":
            raise HandoutError(_("`conflicts` must be pairs of a grader and a paper, both as numbers"))
        graders.append(as_indices(declared[:, 0], _("conflicts: grader"), 0, n, HandoutError).astype(np.int64))
        papers.append(as_indices(declared[:, 1], _("conflicts: paper"), 0, n_papers, HandoutError))
    return Forbidden(np.concatenate(graders), np.concatenate(papers), n, n_papers)


def _explain_obstruction(
    seen: IntArray, start: IntArray, banned: Int32Array, n: int, names: Sequence[str] | None
) -> str:
    """Name Hall's violators: a group of graders for whom there are fewer bundles than graders."""
    graders = np.flatnonzero(seen)
    # The graders' common forbidden bundles are exactly those the search never reached.
    counts = np.bincount(np.concatenate([np.unique(banned[start[g] : start[g + 1]]) for g in graders]), minlength=n)
    allowed = n - int((counts == len(graders)).sum())
    called = [names[g] if names is not None else str(g) for g in graders.tolist()]
    if len(graders) == 1:
        return _(
            "the bundles cannot be handed out: every bundle holds a paper that grader {name} may not see; remove "
            "some of this grader's conflicts or choose a smaller k"
        ).format(name=called[0])
    return _(
        "the bundles cannot be handed out: graders {names} can only share {allowed} of the bundles, one too few; "
        "remove some of their conflicts or choose a smaller k"
    ).format(names=shortlist(called, NAMED), allowed=allowed)


@kernel
def bundles_with(grader, paper, paper_start, holders, n):  # type: ignore[no-untyped-def]
    """Return the bundles that hold a forbidden paper, in compressed rows by grader; pairs are sorted by grader."""
    start = np.zeros(n + 1, np.int64)
    for index in range(len(grader)):
        start[grader[index] + 1] += paper_start[paper[index] + 1] - paper_start[paper[index]]
    for g in range(n):
        start[g + 1] += start[g]
    result = np.empty(start[n], np.int32)
    end = 0
    for p in paper:
        for index in range(paper_start[p], paper_start[p + 1]):
            result[end] = holders[index]
            end += 1
    return start, result


@kernel
def repair(bundle_of, start, banned, turn):  # type: ignore[no-untyped-def]
    """Turn a hand-out into an allowed one along augmenting paths, taking graders in the order ``turn``.

    Return (-1, ...) when done; else the grader who cannot be served, and the graders that the search from
    there reached: these cannot all be served.
    """
    n = len(bundle_of)
    grader_of = np.empty(n, np.int32)
    for g in range(n):
        grader_of[bundle_of[g]] = g
    is_banned = np.zeros(n, np.int64)
    call = 0
    # Bundles are tried in an order that comes from who held them, so that no number of a bundle is tied to
    # the same number of a grader.
    shuffled = np.empty(n, np.int32)
    for t in range(n):
        shuffled[t] = bundle_of[turn[n - 1 - t]]
    # Take away what is forbidden.
    for g in range(n):
        for index in range(start[g], start[g + 1]):
            if banned[index] == bundle_of[g]:
                grader_of[bundle_of[g]] = -1
                bundle_of[g] = -1
                break
    shelf = np.empty(n, np.int32)
    queue = np.empty(n, np.int32)
    reached_from = np.empty(n, np.int32)
    reached = np.zeros(n, np.bool_)
    for t in range(n):
        g = turn[t]
        if bundle_of[g] >= 0:
            continue
        # Breadth first over graders; the shelf holds the bundles not yet reached, in random order.
        left = 0
        for s in range(n):
            shelf[left] = shuffled[s]
            left += 1
        reached[:] = False
        queue[0] = g
        reached[g] = True
        head, tail = 0, 1
        end = -1
        while head < tail and end < 0:
            who = queue[head]
            head += 1
            call += 1
            for index in range(start[who], start[who + 1]):
                is_banned[banned[index]] = call
            kept = 0
            for s in range(left):
                b = shelf[s]
                if is_banned[b] == call:
                    shelf[kept] = b
                    kept += 1
                    continue
                reached_from[b] = who
                if grader_of[b] < 0:
                    end = b
                    break
                other = grader_of[b]
                reached[other] = True
                queue[tail] = other
                tail += 1
            left = kept
        if end < 0:
            return g, reached
        while True:
            who = reached_from[end]
            before = bundle_of[who]
            bundle_of[who] = end
            grader_of[end] = who
            if who == g:
                break
            end = before
    return -1, reached
