"""Rehearsals: files of an invented class, to try a whole round before real people do."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from peerorder.core.arrays import group_by
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.core.translation import gettext as _
from peerorder.files.tables.handouts import Handout
from peerorder.files.tables.roster import Roster
from peerorder.noise import Noise

__all__ = ["answers", "gradebook", "roster"]

Table = dict[str, list[Any]]

FIRST = (
    "Ada Ben Cleo Dina Emil Fay Gus Hana Ivo Jun Kira Leo Mina Nils Omar Pia Quin Rosa Sami Tara Ugo Vera Wim Yara Zoe"
)
LAST = (
    "Adler Bauer Costa Dietz Evans Fuchs Gomez Haas Ito Jansen Klein Lopez Meyer Novak Otto Peres Rossi Sato Tran Voss"
)
MOST = 10**6


def roster(n: int, seed: int) -> Table:
    """Return the roster of n students with a paper each."""
    if not 1 <= n <= MOST:
        raise InputError(_("`n` is {n}; a class to rehearse with has 1 to {most:,} students").format(n=n, most=MOST))
    rng = child(seed, "rehearsal", "names")
    first, last = FIRST.split(), LAST.split()
    width = len(str(n))
    students = [f"s{number:0{width}d}" for number in range(1, n + 1)]
    return {
        "student": students,
        "name": [f"{first[f]} {last[s]}" for f, s in rng.integers((len(first), len(last)), size=(n, 2)).tolist()],
        "email": [f"{student}@example.org" for student in students],
    }


def gradebook(students: Mapping[str, list[Any]]) -> Table:
    """Return what Canvas exports for such a class: an empty column for the assignment, and its full points."""
    n = len(students["student"])
    surname_first = [", ".join(reversed(name.split(" ", 1))) for name in students["name"]]
    return {
        "Student": ["    Points Possible", *surname_first],
        "ID": ["", *(str(1000 + index) for index in range(n))],
        "SIS User ID": ["", *students["student"]],
        "SIS Login ID": ["", *students["email"]],
        "Section": ["", *["Section 1"] * n],
        "Essay (4711)": ["100", *[""] * n],
    }


def answers(handout: Handout, people: Roster | None, codes: Mapping[str, str] | None, noise: Noise, seed: int) -> Table:
    """Return what simulated students submit for a hand-out: rankings, or empty rows from those who drop out.

    The truth depends on the seed and on the papers' ids alone, so that more hand-outs of the same round go with it.
    Where the hand-out holds codes, so do the rankings; ``codes`` says what is behind them, which matters where graders
    are as good as their own papers.
    """
    if not len(handout):
        raise InputError(_("{path}: the hand-out is empty; allocate papers first").format(path=handout.path))
    behind = [codes.get(paper, paper) if codes is not None else paper for paper in handout.papers]
    papers = sorted({*behind, *(people.papers if people is not None else ())})
    number = {paper: index for index, paper in enumerate(papers)}
    start, order = group_by(handout.grader, len(handout.graders))
    given = np.array([number[paper] for paper in behind], np.int32)[handout.paper]
    bundles = Bundles(given[order], start, len(papers))
    profile = noise.draw(
        bundles,
        child(seed, "rehearsal", "truth").permutation(len(papers)),
        child(seed, "rehearsal", str(len(handout)), noise.spec),
        authored=np.array([_paper_of(grader, people, number) for grader in handout.graders], np.int32),
    )
    place: dict[tuple[int, int], int] = {}
    for ballot in range(len(profile)):
        for position, paper in enumerate(profile[ballot].tolist(), 1):
            place[int(profile.grader[ballot]), paper] = position
    return {
        "grader": [handout.graders[index] for index in handout.grader.tolist()],
        "paper": [handout.papers[index] for index in handout.paper.tolist()],
        "rank": [place.get(pair) for pair in zip(handout.grader.tolist(), given.tolist(), strict=True)],
    }


def _paper_of(grader: str, people: Roster | None, number: Mapping[str, int]) -> int:
    if people is None:
        return number.get(grader, -1)
    index = people.student_number.get(grader)
    authored = -1 if index is None else int(people.authored[index])
    return -1 if authored < 0 else number[people.papers[authored]]
