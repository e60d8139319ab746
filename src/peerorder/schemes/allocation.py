"""Allocation in a real class: by a scheme where the class is regular, evenly paper by paper where it is not.

Regular means that everybody wrote one paper of their own and everybody ranks. With teams, assistants or excused
students there are more or fewer graders than papers, no scheme fits, and papers are allocated one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import Int32Array, IntArray, as_count, as_indices, freeze
from peerorder.core.bundles import Bundles, GraphReport
from peerorder.core.errors import HandoutError, SchemeError
from peerorder.core.randomness import Generator, generator
from peerorder.core.text import join_with_and, number_range, shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.schemes import girth6, random_regular
from peerorder.schemes.balanced import Blocked, Forbidden, allot, even_shares, shuffle_rows
from peerorder.schemes.connecting import components_of, connect
from peerorder.schemes.handout import hand_out
from peerorder.schemes.scheme import Scheme

__all__ = ["BALANCED", "Allocation", "allocate", "enough_for_each", "enough_to_compare", "forbidden_pairs", "refusal"]

BALANCED = "balanced"
NAMED = 8
DRAWS = 3


@dataclass(frozen=True, eq=False)
class Allocation:
    """The papers of every grader, in shuffled order, and how they were chosen."""

    bundles: Bundles
    report: GraphReport
    """The properties of the bundle graph."""
    scheme: str
    why: str
    apart: str | None = None
    """Why the comparison graph is not connected, where it is not."""


def allocate(
    authored: ArrayLike,
    n_papers: int,
    k: int,
    rng: Generator | int,
    *,
    conflicts: Iterable[tuple[int, int]] = (),
    excused: ArrayLike | None = None,
    scheme: Scheme | None = None,
    graders: Sequence[str] | None = None,
    papers: Sequence[str] | None = None,
) -> Allocation:
    """Give k papers to every grader, and every paper to as many graders as any other, or one more.

    Parameters
    ----------
    authored
        The paper that each grader wrote, -1 for none. Graders of one paper are a team, and no member ranks it.
    conflicts
        Pairs (grader, paper) never to be brought together.
    excused
        Whether each grader is excused: gets nothing to rank.
    scheme
        The scheme to use; without it, the best one that fits this class.
    graders, papers
        Their names in error messages; their numbers by default.

    Raises
    ------
    HandoutError
        Where there is no such allocation; the message names the graders or papers that prevent it.
    SchemeError
        Where the scheme that was asked for does not fit the class.
    """
    rng = generator(rng)
    m = as_count(n_papers, _("the number of papers"), HandoutError)
    own = as_indices(authored, "authored", -1, m, HandoutError)
    k = enough_to_compare(k)
    free = np.zeros(len(own), bool) if excused is None else np.asarray(excused, bool)
    pairs = np.array(list(conflicts), np.int64).reshape(-1, 2)
    forbidden = forbidden_pairs(own, m, pairs)
    demand = np.where(free, 0, k)
    enough_for_each(demand, forbidden, graders)
    irregular = _irregular(own, m, free)
    if scheme is not None and irregular:
        raise SchemeError(
            _(
                "the scheme {scheme} is for classes where everybody wrote one paper and ranks; here {reason}, "
                "so omit `scheme`"
            ).format(scheme=scheme.spec, reason=irregular)
        )
    graph = handed = None
    name, why = BALANCED, irregular and _("because {reason}").format(reason=irregular)
    if scheme is not None:
        name, why = scheme.spec, _("as requested")
        graph, handed = _of_scheme(scheme, own, k, pairs, graders, rng)
    elif not irregular:
        graph, handed, name, why = _best_scheme(own, k, pairs, rng)
    if graph is None or handed is None:
        lower, upper = even_shares(int(demand.sum()), m)
        result = allot(demand, np.full(m, lower), np.full(m, upper), forbidden, rng)
        if isinstance(result, Blocked):
            raise HandoutError(refusal(result, graders, papers))
        held, start = result.papers, result.start
        left = components_of(result.rows[0], held, m)[0]
    else:
        held, start = np.empty(len(graph.papers), np.int32), graph.start
        np.take(graph.matrix, handed, axis=0, out=held.reshape(-1, k), mode="clip")
        left = graph.components
    if left > 1 and name in (BALANCED, random_regular.SCHEME.name):
        owner = np.repeat(np.arange(len(own), dtype=np.int32), demand)
        left, graph = connect(held, owner, forbidden, rng), None
    shuffle_rows(held, start, rng)
    apart = _apart(left, k, int((~free).sum()), m)
    bundles = Bundles(freeze(held), start, m)
    # The bundles of a scheme are the same graph before they are handed out, and some of its properties are known.
    return Allocation(bundles, (graph or bundles).report, name, why, apart)


def forbidden_pairs(own: Int32Array, m: int, conflicts: IntArray) -> Forbidden:
    """Return what nobody may rank: their own papers, which are the team's too, and declared conflicts."""
    writers = np.flatnonzero(own >= 0)
    grader = np.concatenate([writers, conflicts[:, 0]])
    paper = np.concatenate([own[writers], conflicts[:, 1]])
    return Forbidden(grader, paper, len(own), m)


def enough_to_compare(k: int) -> int:
    """Return k; raise HandoutError where it is too small to compare anything."""
    if as_count(k, "k", HandoutError) < 2:
        raise HandoutError(
            _("k is {k}, but a ballot of fewer than 2 papers compares nothing; choose a k of 2 or more").format(k=k)
        )
    return k


def enough_for_each(demand: IntArray, forbidden: Forbidden, graders: Sequence[str] | None) -> None:
    """Raise HandoutError if a grader may see fewer papers than they are to rank."""
    allowed = forbidden.allowed_among(np.ones(forbidden.n_papers, bool))
    few = np.flatnonzero(allowed < demand)
    if not len(few):
        return
    least, most = int(allowed[few].min()), int(allowed[few].max())
    k, m = int(demand.max()), forbidden.n_papers
    # Nobody ranks their own paper; graders who may see fewer papers than all others have conflicts.
    in_conflict = least < m - 1
    if least < 2:
        if not in_conflict:
            raise HandoutError(
                ngettext(
                    "there is no hand-out: with {count:,} paper in all, nobody has two papers by others to compare",
                    "there is no hand-out: with {count:,} papers in all, nobody has two papers by others to compare",
                    m,
                ).format(count=m)
            )
        worst = few[allowed[few] == least]
        name = graders[worst[0]] if graders is not None else str(worst[0])
        if least == 0:
            text = ngettext(
                "there is no hand-out: grader {names} has a conflict with every paper by others; remove a conflict, "
                "or excuse {first} (`excused` {first})",
                "there is no hand-out: graders {names} have a conflict with every paper by others; remove a conflict, "
                "or excuse them (`excused` {first})",
                len(worst),
            )
        else:
            text = ngettext(
                "there is no hand-out: grader {names} has a conflict with all papers by others but one; remove a "
                "conflict, or excuse {first} (`excused` {first})",
                "there is no hand-out: graders {names} have a conflict with all papers by others but one; remove a "
                "conflict, or excuse them (`excused` {first})",
                len(worst),
            )
        raise HandoutError(text.format(names=_format_names(worst, graders), first=name))
    if in_conflict:
        text = ngettext(
            "there is no hand-out: k is {k}, but grader {names} may rank only {papers}; choose a smaller k, "
            "{least} at most, or remove some conflicts",
            "there is no hand-out: k is {k}, but graders {names} may rank only {papers}; choose a smaller k, "
            "{least} at most, or remove some conflicts",
            len(few),
        )
    else:
        text = ngettext(
            "there is no hand-out: k is {k}, but grader {names} may rank only {papers}; choose a smaller k, "
            "{least} at most",
            "there is no hand-out: k is {k}, but graders {names} may rank only {papers}; choose a smaller k, "
            "{least} at most",
            len(few),
        )
    raise HandoutError(
        text.format(k=k, names=_format_names(few, graders), papers=number_range(least, most), least=least)
    )


def refusal(blocked: Blocked, graders: Sequence[str] | None, papers: Sequence[str] | None) -> str:
    """Return why there is no hand-out, and what to do, in one line."""
    if blocked.short_of_papers:
        return _(
            "there is no hand-out: graders {names} need {need} papers in all, but only {available} of those that they "
            "may rank are available; remove some of the conflicts or choose a smaller k"
        ).format(names=_format_names(blocked.graders, graders), need=blocked.need, available=blocked.can)
    return ngettext(
        "there is no hand-out: paper {names} must have {need} graders in all for all papers to be ranked equally "
        "often, but can have only {available}, because the other graders wrote it or have a conflict with it; "
        "remove some of the conflicts or choose a smaller k",
        "there is no hand-out: papers {names} must have {need} graders in all for all papers to be ranked equally "
        "often, but can have only {available}, because the other graders wrote them or have a conflict with them; "
        "remove some of the conflicts or choose a smaller k",
        len(blocked.papers),
    ).format(names=_format_names(blocked.papers, papers), need=blocked.need, available=blocked.can)


def _format_names(numbers: IntArray, names: Sequence[str] | None) -> str:
    return shortlist([names[x] if names is not None else str(x) for x in numbers.tolist()], NAMED)


def _irregular(own: Int32Array, m: int, free: NDArray[np.bool_]) -> str:
    """Return why a class is not regular, in words; empty where it is."""
    authored = own[own >= 0]
    authors = np.bincount(authored, minlength=m)
    teams = int((authors > 1).sum())
    result = []
    if len(authored) < len(own):
        absent = len(own) - len(authored)
        text = ngettext(
            "{count:,} grader has no paper of their own", "{count:,} graders have no paper of their own", absent
        )
        result.append(text.format(count=absent))
    if teams:
        text = ngettext("{count:,} paper is by a team", "{count:,} papers are by teams", teams)
        result.append(text.format(count=teams))
    if free.any():
        text = ngettext("{count:,} student is excused", "{count:,} students are excused", int(free.sum()))
        result.append(text.format(count=int(free.sum())))
    if orphans := int((authors == 0).sum()):
        text = ngettext(
            "{count:,} paper is by nobody who takes part", "{count:,} papers are by nobody who takes part", orphans
        )
        result.append(text.format(count=orphans))
    return join_with_and(result) if result else ""


def _of_scheme(
    scheme: Scheme,
    own: Int32Array,
    k: int,
    conflicts: IntArray,
    graders: Sequence[str] | None,
    rng: Generator,
) -> tuple[Bundles, Int32Array]:
    """Return the bundles of a scheme, and the one that each grader gets."""
    refused = HandoutError(_("the bundles were not handed out"))
    for _draw in range(DRAWS):
        bundles = scheme.build(len(own), k, rng)
        try:
            return bundles, hand_out(bundles, own, rng, conflicts=conflicts.tolist(), names=graders)
        except HandoutError as error:
            refused = error
    raise refused


def _best_scheme(
    own: Int32Array, k: int, conflicts: IntArray, rng: Generator
) -> tuple[Bundles | None, Int32Array | None, str, str]:
    """Return girth6 where it fits, else random, else none; and why."""
    n = len(own)
    tried = []
    for scheme, good in (
        (girth6.SCHEME, _("because everybody wrote one paper; no pair of papers shares two graders")),
        (random_regular.SCHEME, _("because everybody wrote one paper")),
    ):
        try:
            scheme.check(n, k)
        except SchemeError:
            if scheme is girth6.SCHEME:
                tried.append(
                    ngettext(
                        "girth6 needs {count} paper for this k",
                        "girth6 needs {count} papers for this k",
                        girth6.smallest_n(k),
                    ).format(count=girth6.smallest_n(k))
                )
            continue
        try:
            bundles, handed = _of_scheme(scheme, own, k, conflicts, None, rng)
        except HandoutError:
            tried.append(_("the conflicts do not fit {scheme}").format(scheme=scheme.name))
            continue
        return bundles, handed, scheme.name, "; ".join([good, *tried])
    return None, None, BALANCED, _("because {reason}").format(reason=join_with_and(tried)) if tried else ""


def _apart(left: int, k: int, n: int, m: int) -> str | None:
    if left <= 1:
        return None
    if n * k < n + m - 1:
        return ngettext(
            "{graders} grader with {k} papers is too few to link {papers} papers; a larger k would link them",
            "{graders} graders with {k} papers each are too few to link {papers} papers; a larger k would link them",
            n,
        ).format(graders=n, k=k, papers=m)
    return _("no permitted swap of papers links them")
