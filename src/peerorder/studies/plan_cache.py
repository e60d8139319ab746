"""What the ``plan`` study found, shipped as data, and read between and around the points of its grid.

``data/plan.csv`` is what ``peerorder reproduce plan`` writes. Borda's large-class law holds most of what there is to
know: how errors depend on k, on missing ballots and on noise. So what is interpolated is how far errors are from the
law's, on a logarithmic scale with half a point added, below which nobody cares: in small classes Borda is better than
its law, and the default rule is better than Borda. A cubic spline in four dimensions goes near these ratios, with a
smoothing that averages the noise of the simulations over neighbouring points.
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

__all__ = ["LARGE", "covered", "expected", "shipped"]

# Percent of pairs, and percent of the class, that are added before logarithms are taken.
ADDED = 0.5
# Found by cross-validation on the shipped rows: more is too stiff, less follows the noise.
SMOOTHING = {"posterior": 0.2, "borda": 1.0}
# Trends in the size of the class go on to here, and no further.
LARGE = 1000


def covered(n: int, k: int, missing: float, noise: float) -> bool:
    """Whether the grid holds this; ``missing`` and ``noise`` in percent. There is no class too large."""
    return N[0] <= n and SIZES[0] <= k <= SIZES[-1] and missing <= MISSING[-1] and noise <= NOISE[-1]


def expected(rule: str, n: int, points: Sequence[tuple[int, float, float]], laws: Sequence[Forecast]) -> list[Forecast]:
    """What to expect of ``posterior`` or ``borda`` in a class of n, at points of k, missing and noise in percent.

    ``laws`` are the laws of Borda at the same points.
    """
    wanted = _features([(min(n, LARGE), *point) for point in points])
    found = {}
    for what, of_law in (("recovered", _wrong), ("off", _off)):
        law = np.array([of_law(each) for each in laws])
        ratio = _spline(rule, what)(wanted)
        if rule == "borda":
            # What is left of the class size fades: in the limit the law is exact.
            ratio *= min(1.0, LARGE / n)
        found[what] = np.maximum((law + ADDED) * np.exp(ratio) - ADDED, 0.0) / 100
    return [Forecast(float(1 - wrong), float(off)) for wrong, off in zip(found["recovered"], found["off"], strict=True)]


@cache
def shipped() -> tuple[Row, ...]:
    """The rows of the study, as they are in the package."""
    with as_file(files("peerorder.studies") / "data" / "plan.csv") as path:
        return tuple(read_rows(path))


@cache
def _spline(rule: str, what: str) -> RBFInterpolator:
    rows = [row for row in shipped() if row["rule"] == rule]
    points = _features([(row["n"], row["k"], row["missing"], row["noise"]) for row in rows])
    found = np.array([100 - row["recovered"] if what == "recovered" else row["off"] for row in rows])
    law = np.array([100 - row["law"] if what == "recovered" else row["off_law"] for row in rows])
    ratio = np.log((found + ADDED) / (law + ADDED))
    return RBFInterpolator(points, ratio, kernel="cubic", smoothing=SMOOTHING[rule])


def _features(points: Sequence[tuple[float, float, float, float]]) -> FloatArray:
    """Coordinates in which the ratios bend little, all over ranges of about one or two."""
    n, k, missing, noise = np.array(points, np.float64).T
    return np.stack([8 / np.sqrt(n), np.log(k), np.log1p(-missing / 100), noise / 25], axis=1)


def _wrong(law: Forecast) -> float:
    return 100 * (1 - law.recovered)


def _off(law: Forecast) -> float:
    return 100 * law.off
