"""``peerrank``: a student's grade is the mean of the grades they get, weighted by their graders' own grades.

Walsh (ECAI 2014) defines it for students who give each other grades from 0 to 1. A ballot gives its papers the share
of the others on it that are below (a tie counts half). With these, the grade of paper i solves

    x_i = (sum over its ballots b of w_b g_bi) / (sum of w_b),    w_b = x of the paper that b's grader wrote,

found as Walsh does it: from the plain means, by steps half of the way from x to the right-hand side. The size of the
steps does not move the fixed point. A grader who wrote no paper weighs as the mean paper does, and where all graders
of a paper weigh nothing its grade is the plain mean.

Walsh's generalised rule rewards accurate grading as well. With ``bonus`` s the grade is (1 - s) times the above plus s
times the accuracy: the mean of 1 - |g_bi - x_i| over all grades that the paper's authors gave. (His alpha and beta
enter the fixed point by s = beta / (alpha + beta) alone.) Where nobody is known to have graded, the mean accuracy
stands in: a paper without a known author should neither gain nor lose by it.
"""

from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.rules.pagerank import ballot_weights
from peerorder.rules.rounding import level_scores
from peerorder.rules.rule import Rule

__all__ = ["RULE"]

STEP = 0.5
CONVERGED = 1e-13
STEPS_AT_MOST = 2000
UNKNOWN = 0.5


@dataclass(frozen=True)
class _Grades:
    """The grades that ballots give; ballots of one paper give none."""

    value: FloatArray
    paper: IntArray
    ballot: IntArray
    author: IntArray
    """The paper of the student who gave the grade, -1 for none."""


def compute(profile: Profile, rng: Generator, bonus: float) -> RuleResult:  # noqa: ARG001 -- nothing random but ties
    """Grades that weigh graders by their grades."""
    grades = _grades(profile)
    received = np.bincount(grades.paper, minlength=profile.n_papers)
    total = np.bincount(grades.paper, grades.value, minlength=profile.n_papers)
    plain = np.where(received > 0, total / np.maximum(received, 1), UNKNOWN)
    x = plain
    notes: tuple[str, ...] = (_("the grades had not settled after {steps} steps").format(steps=STEPS_AT_MOST),)
    for _step in range(STEPS_AT_MOST):
        wanted = _weighted(profile, grades, x, plain)
        if bonus > 0:
            wanted = (1 - bonus) * wanted + bonus * _accuracy(grades, x)
        change = STEP * (wanted - x)
        x = x + change
        if np.abs(change).max(initial=0) < CONVERGED:
            notes = ()
            break
    return RuleResult(level_scores(x), notes=notes)


def _grades(profile: Profile) -> _Grades:
    sizes = np.repeat(profile.sizes, profile.sizes)
    real = sizes > 1
    ballot = np.repeat(np.arange(len(profile)), profile.sizes)[real]
    points = points_of(profile.start, profile.tie_levels)[real]
    return _Grades(
        value=points / (2 * (sizes[real] - 1)),
        paper=profile.papers[real].astype(np.int64),
        ballot=ballot,
        author=profile.authored[profile.grader][ballot].astype(np.int64),
    )


def _weighted(profile: Profile, grades: _Grades, x: FloatArray, plain: FloatArray) -> FloatArray:
    """The mean of the grades of each paper, weighted by the graders' own."""
    weight = ballot_weights(profile, x)[grades.ballot]
    total = np.bincount(grades.paper, weight, minlength=len(x))
    value = np.bincount(grades.paper, weight * grades.value, minlength=len(x))
    weighs = total > 0
    return np.where(weighs, value / np.where(weighs, total, 1), plain)


def _accuracy(grades: _Grades, x: FloatArray) -> FloatArray:
    """How near the grades that the authors of each paper gave are to those that their papers have."""
    known = grades.author >= 0
    author, near = grades.author[known], (1 - np.abs(grades.value - x[grades.paper]))[known]
    given = np.bincount(author, minlength=len(x))
    accuracy = np.bincount(author, near, minlength=len(x)) / np.maximum(given, 1)
    graded = given > 0
    return np.where(graded, accuracy, accuracy[graded].mean() if graded.any() else UNKNOWN)


@kernel
def points_of(start, levels):  # type: ignore[no-untyped-def]
    """For every entry, twice the papers of its ballot below it, and once those beside it."""
    points = np.empty(len(levels), np.int64)
    for row in range(len(start) - 1):
        last = start[row + 1]
        at = start[row]
        while at < last:
            end = at
            while end < last and levels[end] == levels[at]:
                end += 1
            for t in range(at, end):
                points[t] = 2 * (last - end) + (end - at - 1)
            at = end
    return points


RULE = Rule(
    name="peerrank",
    summary="grades weighted by the graders' own grades",
    citation="Walsh (ECAI 2014)",
    compute=compute,
    options=(Option("bonus", 0.0, "how much of a grade is for grading accurately", 0, 0.9),),
    needs="who wrote what: without it all ballots weigh the same; passes over the ballots until grades settle",
)
