"""Forms as they come back: many files, some twice, some wrong."""

import pytest

from peerorder.files import FileError
from peerorder.files.tables.merging import read_all_rankings

HEADER = "grader,paper,rank\n"
ANN = HEADER + "ann,P1,1\nann,P2,2\nann,P3,2\n"


@pytest.fixture
def forms(tmp_path):
    def written(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.csv").write_text(text)
        return [tmp_path / f"{name}.csv" for name in files]

    return written


def said(read):
    """Every ballot: whose, and the papers with their levels."""
    profile = read.profile
    return [
        (
            read.graders[grader],
            [
                (read.papers[paper], level)
                for paper, level in zip(
                    profile[at].tolist(),
                    profile.tie_levels[profile.start[at] : profile.start[at + 1]].tolist(),
                    strict=True,
                )
            ],
        )
        for at, grader in enumerate(profile.grader.tolist())
    ]


def test_a_form_that_came_twice_counts_once(forms):
    bob = HEADER + "bob,P1,1\nbob,P4,2\n"
    once = read_all_rankings(forms(one=ANN, two=bob))
    again = HEADER + "ann,P3,8\nann,P2,8\nann,P1,1\nann,P9,\n"
    twice = read_all_rankings(forms(one=ANN, two=bob, three=again))
    assert said(twice) == said(once)
    assert [note.split("three.csv: ")[1].split(" in ")[0] for note in twice.reading_notes] == [
        "ann has the same ranking"
    ]
    assert "one.csv; it is counted once" in twice.reading_notes[0]


def test_a_whole_file_given_twice_counts_once_with_one_note(forms):
    class_ = HEADER + "".join(f"g{g},P{p},{p}\n" for g in range(8) for p in range(1, 4))
    path = forms(all=class_)[0]
    read = read_all_rankings([path, path])
    assert len(read.profile) == 8
    assert len(read.reading_notes) == 1
    assert "g0, g1, g2, g3, g4 and 3 more have the same rankings" in read.reading_notes[0]


def test_two_forms_of_one_grader_that_differ_are_refused(forms):
    paths = forms(one=ANN, two=HEADER + "ann,P2,1\nann,P1,2\nann,P7,3\n")
    with pytest.raises(FileError) as caught:
        read_all_rankings(paths)
    (problem,) = caught.value.problems
    assert (problem.path, problem.column) == (paths[1], "grader")
    assert problem.cause == f"ann has submitted two different rankings of P2, P1 (the other is in {paths[0]})"
    # Whoever has codes is shown codes.
    codes = {f"P{at}": f"paper {at}" for at in range(1, 8)}
    with pytest.raises(FileError, match=r"two different rankings of P2, P1 \("):
        read_all_rankings(paths, codes=codes)
    read = read_all_rankings(paths, lenient=True)
    assert said(read) == [("ann", [("P1", 0), ("P2", 1), ("P3", 1)])]
    assert (read.dropped, read.part, read.lost) == ((problem,), ("ann",), ())


@pytest.mark.parametrize("later", ["one", "two"])
def test_a_form_that_came_again_with_more_papers_counts_once(forms, later):
    longer = HEADER + "ann,P9,1\nann,P1,2\nann,P2,3\nann,P3,3\n"
    paths = forms(one=longer if later == "one" else ANN, two=longer if later == "two" else ANN)
    read = read_all_rankings(paths)
    assert said(read) == [("ann", [("P9", 0), ("P1", 1), ("P2", 2), ("P3", 2)])]
    assert len(read.reading_notes) == 1
    assert read.dropped == ()


@pytest.mark.parametrize(
    "more",
    [
        HEADER + "ann,P1,2\nann,P8,1\n",
        HEADER + "ann,P1,\nann,P2,\nann,P8,1\nann,P9,2\n",
        "grader,paper,rank,ballot\nann,P2,1,2\nann,P1,2,2\n",
        "grader,paper,rank,ballot\nann,P1,1,2\nann,P2,2,2\nann,P3,2,2\n",
    ],
    ids=["one paper in common", "not judged", "another ballot", "another ballot that has the same ranking"],
)
def test_other_ballots_of_one_grader_count_too(forms, more):
    read = read_all_rankings(forms(one=ANN, two=more))
    assert len(read.profile) == 2
    assert read.reading_notes == ()


def test_ballots_of_one_name_in_two_files_are_compared_by_that_name(forms):
    named = "grader,paper,rank,ballot\nann,P1,1,x\nann,P2,2,x\nann,P1,2,y\nann,P2,1,y\nann,P5,,z\n"
    read = read_all_rankings(forms(one=named, two=named))
    assert len(read.profile) == 2
    with pytest.raises(FileError, match="two different rankings"):
        read_all_rankings(forms(one=named, two=named.replace(",1,y", ",7,y")))


def test_the_problems_of_all_files_are_told_at_once(forms, tmp_path):
    paths = forms(
        a=HEADER + "ann,P1,good\nann,P2,2\n",
        b=HEADER + "bob,P1,1\nbob,P2,2\n",
        c=HEADER + "cid,P1,0\n",
        d="x,y\n1,2\n",
    )
    with pytest.raises(FileError) as caught:
        read_all_rankings([*paths, tmp_path / "none.csv"])
    assert [(problem.path.name, problem.row) for problem in caught.value.problems] == [
        ("a.csv", 2),
        ("c.csv", 2),
        ("d.csv", None),
        ("none.csv", None),
    ]


def test_a_file_with_many_problems_does_not_hide_the_others(forms):
    bad = HEADER + "".join(f"g{at},P{at},x{at}\n" for at in range(50))
    with pytest.raises(FileError) as caught:
        read_all_rankings(forms(a=bad, b=HEADER + "bob,P1,x\nbob,P2,x\n"))
    rows = [(problem.path.name, problem.row) for problem in caught.value.problems]
    assert rows[:6] == [("a.csv", 2), ("a.csv", 3), ("a.csv", 4), ("b.csv", 2), ("b.csv", 3), ("a.csv", 5)]
    assert "b.csv, row" in str(caught.value)


def test_who_lost_a_ballot_or_a_part_of_it_is_known(forms):
    paths = forms(
        a=HEADER + "ann,P1,good\nann,P2,2\nann,P3,1\n",
        b=HEADER + "bob,P1,x\nbob,P2,y\n",
        c=HEADER + "cid,P1,x\ndan,P1,1\ndan,P2,2\n",
        d=HEADER + "cid,P4,1\ncid,P5,2\n",
    )
    read = read_all_rankings(paths, lenient=True)
    assert (read.lost, read.part) == (("bob",), ("ann", "cid"))
    assert [note.split(": ")[1] for note in read.reading_notes] == ["every row was skipped"]


@pytest.mark.parametrize("points", [(10, 9, 8, 7, 6, 5), (10, 8, 6, 5, 3, 1)])
def test_points_on_most_forms_are_refused(forms, points):
    def form(grader, ranks):
        return HEADER + "".join(f"{grader},P{paper},{rank}\n" for paper, rank in enumerate(ranks))

    filled = {f"g{at}": form(f"g{at}", points) for at in range(4)}
    right = {f"h{at}": form(f"h{at}", range(1, 7)) for at in range(3)}
    with pytest.raises(FileError, match="column score") as caught:
        read_all_rankings(forms(**right, **filled), lenient=True)
    assert [(problem.path.stem, problem.row) for problem in caught.value.problems] == [("g0", None)]
    more = {f"h{at}": form(f"h{at}", range(1, 7)) for at in range(3, 5)}
    assert len(read_all_rankings(forms(**right, **more, **filled)).profile) == 9
