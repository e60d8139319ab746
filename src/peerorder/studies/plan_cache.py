"""Results of the ``plan`` study, shipped as data and interpolated between the points of its grid.

``data/plan.csv`` is what ``peerorder reproduce plan`` writes. Borda's large-class law holds most of what there is to
know: how errors depend on k, on missing ballots and on noise. So what is interpolated is how far errors are from the
law's, on a logarithmic scale with half a point added, because smaller errors do not matter: in small classes Borda is
better than its law, and the default rule is better than Borda. A cubic spline in four dimensions approximates these
ratios, with a smoothing that averages the noise of the simulations over neighbouring points.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files

import numpy as np
from scipy.interpolate import RBFInterpolator

from peerorder.core.arrays import FloatArray
from peerorder.files import read_rows
from peerorder.studies.plan_study import MISSING, NOISE, SIZES, N
from peerorder.studies.runner import Row
from peerorder.theory import Forecast

__all__ = ["LARGE", "expected", "is_covered", "shipped"]

# Percent of pairs, and percent of the class, that are added before logarithms are taken.
ADDED = 0.5
# Found by cross-validation on the shipped rows: more is too stiff, less follows the noise.
SMOOTHING = {"posterior": 0.2, "borda": 1.0}
# Trends in the size of the class go on to here, and no further.
LARGE = 1000


def is_covered(n: int, k: int, missing: float, noise: float) -> bool:
    """Return whether the grid covers this; ``missing`` and ``noise`` in percent. No class is too large."""
    return N[0] <= n and SIZES[0] <= k <= SIZES[-1] and missing <= MISSING[-1] and noise <= NOISE[-1]


def expected(rule: str, n: int, points: Sequence[tuple[int, float, float]], laws: Sequence[Forecast]) -> list[Forecast]:
    """Return forecasts for ``posterior`` or ``borda`` in a class of n, at points of k, missing and noise in percent.

    ``laws`` are the laws of Borda at the same points.
    """
    wanted = _features([(min(n, LARGE), *point) for point in points])
    result = {}
    for what, of_law in (("recovered", _wrong), ("off", _off)):
        law = np.array([of_law(each) for each in laws])
        ratio = _spline(rule, what)(wanted)
        if rule == "borda":
            # What is left of the class size fades: in the limit the law is exact.
            ratio *= min(1.0, LARGE / n)
        result[what] = np.maximum((law + ADDED) * np.exp(ratio) - ADDED, 0.0) / 100
    return [
        Forecast(float(1 - wrong), float(off)) for wrong, off in zip(result["recovered"], result["off"], strict=True)
    ]


@cache
def shipped() -> tuple[Row, ...]:
    """Return the rows of the study, as shipped in the package."""
    with as_file(files("peerorder.studies") / "data" / "plan.csv") as path:
        return tuple(read_rows(path))


@cache
def _spline(rule: str, what: str) -> RBFInterpolator:
    rows = [row for row in shipped() if row["rule"] == rule]
    points = _features([(row["n"], row["k"], row["missing"], row["noise"]) for row in rows])
    result = np.array([100 - row["recovered"] if what == "recovered" else row["off"] for row in rows])
    law = np.array([100 - row["law"] if what == "recovered" else row["off_law"] for row in rows])
    ratio = np.log((result + ADDED) / (law + ADDED))
    return RBFInterpolator(points, ratio, kernel="cubic", smoothing=SMOOTHING[rule])


def _features(points: Sequence[tuple[float, float, float, float]]) -> FloatArray:
    """Return coordinates in which the ratios are nearly linear, all over ranges of about one or two."""
    n, k, missing, noise = np.array(points, np.float64).T
    return np.stack([8 / np.sqrt(n), np.log(k), np.log1p(-missing / 100), noise / 25], axis=1)


def _wrong(law: Forecast) -> float:
    return 100 * (1 - law.pairwise_accuracy)


def _off(law: Forecast) -> float:
    return 100 * law.off
