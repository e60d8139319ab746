"""After the deadline: who is asked for more."""

import json
import re
from collections import Counter

import pytest

from peerorder.files import read_codes
from peerorder.files.formats.output import write_table
from peerorder.files.formats.writing import write_provenance
from peerorder.files.replay import load_replay
from peerorder.files.rounds import read_round
from peerorder.rounds.grading import grade
from peerorder.rounds.settings import GradeSettings
from tests.cli.assign.common import (
    REGULAR,
    answers,
    assert_legal,
    everybody_but,
    handed,
    hang_together,
    plain,
    rows,
    write_rankings,
    written_by,
)


def test_conflicts_hold_for_a_top_up_too(peerorder, folder):
    everybody_but(folder, *(f"s{x:02d}" for x in range(1, 9)))
    options = ("--conflicts", "no.csv", "--no-codes", "--seed", 1)
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", *options).code == 0
    pairs = handed(folder / "h.csv")
    lines = [f"{grader},{paper},{at % 4 + 1}\n" for at, (grader, paper) in enumerate(pairs) if paper != "s00"]
    (folder / "r.csv").write_text("grader,paper,rank\n" + "".join(lines))
    line = ("assign", "roster.csv", "--top-up", "r.csv", "--handout", "h.csv", "--no-codes", "--at-least", 3)
    assert peerorder(*line, "--out", "more.csv").code == 0
    allowed = {f"s{x:02d}" for x in range(1, 9)} - {grader for grader, paper in pairs if paper == "s00"}
    asked = {grader for grader, paper in handed(folder / "more.csv") if paper == "s00"}
    assert asked
    assert asked <= allowed


def test_a_top_up_reads_forms_as_they_came_back(peerorder, refused, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    first = answers(folder, folder / "h.csv", 0.5, 0)
    (folder / "forms").mkdir()
    for grader in dict.fromkeys(grader for grader, *_ in first):
        lines = [line for line in first if line[0] == grader]
        write_rankings(folder / "forms" / f"{grader}.csv", lines)
        write_rankings(folder / "forms" / f"{grader} (1).csv", lines)
    (folder / "forms" / "s00.pdf").write_text("")
    write_rankings(folder / "all.csv", first)
    line = ("assign", "roster.csv", "--handout", "h.csv", "--seed", 2)
    result = peerorder(*line, "--top-up", "forms", "--out", "one.csv")
    assert result.code == 0, result.err
    assert "has the same ranking in" in plain(result.out)
    assert "forms: not read: s00.pdf;" in plain(result.out)
    assert peerorder(*line, "--top-up", "all.csv", "--out", "two.csv").code == 0
    forms = sorted((folder / "forms").glob("*.csv"))
    options = [word for path in forms for word in ("--top-up", path)]
    assert peerorder(*line, *options, "--out", "three.csv").code == 0
    assert len({(folder / name).read_bytes() for name in ("one.csv", "two.csv", "three.csv")}) == 1
    said = refused(*line, "--top-up", *forms, "--out", "four.csv")
    assert "the roster is roster.csv" in said
    assert "for several rankings, give their folder, or repeat --top-up" in said


def test_a_second_top_up_knows_both_hand_outs(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    first = answers(folder, folder / "h.csv", 0.5, 0)
    write_rankings(folder / "r.csv", first)
    line = ("assign", "roster.csv", "--top-up", "r.csv", "--handout", "h.csv", "--seed", 2)
    assert peerorder(*line, "--at-least", 3, "--out", "more.csv", "--letters", "m.csv").code == 0
    options = ("--handout", "more.csv", "--at-least", 3, "--out", "again.csv", "--letters", "a.csv")
    assert peerorder(*line, *options).code == 0
    had = [*handed(folder / "h.csv"), *handed(folder / "more.csv")]
    again = handed(folder / "again.csv")
    assert again
    assert not {*had} & {*again}
    assert {row["ballot"] for row in rows(folder / "a-form.csv")} == {"3"}
    about = json.loads((folder / "again.csv.provenance.json").read_text())
    assert [*about["inputs"]] == ["roster", "handout", "handout 2", "top_up"]


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_a_round_with_late_joiners_and_a_top_up_from_roster_to_grades(peerorder, folder, missing):
    """Nobody is without a place."""
    assert peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1).code == 0
    (folder / "roster.csv").write_text(REGULAR + "".join(f"new{x},,\n" for x in range(4)))
    assert peerorder("assign", "roster.csv", "--extend", "h.csv", "--out", "h2.csv", "--seed", 2).code == 0
    first = answers(folder, folder / "h2.csv", missing, 3)
    write_rankings(folder / "rankings.csv", first)
    options = ("--top-up", "rankings.csv", "--handout", "h2.csv", "--out", "more.csv", "--letters", "l.csv")
    result = peerorder("assign", "roster.csv", *options, "--at-least", 3)
    assert result.code == 0, result.err
    assert re.search(r"Now: \d+ of 34 papers ha(s|ve) fewer than 3 rankings; .*; expected", plain(result.out))
    had = {*handed(folder / "h2.csv", folder / "codes.csv")}
    asked = (folder / "more.csv").exists()
    assert asked == (missing > 0)
    more = handed(folder / "more.csv", folder / "codes.csv") if asked else []
    assert_legal(more, folder / "roster.csv", had)
    assert {grader for grader, _ in more} <= {grader for grader, _, _ in first}
    assert min(Counter(grader for grader, _ in more).values(), default=2) >= 2
    codes = read_codes(folder / "codes.csv")
    every = [*((g, codes[p]) for g, p, _ in first), *((f"{g} again", p) for g, p in more)]
    assert hang_together(every)
    many = Counter(paper for _, paper in every)
    assert min(many[paper] for paper in written_by(folder / "roster.csv").values()) >= 3
    form = rows(folder / "l-form.csv") if asked else []
    assert [(row["grader"], codes[row["paper"]]) for row in form] == more
    assert {row["ballot"] for row in form} <= {"2"}
    second = []
    for grader in dict.fromkeys(row["grader"] for row in form):
        papers = sorted((row["paper"] for row in form if row["grader"] == grader), key=codes.get)
        second += [(grader, paper, rank) for rank, paper in enumerate(papers, 1)]
    write_rankings(folder / "all.csv", first, second)
    options = ("--roster", "roster.csv", "--codes", "codes.csv", "--rule", "borda", "--out", "grades.csv")
    assert peerorder("grade", "all.csv", *options).code == 0
    grades = rows(folder / "grades.csv")
    assert {row["paper"] for row in grades} == {*written_by(folder / "roster.csv").values()}
    assert min(int(row["rankings"]) for row in grades) >= 3


def test_ballots_that_compare_nothing_are_not_counted_and_that_is_said(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--no-codes", "--seed", 1)
    pairs = handed(folder / "h.csv")
    first, second = pairs[0][0], next(grader for grader, _ in pairs if grader != pairs[0][0])
    ranks = Counter()
    lines = []
    for grader, paper in pairs:
        ranks[grader] += 1
        if grader == second and ranks[grader] > 1:
            continue
        lines.append(f"{grader},{paper},{1 if grader == first else ranks[grader]}\n")
    (folder / "r.csv").write_text("grader,paper,rank\n" + "".join(lines))
    line = ("assign", "roster.csv", "--top-up", "r.csv", "--handout", "h.csv", "--no-codes", "--at-least", 2)
    assert "2 ballots compare nothing" in plain(peerorder(*line, "--out", "more.csv").out)


def test_nobody_needs_to_be_asked(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    write_rankings(folder / "rankings.csv", answers(folder, folder / "h.csv", 0, 0))
    result = peerorder("assign", "roster.csv", "--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv")
    assert result.code == 0
    assert "0 of 30 papers have fewer than 2 rankings; all papers are linked" in result.out
    assert "Nobody needs to be asked for more. Nothing was written." in result.out
    assert not (folder / "more.csv").exists()
    assert "Written" not in result.out


def test_machines_hear_who_is_asked_and_how_it_stands(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    write_rankings(folder / "rankings.csv", answers(folder, folder / "h.csv", 0.5, 0))
    options = ("--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv", "--json")
    said = json.loads(peerorder("assign", "roster.csv", *options).out)
    assert said["at_least"] == 2
    assert said["asked"] == Counter(row["grader"] for row in rows(folder / "more.csv"))
    assert said["before"]["papers_below"] > said["after"]["papers_below"] == 0
    assert said["before"]["expected_accuracy"] < said["after"]["expected_accuracy"]
    assert said["after"]["components"] == 1


def test_papers_that_nobody_can_be_asked_for_are_said_with_exit_code_3(peerorder, folder):
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1, "--no-codes")
    pairs = handed(folder / "h.csv")
    first = [("s05", p, rank) for rank, p in enumerate((p for g, p in pairs if g == "s05"), 1)]
    write_rankings(folder / "rankings.csv", first)
    options = ("--top-up", "rankings.csv", "--handout", "h.csv", "--out", "more.csv", "--at-least", 2)
    result = peerorder("assign", "roster.csv", *options)
    assert result.code == 3
    assert "would still have too few rankings: s00" in result.err
    assert {grader for grader, _ in handed(folder / "more.csv")} == {"s05"}


@pytest.fixture
def topped_up(peerorder, folder):
    """A round of which half did nothing, and the others all of it; gives who is asked for more."""
    peerorder("assign", "roster.csv", "-k", 4, "--out", "h.csv", "--seed", 1)
    write_rankings(folder / "r.csv", answers(folder, folder / "h.csv", 0.5, 0))
    line = ("--top-up", "r.csv", "--handout", "h.csv", "--at-least", 3, "--out", "more.csv", "--seed", 2)
    assert peerorder("assign", "roster.csv", *line).code == 0
    return {grader for grader, _ in handed(folder / "more.csv")}


def test_papers_of_a_top_up_never_count_against_anybody(peerorder, folder, topped_up):
    files = ("r.csv", "--roster", "roster.csv", "--codes", "codes.csv", "--handout", "h.csv", "--handout", "more.csv")
    how = ("--rule", "borda", "--marks", "percentile", "--unranked", 50, "--students", "s.csv")

    def done():
        return {row["student"]: float(row["review_mark"]) for row in rows(folder / "s.csv")}

    assert "did not judge all" not in peerorder("grade", *files, *how).out
    fair = done()
    assert {*fair.values()} == {0, 100}
    assert {fair[helper] for helper in topped_up} == {100}
    # What was a top-up is written down with the marks; where nothing says so, its papers count.
    (folder / "more.csv.provenance.json").unlink()
    assert peerorder("grade", "--verify", "s.csv").code == 0
    assert "more.csv.provenance.json" in peerorder("grade", *files, *how).out
    assert {grader for grader, share in done().items() if share < fair[grader]} == topped_up


def test_papers_of_a_top_up_count_where_they_are_ranked(folder, topped_up):
    helper = min(topped_up)
    papers = [paper for grader, paper in handed(folder / "more.csv") if grader == helper]
    (folder / "r2.csv").write_text(f"grader,paper,rank,ballot\n{helper},{papers[0]},1,2\n")
    files = {"roster": folder / "roster.csv", "codes": folder / "codes.csv"}
    read = read_round([folder / "r.csv", folder / "r2.csv"], **files, handout=[folder / "more.csv", folder / "h.csv"])
    assert dict(zip(read.graders, read.asked.tolist(), strict=True))[helper] == 5
    assert {*read.asked.tolist()} == {4, 5}
    assert not read.partly.any()


def test_marks_of_an_older_version_with_a_top_up_are_found_again(folder, topped_up):
    files = {"rankings": folder / "r.csv", "roster": folder / "roster.csv", "codes": folder / "codes.csv"}
    read = read_round(**files, handout=[folder / "h.csv", folder / "more.csv"])
    graded = grade(read, GradeSettings("borda", marks="percentile", top_ups="duties"))
    write_table(folder / "s.csv", graded.students())
    about = {**graded.provenance, "version": "0.3.0", "table": "students"}
    del about["settings"]["top_ups"], about["inputs"]["handout 2"]["top_up"]
    write_provenance(folder / "s.csv", about)
    replay = load_replay(folder / "s.csv", {})
    assert replay.differences() == []
    assert [change.setting for change in replay.changes] == ["top_ups"]
