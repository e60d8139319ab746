"""The probability that Borda reverses one pair of papers: the lead W, its mean, its martingale, its tail.

W_rq is the Borda score of the paper of true place r less that of the paper of place q, r < q, with
perfect graders. The event Gamma_uv says that the first is on node u of the bundle graph, the second
on v, while all others are on random nodes. Places count from 1, as in the article.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = ["expected_lead", "increment_bounds", "lead_increments", "smallest_n", "upset_bound"]


def smallest_n(k: int) -> int:
    """Return the smallest class to which the article's section on Borda applies: 3k(k-1)+2."""
    return 3 * k * (k - 1) + 2


def expected_lead(n: int, k: int, overlap: ArrayLike, r: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return E[W_rq | Gamma_uv] = (k(k-1) - lambda_uv) (q-r-1)/(n-2) + lambda_uv, the first half of Lemma 7.

    Parameters
    ----------
    n, k
        The numbers of papers and of papers in a bundle, in a k-regular graph.
    overlap
        lambda_uv, the number of bundles that u and v share.
    r, q
        True places from 1, the better one first. These and ``overlap`` may be arrays.
    """
    if n < 3:
        raise InputError(_("n is {n}; it must be at least 3, because a lead depends on a third paper").format(n=n))
    better, worse, shared = np.asarray(r), np.asarray(q), np.asarray(overlap)
    if not ((better >= 1) & (better < worse) & (worse <= n)).all():
        raise InputError(
            _("`r` and `q` must be places from 1 to {n} with r < q; got r={r!r}, q={q!r}").format(n=n, r=r, q=q)
        )
    if not ((shared >= 0) & (shared <= k)).all():
        raise InputError(_("two papers share from 0 to {k} bundles; got {overlap!r}").format(k=k, overlap=overlap))
    return np.asarray((k * (k - 1) - shared) * (worse - better - 1) / (n - 2) + shared, np.float64)


def upset_bound(n: int, k: int, overlap: ArrayLike, theta: ArrayLike, r: ArrayLike, q: ArrayLike) -> FloatArray:
    """Return exp(-E[W_rq]^2 / (2 theta_uv)), which bounds Pr[W_rq <= 0 | Gamma_uv]: the second half of Lemma 7.

    The arguments are those of ``expected_lead``, and theta_uv. A class smaller than ``smallest_n(k)``
    is refused: there Lemma 8, on which the bound stands, is not proved.
    """
    if n < smallest_n(k):
        raise InputError(
            _("for k={k} the tail bound needs n >= 3k(k-1)+2 = {least}; n is {n}").format(k=k, least=smallest_n(k), n=n)
        )
    lead = expected_lead(n, k, overlap, r, q)
    spread = np.asarray(theta, np.float64)
    if not (spread >= 0).all():
        raise InputError(_("theta is a sum of squares; got {theta!r}").format(theta=theta))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = lead**2 / (2 * spread)
    # theta is 0 where u and v meet no third paper: W is certain then, and an upset is too or cannot be.
    return np.asarray(np.exp(-np.where(spread == 0, np.where(lead > 0, np.inf, 0.0), exponent)))


def increment_bounds(with_u: ArrayLike, with_v: ArrayLike) -> FloatArray:
    """Return the bounds of Lemma 8: |Z_i - Z_(i-1)| <= 2 (lambda_u,o(i) + lambda_v,o(i)) where n >= 3k(k-1)+2.

    The squares of these bounds sum to theta_uv, which is how theta enters Lemma 7.
    """
    return np.asarray(2.0 * (np.asarray(with_u) + np.asarray(with_v)))


def lead_increments(n: int, r: int, q: int, with_u: ArrayLike, with_v: ArrayLike, places: ArrayLike) -> FloatArray:
    """Return the steps Z_i - Z_(i-1) of the Doob martingale in the proof of Lemma 8.

    Z_i is the expected lead once the places of the first i papers around u and v are known, so the
    steps sum to W_rq - E[W_rq | Gamma_uv].

    The article's first display of this difference has lambda_v,o(j) where lambda_v,o(i) is meant, and a
    plus before its last sum that must be a minus; its collected form, used here, is right. Its
    definition of a martingale must condition on X_1..X_(i-1), as we do.

    Parameters
    ----------
    n
        The number of papers.
    r, q
        The true places of the papers on u and v, r < q.
    with_u, with_v
        lambda_uz and lambda_vz of the papers z around u and v, in the order of revelation.
    places
        The true places of the same papers.
    """
    near_u, near_v, ranks = np.asarray(with_u), np.asarray(with_v), np.asarray(places)
    if not near_u.shape == near_v.shape == ranks.shape or ranks.ndim != 1:
        raise InputError(_("with_u, with_v and places must be flat and of one length: one number per paper each"))
    if not 1 <= r < q <= n:
        raise InputError(
            _("`r` and `q` must be places from 1 to {n} with r < q; got r={r}, q={q}").format(n=n, r=r, q=q)
        )
    known = np.concatenate([[r, q], ranks])
    if len(np.unique(known)) < len(known) or not ((known >= 1) & (known <= n)).all():
        raise InputError(
            _("`places` must be different numbers from 1 to {n}, other than {r} and {q}").format(n=n, r=r, q=q)
        )
    steps = np.zeros(len(ranks))
    left = n - 2 - np.arange(len(ranks))  # free places before step i, n-i-1 in the article
    for near, bound, sign in ((near_u, r, 1), (near_v, q, -1)):
        below = (ranks > bound).astype(np.int64)
        free_below = (n - bound - (bound == r)) - (np.cumsum(below) - below)
        later = near[::-1].cumsum()[::-1] - near
        # After the last free place nothing is left to learn, and the sum over later papers is empty.
        steps += sign * (near - later / np.maximum(left - 1, 1)) * (below - free_below / left)
    return steps
