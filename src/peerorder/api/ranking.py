"""``rank``: one order of all items from many ballots, and ``Ranking``, the result by the ids of the ballots."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.api.ballots import Weights, as_ballots
from peerorder.api.ids import Ids, shown
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.randomness import Generator, child
from peerorder.core.recovery import kendall_tau, pairwise_accuracy, true_ranks
from peerorder.core.translation import gettext as _
from peerorder.rules import RULES, Rule

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from peerorder.core.arrays import FloatArray, IntArray
    from peerorder.core.samples import Samples

__all__ = ["Ranking", "rank"]

INSIDE = 0.9
ROWS_SHOWN = 20
ITEMS_SHOWN = 3


def rank(
    ballots: Any,
    rule: str | Rule = "posterior",
    seed: int | Generator = 0,
    *,
    weights: Weights = None,
    items: Iterable[Hashable] | None = None,
    authored: Mapping[Hashable, Hashable] | None = None,
    **options: Any,
) -> Ranking:
    """Merge ballots into one order of all items.

    Parameters
    ----------
    ballots
        A list of ballots, each a list of items with the best first, in which a tuple or a set is a tie; or a mapping
        from each grader to a ballot or a list of ballots; or what ``pairs`` and ``read_preflib`` return; or a table
        (pandas, polars, pyarrow, DuckDB) with columns ``grader``, ``item`` and ``rank``, and optionally ``ballot`` and
        ``weight``. Items and graders may be anything hashable.
    rule
        A name of ``RULES``, with options if you like, as in ``"plackett-luce:prior=0.1"``; or a ``Rule``.
    seed
        A whole number from 0 up. The same ballots and the same seed give the same result.
    weights
        How much each ballot counts, or each grader's by a mapping; for rules that know weights: ``borda``,
        ``bradley-terry``, ``plackett-luce`` and ``thurstone``.
    items
        All items, if some may be on no ballot.
    authored
        The item that each grader made, where graders rank each other's work.
    options
        Options of the rule, as in ``prior=0.1`` or ``effective_draws=256``.

    Raises
    ------
    InputError
        Something about the ballots is wrong; the message names the ballot and the cure.
    """
    chosen = RULES.parse(rule)
    if options:
        known = {option.name for option in chosen.options}
        chosen = chosen.with_options(
            **{name if name in known else name.replace("_", "-"): value for name, value in options.items()}
        )
    given = as_ballots(ballots, weights, items=items, authored=authored)
    return Ranking(chosen.aggregate(given.profile, seed), given.items, given.graders)


@dataclass(frozen=True, repr=False)
class Ranking:
    """An order of items, by their ids. Mappings by item begin with the best one.

    ``outcome`` holds the same as arrays, where item ``items[i]`` is paper i and ``graders[g]`` grader g.
    """

    outcome: Outcome
    items: Ids
    graders: Ids

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.order)

    def __repr__(self) -> str:
        first = ", ".join(map(shown, self.order[:ITEMS_SHOWN]))
        more = ", ..." if len(self) > ITEMS_SHOWN else ""
        return f"<Ranking: {len(self)} items by {self.outcome.rule}{self.outcome.certainty}; {first}{more}>"

    def _repr_html_(self) -> str:
        table = self.to_arrow().slice(0, ROWS_SHOWN)
        names = [name for name in table.column_names if table[name].null_count < len(table)]
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        cells = ([f"<td>{escape(_cell(row[name]))}</td>" for name in names] for row in table.to_pylist())
        rows = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
        rest = len(self) - len(table)
        text = _("... and {count:,} more").format(count=rest)
        more = f"<p>{escape(text)}</p>" if rest else ""
        return f"<p>{escape(repr(self))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    @cached_property
    def order(self) -> Ids:
        """The items, the best first; ties are broken at random."""
        return tuple(self.items[paper] for paper in self.outcome.order)

    @property
    def scores(self) -> dict[Hashable, float]:
        """The score of every item; higher is better, and the scale is the rule's own."""
        return self._by_item(self.outcome.scores)

    @property
    def ranks(self) -> dict[Hashable, int]:
        """The rank of every item, from 1; items with the same score share the best of theirs, as in 1, 2, 2, 4."""
        return self._by_item(self.outcome.ranks)

    @property
    def intervals(self) -> dict[Hashable, tuple[int, int]]:
        """The 90% credible interval of every item's rank, from 1."""
        result = self.outcome.result.intervals
        if result is None:
            raise InputError(
                _("{rule} gives no intervals; the rule posterior does, and bootstrap() for any rule").format(
                    rule=self._rule
                )
            )
        return {item: (low, high) for item, (low, high) in self._by_item(result).items()}

    @property
    def standard_errors(self) -> dict[Hashable, float]:
        """The standard error of the logarithm of every item's score, about the mean of all, by the curvature."""
        return self._by_item(np.sqrt(np.diag(self._covariance)))

    def probability(self, item: Hashable, other: Hashable) -> float:
        """The probability that one item is truly better than another, given the ballots.

        From the draws of ``posterior``; or by the normal approximation at the maximum of a likelihood.
        """
        i, j = self._number(item), self._number(other)
        if self.outcome.result.samples is not None:
            return self.outcome.result.samples.probability(i, j)
        apart = math.log(self.outcome.scores[i] / self.outcome.scores[j])
        variance = self._covariance[i, i] + self._covariance[j, j] - 2 * self._covariance[i, j]
        return 0.5 if i == j else 0.5 * math.erfc(-apart / math.sqrt(2 * variance))

    def probability_in_top(self, share: float) -> dict[Hashable, float]:
        """The probability that each item is among the best ``share`` of all: 0.1 for the best tenth."""
        return self._by_item(self.outcome.probability_in_top(share))

    def influence(self, grader: Hashable, item: Hashable | None = None) -> float:
        """How many ranks an item, by default the grader's own, gained by this grader's ballots; negative if it lost."""
        if grader not in self.graders:
            raise InputError(
                _("grader {grader} does not exist; the first is {first}").format(
                    grader=shown(grader), first=shown(self.graders[0])
                )
            )
        return self.outcome.influence(self.graders.index(grader), None if item is None else self._number(item))

    @property
    def draws(self) -> IntArray:
        """Ranks from 1 in orders drawn from the posterior: one row for each draw, one column for each of ``items``."""
        return self._samples.places.astype(np.int64) + 1

    @property
    def chain(self) -> IntArray:
        """The chain of every draw, from 0."""
        return self._samples.chain

    @property
    def diagnostics(self) -> dict[str, float]:
        """How well the chains agree.

        ``effective_sample_size`` is that of the order. ``r_hat``, also called ``split_r_hat``, is the largest of an
        item's rank; ``ess_bulk`` and ``ess_tail`` are the smallest, beside their medians. ``papers`` is the number of
        items that these are computed from: all, or 16,384, evenly spaced.
        """
        found = asdict(self._samples.diagnose())
        first = ("draws", "chains", "effective_sample_size")
        return {**{name: found.pop(name) for name in first}, "split_r_hat": found["r_hat"], **found}

    @property
    def reliability(self) -> dict[Hashable, float]:
        """For every grader the probability of putting two random items in the right order."""
        return self._by_grader(self.outcome.result.reliability)

    @property
    def reliability_intervals(self) -> dict[Hashable, tuple[float, float]]:
        """The 90% credible interval of every grader's reliability."""
        result = self._by_grader(self.outcome.result.reliability_intervals)
        return {grader: (low, high) for grader, (low, high) in result.items()}

    @property
    def flags(self) -> dict[Hashable, str]:
        """The graders whose ballots look ``random`` or ``reversed``."""
        flags = self._by_grader(None if self.outcome.result.flags is None else np.array(self.outcome.result.flags))
        return {grader: flag for grader, flag in flags.items() if flag}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the rule has to say about its result."""
        return self.outcome.result.notes

    def kendall_tau(self, truth: Any = None, *, scores: Mapping[Hashable, float] | None = None) -> float:
        """Kendall's tau-b between this order and the true one; parameters are those of ``pairwise_accuracy``."""
        return kendall_tau(self._truth(truth, scores), self.outcome.ranks)

    def pairwise_accuracy(self, truth: Any = None, *, scores: Mapping[Hashable, float] | None = None) -> float:
        """The share of pairs in the right order; a pair tied here counts one half, one tied in the truth not at all.

        Parameters
        ----------
        truth
            The items in their true order, the best first; or a mapping from every item to its true rank.
        scores
            Instead, a mapping from every item to a true score or utility, where more is better.
        """
        return pairwise_accuracy(self._truth(truth, scores), self.outcome.ranks)

    def bootstrap(self, times: int = 200, seed: int = 0, inside: float = INSIDE) -> dict[Hashable, tuple[int, int]]:
        """Intervals of ranks for any rule: merge again and again, with graders drawn with replacement.

        They say how much the order depends on which graders took part. They are not credible intervals: prefer
        those where the rule has them.
        """
        if times < 2 or not 0 < inside < 1:
            raise InputError(
                _("times is {times} and inside {inside}; give 2 or more, and a share between 0 and 1").format(
                    times=times, inside=inside
                )
            )
        profile, rng = self.outcome.profile, child(seed, "bootstrap")
        rule = RULES[self.outcome.rule].with_options(**self.outcome.options)
        active = np.unique(profile.grader)
        ranks = np.empty((times, len(self)), np.int64)
        for time in range(times):
            drawn = np.bincount(rng.choice(active, len(active)), minlength=profile.n_graders)
            ranks[time] = rule.aggregate(profile.reweighted(drawn), rng).ranks
        tails = [(1 - inside) / 2, (1 + inside) / 2]
        low, high = np.quantile(ranks, tails, axis=0, method="nearest")
        return {item: (int(a), int(b)) for item, (a, b) in self._by_item(np.stack([low, high], axis=1)).items()}

    def to_arrow(self) -> pa.Table:
        """One row for each item, the best first: item, rank, score, low and high end of its interval, ballots."""
        import pyarrow as pa

        order, result = self.outcome.order, self.outcome.result
        ends = np.full((len(self), 2), -1) if result.intervals is None else result.intervals[order]
        none = np.full(len(self), result.intervals is None)
        return pa.table(
            {
                "item": _arrow_ids(self.order),
                "rank": self.outcome.ranks[order],
                "score": self.outcome.scores[order],
                "low": pa.array(ends[:, 0], mask=none),
                "high": pa.array(ends[:, 1], mask=none),
                "ballots": self.outcome.profile.rankings[order],
            }
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The same for any library that speaks the Arrow PyCapsule protocol, as in ``polars.DataFrame(ranking)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The same as a pandas frame, with the items as its index."""
        try:
            import pandas as pd  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise InputError(_("to_pandas needs pandas, which is not installed; install it, or use to_arrow")) from None
        columns = {name: column.to_pylist() for name, column in zip(*_columns(self.to_arrow()), strict=True)}
        del columns["item"]
        index = pd.Index(list(self.order), name="item", tupleize_cols=False)
        return pd.DataFrame({name: pd.Series(values, index=index) for name, values in columns.items()})

    def to_arviz(self) -> Any:
        """The draws as a DataTree for ArviZ, by ids: ``place`` (chain, draw, paper), and the log-likelihood by grader.

        See ``Samples.to_arviz``. Ids are text unless all are text or all are whole numbers.
        """
        return self._samples.to_arviz(_coordinate(self.items), _coordinate(self.graders))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the draws, in a form that JSON can hold if it can hold the ids."""
        rows = [{**row, "item": item} for item, row in zip(self.order, self.to_arrow().to_pylist(), strict=True)]
        result = {"items": rows, "notes": list(self.notes), "provenance": self.outcome.provenance}
        if self.outcome.result.reliability is not None:
            flags = self.flags
            result["graders"] = [
                {"grader": grader, "reliability": value, "flag": flags.get(grader)}
                for grader, value in self.reliability.items()
            ]
        return result

    def plot(self, most: int = 40) -> Figure:
        """Draw the best ``most`` items with the intervals of their ranks, or with their scores where there are none."""
        from peerorder.api.plotting import plot

        return plot(self, most)

    @property
    def _rule(self) -> str:
        return self.outcome.rule

    @property
    def _samples(self) -> Samples:
        if self.outcome.result.samples is None:
            raise InputError(_("{rule} draws no orders; the rule posterior does").format(rule=self._rule))
        return self.outcome.result.samples

    @cached_property
    def _covariance(self) -> FloatArray:
        rule = RULES[self._rule] if self._rule in RULES else Rule(name=self._rule, summary="", citation="", compute=len)
        return rule.with_options(**self.outcome.options).covariance(self.outcome)

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {item: number for number, item in enumerate(self.items)}

    def _number(self, item: Hashable) -> int:
        if item not in self._numbers:
            raise InputError(
                _("item {item} does not exist; the first is {first}").format(
                    item=shown(item), first=shown(self.order[0])
                )
            )
        return self._numbers[item]

    def _by_item(self, values: Any) -> dict[Hashable, Any]:
        return dict(zip(self.order, values[self.outcome.order].tolist(), strict=True))

    def _by_grader(self, values: Any) -> dict[Hashable, Any]:
        if values is None:
            raise InputError(_("{rule} says nothing about graders; the rule posterior does").format(rule=self._rule))
        return dict(zip(self.graders, values.tolist(), strict=True))

    def _truth(self, truth: Any, scores: Mapping[Hashable, float] | None) -> FloatArray:
        """Return the true rank of every item, as the outcome numbers items."""
        if (truth is None) == (scores is None):
            raise InputError(_("give either the true order or ranks, or scores=, and not both"))
        if scores is not None:
            return -self._of_all(scores, "scores")
        if hasattr(truth, "to_dict"):
            truth = truth.to_dict()
        if isinstance(truth, Mapping):
            return true_ranks(self._of_all(truth, _("the truth")), len(self), _("give them as scores="))
        if isinstance(truth, (str, bytes)) or not isinstance(truth, (Sequence, np.ndarray)):
            raise InputError(
                _("the truth is {truth}; give the items in their true order, or a mapping to ranks").format(
                    truth=shown(truth)
                )
            )
        groups = [entry if isinstance(entry, (tuple, set, frozenset)) else (entry,) for entry in truth]
        ranks = {item: place for place, group in enumerate(groups) for item in group}
        if len(ranks) != sum(map(len, groups)):
            raise InputError(_("the truth has an item twice; give every item once, the best first"))
        return self._of_all(ranks, _("the truth"))

    def _of_all(self, values: Mapping[Hashable, float], what: str) -> FloatArray:
        missing = [item for item in self.items if item not in values]
        if missing:
            raise InputError(
                _(
                    "{what} has nothing for item {item}; give the items in their true order, or a mapping from "
                    "every item"
                ).format(what=what, item=shown(missing[0]))
            )
        try:
            return np.array([values[item] for item in self.items], np.float64)
        except (TypeError, ValueError):
            raise InputError(_("{what} must be one number for every item").format(what=what)) from None


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _columns(table: pa.Table) -> tuple[list[str], list[Any]]:
    return table.column_names, table.columns


def _arrow_ids(ids: Ids) -> pa.Array:
    """Return ids as a column; as text where they are of several kinds, or of one that Arrow does not know."""
    import pyarrow as pa

    try:
        return pa.array(ids)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        return pa.array([str(each) for each in ids])


def _coordinate(ids: Ids) -> NDArray[Any]:
    """Return ids as an array of text or of whole numbers, with one axis whatever the ids are."""
    plain = {type(each) for each in ids} in ({int}, {str})
    return np.array(ids if plain else [str(each) for each in ids])
