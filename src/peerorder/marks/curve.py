"""``curve``: marks as if the class were normally distributed, with a given mean and spread."""

from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import OptionError
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _, message, translate
from peerorder.marks.scale import Marks, Scale

__all__ = ["SCALE", "Curve"]

# Beyond this share of all papers at one limit, somebody may have mistaken the mean.
MANY = 0.25


@dataclass(frozen=True, kw_only=True)
class Curve(Scale):
    """A scale whose marks may be cut off at both ends."""

    def warnings(self, marks: Marks) -> tuple[str, ...]:
        """Return what looks unintended: many papers at a limit, or all with one mark."""
        values, result = self.values, np.asarray(marks, np.float64)
        for end, text in (
            (
                "high",
                message(
                    "{count:,} of {total:,} marks are at the upper limit {limit:g}; is a mean of {mean:g} with an sd "
                    "of {sd:g} intended?"
                ),
            ),
            (
                "low",
                message(
                    "{count:,} of {total:,} marks are at the lower limit {limit:g}; is a mean of {mean:g} with an sd "
                    "of {sd:g} intended?"
                ),
            ),
        ):
            cut = int(np.sum(result == values[end]))
            if len(result) > 1 and cut > MANY * len(result):
                return (
                    translate(text).format(
                        count=cut, total=len(result), limit=values[end], mean=values["mean"], sd=values["sd"]
                    ),
                )
        return super().warnings(marks)


def convert(share: FloatArray, mean: float, sd: float, low: float, high: float) -> FloatArray:
    """Return the normal quantile of every place, clipped to the lowest and the highest mark."""
    from scipy.special import ndtri

    if low > high:
        raise OptionError(
            _("curve: low is {low:g} and high is {high:g}; the lowest mark cannot be above the highest").format(
                low=low, high=high
            )
        )
    marks: FloatArray = np.clip(mean - sd * ndtri(share), low, high)
    return marks


SCALE = Curve(
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
