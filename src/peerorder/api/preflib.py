"""PrefLib's files of orders, as ballots for ``rank``."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

import numpy as np

from peerorder.api.ballots import Ballots, as_ballots
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files.tables.preflib import ENDINGS, read_orders

__all__ = ["read_preflib"]


def read_preflib(path: str | PathLike[str], *, weighted: bool = False) -> Ballots:
    """Read a file of orders from preflib.org, for ``rank``.

    Items are called by the names of the alternatives, or by their numbers where names are missing or not distinct.

    Parameters
    ----------
    path
        A file that ends in .soc, .soi, .toc or .toi.
    weighted
        One ballot for each order, weighted by its voters, for rules that know weights. Otherwise one ballot for each
        voter.
    """
    file = Path(fspath(path))
    if file.suffix.lower() not in ENDINGS:
        raise InputError(
            _("{file} must end in {endings}: these are PrefLib's files of orders").format(
                file=file.name, endings=", ".join(ENDINGS)
            )
        )
    read = read_orders(file)
    numbers, names = range(1, read.alternatives + 1), read.names
    distinct = len(set(names.values())) == len(names) and set(names) == set(numbers)
    called: dict[int, str | int] = {one: names[one] if distinct else one for one in numbers}
    ballots = [[tuple(called[one] for one in tied) for tied in order] for order in read.orders]
    if weighted:
        return as_ballots(ballots, read.voters, items=called.values())
    each = np.repeat(np.arange(len(ballots)), read.voters)
    return as_ballots([ballots[order] for order in each], items=called.values())
