"""``curve``: marks as if the class were normally distributed, with a mean and a spread of one's choice."""

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import OptionError
from peerorder.core.registry import Option
from peerorder.marks.scale import Scale

__all__ = ["SCALE"]


def convert(share: FloatArray, mean: float, sd: float, low: float, high: float) -> FloatArray:
    """The normal quantile of every place, held between the lowest and the highest mark."""
    from scipy.special import ndtri

    if low > high:
        raise OptionError(f"curve: low is {low:g} and high is {high:g}; the lowest mark cannot be above the highest")
    marks: FloatArray = np.clip(mean - sd * ndtri(share), low, high)
    return marks


SCALE = Scale(
    name="curve",
    summary="a bell curve: normal quantiles of the place",
    citation="Blom (1958)",
    convert=convert,
    options=(
        Option("mean", 70.0, "the mark in the middle of the class"),
        Option("sd", 10.0, "two thirds of the class are at most this far from the mean", low=0, high=1000),
        Option("low", 0.0, "the lowest mark"),
        Option("high", 100.0, "the highest mark"),
    ),
)
