"""Guarantees of Caragiannis et al. (2015) for Borda with perfect graders: Claim 9, per graph, Theorem 2.

All of it is a lower bound on the expected share of pairs in the right order, from the tail bound of
Lemma 7 summed over pairs of places. It holds for k >= 3 and n >= 3k(k-1)+2.

The proof of Theorem 2 has two slips that we read as follows; its result survives both.

- It bounds beta(u,v) = (k(k-1) - lambda_uv) / sqrt(2 theta_uv) by k(k-2) / sqrt(2 theta_uv) from
  above. Since lambda_uv <= k, that is a bound from below, and that is what the next step needs.
- It replaces a sum over places by an integral that should be above it. The sum is a left Riemann sum
  of a falling function: where beta is large (graphs with little overlap, k from about 12) it exceeds
  the integral, by 0.1 to 0.2% at n = 3k(k-1)+2. The slack in Claim 9's bound covers that many times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfc

from peerorder.core.arrays import FloatArray
from peerorder.core.bundles import Bundles
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.theory.overlaps import eta
from peerorder.theory.upsets import smallest_n

__all__ = ["Guarantee", "gaussian_integral", "gaussian_integral_bound", "graph_guarantee", "theorem_2"]


@dataclass(frozen=True)
class Guarantee:
    """A lower bound on the expected pairwise accuracy of Borda, or why there is none.

    ``value`` may be zero or negative: then the bound is true but vacuous. It is None where the theorem does not apply.
    """

    value: float | None
    reason: str

    @property
    def applicable(self) -> bool:
        """Whether the theorem applies to this case."""
        return self.value is not None

    def __str__(self) -> str:
        if self.value is None:
            return _("not applicable: {reason}").format(reason=self.reason)
        return _("at least {value:.4f} ({reason})").format(value=self.value, reason=self.reason)


def gaussian_integral(beta: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Return the integral of Claim 9, over y from 0 to 1 of (1-y) exp(-(beta y + delta)^2), where beta > 0, delta >= 0.

    The article's closed form has erf(beta) and exp(-beta^2) where the lower end of the integral puts
    erf(delta) and exp(-delta^2); this is the corrected form:

        (beta+delta) sqrt(pi) / (2 beta^2) * (erf(beta+delta) - erf(delta))
            + (exp(-(beta+delta)^2) - exp(-delta^2)) / (2 beta^2)

    Its two terms nearly cancel where beta is far below delta, and digits are lost in proportion to
    delta/beta. In the guarantee delta/beta is at most 1/(k-2).
    """
    b, d = _validate(beta, delta)
    gauss = (b + d) * math.sqrt(math.pi) * (erfc(d) - erfc(b + d))
    edge = np.exp(-(d**2)) * np.expm1(-b * (b + 2 * d))
    return np.asarray((gauss + edge) / (2 * b**2))


def gaussian_integral_bound(beta: ArrayLike, delta: ArrayLike) -> FloatArray:
    """Return the bound of Claim 9: the integral is at most (beta+delta) sqrt(pi) / (2 beta^2)."""
    b, d = _validate(beta, delta)
    return np.asarray((b + d) * math.sqrt(math.pi) / (2 * b**2))


def graph_guarantee(bundles: Bundles) -> Guarantee:
    """Return the guarantee of one bundle graph: 1 - (k-1) / (k (k-2)^2) sqrt(2 pi) eta(G).

    It is near the end of the proof of Theorem 2, and far stronger than the theorem, because
    eta(G) is this graph's own: on random bundles it is positive from about k=12.
    """
    k = bundles.k
    if k is None:
        return Guarantee(None, _("bundles and papers do not all have the same degree"))
    missing = _unmet_condition(bundles.n_papers, k)
    if missing:
        return Guarantee(None, missing)
    mean_root = eta(bundles)
    value = 1 - (k - 1) / (k * (k - 2) ** 2) * math.sqrt(2 * math.pi) * mean_root
    return Guarantee(value, f"k={k}, eta={mean_root:.4g}")


def theorem_2(n: int, k: int, *, girth6: bool = False) -> Guarantee:
    """Return the guarantee of Theorem 2: 1 - 48 sqrt(2 pi) / sqrt(k), or 1 - 16 sqrt(3 pi) / k at girth 6 or more.

    These are the article's constants. The one for girth 6 is the best that Lemma 3 gives (it is reached
    at k=3); the general one could be halved. Even so both are vacuous for any k used in practice: the
    girth-6 form is positive from k=50, the general one from k=14,477. ``graph_guarantee`` is stronger.
    """
    missing = _unmet_condition(n, k)
    if missing:
        return Guarantee(None, missing)
    if girth6:
        return Guarantee(1 - 16 * math.sqrt(3 * math.pi) / k, _("k={k}, girth at least 6").format(k=k))
    return Guarantee(1 - 48 * math.sqrt(2 * math.pi) / math.sqrt(k), _("k={k}, any graph").format(k=k))


def _unmet_condition(n: int, k: int) -> str:
    """Return the assumption of the theorem that this case does not meet; empty where it meets all."""
    if k < 3:
        return _("k is {k}, but the theorem needs at least 3").format(k=k)
    if n < smallest_n(k):
        text = _("n is {n}, but for k={k} the theorem needs at least 3k(k-1)+2 = {least}")
        return text.format(n=n, k=k, least=smallest_n(k))
    return ""


def _validate(beta: ArrayLike, delta: ArrayLike) -> tuple[FloatArray, FloatArray]:
    b, d = np.asarray(beta, np.float64), np.asarray(delta, np.float64)
    if not ((b > 0).all() and (d >= 0).all()):
        raise InputError(
            _("the integral needs beta > 0 and delta >= 0; got {beta!r} and {delta!r}").format(beta=beta, delta=delta)
        )
    return b, d
