"""``Ballots``: what people have in Python, lists, mappings, pairs and tables, as a profile with the ids behind it."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.api.ids import Ids, in_order, plain, shown
from peerorder.core.arrays import freeze
from peerorder.core.errors import InputError
from peerorder.core.profile import NOBODY, Profile
from peerorder.core.translation import gettext as _, message, translate

if TYPE_CHECKING:
    from peerorder.core.arrays import FloatArray, Int32Array
    from peerorder.rounds import Round

__all__ = ["Ballots", "Named", "as_ballots", "iterated", "labelled", "pairs", "weights_of"]

Weights = Sequence[float] | Mapping[Hashable, float] | None
ONE_JUDGE = "judge"
CURE = message("write it as a list of items, the best first, with a tuple or a set for a tie")


@dataclass(frozen=True, repr=False)
class Ballots:
    """Ballots with their ids: ``items[i]`` is paper i of the profile, and ``graders[g]`` its grader g."""

    profile: Profile
    items: Ids
    graders: Ids

    def __repr__(self) -> str:
        return repr(self.profile).replace("Profile", "Ballots").replace(" paper", " item")

    @classmethod
    def of(
        cls,
        ballots: Any,
        weights: Weights = None,
        *,
        items: Iterable[Hashable] | None = None,
        authored: Mapping[Hashable, Hashable] | None = None,
    ) -> Ballots:
        """Take ballots in any of the forms that ``rank`` describes: to rank them several times, or for ``profile``."""
        return as_ballots(ballots, weights, items=items, authored=authored)

    def to_round(self, staff: Collection[Hashable] = ()) -> Round:
        """Return a round of peer grading, for ``grade``, with ids as text; ``staff`` are graders who are staff."""
        from peerorder.files.formats.arrow import strings
        from peerorder.rounds import Round

        unknown = [grader for grader in staff if grader not in self.graders]
        if unknown:
            raise InputError(
                _("staff has {id}, which is not a grader; give ids of graders").format(id=shown(unknown[0]))
            )
        papers, graders = ([str(each) for each in ids] for ids in (self.items, self.graders))
        for ids in (papers, graders):
            if len(set(ids)) < len(ids):
                twice = next(each for each in ids if ids.count(each) > 1)
                raise InputError(_("two ids are {twice!r} as text; tell them apart").format(twice=twice))
        are_staff = np.array([grader in staff for grader in self.graders], bool)
        return Round(self.profile, strings(papers), strings(graders), freeze(are_staff))

    def to_choix(self) -> list[tuple[int, ...]]:
        """Return the ballots as choix takes them, for ``opt_rankings``, or ``opt_pairwise`` where all are pairs."""
        if not self.profile.strict:
            raise InputError(_("choix takes no ties, and these ballots have some"))
        ballots = (self.profile[ballot].tolist() for ballot in range(len(self.profile)))
        return [tuple(ballot) for ballot in ballots if len(ballot) > 1]


@dataclass(frozen=True)
class Named:
    """One ballot on its way in: how errors call it, whose it is, and what it says."""

    name: str
    grader: Hashable
    ballot: Any


def pairs(comparisons: Any, judges: Sequence[Hashable] | None = None, *, weights: Weights = None) -> Ballots:
    """Take comparisons of two items for ``rank``.

    Parameters
    ----------
    comparisons
        Pairs ``(winner, loser)``, or ``(winner, loser, judge)``, or a set of two where they were tied; or a table with
        columns ``winner`` and ``loser``, optionally ``judge``, ``tie`` and ``weight``. Without judges, all comparisons
        are by one judge.
    judges
        The judge of each pair.
    weights
        How much each comparison counts, or each judge's by a mapping.
    """
    comparisons = _collected(comparisons)
    if _is_table(comparisons):
        from peerorder.api.tables import pairs_from_table

        return pairs_from_table(comparisons, weights)
    listed = list(iterated(comparisons, _("the list of pairs")))
    if judges is not None and len(judges) != len(listed):
        raise InputError(
            _("there are {pairs} pairs but judges for {judges}; give one judge for each pair").format(
                pairs=len(listed), judges=len(judges)
            )
        )
    named, title = [], _("pair {number}")
    for number, pair in enumerate(listed):
        name = title.format(number=number)
        parts = list(iterated(pair, name))
        if len(parts) not in (2, 3) or (len(parts) == 3 and (judges is not None or isinstance(pair, Set))):
            raise InputError(
                _("{name} is {pair}; write it as (winner, loser) or (winner, loser, judge)").format(
                    name=name, pair=shown(pair)
                )
            )
        judge = judges[number] if judges is not None else parts[2] if len(parts) == 3 else ONE_JUDGE
        ballot = [tuple(parts)] if isinstance(pair, Set) else parts[:2]
        named.append(Named(name, plain(judge, name, _("its judge")), ballot))
    return _from_named(named, weights)


def as_ballots(
    ballots: Any,
    weights: Weights = None,
    *,
    items: Iterable[Hashable] | None = None,
    authored: Mapping[Hashable, Hashable] | None = None,
) -> Ballots:
    """Take ballots in any of the forms that ``rank`` describes."""
    ballots = _collected(ballots)
    if authored is not None and not isinstance(authored, Mapping):
        raise InputError(_("authored is {authored}; write it as {{grader: item}}").format(authored=shown(authored)))
    if isinstance(ballots, Profile):
        ballots = Ballots(ballots, tuple(range(ballots.n_papers)), tuple(range(ballots.n_graders)))
    if isinstance(ballots, Ballots):
        if weights is not None or items is not None or authored is not None:
            raise InputError(
                _("these ballots are made already; leave out weights, items and authored, or give plain ballots")
            )
        return ballots
    if _is_table(ballots):
        from peerorder.api.tables import from_table

        return from_table(ballots, weights, items, authored)
    if isinstance(ballots, Mapping):
        return _from_named(_of_mapping(ballots), weights, items, authored, by_grader=True)
    listed = iterated(ballots, _("the list of ballots"))
    title = _("ballot {number}")
    named = [Named(title.format(number=b), b, ballot) for b, ballot in enumerate(listed)]
    return _from_named(named, weights, items, authored)


def labelled(
    profile: Mapping[str, Any], items: Ids, graders: Ids, authored: Mapping[Hashable, Hashable] | None
) -> Ballots:
    """Make ballots of the arrays of a profile and sorted ids; raise InputError where they cannot be ranked."""
    if len(profile["start"]) < 2:
        raise InputError(_("there are no ballots; give at least one ballot of two items"))
    if len(items) < 2:
        text = _("there is no item on the ballots; a ranking needs at least two")
        if items:
            text = _("there is only one item, {item}, on the ballots; a ranking needs at least two")
        raise InputError(text.format(item=shown(items[0]) if items else ""))
    wrote = np.full(len(graders), NOBODY, np.int32)
    if authored is not None:
        number = {item: i for i, item in enumerate(items)}
        for g, grader in enumerate(graders):
            wrote[g] = number.get(authored.get(grader), NOBODY)
        _refuse_own(profile, wrote, items, graders)
    made = Profile(**_sorted_ties(profile), n_papers=len(items), authored=wrote)
    if not (made.informative & (made.ballot_weights > 0)).any():
        raise InputError(_("no ballot puts one item above another; check for ballots of one item, and of ties alone"))
    return Ballots(made, items, graders)


def _sorted_ties(profile: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put tied items in the order of their numbers, so that the order in which they were written changes no result."""
    papers, levels, start = profile["papers"], profile["levels"], profile["start"]
    tied = np.diff(levels, prepend=-1) == 0
    tied[start[:-1][np.diff(start) > 0]] = False
    if not tied.any():
        return profile
    order = np.lexsort((papers, levels, np.repeat(np.arange(len(start) - 1), np.diff(start))))
    return {**profile, "papers": papers[order], "levels": levels[order]}


def weights_of(weights: Weights, named: Sequence[tuple[str, Hashable]], by_grader: bool) -> FloatArray | None:
    """Return the weight of each ballot, given by its number or by its grader."""
    if weights is None:
        return None
    if isinstance(weights, Mapping):
        missing = [grader for _name, grader in named if grader not in weights]
        if missing:
            raise InputError(
                _("weights have nothing for grader {grader}; give every grader a weight").format(
                    grader=shown(missing[0])
                )
            )
        values = [weights[grader] for _name, grader in named]
    elif by_grader:
        raise InputError(_("weights of ballots by graders are a mapping too; write them as {grader: weight}"))
    else:
        values = list(iterated(weights, "weights"))
        if len(values) != len(named):
            raise InputError(
                _("there are {ballots} ballots but {weights} weights; give one for each ballot").format(
                    ballots=len(named), weights=len(values)
                )
            )
    for value, (name, grader) in zip(values, named, strict=True):
        if not isinstance(value, (Real, np.number)) or not math.isfinite(value) or value < 0:
            whose = _("grader {grader}").format(grader=shown(grader)) if isinstance(weights, Mapping) else name
            raise InputError(
                _("the weight of {whose} is {value}; give a number from 0 up").format(whose=whose, value=shown(value))
            )
    return np.array(values, np.float64)


def _collected(given: Any) -> Any:
    """Return columns as a table, and a lazy frame as a frame."""
    if isinstance(given, Mapping) and ({"grader", "rank"} <= given.keys() or {"winner", "loser"} <= given.keys()):
        import pyarrow as pa

        try:
            return pa.table(dict(given))
        except (ValueError, TypeError) as error:
            cause = str(error).splitlines()[0]
            raise InputError(
                _("the columns cannot be read: {cause}; give the same number of values in each").format(cause=cause)
            ) from None
    return given.collect() if hasattr(given, "collect") and not _is_table(given) else given


def _is_table(given: Any) -> bool:
    # A series speaks the protocol too, and is a list.
    return hasattr(given, "__arrow_c_stream__") and not hasattr(given, "dtype")


def iterated(given: Any, name: str) -> Iterable[Any]:
    """Return what can be iterated over; raise InputError for anything else, and for text."""
    if given is None or isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError(_("{name} is {given}; {cure}").format(name=name, given=shown(given), cure=translate(CURE)))
    return given


def _of_mapping(ballots: Mapping[Hashable, Any]) -> list[Named]:
    named, where, what = [], _("the mapping"), _("a grader")
    of_one, of_several = _("the ballot of {grader}"), _("ballot {number} of {grader}")
    for key, said in ballots.items():
        grader = plain(key, where, what)
        name = of_one.format(grader=shown(grader))
        if said is None:
            raise InputError(_("{name} is None; leave out graders who ranked nothing").format(name=name))
        several = isinstance(said, (list, tuple)) and len(said) > 0 and all(isinstance(part, list) for part in said)
        listed = list(said) if several else [said]
        for number, ballot in enumerate(listed):
            title = of_several.format(number=number, grader=shown(grader)) if several else name
            named.append(Named(title, grader, ballot))
    return named


def _from_named(
    named: list[Named],
    weights: Weights,
    items: Iterable[Hashable] | None = None,
    authored: Mapping[Hashable, Hashable] | None = None,
    *,
    by_grader: bool = False,
) -> Ballots:
    known: dict[Hashable, int] = {}
    if items is not None:
        what = _("an item")
        known = {plain(item, "items", what): number for number, item in enumerate(iterated(items, "items"))}
    people: dict[Hashable, int] = {}
    papers: list[int] = []
    levels: list[int] = []
    start, grader = [0], []
    for each in named:
        for level, tied in enumerate(_groups(each)):
            for item in tied:
                if items is not None and item not in known:
                    raise InputError(
                        _("{name} has {item}, which is not among items; add it, or correct it").format(
                            name=each.name, item=shown(item)
                        )
                    )
                papers.append(known.setdefault(item, len(known)))
                levels.append(level)
        start.append(len(papers))
        grader.append(people.setdefault(each.grader, len(people)))
    ordered, number = in_order(known)
    graders, person = in_order(people)
    counted = weights_of(weights, [(each.name, each.grader) for each in named], by_grader)
    # Ballots by grader, so that the order of a mapping changes no result.
    order = np.argsort(person[grader], kind="stable") if grader else np.zeros(0, np.int64)
    sizes = np.diff(start)[order]
    first = np.array(start[:-1], np.int64)[order]
    entries = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(len(papers))
    arrays = {
        "papers": number[np.array(papers, np.int64)][entries],
        "start": np.concatenate([[0], np.cumsum(sizes)]),
        "levels": np.array(levels, np.int64)[entries],
        "grader": person[np.array(grader, np.int64)][order],
        "weights": None if counted is None else counted[order],
    }
    return labelled(arrays, ordered, graders, authored)


def _groups(each: Named) -> list[list[Hashable]]:
    """Return the items of a ballot, the best first, those that are tied in one list."""
    if isinstance(each.ballot, (Set, Mapping)):
        raise InputError(
            _("{name} is {ballot}, which has no order; {cure}").format(
                name=each.name, ballot=shown(each.ballot), cure=translate(CURE)
            )
        )
    groups, seen = [], set()
    for place, entry in enumerate(iterated(each.ballot, each.name)):
        members = entry if isinstance(entry, (tuple, Set)) else (entry,)
        tied = [plain(member, each.name, f"item {place + 1}") for member in members]
        for item in tied:
            if item in seen:
                raise InputError(
                    _("{name} has {item} twice; keep one of the two").format(name=each.name, item=shown(item))
                )
            seen.add(item)
        if tied:
            groups.append(tied)
    return groups


def _refuse_own(profile: Mapping[str, Any], wrote: Int32Array, items: Ids, graders: Ids) -> None:
    whose = np.repeat(profile["grader"], np.diff(profile["start"]))
    own = np.flatnonzero(wrote[whose] == profile["papers"])
    if len(own):
        grader, item = graders[whose[own[0]]], items[profile["papers"][own[0]]]
        raise InputError(
            _("the ballot of {grader} ranks {item}, which is their own; take it off").format(
                grader=shown(grader), item=shown(item)
            )
        )
