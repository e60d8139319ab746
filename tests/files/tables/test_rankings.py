import csv
import io
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder import Profile
from peerorder.files import FileError, read_codes, read_rankings, read_roster
from peerorder.files.formats.kinds import GRADERS, GRADES, LETTERS, STUDENTS

HEADER = "grader,paper,rank\n"


def said(rankings):
    """What the rankings say, in the ids of the file: for every ballot its grader and the tied papers of each place."""
    profile = rankings.profile
    ballots = []
    for b in range(len(profile)):
        levels = profile.tie_levels[profile.start[b] : profile.start[b + 1]]
        places = [
            frozenset(rankings.papers[paper] for paper, level in zip(profile[b], levels, strict=True) if level == place)
            for place in range(levels.max() + 1)
        ]
        ballots.append((rankings.graders[profile.grader[b]], tuple(places)))
    return sorted(ballots, key=in_text)


def authored(rankings):
    return {
        rankings.graders[at]: rankings.papers[paper] for at, paper in enumerate(rankings.profile.authored) if paper >= 0
    }


# A slow, obviously right twin: rows of text to ballots, in plain Python.


def twin(rows, author, known_graders=(), known_papers=()):
    """Ballots, graders and papers of (grader, ballot, paper, rank) that are all right."""
    ballots, graders, papers = {}, list(known_graders), list(known_papers)
    for grader, ballot, paper, rank in rows:
        if grader not in graders:
            graders.append(grader)
        if paper not in papers:
            papers.append(paper)
        assert author.get(grader) != paper
        if rank != "":
            ballots.setdefault((grader, ballot), {}).setdefault(int(rank), set()).add(paper)
    lines = [
        (grader, tuple(frozenset(places[rank]) for rank in sorted(places))) for (grader, _), places in ballots.items()
    ]
    return sorted(lines, key=in_text), graders, papers


def in_text(line):
    """A key to sort ballots by; the representation of a set depends on how it was made."""
    grader, levels = line
    return grader, [sorted(level) for level in levels]


IDS = ["ann", "Ann", "007", "7", "p 1", "x,y", "Zoë", 'a"b', "long enough to be hashed", "1e5"]


@st.composite
def tables(draw):
    """Rows of (grader, ballot, paper, rank) with nothing wrong, in any order."""
    graders = draw(st.lists(st.sampled_from(IDS), unique=True, max_size=5))
    rows = []
    for grader in graders:
        for ballot in draw(st.sampled_from([[""], ["1", "2"]])):
            papers = draw(
                st.lists(st.sampled_from([paper for paper in IDS if paper != grader]), unique=True, max_size=6)
            )
            rows += [(grader, ballot, paper, draw(st.sampled_from(["", "1", "2", "003", "5"]))) for paper in papers]
    return draw(st.permutations(with_first_place(rows)))


def with_first_place(rows):
    """The same rows with a first place on every ballot and no rank beyond its papers, or ranks may be points."""
    papers = Counter((grader, ballot) for grader, ballot, _, _ in rows)
    best = {}
    for grader, ballot, _, rank in rows:
        if rank:
            best[grader, ballot] = min(int(rank), best.get((grader, ballot), int(rank)))
    return [
        (grader, ballot, paper, rank if not rank or best[grader, ballot] < int(rank) <= papers[grader, ballot] else "1")
        for grader, ballot, paper, rank in rows
    ]


def as_csv(header, rows, separator=","):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    def write(text, name="rankings.csv"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_text(text, "utf-8", newline="")
        return path

    return write


@given(tables(), st.booleans(), st.sampled_from(",;\t"))
def test_long_form_without_a_roster(scratch, rows, several, separator):
    rows = [row if several else (row[0], "", *row[2:]) for row in rows]
    rows = list({row[:3]: row for row in rows}.values())
    header = ["Rank", "grader", "comment", "paper", *(["ballot"] if several else [])]
    cells = [[rank, grader, "x", paper, *([ballot] if several else [])] for grader, ballot, paper, rank in rows]
    rankings = read_rankings(scratch(as_csv(header, cells, separator)), papers=("extra", "ann"), graders=("Zoë", "who"))
    ballots, graders, papers = twin(rows, {id_: id_ for id_ in IDS}, ("Zoë", "who"), ("extra", "ann"))
    assert said(rankings) == ballots
    assert list(rankings.graders) == graders
    assert list(rankings.papers) == papers
    assert rankings.dropped == ()
    # Whoever has the id of a paper wrote it.
    assert authored(rankings) == {grader: grader for grader in graders if grader in papers}


@given(tables(), st.booleans(), st.data())
def test_with_a_roster_and_codes(scratch, rows, coded, data):
    rows = list({(row[0], row[2]): (row[0], "", *row[2:]) for row in rows}.values())
    teams = {id_: data.draw(st.sampled_from(["", *IDS])) for id_ in IDS}
    # The authors of papers that have none on this roster.
    teams |= {f"author of {paper}": paper for paper in IDS if paper not in teams.values()}
    rows = with_first_place([row for row in rows if teams[row[0]] != row[2]])
    people = data.draw(st.permutations(list(teams)))
    roster = read_roster(scratch(as_csv(["student", "paper"], [(who, teams[who]) for who in people]), "roster.csv"))
    codes = {f"K{at}": paper for at, paper in enumerate(IDS)}
    if coded:
        read = read_codes(
            scratch(as_csv(["paper", "code"], [(paper, code) for code, paper in codes.items()]), "codes.csv")
        )
        assert read == codes
    code = {paper: code for code, paper in codes.items()}
    cells = [(grader, code[paper] if coded else paper, rank) for grader, _, paper, rank in rows]
    rankings = read_rankings(
        scratch(HEADER + as_csv([], cells).lstrip()), roster=roster, codes=codes if coded else None
    )
    ballots, _, _ = twin(rows, {who: paper for who, paper in teams.items() if paper})
    assert said(rankings) == ballots
    assert rankings.graders == tuple(people)
    assert rankings.papers == tuple(dict.fromkeys(teams[who] for who in people if teams[who]))
    assert authored(rankings) == {who: paper for who, paper in teams.items() if paper}


@given(tables(), st.booleans(), st.data())
def test_wide_form_says_what_long_form_says(scratch, rows, several, data):
    # An id like x,y may be a tie there.
    rows = [row for row in rows if row[3] in ("1", "2", "3") and (several or row[1] in ("", "1")) and row[2] != "x,y"]
    lines = {}
    for grader, ballot, paper, rank in rows:
        lines.setdefault((grader, ballot), {}).setdefault(rank, []).append(paper)
    names = data.draw(
        st.sampled_from(
            [["1", "2", "3"], ["Place 3", "place 1", "place 2"], ["2nd", "1st", "3rd"], ["rank_1", "rank_2", "rank_3"]]
        )
    )
    cells = [
        [grader, *(" = ".join(places.get(re.search(r"\d", name)[0], [])) for name in names), ballot]
        for (grader, ballot), places in lines.items()
    ]
    path = scratch(as_csv(["grader", *names, "ballot" if several else "comment"], cells))
    rankings = read_rankings(path)
    assert said(rankings) == twin(rows, {})[0]
    assert rankings.graders == tuple(dict.fromkeys(grader for grader, _ in lines))
    assert set(rankings.papers) == {paper for _, _, paper, _ in rows}


# Ranks.


@pytest.mark.parametrize(
    "rank",
    ["1.5", "A", "-1", "1e3", "#N/A", "3-May", "2024-05-03", "½", "\uff11", "1 2", "9" * 10, "+", "eleventh", "worst"],
)
def test_what_is_no_rank(file, complaints, rank):
    path = file(f"{HEADER}ann,p1,1\nann,p2,{rank}\nann,p3,2\n")
    assert complaints(read_rankings, path) == [(3, "rank", f"{rank} is not a rank")]
    lenient = read_rankings(path, lenient=True)
    assert said(lenient) == [("ann", ({"p1"}, {"p3"}))]
    assert [problem.row for problem in lenient.dropped] == [3]


@pytest.mark.parametrize("rank", ["2", "02", "2.0", "2,0".join('""'), "+2", " 2 ", "2.", "007", '="2"'])
def test_what_is_a_rank(file, rank):
    rankings = read_rankings(file(f"{HEADER}ann,p1,1\nann,p2,{rank}\n"))
    assert said(rankings) == [("ann", ({"p1"}, {"p2"}))]
    assert rankings.reading_notes == ()


@pytest.mark.parametrize("rank", ["2nd", "second", "Second", "2nd place", "second best"])
def test_ranks_in_words_are_understood_with_a_note(file, rank):
    rankings = read_rankings(file(f"{HEADER}ann,p1,best\nann,p2,{rank}\nann,p3,3\n"))
    assert said(rankings) == [("ann", ({"p1"}, {"p2"}, {"p3"}))]
    (note,) = rankings.reading_notes
    assert f"{rank} as 2" in note


def test_what_is_no_rank_is_said_once_for_a_ballot(file, complaints):
    path = file(
        HEADER + "".join(f"ann,p{at},{letter}\n" for at, letter in enumerate("FCEABD", 1)) + "bob,p1,1\nbob,p2,x\n"
    )
    found = complaints(read_rankings, path)
    assert [row for row, *_ in found] == [2, 3, 4, 5, 6, 7, 9]
    assert {cause for *_, cause in found} == {"F, C, E, A, B, D are not ranks", "x is not a rank"}
    with pytest.raises(FileError) as caught:
        read_rankings(path)
    assert len(caught.value.lines) == 2


def test_a_ballot_that_counts_from_zero_is_refused(file, complaints):
    path = file(f"{HEADER}ann,p1,1\nann,p2,0\nann,p3,2\nbob,p1,1\nbob,p2,2\n")
    assert complaints(read_rankings, path) == [(3, "rank", "this ballot counts from 0")]
    path = file(f"{HEADER}ann,p1,1\nann,p2,0\nann,p3,0\n")
    assert complaints(read_rankings, path) == [(3, "rank", "0 is not a rank"), (4, "rank", "0 is not a rank")]


def test_a_file_in_which_every_ballot_counts_from_zero_is_understood(file):
    rankings = read_rankings(file(f"{HEADER}ann,p1,1\nann,p2,0\nann,p3,\nbob,p1,0\nbob,p2,1\n"))
    assert said(rankings) == [("ann", ({"p2"}, {"p1"})), ("bob", ({"p1"}, {"p2"}))]
    assert len(rankings.reading_notes) == 1


# Points.


@pytest.mark.parametrize("points", [(90, 85, 80, 95), (8, 7, 9, 6), (4, 5, 3, 5)])
def test_points_in_the_place_of_ranks_are_refused(file, points):
    rows = [f"g{at},p{paper},{value}" for at in range(6) for paper, value in enumerate(points)]
    with pytest.raises(FileError, match="column score") as caught:
        read_rankings(file(HEADER + "\n".join(rows) + "\n"), lenient=True)
    assert [problem.row for problem in caught.value.problems] == [None]


def test_ranks_with_a_gap_where_a_paper_was_taken_out_are_read(file):
    rows = [f"g{at},p{paper},{paper}" for at in range(5) for paper in (1, 3)]
    assert len(read_rankings(file(HEADER + "\n".join(rows) + "\n")).profile) == 5


def test_points_on_one_ballot_are_refused(file, complaints):
    rows = [f"g{at},p{paper},{paper}" for at in range(6) for paper in (1, 2, 3)]
    path = file(HEADER + "\n".join([*rows, "ann,p1,80", "ann,p2,95", "ann,p3,"]) + "\n")
    assert [(row, column) for row, column, _ in complaints(read_rankings, path)] == [
        (20, "rank"),
        (21, "rank"),
        (22, "rank"),
    ]
    lenient = read_rankings(path, lenient=True)
    assert len(lenient.profile) == 6
    assert lenient.lost == ("ann",)


def test_scores_are_read_and_more_is_better(file):
    path = file('grader,paper,score\nann,p1,80\nann,p2,95.5\nann,p3,n/a\nann,p4,80%\nbob,p1,3\nbob,p2,"2,5"\n')
    rankings = read_rankings(path)
    assert said(rankings) == [("ann", ({"p2"}, {"p1", "p4"})), ("bob", ({"p1"}, {"p2"}))]


def test_what_is_no_score(file, complaints):
    path = file("grader,paper,score\nann,p1,80\nann,p2,good\nann,p3,7\n")
    assert complaints(read_rankings, path) == [(3, "score", "good is not a number")]


def test_ranks_count_where_there_are_scores_too(file):
    rankings = read_rankings(file("grader,paper,rank,score\nann,p1,1,1\nann,p2,2,9\n"))
    assert said(rankings) == [("ann", ({"p1"}, {"p2"}))]


# Several comparisons.


def test_several_comparisons_in_one_ballot_are_refused_in_one_line(file):
    rows = [f"g{at},p{paper},{1 + paper % 2}" for at in range(40) for paper in range(6)]
    path = file(HEADER + "\n".join([*rows, "ann,p1,1", "ann,p2,1", "ann,p3,2", "ann,p4,2"]) + "\n")
    with pytest.raises(FileError) as caught:
        read_rankings(path)
    assert len(caught.value.lines) == 1
    assert 'column "ballot"' in caught.value.lines[0]
    lenient = read_rankings(path, lenient=True)
    assert said(lenient) == [("ann", ({"p1", "p2"}, {"p3", "p4"}))]


def test_ties_that_are_meant_have_a_ballot(file):
    rankings = read_rankings(file("grader,paper,rank,ballot\nann,p1,1,x\nann,p2,2,x\nann,p3,1,x\nann,p4,2,x\n"))
    assert said(rankings) == [("ann", ({"p1", "p3"}, {"p2", "p4"}))]


@pytest.mark.parametrize(
    ("header", "winner", "loser"),
    [("judge,winner,loser", 1, 2), ("Loser,Winner,Judge", 1, 0), ("judge,candidate_chosen,candidate_not_chosen", 1, 2)],
)
def test_comparisons_are_ballots_of_two(file, header, winner, loser):
    judge = ({0, 1, 2} - {winner, loser}).pop()
    rows = [["", "", ""] for _ in range(3)]
    for row, (who, better, worse) in zip(rows, [("ann", "a", "b"), ("ann", "c", "a"), ("bob", "b", "a")], strict=True):
        row[judge], row[winner], row[loser] = who, better, worse
    rankings = read_rankings(file("\n".join([header, *map(",".join, rows)]) + "\n"))
    assert said(rankings) == [("ann", ({"a"}, {"b"})), ("ann", ({"c"}, {"a"})), ("bob", ({"b"}, {"a"}))]


def test_comparisons_without_judges_and_with_ties(file, complaints):
    rankings = read_rankings(file("winner,loser,tie\na,b,\nb,c,yes\n"))
    assert said(rankings) == [("judge", ({"a"}, {"b"})), ("judge", ({"b", "c"},))]
    assert len(rankings.reading_notes) == 1
    assert complaints(read_rankings, file("winner,loser,tie\na,b,perhaps\nb,c,no\n"))[0][:2] == (2, "tie")


@pytest.mark.parametrize("header", ["Reviewer,Code,Ranking", "judge,submission,place", "rater,item,Position"])
def test_other_names_of_columns_are_taken_with_a_note(file, header):
    rankings = read_rankings(file(f"{header}\nann,p1,1\nann,p2,2\n"))
    assert said(rankings) == [("ann", ({"p1"}, {"p2"}))]
    (note,) = rankings.reading_notes
    assert "as grader" in note


@pytest.mark.parametrize("rank", ["", "  ", "not judged", "Not Judged", "n/a", "NA", "-", "\u2013", "none"])
def test_not_judged(file, rank):
    rankings = read_rankings(file(f"{HEADER}ann,p1,1\nann,p2,{rank}\nbob,p1,{rank}\n"))
    assert len(rankings.reading_notes) == (rank.lower().strip() not in ("", "not judged"))
    assert said(rankings) == [("ann", ({"p1"},))]
    assert rankings.graders == ("ann", "bob")
    assert rankings.papers == ("p1", "p2")


def test_gaps_in_ranks_are_fine(file):
    rankings = read_rankings(file(f"{HEADER}ann,p1,8\nann,p2,2\nann,p3,4\nann,p4,4\n"))
    assert said(rankings) == [("ann", ({"p2"}, {"p3", "p4"}, {"p1"}))]
    assert ["ann" in note and "points" in note for note in rankings.reading_notes] == [True]
    assert not read_rankings(file(f"{HEADER}ann,p1,1\nann,p2,9\n")).reading_notes


# What else is wrong, all at once.


def test_everything_that_is_wrong_is_named_at_once(file, complaints):
    roster = read_roster(file("student,paper\nann,t1\nbob,t1\ncarl,t2\ndora,\n", "roster.csv"))
    rows = [
        "carl,t1,1",  # 2: fine
        "ann,t1,1",  # 3: her own
        "bob,t1,1",  # 4: his team's
        "bob,t2,good",  # 5
        "bob,t2,1",  # 6: fine
        "bob,t2,2",  # 7: twice
        "eve,t2,1",  # 8: nobody of this name
        "Carl,t1,1",  # 9: nobody of this name, nearly
        "dora,t9,1",  # 10: nobody handed it in
        "dora,carl,1",  # 11: a student, no paper
        ",t2,1",  # 12
        "dora,,1",  # 13
        "dora,t1,1",  # 14: fine
        "dora,t2,1,0",  # 15: too long
        "x,y,z",  # 16: three in one
    ]
    path = file(HEADER + "\n".join(rows) + "\n")
    name = roster.path
    expected = [
        (3, "paper", "ann ranks t1, which is their own paper"),
        (4, "paper", "bob ranks t1, which is their own paper"),
        (5, "rank", "good is not a rank"),
        (7, "paper", "bob has already ranked t2 in row 6"),
        (8, "grader", f"eve is not on the roster {name}"),
        (9, "grader", f"Carl is not on the roster {name}, but carl is"),
        (10, "paper", f"nobody on the roster {name} wrote the paper t9"),
        (
            11,
            "paper",
            f"nobody on the roster {name} wrote the paper carl (carl wrote t2)",
        ),
        (12, "grader", "this cell is empty"),
        (13, "paper", "this cell is empty"),
        (15, None, "it has 4 cells, but the header has 3"),
        (16, "rank", "z is not a rank"),
        (16, "grader", f"x is not on the roster {name}"),
        (16, "paper", f"nobody on the roster {name} wrote the paper y"),
    ]
    assert complaints(read_rankings, path, roster=roster) == expected
    lenient = read_rankings(path, roster=roster, lenient=True)
    assert said(lenient) == [("bob", ({"t2"},)), ("carl", ({"t1"},)), ("dora", ({"t1"},))]
    assert [(problem.row, problem.column, problem.cause) for problem in lenient.dropped] == expected


MESSY = st.tuples(
    st.sampled_from(["ann", "bob", "Bob", "", "#N/A", "p1"]),
    st.sampled_from(["p1", "p2", "p3", "ann", "", "a\tb"]),
    st.sampled_from(["1", "2", "", "0", "x"]),
    st.sampled_from(["", "", "", "more"]),
)


@given(st.lists(MESSY, max_size=12), st.booleans())
def test_lenient_is_strict_without_exactly_the_rows_it_names(scratch, rows, on_roster):
    roster = read_roster(scratch("student,paper\nann,p1\nbob,p2\np1,\n", "roster.csv")) if on_roster else None
    path = scratch(as_csv(["grader", "paper", "rank"], [list(row) if row[3] else list(row[:3]) for row in rows]))
    lenient = read_rankings(path, roster=roster, lenient=True)
    bad = {problem.row for problem in lenient.dropped}
    kept = [list(row[:3]) for at, row in enumerate(rows, 2) if at not in bad]
    strict = read_rankings(scratch(as_csv(["grader", "paper", "rank"], kept), "kept.csv"), roster=roster)
    assert strict.dropped == ()
    assert said(lenient) == said(strict)
    assert (lenient.graders, lenient.papers, lenient.blank) == (strict.graders, strict.papers, strict.blank)
    assert lenient.profile.digest == strict.profile.digest
    # And a row that is named was not right: each alone is refused, or only wrong beside another.
    for row in bad:
        cells = rows[row - 2]
        alone = read_rankings(
            scratch(as_csv(["grader", "paper", "rank"], [list(cells) if cells[3] else list(cells[:3])])),
            roster=roster,
            lenient=True,
        )
        twice = (cells[0], cells[1]) in [(other[0], other[1]) for other in rows[: row - 2]]
        own = roster is None and cells[0] in [other[1] for other in rows]
        assert alone.dropped or twice or own


def test_codes_in_other_letters_are_taken_with_a_note(file):
    rankings = read_rankings(file(f"{HEADER}ann,K1,1\nann,k 2,2\nbob,K2,1\nbob,k1,2\n"), codes={"K1": "p1", "K2": "p2"})
    assert rankings.papers == ("p1", "p2")
    assert rankings.profile.papers.tolist() == [0, 1, 1, 0]
    assert rankings.reading_notes == (f"{rankings.path}: read codes as they were handed out: k 2 as K2, k1 as K1",)


def test_a_code_in_two_letters_is_one_paper(file, complaints):
    path = file(f"{HEADER}ann,K1,1\nann,k1,2\nann,K2,3\n")
    assert complaints(read_rankings, path, codes={"K1": "p1", "K2": "p2"}) == [
        (3, "paper", "ann has already ranked k1 in row 2")
    ]


def test_codes_that_differ_in_case_alone_are_taken_letter_by_letter(file, complaints):
    path = file(f"{HEADER}ann,Kx,1\nann,kx,2\nann,KX,3\n")
    codes = {"Kx": "p1", "kx": "p2"}
    assert complaints(read_rankings, path, codes=codes) == [(4, "paper", "KX is not one of the codes")]


def test_codes_that_nobody_explains_are_one_problem(file):
    roster = read_roster(file("student\nann\nbob\ncarl\n", name="roster.csv"))
    path = file(f"{HEADER}ann,FSVV,1\nann,PC9W,2\nbob,FSVV,1\n")
    for lenient in (False, True):
        with pytest.raises(FileError) as caught:
            read_rankings(path, roster=roster, lenient=lenient)
        assert str(caught.value) == (
            f"{path}: its papers, such as FSVV, are not on the roster and look like codes; add `codes` codes.csv, "
            "which says which paper each code stands for"
        )


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (
            "312452",
            "but 0312452 is: spreadsheets drop leading zeros; enter 0312452 in a cell formatted as text",
        ),
        (
            "0088",
            "but 88 is: a spreadsheet may have dropped leading zeros there; write the ID the same in both files",
        ),
        ("0312 452", "but 0312452 is; write 0312452"),
        ("7", "7 is not on the roster roster.csv; correct the ID, or add this grader to the roster"),
    ],
)
def test_zeros_that_a_spreadsheet_took_away_are_named(file, monkeypatch, tmp_path, said, line):
    monkeypatch.chdir(tmp_path)
    file("student\n0312452\n88\n07\n007\n", name="roster.csv")
    path = file(f"{HEADER}{said},88,1\n")
    with pytest.raises(FileError, match=f"column grader: .*{line}$"):
        read_rankings(path, roster=read_roster(Path("roster.csv")))


def test_codes_that_are_unknown(file, complaints):
    path = file(f"{HEADER}ann,K1,1\nann,k2,2\nann,K9,3\nann,p1,4\n")
    codes = {"K1": "p1", "K2": "p2"}
    assert complaints(read_rankings, path, codes=codes) == [
        (4, "paper", "K9 is not one of the codes"),
        (5, "paper", "p1 is not one of the codes"),
    ]
    lenient = read_rankings(path, codes=codes, lenient=True)
    assert lenient.papers == ("p1", "p2")
    assert said(lenient) == [("ann", ({"p1"}, {"p2"}))]


def test_a_code_of_a_paper_that_is_not_on_the_roster(file, complaints):
    roster = read_roster(file("student\nann\nbob\n", "roster.csv"))
    path = file(f"{HEADER}ann,K1,1\nann,K2,2\n")
    [(row, column, cause)] = complaints(read_rankings, path, roster=roster, codes={"K1": "bob", "K2": "carl"})
    assert (row, column) == (3, "paper")
    assert cause.endswith("wrote the paper carl")


def test_without_a_roster_a_grader_with_the_id_of_a_paper_wrote_it(file, complaints):
    path = file(f"{HEADER}ann,bob,1\nbob,ann,1\nbob,bob,2\n")
    assert complaints(read_rankings, path) == [(4, "paper", "bob ranks bob, which is their own paper")]


def test_several_ballots_by_a_column(file, complaints):
    rows = "ann,p1,1,a\nann,p2,2,a\nann,p1,2,b\nann,p2,1,b\n"
    assert said(read_rankings(file("grader,paper,rank,ballot\n" + rows))) == [
        ("ann", ({"p1"}, {"p2"})),
        ("ann", ({"p2"}, {"p1"})),
    ]
    path = file("grader,paper,rank,ballots\n" + rows)
    assert complaints(read_rankings, path) == [
        (4, "paper", "ann has already ranked p1 in row 2"),
        (5, "paper", "ann has already ranked p2 in row 3"),
    ]


def test_a_header_alone(file):
    path = file(HEADER)
    rankings = read_rankings(path, papers=("p1",), graders=("ann",))
    assert len(rankings.profile) == 0
    assert (rankings.papers, rankings.graders) == (("p1",), ("ann",))
    assert rankings.reading_notes == (f"{path}: it has a header but no rankings",)


@pytest.mark.parametrize(
    ("header", "missing"),
    [("grader,paper", "column rank"), ("a,b", "columns grader, paper, rank"), ("1,2,3", "columns grader, paper, rank")],
)
def test_columns_that_are_missing(file, complaints, header, missing):
    [(row, column, cause)] = complaints(read_rankings, file(f"{header}\n1,2,3\n"))
    assert (row, column) == (None, None)
    assert cause == f"a file of rankings needs the {missing}, but this file has {', '.join(header.split(','))}"


def test_notes(file):
    path = file(f"{HEADER}ann,3-May,1\nAnn,p1,1\ngrader,paper,rank\n")
    notes = read_rankings(path).reading_notes
    assert [note.removeprefix(str(path)) for note in notes] == [
        ", row 4: the header again, which is skipped",
        ", row 2, column paper: 3-May looks like a date, which spreadsheets make of some IDs; check it",
        ": these IDs differ only in case or spaces, and count as different: ann and Ann",
    ]


# Wide form.


def test_wide_form_with_ties_gaps_and_graders_who_say_nothing(file):
    path = file("grader,1,2,3\nann,p1,p2 = p3,\nbob,,,p1\ncarl,,,\ndora,p3 =,= p2,=\n")
    rankings = read_rankings(path)
    assert said(rankings) == [
        ("ann", ({"p1"}, {"p2", "p3"})),
        ("bob", ({"p1"},)),
        ("dora", ({"p3"}, {"p2"})),
    ]
    assert rankings.graders == ("ann", "bob", "carl", "dora")
    assert rankings.papers == ("p1", "p2", "p3")


@pytest.mark.parametrize("tie", ["p2=p3", '"p2, p3"', "p2 =p3", "p2/p3", '"P2,p3"'])
def test_a_tie_in_another_spelling_is_read_where_its_papers_stand_alone_elsewhere(file, tie):
    rankings = read_rankings(file(f"grader,1,2,3\nann,p1,{tie},\nbob,p3,p2,p1\n".replace("P2", "p2")))
    assert rankings.papers == ("p1", "p2", "p3")
    assert rankings.profile.tie_levels.tolist()[:3] == [0, 1, 1]
    assert len(rankings.reading_notes) == 1


def test_a_tie_in_another_spelling_is_read_where_papers_are_known(file, tmp_path):
    codes = {"WRDG": "p1", "XKCD": "p2"}
    rankings = read_rankings(file("grader,1,2\nann,wrdg=XKCD,\n"), codes=codes)
    assert rankings.profile.tie_levels.tolist() == [0, 0]
    assert {*rankings.papers} == {"p1", "p2"}


@pytest.mark.parametrize(
    "text", ["ann,p1,p2=p9\nbob,p2,p1\n", "ann,p4=p5,p1\n", 'ann,p1,"p8, p9"\n', "ann,p1,p2=p9\nbob,p2,p9=p2\n"]
)
def test_what_may_be_a_tie_or_a_paper_is_refused(file, complaints, text):
    path = file("grader,1,2\n" + text)
    found = complaints(read_rankings, path)
    assert found
    assert all("looks like a tie" in cause for _, _, cause, *_ in found)
    assert not any("=" in paper or "," in paper for paper in read_rankings(path, lenient=True).papers)


def test_ids_with_such_signs_are_ids(file):
    """Where all of them have some, or one stands there more than once and its parts nowhere."""
    assert read_rankings(file('grader,1,2\nann,"Ng, Anna","Lee, Bo"\n')).papers == ("Ng, Anna", "Lee, Bo")
    rankings = read_rankings(file("grader,1,2\nann,a=1,b\nbob,b,a=1\n"))
    assert (rankings.papers, rankings.reading_notes) == (("a=1", "b"), ())


def test_what_is_wrong_in_wide_form_is_named_by_its_cell(file, complaints):
    roster = read_roster(file("student,paper\nann,p1\nbob,p2\ncarl,p3\n", "roster.csv"))
    path = file(
        "grader,1,2,3\nann,p2,p1,p3\nbob,p1,p9,p1 = p3\neve,p1,p2,p3\n,p1,p2,\neva,,,\ncarl,p1,p2,\nann,p2,p3,\n"
    )
    name = roster.path
    expected = [
        (2, "2", "ann ranks p1, which is their own paper"),
        (3, "2", f"nobody on the roster {name} wrote the paper p9"),
        (3, "3", "bob has already ranked p1 in row 3"),
        (4, "grader", f"eve is not on the roster {name}"),
        (5, "grader", "this cell is empty"),
        (6, "grader", f"eva is not on the roster {name}"),
        (8, "grader", "ann already has row 2"),
    ]
    assert complaints(read_rankings, path, roster=roster) == expected
    assert said(read_rankings(path, roster=roster, lenient=True)) == [
        ("ann", ({"p2"}, {"p3"})),
        ("bob", ({"p1"}, {"p3"})),
        ("carl", ({"p1"}, {"p2"})),
    ]


def test_several_ballots_in_wide_form(file, complaints):
    rows = "ann,a,p1,p2\nann,b,p2,p1\n"
    assert len(read_rankings(file(f"grader,ballot,1,2\n{rows}")).profile) == 2
    assert complaints(read_rankings, file(f"grader,other,1,2\n{rows}")) == [(3, "grader", "ann already has row 2")]


@pytest.mark.parametrize(
    ("header", "column", "cause"),
    [
        ("grader,1,place 1", "place 1", "the column 1 is also for place 1"),
        ("grader,0,1", "0", "this is not a place"),
        ("grader,1,1", "1", "more than one column has this name"),
    ],
)
def test_headers_of_wide_form_that_make_no_sense(file, complaints, header, column, cause):
    [(_, *problem)] = complaints(read_rankings, file(f"{header}\nann,p1,p2\n"))
    assert problem == [column, cause]


def test_a_workbook_in_wide_form(workbook):
    path = workbook([["Grader", 1, 2], ["ann", "p1", 7], ["bob", 7, "p1"]])
    assert said(read_rankings(path)) == [("ann", ({"p1"}, {"7"})), ("bob", ({"7"}, {"p1"}))]


def test_a_rank_that_became_a_date_in_a_workbook(workbook, complaints):
    import datetime

    path = workbook([["grader", "paper", "rank"], ["ann", "p1", 1], ["ann", "p2", datetime.date(2024, 1, 2)]])
    [(row, column, cause)] = complaints(read_rankings, path)
    assert (row, column) == (3, "rank")
    assert cause.startswith("this is a date or a time, 2024-01-02,")
    assert said(read_rankings(path, lenient=True)) == [("ann", ({"p1"},))]


def test_the_profile_is_the_one_that_python_makes(file):
    path = file(f"{HEADER}c,p1,2\nc,p0,1\na,p2,1\na,p1,1\na,p0,2\n")
    rankings = read_rankings(path, papers=("p0", "p1", "p2"), graders=("a", "b", "c"))
    made = Profile.from_ballots([[(2, 1), 0], [0, 1]], 3, grader=[0, 2], authored=np.full(3, -1))
    assert rankings.profile.digest == made.digest


@pytest.mark.parametrize("kind", [GRADES, GRADERS, STUDENTS, LETTERS], ids=lambda kind: kind.name)
def test_what_grade_wrote_is_no_file_of_rankings(file, kind):
    """Without its provenance it looks like a file with columns of other names."""
    path = file(",".join(kind.columns) + "\n" + ",".join("1" for _ in kind.columns) + "\n")
    with pytest.raises(FileError, match=f"this file has {kind.called}, as written by grade") as refused:
        read_rankings(path)
    assert len(refused.value.problems) == 1


def test_it_does_not_matter_where_the_rows_of_a_grader_are(tmp_path):
    path = tmp_path / "rankings.csv"
    path.write_text("student\n" + "".join(f"s{student}\n" for student in range(9)))
    roster = read_roster(path)
    rows = [f"s{grader},s{(grader + 2 * rank) % 9},{rank}\n" for grader in range(9) for rank in (1, 2, 3)]
    found = []
    for order in (rows, rows[::-1], rows[::3] + rows[1::3] + rows[2::3]):
        path.write_text(HEADER + "".join(order))
        found.append(read_rankings(path, roster=roster).profile)
    assert found[0] == found[1] == found[2]
    assert found[0][0].tolist() == [2, 4, 6]
