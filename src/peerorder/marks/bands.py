"""``bands``: letters from the top, each for its share of the class."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import OptionError
from peerorder.core.registry import Option
from peerorder.core.translation import gettext as _
from peerorder.marks.scale import Scale

__all__ = ["SCALE", "Bands"]

USUAL = {"A": 10.0, "B": 25.0, "C": 40.0, "D": 25.0}
# A tenth of a percent is not an exact number in floating point.
SLACK = 1e-9


@dataclass(frozen=True, kw_only=True)
class Bands(Scale):
    """A scale whose options are its letters, whatever they are, with their shares in percent from the top."""

    def with_options(self, /, **settings: Any) -> "Bands":
        """Return the same scale with these letters instead of the usual ones."""
        if not settings:
            return self
        shares = {}
        for letter, share in settings.items():
            if not letter:
                raise OptionError(
                    _("{name}: the share {share} has no letter; write the shares as A=10,B=25,C=40,D=25").format(
                        name=self.name, share=share
                    )
                )
            number = str(share).strip().removesuffix("%")
            shares[letter] = float(Option(letter, 0.0, "", low=0, high=100).convert(number, self.name))
        total = sum(shares.values())
        if abs(total - 100) > SLACK:
            if total < 100:
                text = _(
                    "{name}: the shares sum to {total:g} percent, {difference:g} too few; they must sum to 100, as in "
                    "{name}:A=10,B=25,C=40,D=25"
                )
            else:
                text = _(
                    "{name}: the shares sum to {total:g} percent, {difference:g} too many; they must sum to 100, as "
                    "in {name}:A=10,B=25,C=40,D=25"
                )
            raise OptionError(text.format(name=self.name, total=total, difference=abs(100 - total)))
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
        return f"{self.name}:" + ",".join(f"{letter}={_format_share(share)}" for letter, share in self.values.items())


def _format_share(share: float) -> str:
    return f"{share:g}" if float(f"{share:g}") == share else repr(share)


def convert(share: FloatArray, /, **bands: float) -> list[str]:
    """Return the letter whose share of the class contains the place; on a border, the better one."""
    # Nobody gets a letter whose share is 0.
    some = {letter: part for letter, part in bands.items() if part > 0}
    letters = list(some)
    upper = np.cumsum(list(some.values()))
    index = np.searchsorted(upper, 100 * share - SLACK)
    return [letters[band] for band in np.minimum(index, len(letters) - 1).tolist()]


SCALE = Bands(
    name="bands",
    summary="letters from the top, each for its share of the class: bands:A=10,B=25,C=40,D=25",
    citation="grading on a curve",
    convert=convert,
    letters=True,
)
