"""Random utility models: graders observe how good papers are, each with an error.

Utilities are independent standard normal numbers in the true order, or ``clusters`` groups of papers
that are equally good. A grader observes each paper's utility plus an individual error and ranks by
this; ``pull`` adds up to that much for being shown first and takes it away for being shown last,
each ballot in a random order of its own. ``taste`` is how far graders lastingly differ in what they
like: a number for every grader and paper, or for every school of graders and paper, the same on all
ballots and with mean zero, so that the utilities remain what graders have in common.
"""

import numpy as np
from scipy.special import ndtri

from peerorder.core.arrays import FloatArray, Int32Array, IntArray
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.crowd import shuffle_rows
from peerorder.noise.noise import Task

__all__ = ["CLUSTERS", "PULL", "SCHOOLS", "TASTE", "equal_places", "rank_by_utility"]

PULL = Option("pull", 0.0, "utility gained by being shown first, and lost by being shown last", 0)
CLUSTERS = Option("clusters", 0, "groups of equally good papers; 0: all papers differ", 0)
TASTE = Option("taste", 0.0, "standard deviation of graders' tastes; utilities have a standard deviation of 1", 0)
SCHOOLS = Option("schools", 0, "groups of graders who share a taste; 0: everybody has a taste of their own", 0)


def equal_places(truth: IntArray, clusters: int, **_: object) -> IntArray:
    """Return the true places with the papers of one cluster tied."""
    return truth * clusters // len(truth) if clusters else truth


def rank_by_utility(
    task: Task,
    rng: Generator,
    error: FloatArray,
    pull: float = 0.0,
    clusters: int = 0,
    taste: float = 0.0,
    schools: int = 0,
) -> Int32Array:
    """Return the papers of every bundle in the order of utility plus taste plus error, best first."""
    papers = task.papers
    if clusters:
        # Where errors leave equal papers equal, their true order must not show.
        papers = papers.copy()
        shuffle_rows(papers, task.start, np.arange(len(task.start) - 1), rng)
    seen = _utilities(len(task.truth), rng, clusters)[task.truth[papers]] + error
    if pull:
        shown = rng.random(len(seen))
        seen += pull * advantage(shown, task.start)
    if taste:
        seen += taste * _tastes(task, papers, rng, schools)
    ranked: Int32Array = sort_by_value(papers, task.start, seen)
    return ranked


def _utilities(n: int, rng: Generator, clusters: int) -> FloatArray:
    """Return the utility at every true place, falling."""
    if clusters:
        group = equal_places(np.arange(n), clusters)
        levels: FloatArray = -ndtri((group + 0.5) / clusters)
        return levels
    return np.sort(rng.standard_normal(n))[::-1]


def _tastes(task: Task, papers: Int32Array, rng: Generator, schools: int) -> FloatArray:
    """Return a standard normal number for every paper of every bundle, equal where school or grader and paper are."""
    graders = len(task.authored)
    school = rng.integers(schools, size=graders) if schools else np.arange(graders)
    owner = np.repeat(school[task.grader], np.diff(task.start))
    # Only pairs that occur get a number: all graders by all papers may be far too many.
    pairs, index = np.unique(owner * len(task.truth) + papers, return_inverse=True)
    tastes: FloatArray = rng.standard_normal(len(pairs))[index]
    return tastes


@kernel
def advantage(shown, start):  # type: ignore[no-untyped-def]
    """Return +1 for the paper shown first in its row, down to -1 for the last; 0 in rows of one paper."""
    out = np.zeros(len(shown))
    for row in range(len(start) - 1):
        size = start[row + 1] - start[row]
        for i in range(start[row], start[row + 1]):
            before = 0
            for j in range(start[row], start[row + 1]):
                if shown[j] < shown[i]:
                    before += 1
            if size > 1:
                out[i] = 1 - 2 * before / (size - 1)
    return out


@kernel
def sort_by_value(papers, start, values):  # type: ignore[no-untyped-def]
    """Sort the papers of every row by falling value; by insertion, because rows are short."""
    out = papers.copy()
    key = values.copy()
    for row in range(len(start) - 1):
        for i in range(start[row] + 1, start[row + 1]):
            paper, value = out[i], key[i]
            j = i
            while j > start[row] and key[j - 1] < value:
                out[j], key[j] = out[j - 1], key[j - 1]
                j -= 1
            out[j], key[j] = paper, value
    return out
