"""Whole rounds with files, from the roster to the marks, as an instructor types them."""

import csv

import numpy as np
import pytest

N, LATE, K = 40, 4, 5


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def done(peerorder, tmp_path, monkeypatch):
    """Type a command that must succeed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        result = peerorder(*arguments)
        assert result.code == 0, result.err
        return result

    return call


def play(done, folder, missing):
    """A round with late joiners and missing ballots; the grades before and after a top-up, and what was said of it."""
    done("demo", "--files", ".", "-n", N + LATE)
    everybody = (folder / "roster.csv").read_text().splitlines()
    (folder / "early.csv").write_text("\n".join(everybody[: N + 1]) + "\n")
    done("assign", "early.csv", "-k", K, "--out", "handout.csv", "--codes", "codes.csv", "--seed", 1)
    done(
        "assign",
        "roster.csv",
        "-k",
        K,
        "--extend",
        "handout.csv",
        "--codes",
        "codes.csv",
        "--out",
        "all.csv",
        "--seed",
        2,
    )
    # Errors as the rule expects them in a small class: of other ones it learns only with more ballots, which widens
    # intervals.
    noise = f"thurstone:sigma=0.5,missing={missing}"
    people = ("--roster", "roster.csv", "--codes", "codes.csv")
    done("demo", "--answer", "all.csv", *people, "--noise", noise)
    done("grade", "rankings.csv", *people, "--handout", "all.csv", "--out", "first.csv")
    top_up = ("--top-up", "rankings.csv", "--handout", "all.csv", "--codes", "codes.csv", "--out", "more.csv")
    said = done("assign", "roster.csv", *top_up, "--seed", 3).out
    files, handouts = ["rankings.csv"], ["--handout", "all.csv"]
    if (folder / "more.csv").exists() and rows(folder / "more.csv"):
        done("demo", "--answer", "more.csv", *people, "--noise", "thurstone:sigma=0.5", "--out", "more-rankings.csv")
        files, handouts = [*files, "more-rankings.csv"], [*handouts, "--handout", "more.csv"]
    marks = ("--marks", "percentile", "--students", "marks.csv")
    done("grade", *files, *people, *handouts, *marks, "--out", "second.csv")
    return rows(folder / "first.csv"), rows(folder / "second.csv"), said


def widths(grades):
    return np.array([int(row["high"]) - int(row["low"]) for row in grades])


@pytest.mark.parametrize("missing", [0, 0.3, 0.6])
def test_nobody_is_without_a_place_and_intervals_are_wide_where_little_is_known(done, tmp_path, missing):
    before, after, said = play(done, tmp_path, missing)
    for grades in (before, after):
        assert sorted(int(row["place"]) for row in grades) == list(range(1, N + LATE + 1))
        assert all(row["low"] and row["high"] for row in grades)
    counts = np.array([int(row["rankings"]) for row in before])
    if missing:
        few, many = (
            widths(before)[counts <= np.quantile(counts, 0.3)],
            widths(before)[counts > np.quantile(counts, 0.7)],
        )
        assert few.mean() > many.mean()
    # Nobody is left with less than half of what was planned, and more is known than before.
    assert min(int(row["rankings"]) for row in after) >= (K + 1) // 2
    assert widths(after).mean() <= widths(before).mean() + 1
    students = rows(tmp_path / "marks.csv")
    assert len(students) == N + LATE
    assert all(0 <= float(row["mark"]) <= 100 and row["review_mark"] for row in students)
    assert "all papers are linked" in said


def test_the_less_is_known_the_wider_are_the_intervals(done, tmp_path):
    means = []
    for missing in (0, 0.3, 0.6):
        folder = tmp_path / str(missing)
        folder.mkdir()
        done("demo", "--files", folder, "-n", N)
        roster, handout, rankings, grades = (folder / f"{x}.csv" for x in ("roster", "handout", "rankings", "grades"))
        done("assign", roster, "-k", K, "--out", handout, "--no-codes", "--seed", 1)
        noise = f"condorcet:level=30,missing={missing}"
        done("demo", "--answer", handout, "--roster", roster, "--noise", noise, "--out", rankings)
        done("grade", rankings, "--roster", roster, "--out", grades)
        means.append(widths(rows(grades)).mean())
    assert means[0] < means[1] < means[2]
