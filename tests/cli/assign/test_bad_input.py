"""Bad input: one line, and nothing is written."""

import numpy as np
import pytest

from tests.cli.assign.common import REGULAR, handed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", 0], ["k is 0", "2 or more"]),
        (
            ["-k", 30],
            ["k is 30, but graders s00, s01,", "s07 and 22 more may rank only 29; choose a smaller k, 29 at most"],
        ),
        (["-k", 4, "--scheme", "girth"], ["did you mean girth6"]),
        (["-k", 8, "--scheme", "girth6"], ["at least 69 papers"]),
        (["-k", 4, "--seed", -1], ["seed is -1"]),
        (["-k", 4, "--excused", "nobody"], ["--excused nobody is not on the roster"]),
        (["-k", 4, "--codes", "c.csv", "--no-codes"], ["--codes and --no-codes"]),
        (["-k", 4, "--conflicts", "none.csv"], ["none.csv", "file not found"]),
        (["--extend", "none.csv"], ["none.csv", "file not found"]),
        (["--extend", "a.csv", "--top-up", "b.csv", "--handout", "c.csv"], ["--extend adds late joiners"]),
        (["--extend", "a.csv", "--scheme", "random"], ["--scheme is for a first hand-out"]),
        (["--top-up", "b.csv"], ["--top-up needs --handout"]),
        (["--handout", "b.csv"], ["--handout goes with --top-up"]),
        (["--at-least", 3], ["--at-least goes with --top-up"]),
        (["--letters", "h.csv"], ["the same file"]),
        (["--codes", "roster.csv"], ["would overwrite"]),
    ],
)
def test_bad_input_is_one_line(refused, folder, options, words):
    line = refused("assign", "roster.csv", "--out", "h.csv", *options)
    for word in words:
        assert word in line
    assert {path.name for path in folder.iterdir()} == {"roster.csv"}


def test_the_roster_is_never_overwritten(refused, folder):
    assert "would overwrite an input" in refused("assign", "roster.csv", "--out", "roster.csv")
    assert (folder / "roster.csv").read_text() == REGULAR


def test_a_hand_out_with_codes_needs_them(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "handout.csv")
    (folder / "codes.csv").rename(folder / "elsewhere.csv")
    (folder / "roster.csv").write_text(REGULAR + "new,Nina,\n")
    line = refused("assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv")
    assert "handout.csv holds codes; give the file of codes with --codes" in line
    result = peerorder(
        "assign", "roster.csv", "--extend", "handout.csv", "--out", "later.csv", "--codes", "elsewhere.csv"
    )
    assert result.code == 0


def test_a_hand_out_of_another_class(refused, folder):
    (folder / "h.csv").write_text("grader,paper\na,b\n")
    line = refused("assign", "roster.csv", "--extend", "h.csv", "--out", "later.csv", "--no-codes")
    assert "no row has a grader and a paper of the roster" in line


def test_conflicts_that_stand_in_the_way(refused, folder):
    pairs = [("s04", f"s{x:02d}") for x in range(29) if x != 4]
    (folder / "no.csv").write_text("student,paper\n" + "".join(f"{s},{p}\n" for s, p in pairs))
    line = refused("assign", "roster.csv", "-k", 2, "--conflicts", "no.csv", "--out", "h.csv")
    assert "grader s04 has a conflict with all papers by others but one" in line
    assert not (folder / "h.csv").exists()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_very_small_classes(peerorder, folder, n):
    (folder / "roster.csv").write_text("student\n" + "\n".join("abc"[:n]) + "\n")
    result = peerorder("assign", "roster.csv", "-k", 1, "--out", "h.csv")
    assert result.code == 2
    assert "compares nothing" in result.err
    assert not (folder / "h.csv").exists()
    result = peerorder("assign", "roster.csv", "-k", 2, "--out", "h2.csv")
    assert result.code == (0 if n == 3 else 2)


def test_rosters_in_any_order_tell_nothing(peerorder, folder):
    """A grader's place on the roster is not tied to the places of her papers."""
    gaps = []
    for seed in range(20):
        peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--no-codes", "--seed", seed, "--force")
        gaps += [(int(p[1:]) - int(g[1:])) % 30 for g, p in handed(folder / "h.csv")]
    counts = np.bincount(gaps, minlength=30)
    assert counts[0] == 0
    share = len(gaps) / 29
    assert abs(counts[1:] - share).max() < 4.5 * np.sqrt(share)
