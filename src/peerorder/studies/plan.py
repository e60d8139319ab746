"""The planner: how many papers each student should rank, and how accurate the order is for each k.

Borda is forecast by its exact law, with the shipped simulations for what the size of the class changes; the default
rule by the shipped simulations, and beyond their grid by fresh ones, where they are asked for or take seconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.engines import Engine
from peerorder.studies.experiment import Run
from peerorder.studies.plan_cache import LARGE, expected, is_covered
from peerorder.studies.plan_study import COLUMNS, MISSING, RULES_RUN, SIZES, N, cell, law_of_borda, measure
from peerorder.studies.runner import Results, Row, Study, run_studies
from peerorder.theory import Forecast, smallest_n

__all__ = ["GRADERS", "LAW_UP_TO", "Choice", "Plan", "Recommendation", "make_plan", "sizes", "sizes_to_simulate"]

GRADERS = {"careful": 10.0, "average": 30.0, "careless": 50.0}
"""What the words mean: noise levels of ``condorcet`` graders, in percent."""

RULE = RULES_RUN[0]
FIRST, LAST = 3, 15
# Percent of pairs in the right order at which an order is good, and the gain that is worth one more paper to read.
GOOD = 95.0
WORTH = 1.0
# Beyond these, the law takes seconds for every k; and fewer are left than one ballot in twenty.
LAW_UP_TO = 40
MOST_MISSING = 95.0
MOST_NOISE = 50.0
# Papers in the classes that are simulated for one k, and the fewest classes.
PAPERS = 400
FEWEST = 3


@dataclass(frozen=True)
class Choice:
    """The expected accuracy where everybody ranks k papers."""

    k: int
    minutes: float
    """Reading time per student."""
    expected: dict[str, Forecast]
    """By rule; rules of which nothing is known are missing."""
    source: dict[str, str]
    """The source of each forecast: ``law``, ``cache`` or ``simulation``."""
    law: Forecast
    """Borda in an infinitely large class."""


@dataclass(frozen=True)
class Recommendation:
    """The recommended k, and the reason."""

    k: int
    reason: str


@dataclass(frozen=True, repr=False)
class Plan:
    """All choices for a class. Its repr is a table: percent of pairs in the right order by every rule, for each k."""

    n: int
    missing: float
    noise: float
    choices: tuple[Choice, ...]
    recommended: Recommendation
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        rules = list(dict.fromkeys(rule for choice in self.choices for rule in choice.expected))
        head = f"<Plan: {self.n} papers, {self.missing:g}% of rankings missing, noise level {self.noise:g}>"
        lines = [head, "   k  minutes" + "".join(f"  {rule:>9}" for rule in rules)]
        for choice in self.choices:
            shares = (choice.expected.get(rule) for rule in rules)
            cells = "".join(
                f"  {'' if share is None else f'{100 * share.pairwise_accuracy:.1f}%':>9}" for share in shares
            )
            mark = "  <- recommended" if choice.k == self.recommended.k else ""
            lines.append(f"{choice.k:>4}  {choice.minutes:>7g}{cells}{mark}")
        return "\n".join([*lines, f"k = {self.recommended.k}: {self.recommended.reason}"])


def sizes(n: int, asked: Sequence[int] = ()) -> tuple[int, ...]:
    """Return the values of k to try in a class of n: those asked for, or 3 to 15 as far as the class has papers."""
    if n < 3:
        raise InputError(_("`n` is {n}; peer grading needs a class of 3 or more").format(n=n))
    for k in asked:
        if k < 2:
            raise InputError(
                _("`k` is {k}, but a ballot of fewer than 2 papers compares nothing; choose 2 or more").format(k=k)
            )
        if k > n - 1:
            raise InputError(
                _("`k` is {k}, but in a class of {n} there are only {others} papers by others").format(
                    k=k, n=n, others=n - 1
                )
            )
        if k > LAW_UP_TO:
            raise InputError(_("`k` is {k}; the largest value here is {largest}").format(k=k, largest=LAW_UP_TO))
    return tuple(sorted(set(asked))) or tuple(range(min(FIRST, n - 1), min(LAST, n - 1) + 1))


def sizes_to_simulate(n: int, ks: Sequence[int], missing: float, noise: float, simulate: bool) -> tuple[int, ...]:
    """Return the values of k for which ``make_plan`` runs a simulation."""
    beyond = tuple(k for k in ks if not is_covered(n, k, missing, noise))
    # Small classes take seconds.
    return beyond if simulate or n < N[0] else ()


def make_plan(
    n: int,
    ks: Sequence[int] = (),
    *,
    missing: float = 0.0,
    noise: float = GRADERS["average"],
    minutes: float = 15.0,
    simulate: bool = False,
    runs: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Plan:
    """Return the expected accuracy for each k in a class of n, and the recommended k.

    Parameters
    ----------
    ks
        The numbers of papers to try; by default 3 to 15.
    missing
        Percent of the students who will not hand in their rankings.
    noise
        The noise level of the graders: the level of ``condorcet``, in percent, tied to the quality of their own papers.
    minutes
        Minutes to read one paper.
    simulate
        Simulate settings that the shipped results do not cover. Classes below their smallest are simulated in any case.
    runs
        Classes simulated for each k; by default as many as hold 400 papers, and at least 3.
    """
    chosen = sizes(n, ks)
    _check(missing, noise, minutes, runs)
    fresh = _run_simulations(
        n,
        sizes_to_simulate(n, chosen, missing, noise, simulate),
        missing,
        noise,
        runs=runs,
        seed=seed,
        workers=workers,
        engine=engine,
        progress=progress,
    )
    laws = {k: law_of_borda(k, missing, noise) for k in chosen}
    known = [k for k in chosen if is_covered(n, k, missing, noise)]
    points = [(k, missing, noise) for k in known]
    cached = {rule: dict(zip(known, _expected(rule, n, points, laws), strict=True)) for rule in RULES_RUN}
    choices = []
    for k in chosen:
        result, source = {}, {}
        for rule in RULES_RUN:
            if k in fresh:
                result[rule], source[rule] = fresh[k][rule], "simulation"
            elif k in cached[rule]:
                result[rule], source[rule] = cached[rule][k], "law" if rule == "borda" else "cache"
            elif rule == "borda" and n >= smallest_n(k):
                result[rule], source[rule] = laws[k], "law"
        choices.append(Choice(k, k * minutes, result, source, laws[k]))
    return Plan(n, missing, noise, tuple(choices), recommend(choices), _notes(choices))


def recommend(choices: Sequence[Choice]) -> Recommendation:
    """Return the smallest k that is accurate enough, or after which one more paper gains too little; and why.

    By the default rule, and by Borda where nothing is known about that.
    """
    rule = RULE if all(RULE in choice.expected for choice in choices) else "borda"
    shares = [
        (choice.k, 100 * choice.expected[rule].pairwise_accuracy) for choice in choices if rule in choice.expected
    ]
    if not shares:
        raise InputError(_("the shipped simulations do not cover a class like this; add `simulate`"))
    of_borda = rule != RULE
    for index, (k, share) in enumerate(shares):
        if share >= GOOD:
            reason = _("the smallest number that puts {good:g}% of all pairs in the right order")
            if of_borda:
                reason = _("the smallest number that puts {good:g}% of all pairs by Borda in the right order")
            reason = reason.format(good=GOOD)
            if index:
                text, (before, less) = _("{reason}; with {k} it would be {share:.1f}%"), shares[index - 1]
                reason = text.format(reason=reason, k=before, share=less)
            return Recommendation(k, reason)
        if index + 1 < len(shares):
            gain = (shares[index + 1][1] - share) / (shares[index + 1][0] - k)
            if gain < WORTH:
                reason = _("{accuracy}, and one more paper gains less than a point ({gain:.1f})")
                return Recommendation(k, reason.format(accuracy=_accuracy(share, of_borda), gain=gain))
    k, share = shares[-1]
    if len(shares) == 1:
        reason = _("{accuracy}, and no other k was tried")
    else:
        reason = _("the largest number tried: {accuracy}, and each additional paper adds at least one percentage point")
    return Recommendation(k, reason.format(accuracy=_accuracy(share, of_borda)))


def _accuracy(share: float, of_borda: bool) -> str:
    text = _("{share:.1f}% of all pairs are in the right order")
    if of_borda:
        text = _("{share:.1f}% of all pairs by Borda are in the right order")
    return text.format(share=share)


def _check(missing: float, noise: float, minutes: float, runs: int | None) -> None:
    if not 0 <= missing <= MOST_MISSING:
        raise InputError(
            _("`dropout` is {missing:g}%; it must be between 0 and {most:g}%").format(
                missing=missing, most=MOST_MISSING
            )
        )
    if not 0 <= noise <= MOST_NOISE:
        words = ", ".join(GRADERS)
        raise InputError(
            _("`graders` is {noise:g}; give {words} or a noise level from 0 to {most:g}").format(
                noise=noise, words=words, most=MOST_NOISE
            )
        )
    if not 0 < minutes < float("inf"):
        raise InputError(_("`minutes` is {minutes:g}; it must be more than 0").format(minutes=minutes))
    if runs is not None and runs < 1:
        raise InputError(_("`runs` is {runs}; it must be at least 1").format(runs=runs))


def _expected(
    rule: str, n: int, points: Sequence[tuple[int, float, float]], laws: dict[int, Forecast]
) -> list[Forecast]:
    return expected(rule, n, points, [laws[k] for k, _share, _off in points]) if points else []


def _run_simulations(
    n: int,
    ks: Sequence[int],
    missing: float,
    noise: float,
    *,
    runs: int | None,
    seed: int,
    workers: int | None,
    engine: Engine | None,
    progress: Callable[[int, int], None],
) -> dict[int, dict[str, Forecast]]:
    """Simulate classes for every k; very large classes behave like large ones."""
    if not ks:
        return {}
    size = min(n, LARGE)
    cells = {cell(size, k, missing, noise): k for k in ks}
    times = max(FEWEST, -(-PAPERS // size)) if runs is None else runs
    study = Study("plan", "a plan", tuple(cells), times, COLUMNS, _no_rows, measure_one_class)
    results = run_studies([study], seed=seed, workers=workers, engine=engine, progress=progress)["plan"]
    return {
        cells[each]: {
            rule: Forecast(_mean([run[rule] for run in done]), _mean([run[f"{rule} off"] for run in done]))
            for rule in each.rules
        }
        for each, done in results.items()
    }


def measure_one_class(run: Run) -> dict[str, float]:
    """Measure one class alone, whatever its size."""
    return measure(run, classes=1)


def _no_rows(results: Results) -> list[Row]:  # noqa: ARG001 -- no table is made of these
    return []


def _mean(percents: Sequence[float]) -> float:
    return sum(percents) / len(percents) / 100


def _notes(choices: Sequence[Choice]) -> tuple[str, ...]:
    notes = []
    unknown = [str(choice.k) for choice in choices if RULE not in choice.expected]
    if unknown:
        text = _(
            "the shipped simulations do not cover k = {sizes} here (they have k up to {largest} and a drop-out of up "
            "to {dropout}%); add `simulate` to run new ones"
        )
        notes.append(text.format(sizes=", ".join(unknown), largest=SIZES[-1], dropout=MISSING[-1]))
    if any("simulation" in choice.source.values() for choice in choices):
        notes.append(_("these numbers were simulated for this class"))
    return tuple(notes)
