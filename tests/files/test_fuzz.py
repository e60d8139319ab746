"""Whatever is in a file, a reader gives a result or one error of ours that says what is wrong.

A thousand mutated files on every run; ``make fuzz`` takes ten thousand, ``PEERORDER_FUZZ=N make fuzz`` others.
"""

import os
from collections import Counter

import pytest

from peerorder.core.randomness import child
from peerorder.files import FileError, read_codes, read_conflicts, read_handout, read_rankings, read_roster, read_sheet
from tests.files.mutations import KINDS, mutated

FILES = int(os.environ.get("PEERORDER_FUZZ", "1000"))
PARTS = 10


@pytest.fixture(scope="module")
def roster(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "roster.csv"
    path.write_text("student,paper\n" + "".join(f"s{at:02d},p{at // 2}\n" for at in range(10)) + "s10,\ns11,\n")
    return read_roster(path)


def reads(kind, path, roster):
    """All ways to read a file of this kind: a function each."""
    codes = {f"K{paper}": f"p{paper}" for paper in range(5)}
    for lenient in (False, True):
        match kind:
            case "roster":
                yield lambda lenient=lenient: read_roster(path, lenient)
            case "codes":
                yield lambda: read_codes(path)
            case "handout":
                yield lambda lenient=lenient: read_handout(path, lenient=lenient)
                yield lambda lenient=lenient: read_handout(path, codes, lenient)
            case "conflicts":
                yield lambda lenient=lenient: read_conflicts(path, roster, lenient)
            case _:
                yield lambda lenient=lenient: read_rankings(path, lenient=lenient)
                yield lambda lenient=lenient: read_rankings(path, roster=roster, codes=codes, lenient=lenient)
                yield lambda lenient=lenient: read_rankings(path, roster=roster, lenient=lenient)
    yield lambda: read_sheet(path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_files_give_a_result_or_an_error_of_ours(part, tmp_path, roster):
    seen = Counter()
    for number in range(part, FILES, PARTS):
        rng = child(0, "fuzz", number)
        kind = [*KINDS][number % len(KINDS)]
        name, content = mutated(rng, kind)
        path = tmp_path / name
        path.write_bytes(content)
        for read in reads(kind, path, roster):
            try:
                read()
            except FileError as error:
                seen["refused"] += 1
                lines = [str(problem) for problem in error.problems]
            except Exception as error:
                raise AssertionError(f"file {number}, {name}: {error!r}") from error
            else:
                seen["read"] += 1
                lines = []
            for line in lines:
                assert "\n" not in line, f"file {number}, {name}"
                assert line.startswith(str(path)), f"file {number}, {name}"
        path.unlink()
    # A fuzz that breaks everything, or nothing, would test little.
    assert min(seen["read"], seen["refused"]) > 0.15 * seen.total(), seen
