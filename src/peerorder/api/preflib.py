"""PrefLib's files of orders: .soc, .soi, .toc and .toi.

A line ``3: 1,{2,4}`` is an order that 3 voters gave, with ties in braces. Lines that begin with ``#`` say what the
file is about, and name the alternatives.
"""

from __future__ import annotations

import re
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from peerorder.api.ballots import Ballots, as_ballots
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = ["read_preflib"]

ENDINGS = (".soc", ".soi", ".toc", ".toi")
NAME = re.compile(r"# *ALTERNATIVE NAME (\d+): *(.*\S)")
COUNT = re.compile(r"# *NUMBER ALTERNATIVES: *(\d+)")
ORDER = re.compile(r"(\d+): *(.*)")
GROUP = re.compile(r"\{([\d, ]*)\}|(\d+)")
WHOLE = re.compile(r"(?:\d+|\{[\d, ]*\})(?:, *(?:\d+|\{[\d, ]*\}))*")


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
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(_("{file}: file not found").format(file=file)) from None
    except (OSError, UnicodeDecodeError):
        raise InputError(_("{file}: it cannot be read as text in UTF-8").format(file=file)) from None
    alternatives = 0
    names: dict[int, str] = {}
    orders: list[list[tuple[int, ...]]] = []
    voters: list[int] = []
    for number, line in enumerate(map(str.strip, lines), 1):
        if match := NAME.fullmatch(line):
            names[int(match[1])] = match[2]
        elif match := COUNT.fullmatch(line):
            alternatives = int(match[1])
        elif (match := ORDER.fullmatch(line)) and WHOLE.fullmatch(match[2]):
            voters.append(int(match[1]))
            orders.append([tuple(map(int, re.findall(r"\d+", group[0]))) for group in GROUP.finditer(match[2])])
            unknown = [one for tied in orders[-1] for one in tied if not 1 <= one <= alternatives]
            if unknown:
                raise InputError(
                    _("{file}, line {number}: there is no alternative {alternative} of {alternatives}").format(
                        file=file.name, number=number, alternative=unknown[0], alternatives=alternatives
                    )
                )
        elif line and not line.startswith("#"):
            raise InputError(
                _(
                    "{file}, line {number}: {line!r} is not an order such as '3: 1,{{2,4}}'; files from before 2022 "
                    "look different, so download it again from preflib.org"
                ).format(file=file.name, number=number, line=line[:40])
            )
    distinct = len(set(names.values())) == len(names) and set(names) == set(range(1, alternatives + 1))
    called: dict[int, str | int] = {one: names[one] if distinct else one for one in range(1, alternatives + 1)}
    ballots = [[tuple(called[one] for one in tied) for tied in order] for order in orders]
    if weighted:
        return as_ballots(ballots, voters, items=called.values())
    each = np.repeat(np.arange(len(ballots)), voters)
    return as_ballots([ballots[order] for order in each], items=called.values())
