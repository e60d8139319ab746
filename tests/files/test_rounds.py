import hashlib

import numpy as np
import pytest

from peerorder.files import FileError
from peerorder.files.rounds import read_round

ROSTER = "student,paper,role\nann,P1,\nbea,P1,\ncid,P2,\ndan,P3,\neve,,staff\n"
HANDOUT = "grader,paper\nann,P2\nann,P3\nbea,P2\nbea,P3\ncid,P1\ncid,P3\ndan,P1\ndan,P2\neve,P1\neve,P2\neve,P3\n"
RANKINGS = "grader,paper,rank\nann,P2,1\nann,P3,2\ncid,P3,1\ncid,P1,\neve,P3,1\neve,P1,2\neve,P2,2\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in (("roster", ROSTER), ("handout", HANDOUT), ("rankings", RANKINGS)):
        (tmp_path / f"{name}.csv").write_text(text)
    return tmp_path


def read(folder, *others):
    return read_round(folder / "rankings.csv", **{name: folder / f"{name}.csv" for name in others})


def test_who_was_asked_and_who_judged(folder):
    round_ = read(folder, "roster", "handout")
    assert round_.graders == ("ann", "bea", "cid", "dan", "eve")
    assert round_.papers == ("P1", "P2", "P3")
    assert round_.asked.tolist() == [2, 2, 2, 2, 3]
    assert round_.judged.tolist() == [2, 0, 1, 0, 3]
    assert round_.staff.tolist() == [False, False, False, False, True]
    assert round_.profile.authored.tolist() == [0, 0, 1, 2, -1]


def test_without_a_roster_the_hand_out_says_who_takes_part(folder):
    round_ = read(folder, "handout")
    assert set(round_.graders) == {"ann", "bea", "cid", "dan", "eve"}
    assert dict(zip(round_.graders, round_.asked.tolist(), strict=True))["eve"] == 3
    assert not round_.staff.any()
    assert np.all(round_.profile.authored == -1)


def test_without_anything_else_nobody_was_asked(folder):
    round_ = read(folder)
    assert set(round_.graders) == {"ann", "cid", "eve"}
    assert round_.asked is None


def test_inputs_are_known_by_their_hashes(folder):
    inputs = read(folder, "roster").input_records
    assert list(inputs) == ["rankings", "roster"]
    assert inputs["roster"] == {
        "file": "roster.csv",
        "sha256": hashlib.sha256(ROSTER.encode()).hexdigest(),
        "bytes": len(ROSTER),
    }


def test_codes_stand_for_papers_in_the_hand_out_and_in_the_rankings(folder):
    (folder / "codes.csv").write_text("paper,code\nP1,K7\nP2,M2\nP3,X9\n")
    for name in ("handout", "rankings"):
        text = (folder / f"{name}.csv").read_text()
        for paper, code in (("P1", "K7"), ("P2", "M2"), ("P3", "X9")):
            text = text.replace(paper, code)
        (folder / f"{name}.csv").write_text(text)
    coded = read(folder, "roster", "handout", "codes")
    assert coded.papers == ("P1", "P2", "P3")
    (folder / "handout.csv").write_text(HANDOUT)
    (folder / "rankings.csv").write_text(RANKINGS)
    assert coded.profile.digest == read(folder, "roster").profile.digest


def test_rows_that_are_wrong_are_left_out_of_every_file_where_that_is_wanted(folder):
    with (folder / "roster.csv").open("a") as file:
        file.write("ann,P9,\n")
    with (folder / "rankings.csv").open("a") as file:
        file.write("dan,P3,1\n")
    with pytest.raises(FileError, match=r"roster\.csv, row 7, column student: ann"):
        read(folder, "roster")
    round_ = read_round(folder / "rankings.csv", roster=folder / "roster.csv", lenient=True)
    wrong = zip(round_.dropped, ("roster.csv, row 7", "rankings.csv, row 9"), strict=True)
    assert all(where in str(problem) for problem, where in wrong)


def test_several_files_are_several_ballots(folder):
    more = "grader,paper,rank,ballot\neve,P1,1,more\neve,P2,2,more\nfay,P9,1,more\nfay,P1,2,more\n"
    (folder / "more.csv").write_text(more)
    round_ = read_round([folder / "rankings.csv", folder / "more.csv"])
    said = [
        (round_.graders[grader], [round_.papers[paper] for paper in round_.profile[b]])
        for b, grader in enumerate(round_.profile.grader.tolist())
    ]
    assert said == [
        ("ann", ["P2", "P3"]),
        ("cid", ["P3"]),
        ("eve", ["P3", "P1", "P2"]),
        ("eve", ["P1", "P2"]),
        ("fay", ["P9", "P1"]),
    ]
    assert round_.profile.tie_levels.tolist() == [0, 1, 0, 0, 1, 1, 0, 1, 0, 1]
    assert list(round_.inputs) == ["rankings", "rankings 2"]


def test_several_hand_outs_are_one(folder):
    (folder / "more.csv").write_text("grader,paper\ndan,P9\nfay,P1\n")
    round_ = read_round(folder / "rankings.csv", handout=[folder / "handout.csv", folder / "more.csv"])
    asked = dict(zip(round_.graders, round_.asked.tolist(), strict=True))
    assert (asked["dan"], asked["fay"], asked["ann"]) == (3, 1, 2)
    assert "P9" in round_.papers


def test_nobody_but_staff_ranks_what_was_not_handed_out(folder):
    with (folder / "rankings.csv").open("a") as file:
        file.write("dan,P1,1\ndan,P2,2\n")
    text = HANDOUT.replace("dan,P2\n", "").replace("eve,P3\n", "")
    (folder / "handout.csv").write_text(text)
    with pytest.raises(FileError) as caught:
        read(folder, "roster", "handout")
    assert [(problem.row, problem.column) for problem in caught.value.problems] == [(10, "paper")]
    assert "dan was not asked to rank P2" in str(caught.value)
    # Not judged is no ranking.
    (folder / "rankings.csv").write_text(RANKINGS + "dan,P1,1\ndan,P2,\n")
    assert read(folder, "roster", "handout").judged.tolist() == [2, 0, 1, 1, 3]


@pytest.mark.parametrize(
    ("codes", "handout", "where"),
    [
        ("33872,AAAA\n0033873,BBBB\n", "0011,AAAA\n", "codes.csv, column paper: 33872 "),
        ("0033872,AAAA\n0033873,BBBB\n", "11,AAAA\n12,BBBB\n", "h.csv, column grader: 11 "),
    ],
)
def test_zeros_are_missing_in_the_file_that_is_named(tmp_path, codes, handout, where):
    """Not in the rankings, which have codes alone."""
    texts = {
        "codes.csv": f"paper,code\n{codes}",
        "h.csv": f"grader,paper\n{handout}",
        "r.csv": "grader,paper,rank\n0011,AAAA,1\n0011,BBBB,2\n",
        "roster.csv": "student,paper\n0011,\n0012,\ns1,0033872\ns2,0033873\n",
    }
    paths = {name: tmp_path / name for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text)
    with pytest.raises(FileError) as refused:
        read_round(paths["r.csv"], roster=paths["roster.csv"], codes=paths["codes.csv"], handout=paths["h.csv"])
    assert str(refused.value).startswith(f"{tmp_path}/{where}")
    assert "zeros" in str(refused.value)
