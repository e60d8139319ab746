"""``bands``: letters from the top, each for its share of the class."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import OptionError
from peerorder.core.registry import Option
from peerorder.marks.scale import Scale

__all__ = ["SCALE", "Bands"]

USUAL = {"A": 10.0, "B": 25.0, "C": 40.0, "D": 25.0}
# A tenth of a percent and its like are no exact numbers.
SLACK = 1e-9


@dataclass(frozen=True, kw_only=True)
class Bands(Scale):
    """A scale whose options are its letters, whatever they are, with their shares in percent from the top."""

    def with_options(self, /, **settings: Any) -> "Bands":
        """The same scale with these letters instead of the usual ones."""
        if not settings:
            return self
        shares = {}
        for letter, share in settings.items():
            if not letter:
                raise OptionError(f"{self.name}: a share of {share} has no letter; write them as A=10,B=25,C=40,D=25")
            number = str(share).strip().removesuffix("%")
            shares[letter] = float(Option(letter, 0.0, "", low=0, high=100).checked(number, self.name))
        total = sum(shares.values())
        if abs(total - 100) > SLACK:
            off = f"{100 - total:g} are missing" if total < 100 else f"{total - 100:g} are too many"
            raise OptionError(
                f"{self.name}: the shares sum to {total:g} percent, and {off}; they must sum to 100, as in "
                f"{self.name}:A=10,B=25,C=40,D=25"
            )
        return replace(self, settings=shares)

    @property
    def values(self) -> dict[str, Any]:
        """The share of every letter, from the top."""
        return dict(self.settings or USUAL)

    @property
    def spec(self) -> str:
        """The text that gives this scale again."""
        if self.values == USUAL and list(self.values) == list(USUAL):
            return self.name
        return f"{self.name}:" + ",".join(f"{letter}={_shown(share)}" for letter, share in self.values.items())


def _shown(share: float) -> str:
    return f"{share:g}" if float(f"{share:g}") == share else repr(share)


def convert(share: FloatArray, /, **bands: float) -> list[str]:
    """The letter whose share of the class holds the place; on the border it is the better one."""
    # A letter without a share is nobody's.
    some = {letter: part for letter, part in bands.items() if part > 0}
    letters = list(some)
    upper = np.cumsum(list(some.values()))
    at = np.searchsorted(upper, 100 * share - SLACK)
    return [letters[band] for band in np.minimum(at, len(letters) - 1).tolist()]


SCALE = Bands(
    name="bands",
    summary="letters from the top, each for its share of the class: bands:A=10,B=25,C=40,D=25",
    citation="grading on a curve",
    convert=convert,
    letters=True,
)
