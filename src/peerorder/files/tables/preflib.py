"""PrefLib's files of orders: .soc, .soi, .toc and .toi.

A line ``3: 1,{2,4}`` is an order that 3 voters gave, with ties in braces. Lines that begin with ``#`` say what the
file is about, and name the alternatives (Mattei and Walsh 2013; FORMAT_SPECIFICATION.md of PrefLib/PrefLib-Data).
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.errors import InputError
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path

__all__ = ["ENDINGS", "Orders", "read_complete_orders", "read_orders"]

ENDINGS = (".soc", ".soi", ".toc", ".toi")
NAME = re.compile(r"# *ALTERNATIVE NAME (\d+): *(.*\S)")
COUNT = re.compile(r"# *NUMBER ALTERNATIVES: *(\d+)")
MODIFICATION = re.compile(r"# *MODIFICATION TYPE: *(\w+)")
ORDER = re.compile(r"(\d+): *(.*)")
GROUP = re.compile(r"\{([\d, ]*)\}|(\d+)")
WHOLE = re.compile(r"(?:\d+|\{[\d, ]*\})(?:, *(?:\d+|\{[\d, ]*\}))*")


@dataclass(frozen=True)
class Orders:
    """Different orders of the alternatives, which are numbered from 1, and how many voters gave each."""

    alternatives: int
    names: dict[int, str]
    orders: list[list[tuple[int, ...]]]
    """Best first; alternatives that are tied stand together."""
    voters: list[int]
    lines: list[int]
    """Where in the file each order is."""
    original: bool
    """Whether voters gave these orders, and nobody completed or made them later."""


@takes_path
def read_orders(path: Path) -> Orders:
    """Read a file of orders from preflib.org."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(_("{file}: file not found").format(file=path)) from None
    except (OSError, UnicodeDecodeError):
        raise InputError(_("{file}: it cannot be read as text in UTF-8").format(file=path)) from None
    alternatives, original = 0, True
    names: dict[int, str] = {}
    orders: list[list[tuple[int, ...]]] = []
    voters, numbers = [], []
    for number, line in enumerate(map(str.strip, lines), 1):
        if match := NAME.fullmatch(line):
            names[int(match[1])] = match[2]
        elif match := COUNT.fullmatch(line):
            alternatives = int(match[1])
        elif match := MODIFICATION.fullmatch(line):
            original = match[1] == "original"
        elif (match := ORDER.fullmatch(line)) and WHOLE.fullmatch(match[2]):
            voters.append(int(match[1]))
            numbers.append(number)
            orders.append([tuple(map(int, re.findall(r"\d+", group[0]))) for group in GROUP.finditer(match[2])])
            unknown = [one for tied in orders[-1] for one in tied if not 1 <= one <= alternatives]
            if unknown:
                raise InputError(
                    _(
                        "{file}, line {number}: there is no alternative {alternative} of {alternatives}; download the "
                        "file again from preflib.org"
                    ).format(file=path.name, number=number, alternative=unknown[0], alternatives=alternatives)
                )
        elif line and not line.startswith("#"):
            raise InputError(
                _(
                    "{file}, line {number}: {line!r} is not an order such as '3: 1,{{2,4}}'; files from before 2022 "
                    "look different, so download it again from preflib.org"
                ).format(file=path.name, number=number, line=line[:40])
            )
    return Orders(alternatives, names, orders, voters, numbers, original)


@takes_path
def read_complete_orders(path: Path) -> Profile | None:
    """Read a .soc or .toc file into a profile, one ballot per voter; None where voters did not give these orders."""
    read = read_orders(path)
    if not read.original:
        return None
    for order, number in zip(read.orders, read.lines, strict=True):
        listed = sorted(one for tied in order for one in tied)
        if listed != [*range(1, read.alternatives + 1)]:
            raise InputError(
                _(
                    "{file}, line {number}: this order does not list each of the {alternatives} alternatives once, as "
                    "orders in {ending} files do; download the file again from preflib.org"
                ).format(file=path.name, number=number, alternatives=read.alternatives, ending=path.suffix)
            )
    each = np.repeat(np.arange(len(read.orders)), read.voters)
    ballots = [[tuple(one - 1 for one in tied) for tied in order] for order in read.orders]
    return Profile.from_ballots([ballots[order] for order in each], read.alternatives)
