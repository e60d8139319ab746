"""Comparison of rules on the same rankings: how far they agree, on which papers they do not, and which predicts best.

There is no truth to compare with. So two papers of every ballot are held out: a rule merges what is left, and its
scores predict which of the two the grader put first. Two, because a single one could be guessed at from its own
ballot: a paper that leads the others is likely to lead the missing one too, even where graders rank at random. A ballot
of two or three papers has nothing left without two, so only one in five of these loses any. A pair that the
grader tied says nothing; one that a rule gives equal scores counts one half. Graders are what is independent of each
other, so standard errors are those of a mean over graders, and two rules are compared grader by grader.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.core.recovery import pairwise_accuracy
from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _, ngettext
from peerorder.engines import Engine, map_tasks, using
from peerorder.rules import RULES

__all__ = ["SPLITS", "Prediction", "RuleComparison", "compare_rules", "feasible", "held_out"]

SPLITS = 10
WHOLE = -1
"""The number of the split that holds nothing out."""
# Smaller ballots have nothing left without two papers; only one in ``ONE_IN`` of these loses two.
WHOLESOME = 4
ONE_IN = 5
# Rules this many standard errors behind the best are clearly worse.
CLEARLY = 2.0


@dataclass(frozen=True)
class Prediction:
    """The share of held-out pairs that a rule predicts correctly, in percent."""

    rule: str
    share: float
    stderr: float
    behind: float
    """Points behind the best rule, on the same pairs."""
    behind_stderr: float

    @property
    def among_the_best(self) -> bool:
        """Whether the distance to the best is within twice its standard error."""
        return self.behind <= CLEARLY * self.behind_stderr or self.behind == 0


@dataclass(frozen=True, eq=False)
class RuleComparison:
    """The results of several rules on one profile."""

    rules: tuple[str, ...]
    places: IntArray
    """The place of every paper, from 1, under every rule, one column per rule; papers with equal scores share one."""
    agreement: FloatArray
    """The share of pairs of papers that two rules put in the same order."""
    predictions: tuple[Prediction, ...]
    """The best first; empty where nothing could be held out."""
    pairs: int
    """Held-out pairs in all splits."""
    splits: int

    @property
    def spread(self) -> FloatArray:
        """The mean difference in places between two rules, for every paper; robust to one odd rule."""
        number = len(self.rules)
        weight = 2.0 * np.arange(number) - number + 1
        # The sum over pairs of sorted numbers: each counts once for every smaller one, and is taken off for larger.
        return np.asarray(np.sort(self.places, axis=1) @ weight) / max(number * (number - 1) / 2, 1)

    @property
    def verdict(self) -> str:
        """Which rule predicts these graders best, in one sentence."""
        if not self.predictions:
            return _("Nothing could be held out, because no ballot orders two papers, so no rule can be preferred.")
        best = self.predictions[0]
        if len(self.predictions) == 1:
            text = _("{rule} predicts {share:.1f}% of the held-out pairs correctly (± {error:.1f}).")
            return text.format(rule=best.rule, share=best.share, error=best.stderr)
        others = [each for each in self.predictions[1:] if each.among_the_best]
        if not others:
            second = self.predictions[1]
            text = _(
                "{rule} predicts these graders best: {share:.1f}% of the held-out pairs correctly, {lead:.1f} ± "
                "{error:.1f} points more than {second}, the next."
            )
            lead, error = second.behind, second.behind_stderr
            return text.format(rule=best.rule, share=best.share, lead=lead, error=error, second=second.rule)
        if len(others) == len(self.predictions) - 1:
            text = _(
                "No rule predicts these graders clearly better than the others; all are within the margin of error of "
                "{rule}."
            )
            return text.format(rule=best.rule)
        text = ngettext(
            "{rule} predicts these graders best: {share:.1f}% of the held-out pairs correctly, but {others} does as "
            "well within the margin of error.",
            "{rule} predicts these graders best: {share:.1f}% of the held-out pairs correctly, but {others} do as "
            "well within the margin of error.",
            len(others),
        )
        names = join_with_and([each.rule for each in others])
        return text.format(rule=best.rule, share=best.share, others=names)


@dataclass(frozen=True, eq=False)
class _Task:
    """One rule on one split."""

    profile: Profile
    rule: str
    number: int
    seed: int
    times: IntArray | None = None
    """How often the ballots of every grader count, where not all count once."""

    def __str__(self) -> str:
        return self.rule if self.number == WHOLE else _("{rule} on split {number}").format(**vars(self))

    def aggregate(self, profile: Profile, *stream: str | int) -> Outcome:
        """Merge this profile by the rule."""
        counted = profile if self.times is None else profile.reweighted(self.times)
        return RULES.parse(self.rule).aggregate(counted, child(self.seed, *stream))


def feasible(n_papers: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the rules of the registry that handle this many papers in reasonable time, and those that do not."""
    fits = {rule.name: rule.most_papers is None or n_papers <= rule.most_papers for rule in RULES.values()}
    return tuple(name for name in fits if fits[name]), tuple(name for name in fits if not fits[name])


def compare_rules(
    profile: Profile,
    rules: Sequence[str] = (),
    *,
    splits: int = SPLITS,
    seed: int = 0,
    workers: int | None = None,
    engine: Engine | None = None,
    times: IntArray | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> RuleComparison:
    """Merge the profile by every rule, and let every rule predict held-out pairs.

    Parameters
    ----------
    rules
        Names with options; by default all of the registry that handle this many papers in reasonable time.
    splits
        How often two papers of every ballot are held out, at random.
    workers
        Processes of this machine that share the work; by default one for each core.
    engine
        What runs the work instead, as opened by ``peerorder.engines.open_engine``.
    times
        How often the ballots of every grader count where rankings are merged; a predicted pair counts once.
    """
    if splits < 1:
        raise InputError(_("`splits` is {splits}; it must be at least 1").format(splits=splits))
    if profile.n_papers < 2:
        raise InputError(
            _("a comparison of rules needs at least 2 papers, but there is {count}").format(
                count=profile.n_papers or "none"
            )
        )
    child(seed)  # raises for a bad seed
    named = dict.fromkeys(RULES.parse(rule).spec for rule in rules or feasible(profile.n_papers)[0])
    tasks = [_Task(profile, rule, number, seed, times) for number in range(WHOLE, splits) for rule in named]
    orders: dict[str, IntArray] = {}
    places: dict[str, IntArray] = {}
    # Kept apart until all are there, so that any order of the work gives the same sums.
    right = {(rule, number): np.zeros(0) for rule in named for number in range(splits)}
    progress(0, len(tasks))
    with using(engine, workers) as opened:
        for done, (task, result) in enumerate(map_tasks(opened, _perform, tasks), 1):
            if task.number == WHOLE:
                orders[task.rule], places[task.rule] = result.astype(np.int64)
            else:
                right[task.rule, task.number] = result
            progress(done, len(tasks))
    counts = _by_grader(profile, [_pairs_held_out(profile, t, seed) for t in range(splits)])
    shares = {rule: _by_grader(profile, [right[rule, t] for t in range(splits)]) for rule in named}
    return RuleComparison(
        rules=tuple(named),
        places=np.stack([places[rule] for rule in named], axis=1),
        agreement=_agreement(np.stack([orders[rule] for rule in named], axis=1)),
        predictions=_predictions(shares, counts),
        pairs=int(counts.sum()),
        splits=splits,
    )


def held_out(profile: Profile, number: int, seed: int) -> NDArray[np.bool_]:
    """Return the entries that a split holds out: two of every ballot of four or more, and of some small ones."""
    rng = child(seed, "compare", number)
    sizes = profile.sizes
    loses = (sizes >= WHOLESOME) | ((sizes >= 2) & (rng.random(len(profile)) * ONE_IN < 1))
    first = (rng.random(len(profile)) * sizes).astype(np.int64)
    second = (rng.random(len(profile)) * (sizes - 1)).astype(np.int64)
    second += second >= first
    out = np.zeros(len(profile.papers), bool)
    for chosen in (first, second):
        out[(profile.start[:-1] + chosen)[loses]] = True
    return out


def _perform(task: _Task) -> FloatArray:
    """Return places and shared places on the whole profile, or for every ballot the held-out pairs predicted."""
    if task.number == WHOLE:
        # The stream of `grade`, so that the same rule with the same seed gives the same order.
        outcome = task.aggregate(task.profile, "grade")
        return np.stack([outcome.places + 1, outcome.ranks]).astype(np.float64)
    hidden = held_out(task.profile, task.number, task.seed)
    rest = _without(task.profile, hidden)
    scores = task.aggregate(rest, "compare", task.number, task.rule).scores
    profile = task.profile
    return np.asarray(predicted_pairs(profile.papers, profile.start, profile.tie_levels, hidden, scores)[0])


def _pairs_held_out(profile: Profile, number: int, seed: int) -> FloatArray:
    nothing = np.zeros(profile.n_papers)
    hidden = held_out(profile, number, seed)
    return np.asarray(predicted_pairs(profile.papers, profile.start, profile.tie_levels, hidden, nothing)[1])


def _by_grader(profile: Profile, ballots: Sequence[FloatArray]) -> FloatArray:
    """Add up over the splits, and over the ballots of a grader."""
    return np.asarray(np.bincount(profile.grader, np.sum(ballots, axis=0), minlength=profile.n_graders), np.float64)


def _without(profile: Profile, hidden: NDArray[np.bool_]) -> Profile:
    """Return the profile without some of its entries; tie levels close up."""
    ballot = np.repeat(np.arange(len(profile)), profile.sizes)[~hidden]
    levels = profile.tie_levels[~hidden]
    rises = np.ones(len(levels), np.int64)
    rises[1:] = (levels[1:] != levels[:-1]) | (ballot[1:] != ballot[:-1])
    count = np.cumsum(rises)
    sizes = np.bincount(ballot, minlength=len(profile))
    start = np.concatenate([[0], np.cumsum(sizes)])
    first = np.repeat(count[np.minimum(start[:-1], max(len(count) - 1, 0))], sizes) if len(count) else count
    return Profile(
        profile.papers[~hidden],
        start,
        profile.n_papers,
        grader=profile.grader,
        authored=profile.authored,
        levels=None if profile.strict else count - first,
    )


def _agreement(places: IntArray) -> FloatArray:
    number = places.shape[1]
    shares = np.ones((number, number))
    for i in range(number):
        for j in range(i):
            shares[i, j] = shares[j, i] = pairwise_accuracy(places[:, i], places[:, j])
    return shares


def _predictions(right: dict[str, FloatArray], pairs: FloatArray) -> tuple[Prediction, ...]:
    total = float(pairs.sum())
    if not total:
        return ()
    shares = {rule: float(each.sum()) / total for rule, each in right.items()}
    # The first of equals stays first: the registry's order.
    ranked = sorted(shares, key=lambda rule: -shares[rule])
    best = ranked[0]
    result = []
    for rule in ranked:
        lead = shares[best] - shares[rule]
        result.append(
            Prediction(
                rule,
                100 * shares[rule],
                100 * _error_of_ratio(right[rule], pairs, shares[rule]),
                100 * lead,
                100 * _error_of_ratio(right[best] - right[rule], pairs, lead),
            )
        )
    return tuple(result)


def _error_of_ratio(parts: FloatArray, wholes: FloatArray, ratio: float) -> float:
    """Return the standard error of a sum of parts over a sum of wholes, graders being independent (linearised)."""
    some = wholes > 0
    number = int(some.sum())
    if number < 2:
        return float("inf")
    residual = parts[some] - ratio * wholes[some]
    return float(np.sqrt(number / (number - 1) * (residual**2).sum()) / wholes.sum())


@kernel
def predicted_pairs(papers, start, levels, hidden, scores):  # type: ignore[no-untyped-def]
    """Count for every ballot the held-out pairs that the scores predict, equal scores as half, and all such pairs.

    A pair is held out where both of its papers are.
    """
    number = len(start) - 1
    right = np.zeros(number)
    pairs = np.zeros(number)
    for row in range(number):
        for i in range(start[row], start[row + 1]):
            for j in range(i + 1, start[row + 1]):
                if levels[i] < levels[j] and hidden[i] and hidden[j]:
                    pairs[row] += 1
                    if scores[papers[i]] > scores[papers[j]]:
                        right[row] += 1
                    elif scores[papers[i]] == scores[papers[j]]:
                        right[row] += 0.5
    return right, pairs
