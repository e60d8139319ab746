"""The contests: who runs on which ballots, within which limits, and what must come out of it.

All ballots are of students who grade as well as their own work is, ``condorcet`` with the level in percent,
handed out so that nobody has their own paper. Rules that the registry does not have are left out, and said so.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from functools import cache

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.data import handed_out_round
from benchmarks.peak import NO_MEMORY
from benchmarks.peers.apart import Limits, attempt
from benchmarks.peers.ballots import Ballots
from benchmarks.peers.environments import CannotRun, python_for
from benchmarks.peers.libraries import OTHERS, PEERS, PREVIOUS
from benchmarks.peers.standings import Standing
from benchmarks.timing import Line, Measured
from peerorder import RULES, InputError, Profile, pairwise_accuracy

__all__ = ["large", "scaling", "small"]

K = 8
OURS = ("posterior", "plackett-luce", "borda")
OURS_SMALL = (*OURS, "kemeny")
CHAMPION, BASELINE, CLOCK = "posterior", "borda", "choix ilsr_rankings(alpha=0.01)"
ONLY_PEER_AT_100_000 = "arena-rank BradleyTerry.fit"
# The level whose times have targets; 0 is a class without a single mistake.
TIMED = 30
WARM_UP = 100
PEERS_MAY, OURS_MAY = Limits(300, 8000), Limits(3600, 12_000)
MINUTES_AT_MOST, MEGABYTES_AT_MOST, POINTS_AT_LEAST = 20, 6000, 4
# Of choix's time at 1,000 and at 10,000 papers, and of the previous version's time and memory at 1,000,000.
SMALL_AT_MOST, LARGE_AT_MOST, TIME_AT_MOST, MEMORY_AT_MOST = 1.2, 1 / 15, 0.42, 1


def small(repeat: int) -> Iterator[Line | Standing]:
    """Give everybody at n=1000."""
    for level in (TIMED, 10, 0):
        found = list(_contest(1000, level, (*OURS_SMALL, *PEERS), PEERS_MAY, repeat))
        yield from found
        if level == TIMED:
            yield _ratio(f"time, {_ballots(1000, level)}", _of(found, CHAMPION), _of(found, CLOCK), SMALL_AT_MOST)
        yield _wrong_pairs(found)


def large(repeat: int) -> Iterator[Line | Standing]:
    """Give everybody who can do it at n=10,000."""
    peers = [name for name, peer in PEERS.items() if peer.at_most is None]
    for level in (TIMED, 0):
        found = list(_contest(10_000, level, (*OURS, *peers), PEERS_MAY, repeat))
        yield from found
        if level == TIMED:
            what = f"time, {_ballots(10_000, level)}"
            yield _ratio(what, _of(found, CHAMPION), _of(found, CLOCK), LARGE_AT_MOST)
        yield _wrong_pairs(found)


def scaling(repeat: int) -> Iterator[Line | Standing]:
    """Give our own rules at 10,000, 100,000 and 1,000,000 papers, and the previous version just before ours."""
    ours = (PREVIOUS.name, *OURS)
    ten = list(_contest(10_000, TIMED, ours, OURS_MAY, repeat))
    # Beyond 2^16 papers other kernels are compiled: here, so that this counts nowhere.
    list(_contest(2**16 + 1, TIMED, ours, OURS_MAY, 1))
    hundred = list(_contest(100_000, TIMED, (*ours, ONLY_PEER_AT_100_000), OURS_MAY, repeat))
    million = list(_contest(1_000_000, 50, ours, OURS_MAY, repeat))
    yield from (*ten, *hundred, *million)
    for name in OURS:
        target = 15 if name == CHAMPION else None
        yield _ratio(f"time, {_ballots(100_000, TIMED)}, beside 10,000", _of(hundred, name), _of(ten, name), target)
    best, base, on = _of(million, CHAMPION), _of(million, BASELINE), _ballots(1_000_000, 50)
    why = best.problem or base.problem
    yield Line(f"time, {on}", best.time, at_most=60 * MINUTES_AT_MOST, left_out=best.problem)
    unknown = best.problem or ("" if best.whole else NO_MEMORY)
    yield Line(f"memory of the whole process, {on}", best.whole, at_most=MEGABYTES_AT_MOST, left_out=unknown)
    for found, target in ((ten, None), (hundred, None), (million, TIME_AT_MOST)):
        what = f"time, {found[0].ballots}, beside {PREVIOUS.name}"
        yield _ratio(what, _of(found, CHAMPION), _of(found, PREVIOUS.name), target)
    yield _memory_ratio(million)
    points = None if why else Measured(f"{CHAMPION} above {BASELINE}", (best.recovered - base.recovered,), "points")
    yield Line(f"recovered, {on}", points, at_least=POINTS_AT_LEAST, left_out=why)


def _contest(n: int, level: int, names: Sequence[str], limits: Limits, repeat: int) -> Iterator[Standing]:
    truth, profile = handed_out_round(n, K, f"condorcet:level={level}")
    ballots, on = _plain(profile), _ballots(n, level)
    for name in names:
        click.echo(f"  {on}: {name} ...", err=True)
        yield _standing(on, name, ballots, truth, limits, repeat)


def _standing(on: str, name: str, ballots: Ballots, truth: NDArray[np.int64], limits: Limits, repeat: int) -> Standing:
    try:
        python = python_for(OTHERS[name]) if name in OTHERS else _ours(name)
    except CannotRun as why:
        return Standing(on, name, problem=str(why))
    found = attempt(python, name, _warm_up(), ballots, limits, repeat)
    if found.scores is None:
        stopped = None if math.isnan(found.stopped) else Measured(f"{name}, stopped there", (found.stopped,))
        return Standing(on, name, problem=found.problem, stopped=stopped)
    try:
        share = pairwise_accuracy(truth, -found.scores)
    except InputError as why:
        return Standing(on, name, problem=f"gave no order: {why}")
    above, whole = (
        None if math.isnan(megabytes) else Measured(name, (megabytes,), "MB")
        for megabytes in (found.above, found.whole)
    )
    times = Measured(name, found.wall), Measured(name, found.processor)
    return Standing(on, name, 100 * share, *times, above, whole, found.library, found.version)


def _ours(name: str) -> str:
    if name not in RULES:
        raise CannotRun(f"peerorder has no rule {name}")
    return sys.executable


def _wrong_pairs(found: Sequence[Standing]) -> Line:
    """Compare the pairs in the wrong order with those of the most accurate peer."""
    ours, what = _of(found, CHAMPION), f"wrong pairs, {found[0].ballots}, beside the best peer"
    rivals = [standing for standing in found if standing.who in PEERS and not standing.problem]
    if ours.problem or not rivals:
        return Line(what, None, at_most=1, left_out=ours.problem or "no peer gave an order")
    best = max(rivals, key=lambda standing: standing.recovered)
    sides = (Measured(side.who, (100 - side.recovered,), "%") for side in (ours, best))
    return Line(what, *sides, at_most=1)


def _memory_ratio(found: Sequence[Standing]) -> Line:
    """Compare the memory of the whole process with that of the previous version."""
    ours, previous = _of(found, CHAMPION), _of(found, PREVIOUS.name)
    what = f"memory of the whole process, {found[0].ballots}, beside {PREVIOUS.name}"
    unknown = ours.problem or previous.problem or ("" if ours.whole and previous.whole else NO_MEMORY)
    return Line(what, ours.whole, previous.whole, MEMORY_AT_MOST, unknown)


def _ratio(what: str, ours: Standing, other: Standing, at_most: float | None) -> Line:
    """Compare times; one that was stopped took at least as long, so the ratio is then at most this."""
    time = other.time or other.stopped
    return Line(what, ours.time, time, at_most, left_out=ours.problem or ("" if time else other.problem))


def _of(found: Sequence[Standing], name: str) -> Standing:
    return next(standing for standing in found if standing.who == name)


def _ballots(n: int, level: int) -> str:
    return f"n={n:,}, k={K}, condorcet {level}"


def _plain(profile: Profile) -> Ballots:
    return Ballots(
        np.asarray(profile.papers, np.int64).reshape(len(profile), K),
        np.asarray(profile.grader, np.int64),
        np.asarray(profile.authored, np.int64),
        profile.n_papers,
    )


@cache
def _warm_up() -> Ballots:
    return _plain(handed_out_round(WARM_UP, K, f"condorcet:level={TIMED}")[1])
