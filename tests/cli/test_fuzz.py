"""Whatever is in the files, a command does all of its work or none: no traceback, no file half written or left over.

A few hundred mutated files on every run; ``make fuzz`` takes ten thousand.
"""

import os
from collections import Counter

import pytest

from peerorder.core.randomness import child
from tests.files.mutations import mutated

FILES = int(os.environ.get("PEERORDER_FUZZ", "1000")) // 5
PARTS = 4
GOOD = {
    "roster.csv": "student,paper\n" + "".join(f"s{at:02d},p{at // 2}\n" for at in range(10)) + "s10,\ns11,\n",
    "codes.csv": "paper,code\n" + "".join(f"p{paper},K{paper}\n" for paper in range(5)),
}
OUTPUTS = {"grades.csv", "graders.csv", "marks.csv", "report.html", "handout.csv", "made.csv"}


def commands(kind, name):
    """What people would type with such a file."""
    match kind:
        case "roster":
            yield "assign", name, "-k", 2, "--out", "handout.csv", "--codes", "made.csv", "--seed", 1
        case "rankings" | "wide":
            options = ("--rule", "borda", "--graders", "graders.csv", "--lenient")
            yield "grade", name, *options[:4]
            yield "grade", name, "--roster", "roster.csv", "--marks", "percentile", "--students", "marks.csv", *options
            yield "grade", name, "--codes", "codes.csv", "--report", "report.html", *options
        case _:
            yield "demo", "--answer", name, "--out", "made.csv"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_command_does_all_of_its_work_or_none(part, peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = Counter()
    for number in range(part, FILES, PARTS):
        kind = ["rankings", "wide", "roster", "handout", "rankings"][number % 5]
        name, content = mutated(child(1, "fuzz", number), kind)
        for command in commands(kind, f"sent-{name}"):
            for path in tmp_path.iterdir():
                path.unlink()
            for file, text in GOOD.items():
                (tmp_path / file).write_text(text)
            (tmp_path / f"sent-{name}").write_bytes(content)
            before = {path.name for path in tmp_path.iterdir()}
            try:
                result = peerorder(*command)
            except Exception as error:
                raise AssertionError(f"file {number}, {name}, {command}: {error!r}") from error
            seen[result.code] += 1
            left = {path.name for path in tmp_path.iterdir()} - before
            assert result.code in (0, 2, 3), f"file {number}, {name}, {command}"
            assert (tmp_path / f"sent-{name}").read_bytes() == content
            if result.code == 2:
                assert left == set(), f"file {number}, {name}, {command}"
                assert result.err.startswith("peerorder: ")
            else:
                assert {file.removesuffix(".provenance.json") for file in left} <= OUTPUTS
                wanted = {word for word in command if word in OUTPUTS}
                assert wanted <= left, f"file {number}, {name}, {command}"
    assert min(seen[0] + seen[3], seen[2]) > 0.1 * seen.total(), seen
